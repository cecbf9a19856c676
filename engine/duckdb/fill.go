package duckdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	duck "github.com/duckdb/duckdb-go-bindings"
)

var errUTF8 = errors.New("duckdb: invalid UTF-8 in a string column")

// fill writes rows [off, off+n) of a into rows [0, n) of the flat vector v, for any slice of any
// supported array. Nothing in v points to Go memory afterwards.
func fill(v duck.Vector, a arrow.Array, off, n int) error {
	if n == 0 {
		return nil
	}
	var m mask // nil when no row is null
	if bm := a.NullBitmapBytes(); bm != nil && a.NullN() > 0 {
		m = writable(v, n)
		bitutil.CopyBitmap(bm, a.Data().Offset()+off, n, m.bytes(), 0)
	}
	switch t := a.(type) {
	case *array.Null:
		fillNull(v, n)
	case *array.Boolean:
		fillBool(v, t, off, n)
	case *array.Decimal128:
		fillDecimal(v, t, off, n)
	case *array.MonthDayNanoInterval:
		return fillInterval(v, t, off, n)
	case *array.String:
		return fillText(v, t.ValueOffsets()[off:off+n+1], t.Data().Buffers()[2], m, true)
	case *array.Binary:
		return fillText(v, t.ValueOffsets()[off:off+n+1], t.Data().Buffers()[2], m, false)
	case *array.Struct:
		return fillStruct(v, t, off, n, m)
	case *array.FixedSizeList:
		return fillArray(v, t, off, n, m)
	case *array.Map:
		return fillList(v, t, t.ListValues(), off, n, m)
	case *array.List:
		return fillList(v, t, t.ListValues(), off, n, m)
	default:
		return fillFixed(v, a, off, n)
	}
	return nil
}

// fillFixed copies values whose layout is the same on both sides.
func fillFixed(v duck.Vector, a arrow.Array, off, n int) error {
	t, ok := a.DataType().(arrow.FixedWidthDataType)
	if _, err := flatType(a.DataType()); err != nil || !ok {
		return fmt.Errorf("duckdb: Arrow array %T is not supported", a)
	}
	w := t.BitWidth() / 8
	at := a.Data().Offset() + off
	copy(data[byte](v, n*w), a.Data().Buffers()[1].Bytes()[at*w:(at+n)*w])
	return nil
}

func fillNull(v duck.Vector, n int) {
	m := writable(v, n)
	for i := range n {
		m.setNull(i)
	}
}

func fillBool(v duck.Vector, a *array.Boolean, off, n int) {
	src, at := a.Data().Buffers()[1].Bytes(), a.Data().Offset()+off
	out := data[byte](v, n)
	for i := range out {
		out[i] = src[(at+i)>>3] >> ((at + i) & 7) & 1
	}
}

func fillDecimal(v duck.Vector, a *array.Decimal128, off, n int) {
	src := a.Data().Buffers()[1].Bytes()[(a.Data().Offset()+off)*16:]
	switch p := a.DataType().(*arrow.Decimal128Type).Precision; {
	case p <= 4:
		narrow(data[int16](v, n), src)
	case p <= 9:
		narrow(data[int32](v, n), src)
	case p <= 18:
		narrow(data[int64](v, n), src)
	default:
		copy(data[byte](v, n*16), src[:n*16])
	}
}

func narrow[T int16 | int32 | int64](out []T, src []byte) {
	for i := range out {
		out[i] = T(binary.LittleEndian.Uint64(src[i*16:]))
	}
}

// fillInterval turns Arrow's nanoseconds into microseconds and refuses what that would cut.
func fillInterval(v duck.Vector, a *array.MonthDayNanoInterval, off, n int) error {
	out := data[[2]uint64](v, n)
	for i := range out {
		if a.IsNull(off + i) {
			continue
		}
		x := a.Value(off + i)
		if x.Nanoseconds%1000 != 0 {
			return errors.New("duckdb: an interval has a part of a microsecond")
		}
		out[i] = [2]uint64{uint64(uint32(x.Months)) | uint64(uint32(x.Days))<<32, uint64(x.Nanoseconds / 1000)}
	}
	return nil
}

