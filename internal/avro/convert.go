package avro

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// leafStep decodes a value without parts of the writer's type n into the column b of type t; nil when there is no way.
func leafStep(n *node, t types.Type, b column) step {
	if types.Text(t) {
		return stringStep(n, b)
	}
	switch t {
	case types.Void:
		return func(c *cursor) { c.skip(n); b.AppendNull() }
	case types.Boolean:
		if n.kind == kBoolean {
			return into[bool](b, (*cursor).boolean)
		}
	case types.Binary:
		return binaryStep(n, bytesOf(b))
	case types.Date:
		if n.kind == kInt {
			return into[arrow.Date32](b, func(c *cursor) arrow.Date32 { return arrow.Date32(c.int()) })
		}
	case types.Timestamp, types.TimestampNTZ:
		return timestampStep(n, b)
	case types.Byte, types.Short, types.Int, types.Long:
		return wholeStep(n, t, b)
	case types.Float, types.Double:
		return floatStep(n, t, b)
	}
	if t, ok := t.(types.Decimal); ok {
		return decimalStep(n, t, b)
	}
	return nil
}

// into appends what read gives to a column whose builder takes it.
func into[T any](b column, read func(*cursor) T) step {
	typed := b.(interface{ Append(T) })
	return func(c *cursor) { typed.Append(read(c)) }
}

func wholeStep(n *node, t types.Type, b column) step {
	if n.kind != kInt && (n.kind != kLong || t != types.Long) {
		return nil
	}
	switch t {
	case types.Byte:
		return into[int8](b, func(c *cursor) int8 { return int8(c.within(math.MinInt8, math.MaxInt8)) })
	case types.Short:
		return into[int16](b, func(c *cursor) int16 { return int16(c.within(math.MinInt16, math.MaxInt16)) })
	case types.Int:
		return into[int32](b, (*cursor).int)
	}
	if n.kind == kInt {
		return into[int64](b, func(c *cursor) int64 { return int64(c.int()) })
	}
	return into[int64](b, (*cursor).long)
}

// within is an int from low to high.
func (c *cursor) within(low, high int64) int64 {
	v := c.long()
	if v < low || v > high {
		c.fail("%d is outside of the column's type", v)
	}
	return v
}

func floatStep(n *node, t types.Type, b column) step {
	switch {
	case t == types.Float && n.kind == kFloat:
		return into[float32](b, (*cursor).float)
	case t == types.Float && (n.kind == kInt || n.kind == kLong):
		return into[float32](b, func(c *cursor) float32 { return float32(c.long()) })
	case t == types.Float:
		return nil
	}
	switch n.kind {
	case kInt, kLong:
		return into[float64](b, func(c *cursor) float64 { return float64(c.long()) })
	case kFloat:
		return into[float64](b, func(c *cursor) float64 { return float64(c.float()) })
	case kDouble:
		return into[float64](b, (*cursor).double)
	}
	return nil
}

// timestampStep reads milliseconds where the writer says so or says nothing, as Spark does.
func timestampStep(n *node, b column) step {
	switch {
	case n.kind != kLong:
		return nil
	case n.logical == timestampMicros || n.logical == localMicros:
		return into[arrow.Timestamp](b, func(c *cursor) arrow.Timestamp { return arrow.Timestamp(c.long()) })
	}
	return into[arrow.Timestamp](b, func(c *cursor) arrow.Timestamp {
		return arrow.Timestamp(1000 * c.within(math.MinInt64/1000, math.MaxInt64/1000))
	})
}

func binaryStep(n *node, b byteAppender) step {
	switch {
	case n.kind == kString || n.kind == kBytes && n.logical == plain:
		return func(c *cursor) { b.Append(c.bytes()) }
	case n.kind == kFixed && n.logical == plain:
		return func(c *cursor) { b.Append(c.take(n.size)) }
	}
	return nil
}

// textStep appends a string. Bytes that are not UTF-8 become U+FFFD, as in Java.
func textStep(to column) step {
	b := bytesOf(to)
	return func(c *cursor) {
		v := c.bytes()
		if !utf8.Valid(v) {
			v = []byte(string([]rune(string(v))))
		}
		b.Append(v)
	}
}

