package hudi

import (
	"bytes"
	"cmp"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/types"
)

// orderingValue is the value of the ordering columns of a log record: nil, bool, int64, float64, decimal128.Num, string or []byte by the
// column's type, or a list of them for several columns. natural is that of a deletion that goes by the time of its commit.
type orderingValue any

type naturalOrder struct{}

var natural orderingValue = naturalOrder{}

// compareOrdering compares as Hudi does: NULL first, NaN last, text and bytes by bytes. Values are of one type.
func compareOrdering(a, b orderingValue) int {
	if a == nil || b == nil {
		return cmp.Compare(rank(a), rank(b))
	}
	switch a := a.(type) {
	case bool:
		b, _ := b.(bool)
		return cmp.Compare(rank(trueOrNil(a)), rank(trueOrNil(b)))
	case int64:
		b, _ := b.(int64)
		return cmp.Compare(a, b)
	case float64:
		b, _ := b.(float64)
		return compareFloats(a, b)
	case decimal128.Num:
		b, _ := b.(decimal128.Num)
		return a.Cmp(b)
	case string:
		b, _ := b.(string)
		return strings.Compare(a, b)
	case []byte:
		b, _ := b.([]byte)
		return bytes.Compare(a, b)
	case []orderingValue:
		b, _ := b.([]orderingValue)
		return compareLists(a, b)
	}
	return 0
}

func compareLists(a, b []orderingValue) int {
	for i := range min(len(a), len(b)) {
		if c := compareOrdering(a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func rank(v orderingValue) int {
	if v == nil {
		return 0
	}
	return 1
}

func trueOrNil(b bool) orderingValue {
	if b {
		return b
	}
	return nil
}

// compareFloats puts NaN last and -0 before 0, as Java's Double.compare.
func compareFloats(a, b float64) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return cmp.Compare(rank(trueOrNil(math.IsNaN(a))), rank(trueOrNil(math.IsNaN(b))))
	case a == 0 && b == 0:
		return cmp.Compare(rank(trueOrNil(math.Signbit(b))), rank(trueOrNil(math.Signbit(a))))
	}
	return cmp.Compare(a, b)
}

// orderingAt is the value of ordering columns in row i.
func orderingAt(columns []arrow.Array, i int) orderingValue {
	switch len(columns) {
	case 0:
		return nil
	case 1:
		return cell(columns[0], i)
	}
	out := make([]orderingValue, len(columns))
	for k, c := range columns {
		out[k] = cell(c, i)
	}
	return out
}

func cell(a arrow.Array, i int) orderingValue {
	if a == nil || a.IsNull(i) {
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
		return int64(a.Value(i))
	case *array.Int64:
		return a.Value(i)
	case *array.Date32:
		return int64(a.Value(i))
	case *array.Timestamp:
		return int64(a.Value(i))
	case *array.Float32:
		return float64(a.Value(i))
	case *array.Float64:
		return a.Value(i)
	case *array.Decimal128:
		return a.Value(i)
	case *array.String:
		return a.Value(i)
	case *array.Binary:
		return a.Value(i)
	}
	return nil
}

// deletionOrdering is the ordering value of a deletion, for ordering columns of these types. A value of another type is natural: Hudi
// compares values of one Java class only, and lets the deletion win otherwise.
func deletionOrdering(v logfile.Ordering, columns []types.Type) orderingValue {
	if list, ok := v.([]logfile.Ordering); ok {
		if len(list) != len(columns) {
			return natural
		}
		out := make([]orderingValue, len(list))
		for i, v := range list {
			if out[i] = fieldOrdering(v, columns[i]); out[i] == natural {
				return natural
			}
		}
		return out
	}
	if v == nil || v == logfile.Ordering(int32(0)) || len(columns) != 1 {
		return natural
	}
	return fieldOrdering(v, columns[0])
}

func fieldOrdering(v logfile.Ordering, t types.Type) orderingValue {
	number := func(n int64, of ...types.Type) orderingValue {
		for _, o := range of {
			if t == o {
				return n
			}
		}
		return natural
	}
	switch v := v.(type) {
	case nil:
		return nil
	case bool:
		if t == types.Type(types.Boolean) {
			return v
		}
	case int32:
		return number(int64(v), types.Byte, types.Short, types.Int, types.Date)
	case logfile.Date:
		return number(int64(v), types.Date)
	case logfile.LocalDate:
		return number(int64(v), types.Date)
	case int64:
		return number(v, types.Long, types.Timestamp, types.TimestampNTZ)
	case logfile.TimestampMicros:
		return number(int64(v), types.Timestamp, types.TimestampNTZ)
	case float32:
		if t == types.Type(types.Float) {
			return float64(v)
		}
	case float64:
		if t == types.Type(types.Double) {
			return v
		}
	case string:
		if types.Text(t) {
			return v
		}
	case []byte:
		if t == types.Type(types.Binary) {
			return v
		}
	case logfile.Decimal:
		return decimalOrdering(v, t)
	}
	return natural
}

// decimalOrdering is a decimal in the scale of the column.
func decimalOrdering(v logfile.Decimal, t types.Type) orderingValue {
	d, ok := t.(types.Decimal)
	if !ok {
		return natural
	}
	n, ok := v.Rescale(int32(d.S))
	if !ok {
		return natural
	}
	return n
}

// appendOrdering appends the k-th of the values of v, as cell reads them, to a column.
func appendOrdering(b array.Builder, v orderingValue, k int) {
	if list, ok := v.([]orderingValue); ok {
		v = list[k]
	}
	switch v := v.(type) {
	case bool:
		b.(*array.BooleanBuilder).Append(v)
	case int64:
		appendNumber(b, v)
	case float64:
		if b, ok := b.(*array.Float32Builder); ok {
			b.Append(float32(v))
			return
		}
		b.(*array.Float64Builder).Append(v)
	case decimal128.Num:
		b.(*array.Decimal128Builder).Append(v)
	case string:
		b.(*array.StringBuilder).Append(v)
	case []byte:
		b.(*array.BinaryBuilder).Append(v)
	default:
		b.AppendNull()
	}
}

func appendNumber(b array.Builder, v int64) {
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(v))
	case *array.Int16Builder:
		b.Append(int16(v))
	case *array.Int32Builder:
		b.Append(int32(v))
	case *array.Int64Builder:
		b.Append(v)
	case *array.Date32Builder:
		b.Append(arrow.Date32(v))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v))
	default:
		b.AppendNull()
	}
}
