package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// thrift walks a struct in Thrift's compact protocol. After the first fault all methods return zeroes and err stays.
type thrift struct {
	b   []byte
	pos int
	err error
}

// The types of the compact protocol.
const (
	tStop = iota
	tTrue
	tFalse
	tByte
	tI16
	tI32
	tI64
	tDouble
	tBinary
	tList
	tSet
	tMap
	tStruct
)

// maxThriftDepth bounds nested structs and lists.
const maxThriftDepth = 32

func (r *thrift) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *thrift) byte() byte {
	if r.err == nil && r.pos >= len(r.b) {
		r.err = errors.New("metadata ends early")
	}
	if r.err != nil {
		return 0
	}
	r.pos++
	return r.b[r.pos-1]
}

func (r *thrift) uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.b[r.pos:])
	if n <= 0 {
		r.fail("metadata has a bad number")
		return 0
	}
	r.pos += n
	return v
}

func (r *thrift) int() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// bytes is a string or binary; it shares memory with the input.
func (r *thrift) bytes() []byte {
	n := r.uvarint()
	if r.err == nil && n > uint64(len(r.b)-r.pos) {
		r.fail("metadata has a string of %d bytes, beyond its end", n)
	}
	if r.err != nil {
		return nil
	}
	r.pos += int(n)
	return r.b[r.pos-int(n) : r.pos]
}

// list is the head of a list: its length, at most one element a byte, and the type of its elements.
func (r *thrift) list() (n int, elem byte) {
	head := r.byte()
	n, elem = int(head>>4), head&15
	if n == 15 {
		long := r.uvarint()
		if long > uint64(len(r.b)) {
			r.fail("metadata has a list of %d elements, beyond its end", long)
			return 0, 0
		}
		n = int(long)
	}
	if n > len(r.b)-r.pos {
		r.fail("metadata has a list of %d elements, beyond its end", n)
	}
	if r.err != nil {
		return 0, 0
	}
	return n, elem
}

// fields calls f for each field of a struct. f must read the field's value or skip it.
func (r *thrift) fields(f func(id int16, kind byte)) {
	id := int16(0)
	for r.err == nil {
		head := r.byte()
		kind := head & 15
		if kind == tStop {
			return
		}
		if delta := head >> 4; delta != 0 {
			id += int16(delta)
		} else {
			id = int16(r.int())
		}
		f(id, kind)
	}
}

// want skips and refuses a value of another type than expected.
func (r *thrift) want(kind, expected byte) bool {
	if kind != expected {
		r.fail("metadata has a field of type %d, where %d belongs", kind, expected)
	}
	return r.err == nil
}

// skip passes over a value.
func (r *thrift) skip(kind byte, depth int) {
	if depth > maxThriftDepth {
		r.fail("metadata is nested too deeply")
	}
	if r.err != nil {
		return
	}
	switch kind {
	case tTrue, tFalse:
	case tByte:
		r.byte()
	case tI16, tI32, tI64:
		r.uvarint()
	case tDouble:
		for range 8 {
			r.byte()
		}
	case tBinary:
		r.bytes()
	case tList, tSet:
		n, elem := r.list()
		for range n {
			r.skipElement(elem, depth+1)
		}
	case tMap:
		r.skipMap(depth)
	case tStruct:
		r.fields(func(_ int16, kind byte) { r.skip(kind, depth+1) })
	default:
		r.fail("metadata has the unknown type %d", kind)
	}
}

// skipElement is skip inside lists and maps, where a truth value takes a byte.
func (r *thrift) skipElement(kind byte, depth int) {
	if kind == tTrue || kind == tFalse {
		kind = tByte
	}
	r.skip(kind, depth)
}

func (r *thrift) skipMap(depth int) {
	n := r.uvarint()
	if n == 0 {
		return
	}
	if n > uint64(len(r.b)) {
		r.fail("metadata has a map of %d entries, beyond its end", n)
	}
	kinds := r.byte()
	for i := uint64(0); i < n && r.err == nil; i++ {
		r.skipElement(kinds>>4, depth+1)
		r.skipElement(kinds&15, depth+1)
	}
}