func stringStep(n *node, to column) step {
	b := bytesOf(to)
	switch {
	case n.kind == kString || n.kind == kBytes && n.logical == plain:
		return textStep(to)
	case n.kind == kEnum:
		return func(c *cursor) {
			i := c.int()
			if i < 0 || int(i) >= len(n.symbols) {
				c.fail("enum %s has no symbol %d", n.name, i)
				return
			}
			c.spend(len(n.symbols[i]) / cellRatio)
			b.Append([]byte(n.symbols[i]))
		}
	}
	spell := speller(n)
	if spell == nil {
		return nil
	}
	var buf []byte
	return func(c *cursor) {
		buf = spell(c, buf[:0])
		c.spend(len(buf) / cellRatio)
		b.Append(buf)
	}
}

// speller appends the text of a number, a date or a decimal.
func speller(n *node) func(c *cursor, dst []byte) []byte {
	switch {
	case n.logical == decimal:
		read := decimalReader(n)
		return func(c *cursor, dst []byte) []byte { return append(dst, read(c).ToString(int32(n.scale))...) }
	case n.logical == date:
		return func(c *cursor, dst []byte) []byte { return types.AppendDate(dst, int64(c.int())) }
	case n.logical != plain:
		return nil
	}
	switch n.kind {
	case kInt, kLong:
		return func(c *cursor, dst []byte) []byte { return strconv.AppendInt(dst, c.long(), 10) }
	case kFloat:
		return func(c *cursor, dst []byte) []byte { return types.AppendFloat(dst, float64(c.float()), 32) }
	case kDouble:
		return func(c *cursor, dst []byte) []byte { return types.AppendFloat(dst, c.double(), 64) }
	}
	return nil
}

// decimalStep reads a number of fewer digits after the point, or none, into a decimal.
func decimalStep(n *node, t types.Decimal, b column) step {
	scale := n.scale
	var read func(*cursor) decimal128.Num
	switch {
	case n.logical == decimal && n.precision <= 38:
		read = decimalReader(n)
	case n.logical == plain && (n.kind == kInt || n.kind == kLong):
		read = func(c *cursor) decimal128.Num { return decimal128.FromI64(c.long()) }
	}
	if read == nil || scale > t.S {
		return nil
	}
	if scale == t.S {
		return into[decimal128.Num](b, func(c *cursor) decimal128.Num {
			v := read(c)
			if !v.FitsInPrecision(int32(t.P)) {
				c.fail("%s does not fit into %v", v.ToString(int32(scale)), t)
			}
			return v
		})
	}
	return into[decimal128.Num](b, func(c *cursor) decimal128.Num {
		v := read(c)
		if !v.FitsInPrecision(int32(t.P - (t.S - scale))) {
			c.fail("%s does not fit into %v", v.ToString(int32(scale)), t)
			return v
		}
		return v.IncreaseScaleBy(int32(t.S - scale))
	})
}

// decimalReader reads the unscaled number of a decimal.
func decimalReader(n *node) func(*cursor) decimal128.Num {
	if n.kind == kFixed {
		return func(c *cursor) decimal128.Num { return c.number(c.take(n.size)) }
	}
	return func(c *cursor) decimal128.Num { return c.number(c.bytes()) }
}

// number is the big-endian two's complement b, which may be longer than needed.
func (c *cursor) number(b []byte) decimal128.Num {
	sign := uint64(0)
	if len(b) > 0 && b[0] >= 0x80 {
		sign = math.MaxUint64
	}
	for len(b) > 16 {
		if b[0] != byte(sign) || b[1]&0x80 != byte(sign)&0x80 {
			c.fail("decimal has more than 38 digits")
			return decimal128.Num{}
		}
		b = b[1:]
	}
	if len(b) == 16 {
		return decimal128.New(int64(binary.BigEndian.Uint64(b)), binary.BigEndian.Uint64(b[8:]))
	}
	high, low := sign, sign
	for _, x := range b {
		high = high<<8 | low>>56
		low = low<<8 | uint64(x)
	}
	return decimal128.New(int64(high), low)
}
