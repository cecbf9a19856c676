package duckdb

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// intervalFunctions compute on intervals, and move times by them.
var intervalFunctions = map[string]udf{
	"interval_add":    intUDF(func(u use, r *row) (int64, error) { return intervalSum(u, r.int(0), r.int(1), "try_add") }),
	"interval_sub":    intUDF(intervalSub),
	"interval_neg":    intUDF(intervalNeg),
	"interval_mul":    timesInterval(intervalMul),
	"interval_div":    timesInterval(intervalDiv),
	"shift_date":      intUDF(shiftDateBy),
	"shift_timestamp": zoned(shiftTimestamp),
	"shift_time":      intUDF(shiftTime),
	"minus_timestamps": zoned(func(u use, r *row, z *zone) (int64, error) {
		if u.args[0] == types.TimestampNTZ {
			return intervalSum(u, r.int(0), -r.int(1), "try_subtract")
		}
		return intervalSum(u, z.local(r.int(0)), -z.local(r.int(1)), "try_subtract")
	}),
	"date_period":      valueUDF(strict(datePeriod)),
	"make_interval":    valueUDF(strict(makeInterval)),
	"make_dt_interval": intUDF(makeDayTime),
	"make_ym_interval": intUDF(makeYearMonth),
}

func (u use) intervalOverflow(try string) error {
	if u.mode == rel.Try {
		return errNull
	}
	if try == "" {
		return raiseError("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")
	}
	return raiseError("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "functionName", "`"+try+"`")
}

// whole is n when the result type holds it.
func (u use) whole(n *big.Int, try string) (int64, error) {
	lo, hi := bounds(u.result)
	if !n.IsInt64() || n.Int64() < lo || n.Int64() > hi {
		return 0, u.intervalOverflow(try)
	}
	return n.Int64(), nil
}

func intervalSum(u use, a, b int64, try string) (int64, error) {
	return u.whole(new(big.Int).Add(big.NewInt(a), big.NewInt(b)), try)
}

func intervalSub(u use, r *row) (int64, error) {
	return u.whole(new(big.Int).Sub(big.NewInt(r.int(0)), big.NewInt(r.int(1))), "try_subtract")
}

func intervalNeg(u use, r *row) (int64, error) {
	return u.whole(new(big.Int).Neg(big.NewInt(r.int(0))), "")
}

// timesInterval is a product or quotient of an interval, of one number or of the calendar.
func timesInterval(f func(u use, r *row, n int64) (*big.Int, error)) udf {
	single := intUDF(func(u use, r *row) (int64, error) {
		n, err := f(u, r, r.int(0))
		if err != nil {
			return 0, err
		}
		return u.whole(n, "try_divide")
	})
	calendar := valueUDF(strict(func(u use, r *row) (types.Value, error) { return calendarTimes(u, r, f) }))
	return udf{nulls: true, make: func(u use) (Eval, error) {
		if u.args[0] == types.CalendarInterval {
			return calendar.make(u)
		}
		eval, err := single.make(u)
		if err != nil {
			return nil, err
		}
		return func(n int, in []Vec, out *Out) error {
			for i := range n {
				if !in[0].Valid(i) || !in[1].Valid(i) {
					out.SetNull(i)
				}
			}
			return eval(n, in, out)
		}, nil
	}}
}

func calendarTimes(u use, r *row, f func(u use, r *row, n int64) (*big.Int, error)) (types.Value, error) {
	iv, x := r.interval(0), r.float(1)
	if _, err := f(u, r, 0); err != nil {
		return nil, err
	}
	if u.param == "div" {
		x = 1 / x
	}
	months := float64(iv.Months) * x
	days := float64(iv.Days)*x + 0
	micros := float64(iv.Micros) * x
	whole := math.Trunc(days)
	micros += (days - whole) * float64(microsPerDay)
	if math.Abs(months) > math.MaxInt32 || math.Abs(whole) > math.MaxInt32 || math.Abs(micros) > math.MaxInt64 {
		return nil, u.intervalOverflow("try_divide")
	}
	return types.Interval{Months: int32(months), Days: int32(whole), Micros: int64(math.Round(micros))}, nil
}

func intervalMul(u use, r *row, n int64) (*big.Int, error) {
	switch t := u.args[1].(type) {
	case types.Decimal:
		return divHalfUp(new(big.Int).Mul(big.NewInt(n), r.decimal(1)), pow10(t.S)), nil
	case types.Basic:
		if t == types.Float || t == types.Double {
			return wholeOf(u, float64(n)*r.float(1))
		}
	}
	return new(big.Int).Mul(big.NewInt(n), big.NewInt(r.int(1))), nil
}

// wholeOf is f rounded half up.
func wholeOf(u use, f float64) (*big.Int, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, u.intervalOverflow("try_divide")
	}
	n, _ := big.NewFloat(math.Round(f)).Int(nil)
	return n, nil
}

