package duckdb

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// timeFunctions compute on dates and times.
var timeFunctions = map[string]udf{
	"local":             zoned(func(_ use, r *row, z *zone) (int64, error) { return z.local(r.int(0)), nil }),
	"instant":           zoned(func(_ use, r *row, z *zone) (int64, error) { return z.instant(r.int(0)), nil }),
	"make_date":         intUDF(makeDate),
	"make_timestamp":    zoned(makeTimestamp),
	"timestamp_of":      zoned(timestampOf),
	"make_time":         intUDF(makeTime),
	"date_format":       patterned(dateFormat),
	"to_time_by":        parsedBy(timeBy),
	"to_timestamp_by":   parsedBy(timestampBy),
	"to_date_by":        parsedBy(dateBy),
	"unix_timestamp_by": parsedBy(func(u use, t parsedTime, z *zone) (int64, error) { return secondsBy(t, z) }),
	"trunc":             intUDF(truncDate),
	"date_trunc":        zoned(dateTrunc),
	"add_months":        intUDF(func(_ use, r *row) (int64, error) { return addMonths(r.int(0), r.int(1)), nil }),
	"months_between":    zonedFloat(monthsBetween),
	"next_day":          intUDF(nextDay),
	"date_part":         intUDF(datePart),
	"date_part_seconds": decimalUDF(datePartSeconds),
	"timestampadd":      zoned(timestampAdd),
	"timestampdiff":     zoned(timestampDiff),
	"shift_zone":        zoned(shiftZone),
	"convert_timezone":  intUDF(convertTimezone),
	"timestamp_seconds": intUDF(timestampSeconds),
	"timestamp_scaled":  intUDF(timestampScaled),
	"time_trunc":        intUDF(timeTrunc),
	"time_diff":         intUDF(timeDiff),
	"window_start":      intUDF(windowStart),
	"dayname": textUDF(func(_ use, r *row) ([]byte, error) {
		return []byte(dayNames[floorMod(r.int(0)+3, 7)][:3]), nil
	}),
	"monthname": textUDF(func(_ use, r *row) ([]byte, error) {
		_, m, _ := types.CivilDate(r.int(0))
		return []byte(monthNames[m-1][:3]), nil
	}),
}

func (u use) outOfBounds(message string) error {
	if u.mode != rel.ANSI {
		return errNull
	}
	return raiseError("DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION", "rangeMessage", message, "ansiConfig", ansiConfig)
}

// checkDate says what is wrong with a date, in Java's words.
func checkDate(y, m, d int64) string {
	switch {
	case y < -999999999 || y > 999999999:
		return fmt.Sprintf("Invalid value for Year (valid values -999999999 - 999999999): %d", y)
	case m < 1 || m > 12:
		return fmt.Sprintf("Invalid value for MonthOfYear (valid values 1 - 12): %d", m)
	case d < 1 || d > 31:
		return fmt.Sprintf("Invalid value for DayOfMonth (valid values 1 - 28/31): %d", d)
	case d > int64(monthDays(y, int(m))):
		if m == 2 && d == 29 {
			return fmt.Sprintf("Invalid date 'February 29' as '%d' is not a leap year", y)
		}
		return fmt.Sprintf("Invalid date '%s %d'", strings.ToUpper(monthNames[m-1]), d)
	}
	return ""
}

func checkClock(h, m, s int64) string {
	switch {
	case h < 0 || h > 23:
		return fmt.Sprintf("Invalid value for HourOfDay (valid values 0 - 23): %d", h)
	case m < 0 || m > 59:
		return fmt.Sprintf("Invalid value for MinuteOfHour (valid values 0 - 59): %d", m)
	case s < 0 || s > 59:
		return fmt.Sprintf("Invalid value for SecondOfMinute (valid values 0 - 59): %d", s)
	}
	return ""
}

