package avro

import (
	"bytes"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/types"
)

// A column takes decoded values. An [array.Builder] is one, and [texts].
type column interface {
	Reserve(int)
	AppendNull()
	NewArray() arrow.Array
}

// newColumn is an empty column for values of t.
func newColumn(t types.Type) column {
	if types.Text(t) || t == types.Binary {
		return &texts{t: types.Arrow(t).(arrow.BinaryDataType)}
	}
	return array.NewBuilder(memory.DefaultAllocator, types.Arrow(t))
}

// texts is a column of strings or binaries. Rows of Hudi are mostly strings, and this takes a third of the time of
// Arrow's builder.
type texts struct {
	t       arrow.BinaryDataType
	offsets []int32 // 0, then where each value ends; nothing when there are none
	data    []byte
	valid   []byte // a bit for each value; nil as long as there is no NULL
	nulls   int
	expect  int // values that are to come, as far as known
}

// Reserve says that n values are to come.
func (c *texts) Reserve(n int) {
	c.expect = c.len() + n
	c.offsets = slices.Grow(c.offsets, n+1)
}

func (c *texts) len() int { return max(len(c.offsets)-1, 0) }

func (c *texts) Append(v []byte) {
	if len(c.data)+len(v) > cap(c.data) {
		c.grow(len(v))
	}
	c.data = append(c.data, v...)
	c.end(true)
}

// grow makes room for n bytes, and for what is to come if it is like what came: but not for much more than is there, as
// those who say how much is to come need not be right.
func (c *texts) grow(n int) {
	size := 2 * len(c.data)
	if rows := c.len(); rows > 0 && c.expect > rows {
		size = min(len(c.data)/rows*(c.expect+c.expect/16), 8*len(c.data))
	}
	c.data = slices.Grow(c.data, max(size-len(c.data), n, 64))
}

func (c *texts) AppendNull() {
	if c.valid == nil {
		c.valid = bytes.Repeat([]byte{math.MaxUint8}, c.len()/8+1)
	}
	c.nulls++
	c.end(false)
}

func (c *texts) end(valid bool) {
	if len(c.offsets) == 0 {
		c.offsets = append(c.offsets, 0)
	}
	if c.valid != nil {
		i := c.len()
		if i/8 == len(c.valid) {
			c.valid = append(c.valid, math.MaxUint8)
		}
		if !valid {
			c.valid[i/8] &^= 1 << (i % 8)
		}
	}
	c.offsets = append(c.offsets, int32(len(c.data)))
}

// NewArray is the values so far. The column is empty afterwards.
func (c *texts) NewArray() arrow.Array {
	if len(c.offsets) == 0 {
		c.offsets = []int32{0}
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(c.offsets)), memory.NewBufferBytes(c.data)}
	if c.valid != nil {
		buffers[0] = memory.NewBufferBytes(c.valid)
	}
	out := array.MakeFromData(array.NewData(c.t, c.len(), buffers, nil, c.nulls, 0))
	*c = texts{t: c.t}
	return out
}

// byteAppender is how a column takes bytes.
type byteAppender interface{ Append([]byte) }

func bytesOf(c column) byteAppender {
	if b, ok := c.(*array.StringBuilder); ok {
		return b.BinaryBuilder
	}
	return c.(byteAppender)
}
