package avro

import (
	"encoding/binary"
	"fmt"
	"math"
)

// maxValue bounds one string, bytes or fixed.
const maxValue = 1 << 28

// A cursor reads the values of a record one after the other. After a failure it gives zeros, and nothing is left.
type cursor struct {
	b      []byte
	pos    int
	err    error
	budget int // cells that may yet be made of no bytes, see spend
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
	c.b, c.pos = nil, 0
}

// spend pays for cells that took no bytes of their own: bytes that nobody wrote must not become memory without bound.
func (c *cursor) spend(cells int) {
	if c.budget -= cells; c.budget < 0 {
		c.fail("record makes too many values of too few bytes")
	}
}

func (c *cursor) left() int { return len(c.b) - c.pos }

func (c *cursor) long() int64 {
	if c.pos < len(c.b) {
		if x := c.b[c.pos]; x < 0x80 {
			c.pos++
			return int64(x>>1) ^ -int64(x&1)
		}
	}
	return c.wideLong()
}

func (c *cursor) wideLong() int64 {
	x, n := binary.Uvarint(c.b[c.pos:])
	if n <= 0 {
		c.fail("number is cut short or too long")
		return 0
	}
	c.pos += n
	return int64(x>>1) ^ -int64(x&1)
}

func (c *cursor) int() int32 {
	v := c.long()
	if v != int64(int32(v)) {
		c.fail("%d is not an int", v)
	}
	return int32(v)
}

func (c *cursor) boolean() bool {
	b := c.take(1)
	if b == nil {
		return false
	}
	if b[0] > 1 {
		c.fail("%d is not a boolean", b[0])
	}
	return b[0] == 1
}

func (c *cursor) float() float32 {
	b := c.take(4)
	if b == nil {
		return 0
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b))
}

func (c *cursor) double() float64 {
	b := c.take(8)
	if b == nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// take is the next n bytes, nil when there are fewer.
func (c *cursor) take(n int) []byte {
	if n > c.left() {
		c.fail("value of %d bytes is cut short", n)
		return nil
	}
	c.pos += n
	return c.b[c.pos-n : c.pos : c.pos]
}

func (c *cursor) bytes() []byte {
	n := c.long()
	if n < 0 || n > maxValue || n > int64(c.left()) {
		c.fail("value of %d bytes does not fit into its record", n)
		return nil
	}
	return c.take(int(n))
}

// block starts a block of an array or a map and gives the number of its items; 0 at the end. An item that takes no
// bytes costs cells.
func (c *cursor) block(cells int) int {
	n := c.long()
	if n < 0 {
		n = -n
		c.long()
	}
	if n < 0 || n > int64(c.left()) {
		c.fail("block of %d items does not fit into its record", n)
		return 0
	}
	c.spend(int(n) * cells)
	if c.err != nil {
		return 0
	}
	return int(n)
}

// empty reports whether values of n take no bytes.
func (n *node) empty() bool {
	switch n.kind {
	case kNull:
		return true
	case kFixed:
		return n.size == 0
	case kRecord:
		for _, f := range n.fields {
			if !f.node.empty() {
				return false
			}
		}
		return true
	}
	return false
}

// skip passes over a value of n. It allocates nothing.
func (c *cursor) skip(n *node) {
	switch n.kind {
	case kBoolean:
		c.take(1)
	case kInt, kLong, kEnum:
		c.long()
	case kFloat:
		c.take(4)
	case kDouble:
		c.take(8)
	case kBytes, kString:
		c.bytes()
	case kFixed:
		c.take(n.size)
	case kRecord:
		for i := range n.fields {
			c.skip(n.fields[i].node)
		}
	case kUnion:
		i := c.long()
		if i < 0 || i >= int64(len(n.branches)) {
			c.fail("union has no branch %d", i)
			return
		}
		c.skip(n.branches[i])
	case kArray, kMap:
		c.skipBlocks(n)
	}
}

// skipStep is skip with the choice made beforehand.
func skipStep(n *node) step {
	value, null := n.optional()
	switch {
	case n.kind == kInt || n.kind == kLong:
		return func(c *cursor) { c.long() }
	case n.kind == kString || n.kind == kBytes:
		return func(c *cursor) { c.bytes() }
	case null >= 0:
		value := skipStep(value)
		return func(c *cursor) {
			switch branch := c.long(); branch {
			case int64(null):
			case int64(1 - null):
				value(c)
			default:
				c.fail("union has no branch %d", branch)
			}
		}
	}
	return func(c *cursor) { c.skip(n) }
}

func (c *cursor) skipBlocks(n *node) {
	cells := 0
	if n.kind == kArray && n.elem.empty() {
		cells = 1
	}
	for k := c.block(cells); k > 0; k = c.block(cells) {
		for ; k > 0 && c.err == nil && cells == 0; k-- {
			if n.kind == kMap {
				c.bytes()
			}
			c.skip(n.elem)
		}
	}
}