func makeDate(u use, r *row) (int64, error) {
	y, m, d := r.int(0), r.int(1), r.int(2)
	if msg := checkDate(y, m, d); msg != "" {
		return 0, u.outOfBounds(msg)
	}
	return types.CivilDay(y, int(m), int(d)), nil
}

// makeTimestamp is make_timestamp(y, m, d, h, min, s[, zone]), of either timestamp type.
func makeTimestamp(u use, r *row, z *zone) (int64, error) {
	y, mo, d, h, mi := r.int(0), r.int(1), r.int(2), r.int(3), r.int(4)
	sec, _ := number{r.decimal(5), scaleOf(u.args[5])}.rescale(30, 6)
	micros := sec.Int64()
	s := floorDiv(micros, microsPerSecond)
	if msg := checkDate(y, mo, d); msg != "" {
		return 0, u.outOfBounds(msg)
	}
	extra := int64(0)
	if s == 60 {
		if micros != 60*microsPerSecond {
			if u.mode != rel.ANSI {
				return 0, errNull
			}
			return 0, raiseError("INVALID_FRACTION_OF_SECOND", "secAndMicros", number{r.decimal(5), scaleOf(u.args[5])}.text(), "ansiConfig", ansiConfig)
		}
		extra, micros, s = microsPerMinute, 0, 0
	}
	if msg := checkClock(h, mi, s); msg != "" {
		return 0, u.outOfBounds(msg)
	}
	wall, ok := wallMicros(types.CivilDay(y, int(mo), int(d)), h*microsPerHour+mi*microsPerMinute+micros+extra)
	if !ok {
		return 0, u.outOfBounds("long overflow")
	}
	if u.result == types.TimestampNTZ {
		return wall, nil
	}
	if len(u.args) > 6 {
		other, err := zoneArg(r.text(6))
		if err != nil {
			return 0, u.fail(err)
		}
		return other.instant(wall), nil
	}
	return z.instant(wall), nil
}

// zoneArg is a zone given as an argument.
func zoneArg(name string) (*zone, error) {
	z, err := newZone(name)
	if err != nil {
		return nil, raiseError("INVALID_TIMEZONE", "timeZone", name)
	}
	return z, nil
}

// timestampOf is a timestamp of a date and a time of day[, zone].
func timestampOf(u use, r *row, z *zone) (int64, error) {
	wall, ok := wallMicros(r.int(0), r.int(1))
	if !ok {
		return 0, u.outOfBounds("long overflow")
	}
	if u.result == types.TimestampNTZ {
		return wall, nil
	}
	if len(u.args) > 2 {
		other, err := zoneArg(r.text(2))
		if err != nil {
			return 0, err
		}
		z = other
	}
	return z.instant(wall), nil
}

func makeTime(u use, r *row) (int64, error) {
	sec, _ := number{r.decimal(2), scaleOf(u.args[2])}.rescale(30, 6)
	if msg := checkClock(r.int(0), r.int(1), floorDiv(sec.Int64(), microsPerSecond)); msg != "" {
		return 0, raiseError("DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION", "rangeMessage", msg)
	}
	return r.int(0)*microsPerHour + r.int(1)*microsPerMinute + sec.Int64(), nil
}

// patterned is a function of text result whose second argument is a date pattern.
func patterned(f func(u use, r *row, z *zone, p datePattern) ([]byte, error)) udf {
	return inZone(func(u use, z *zone, n int, in []Vec, out *Out) error {
		var m memo[datePattern]
		return each(u, in, n, out, false, func(r *row) error {
			p, err := m.get(r.text(1), func(s string) (datePattern, error) { return compilePattern(s, false) })
			if err != nil {
				return raisePattern(err)
			}
			b, err := f(u, r, z, p)
			if err == nil {
				out.SetText(r.i, b)
			}
			return err
		})
	})
}

func raisePattern(err error) error {
	var bad *patternError
	if errors.As(err, &bad) {
		return bad.raise()
	}
	return err
}

