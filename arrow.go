package tarn

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/types"
)

// valueAt is value i of an Arrow array that carries Spark's type t.
func valueAt(a arrow.Array, i int, t types.Type) (types.Value, error) {
	if a.IsNull(i) {
		return nil, nil
	}
	switch a := a.(type) {
	case *array.Null:
		return nil, nil
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
		return clone(a.Value(i)), nil
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
		return types.Interval{Months: v.Months, Days: v.Days, Micros: v.Nanoseconds / 1000}, nil
	}
	return nestedAt(a, i, t)
}

// clone copies s out of the batch, whose memory may not be Go's.
func clone(s string) string { return string(append([]byte(nil), s...)) }

func nestedAt(a arrow.Array, i int, t types.Type) (types.Value, error) {
	switch t := t.(type) {
	case types.Map:
		if a, ok := a.(*array.Map); ok {
			return mapAt(a, i, t)
		}
	case types.Array:
		if a, ok := a.(array.ListLike); ok {
			from, to := a.ValueOffsets(i)
			return listAt(a.ListValues(), int(from), int(to), t.Elem)
		}
	case types.Struct:
		if a, ok := a.(*array.Struct); ok && a.NumField() == len(t.Fields) {
			return structAt(a, i, t)
		}
	case types.Basic:
		if a, ok := a.(*array.Struct); ok && t == types.Variant {
			return structAt(a, i, variantFields)
		}
	}
	return nil, fmt.Errorf("the engine gave %s where the plan says %s", a.DataType(), t)
}

// variantFields are the parts of a variant value in Arrow.
var variantFields = types.Struct{Fields: []types.Field{{Name: "metadata", Type: types.Binary}, {Name: "value", Type: types.Binary}}}

func listAt(a arrow.Array, from, to int, elem types.Type) ([]types.Value, error) {
	out := make([]types.Value, 0, to-from)
	for j := from; j < to; j++ {
		v, err := valueAt(a, j, elem)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func mapAt(a *array.Map, i int, t types.Map) ([]types.Pair, error) {
	from, to := a.ValueOffsets(i)
	out := make([]types.Pair, 0, to-from)
	for j := int(from); j < int(to); j++ {
		k, err := valueAt(a.Keys(), j, t.Key)
		if err != nil {
			return nil, err
		}
		v, err := valueAt(a.Items(), j, t.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, types.Pair{Key: k, Value: v})
	}
	return out, nil
}

func structAt(a *array.Struct, i int, t types.Struct) ([]types.Value, error) {
	out := make([]types.Value, len(t.Fields))
	for j, f := range t.Fields {
		v, err := valueAt(a.Field(j), i, f.Type)
		if err != nil {
			return nil, err
		}
		out[j] = v
	}
	return out, nil
}
