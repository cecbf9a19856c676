package duckdb

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// texts makes columns of text that live until the next batch of rows.
type texts struct {
	offs []int32
	data []byte
}

func (t *texts) reset() { t.offs, t.data = t.offs[:0], t.data[:0] }

// numbered fills the NULLs of c with prefix and the number of the row, which is first for the first one.
func (t *texts) numbered(c *array.String, prefix string, first int64) arrow.Array {
	if c.NullN() == 0 {
		c.Retain()
		return c
	}
	begin, from := len(t.offs), len(t.data)
	t.offs = append(t.offs, 0)
	for i := range c.Len() {
		if c.IsValid(i) {
			t.data = append(t.data, c.Value(i)...)
		} else {
			t.data = strconv.AppendInt(append(t.data, prefix...), first+int64(i), 10)
		}
		t.offs = append(t.offs, int32(len(t.data)-from))
	}
	return textArray(t.offs[begin:], t.data[from:])
}

// repeated is a column of n times text.
func repeated(text string, n int) arrow.Array {
	offs, data := make([]int32, 1, n+1), make([]byte, 0, n*len(text))
	for range n {
		data = append(data, text...)
		offs = append(offs, int32(len(data)))
	}
	return textArray(offs, data)
}

func textArray(offs []int32, data []byte) arrow.Array {
	d := array.NewData(arrow.BinaryTypes.String, len(offs)-1,
		[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offs)), memory.NewBufferBytes(data)}, nil, 0, 0)
	defer d.Release()
	return array.MakeFromData(d)
}