func dateFormat(u use, r *row, z *zone, p datePattern) ([]byte, error) {
	switch u.args[0] {
	case types.Timestamp:
		return p.format(nil, momentOf(r.int(0), z)), nil
	case types.Long:
		return p.format(nil, momentOf(r.int(0)*microsPerSecond, z)), nil
	}
	return p.format(nil, moment{wall: r.int(0)}), nil
}

// parsedBy is a function that reads text by a pattern.
func parsedBy(f func(u use, t parsedTime, z *zone) (int64, error)) udf {
	return inZone(func(u use, z *zone, n int, in []Vec, out *Out) error {
		set := intSetter(out, intWidth(u.result))
		var m memo[datePattern]
		return each(u, in, n, out, false, func(r *row) error {
			p, err := m.get(r.text(1), func(s string) (datePattern, error) { return compilePattern(s, true) })
			if err != nil {
				return raisePattern(err)
			}
			t, err := p.parse(r.text(0))
			if err != nil {
				if u.mode != rel.ANSI {
					return errNull
				}
				return raiseError("CANNOT_PARSE_TIMESTAMP", "func", "`"+tolerant(u)+"`", "message", err.Error())
			}
			x, err := f(u, t, z)
			if err == nil {
				set(r.i, x)
			}
			return err
		})
	})
}

// tolerant is the function that the error of a failed parse recommends.
func tolerant(u use) string {
	if u.result == types.Date {
		return "try_to_date"
	}
	if u.param != "" {
		return u.param
	}
	return "try_to_timestamp"
}

func timestampBy(u use, t parsedTime, z *zone) (int64, error) {
	wall, _ := wallMicros(t.days(), t.clock())
	if u.result == types.TimestampNTZ {
		return wall, nil
	}
	if t.zone != "" {
		other, err := newZone(t.zone)
		if err != nil {
			return 0, err
		}
		z = other
	}
	return z.instant(wall), nil
}

func dateBy(_ use, t parsedTime, _ *zone) (int64, error) { return t.days(), nil }

func timeBy(_ use, t parsedTime, _ *zone) (int64, error) { return t.clock(), nil }

func secondsBy(t parsedTime, z *zone) (int64, error) {
	micros, err := timestampBy(use{result: types.Timestamp}, t, z)
	return floorDiv(micros, microsPerSecond), err
}

// truncDays is the first day of a unit that holds a day.
func truncDays(days int64, unit string) (int64, bool) {
	y, m, _ := types.CivilDate(days)
	switch strings.ToUpper(unit) {
	case "YEAR", "YYYY", "YY":
		return types.CivilDay(y, 1, 1), true
	case "QUARTER":
		return types.CivilDay(y, (m-1)/3*3+1, 1), true
	case "MONTH", "MM", "MON":
		return types.CivilDay(y, m, 1), true
	case "WEEK":
		return days - floorMod(days+3, 7), true
	}
	return 0, false
}

func truncDate(_ use, r *row) (int64, error) {
	d, ok := truncDays(r.int(0), r.text(1))
	if !ok {
		return 0, errNull
	}
	return d, nil
}

// dateTrunc is date_trunc(unit, timestamp).
func dateTrunc(u use, r *row, z *zone) (int64, error) {
	unit, t := strings.ToUpper(r.text(0)), r.int(1)
	switch unit {
	case "MICROSECOND":
		return t, nil
	case "MILLISECOND":
		return t - floorMod(t, 1000), nil
	case "SECOND":
		return t - floorMod(t, microsPerSecond), nil
	}
	ltz := u.result == types.Timestamp
	wall := t
	if ltz {
		wall = z.local(t)
	}
	switch unit {
	case "MINUTE":
		wall -= floorMod(wall, microsPerMinute)
	case "HOUR":
		wall -= floorMod(wall, microsPerHour)
	case "DAY", "DD":
		wall -= floorMod(wall, microsPerDay)
	default:
		d, ok := truncDays(floorDiv(wall, microsPerDay), unit)
		if !ok {
			return 0, errNull
		}
		wall = d * microsPerDay
	}
	if ltz {
		return z.instant(wall), nil
	}
	return wall, nil
}