func fillStruct(v duck.Vector, a *array.Struct, off, n int, m mask) error {
	for i := range a.NumField() {
		if err := fill(duck.StructVectorGetChild(v, duck.IdxT(i)), a.Field(i), off, n); err != nil {
			return err
		}
	}
	nullKids(v, a.DataType(), m, n)
	return nil
}

func fillArray(v duck.Vector, a *array.FixedSizeList, off, n int, m mask) error {
	first, end := a.ValueOffsets(off)
	size := int(end - first)
	if err := fill(duck.ArrayVectorGetChild(v), a.ListValues(), int(first), n*size); err != nil {
		return err
	}
	nullKids(v, a.DataType(), m, n)
	return nil
}

// fillList sizes the child vector first: its data may move when it grows.
func fillList(v duck.Vector, a array.ListLike, values arrow.Array, off, n int, m mask) error {
	first, _ := a.ValueOffsets(off)
	_, last := a.ValueOffsets(off + n - 1)
	total := int(last - first)
	if duck.ListVectorReserve(v, duck.IdxT(total)) == duck.StateError ||
		duck.ListVectorSetSize(v, duck.IdxT(total)) == duck.StateError {
		return errors.New("duckdb: cannot grow a list")
	}
	entries := data[[2]uint64](v, n)
	for i := range entries {
		s, e := a.ValueOffsets(off + i)
		if !m.ok(i) {
			e = s
		}
		entries[i] = [2]uint64{uint64(s - first), uint64(e - s)}
	}
	return fill(duck.ListVectorGetChild(v), values, int(first), total)
}

// nullKids makes the children of a null struct or array row null too: DuckDB reads a child without looking
// at its parent.
func nullKids(v duck.Vector, t arrow.DataType, m mask, n int) {
	if m == nil {
		return
	}
	mark := func(k duck.Vector, t arrow.DataType, size int) {
		km := writable(k, n*size)
		m.nulls(n, func(i int) {
			for j := range size {
				km.setNull(i*size + j)
			}
		})
		nullKids(k, t, km, n*size)
	}
	switch t := t.(type) {
	case *arrow.StructType:
		for i, f := range t.Fields() {
			mark(duck.StructVectorGetChild(v, duck.IdxT(i)), f.Type, 1)
		}
	case *arrow.FixedSizeListType:
		mark(duck.ArrayVectorGetChild(v), t.Elem(), int(t.Len()))
	}
}

// fillText writes string headers. When some text is longer than 12 bytes, the whole contiguous text of the
// rows is copied into the vector's own heap by one call, and the headers point into that copy.
func fillText(v duck.Vector, offs []int32, values interface{ Bytes() []byte }, m mask, text bool) error {
	hs := data[header](v, len(offs)-1)
	from, to := int(offs[0]), int(offs[len(offs)-1])
	var src []byte
	if to > from {
		src = values.Bytes()[from:to]
	}
	// DuckDB does not check the text it is given here.
	if text && !utf8.Valid(src) {
		return errUTF8
	}
	long := -1
	for i := range hs {
		b, e := int(offs[i])-from, int(offs[i+1])-from
		if text && e > b && !utf8.RuneStart(src[b]) { // the whole is valid, so only a cut can be wrong
			return errUTF8
		}
		switch {
		case !m.ok(i):
			hs[i] = header{}
		case e-b <= inlineSize:
			hs[i] = inline(src[b:e])
		default:
			if long < 0 {
				long = i
			}
			hs[i] = distant(src[b:e], b)
		}
	}
	if long >= 0 {
		settle(v, hs, long, src)
	}
	return nil
}
