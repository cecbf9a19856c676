package avro

import (
	"errors"
	"fmt"

	"github.com/tarn-lake/tarn/types"
)

// Struct is the Spark type of a record, as Spark and Hudi read it: a union with null is nullable, enum is string, fixed
// and bytes are binary or decimal. The doc of a field becomes its comment. Other unions are refused.
func (s *Schema) Struct() (types.Struct, error) {
	if s.root.kind != kRecord {
		return types.Struct{}, fmt.Errorf("avro: schema of a table is a %v, not a record", s.root)
	}
	t, err := sparkType(s.root)
	if err != nil {
		return types.Struct{}, fmt.Errorf("avro: schema: %w", err)
	}
	return t.(types.Struct), nil
}

func sparkType(n *node) (types.Type, error) {
	switch n.kind {
	case kNull:
		return types.Void, nil
	case kBoolean:
		return types.Boolean, nil
	case kInt:
		if n.logical == date {
			return types.Date, nil
		}
		return types.Int, nil
	case kLong:
		return longType(n), nil
	case kFloat:
		return types.Float, nil
	case kDouble:
		return types.Double, nil
	case kString, kEnum:
		return types.String, nil
	case kBytes, kFixed:
		if n.logical != decimal {
			return types.Binary, nil
		}
		if n.precision > 38 {
			return nil, fmt.Errorf("decimal of %d digits, more than 38", n.precision)
		}
		return types.Decimal{P: n.precision, S: n.scale}, nil
	case kArray:
		elem, nullable, err := maybe(n.elem)
		return types.Array{Elem: elem, Nullable: nullable}, err
	case kMap:
		value, nullable, err := maybe(n.elem)
		return types.Map{Key: types.String, Value: value, Nullable: nullable}, err
	case kRecord:
		return structType(n)
	case kUnion:
		if len(n.branches) == 1 {
			return sparkType(n.branches[0])
		}
	}
	return nil, fmt.Errorf("%v cannot be a column", n)
}

func longType(n *node) types.Type {
	switch n.logical {
	case timestampMillis, timestampMicros:
		return types.Timestamp
	case localMillis, localMicros:
		return types.TimestampNTZ
	}
	return types.Long
}

// maybe is the type of a value that may be a union with null, and whether it is.
func maybe(n *node) (types.Type, bool, error) {
	n, null := n.optional()
	t, err := sparkType(n)
	return t, null >= 0 || t == types.Void, err
}

func structType(n *node) (types.Type, error) {
	s := types.Struct{Fields: make([]types.Field, 0, len(n.fields))}
	if len(n.fields) == 0 {
		return nil, errors.New("record " + n.name + " has no fields")
	}
	for _, f := range n.fields {
		t, nullable, err := maybe(f.node)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.name, err)
		}
		out := types.Field{Name: f.name, Type: t, Nullable: nullable}
		if f.doc != nil {
			out.Metadata = out.Metadata.With("comment", *f.doc)
		}
		s.Fields = append(s.Fields, out)
	}
	return s, nil
}
