package plan

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// addUnit adds n of a unit, and micros as the fraction of a second, to an interval.
func addUnit(i *types.Interval, unit string, n int64, micros int64) bool {
	switch unit {
	case "year":
		return addMonths(i, n, 12)
	case "month":
		return addMonths(i, n, 1)
	case "week":
		return addDays(i, n*7)
	case "day":
		return addDays(i, n)
	case "hour":
		i.Micros += n * hour
	case "minute":
		i.Micros += n * minute
	case "second":
		i.Micros += n*second + micros
	case "millisecond":
		i.Micros += n * 1000
	case "microsecond":
		i.Micros += n
	default:
		return false
	}
	return true
}

func addMonths(i *types.Interval, n, each int64) bool {
	m := int64(i.Months) + n*each
	i.Months = int32(m)
	return m == int64(i.Months)
}

func addDays(i *types.Interval, n int64) bool {
	d := int64(i.Days) + n
	i.Days = int32(d)
	return d == int64(i.Days)
}

// unitOf is a unit's word in the singular, and the field of interval types that it belongs to.
func unitOf(word string) (string, types.Unit, bool) {
	w := strings.TrimSuffix(strings.ToLower(word), "s")
	field, ok := map[string]types.Unit{"year": types.Year, "month": types.Month, "week": types.Day, "day": types.Day,
		"hour": types.Hour, "minute": types.Minute, "second": types.Second, "millisecond": types.Second,
		"microsecond": types.Second}[w]
	return w, field, ok
}

// intervalLit reads INTERVAL 1 DAY 2 HOURS and INTERVAL '1-2' YEAR TO MONTH.
func (a *analyzer) intervalLit(e *syntax.IntervalLit) (*rel.Lit, error) {
	if e.To != "" {
		return a.intervalRange(e)
	}
	var i types.Interval
	var words []string
	for _, f := range e.Fields {
		unit, _, ok := unitOf(f.Unit)
		n, micros, numeric := fieldValue(f.Value)
		if !ok || !numeric {
			return nil, badInterval(f.Value, e)
		}
		if f.Neg {
			n, micros = -n, -micros
		}
		if !addUnit(&i, unit, n, micros) {
			return nil, badInterval(f.Value, e)
		}
		words = append(words, unit)
	}
	return a.multiUnit(i, words, e)
}

func badInterval(text string, at syntax.Node) error {
	return fail("INVALID_INTERVAL_FORMAT.UNRECOGNIZED_NUMBER", at, "input", text, "number", text)
}