// zonedFloat makes a function of double result that needs the session zone.
func zonedFloat(f func(u use, r *row, z *zone) (float64, error)) udf {
	return inZone(func(u use, z *zone, n int, in []Vec, out *Out) error {
		to := Results[float64](out)
		return each(u, in, n, out, false, func(r *row) (err error) {
			to[r.i], err = f(u, r, z)
			return err
		})
	})
}

// monthsBetween counts a month as 31 days where days differ, and rounds to 8 digits unless told not to.
func monthsBetween(u use, r *row, z *zone) (float64, error) {
	a, b := z.local(r.int(0)), z.local(r.int(1))
	da, db := floorDiv(a, microsPerDay), floorDiv(b, microsPerDay)
	ya, ma, dda := types.CivilDate(da)
	yb, mb, ddb := types.CivilDate(db)
	months := float64((ya-yb)*12 + int64(ma-mb))
	last := func(y int64, m, d int) bool { return d == monthDays(y, m) }
	if dda == ddb || last(ya, ma, dda) && last(yb, mb, ddb) {
		return months, nil
	}
	seconds := int64(dda-ddb)*86400 + floorMod(a, microsPerDay)/microsPerSecond - floorMod(b, microsPerDay)/microsPerSecond
	out := months + float64(seconds)/(31*86400)
	if len(u.args) > 2 && !r.bool(2) {
		return out, nil
	}
	return math.Floor(out*1e8+0.5) / 1e8, nil
}

func nextDay(u use, r *row) (int64, error) {
	name := strings.ToUpper(strings.TrimSpace(r.text(1)))
	for i, full := range dayNames {
		f := strings.ToUpper(full)
		if name == f || name == f[:3] || name == f[:2] {
			days := r.int(0)
			now := floorMod(days+3, 7)
			return days + floorMod(int64(i)-now-1, 7) + 1, nil
		}
	}
	if u.mode != rel.ANSI {
		return 0, errNull
	}
	return 0, raiseError("ILLEGAL_DAY_OF_WEEK", "string", r.text(1))
}

// partNames are the fields that extract knows, by all their names.
var partNames = map[string]string{"YEAR": "year", "Y": "year", "YEARS": "year", "YR": "year", "YRS": "year",
	"YEAROFWEEK": "yearofweek", "QUARTER": "quarter", "QTR": "quarter", "MONTH": "month", "MON": "month", "MONS": "month", "MONTHS": "month",
	"WEEK": "week", "W": "week", "WEEKS": "week", "DAY": "day", "D": "day", "DAYS": "day", "DAYOFWEEK": "dayofweek", "DOW": "dayofweek",
	"DAYOFWEEK_ISO": "isodow", "DOW_ISO": "isodow", "DOY": "doy", "HOUR": "hour", "H": "hour", "HOURS": "hour", "HR": "hour", "HRS": "hour",
	"MINUTE": "minute", "M": "minute", "MIN": "minute", "MINS": "minute", "MINUTES": "minute",
	"SECOND": "second", "S": "second", "SEC": "second", "SECONDS": "second", "SECS": "second"}

// datePart is one field, named by the template, of a wall clock in microseconds, a date or an interval.
func datePart(u use, r *row) (int64, error) {
	v := r.int(0)
	switch t := u.args[0].(type) {
	case types.YearMonth:
		if u.param == "year" {
			return v / 12, nil
		}
		return v % 12, nil
	case types.DayTime:
		return clockPart(v/microsPerDay, v%microsPerDay, u.param), nil
	case types.Time:
		return clockPart(0, v, u.param), nil
	case types.Basic:
		if t == types.Date {
			return calendarPart(v, u.param), nil
		}
	}
	switch u.param {
	case "hour", "minute", "second":
		return clockPart(0, floorMod(v, microsPerDay), u.param), nil
	}
	return calendarPart(floorDiv(v, microsPerDay), u.param), nil
}

