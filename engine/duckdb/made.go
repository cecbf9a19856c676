package duckdb

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/engine"
)

// maker fills a column that is not, or not only, among the rows. Its arrays are valid until the next.
type maker struct {
	kind engine.Made
	text string
	all  arrow.Array // of the longest constant so far
	offs []int32
	data []byte
}

// constant is a column of n times the text.
func (m *maker) constant(n int) arrow.Array {
	if m.all == nil || m.all.Len() < n {
		m.offs, m.data = append(m.offs[:0], 0), m.data[:0]
		for range n {
			m.data = append(m.data, m.text...)
			m.offs = append(m.offs, int32(len(m.data)))
		}
		m.all = m.array()
	}
	return array.NewSlice(m.all, 0, int64(n))
}

// number fills the NULLs of c, whose first row is row number first of the file.
func (m *maker) number(c *array.String, first int64) arrow.Array {
	if c.NullN() == 0 {
		c.Retain()
		return c
	}
	m.offs, m.data = append(m.offs[:0], 0), m.data[:0]
	for i := range c.Len() {
		if c.IsValid(i) {
			m.data = append(m.data, c.Value(i)...)
		} else {
			m.data = strconv.AppendInt(append(m.data, m.text...), first+int64(i), 10)
		}
		m.offs = append(m.offs, int32(len(m.data)))
	}
	return m.array()
}

func (m *maker) array() arrow.Array {
	d := array.NewData(arrow.BinaryTypes.String, len(m.offs)-1,
		[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(m.offs)), memory.NewBufferBytes(m.data)}, nil, 0, 0)
	defer d.Release()
	return array.MakeFromData(d)
}
