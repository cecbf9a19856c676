package render

import (
	"fmt"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// text is v as CAST(v AS STRING) gives it, with bytes as Spark's show prints them, and NULL for nil.
func text(v types.Value, t types.Type, zone *time.Location) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(appendText(nil, v, t, zone))
}

func appendText(b []byte, v types.Value, t types.Type, zone *time.Location) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "NULL"...)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return append(b, v...)
	case []byte:
		return fmt.Appendf(b, "[% X]", v)
	case float32:
		return types.AppendFloat(b, float64(v), 32)
	case float64:
		return types.AppendFloat(b, v, 64)
	case decimal128.Num:
		return append(b, decimal(v, t)...)
	case types.Interval:
		return types.AppendInterval(b, v)
	case int32:
		if t, ok := t.(types.YearMonth); ok {
			return types.AppendYearMonth(b, int64(v), t)
		}
		return types.AppendDate(b, int64(v))
	case int64:
		return appendWhole(b, v, t, zone)
	}
	return appendParts(b, v, t, zone)
}

func appendWhole(b []byte, v int64, t types.Type, zone *time.Location) []byte {
	switch t := t.(type) {
	case types.DayTime:
		return types.AppendDayTime(b, v, t)
	case types.Time:
		return types.AppendTime(b, v)
	}
	switch t {
	case types.Timestamp:
		return types.AppendTimestamp(b, v, zone)
	case types.TimestampNTZ:
		return types.AppendTimestampNTZ(b, v)
	}
	return strconv.AppendInt(b, v, 10)
}

func appendParts(b []byte, v types.Value, t types.Type, zone *time.Location) []byte {
	switch t := t.(type) {
	case types.Array:
		items, _ := v.([]types.Value)
		b = append(b, '[')
		for i, item := range items {
			b = appendText(appendComma(b, i), item, t.Elem, zone)
		}
		return append(b, ']')
	case types.Map:
		pairs, _ := v.([]types.Pair)
		b = append(b, '{')
		for i, p := range pairs {
			b = appendText(appendComma(b, i), p.Key, t.Key, zone)
			b = appendText(append(b, " -> "...), p.Value, t.Value, zone)
		}
		return append(b, '}')
	case types.Struct:
		fields, _ := v.([]types.Value)
		b = append(b, '{')
		for i, f := range fields {
			b = appendText(appendComma(b, i), f, t.Fields[i].Type, zone)
		}
		return append(b, '}')
	}
	return fmt.Append(b, v)
}

func appendComma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ", "...)
	}
	return b
}

func decimal(v decimal128.Num, t types.Type) string {
	d, _ := t.(types.Decimal)
	return v.ToString(int32(d.S))
}
