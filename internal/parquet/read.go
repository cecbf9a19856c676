package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	pq "github.com/parquet-go/parquet-go"
)

// File is an open Parquet file whose footer was checked.
type File struct {
	r      io.ReaderAt
	limits Limits
	foot   *footer
	file   *pq.File
	leaves []Leaf
	spent  int64 // bytes of memory taken so far, about
}

// Open checks the footer of the file of size bytes behind r and opens it. It serves one goroutine.
func Open(r io.ReaderAt, size int64, lim Limits) (f *File, err error) {
	defer guard(&err)
	lim = lim.orDefault()
	foot, err := preflight(r, size, lim)
	if err != nil {
		return nil, err
	}
	file, err := pq.OpenFile(r, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true), pq.FileReadMode(pq.ReadModeSync))
	if err != nil {
		return nil, err
	}
	f = &File{r: r, limits: lim, foot: foot, file: file}
	return f, f.addLeaves()
}

// addLeaves joins what the preflight knows of the leaves with the decoder's types.
func (f *File) addLeaves() error {
	columns := f.file.Schema().Columns()
	if len(columns) != len(f.foot.leaves) {
		return fmt.Errorf("schema has %d columns for one reader, %d for another", len(columns), len(f.foot.leaves))
	}
	for i, n := range f.foot.leaves {
		c, ok := f.file.Schema().Lookup(n.path...)
		if !ok || c.ColumnIndex != i {
			return fmt.Errorf("schema has the column %s twice", strings.Join(n.path, "."))
		}
		f.leaves = append(f.leaves, Leaf{i, n.path, n.maxRep, n.maxDef, n.repDef, c.Node.Type()})
	}
	return nil
}

// cellSize is the most that a cell of a Vector takes, text aside.
const cellSize = 18

// guard makes an error of a panic of the decoder, which is not made for hostile bytes.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("file is corrupt: %v", r)
	}
}

// Rows is the number of rows.
func (f *File) Rows() int64 { return f.foot.rows }

// Groups is the number of row groups.
func (f *File) Groups() int { return len(f.foot.groups) }

// GroupRows is the number of rows of a row group.
func (f *File) GroupRows(group int) int64 { return f.foot.groups[group].rows }

// Leaf is a column of values.
type Leaf struct {
	Index          int
	Path           []string // names as stored
	MaxRep, MaxDef int
	RepDef         int // the definition level from which on the innermost list or map above has an element; one less: it is empty
	Type           pq.Type
}

// Leaves are the columns, in the order of the file.
func (f *File) Leaves() []Leaf { return f.leaves }

// Leaf is the column at a path; false when there is none.
func (f *File) Leaf(path ...string) (Leaf, bool) {
	for _, leaf := range f.leaves {
		if slices.Equal(leaf.Path, path) {
			return leaf, true
		}
	}
	return Leaf{}, false
}

// Vector is the cells of one leaf in a row group. Cell i has the levels Rep[i] and Def[i] (nil when they can only be
// zero), and holds a value when Def[i] is the leaf's highest, else some NULL. Only the slice of the leaf's kind is set; it has
// an entry, of no meaning, for NULL cells too.
type Vector struct {
	Leaf
	Len   int
	Rep   []byte
	Def   []byte
	Bools []bool
	Ints  []int64   // of INT32 and INT64
	Reals []float64 // of FLOAT and DOUBLE
	Texts []string  // of BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY, and INT96 as its 12 bytes
}

// Set reports whether cell i holds a value.
func (v *Vector) Set(i int) bool { return v.Def == nil || int(v.Def[i]) == v.MaxDef }

// Read decodes one leaf of a row group.
func (f *File) Read(group int, leaf Leaf) (v *Vector, err error) {
	defer guard(&err)
	defer func() {
		if err != nil {
			err = fmt.Errorf("column %s: %w", strings.Join(leaf.Path, "."), err)
		}
	}()
	c := f.foot.groups[group].chunks[leaf.Index]
	unpacked, err := walkPages(f.r, c, f.limits)
	if err != nil {
		return nil, err
	}
	if f.spent += unpacked + cellSize*c.values; f.spent > f.limits.Uncompressed {
		return nil, fmt.Errorf("file takes more than %d bytes unpacked", f.limits.Uncompressed)
	}
	v = &Vector{Leaf: leaf}
	v.grow(min(int(c.values), 1<<20))
	pages := f.file.RowGroups()[group].ColumnChunks()[leaf.Index].Pages()
	defer pages.Close()
	for int64(v.Len) < c.values {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		err = v.add(page, c.values)
		pq.Release(page)
		if err != nil {
			return nil, err
		}
	}
	if int64(v.Len) != c.values {
		return nil, fmt.Errorf("%d values, but %d are declared", v.Len, c.values)
	}
	return v, nil
}

// grow makes room for n cells.
func (v *Vector) grow(n int) {
	if v.MaxRep > 0 {
		v.Rep = make([]byte, 0, n)
	}
	if v.MaxDef > 0 {
		v.Def = make([]byte, 0, n)
	}
	switch v.Type.Kind() {
	case pq.Boolean:
		v.Bools = make([]bool, 0, n)
	case pq.Int32, pq.Int64:
		v.Ints = make([]int64, 0, n)
	case pq.Float, pq.Double:
		v.Reals = make([]float64, 0, n)
	default:
		v.Texts = make([]string, 0, n)
	}
}

// add appends the cells of a page, of which there may be most in all.
func (v *Vector) add(page pq.Page, most int64) error {
	values := page.Values()
	var buf [512]pq.Value
	for {
		n, err := values.ReadValues(buf[:])
		if int64(v.Len+n) > most {
			return fmt.Errorf("more than the %d values that are declared", most)
		}
		for i := range buf[:n] {
			v.cell(&buf[i])
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrNoProgress
		}
	}
}

func (v *Vector) cell(x *pq.Value) {
	v.Len++
	if v.MaxRep > 0 {
		v.Rep = append(v.Rep, byte(x.RepetitionLevel()))
	}
	if v.MaxDef > 0 {
		v.Def = append(v.Def, byte(x.DefinitionLevel()))
	}
	null := x.IsNull()
	switch v.Type.Kind() {
	case pq.Boolean:
		v.Bools = append(v.Bools, !null && x.Boolean())
	case pq.Int32:
		v.Ints = append(v.Ints, orZero(null, func() int64 { return int64(x.Int32()) }))
	case pq.Int64:
		v.Ints = append(v.Ints, orZero(null, x.Int64))
	case pq.Float:
		v.Reals = append(v.Reals, orZero(null, func() float64 { return float64(x.Float()) }))
	case pq.Double:
		v.Reals = append(v.Reals, orZero(null, x.Double))
	case pq.Int96:
		v.Texts = append(v.Texts, orZero(null, func() string { return int96Bytes(x.Int96()) }))
	default:
		v.Texts = append(v.Texts, orZero(null, func() string { return string(x.ByteArray()) }))
	}
}

func orZero[T any](null bool, f func() T) T {
	if null {
		var zero T
		return zero
	}
	return f()
}

func int96Bytes(x [3]uint32) string {
	var b [12]byte
	for i, part := range x {
		binary.LittleEndian.PutUint32(b[4*i:], part)
	}
	return string(b[:])
}

// Metadata is the value of a key of the footer; false when the footer does not have it.
func (f *File) Metadata(key string) (string, bool) { return f.file.Lookup(key) }
