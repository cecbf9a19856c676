package duckdb

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

const (
	fileSetBytes = 192 << 20 // held by the files under way together, about
	fileSetOpen  = 100       // files open at a time
)

// fileSet are the files that rows are written to, one under way per key.
type fileSet struct {
	st      *staging
	to      engine.Dest
	codec   *parquet.Codec
	options parquet.WriterOptions
	fields  []types.Field
	files   map[string]*dataFile
	count   map[string]int // completed files of a key
	held    int64          // bytes in memory, about
	opened  int
	done    []stagedFile
}

// dataFile is a file under way.
type dataFile struct {
	set   *fileSet
	key   string
	name  string
	from  string   // staged path
	f     *os.File // nil while it is not open
	w     *parquet.Writer
	watch engine.Observer // nil: nobody
	made  []maker         // by column
	held  int64
}

func newFileSet(st *staging, codec *parquet.Codec) *fileSet {
	p := st.to.Physical
	s := &fileSet{st: st, to: st.to, codec: codec, files: map[string]*dataFile{}, count: map[string]int{}}
	s.options = parquet.WriterOptions{
		Codec: codec, FixedDecimals: p.FixedDecimals, Int96: p.Int96, TwoLevelLists: p.TwoLevelLists, Required: p.Required,
		Root: p.Schema, FieldID: rel.FieldIDKey,
	}
	for _, d := range s.to.Columns {
		s.fields = append(s.fields, d.Field)
	}
	return s
}

// write spreads the rows of a batch over the files of their keys.
func (s *fileSet) write(b arrow.RecordBatch) error {
	if s.to.Key == 0 {
		return s.rows("", b, 0, int(b.NumRows()))
	}
	keys, ok := b.Column(int(b.NumCols()) - 1).(*array.String)
	if !ok || keys.NullN() > 0 {
		return fmt.Errorf("duckdb: a row to write has no key")
	}
	for i := 0; i < keys.Len(); {
		key, from := keys.Value(i), i
		for i < keys.Len() && keys.Value(i) == key {
			i++
		}
		if err := s.rows(key, b, from, i); err != nil {
			return err
		}
	}
	return nil
}

// rows writes rows [from, to) of b to the file of a key.
func (s *fileSet) rows(key string, b arrow.RecordBatch, from, to int) error {
	f, ok := s.files[key]
	if !ok {
		var err error
		if f, err = s.begin(strings.Clone(key)); err != nil {
			return err
		}
	}
	if err := f.append(b, from, to); err != nil {
		return err
	}
	if s.to.FileSize > 0 && f.w.Size() >= s.to.FileSize {
		return s.complete(f)
	}
	if s.opened > fileSetOpen {
		if err := f.rest(); err != nil {
			return err
		}
	}
	return s.relieve()
}

// begin starts the next file of a key.
func (s *fileSet) begin(key string) (*dataFile, error) {
	f := &dataFile{set: s, key: key}
	if s.to.Name != nil {
		f.name = s.to.Name(key, s.count[key])
	} else {
		f.name = path.Join(s.to.Dir, s.to.Prefix+uuid.NewString()+s.to.Suffix)
	}
	f.from = filepath.Join(s.st.dir, "f"+strconv.Itoa(len(s.done)+len(s.files))+"-"+uuid.NewString())
	var err error
	if f.w, err = parquet.NewWriter(f, s.fields, s.options); err != nil {
		return nil, fmt.Errorf("duckdb: %w", err)
	}
	if s.to.Observe != nil {
		f.watch = s.to.Observe(f.name)
	}
	for _, d := range s.to.Columns {
		m := maker{kind: d.Made}
		switch d.Made {
		case engine.FileName:
			m.text = path.Base(f.name)
		case engine.Sequence:
			m.text = s.to.Sequence(f.name)
		}
		f.made = append(f.made, m)
	}
	s.files[key] = f
	return f, nil
}