func intervalDiv(u use, r *row, n int64) (*big.Int, error) {
	zero := raiseError("INTERVAL_DIVIDED_BY_ZERO", "config", ansiConfig)
	if u.mode == rel.Try || u.mode == rel.Legacy && u.args[0] == types.CalendarInterval {
		zero = errNull
	}
	switch t := u.args[1].(type) {
	case types.Decimal:
		d := r.decimal(1)
		if d.Sign() == 0 {
			return nil, zero
		}
		return signedDiv(new(big.Int).Mul(big.NewInt(n), pow10(t.S)), d), nil
	case types.Basic:
		if t == types.Float || t == types.Double {
			if r.float(1) == 0 {
				return nil, zero
			}
			return wholeOf(u, float64(n)/r.float(1))
		}
	}
	if r.int(1) == 0 {
		return nil, zero
	}
	return signedDiv(big.NewInt(n), big.NewInt(r.int(1))), nil
}

// signedDiv is a/b rounded half away from zero.
func signedDiv(a, b *big.Int) *big.Int {
	if b.Sign() < 0 {
		a, b = new(big.Int).Neg(a), new(big.Int).Neg(b)
	}
	return divHalfUp(a, b)
}

// shiftBy is a calendar interval of argument 1, negated when the template says so.
func shiftBy(u use, r *row) types.Interval {
	var iv types.Interval
	switch u.args[1].(type) {
	case types.YearMonth:
		iv.Months = int32(r.int(1))
	case types.DayTime:
		iv.Days, iv.Micros = int32(r.int(1)/microsPerDay), r.int(1)%microsPerDay
	default:
		iv = r.interval(1)
	}
	if u.param == "sub" {
		iv.Months, iv.Days, iv.Micros = -iv.Months, -iv.Days, -iv.Micros
	}
	return iv
}

func shiftDateBy(u use, r *row) (int64, error) {
	iv := shiftBy(u, r)
	if iv.Micros != 0 && u.mode == rel.ANSI {
		return 0, raiseError("INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION", "ansiConfig", ansiConfig)
	}
	return addMonths(r.int(0), int64(iv.Months)) + int64(iv.Days) + floorDiv(iv.Micros, microsPerDay), nil
}

func shiftTimestamp(u use, r *row, z *zone) (int64, error) {
	iv := shiftBy(u, r)
	t := r.int(0)
	ltz := u.args[0] == types.Timestamp
	if iv.Months != 0 || iv.Days != 0 {
		wall := t
		if ltz {
			wall = z.local(t)
		}
		days := addMonths(floorDiv(wall, microsPerDay), int64(iv.Months)) + int64(iv.Days)
		var ok bool
		if wall, ok = wallMicros(days, floorMod(wall, microsPerDay)); !ok {
			return 0, raiseError("DATETIME_OVERFLOW", "operation", "add interval to timestamp")
		}
		if t = wall; ltz {
			t = z.instant(wall)
		}
	}
	n := t + iv.Micros
	if (n > t) != (iv.Micros > 0) && iv.Micros != 0 {
		return 0, raiseError("DATETIME_OVERFLOW", "operation", "add interval to timestamp")
	}
	return n, nil
}

func shiftTime(u use, r *row) (int64, error) {
	by := r.int(1)
	if u.param == "sub" {
		by = -by
	}
	n := r.int(0) + by
	if n < 0 || n >= microsPerDay {
		return 0, raiseError("DATETIME_OVERFLOW", "operation", fmt.Sprintf("add %s to the time value TIME '%s'",
			dayTimeSQL(by, u.args[1]), types.AppendTime(nil, r.int(0))))
	}
	return n, nil
}