func clockPart(days, clock int64, part string) int64 {
	switch part {
	case "hour":
		return clock / microsPerHour
	case "minute":
		return clock / microsPerMinute % 60
	case "second":
		return clock / microsPerSecond % 60
	}
	return days
}

func calendarPart(days int64, part string) int64 {
	y, m, d := types.CivilDate(days)
	switch part {
	case "year":
		return y
	case "quarter":
		return int64(m-1)/3 + 1
	case "month":
		return int64(m)
	case "day":
		return int64(d)
	case "dayofweek":
		return floorMod(days+4, 7) + 1
	case "isodow":
		return floorMod(days+3, 7) + 1
	case "weekday":
		return floorMod(days+3, 7)
	case "doy":
		return days - types.CivilDay(y, 1, 1) + 1
	}
	thursday := days - floorMod(days+3, 7) + 3 // of the ISO week
	wy, _, _ := types.CivilDate(thursday)
	if part == "yearofweek" {
		return wy
	}
	return (thursday-types.CivilDay(wy, 1, 1))/7 + 1
}

func datePartSeconds(u use, r *row) (*big.Int, error) {
	v := r.int(0)
	if _, ok := u.args[0].(types.DayTime); ok {
		return big.NewInt(v % microsPerMinute), nil
	}
	return big.NewInt(floorMod(v, microsPerMinute)), nil
}

// unitMonths and unitSpan are the sizes of the units of timestampadd and timestampdiff.
func unitMonths(unit string) int64 {
	return map[string]int64{"YEAR": 12, "QUARTER": 3, "MONTH": 1}[unit]
}

func unitSpan(unit string) int64 {
	return map[string]int64{"WEEK": 7 * microsPerDay, "DAY": microsPerDay, "DAYOFYEAR": microsPerDay, "HOUR": microsPerHour,
		"MINUTE": microsPerMinute, "SECOND": microsPerSecond, "MILLISECOND": 1000, "MICROSECOND": 1}[unit]
}

// timestampAdd is timestampadd(unit, n, t).
func timestampAdd(u use, r *row, z *zone) (int64, error) {
	unit, n, t := strings.ToUpper(r.text(0)), r.int(1), r.int(2)
	ltz := u.args[2] == types.Timestamp
	overflow := raiseError("DATETIME_OVERFLOW", "operation", fmt.Sprintf("add %d %s to %s", n, unit, stampSQL(t, ltz, z)))
	months, span := unitMonths(unit), unitSpan(unit)
	if months == 0 && span < microsPerDay {
		d, fits := mul64(n, span)
		if s := t + d; fits && span != 0 && (s > t) == (d > 0) {
			return s, nil
		}
		return 0, overflow
	}
	wall := t
	if ltz {
		wall = z.local(t)
	}
	days := floorDiv(wall, microsPerDay)
	if n > math.MaxInt32 || n < math.MinInt32 {
		return 0, overflow
	}
	if months > 0 {
		days = addMonths(days, n*months)
	} else {
		days += n * (span / microsPerDay)
	}
	wall, ok := wallMicros(days, floorMod(wall, microsPerDay))
	if !ok || days > 106751991 {
		return 0, overflow
	}
	if ltz {
		return z.instant(wall), nil
	}
	return wall, nil
}

func stampSQL(t int64, ltz bool, z *zone) string {
	if ltz {
		return "TIMESTAMP '" + string(types.AppendTimestampNTZ(nil, z.local(t))) + "'"
	}
	return "TIMESTAMP_NTZ '" + string(types.AppendTimestampNTZ(nil, t)) + "'"
}

// timestampDiff is timestampdiff(unit, from, to): whole units.
func timestampDiff(_ use, r *row, z *zone) (int64, error) {
	unit, a, b := strings.ToUpper(r.text(0)), z.local(r.int(1)), z.local(r.int(2))
	if m := unitMonths(unit); m > 0 {
		return monthsDiff(a, b) / m, nil
	}
	span := unitSpan(unit)
	if span == 0 {
		return 0, errNull
	}
	return (b - a) / span, nil
}

