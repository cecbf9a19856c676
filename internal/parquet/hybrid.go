package parquet

import (
	"encoding/binary"
	"math/bits"
)

// hybrid encodes small numbers as runs and bit-packed groups of eight, Parquet's RLE. The caller sets width before the
// first number.
//
//	run     varint(length << 1), then the number in as few bytes as width needs
//	groups  varint(groups << 1 | 1), then width bytes per group
type hybrid struct {
	width  int
	out    []byte
	prev   uint32
	repeat int // how often prev came in a row; from 8 on the numbers are a run
	buf    [8]uint32
	n      int // numbers in buf
	head   int // place of the header of the groups under way, plus 1
	groups int
}

func (h *hybrid) reset(width int) { *h = hybrid{width: width, out: h.out[:0]} }

// put appends v n times.
func (h *hybrid) put(v uint32, n int) {
	for n > 0 {
		if v == h.prev {
			if h.repeat >= 8 {
				h.repeat += n
				return
			}
			h.repeat++
			if h.repeat == 8 && h.n == 7 {
				n--
				continue
			}
		} else {
			if h.repeat >= 8 {
				h.run()
			}
			h.prev, h.repeat = v, 1
		}
		h.buf[h.n] = v
		if h.n++; h.n == 8 {
			h.group()
			h.n, h.repeat = 0, 0
		}
		n--
	}
}

// run ends a run of prev.
func (h *hybrid) run() {
	h.endGroups()
	h.out = binary.AppendUvarint(h.out, uint64(h.repeat)<<1)
	for i := 0; i < h.width; i += 8 {
		h.out = append(h.out, byte(h.prev>>i))
	}
	h.repeat, h.n = 0, 0
}

// group appends buf as a bit-packed group.
func (h *hybrid) group() {
	if h.head == 0 {
		h.out = append(h.out, 0)
		h.head = len(h.out)
	}
	h.out = pack8(h.out, &h.buf, h.width)
	if h.groups++; h.groups == 63 { // more would take a second byte
		h.endGroups()
	}
}

func (h *hybrid) endGroups() {
	if h.head > 0 {
		h.out[h.head-1] = byte(h.groups<<1 | 1)
		h.head, h.groups = 0, 0
	}
}

// finish gives what was appended. The encoder must be reset before it is used again.
func (h *hybrid) finish() []byte {
	if h.repeat >= 8 {
		h.run()
	} else if h.n > 0 {
		clear(h.buf[h.n:])
		h.group()
	}
	h.endGroups()
	return h.out
}

// all appends vs to a fresh encoder.
func (h *hybrid) all(vs []uint32) {
	for len(vs) >= 8 {
		g := (*[8]uint32)(vs)
		v := g[0]
		if g[1] == v && g[2] == v && g[3] == v && g[4] == v && g[5] == v && g[6] == v && g[7] == v {
			n := 8
			for n < len(vs) && vs[n] == v {
				n++
			}
			h.prev, h.repeat = v, n
			h.run()
			vs = vs[n:]
			continue
		}
		h.buf = *g
		h.group()
		vs = vs[8:]
	}
	for _, v := range vs {
		h.put(v, 1)
	}
}

// pack8 appends eight numbers of width bits, the first in the lowest bits.
func pack8(b []byte, vs *[8]uint32, width int) []byte {
	var acc uint64
	have := 0
	for _, v := range vs {
		acc |= uint64(v) << have
		if have += width; have >= 32 {
			b = binary.LittleEndian.AppendUint32(b, uint32(acc))
			acc >>= 32
			have -= 32
		}
	}
	for ; have > 0; have -= 8 {
		b = append(b, byte(acc))
		acc >>= 8
	}
	return b
}

// bitWidth is the number of bits that v takes.
func bitWidth(v int) int { return bits.Len(uint(v)) }
