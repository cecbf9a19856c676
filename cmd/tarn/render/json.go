package render

import (
	"encoding/base64"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// appendObject adds the row as one JSON object on one line, null fields kept.
func appendObject(b []byte, names []string, row []types.Value, kinds []types.Type, zone *time.Location) []byte {
	b = append(b, '{')
	for i, v := range row {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, names[i])
		b = append(b, ':')
		b = appendJSON(b, v, kinds[i], zone)
	}
	return append(b, '}')
}

// appendJSON adds v as Spark's to_json writes it, but for decimals, which are always plain numbers.
func appendJSON(b []byte, v types.Value, t types.Type, zone *time.Location) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case float32:
		return appendFloat(b, float64(v), 32)
	case float64:
		return appendFloat(b, v, 64)
	case decimal128.Num:
		return append(b, decimal(v, t)...)
	case []byte:
		return append(base64.StdEncoding.AppendEncode(append(b, '"'), v), '"')
	case int64:
		switch {
		case types.Integral(t):
			return strconv.AppendInt(b, v, 10)
		case t == types.Timestamp:
			return appendStamp(b, time.UnixMicro(v).In(zone), "T15:04:05.000Z07:00")
		case t == types.TimestampNTZ:
			return appendStamp(b, time.UnixMicro(v).UTC(), "T15:04:05.000")
		}
	}
	switch t := t.(type) {
	case types.Array:
		return appendArray(b, v, t, zone)
	case types.Map:
		return appendMap(b, v, t, zone)
	case types.Struct:
		row, _ := v.([]types.Value)
		names, kinds := fieldsOf(t)
		return appendObject(b, names, row, kinds, zone)
	}
	return appendString(b, text(v, t, zone))
}

func fieldsOf(t types.Struct) (names []string, kinds []types.Type) {
	for _, f := range t.Fields {
		names, kinds = append(names, f.Name), append(kinds, f.Type)
	}
	return names, kinds
}

// appendStamp adds a timestamp to the millisecond, which is all that to_json writes by default.
func appendStamp(b []byte, at time.Time, clock string) []byte {
	year, month, day := at.Date()
	b = types.AppendDate(append(b, '"'), types.CivilDay(int64(year), int(month), day))
	return append(at.AppendFormat(b, clock), '"')
}

func appendArray(b []byte, v types.Value, t types.Array, zone *time.Location) []byte {
	items, _ := v.([]types.Value)
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, item, t.Elem, zone)
	}
	return append(b, ']')
}

func appendMap(b []byte, v types.Value, t types.Map, zone *time.Location) []byte {
	pairs, _ := v.([]types.Pair)
	b = append(b, '{')
	for i, p := range pairs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, keyText(p.Key, t.Key, zone))
		b = append(b, ':')
		b = appendJSON(b, p.Value, t.Value, zone)
	}
	return append(b, '}')
}

// keyText is a key of a map. Spark writes dates and timestamps there as the numbers that it keeps them as.
func keyText(v types.Value, t types.Type, zone *time.Location) string {
	switch v := v.(type) {
	case int64:
		if _, ok := t.(types.DayTime); !ok {
			return strconv.FormatInt(v, 10)
		}
	case int32:
		if t == types.Date {
			return strconv.FormatInt(int64(v), 10)
		}
	case []byte:
		return base64.StdEncoding.EncodeToString(v)
	}
	return text(v, t, zone)
}

// appendFloat adds a number; JSON has none for NaN and the infinities, which become strings.
func appendFloat(b []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(types.AppendFloat(append(b, '"'), f, bits), '"')
	}
	return types.AppendFloat(b, f, bits)
}

// appendString adds s in quotes, with only what JSON demands escaped. Bytes that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= ' ':
			b = utf8.AppendRune(b, r)
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r == '\b':
			b = append(b, '\\', 'b')
		case r == '\f':
			b = append(b, '\\', 'f')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		}
	}
	return append(b, '"')
}