// yearMonthSQL spells months as a constant of type t.
func yearMonthSQL(months int64, t types.Type) string {
	return string(types.AppendYearMonth(nil, months, t.(types.YearMonth)))
}

// dayTimeSQL spells microseconds as a constant of type t; of another type, with all fields.
func dayTimeSQL(micros int64, t types.Type) string {
	dt, ok := t.(types.DayTime)
	if !ok {
		dt = types.DayTime{From: types.Day, To: types.Second}
	}
	return string(types.AppendDayTime(nil, micros, dt))
}

// intervalBody is the quoted part of an interval constant, or the text itself, with the sign before it.
func intervalBody(s string) (body string, neg bool) {
	s = strings.TrimSpace(s)
	if len(s) >= 8 && strings.EqualFold(s[:8], "interval") {
		rest := strings.TrimSpace(s[8:])
		if strings.HasPrefix(rest, "-'") || strings.HasPrefix(rest, "+'") {
			neg, rest = rest[0] == '-', rest[1:]
		}
		if i := strings.LastIndexByte(rest, '\''); i > 0 && rest[0] == '\'' {
			s = rest[1:i]
		}
	}
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		neg, s = neg != (s[0] == '-'), s[1:]
	}
	return s, neg
}

func textToYearMonth(u use, r *row) (int64, error) {
	t := u.result.(types.YearMonth)
	body, neg := intervalBody(r.text(0))
	years, months, both := strings.Cut(body, "-")
	var n int64
	y, err := strconv.ParseInt(years, 10, 64)
	switch {
	case err != nil:
		return 0, u.invalidInterval(r.text(0))
	case both:
		m, err := strconv.ParseInt(months, 10, 64)
		if err != nil || m > 11 || t.From == t.To {
			return 0, u.invalidInterval(r.text(0))
		}
		n = y*12 + m
	case t.From == types.Month:
		n = y
	default:
		n = y * 12
	}
	if neg {
		n = -n
	}
	return u.whole(big.NewInt(n), "")
}

func (u use) invalidInterval(text string) error {
	if u.mode != rel.ANSI {
		return errNull
	}
	name := strings.ToUpper(strings.TrimPrefix(u.result.String(), "interval "))
	return raiseError("INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE", "input", text,
		"intervalStr", map[bool]string{true: "year-month", false: "day-time"}[intWidth(u.result) == 4],
		"supportedFormat", name, "typeName", "interval "+strings.ToLower(name))
}

func textToDayTime(u use, r *row) (int64, error) {
	t := u.result.(types.DayTime)
	body, neg := intervalBody(r.text(0))
	n, ok := parseDayTime(body, t)
	if !ok {
		return 0, u.invalidInterval(r.text(0))
	}
	if neg {
		n.Neg(n)
	}
	return u.whole(n, "")
}

// parseDayTime reads "d hh:mm:ss.f" with the fields of t.
func parseDayTime(s string, t types.DayTime) (*big.Int, bool) {
	total := new(big.Int)
	for u := t.From; u <= t.To; u++ {
		sep := ":"
		if u == types.Day {
			sep = " "
		}
		part := s
		if u < t.To {
			var found bool
			if part, s, found = strings.Cut(s, sep); !found {
				return nil, false
			}
		}
		frac := int64(0)
		if u == types.Second {
			whole, f, has := strings.Cut(part, ".")
			if has {
				p := &scanner{s: "." + f}
				if frac = p.fraction(); !p.done() || len(f) > 9 {
					return nil, false
				}
			}
			part = whole
		}
		n, err := strconv.ParseUint(part, 10, 63)
		if err != nil || u > t.From && n >= uint64(map[types.Unit]int64{types.Hour: 24, types.Minute: 60, types.Second: 60}[u]) {
			return nil, false
		}
		total.Add(total, new(big.Int).Mul(new(big.Int).SetUint64(n), big.NewInt(types.UnitMicros(u))))
		total.Add(total, big.NewInt(frac))
	}
	return total, true
}