// fieldValue splits a number into its whole part and the microseconds of its fraction.
func fieldValue(s string) (n, micros int64, ok bool) {
	s = strings.TrimSpace(s)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimLeft(s, "+-")
	whole, frac, has := strings.Cut(s, ".")
	if whole == "" && has {
		whole = "0"
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || len(frac) > 9 {
		return 0, 0, false
	}
	if frac != "" {
		micros, err = strconv.ParseInt((frac + "000000")[:6], 10, 64)
	}
	if neg {
		n, micros = -n, -micros
	}
	return n, micros, err == nil
}

// multiUnit gives an interval the type that spans the units it was written with.
func (a *analyzer) multiUnit(i types.Interval, words []string, at syntax.Node) (*rel.Lit, error) {
	if a.legacyIntervals() {
		return &rel.Lit{T: types.CalendarInterval, Value: i}, nil
	}
	low, high, months, times := types.Second, types.Year, false, false
	for _, w := range words {
		_, f, ok := unitOf(w)
		if !ok {
			continue
		}
		low, high = min(low, f), max(high, f)
		months, times = months || f <= types.Month, times || f > types.Month
	}
	switch {
	case months && times:
		return nil, fail("_LEGACY_ERROR_TEMP_0029", at, "literal", intervalWritten(at))
	case months:
		return &rel.Lit{T: types.YearMonth{From: low, To: high}, Value: i.Months}, nil
	}
	return &rel.Lit{T: types.DayTime{From: low, To: high}, Value: int64(i.Days)*day + i.Micros}, nil
}

func (a *analyzer) legacyIntervals() bool {
	return isTrue(a.scope.Setting("spark.sql.legacy.interval.enabled"))
}

// intervalWritten is an interval literal as it was written, in lower case.
func intervalWritten(n syntax.Node) string {
	switch e := n.(type) {
	case *syntax.TypedLit:
		return "interval '" + e.Value + "'"
	case *syntax.IntervalLit:
		s := "interval"
		for _, f := range e.Fields {
			v := f.Value
			if f.Quoted {
				v = "'" + v + "'"
			}
			if f.Neg {
				v = "-" + v
			}
			s += " " + v + " " + strings.ToLower(f.Unit)
		}
		return s
	}
	return "interval"
}

var intervalPart = regexp.MustCompile(`([+-]?)\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zA-Z]+)`)

// parseInterval reads the words of a string such as '1 day 2 hours'.
func parseInterval(s string) (i types.Interval, words []string, ok bool) {
	text := strings.ToLower(strings.TrimSpace(s))
	text = strings.TrimSpace(strings.TrimPrefix(text, "interval "))
	found := intervalPart.FindAllStringSubmatchIndex(text, -1)
	end := 0
	for _, m := range found {
		if strings.TrimSpace(text[end:m[0]]) != "" {
			return i, nil, false
		}
		end = m[1]
		unit, _, known := unitOf(text[m[6]:m[7]])
		n, micros, numeric := fieldValue(text[m[4]:m[5]])
		if text[m[2]:m[3]] == "-" {
			n, micros = -n, -micros
		}
		if !known || !numeric || !addUnit(&i, unit, n, micros) {
			return i, nil, false
		}
		words = append(words, unit)
	}
	return i, words, len(found) > 0 && strings.TrimSpace(text[end:]) == ""
}

// intervalText reads INTERVAL '1 day 2 hours'.
func (a *analyzer) intervalText(e *syntax.TypedLit) (*rel.Lit, error) {
	i, words, ok := parseInterval(e.Value)
	if !ok {
		return nil, fail("INVALID_TYPED_LITERAL", e, "valueType", quoteSQL("INTERVAL"), "value", "'"+e.Value+"'")
	}
	return a.multiUnit(i, words, e)
}

var yearMonthPattern = regexp.MustCompile(`^\s*([+-]?)(\d+)-(\d+)\s*$`)

// intervalRange reads INTERVAL '1 02:03' DAY TO MINUTE.
func (a *analyzer) intervalRange(e *syntax.IntervalLit) (*rel.Lit, error) {
	f := e.Fields[0]
	_, from, ok1 := unitOf(f.Unit)
	_, to, ok2 := unitOf(e.To)
	i, ok := rangeValue(f.Value, from, to)
	if !ok || !ok1 || !ok2 {
		return nil, fail("INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE", e, "input", f.Value)
	}
	if f.Neg {
		i = types.Interval{Months: -i.Months, Days: -i.Days, Micros: -i.Micros}
	}
	switch {
	case a.legacyIntervals():
		return &rel.Lit{T: types.CalendarInterval, Value: i}, nil
	case from <= types.Month:
		return &rel.Lit{T: types.YearMonth{From: from, To: to}, Value: i.Months}, nil
	}
	return &rel.Lit{T: types.DayTime{From: from, To: to}, Value: int64(i.Days)*day + i.Micros}, nil
}

// rangeValue reads the numbers of a string that holds the fields from to to.
func rangeValue(s string, from, to types.Unit) (types.Interval, bool) {
	if from == types.Year && to == types.Month {
		m := yearMonthPattern.FindStringSubmatch(s)
		if m == nil {
			return types.Interval{}, false
		}
		y, _ := strconv.ParseInt(m[2], 10, 32)
		mo, _ := strconv.ParseInt(m[3], 10, 32)
		return signed(m[1], types.Interval{Months: int32(y*12 + mo)}), mo < 12
	}
	return dayTimeValue(s, from, to)
}

func dayTimeValue(s string, from, to types.Unit) (types.Interval, bool) {
	s = strings.TrimSpace(s)
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	var i types.Interval
	if from == types.Day {
		d, rest, _ := strings.Cut(s, " ")
		n, err := strconv.ParseInt(d, 10, 32)
		if err != nil {
			return i, false
		}
		i.Days, s, from = int32(n), strings.TrimSpace(rest), types.Hour
	}
	parts := strings.Split(s, ":")
	if len(parts) != int(to-from)+1 {
		return i, false
	}
	for k, p := range parts {
		u := from + types.Unit(k)
		n, micros, ok := fieldValue(p)
		if !ok || micros != 0 && u != types.Second {
			return i, false
		}
		addUnit(&i, u.String(), n, micros)
	}
	return signed(sign, i), true
}

func signed(sign string, i types.Interval) types.Interval {
	if sign == "-" {
		return types.Interval{Months: -i.Months, Days: -i.Days, Micros: -i.Micros}
	}
	return i
}