// append writes rows [from, to) of b.
func (f *dataFile) append(b arrow.RecordBatch, from, to int) error {
	columns := make([]arrow.Array, len(f.made))
	defer func() {
		for _, c := range columns {
			if c != nil {
				c.Release()
			}
		}
	}()
	at := 0
	for i := range f.made {
		m := &f.made[i]
		if m.kind == engine.FileName {
			columns[i] = m.constant(to - from)
			continue
		}
		columns[i] = array.NewSlice(b.Column(at), int64(from), int64(to))
		if m.kind == engine.Sequence {
			c := columns[i].(*array.String)
			columns[i] = m.number(c, f.w.Rows())
			c.Release()
		}
		at++
	}
	if err := f.w.Write(columns); err != nil {
		return fmt.Errorf("duckdb: %s: %w", f.name, err)
	}
	held := f.w.Buffered()
	f.set.held += held - f.held
	f.held = held
	if f.watch != nil {
		return f.watch.Rows(columns)
	}
	return nil
}

// Write is where the Parquet writer's bytes go.
func (f *dataFile) Write(b []byte) (int, error) {
	if f.f == nil {
		var err error
		if f.f, err = os.OpenFile(f.from, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666); err != nil {
			return 0, err
		}
		f.set.opened++
	}
	return f.f.Write(b)
}

// rest closes the file until there is more to write.
func (f *dataFile) rest() error {
	if f.f == nil {
		return nil
	}
	err := f.f.Close()
	f.f = nil
	f.set.opened--
	return err
}

// relieve writes out row groups, of the largest files first, when too much is held.
func (s *fileSet) relieve() error {
	if s.held <= fileSetBytes {
		return nil
	}
	var all []*dataFile
	for _, f := range s.files {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *dataFile) int { return cmp.Compare(b.held, a.held) })
	for _, f := range all {
		if s.held <= fileSetBytes/2 {
			break
		}
		if err := f.w.Flush(); err != nil {
			return err
		}
		s.held -= f.held
		f.held = 0
		if err := f.rest(); err != nil {
			return err
		}
	}
	return nil
}

// complete ends a file. The next rows of its key begin another.
func (s *fileSet) complete(f *dataFile) error {
	var entries map[string]string
	if f.watch != nil {
		var err error
		if entries, err = f.watch.Footer(); err != nil {
			return err
		}
	}
	if err := f.w.Close(entries); err != nil {
		return err
	}
	if err := f.rest(); err != nil {
		return err
	}
	s.held -= f.held
	s.count[f.key]++
	delete(s.files, f.key)
	r := rel.File{Bucket: s.to.Bucket, Path: f.name, Rows: f.w.Rows(), Key: f.key, Stats: map[string]rel.Range{}}
	for _, b := range f.w.Ranges() {
		if i := s.column(b.Path[0]); s.to.Columns[i].Stats && !b.InList {
			r.Stats[strings.Join(b.Path, ".")] = rel.Range{Min: b.Min, Max: b.Max, Nulls: b.Nulls, NaN: b.NaN, Exact: b.Exact}
		}
	}
	s.done = append(s.done, stagedFile{File: r, from: f.from, given: s.to.Name != nil})
	return nil
}

func (s *fileSet) column(name string) int {
	return slices.IndexFunc(s.to.Columns, func(d engine.DestColumn) bool { return d.Field.Name == name })
}

// finish completes all files that have rows, in the order of their keys.
func (s *fileSet) finish() error {
	var all []*dataFile
	for _, f := range s.files {
		if f.w.Rows() > 0 {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b *dataFile) int { return strings.Compare(a.key, b.key) })
	for _, f := range all {
		if err := s.complete(f); err != nil {
			return err
		}
	}
	return nil
}

// close frees what an error has left open.
func (s *fileSet) close() {
	for _, f := range s.files {
		_ = f.rest()
	}
}