func textToInterval(u use, r *row) (types.Value, error) {
	iv, ok := parseInterval(r.text(0))
	if !ok {
		return nil, u.invalid(r.text(0))
	}
	return iv, nil
}

// parseInterval reads "1 year -2 days 3.5 seconds", also behind the word interval.
func parseInterval(s string) (types.Interval, bool) {
	words := strings.Fields(strings.ToLower(s))
	if len(words) > 0 && words[0] == "interval" {
		words = words[1:]
	}
	months, days, micros := new(big.Int), new(big.Int), new(big.Int)
	if len(words) == 0 || len(words)%2 != 0 {
		return types.Interval{}, false
	}
	for i := 0; i < len(words); i += 2 {
		x, ok := parseNumber(words[i])
		unit := strings.TrimSuffix(words[i+1], "s")
		if !ok || x.scale > 0 && unit != "second" {
			return types.Interval{}, false
		}
		n, _ := x.rescale(40, 0)
		switch unit {
		case "year":
			months.Add(months, n.Mul(n, big.NewInt(12)))
		case "month":
			months.Add(months, n)
		case "week":
			days.Add(days, n.Mul(n, big.NewInt(7)))
		case "day":
			days.Add(days, n)
		case "hour":
			micros.Add(micros, n.Mul(n, big.NewInt(microsPerHour)))
		case "minute":
			micros.Add(micros, n.Mul(n, big.NewInt(microsPerMinute)))
		case "second":
			f, _ := x.rescale(40, 6)
			micros.Add(micros, f)
		case "millisecond":
			micros.Add(micros, n.Mul(n, big.NewInt(1000)))
		case "microsecond":
			micros.Add(micros, n)
		default:
			return types.Interval{}, false
		}
	}
	if !micros.IsInt64() || !fits32(months) || !fits32(days) {
		return types.Interval{}, false
	}
	return types.Interval{Months: int32(months.Int64()), Days: int32(days.Int64()), Micros: micros.Int64()}, true
}

func fits32(n *big.Int) bool {
	return n.IsInt64() && n.Int64() >= math.MinInt32 && n.Int64() <= math.MaxInt32
}

func yearMonthToInt(u use, r *row) (int64, error) {
	n := r.int(0)
	if u.args[0].(types.YearMonth).To == types.Year {
		n /= 12
	}
	if lo, hi := bounds(u.result); n < lo || n > hi {
		return 0, u.overflow(yearMonthSQL(r.int(0), u.args[0]))
	}
	return n, nil
}

func dayTimeToInt(u use, r *row) (int64, error) {
	n := r.int(0) / types.UnitMicros(u.args[0].(types.DayTime).To)
	if lo, hi := bounds(u.result); n < lo || n > hi {
		return 0, u.overflow(dayTimeSQL(r.int(0), u.args[0]))
	}
	return n, nil
}

func dayTimeToDecimal(u use, r *row) (*big.Int, error) {
	unit := types.UnitMicros(u.args[0].(types.DayTime).To)
	if unit == microsPerSecond {
		return microsToDecimal(u, r)
	}
	x := number{divHalfUp(new(big.Int).Mul(big.NewInt(r.int(0)), pow10(9)), big.NewInt(unit)), 9}
	return fit(u, x)
}

func yearMonthToDecimal(u use, r *row) (*big.Int, error) {
	n := r.int(0)
	if u.args[0].(types.YearMonth).To == types.Year {
		n /= 12
	}
	return fit(u, number{big.NewInt(n), 0})
}

func intToYearMonth(u use, r *row) (int64, error) {
	n := big.NewInt(r.int(0))
	if u.result.(types.YearMonth).To == types.Year {
		n.Mul(n, big.NewInt(12))
	}
	if !fits32(n) {
		return 0, u.overflow(intSQL(r.int(0), u.args[0]))
	}
	return n.Int64(), nil
}

func intToDayTime(u use, r *row) (int64, error) {
	n := new(big.Int).Mul(big.NewInt(r.int(0)), big.NewInt(types.UnitMicros(u.result.(types.DayTime).To)))
	if !n.IsInt64() {
		return 0, u.overflow(intSQL(r.int(0), u.args[0]))
	}
	return n.Int64(), nil
}

