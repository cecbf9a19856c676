package bloom

import (
	"encoding/binary"
)

const (
	mix   = 0x5bd1e995
	lanes = 4
	// Keys up to this length are hashed several at a time.
	maxLane  = 64
	maxWords = maxLane / 4
)

// murmur2 is Hadoop's MurmurHash: words are little-endian, and of the last one to three bytes, which are signed, the first
// goes to the highest place.
func murmur2(key []byte, seed uint32) uint32 {
	h := seed ^ uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		h = h*mix ^ word(key)
	}
	if len(key) > 0 {
		h = (h ^ tail(key)) * mix
	}
	return finish(h)
}

// word is what the next four bytes of a key do to the hash. It does not depend on the seed.
func word(key []byte) uint32 {
	k := binary.LittleEndian.Uint32(key) * mix
	return (k ^ k>>24) * mix
}

func tail(key []byte) (t uint32) {
	for i, b := range key {
		t ^= uint32(int32(int8(b))) << (8 * (len(key) - 1 - i))
	}
	return t
}

// A queue collects keys of one length to hash several of them at a time: the hashes of one key wait for each other,
// those of different keys do not.
type queue struct {
	n [maxLane + 1]uint8
	k [maxLane + 1][lanes]queued
}

type queued struct {
	key []byte
	row []uint64
}

func (q *queue) put(f *Filter, row []uint64, key []byte) {
	if len(key) > maxLane {
		f.set(row, key)
		return
	}
	n := q.n[len(key)]
	q.k[len(key)][n] = queued{key, row}
	if n++; n == lanes {
		f.setLanes(&q.k[len(key)])
		n = 0
	}
	q.n[len(key)] = n
}

func (q *queue) flush(f *Filter) {
	for i, n := range q.n {
		for _, k := range q.k[i][:n] {
			f.set(k.row, k.key)
		}
	}
}

func (f *Filter) set(row []uint64, key []byte) {
	var h uint32
	for range f.hashes {
		h = murmur2(key, h)
		b := f.bit(h)
		row[b>>6] |= 1 << (b & 63)
	}
}

// setLanes is set of keys of one length.
func (f *Filter) setLanes(q *[lanes]queued) {
	var (
		words [maxWords][lanes]uint32
		t     [lanes]uint32
	)
	length := len(q[0].key)
	n := length / 4
	for l := range q {
		key := q[l].key
		for i := range n {
			words[i][l] = word(key[4*i:])
		}
		t[l] = tail(key[4*n:])
	}
	w := words[:n]
	r0, r1, r2, r3 := q[0].row, q[1].row, q[2].row, q[3].row
	magic, size := f.magic, f.size
	var h0, h1, h2, h3 uint32
	for range f.hashes {
		h0, h1, h2, h3 = h0^uint32(length), h1^uint32(length), h2^uint32(length), h3^uint32(length)
		for i := range w {
			h0 = h0*mix ^ w[i][0]
			h1 = h1*mix ^ w[i][1]
			h2 = h2*mix ^ w[i][2]
			h3 = h3*mix ^ w[i][3]
		}
		if length&3 != 0 {
			h0, h1, h2, h3 = (h0^t[0])*mix, (h1^t[1])*mix, (h2^t[2])*mix, (h3^t[3])*mix
		}
		h0, h1, h2, h3 = finish(h0), finish(h1), finish(h2), finish(h3)
		b0, b1, b2, b3 := remainder(h0, magic, size), remainder(h1, magic, size), remainder(h2, magic, size), remainder(h3, magic, size)
		r0[b0>>6] |= 1 << (b0 & 63)
		r1[b1>>6] |= 1 << (b1 & 63)
		r2[b2>>6] |= 1 << (b2 & 63)
		r3[b3>>6] |= 1 << (b3 & 63)
	}
}

func finish(h uint32) uint32 {
	h ^= h >> 13
	h *= mix
	return h ^ h>>15
}
