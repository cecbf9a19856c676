package duckdb

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// gather makes an array of the rows of a at the given places, in their order.
func gather(a arrow.Array, at []int32) arrow.Array {
	d := gatherData(a, at)
	defer d.Release()
	return array.MakeFromData(d)
}

func gatherData(a arrow.Array, at []int32) *array.Data {
	buffers := []*memory.Buffer{nil}
	nulls := 0
	if a.NullN() > 0 && a.DataType().ID() != arrow.NULL {
		var bits []byte
		bits, nulls = gatherBits(a.NullBitmapBytes(), a.Data().Offset(), at)
		buffers[0] = memory.NewBufferBytes(bits)
	}
	var kids []arrow.ArrayData
	switch a := a.(type) {
	case *array.Null:
		nulls = len(at)
	case *array.Struct:
		for i := range a.NumField() {
			kids = append(kids, gatherData(a.Field(i), at))
		}
	case array.ListLike:
		offs, in := gatherRanges(a, at)
		buffers = append(buffers, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offs)))
		kids = append(kids, gatherData(a.ListValues(), in))
	case *array.Boolean:
		bits, _ := gatherBits(a.Data().Buffers()[1].Bytes(), a.Data().Offset(), at)
		buffers = append(buffers, memory.NewBufferBytes(bits))
	case *array.String, *array.Binary:
		offs, text := gatherTexts(a.Data(), at)
		buffers = append(buffers, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offs)), memory.NewBufferBytes(text))
	default:
		buffers = append(buffers, memory.NewBufferBytes(gatherFixed(a.Data(), at)))
	}
	d := array.NewData(a.DataType(), len(at), buffers, kids, nulls, 0)
	for _, k := range kids {
		k.Release()
	}
	return d
}

// gatherBits gives the bits at places, and how many are not set.
func gatherBits(bits []byte, off int, at []int32) (out []byte, zeroes int) {
	out = make([]byte, (len(at)+7)/8)
	ones := 0
	for i, k := range at {
		k := int(k) + off
		b := bits[k>>3] >> (k & 7) & 1
		out[i>>3] |= b << (i & 7)
		ones += int(b)
	}
	return out, len(at) - ones
}

// gatherRanges gives the offsets of the lists at places, and the places of their elements.
func gatherRanges(a array.ListLike, at []int32) (offs, in []int32) {
	offs = make([]int32, 1, len(at)+1)
	for _, k := range at {
		from, to := a.ValueOffsets(int(k))
		if a.IsNull(int(k)) {
			to = from
		}
		for i := from; i < to; i++ {
			in = append(in, int32(i))
		}
		offs = append(offs, int32(len(in)))
	}
	return offs, in
}

func gatherTexts(d arrow.ArrayData, at []int32) (offs []int32, text []byte) {
	offs = make([]int32, len(at)+1)
	if len(at) == 0 {
		return offs, nil
	}
	from := arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())[d.Offset():]
	total := 0
	for i, k := range at {
		total += int(from[k+1] - from[k])
		offs[i+1] = int32(total)
	}
	if total == 0 {
		return offs, nil
	}
	src := d.Buffers()[2].Bytes()
	text = make([]byte, 0, total)
	for _, k := range at {
		text = append(text, src[from[k]:from[k+1]]...)
	}
	return offs, text
}

func gatherFixed(d arrow.ArrayData, at []int32) []byte {
	if len(at) == 0 {
		return nil
	}
	b := d.Buffers()[1].Bytes()
	switch d.DataType().(arrow.FixedWidthDataType).BitWidth() / 8 {
	case 1:
		return gatherAs[uint8](b, d.Offset(), at)
	case 2:
		return gatherAs[uint16](b, d.Offset(), at)
	case 4:
		return gatherAs[uint32](b, d.Offset(), at)
	case 8:
		return gatherAs[uint64](b, d.Offset(), at)
	}
	return gatherAs[[2]uint64](b, d.Offset(), at)
}

func gatherAs[T any](b []byte, off int, at []int32) []byte {
	var zero T
	size := int(unsafe.Sizeof(zero))
	src := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)[off:]
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = src[k]
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(out))), len(out)*size)
}
