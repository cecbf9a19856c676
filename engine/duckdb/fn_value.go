package duckdb

import (
	"fmt"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// fromWords is the 128-bit two's complement number of two words, the low one first.
func fromWords(lo, hi uint64) *big.Int {
	return decimal128.New(int64(hi), lo).BigInt()
}

// toWords is the inverse of fromWords.
func toWords(x *big.Int) (lo, hi uint64) {
	n := decimal128.FromBigInt(x)
	return n.LowBits(), uint64(n.HighBits())
}

func decimalValue(x *big.Int) decimal128.Num { return decimal128.FromBigInt(x) }

// arrowValue is row i of a, as a value of type t.
func arrowValue(t types.Type, a arrow.Array, i int) types.Value {
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i)
	case *array.Int8:
		return int64(a.Value(i))
	case *array.Int16:
		return int64(a.Value(i))
	case *array.Int32:
		if _, ok := t.(types.YearMonth); ok || t == types.Date {
			return a.Value(i)
		}
		if t == types.Void {
			return nil
		}
		return int64(a.Value(i))
	case *array.Int64:
		return a.Value(i)
	case *array.Float32:
		return a.Value(i)
	case *array.Float64:
		return a.Value(i)
	case *array.String:
		return string(append([]byte(nil), a.Value(i)...))
	case *array.Binary:
		return append([]byte{}, a.Value(i)...)
	case *array.Date32:
		return int32(a.Value(i))
	case *array.Timestamp:
		return int64(a.Value(i))
	case *array.Time64:
		return int64(a.Value(i))
	case *array.Duration:
		return int64(a.Value(i))
	case *array.MonthInterval:
		return int32(a.Value(i))
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		return types.Interval{Months: v.Months, Days: v.Days, Micros: v.Nanoseconds / 1000}
	case *array.Decimal128:
		return a.Value(i)
	}
	return nestedValue(t, a, i)
}

func nestedValue(t types.Type, a arrow.Array, i int) types.Value {
	switch a := a.(type) {
	case *array.Map:
		m, _ := t.(types.Map)
		from, to := a.ValueOffsets(i)
		out := make([]types.Pair, 0, to-from)
		for j := from; j < to; j++ {
			out = append(out, types.Pair{Key: arrowValue(m.Key, a.Keys(), int(j)), Value: arrowValue(m.Value, a.Items(), int(j))})
		}
		return out
	case *array.List:
		e, _ := t.(types.Array)
		from, to := a.ValueOffsets(i)
		out := make([]types.Value, 0, to-from)
		for j := from; j < to; j++ {
			out = append(out, arrowValue(e.Elem, a.ListValues(), int(j)))
		}
		return out
	case *array.Struct:
		s, _ := t.(types.Struct)
		out := make([]types.Value, a.NumField())
		for k := range out {
			var ft types.Type = types.Void
			if k < len(s.Fields) {
				ft = s.Fields[k].Type
			}
			out[k] = arrowValue(ft, a.Field(k), i)
		}
		return out
	}
	return nil
}

// appendValue adds v, of type t, to b.
func appendValue(b array.Builder, t types.Type, v types.Value) error {
	if v == nil {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
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
	case *array.DurationBuilder:
		b.Append(arrow.Duration(v.(int64)))
	case *array.MonthIntervalBuilder:
		b.Append(arrow.MonthInterval(v.(int32)))
	case *array.MonthDayNanoIntervalBuilder:
		iv := v.(types.Interval)
		b.Append(arrow.MonthDayNanoInterval{Months: iv.Months, Days: iv.Days, Nanoseconds: iv.Micros * 1000})
	case *array.Decimal128Builder:
		b.Append(v.(decimal128.Num))
	case *array.NullBuilder:
		b.AppendNull()
	default:
		return appendNested(b, t, v)
	}
	return nil
}

func appendNested(b array.Builder, t types.Type, v types.Value) error {
	switch b := b.(type) {
	case *array.MapBuilder:
		m := t.(types.Map)
		b.Append(true)
		for _, p := range v.([]types.Pair) {
			if err := appendValue(b.KeyBuilder(), m.Key, p.Key); err != nil {
				return err
			}
			if err := appendValue(b.ItemBuilder(), m.Value, p.Value); err != nil {
				return err
			}
		}
		return nil
	case *array.ListBuilder:
		b.Append(true)
		for _, x := range v.([]types.Value) {
			if err := appendValue(b.ValueBuilder(), t.(types.Array).Elem, x); err != nil {
				return err
			}
		}
		return nil
	case *array.StructBuilder:
		b.Append(true)
		for k, x := range v.([]types.Value) {
			if err := appendValue(b.FieldBuilder(k), t.(types.Struct).Fields[k].Type, x); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("duckdb: cannot build values of type %v", t)
}
