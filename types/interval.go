package types

import (
	"strconv"
	"strings"
)

// AppendYearMonth appends a number of months as a constant of type t: INTERVAL '1-2' YEAR TO MONTH.
func AppendYearMonth(dst []byte, months int64, t YearMonth) []byte {
	dst = append(dst, "INTERVAL '"...)
	if months < 0 {
		dst, months = append(dst, '-'), -months
	}
	switch {
	case t.From == Month:
		dst = strconv.AppendInt(dst, months, 10)
	case t.To == Year:
		dst = strconv.AppendInt(dst, months/12, 10)
	default:
		dst = strconv.AppendInt(dst, months/12, 10)
		dst = strconv.AppendInt(append(dst, '-'), months%12, 10)
	}
	return appendUnits(append(dst, "' "...), t.From, t.To)
}

// AppendDayTime appends a number of microseconds as a constant of type t: INTERVAL '1 02:03:04.5' DAY TO SECOND. The first
// field holds all that is larger than it; what is smaller than the last is left out.
func AppendDayTime(dst []byte, micros int64, t DayTime) []byte {
	dst = append(dst, "INTERVAL '"...)
	rest := uint64(micros)
	if micros < 0 {
		dst, rest = append(dst, '-'), -rest // right for the smallest number too
	}
	for u := t.From; u <= t.To; u++ {
		n := int64(rest / uint64(UnitMicros(u)))
		rest %= uint64(UnitMicros(u))
		switch {
		case u == t.From:
		case u == Hour:
			dst = append(dst, ' ')
		default:
			dst = append(dst, ':')
		}
		if u == Day {
			dst = strconv.AppendInt(dst, n, 10)
		} else {
			dst = AppendPadded(dst, n, 2)
		}
	}
	if t.To == Second {
		dst = appendFraction(dst, int64(rest))
	}
	return appendUnits(append(dst, "' "...), t.From, t.To)
}

func appendUnits(dst []byte, from, to Unit) []byte {
	dst = append(dst, strings.ToUpper(from.String())...)
	if from != to {
		dst = append(append(dst, " TO "...), strings.ToUpper(to.String())...)
	}
	return dst
}

// UnitMicros is the length of a field of [DayTime] in microseconds, and 0 for a year and a month.
func UnitMicros(u Unit) int64 {
	switch u {
	case Day:
		return microsPerDay
	case Hour:
		return microsPerHour
	case Minute:
		return microsPerMinute
	case Second:
		return microsPerSecond
	}
	return 0
}

// AppendInterval appends a calendar interval in words, each part with its own sign and those that are zero left out:
// 1 years 2 months 3 days -4 hours 5.5 seconds.
func AppendInterval(dst []byte, v Interval) []byte {
	n := len(dst)
	add := func(count int64, unit string) {
		if count == 0 {
			return
		}
		if len(dst) > n {
			dst = append(dst, ' ')
		}
		dst = append(strconv.AppendInt(dst, count, 10), unit...)
	}
	add(int64(v.Months/12), " years")
	add(int64(v.Months%12), " months")
	add(int64(v.Days), " days")
	add(v.Micros/microsPerHour, " hours")
	add(v.Micros%microsPerHour/microsPerMinute, " minutes")
	if s := v.Micros % microsPerMinute; s != 0 {
		if len(dst) > n {
			dst = append(dst, ' ')
		}
		if s < 0 {
			dst, s = append(dst, '-'), -s
		}
		dst = strconv.AppendInt(dst, s/microsPerSecond, 10)
		dst = append(appendFraction(dst, s%microsPerSecond), " seconds"...)
	}
	if len(dst) == n {
		dst = append(dst, "0 seconds"...)
	}
	return dst
}
