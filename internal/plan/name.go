package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// text is a constant as it stands in the names of columns: numbers and strings bare, the rest as SQL.
func (a *analyzer) text(l *rel.Lit) string {
	switch v := l.Value.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case []byte:
		return fmt.Sprintf("X'%X'", v)
	case float64:
		return doubleText(v, 64)
	case float32:
		return doubleText(float64(v), 32)
	case decimal128.Num:
		return decimalText(v, l.T)
	case types.Interval:
		return "INTERVAL '" + intervalWords(v) + "'"
	case int32:
		if t, ok := l.T.(types.YearMonth); ok {
			return yearMonthText(int64(v), t)
		}
		return "DATE '" + dateText(int64(v)) + "'"
	case int64:
		return a.longText(v, l.T)
	}
	return fmt.Sprint(l.Value)
}

func (a *analyzer) longText(v int64, t types.Type) string {
	switch t := t.(type) {
	case types.DayTime:
		return dayTimeText(v, t)
	case types.Time:
		return "TIME '" + clockText(v) + "'"
	}
	switch t {
	case types.Timestamp:
		return "TIMESTAMP '" + momentText(wall(time.UnixMicro(v), a.zone())) + "'"
	case types.TimestampNTZ:
		return "TIMESTAMP_NTZ '" + momentText(v) + "'"
	}
	return strconv.FormatInt(v, 10)
}

// doubleText is a number as Java prints it: 1.0, 1.0E10, Infinity.
func doubleText(v float64, bits int) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	if m := math.Abs(v); m == 0 || m >= 1e-3 && m < 1e7 {
		s := strconv.FormatFloat(v, 'f', -1, bits)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, bits), "e")
	if !strings.Contains(digits, ".") {
		digits += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return digits + "E" + strconv.Itoa(n)
}

// decimalText is a number as Java's BigDecimal prints it: plain unless it is very small.
func decimalText(v decimal128.Num, t types.Type) string {
	scale := t.(types.Decimal).S
	unscaled := v.BigInt().String()
	digits := strings.TrimPrefix(unscaled, "-")
	exponent := len(digits) - 1 - scale
	if scale == 0 || exponent >= -6 {
		return v.ToString(int32(scale))
	}
	s := digits[:1]
	if len(digits) > 1 {
		s += "." + digits[1:]
	}
	if unscaled != digits {
		s = "-" + s
	}
	return s + "E" + strconv.Itoa(exponent)
}

func dateText(days int64) string {
	t := time.Unix(days*86400, 0).UTC()
	return yearText(t.Year()) + t.Format("-01-02")
}

func yearText(y int) string {
	switch {
	case y < 0:
		return fmt.Sprintf("-%04d", -y)
	case y > 9999:
		return fmt.Sprintf("+%d", y)
	}
	return fmt.Sprintf("%04d", y)
}

func momentText(local int64) string {
	return dateText(floorDiv(local, day)) + " " + clockText(local-floorDiv(local, day)*day)
}

func clockText(us int64) string {
	s := fmt.Sprintf("%02d:%02d:%02d", us/hour, us/minute%60, us/second%60)
	if f := us % second; f != 0 {
		s += strings.TrimRight(fmt.Sprintf(".%06d", f), "0")
	}
	return s
}

func yearMonthText(months int64, t types.YearMonth) string {
	sign := ""
	if months < 0 {
		sign, months = "-", -months
	}
	var s string
	switch {
	case t.From == t.To && t.From == types.Year:
		s = strconv.FormatInt(months/12, 10)
	case t.From == t.To:
		s = strconv.FormatInt(months, 10)
	default:
		s = fmt.Sprintf("%d-%d", months/12, months%12)
	}
	return "INTERVAL '" + sign + s + "'" + fieldsText(t.From, t.To)
}

func fieldsText(from, to types.Unit) string {
	s := " " + strings.ToUpper(from.String())
	if from != to {
		s += " TO " + strings.ToUpper(to.String())
	}
	return s
}

func dayTimeText(us int64, t types.DayTime) string {
	sign, rest := "", uint64(us)
	if us < 0 {
		sign, rest = "-", -rest // also right for the smallest number
	}
	var parts []string
	format := "%d"
	size := [...]uint64{types.Day: uint64(day), types.Hour: uint64(hour), types.Minute: uint64(minute), types.Second: uint64(second)}
	for u := t.From; u <= t.To; u++ {
		if u > types.Day {
			format = "%02d"
		}
		s := fmt.Sprintf(format, rest/size[u])
		rest %= size[u]
		if u == types.Second && rest != 0 {
			s += strings.TrimRight(fmt.Sprintf(".%06d", rest), "0")
		}
		parts = append(parts, s)
	}
	s := parts[0]
	for i, p := range parts[1:] {
		if i == 0 && t.From == types.Day {
			s += " " + p
		} else {
			s += ":" + p
		}
	}
	return "INTERVAL '" + sign + s + "'" + fieldsText(t.From, t.To)
}

// intervalWords is a calendar interval in words: 1 years 2 months 3 days 4 hours 5.5 seconds.
func intervalWords(i types.Interval) string {
	var out []string
	add := func(n int64, unit string) {
		if n != 0 {
			out = append(out, strconv.FormatInt(n, 10)+" "+unit)
		}
	}
	add(int64(i.Months/12), "years")
	add(int64(i.Months%12), "months")
	add(int64(i.Days), "days")
	add(i.Micros/hour, "hours")
	add(i.Micros%hour/minute, "minutes")
	if rest := i.Micros % minute; rest != 0 {
		s := strings.TrimRight(fmt.Sprintf("%d.%06d", rest/second, max(rest%second, -rest%second)), "0")
		if rest < 0 && rest/second == 0 {
			s = "-" + s
		}
		out = append(out, strings.TrimSuffix(s, ".")+" seconds")
	}
	if len(out) == 0 {
		return "0 seconds"
	}
	return strings.Join(out, " ")
}

// texts joins the texts of arguments.
func texts(args []term) string {
	out := make([]string, len(args))
	for i, t := range args {
		out[i] = t.text
	}
	return strings.Join(out, ", ")
}
