package avro

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

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
