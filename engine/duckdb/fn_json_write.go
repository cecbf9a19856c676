package duckdb

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// toJSON writes values; NULL fields are left out.
func toJSON(u use) (Eval, error) {
	return func(n int, in []Vec, out *Out) error {
		z, err := newZone(u.zone)
		if err != nil {
			return err
		}
		w := jsonWriter{z: z}
		if len(u.args) > 1 {
			return toJSONRows(u, n, in, out, w)
		}
		return toJSONRows(u, n, in, out, w)
	}, nil
}

func toJSONRows(u use, n int, in []Vec, out *Out, w jsonWriter) error {
	return valueUDF(strict(func(u use, r *row) (types.Value, error) {
		w := w
		if len(r.cols) > 1 {
			if ps, ok := r.value(1).([]types.Pair); ok {
				if err := w.options(ps); err != nil {
					return nil, err
				}
			}
		}
		return string(w.append(nil, u.args[0], r.value(0))), nil
	})).eval(u, n, in, out)
}

// jsonWriter writes values with Spark's default formats, or those of options.
type jsonWriter struct {
	z         *zone
	date      datePattern
	timestamp datePattern
	nulls     bool
}

func (w *jsonWriter) options(ps []types.Pair) error {
	for _, p := range ps {
		v, _ := p.Value.(string)
		var err error
		switch strings.ToLower(p.Key.(string)) {
		case "dateformat":
			w.date, err = compilePattern(v, false)
		case "timestampformat":
			w.timestamp, err = compilePattern(v, false)
		case "ignorenullfields":
			w.nulls = v == "false"
		case "timezone":
			w.z, err = newZone(v)
		}
		if err != nil {
			return raisePattern(err)
		}
	}
	return nil
}

func (w jsonWriter) append(b []byte, t types.Type, v types.Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return w.appendLong(b, t, v)
	case int32:
		if t == types.Date {
			if w.date != nil {
				return appendJSONText(b, string(w.date.format(nil, moment{wall: int64(v) * microsPerDay})))
			}
			return appendJSONText(b, string(types.AppendDate(nil, int64(v))))
		}
		return appendJSONText(b, yearMonthSQL(int64(v), t))
	case float32:
		return appendJSONFloat(b, float64(v), 32)
	case float64:
		return appendJSONFloat(b, v, 64)
	case decimal128.Num:
		return append(b, number{v.BigInt(), scaleOf(t)}.text()...)
	case string:
		return appendJSONText(b, v)
	case []byte:
		return appendJSONText(b, base64.StdEncoding.EncodeToString(v))
	case types.Interval:
		return appendJSONText(b, string(types.AppendInterval(nil, v)))
	}
	return w.appendNested(b, t, v)
}

func (w jsonWriter) appendLong(b []byte, t types.Type, v int64) []byte {
	switch t := t.(type) {
	case types.DayTime:
		return appendJSONText(b, dayTimeSQL(v, t))
	case types.Time:
		return appendJSONText(b, string(types.AppendTime(nil, v)))
	case types.Basic:
		switch t {
		case types.Timestamp:
			if w.timestamp != nil {
				return appendJSONText(b, string(w.timestamp.format(nil, momentOf(v, w.z))))
			}
			m := momentOf(v, w.z)
			return appendJSONText(b, string(appendOffset(appendISO(nil, m.wall), 'X', 3, m.offset)))
		case types.TimestampNTZ:
			return appendJSONText(b, string(appendISO(nil, v)))
		}
	}
	return strconv.AppendInt(b, v, 10)
}

// appendISO spells a wall clock with T and milliseconds, or microseconds where it has them.
func appendISO(b []byte, wall int64) []byte {
	b = append(types.AppendDate(b, floorDiv(wall, microsPerDay)), 'T')
	clock := floorMod(wall, microsPerDay)
	b = types.AppendTime(b, clock-clock%microsPerSecond)
	f := clock % microsPerSecond
	if f%1000 == 0 {
		return types.AppendPadded(append(b, '.'), f/1000, 3)
	}
	return types.AppendPadded(append(b, '.'), f, 6)
}

func appendJSONFloat(b []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return appendJSONText(b, string(types.AppendFloat(nil, f, bits)))
	}
	return types.AppendFloat(b, f, bits)
}

func (w jsonWriter) appendNested(b []byte, t types.Type, v types.Value) []byte {
	sep := false
	comma := func() {
		if sep {
			b = append(b, ',')
		}
		sep = true
	}
	switch t := t.(type) {
	case types.Array:
		b = append(b, '[')
		for _, x := range v.([]types.Value) {
			comma()
			b = w.append(b, t.Elem, x)
		}
		return append(b, ']')
	case types.Map:
		b = append(b, '{')
		for _, p := range v.([]types.Pair) {
			comma()
			b = append(appendJSONText(b, jsonKey(t.Key, p.Key)), ':')
			b = w.append(b, t.Value, p.Value)
		}
		return append(b, '}')
	case types.Struct:
		b = append(b, '{')
		for i, x := range v.([]types.Value) {
			if x == nil && !w.nulls {
				continue
			}
			comma()
			b = append(appendJSONText(b, t.Fields[i].Name), ':')
			b = w.append(b, t.Fields[i].Type, x)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// jsonKey is a map key as text.
func jsonKey(t types.Type, v types.Value) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return string(types.AppendFloat(nil, v, 64))
	case nil:
		return "null"
	case []types.Value:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = jsonKey(nil, x)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return string(jsonWriter{z: &zone{}}.append(nil, t, v))
}
