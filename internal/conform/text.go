package conform

import (
	"math"
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
		return javaFloat(float64(v), 32)
	case float64:
		return javaFloat(v, 64)
	case decimal128.Num:
		d, _ := t.(types.Decimal)
		return v.ToString(int32(d.S))
	case types.Interval:
		return calendarInterval(v)
	case int32:
		if t == types.Date {
			return dateText(int64(v))
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
		return clock(time.UnixMicro(v).In(f.zone))
	case types.TimestampNTZ:
		return clock(time.UnixMicro(v).UTC())
	}
	switch t.(type) {
	case types.DayTime:
		return dayTimeText(v)
	case types.Time:
		return fraction(time.UnixMicro(v).UTC().Format("15:04:05.000000"))
	case types.YearMonth:
		return monthsText(v)
	}
	return strconv.FormatInt(v, 10)
}

func (f Text) bytes(v []byte) string {
	const hex = "0123456789ABCDEF"
	switch f.binary {
	case "HEX":
		var b strings.Builder
		for _, c := range v {
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
		return b.String()
	case "BASIC":
		var parts []string
		for _, c := range v {
			parts = append(parts, strconv.Itoa(int(int8(c))))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return strings.ToValidUTF8(string(v), "\ufffd")
}

// javaFloat is a number as Java's toString writes it.
func javaFloat(v float64, bits int) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	case v == 0:
		if math.Signbit(v) {
			return "-0.0"
		}
		return "0.0"
	}
	if a := math.Abs(v); a >= 1e-3 && a < 1e7 {
		s := strconv.FormatFloat(v, 'f', -1, bits)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	s := strconv.FormatFloat(v, 'e', -1, bits)
	mantissa, exp, _ := strings.Cut(s, "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exp)
	return mantissa + "E" + strconv.Itoa(n)
}

// dateText is a day as Spark prints it: years have at least four digits, and a sign beyond them.
func dateText(days int64) string {
	t := time.Unix(0, 0).UTC().AddDate(0, 0, int(days))
	return yearText(t.Year()) + t.Format("-01-02")
}

func yearText(y int) string {
	switch {
	case y > 9999:
		return "+" + strconv.Itoa(y)
	case y < 0:
		s := strconv.Itoa(-y)
		return "-" + strings.Repeat("0", max(0, 4-len(s))) + s
	}
	s := strconv.Itoa(y)
	return strings.Repeat("0", max(0, 4-len(s))) + s
}

func clock(t time.Time) string {
	return yearText(t.Year()) + fraction(t.Format("-01-02 15:04:05.000000"))
}

// fraction drops the zeros at the end of a fraction of a second.
func fraction(s string) string {
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
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

// calendarInterval is the text of an interval with all its units.
func calendarInterval(v types.Interval) string {
	var parts []string
	add := func(n int64, unit string) {
		if n != 0 {
			parts = append(parts, strconv.FormatInt(n, 10)+" "+unit)
		}
	}
	add(int64(v.Months/12), "years")
	add(int64(v.Months%12), "months")
	add(int64(v.Days), "days")
	rest := v.Micros
	add(rest/3_600_000_000, "hours")
	rest %= 3_600_000_000
	add(rest/60_000_000, "minutes")
	rest %= 60_000_000
	if rest != 0 {
		sign := ""
		if rest < 0 {
			sign, rest = "-", -rest
		}
		s := sign + strconv.FormatInt(rest/1_000_000, 10)
		if f := rest % 1_000_000; f != 0 {
			s += "." + strings.TrimRight(strconv.FormatInt(1_000_000+f, 10)[1:], "0")
		}
		parts = append(parts, s+" seconds")
	}
	if parts == nil {
		return "0 seconds"
	}
	return strings.Join(parts, " ")
}
