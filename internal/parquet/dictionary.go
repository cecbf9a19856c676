package parquet

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// dictionary numbers the different values of a chunk in the order in which they come.
type dictionary struct {
	width  int    // bytes of a value; 0: texts, which stand after their lengths
	values []byte // PLAIN
	starts []uint32
	table  []uint32 // open addressing: number + 1
	seed   maphash.Seed
	closed bool // no more values are coded
}

const (
	dictBytes  = 1 << 20
	dictValues = 1 << 15
)

func newDictionary(width int) *dictionary {
	return &dictionary{width: width, table: make([]uint32, 64), seed: maphash.MakeSeed()}
}

func (d *dictionary) reset() {
	clear(d.table)
	d.values, d.starts, d.closed = d.values[:0], d.starts[:0], false
}

func (d *dictionary) len() int { return len(d.starts) }

// full reports whether the dictionary has become too large.
func (d *dictionary) full() bool { return len(d.values) > dictBytes || len(d.starts) > dictValues }

// code appends the numbers of values, which are in PLAIN form.
func (d *dictionary) code(out []uint32, values []byte) []uint32 {
	switch d.width {
	case 4:
		return d.words(out, cast[uint32](values))
	case 8:
		return d.longs(out, cast[uint64](values))
	}
	size := d.entry(values)
	if len(values) > size && len(values)%size == 0 && bytes.Equal(values[size:], values[:len(values)-size]) {
		return fillNumber(out, d.find(values[:size]), len(values)/size)
	}
	var last []byte
	number := uint32(0)
	for len(values) > 0 {
		size := d.entry(values)
		if v := values[:size]; !bytes.Equal(v, last) {
			last, number = v, d.find(v)
		}
		out = append(out, number)
		values = values[size:]
	}
	return out
}

// entry is the length of the first of values.
func (d *dictionary) entry(values []byte) int {
	if d.width > 0 {
		return d.width
	}
	return 4 + int(binary.LittleEndian.Uint32(values))
}

// fillNumber appends n times v.
func fillNumber(out []uint32, v uint32, n int) []uint32 {
	was := len(out)
	out = slices.Grow(out, n)[:was+n]
	for i := range out[was:] {
		out[was+i] = v
	}
	return out
}

// find gives the number of v, a new one if need be.
func (d *dictionary) find(v []byte) uint32 {
	mask := uint64(len(d.table) - 1)
	for at := maphash.Bytes(d.seed, v) & mask; ; at = (at + 1) & mask {
		n := d.table[at]
		if n == 0 {
			return d.insert(at, v)
		}
		if start := d.starts[n-1]; int(start)+len(v) <= len(d.values) && string(d.values[start:int(start)+len(v)]) == string(v) {
			return n - 1
		}
	}
}

// insert numbers a new value at a free slot.
func (d *dictionary) insert(at uint64, v []byte) uint32 {
	d.starts = append(d.starts, uint32(len(d.values)))
	d.values = append(d.values, v...)
	d.table[at] = uint32(len(d.starts))
	if 2*len(d.starts) > len(d.table) {
		d.rehash()
	}
	return uint32(len(d.starts) - 1)
}

func (d *dictionary) rehash() {
	d.table = make([]uint32, 4*len(d.table))
	mask := uint64(len(d.table) - 1)
	for i, start := range d.starts {
		v := d.values[start : int(start)+d.entry(d.values[start:])]
		at := d.hash(v) & mask
		for d.table[at] != 0 {
			at = (at + 1) & mask
		}
		d.table[at] = uint32(i + 1)
	}
}

func (d *dictionary) hash(v []byte) uint64 {
	switch d.width {
	case 4:
		return mix(uint64(binary.LittleEndian.Uint32(v)))
	case 8:
		return mix(binary.LittleEndian.Uint64(v))
	}
	return maphash.Bytes(d.seed, v)
}

// mix is a multiplicative hash whose low bits depend on all bits of v.
func mix(v uint64) uint64 {
	v *= 0x9e3779b97f4a7c15
	return v ^ v>>32
}

func (d *dictionary) words(out []uint32, vs []uint32) []uint32 {
	for _, v := range vs {
		mask := uint64(len(d.table) - 1)
		at := mix(uint64(v)) & mask
		for {
			n := d.table[at]
			if n == 0 {
				n = d.insert(at, le32(v)) + 1
			} else if binary.LittleEndian.Uint32(d.values[4*(n-1):]) != v {
				at = (at + 1) & mask
				continue
			}
			out = append(out, n-1)
			break
		}
	}
	return out
}

func (d *dictionary) longs(out []uint32, vs []uint64) []uint32 {
	for _, v := range vs {
		mask := uint64(len(d.table) - 1)
		at := mix(v) & mask
		for {
			n := d.table[at]
			if n == 0 {
				n = d.insert(at, le64(v)) + 1
			} else if binary.LittleEndian.Uint64(d.values[8*(n-1):]) != v {
				at = (at + 1) & mask
				continue
			}
			out = append(out, n-1)
			break
		}
	}
	return out
}

// decode appends the values of numbers.
func (d *dictionary) decode(out []byte, numbers []uint32) []byte {
	for _, n := range numbers {
		start := d.starts[n]
		out = append(out, d.values[start:int(start)+d.entry(d.values[start:])]...)
	}
	return out
}
