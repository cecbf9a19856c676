package conform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// Text writes values as Spark's golden files do, which is the form of Hive: NULL at the top and null inside, text in
// double quotes inside, maps ordered as text.
type Text struct {
	zone   *time.Location
	binary string // spark.sql.binaryOutputStyle
}

// NewText is a Text for a session in a time zone.
func NewText(zone *time.Location) Text { return Text{zone: zone} }

// Line is a row: its values, separated by tabs.
func (f Text) Line(row []types.Value, ts []types.Type) string {
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = f.value(v, ts[i], false)
	}
	return strings.Join(parts, "\t")
}

func (f Text) value(v types.Value, t types.Type, inside bool) string {
	if v == nil {
		if inside {
			return "null"
		}
		return "NULL"
	}
	switch t := t.(type) {
	case types.Array:
		var parts []string
		for _, e := range v.([]types.Value) {
			parts = append(parts, f.value(e, t.Elem, true))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case types.Map:
		var parts []string
		for _, p := range v.([]types.Pair) {
			parts = append(parts, f.value(p.Key, t.Key, true)+":"+f.value(p.Value, t.Value, true))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case types.Struct:
		var parts []string
		for i, e := range v.([]types.Value) {
			parts = append(parts, `"`+t.Fields[i].Name+`":`+f.value(e, t.Fields[i].Type, true))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	s := f.atom(v, t)
	if inside && types.Text(t) {
		return `"` + s + `"`
	}
	return s
}

func (f Text) atom(v types.Value, t types.Type) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	case []byte:
		return f.bytes(v)
	case float32:
		return string(types.AppendFloat(nil, float64(v), 32))
	case float64:
		return string(types.AppendFloat(nil, v, 64))
	case decimal128.Num:
		d, _ := t.(types.Decimal)
		return v.ToString(int32(d.S))
	case types.Interval:
		return string(types.AppendInterval(nil, v))
	case int32:
		if t == types.Date {
			return string(types.AppendDate(nil, int64(v)))
		}
		return monthsText(int64(v))
	case int64:
		return f.number(v, t)
	}
	return "?"
}

func (f Text) number(v int64, t types.Type) string {
	switch t {
	case types.Timestamp:
		return string(types.AppendTimestamp(nil, v, f.zone))
	case types.TimestampNTZ:
		return string(types.AppendTimestampNTZ(nil, v))
	}
	switch t.(type) {
	case types.DayTime:
		return dayTimeText(v)
	case types.Time:
		return string(types.AppendTime(nil, v))
	case types.YearMonth:
		return monthsText(v)
	}
	return strconv.FormatInt(v, 10)
}

func (f Text) bytes(v []byte) string {
	switch f.binary {
	case "HEX":
		return fmt.Sprintf("%X", v)
	case "BASIC":
		var parts []string
		for _, c := range v {
			parts = append(parts, strconv.Itoa(int(int8(c))))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return strings.ToValidUTF8(string(v), "\ufffd")
}

func monthsText(m int64) string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	return sign + strconv.FormatInt(m/12, 10) + "-" + strconv.FormatInt(m%12, 10)
}

// dayTimeText is days, then the time with nanoseconds.
func dayTimeText(us int64) string {
	sign := ""
	u := uint64(us)
	if us < 0 {
		sign, u = "-", -u
	}
	day := uint64(24 * 3600 * 1_000_000)
	rest := time.UnixMicro(int64(u % day)).UTC()
	return sign + strconv.FormatUint(u/day, 10) + rest.Format(" 15:04:05.000000") + "000"
}