func decimalToYearMonth(u use, r *row) (int64, error) {
	unit := int64(1)
	if u.result.(types.YearMonth).To == types.Year {
		unit = 12
	}
	s := scaleOf(u.args[0])
	n := divHalfUp(new(big.Int).Mul(r.decimal(0), big.NewInt(unit)), pow10(s))
	if !fits32(n) {
		return 0, u.overflow(number{r.decimal(0), s}.text() + "BD")
	}
	return n.Int64(), nil
}

func decimalToDayTime(u use, r *row) (int64, error) {
	s := scaleOf(u.args[0])
	n := divHalfUp(new(big.Int).Mul(r.decimal(0), big.NewInt(types.UnitMicros(u.result.(types.DayTime).To))), pow10(s))
	if !n.IsInt64() {
		return 0, u.overflow(number{r.decimal(0), s}.text() + "BD")
	}
	unit := types.UnitMicros(u.result.(types.DayTime).To)
	if unit > microsPerSecond {
		return n.Int64() - n.Int64()%unit, nil
	}
	return n.Int64(), nil
}

// dayTimeToDayTime drops what the last field of the result does not show.
func dayTimeToDayTime(u use, r *row) (int64, error) {
	unit := types.UnitMicros(u.result.(types.DayTime).To)
	if unit == microsPerSecond {
		return r.int(0), nil
	}
	return r.int(0) - r.int(0)%unit, nil
}

// optional is argument k, or 0 when the call lacks it.
func optional(r *row, k int) int64 {
	if k < len(r.cols) {
		return r.int(k)
	}
	return 0
}

// secondsArg is argument k, a decimal of seconds, in microseconds.
func secondsArg(u use, r *row, k int) *big.Int {
	if k >= len(r.cols) {
		return new(big.Int)
	}
	n, _ := number{r.decimal(k), scaleOf(u.args[k])}.rescale(60, 6)
	return n
}

func makeInterval(u use, r *row) (types.Value, error) {
	months := new(big.Int).Add(mulBig(optional(r, 0), 12), big.NewInt(optional(r, 1)))
	days := new(big.Int).Add(mulBig(optional(r, 2), 7), big.NewInt(optional(r, 3)))
	micros := new(big.Int).Add(mulBig(optional(r, 4), microsPerHour), mulBig(optional(r, 5), microsPerMinute))
	micros.Add(micros, secondsArg(u, r, 6))
	if !fits32(months) || !fits32(days) || !micros.IsInt64() {
		return nil, u.intervalOverflowOf("try_make_interval")
	}
	return types.Interval{Months: int32(months.Int64()), Days: int32(days.Int64()), Micros: micros.Int64()}, nil
}

func (u use) intervalOverflowOf(try string) error { return u.intervalOverflow(try) }

func mulBig(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

func makeDayTime(u use, r *row) (int64, error) {
	n := new(big.Int).Add(mulBig(optional(r, 0), microsPerDay), mulBig(optional(r, 1), microsPerHour))
	n.Add(n, mulBig(optional(r, 2), microsPerMinute)).Add(n, secondsArg(u, r, 3))
	if !n.IsInt64() {
		return 0, raiseError("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")
	}
	return n.Int64(), nil
}

func makeYearMonth(u use, r *row) (int64, error) {
	n := new(big.Int).Add(mulBig(optional(r, 0), 12), big.NewInt(optional(r, 1)))
	if !fits32(n) {
		return 0, raiseError("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")
	}
	return n.Int64(), nil
}

// datePeriod is the time from the second date to the first in whole months and days.
func datePeriod(_ use, r *row) (types.Value, error) {
	to, from := r.int(0), r.int(1)
	y1, m1, d1 := types.CivilDate(from)
	y2, m2, d2 := types.CivilDate(to)
	months := (y2-y1)*12 + int64(m2-m1)
	days := int64(d2 - d1)
	switch {
	case months > 0 && days < 0:
		months--
		days = to - addMonths(from, months)
	case months < 0 && days > 0:
		months++
		days -= int64(monthDays(y2, m2))
	}
	return types.Interval{Months: int32(months), Days: int32(days)}, nil
}
