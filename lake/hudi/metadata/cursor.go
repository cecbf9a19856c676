package metadata

import "encoding/binary"

// A cursor reads the values of an Avro record one after the other. After a failure it is bad and gives zeros.
type cursor struct {
	b      []byte
	bad    bool
	budget int // values that may yet be read: those of no bytes must come to an end too
}

// record reads a record: visit reads the value of each field.
func (c *cursor) record(n *node, visit func(name string, n *node)) {
	if n.kind != recordNode {
		c.bad = true
		return
	}
	for i := range n.fields {
		if c.spend(); c.bad {
			return
		}
		visit(n.fields[i].name, n.fields[i].node)
	}
}

func (c *cursor) spend() {
	if c.budget--; c.budget < 0 {
		c.bad = true
	}
}

// optional reads a value that may be in a union with null, and then be null: read is called for any other.
func (c *cursor) optional(n *node, read func(n *node)) {
	if n.kind == unionNode {
		i := c.long()
		if i < 0 || i >= int64(len(n.branches)) {
			c.bad = true
			return
		}
		n = n.branches[i]
	}
	if n.kind != nullNode && !c.bad {
		read(n)
	}
}

// optionalInt is -1 for null.
func (c *cursor) optionalInt(n *node) int64 {
	v := int64(-1)
	c.optional(n, func(n *node) {
		if n.kind != intNode {
			c.bad = true
			return
		}
		v = c.long()
	})
	return v
}

func (c *cursor) flag(n *node) (v bool) {
	c.optional(n, func(n *node) {
		if n.kind != booleanNode {
			c.bad = true
			return
		}
		v = c.fixed(1) == 1
	})
	return v
}

func (c *cursor) text(n *node) (s string) {
	c.optional(n, func(n *node) {
		switch n.kind {
		case bytesNode:
			s = string(c.bytes())
		case fixedNode:
			s = string(c.take(int64(n.size)))
		default:
			c.bad = true
		}
	})
	return s
}

func (c *cursor) long() int64 {
	x, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.bad, c.b = true, nil
		return 0
	}
	c.b = c.b[n:]
	return int64(x>>1) ^ -int64(x&1)
}

func (c *cursor) bytes() []byte { return c.take(c.long()) }

func (c *cursor) take(n int64) []byte {
	if n < 0 || n > int64(len(c.b)) {
		c.bad, c.b = true, nil
		return nil
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

// fixed reads a little-endian number of n bytes.
func (c *cursor) fixed(n int64) uint64 {
	var w [8]byte
	copy(w[:], c.take(n))
	return binary.LittleEndian.Uint64(w[:])
}

// items reads the blocks of an array or a map: read is called for each item.
func (c *cursor) items(read func()) {
	for !c.bad {
		n := c.long()
		if n < 0 {
			n = -n
			c.long()
		}
		if n == 0 {
			return
		}
		for ; n > 0 && !c.bad; n-- {
			c.spend()
			read()
		}
	}
}

func (c *cursor) skip(n *node, depth int) {
	if depth > maxDepth {
		c.bad = true
	}
	if c.spend(); c.bad {
		return
	}
	switch n.kind {
	case booleanNode:
		c.take(1)
	case intNode:
		c.long()
	case floatNode:
		c.take(4)
	case doubleNode:
		c.take(8)
	case bytesNode:
		c.bytes()
	case fixedNode:
		c.take(int64(n.size))
	case recordNode:
		c.record(n, func(_ string, n *node) { c.skip(n, depth+1) })
	case unionNode:
		c.optional(n, func(n *node) { c.skip(n, depth+1) })
	case arrayNode:
		c.items(func() { c.skip(n.elem, depth+1) })
	case mapNode:
		c.items(func() {
			c.bytes()
			c.skip(n.elem, depth+1)
		})
	}
}
