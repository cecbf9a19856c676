package parquet

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// cells are the places of a column's values, from the rows down to one node of the schema: where the value is in its array, or
// -1 where something on the way was NULL or empty, and the levels that it was reached with.
type cells struct {
	at       []int32
	rep, def []byte
}

func (c *cells) reset() { c.at, c.rep, c.def = c.at[:0], c.rep[:0], c.def[:0] }

func (c *cells) add(at int32, rep, def byte) {
	c.at, c.rep, c.def = append(c.at, at), append(c.rep, rep), append(c.def, def)
}

// walker splits rows of nested columns into the levels and values of their leaves. Its buffers are used again.
type walker struct {
	free []*cells
}

func (w *walker) get() *cells {
	if n := len(w.free); n > 0 {
		c := w.free[n-1]
		w.free = w.free[:n-1]
		c.reset()
		return c
	}
	return new(cells)
}

func (w *walker) put(c *cells) { w.free = append(w.free, c) }

// rows appends rows [off, off+n) of the column n.
func (w *walker) rows(n *node, a arrow.Array, off, count int) error {
	if n.leaf != nil {
		return n.leaf.flat(n, a, off, count)
	}
	c := w.get()
	defer w.put(c)
	for i := range count {
		c.add(int32(off+i), 0, 0)
	}
	return w.node(n, a, c)
}

// node appends the cells c of node n, whose values are in a.
func (w *walker) node(n *node, a arrow.Array, c *cells) error {
	here := w.get()
	defer w.put(here)
	if err := n.present(a, c, here); err != nil {
		return err
	}
	switch n.kind {
	case nodeLeaf:
		return n.leaf.nested(a, here)
	case nodeStruct:
		s, ok := a.(*array.Struct)
		if !ok || s.NumField() != len(n.kids) {
			return fmt.Errorf("column %s: %v does not hold %v", n.path, a.DataType(), n.typ)
		}
		for i, k := range n.kids {
			if err := w.node(k, s.Field(i), here); err != nil {
				return err
			}
		}
		return nil
	}
	return w.elements(n, a, here)
}

// present copies c to here and marks the NULLs of a.
func (n *node) present(a arrow.Array, c, here *cells) error {
	here.at, here.rep, here.def = append(here.at, c.at...), append(here.rep, c.rep...), append(here.def, c.def...)
	nulls := a.NullN() > 0
	if !n.optional && !nulls {
		return nil
	}
	for i, at := range here.at {
		switch {
		case at < 0:
		case nulls && a.IsNull(int(at)):
			if !n.optional {
				return fmt.Errorf("column %s: a NULL where the file may have none", n.path)
			}
			here.at[i] = -1
		case n.optional:
			here.def[i]++
		}
	}
	return nil
}

// elements appends the elements of the lists or maps at c.
func (w *walker) elements(n *node, a arrow.Array, c *cells) error {
	l, ok := a.(array.ListLike)
	if !ok {
		return fmt.Errorf("column %s: %v does not hold %v", n.path, a.DataType(), n.typ)
	}
	in := w.get()
	defer w.put(in)
	level := byte(n.kids[0].rep)
	for i, at := range c.at {
		if at < 0 {
			in.add(-1, c.rep[i], c.def[i])
			continue
		}
		from, to := l.ValueOffsets(int(at))
		if from == to {
			in.add(-1, c.rep[i], c.def[i])
			continue
		}
		in.add(int32(from), c.rep[i], c.def[i]+1)
		for k := from + 1; k < to; k++ {
			in.add(int32(k), level, c.def[i]+1)
		}
	}
	if n.kind == nodeList {
		return w.node(n.kids[0], l.ListValues(), in)
	}
	m, ok := a.(*array.Map)
	if !ok {
		return fmt.Errorf("column %s: %v does not hold %v", n.path, a.DataType(), n.typ)
	}
	if err := w.node(n.kids[0], m.Keys(), in); err != nil {
		return err
	}
	return w.node(n.kids[1], m.Items(), in)
}

// nested appends the cells of a leaf below lists or structs.
func (l *leafWriter) nested(a arrow.Array, c *cells) error {
	if l.maxRep > 0 {
		for _, r := range c.rep {
			l.rep.put(uint32(r), 1)
		}
	}
	if l.maxDef > 0 {
		for _, d := range c.def {
			l.def.put(uint32(d), 1)
		}
	}
	l.spans = l.spans[:0]
	n := 0
	for _, at := range c.at {
		if at < 0 {
			continue
		}
		n++
		if k := len(l.spans) - 1; k >= 0 && l.spans[k].from+l.spans[k].n == int(at) {
			l.spans[k].n++
		} else {
			l.spans = append(l.spans, span{int(at), 1})
		}
	}
	return l.append(a, len(c.at), n)
}

// flat appends rows of a column that is a leaf.
func (l *leafWriter) flat(n *node, a arrow.Array, off, count int) error {
	l.spans = l.spans[:0]
	if a.NullN() == 0 {
		if n.optional {
			l.def.put(1, count)
		}
		l.spans = append(l.spans, span{off, count})
		return l.append(a, count, count)
	}
	bits, base := a.NullBitmapBytes(), a.Data().Offset()
	set := func(i int) bool { return bits == nil || bits[(base+i)>>3]>>((base+i)&7)&1 != 0 }
	values := 0
	if a.DataType().ID() == arrow.NULL {
		set = func(int) bool { return false }
	}
	for i := off; i < off+count; {
		k := i + 1
		there := set(i)
		for k < off+count && set(k) == there {
			k++
		}
		if there {
			l.spans = append(l.spans, span{i, k - i})
			l.def.put(1, k-i)
			values += k - i
		} else {
			if !n.optional {
				return fmt.Errorf("column %s: a NULL where the file may have none", n.path)
			}
			l.def.put(0, k-i)
		}
		i = k
	}
	return l.append(a, count, values)
}
