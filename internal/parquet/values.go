package parquet

import (
	"encoding/binary"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
)

// span is a run of values of an array.
type span struct{ from, n int }

// adder appends the values of an array at spans in Parquet's PLAIN form; truth values take a byte until their page ends.
type adder func(b []byte, a arrow.ArrayData, spans []span, width int) []byte

// fixed are the values of a as numbers, from its offset on.
func fixed[T any](a arrow.ArrayData) []T {
	buf := a.Buffers()[1]
	if buf == nil || a.Len() == 0 {
		return nil
	}
	var zero T
	b := buf.Bytes()
	all := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
	return all[a.Offset() : a.Offset()+a.Len()]
}

// raw are the bytes of vs.
func raw[T any](vs []T) []byte {
	if len(vs) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vs))), len(vs)*int(unsafe.Sizeof(vs[0])))
}

// grow makes room for n more bytes and gives b with them.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		c := make([]byte, len(b), max(2*cap(b), len(b)+n, 512))
		copy(c, b)
		b = c
	}
	return b[:len(b)+n]
}

func addFixed[T uint32 | uint64](b []byte, a arrow.ArrayData, spans []span, _ int) []byte {
	vs := fixed[T](a)
	for _, s := range spans {
		b = append(b, raw(vs[s.from:s.from+s.n])...)
	}
	return b
}

func addInt8(b []byte, a arrow.ArrayData, spans []span, _ int) []byte {
	return widen[int8](b, a, spans)
}
func addInt16(b []byte, a arrow.ArrayData, spans []span, _ int) []byte {
	return widen[int16](b, a, spans)
}

func widen[T int8 | int16](b []byte, a arrow.ArrayData, spans []span) []byte {
	vs := fixed[T](a)
	for _, s := range spans {
		for _, v := range vs[s.from : s.from+s.n] {
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(v)))
		}
	}
	return b
}

func addBool(b []byte, a arrow.ArrayData, spans []span, _ int) []byte {
	if a.Len() == 0 {
		return b
	}
	bits, off := a.Buffers()[1].Bytes(), a.Offset()
	for _, s := range spans {
		for i := off + s.from; i < off+s.from+s.n; i++ {
			b = append(b, bits[i>>3]>>(i&7)&1)
		}
	}
	return b
}

func addDecimal32(b []byte, a arrow.ArrayData, spans []span, _ int) []byte {
	vs := fixed[[2]uint64](a)
	for _, s := range spans {
		for _, v := range vs[s.from : s.from+s.n] {
			b = binary.LittleEndian.AppendUint32(b, uint32(v[0]))
		}
	}
	return b
}

func addDecimal64(b []byte, a arrow.ArrayData, spans []span, _ int) []byte {
	vs := fixed[[2]uint64](a)
	for _, s := range spans {
		for _, v := range vs[s.from : s.from+s.n] {
			b = binary.LittleEndian.AppendUint64(b, v[0])
		}
	}
	return b
}

// addDecimal appends the last width bytes of numbers, the highest first.
func addDecimal(b []byte, a arrow.ArrayData, spans []span, width int) []byte {
	vs := fixed[[2]uint64](a)
	var x [16]byte
	for _, s := range spans {
		for _, v := range vs[s.from : s.from+s.n] {
			binary.BigEndian.PutUint64(x[:], v[1])
			binary.BigEndian.PutUint64(x[8:], v[0])
			b = append(b, x[16-width:]...)
		}
	}
	return b
}

// addInt96 appends instants as Hive and old Spark store them: nanoseconds of the day, then the Julian day.
func addInt96(b []byte, a arrow.ArrayData, spans []span, _ int) []byte {
	const epoch, day = 2440588, 86400 * 1_000_000
	vs := fixed[int64](a)
	for _, s := range spans {
		for _, v := range vs[s.from : s.from+s.n] {
			days := floorDiv(v, day)
			b = binary.LittleEndian.AppendUint64(b, uint64((v-days*day)*1000))
			b = binary.LittleEndian.AppendUint32(b, uint32(days+epoch))
		}
	}
	return b
}

// addBytes appends texts, each after its length.
func addBytes(b []byte, a arrow.ArrayData, spans []span, _ int) []byte {
	if a.Len() == 0 {
		return b
	}
	buf := a.Buffers()[1].Bytes()
	offs := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(buf))), len(buf)/4)[a.Offset():]
	var data []byte
	if t := a.Buffers()[2]; t != nil {
		data = t.Bytes()
	}
	for _, s := range spans {
		b = appendTexts(b, data, offs[s.from:s.from+s.n+1])
	}
	return b
}

// shortText is the length up to which texts are copied as a block of that length: what is too much is overwritten by the next.
const shortText = 32

// appendTexts appends the texts between offs in data.
func appendTexts(b, data []byte, offs []int32) []byte {
	from := int(offs[0])
	at := len(b)
	end := at + int(offs[len(offs)-1]) - from + 4*(len(offs)-1)
	b = grow(b, end-at+shortText)
	for _, to := range offs[1:] {
		n := int(to) - from
		binary.LittleEndian.PutUint32(b[at:], uint32(n))
		at += 4
		if n <= shortText && from+shortText <= len(data) {
			*(*[shortText]byte)(b[at:]) = *(*[shortText]byte)(data[from:])
		} else {
			copy(b[at:], data[from:to])
		}
		at += n
		from = int(to)
	}
	return b[:end]
}

// packBools packs truth values of a byte each into bits.
func packBools(b, vs []byte) []byte {
	at := len(b)
	b = grow(b, (len(vs)+7)/8)
	clear(b[at:])
	for i, v := range vs {
		b[at+i>>3] |= v << (i & 7)
	}
	return b
}
