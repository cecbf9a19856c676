package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// The parts of intervals, in microseconds.
const (
	second = int64(1e6)
	minute = 60 * second
	hour   = 60 * minute
	day24  = 24 * hour
)

// yearMonth is an interval of months as Spark casts it to a string: INTERVAL '1-2' YEAR TO MONTH.
func yearMonth(months int64, t types.YearMonth) string {
	sign := ""
	if months < 0 {
		sign, months = "-", -months
	}
	body := fmt.Sprintf("%d-%d", months/12, months%12)
	if t.From == t.To {
		body = strconv.FormatInt(months, 10)
		if t.From == types.Year {
			body = strconv.FormatInt(months/12, 10)
		}
	}
	return interval(sign+body, t.From, t.To)
}

// dayTime is an interval of microseconds as Spark casts it to a string: INTERVAL '1 02:03:04.5' DAY TO SECOND. The
// first field holds all that is larger.
func dayTime(micros int64, t types.DayTime) string {
	sign, rest := "", uint64(micros)
	if micros < 0 {
		sign, rest = "-", -rest
	}
	var b strings.Builder
	b.WriteString(sign)
	for u := t.From; u <= t.To; u++ {
		switch {
		case u == t.From:
		case u == types.Hour:
			b.WriteByte(' ')
		default:
			b.WriteByte(':')
		}
		size := uint64([]int64{day24, hour, minute, second}[u-types.Day])
		if u == t.From && u != types.Second {
			fmt.Fprintf(&b, "%d", rest/size)
		} else {
			fmt.Fprintf(&b, "%02d", rest/size)
		}
		rest %= size
	}
	if t.To == types.Second {
		b.WriteString(fraction(int(rest)))
	}
	return interval(b.String(), t.From, t.To)
}

func interval(body string, from, to types.Unit) string {
	unit := strings.ToUpper(from.String())
	if from != to {
		unit += " TO " + strings.ToUpper(to.String())
	}
	return "INTERVAL '" + body + "' " + unit
}

// calendarInterval is "1 years 2 months 3 days 4 hours 5 minutes 6.5 seconds", each part with its own sign.
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
	add(v.Micros/hour, "hours")
	add(v.Micros%hour/minute, "minutes")
	if s := v.Micros % minute; s != 0 {
		sign := ""
		if s < 0 {
			sign, s = "-", -s
		}
		parts = append(parts, sign+strconv.FormatInt(s/second, 10)+fraction(int(s%second))+" seconds")
	}
	if len(parts) == 0 {
		return "0 seconds"
	}
	return strings.Join(parts, " ")
}