// monthsDiff counts the whole months from a to b.
func monthsDiff(a, b int64) int64 {
	if b < a {
		return -monthsDiff(b, a)
	}
	da, db := floorDiv(a, microsPerDay), floorDiv(b, microsPerDay)
	ya, ma, dda := types.CivilDate(da)
	yb, mb, ddb := types.CivilDate(db)
	n := (yb-ya)*12 + int64(mb-ma)
	if ddb < dda || ddb == dda && floorMod(b, microsPerDay) < floorMod(a, microsPerDay) {
		n--
	}
	return n
}

// shiftZone is from_utc_timestamp (param from) or to_utc_timestamp (to).
func shiftZone(u use, r *row, session *zone) (int64, error) {
	z, err := zoneArg(r.text(1))
	if err != nil {
		return 0, err
	}
	wall := session.local(r.int(0))
	if u.param == "from" {
		return session.instant(z.local(wall)), nil
	}
	return session.instant(z.instant(wall)), nil
}

// convertTimezone is convert_timezone(from, to, wall clock).
func convertTimezone(_ use, r *row) (int64, error) {
	from, err := zoneArg(r.text(0))
	if err != nil {
		return 0, err
	}
	to, err := zoneArg(r.text(1))
	if err != nil {
		return 0, err
	}
	return to.local(from.instant(r.int(2))), nil
}

func timestampSeconds(u use, r *row) (int64, error) {
	switch t := u.args[0].(type) {
	case types.Decimal:
		n := new(big.Int).Mul(r.decimal(0), pow10(6))
		q, rest := n.QuoRem(n, pow10(t.S), new(big.Int))
		if rest.Sign() != 0 {
			return 0, errors.New("Rounding necessary")
		}
		if !q.IsInt64() {
			return 0, errors.New("Overflow")
		}
		return q.Int64(), nil
	case types.Basic:
		if t == types.Float || t == types.Double {
			f := r.float(0)
			if math.IsNaN(f) || math.IsInf(f, 0) {
				return 0, errNull
			}
			return saturate(f*1e6, types.Long), nil
		}
	}
	n, fits := mul64(r.int(0), microsPerSecond)
	if !fits {
		return 0, u.arithmeticOverflow("long overflow", "")
	}
	return n, nil
}

// timestampScaled multiplies by the micros that the template names.
func timestampScaled(u use, r *row) (int64, error) {
	k, _ := strconv.ParseInt(u.param, 10, 64)
	n, fits := mul64(r.int(0), k)
	if !fits {
		return 0, u.arithmeticOverflow("long overflow", "")
	}
	return n, nil
}

func timeTrunc(u use, r *row) (int64, error) {
	span := unitSpan(strings.ToUpper(r.text(0)))
	if span == 0 || span > microsPerHour {
		return 0, raiseError("INVALID_PARAMETER_VALUE.TIME_UNIT", "functionName", "`time_trunc`", "parameter", "`unit`", "invalidValue", textSQL(r.text(0)))
	}
	return r.int(1) - r.int(1)%span, nil
}

func timeDiff(u use, r *row) (int64, error) {
	span := unitSpan(strings.ToUpper(r.text(0)))
	if span == 0 || span > microsPerHour {
		return 0, raiseError("INVALID_PARAMETER_VALUE.TIME_UNIT", "functionName", "`time_diff`", "parameter", "`unit`", "invalidValue", textSQL(r.text(0)))
	}
	return (r.int(2) - r.int(1)) / span, nil
}

// windowStart is the start of the tumbling window of a size that holds a time.
func windowStart(_ use, r *row) (int64, error) {
	size := r.int(1)
	if size <= 0 {
		return 0, errNull
	}
	return r.int(0) - floorMod(r.int(0), size), nil
}
