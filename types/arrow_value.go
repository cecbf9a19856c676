package types

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// ValueAt is value i of an Arrow array that carries t as [Arrow] says, copied out of the array's memory. It is an error
// when the array carries another type.
func ValueAt(a arrow.Array, i int, t Type) (Value, error) {
	if a.IsNull(i) || t == Void {
		return nil, nil
	}
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i), nil
	case *array.Int8:
		return int64(a.Value(i)), nil
	case *array.Int16:
		return int64(a.Value(i)), nil
	case *array.Int32:
		return int64(a.Value(i)), nil
	case *array.Int64:
		return a.Value(i), nil
	case *array.Float32:
		return a.Value(i), nil
	case *array.Float64:
		return a.Value(i), nil
	case *array.Decimal128:
		return a.Value(i), nil
	case *array.String:
		return strings.Clone(a.Value(i)), nil
	case *array.Binary:
		return append([]byte{}, a.Value(i)...), nil
	case *array.Date32:
		return int32(a.Value(i)), nil
	case *array.Timestamp:
		return int64(a.Value(i)), nil
	case *array.Time64:
		return int64(a.Value(i)), nil
	case *array.MonthInterval:
		return int32(a.Value(i)), nil
	case *array.Duration:
		return int64(a.Value(i)), nil
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		return Interval{Months: v.Months, Days: v.Days, Micros: v.Nanoseconds / 1000}, nil
	}
	return nestedAt(a, i, t)
}

func nestedAt(a arrow.Array, i int, t Type) (Value, error) {
	switch t := t.(type) {
	case Map:
		if a, ok := a.(*array.Map); ok {
			return pairsAt(a, i, t)
		}
	case Array:
		if a, ok := a.(array.ListLike); ok {
			from, to := a.ValueOffsets(i)
			return itemsAt(a.ListValues(), int(from), int(to), t.Elem)
		}
	case Struct:
		if a, ok := a.(*array.Struct); ok && a.NumField() == len(t.Fields) {
			return fieldsAt(a, i, t)
		}
	case Basic:
		if a, ok := a.(*array.Struct); ok && t == Variant && a.NumField() == len(variantFields.Fields) {
			return fieldsAt(a, i, variantFields)
		}
	}
	return nil, fmt.Errorf("types: an Arrow array of %s does not carry %s", a.DataType(), t)
}

// variantFields are the parts of a variant value in Arrow.
var variantFields = Struct{Fields: []Field{{Name: "metadata", Type: Binary}, {Name: "value", Type: Binary}}}

func itemsAt(a arrow.Array, from, to int, elem Type) ([]Value, error) {
	out := make([]Value, 0, to-from)
	for j := from; j < to; j++ {
		v, err := ValueAt(a, j, elem)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func pairsAt(a *array.Map, i int, t Map) ([]Pair, error) {
	from, to := a.ValueOffsets(i)
	out := make([]Pair, 0, to-from)
	for j := int(from); j < int(to); j++ {
		k, err := ValueAt(a.Keys(), j, t.Key)
		if err != nil {
			return nil, err
		}
		v, err := ValueAt(a.Items(), j, t.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, Pair{Key: k, Value: v})
	}
	return out, nil
}

func fieldsAt(a *array.Struct, i int, t Struct) ([]Value, error) {
	out := make([]Value, len(t.Fields))
	for j, f := range t.Fields {
		v, err := ValueAt(a.Field(j), i, f.Type)
		if err != nil {
			return nil, err
		}
		out[j] = v
	}
	return out, nil
}

// AppendValue adds v to the builder of an array that carries its type. It panics when v is of another type.
func AppendValue(b array.Builder, v Value) error {
	if v == nil {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
	case *array.NullBuilder:
		b.AppendNull()
	case *array.BooleanBuilder:
		b.Append(v.(bool))
	case *array.Int8Builder:
		b.Append(int8(v.(int64)))
	case *array.Int16Builder:
		b.Append(int16(v.(int64)))
	case *array.Int32Builder:
		b.Append(int32(v.(int64)))
	case *array.Int64Builder:
		b.Append(v.(int64))
	case *array.Float32Builder:
		b.Append(v.(float32))
	case *array.Float64Builder:
		b.Append(v.(float64))
	case *array.Decimal128Builder:
		b.Append(v.(decimal128.Num))
	case *array.StringBuilder:
		b.Append(v.(string))
	case *array.BinaryBuilder:
		b.Append(v.([]byte))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v.(int32)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.(int64)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(v.(int64)))
	case *array.MonthIntervalBuilder:
		b.Append(arrow.MonthInterval(v.(int32)))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(v.(int64)))
	case *array.MonthDayNanoIntervalBuilder:
		i := v.(Interval)
		b.Append(arrow.MonthDayNanoInterval{Months: i.Months, Days: i.Days, Nanoseconds: i.Micros * 1000})
	default:
		return appendNested(b, v)
	}
	return nil
}

func appendNested(b array.Builder, v Value) error {
	switch b := b.(type) {
	case *array.MapBuilder:
		b.Append(true)
		for _, p := range v.([]Pair) {
			if err := AppendValue(b.KeyBuilder(), p.Key); err != nil {
				return err
			}
			if err := AppendValue(b.ItemBuilder(), p.Value); err != nil {
				return err
			}
		}
		return nil
	case *array.ListBuilder:
		b.Append(true)
		for _, e := range v.([]Value) {
			if err := AppendValue(b.ValueBuilder(), e); err != nil {
				return err
			}
		}
		return nil
	case *array.StructBuilder:
		b.Append(true)
		for i, f := range v.([]Value) {
			if err := AppendValue(b.FieldBuilder(i), f); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("types: no values can be added to an Arrow array of %s", b.Type())
}
