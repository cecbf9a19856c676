package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// text is v as CAST(v AS STRING) gives it, with bytes as Spark's show prints them. v is not nil.
func text(v types.Value, t types.Type, zone *time.Location) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	case []byte:
		return fmt.Sprintf("[% X]", v)
	case float32:
		return float(float64(v), 32)
	case float64:
		return float(v, 64)
	case decimal128.Num:
		return decimal(v, t)
	case types.Interval:
		return calendarInterval(v)
	case int32:
		if y, ok := t.(types.YearMonth); ok {
			return yearMonth(int64(v), y)
		}
		return date(v)
	case int64:
		return whole(v, t, zone)
	}
	var b strings.Builder
	nested(&b, v, t, zone)
	return b.String()
}

func whole(v int64, t types.Type, zone *time.Location) string {
	switch t := t.(type) {
	case types.DayTime:
		return dayTime(v, t)
	case types.Time:
		return clock(v)
	}
	switch t {
	case types.Timestamp:
		return instant(v, zone, ' ')
	case types.TimestampNTZ:
		return instant(v, time.UTC, ' ')
	}
	return strconv.FormatInt(v, 10)
}

func nested(b *strings.Builder, v types.Value, t types.Type, zone *time.Location) {
	switch t := t.(type) {
	case types.Array:
		items, _ := v.([]types.Value)
		b.WriteByte('[')
		for i, item := range items {
			comma(b, i)
			b.WriteString(text(item, t.Elem, zone))
		}
		b.WriteByte(']')
	case types.Map:
		pairs, _ := v.([]types.Pair)
		b.WriteByte('{')
		for i, p := range pairs {
			comma(b, i)
			b.WriteString(text(p.Key, t.Key, zone) + " -> " + text(p.Value, t.Value, zone))
		}
		b.WriteByte('}')
	case types.Struct:
		fields, _ := v.([]types.Value)
		b.WriteByte('{')
		for i, f := range fields {
			comma(b, i)
			b.WriteString(text(f, t.Fields[i].Type, zone))
		}
		b.WriteByte('}')
	default:
		fmt.Fprint(b, v)
	}
}

func comma(b *strings.Builder, i int) {
	if i > 0 {
		b.WriteString(", ")
	}
}

// float is f as Java's Double.toString and Float.toString spell it, with the fewest digits that mean f.
func float(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return strconv.FormatFloat(f, 'f', 1, bits)
	}
	if a := math.Abs(f); a >= 1e-3 && a < 1e7 {
		return point(strconv.FormatFloat(f, 'f', -1, bits))
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, bits), "e")
	n, _ := strconv.Atoi(exponent)
	return point(mantissa) + "E" + strconv.Itoa(n)
}

func point(digits string) string {
	if strings.Contains(digits, ".") {
		return digits
	}
	return digits + ".0"
}

func decimal(v decimal128.Num, t types.Type) string {
	d, _ := t.(types.Decimal)
	return v.ToString(int32(d.S))
}

func date(days int32) string { return day(time.Unix(int64(days)*86400, 0).UTC()) }

// day is the date of t; a year of more than four digits has a sign.
func day(t time.Time) string {
	year, sign := t.Year(), "+"
	switch {
	case 0 <= year && year <= 9999:
		return t.Format(time.DateOnly)
	case year < 0:
		year, sign = -year, "-"
	}
	return fmt.Sprintf("%s%04d-%02d-%02d", sign, year, t.Month(), t.Day())
}

// instant is a timestamp with as many digits of the second as are not zero.
func instant(micros int64, zone *time.Location, between byte) string {
	t := time.UnixMicro(micros).In(zone)
	return day(t) + string(between) + t.Format("15:04:05") + fraction(t.Nanosecond()/1000)
}

func clock(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("15:04:05") + fraction(int(micros%1e6))
}

func fraction(micros int) string {
	if micros == 0 {
		return ""
	}
	return strings.TrimRight(fmt.Sprintf(".%06d", micros), "0")
}
