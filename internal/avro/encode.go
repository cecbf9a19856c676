package avro

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// An Encoder makes records of a schema from rows of Arrow columns, whose types are those of [types.Arrow]. It holds no
// state between rows, and is safe for concurrent use.
type Encoder struct{ fields []fieldEncoder }

type fieldEncoder struct {
	name   string
	column int // -1: none, always null
	put    put
}

// put appends the value of row i of a column.
type put func(dst []byte, a arrow.Array, i int) ([]byte, error)

var errNull = errors.New("NULL in a field that cannot be null")

// NewEncoder prepares the encoding of columns, which are the fields of the schema by name, in any order. A field without
// a column is null, and must be allowed to be. It is an error for a column that the schema lacks, and for one whose
// values its field cannot hold without loss.
func NewEncoder(schema *Schema, columns []types.Field) (*Encoder, error) {
	if schema.root.kind != kRecord {
		return nil, fmt.Errorf("avro: %v has no fields", schema.root)
	}
	fields, err := encodeFields(schema.root, columns)
	if err != nil {
		return nil, fmt.Errorf("avro: %w", err)
	}
	return &Encoder{fields}, nil
}

// Append appends the record of one row to dst. The columns are those that [NewEncoder] was told of.
func (e *Encoder) Append(dst []byte, columns []arrow.Array, row int) ([]byte, error) {
	dst, err := appendFields(dst, e.fields, row, func(i int) arrow.Array { return columns[i] })
	if err != nil {
		return dst, fmt.Errorf("avro: %w", err)
	}
	return dst, nil
}

func appendFields(dst []byte, fields []fieldEncoder, row int, column func(int) arrow.Array) ([]byte, error) {
	for i := range fields {
		f := &fields[i]
		var a arrow.Array
		if f.column >= 0 {
			a = column(f.column)
		}
		var err error
		if dst, err = f.put(dst, a, row); err != nil {
			return dst, fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	return dst, nil
}

func encodeFields(n *node, columns []types.Field) ([]fieldEncoder, error) {
	for _, c := range columns {
		if n.field(c.Name) < 0 {
			return nil, fmt.Errorf("record %s has no field %s", n.name, c.Name)
		}
	}
	var out []fieldEncoder
	for _, f := range n.fields {
		e := fieldEncoder{name: f.name, column: -1}
		for i, c := range columns {
			if c.Name == f.name {
				e.column = i
			}
		}
		t := types.Type(types.Void)
		if e.column >= 0 {
			t = columns[e.column].Type
		}
		var err error
		if e.put, err = encoderOf(f.node, t); err != nil {
			return nil, fmt.Errorf("field %s: %w", f.name, err)
		}
		out = append(out, e)
	}
	return out, nil
}

// encoderOf encodes a value that may be NULL.
func encoderOf(n *node, t types.Type) (put, error) {
	n, null := n.optional()
	if t == types.Void || n.kind == kNull {
		return encodeNull(n, null, t)
	}
	value, err := valueEncoder(n, t)
	if err != nil {
		return nil, err
	}
	if null < 0 {
		return func(dst []byte, a arrow.Array, i int) ([]byte, error) {
			if a.IsNull(i) {
				return dst, errNull
			}
			return value(dst, a, i)
		}, nil
	}
	isNull, isValue := byte(2*null), byte(2-2*null)
	return func(dst []byte, a arrow.Array, i int) ([]byte, error) {
		if a.IsNull(i) {
			return append(dst, isNull), nil
		}
		return value(append(dst, isValue), a, i)
	}, nil
}

func encodeNull(n *node, null int, t types.Type) (put, error) {
	switch {
	case t != types.Void:
		return nil, fmt.Errorf("%v cannot be written as null", t)
	case n.kind == kNull:
		return func(dst []byte, _ arrow.Array, _ int) ([]byte, error) { return dst, nil }, nil
	case null < 0:
		return nil, errNull
	}
	return func(dst []byte, _ arrow.Array, _ int) ([]byte, error) { return append(dst, byte(2*null)), nil }, nil
}

func valueEncoder(n *node, t types.Type) (put, error) {
	var p put
	var err error
	switch t := t.(type) {
	case types.Array:
		if n.kind == kArray {
			p, err = arrayEncoder(n, t)
		}
	case types.Map:
		if n.kind == kMap && types.Text(t.Key) {
			p, err = mapEncoder(n, t)
		}
	case types.Struct:
		if n.kind == kRecord {
			p, err = recordEncoder(n, t)
		}
	case types.Decimal:
		p = decimalEncoder(n, t)
	default:
		p = leafEncoder(n, t)
	}
	if p == nil && err == nil {
		err = fmt.Errorf("%v cannot be written as %v", t, n)
	}
	return p, err
}

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

func arrayEncoder(n *node, t types.Array) (put, error) {
	item, err := encoderOf(n.elem, t.Elem)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, a arrow.Array, i int) ([]byte, error) {
		list, ok := a.(array.ListLike)
		if !ok {
			return dst, fmt.Errorf("column is of the Arrow type %s", a.DataType())
		}
		from, to := list.ValueOffsets(i)
		if from < to {
			dst = binary.AppendVarint(dst, to-from)
		}
		for values := list.ListValues(); from < to; from++ {
			var err error
			if dst, err = item(dst, values, int(from)); err != nil {
				return dst, fmt.Errorf("element: %w", err)
			}
		}
		return append(dst, 0), nil
	}, nil
}

func mapEncoder(n *node, t types.Map) (put, error) {
	key, err := valueEncoder(&node{kind: kString}, t.Key)
	if err != nil {
		return nil, err
	}
	item, err := encoderOf(n.elem, t.Value)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, a arrow.Array, i int) ([]byte, error) {
		m, ok := a.(*array.Map)
		if !ok {
			return dst, fmt.Errorf("column is of the Arrow type %s", a.DataType())
		}
		from, to := m.ValueOffsets(i)
		if from < to {
			dst = binary.AppendVarint(dst, to-from)
		}
		for keys, items := m.Keys(), m.Items(); from < to; from++ {
			var err error
			if dst, err = key(dst, keys, int(from)); err != nil {
				return dst, fmt.Errorf("key: %w", err)
			}
			if dst, err = item(dst, items, int(from)); err != nil {
				return dst, fmt.Errorf("value: %w", err)
			}
		}
		return append(dst, 0), nil
	}, nil
}

func recordEncoder(n *node, t types.Struct) (put, error) {
	fields, err := encodeFields(n, t.Fields)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, a arrow.Array, i int) ([]byte, error) {
		s, ok := a.(*array.Struct)
		if !ok {
			return dst, fmt.Errorf("column is of the Arrow type %s", a.DataType())
		}
		return appendFields(dst, fields, i, s.Field)
	}, nil
}
