package avro

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// from encodes what a column's Value gives.
func from[T any](encode func([]byte, T) []byte) put {
	return func(dst []byte, a arrow.Array, i int) ([]byte, error) {
		column, ok := a.(interface{ Value(int) T })
		if !ok {
			return dst, fmt.Errorf("column is of the Arrow type %s", a.DataType())
		}
		return encode(dst, column.Value(i)), nil
	}
}

// wholeEncoder encodes a column of whole numbers.
func wholeEncoder[T ~int8 | ~int16 | ~int32 | ~int64]() put {
	return from(func(dst []byte, v T) []byte { return binary.AppendVarint(dst, int64(v)) })
}

func leafEncoder(n *node, t types.Type) put {
	switch {
	case types.Text(t) && (n.kind == kString || n.kind == kBytes && n.logical == plain):
		return from(appendString[string])
	case t == types.Binary && n.logical == plain:
		return binaryEncoder(n)
	case t == types.Boolean && n.kind == kBoolean:
		return from(appendBoolean)
	case t == types.Date && n.kind == kInt && n.logical == date:
		return wholeEncoder[arrow.Date32]()
	case t == types.Timestamp, t == types.TimestampNTZ:
		return timestampEncoder(n, t)
	case n.kind == kInt && n.logical == plain, n.kind == kLong && n.logical == plain:
		return integerEncoder(n, t)
	case t == types.Float && n.kind == kFloat:
		return from(func(dst []byte, v float32) []byte { return binary.LittleEndian.AppendUint32(dst, math.Float32bits(v)) })
	case t == types.Float && n.kind == kDouble:
		return from(func(dst []byte, v float32) []byte { return appendDouble(dst, float64(v)) })
	case t == types.Double && n.kind == kDouble:
		return from(appendDouble)
	}
	return nil
}

func appendBoolean(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func appendDouble(dst []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
}

func integerEncoder(n *node, t types.Type) put {
	switch t {
	case types.Byte:
		return wholeEncoder[int8]()
	case types.Short:
		return wholeEncoder[int16]()
	case types.Int:
		return wholeEncoder[int32]()
	}
	if t == types.Long && n.kind == kLong {
		return wholeEncoder[int64]()
	}
	return nil
}

// timestampEncoder rounds down to the milliseconds of a field that has no more.
func timestampEncoder(n *node, t types.Type) put {
	switch {
	case t == types.Timestamp && n.logical == timestampMicros, t == types.TimestampNTZ && n.logical == localMicros:
		return wholeEncoder[arrow.Timestamp]()
	case t == types.Timestamp && n.logical == timestampMillis, t == types.TimestampNTZ && n.logical == localMillis:
		return from(func(dst []byte, v arrow.Timestamp) []byte {
			millis := int64(v) / 1000
			if v%1000 < 0 {
				millis--
			}
			return binary.AppendVarint(dst, millis)
		})
	}
	return nil
}

func binaryEncoder(n *node) put {
	switch n.kind {
	case kBytes:
		return from(appendString[[]byte])
	case kFixed:
		plain := from(func(dst []byte, v []byte) []byte { return append(dst, v...) })
		return func(dst []byte, a arrow.Array, i int) ([]byte, error) {
			start := len(dst)
			dst, err := plain(dst, a, i)
			if err == nil && len(dst)-start != n.size {
				err = fmt.Errorf("%d bytes in a field of %d", len(dst)-start, n.size)
			}
			return dst, err
		}
	}
	return nil
}

func decimalEncoder(n *node, t types.Decimal) put {
	up := n.scale - t.S
	if n.logical != decimal || up < 0 || t.P-t.S > n.precision-n.scale || n.precision > 38 {
		return nil
	}
	return func(dst []byte, a arrow.Array, i int) ([]byte, error) {
		column, ok := a.(*array.Decimal128)
		if !ok || int(column.DataType().(*arrow.Decimal128Type).Scale) != t.S {
			return dst, fmt.Errorf("column is of the Arrow type %s", a.DataType())
		}
		v := column.Value(i)
		if up > 0 {
			v = v.IncreaseScaleBy(int32(up))
		}
		if n.kind == kFixed {
			return appendNumber(dst, v, n.size)
		}
		size := numberSize(v)
		return appendNumber(binary.AppendVarint(dst, int64(size)), v, size)
	}
}

// numberSize is the smallest number of bytes that hold v in two's complement.
func numberSize(v decimal128.Num) int {
	size := 16
	var b [16]byte
	putNumber(&b, v)
	for size > 1 && (b[16-size] == 0 && b[17-size] < 0x80 || b[16-size] == 0xFF && b[17-size] >= 0x80) {
		size--
	}
	return size
}

func putNumber(b *[16]byte, v decimal128.Num) {
	binary.BigEndian.PutUint64(b[:], uint64(v.HighBits()))
	binary.BigEndian.PutUint64(b[8:], v.LowBits())
}

func appendNumber(dst []byte, v decimal128.Num, size int) ([]byte, error) {
	var b [16]byte
	putNumber(&b, v)
	fill := byte(v.HighBits() >> 63)
	for ; size > 16; size-- {
		dst = append(dst, fill)
	}
	for _, x := range b[:16-size] {
		if x != fill {
			return dst, fmt.Errorf("%s does not fit into %d bytes", v.ToString(0), size)
		}
	}
	if size > 0 && size < 16 && b[16-size]&0x80 != fill&0x80 {
		return dst, fmt.Errorf("%s does not fit into %d bytes", v.ToString(0), size)
	}
	return append(dst, b[16-size:]...), nil
}
