package duckdb

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/bitutil"
	duck "github.com/duckdb/duckdb-go-bindings"
)

var (
	errTooBig   = errors.New("duckdb: more than 2 GiB in one batch of a column")
	errInterval = errors.New("duckdb: interval out of range for nanoseconds")
	errNotNull  = errors.New("duckdb: the engine gives a value where the plan says void")
)

// addValid takes over the validity of rows [off, off+n) and returns the vector's mask, nil when all of
// these rows are valid. Values of null rows are garbage in DuckDB, string pointers too, and must not be
// read.
func (c *column) addValid(v duck.Vector, off, n int) mask {
	m := validity(v, off+n)
	set := n
	if m != nil {
		set = bitutil.CountSetBits(m.bytes(), off, n)
	}
	if set == n && c.valid == nil {
		c.n += n
		return nil
	}
	need := int(bitutil.BytesForBits(int64(max(c.n+n, c.want))))
	if c.valid == nil {
		c.valid = c.pool.zero(need)
		bitutil.SetBitsTo(c.valid, 0, int64(c.n), true)
	} else {
		c.valid = c.pool.extend(c.valid, need)
	}
	if m == nil {
		bitutil.SetBitsTo(c.valid, int64(c.n), int64(n), true)
	} else {
		bitutil.CopyBitmap(m.bytes(), off, n, c.valid, c.n)
	}
	c.n += n
	c.nulls += n - set
	if set == n {
		return nil
	}
	return m
}

func addNull(c *column, v duck.Vector, off, n int) error {
	if m := validity(v, off+n); n > 0 && m != nil && bitutil.CountSetBits(m.bytes(), off, n) > 0 ||
		n > 0 && m == nil {
		return errNotNull
	}
	c.n += n
	return nil
}

func addFixed(c *column, v duck.Vector, off, n int) error {
	c.addValid(v, off, n)
	c.data = append(c.data, data[byte](v, (off+n)*c.width)[off*c.width:]...)
	return nil
}

func addBool(c *column, v duck.Vector, off, n int) error {
	at := c.n
	c.addValid(v, off, n)
	c.data = c.pool.extend(c.data, int(bitutil.BytesForBits(int64(at+n))))
	for i, b := range data[byte](v, off+n)[off:] {
		if b != 0 {
			c.data[(at+i)>>3] |= 1 << ((at + i) & 7)
		}
	}
	return nil
}

func addDecimal[T int16 | int32 | int64](c *column, v duck.Vector, off, n int) error {
	c.addValid(v, off, n)
	for _, x := range data[T](v, off+n)[off:] {
		c.data = binary.LittleEndian.AppendUint64(c.data, uint64(int64(x)))
		c.data = binary.LittleEndian.AppendUint64(c.data, uint64(int64(x)>>63))
	}
	return nil
}

// addInterval turns microseconds into Arrow's nanoseconds; months and days share their place.
func addInterval(c *column, v duck.Vector, off, n int) error {
	m := c.addValid(v, off, n)
	for i, x := range data[[2]uint64](v, off+n)[off:] {
		micros := int64(x[1])
		if m.ok(off+i) && (micros > math.MaxInt64/1000 || micros < math.MinInt64/1000) {
			return errInterval
		}
		c.data = binary.LittleEndian.AppendUint64(c.data, x[0])
		c.data = binary.LittleEndian.AppendUint64(c.data, uint64(micros*1000))
	}
	return nil
}

func addString(c *column, v duck.Vector, off, n int) error {
	m := c.addValid(v, off, n)
	hs := data[header](v, off+n)[off:]
	total := 0
	for i := range hs {
		if m.ok(off + i) {
			total += hs[i].len()
		}
	}
	pos := len(c.data)
	if pos+total > math.MaxInt32 {
		return errTooBig
	}
	// Room for a whole 12-byte store past the end: short texts are written by two stores.
	c.data = slices.Grow(c.data, total+16)
	dst := c.data[:pos+total+16]
	o := len(c.offsets())
	c.offs = slices.Grow(c.offs, n)[:o+n]
	offs := c.offs[o:]
	for i := range offs {
		h := &hs[i]
		if m.ok(off + i) {
			if l := h.len(); l <= inlineSize {
				d := dst[pos : pos+12 : len(dst)]
				binary.LittleEndian.PutUint32(d, uint32(h.w0>>32))
				binary.LittleEndian.PutUint64(d[4:], h.w1)
				pos += l
			} else {
				pos += copy(dst[pos:], h.bytes())
			}
		}
		offs[i] = int32(pos)
	}
	c.data = dst[:pos]
	return nil
}

// addText appends one short text per row.
func (c *column) addText(n int, text func(i int, b []byte) []byte) error {
	offs := c.offsets()
	for i := range n {
		c.data = text(i, c.data)
		offs = append(offs, int32(len(c.data)))
	}
	c.offs = offs
	if len(c.data) > math.MaxInt32 {
		return errTooBig
	}
	return nil
}

func addUUID(c *column, v duck.Vector, off, n int) error {
	m := c.addValid(v, off, n)
	us := data[header](v, off+n)[off:]
	return c.addText(n, func(i int, b []byte) []byte {
		if !m.ok(off + i) {
			return b
		}
		var raw [16]byte // stored as a 128-bit integer with the top bit flipped
		binary.BigEndian.PutUint64(raw[:], us[i].w1^1<<63)
		binary.BigEndian.PutUint64(raw[8:], us[i].w0)
		at := 0
		for _, k := range [...]int{4, 6, 8, 10, 16} {
			if at > 0 {
				b = append(b, '-')
			}
			b = hex.AppendEncode(b, raw[at:k])
			at = k
		}
		return b
	})
}

func addEnum[T uint8 | uint16 | uint32](c *column, v duck.Vector, off, n int) error {
	m := c.addValid(v, off, n)
	xs := data[T](v, off+n)[off:]
	return c.addText(n, func(i int, b []byte) []byte {
		if !m.ok(off + i) {
			return b
		}
		return append(b, c.dict[xs[i]]...)
	})
}

func addStruct(c *column, v duck.Vector, off, n int) error {
	c.addValid(v, off, n)
	for i, k := range c.kids {
		if err := k.append(duck.StructVectorGetChild(v, duck.IdxT(i)), off, n); err != nil {
			return err
		}
	}
	return nil
}

func addArray(c *column, v duck.Vector, off, n int) error {
	c.addValid(v, off, n)
	return c.kids[0].append(duck.ArrayVectorGetChild(v), off*c.size, n*c.size)
}

// addList copies the child values of the rows. Entries may lie anywhere in the child vector; runs that
// follow one another, the usual case, are copied at once.
func addList(c *column, v duck.Vector, off, n int) error {
	m := c.addValid(v, off, n)
	es := data[[2]uint64](v, off+n)[off:]
	kid, kv := c.kids[0], duck.ListVectorGetChild(v)
	offs := c.offsets()
	pos, from, to := kid.n, 0, 0
	for i := range es {
		if m.ok(off + i) {
			s, l := int(es[i][0]), int(es[i][1])
			if l > 0 && s != to {
				if err := kid.append(kv, from, to-from); err != nil {
					return err
				}
				from, to = s, s
			}
			to += l
			pos += l
		}
		offs = append(offs, int32(pos))
	}
	c.offs = offs
	if pos > math.MaxInt32 {
		return errTooBig
	}
	return kid.append(kv, from, to-from)
}
