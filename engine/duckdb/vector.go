package duckdb

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	duck "github.com/duckdb/duckdb-go-bindings"
)

// vectorSize is the number of rows of a full chunk of this DuckDB build.
const vectorSize = 2048

// inlineSize is the longest text kept inside a header.
const inlineSize = 12

// header is DuckDB's 16-byte string:
//
//	bytes 0-3   length, little-endian
//	bytes 4-15  the text itself when it has at most 12 bytes, zero padded; else
//	bytes 4-7   its first four bytes, and
//	bytes 8-15  a pointer to it in C memory
//
// It is held as two words and never as a Go pointer: inline text must not look like a pointer to the
// garbage collector.
type header struct{ w0, w1 uint64 }

func (h *header) len() int { return int(uint32(h.w0)) }

// bytes views the text without a copy. h must lie in C memory, and the view lives as long as its vector.
func (h *header) bytes() []byte {
	n := h.len()
	if n <= inlineSize {
		return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(h), 4)), n)
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&h.w1)), n)
}

// inline makes the header of a text of at most 12 bytes. Unused bytes are zero: DuckDB compares whole words.
func inline(s []byte) header {
	var b [16]byte
	binary.LittleEndian.PutUint32(b[:], uint32(len(s)))
	copy(b[4:], s)
	return header{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
}

// distant makes the header of a text of more than 12 bytes whose address is not known yet: at stands in.
func distant(s []byte, at int) header {
	return header{uint64(uint32(len(s))) | uint64(binary.LittleEndian.Uint32(s))<<32, uint64(at)}
}

// settle copies text into the heap of v by one call and turns the positions that distant headers carry
// into addresses. first is the first row with a distant header: the call overwrites it, and it is restored.
func settle(v duck.Vector, hs []header, first int, text []byte) {
	keep := hs[first]
	duck.UnsafeVectorAssignStringElementLen(v, duck.IdxT(first), text)
	base := hs[first].w1
	hs[first] = keep
	for i := first; i < len(hs); i++ {
		if hs[i].len() > inlineSize {
			hs[i].w1 += base
		}
	}
}

// data views the first n values of a flat vector.
func data[T any](v duck.Vector, n int) []T {
	return unsafe.Slice((*T)(duck.VectorGetData(v)), n)
}

// mask is a validity bitmap: least significant bit first, one bit per row, 1 = valid. A nil mask means
// that every row is valid.
type mask []uint64

func validity(v duck.Vector, n int) mask {
	p := duck.VectorGetValidity(v)
	if p == nil {
		return nil
	}
	return unsafe.Slice((*uint64)(p), (n+63)/64)
}

// writable returns the validity of v, made real.
func writable(v duck.Vector, n int) mask {
	duck.VectorEnsureValidityWritable(v)
	return validity(v, n)
}

func (m mask) ok(i int) bool { return m == nil || m[i>>6]>>(i&63)&1 == 1 }

func (m mask) setNull(i int) { m[i>>6] &^= 1 << (i & 63) }

// bytes views the bitmap as Arrow lays it out.
func (m mask) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), len(m)*8)
}

// and clears the bits that o has cleared.
func (m mask) and(o mask) {
	for i := range o {
		m[i] &= o[i]
	}
}

// nulls calls f for each null row below n.
func (m mask) nulls(n int, f func(i int)) {
	for w := range m {
		x := ^m[w]
		if r := n - w*64; r < 64 {
			x &= 1<<r - 1
		}
		for ; x != 0; x &= x - 1 {
			f(w*64 + bits.TrailingZeros64(x))
		}
	}
}
