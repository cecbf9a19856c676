package syntax

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// intervalUnits are the units that may follow a number in an interval.
var intervalUnits = []string{
	"NANOSECOND", "NANOSECONDS", "MICROSECOND", "MICROSECONDS", "MILLISECOND", "MILLISECONDS", "SECOND", "SECONDS",
	"MINUTE", "MINUTES", "HOUR", "HOURS", "DAY", "DAYS", "WEEK", "WEEKS", "MONTH", "MONTHS", "YEAR", "YEARS",
}

// isIntervalUnit reports whether t is a unit of an interval.
func isIntervalUnit(t token) bool {
	return t.kind == kindWord && t.word != 0 && slices.Contains(intervalUnits, keywords.text[t.word])
}

// atInterval reports whether the INTERVAL that comes next starts a literal
// of numbers and units. INTERVAL may also be a name, and INTERVAL '…' alone
// is a typed literal.
func (p *parser) atInterval() bool {
	t := p.ahead(1)
	switch {
	case t.kind == kindInt || t.kind == kindDecimal:
		return true
	case p.isString(t):
		return isIntervalUnit(p.ahead(2))
	case p.opAt(1, "-") || p.opAt(1, "+"):
		return p.isIntervalField(1)
	}
	return false
}

// isIntervalField reports whether a number and a unit stand n tokens ahead.
func (p *parser) isIntervalField(n int) bool {
	if p.opAt(n, "-") || p.opAt(n, "+") {
		n++
	}
	t := p.ahead(n)
	return (t.kind == kindInt || t.kind == kindDecimal || p.isString(t)) && isIntervalUnit(p.ahead(n+1))
}

// interval reads INTERVAL with numbers and units.
func (p *parser) interval() *IntervalLit {
	from := p.start()
	p.expect("INTERVAL")
	body := p.start()
	lit := &IntervalLit{Fields: []*IntervalField{p.intervalField()}}
	if p.at("TO") && isIntervalUnit(p.ahead(1)) {
		p.next()
		lit.To = p.expectAny(intervalFields...)
		p.checkOneRange(from)
		lit.Span = p.since(from)
		p.checkRange(lit, p.since(body))
		return lit
	}
	for p.isIntervalField(0) {
		lit.Fields = append(lit.Fields, p.intervalField())
		if p.at("TO") && isIntervalUnit(p.ahead(1)) {
			p.i += 2
			p.failTwoRanges(from)
		}
	}
	lit.Span = p.since(from)
	p.checkFields(lit, p.since(body))
	return lit
}

func (p *parser) intervalField() *IntervalField {
	from := p.start()
	f := &IntervalField{Neg: p.acceptOp("-")}
	if !f.Neg {
		p.acceptOp("+")
	}
	switch t := p.tok(); {
	case p.isString(t):
		f.Value, f.Quoted = p.oneString().Value, true
	case t.kind == kindInt || t.kind == kindDecimal:
		f.Value = p.text(p.next())
	default:
		p.failExpected("a number")
	}
	if !isIntervalUnit(p.tok()) {
		p.failExpected("YEAR", "MONTH", "DAY", "HOUR", "SECOND")
	}
	f.Unit = p.keyword()
	f.Span = p.since(from)
	return f
}

// checkOneRange refuses INTERVAL '1-2' YEAR TO MONTH '3' DAY.
func (p *parser) checkOneRange(from Pos) {
	if !p.isIntervalField(0) {
		return
	}
	for p.isIntervalField(0) {
		p.intervalField()
		if p.accept("TO") {
			p.expectAny(intervalFields...)
		}
	}
	p.failTwoRanges(from)
}

func (p *parser) failTwoRanges(from Pos) {
	p.failAs(p.since(from), "_LEGACY_ERROR_TEMP_0024", "an interval takes one FROM … TO unit only")
}

// checkFields refuses values that are no numbers, and units that Spark keeps
// in separate types.
func (p *parser) checkFields(lit *IntervalLit, body Span) {
	months, shorter := false, false
	var text strings.Builder
	for _, f := range lit.Fields {
		if strings.ContainsFunc(f.Value, isLetter) {
			p.failAs(body, "_LEGACY_ERROR_TEMP_0026", "an interval's value must be a number: "+f.Value,
				"value", f.Value)
		}
		if isMonthUnit(f.Unit) {
			months = true
		} else {
			shorter = true
		}
		text.WriteString(" " + signed(f.Neg, f.Value) + " " + f.Unit)
	}
	if !validInterval(text.String()) {
		p.failAs(body, "INVALID_INTERVAL_FORMAT.UNRECOGNIZED_NUMBER", "the interval is invalid",
			"input", body.Text(p.src), "number", lit.Fields[0].Value)
	}
	if months && shorter && !p.LegacyInterval {
		p.failMixedInterval(lit.Span)
	}
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r > 0x7f }

func isMonthUnit(u string) bool { return strings.HasPrefix(u, "MONTH") || strings.HasPrefix(u, "YEAR") }

// signed applies a minus sign to a value that may have one itself.
func signed(neg bool, value string) string {
	value = trimBlank(value)
	switch {
	case !neg:
		return value
	case strings.HasPrefix(value, "-"):
		return value[1:]
	}
	return "-" + value
}

func (p *parser) failMixedInterval(at Span) {
	p.failAs(at, "_LEGACY_ERROR_TEMP_0029",
		"a literal cannot mix years or months with shorter units: "+at.Text(p.src), "literal", at.Text(p.src))
}

// intervalRange is the form of INTERVAL '…' From TO To.
type intervalRange struct {
	from, to string
	form     *regexp.Regexp // groups: sign, then one group for each unit
	shown    string
}

var intervalRanges = []intervalRange{
	{"YEAR", "MONTH", regexp.MustCompile(`^([+-]?)(\d+)-(\d+)$`), "y-m"},
	{"DAY", "HOUR", regexp.MustCompile(`^([+-]?)(\d+) (\d{1,2})$`), "d h"},
	{"DAY", "MINUTE", regexp.MustCompile(`^([+-]?)(\d+) (\d{1,2}):(\d{1,2})$`), "d h:m"},
	{"DAY", "SECOND", regexp.MustCompile(`^([+-]?)(\d+) (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d{1,9})?$`), "d h:m:s.n"},
	{"HOUR", "MINUTE", regexp.MustCompile(`^([+-]?)(\d+):(\d{1,2})$`), "h:m"},
	{"HOUR", "SECOND", regexp.MustCompile(`^([+-]?)(\d+):(\d{1,2}):(\d{1,2})(?:\.\d{1,9})?$`), "h:m:s.n"},
	{"MINUTE", "SECOND", regexp.MustCompile(`^([+-]?)(\d+):(\d{1,2})(?:\.\d{1,9})?$`), "m:s.n"},
}

// The largest value of the first unit of a range; later units are bounded by
// the unit before them.
var (
	firstUnitMax = map[string]uint64{"YEAR": 178956970, "DAY": 106751991, "HOUR": 2562047788, "MINUTE": 153722867280}
	laterUnitMax = map[string]uint64{"MONTH": 11, "HOUR": 23, "MINUTE": 59, "SECOND": 59}
)

// checkRange refuses texts that do not match the units of lit.
func (p *parser) checkRange(lit *IntervalLit, body Span) {
	f := lit.Fields[0]
	if !f.Quoted {
		p.failAs(body, "_LEGACY_ERROR_TEMP_0027", "the value of an interval FROM … TO must be a string")
	}
	i := slices.IndexFunc(intervalRanges, func(r intervalRange) bool { return r.from == f.Unit && r.to == lit.To })
	if i < 0 {
		p.failAs(body, "INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION",
			"there are no intervals "+f.Unit+" TO "+lit.To,
			"input", f.Value, "from", strings.ToLower(f.Unit), "to", strings.ToLower(lit.To))
	}
	r := intervalRanges[i]
	m := r.form.FindStringSubmatch(trimBlank(f.Value))
	if m == nil {
		p.failRangeForm(r, f.Value, body)
	}
	p.checkRangeUnits(r, signed(f.Neg, f.Value), m[2:], body)
}

func (p *parser) failRangeForm(r intervalRange, value string, body Span) {
	kind, class := "day-time", "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE"
	if r.from == "YEAR" {
		kind, class = "year-month", "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING"
	}
	forms := "`[+|-]" + r.shown + "`, `INTERVAL [+|-]'[+|-]" + r.shown + "' " + r.from + " TO " + r.to + "`"
	p.failAs(body, class, "the interval "+quoteString(value)+" does not have the form "+r.shown,
		"input", value, "intervalStr", kind, "supportedFormat", forms,
		"typeName", strings.ToLower("interval "+r.from+" to "+r.to))
}

func (p *parser) checkRangeUnits(r intervalRange, value string, units []string, body Span) {
	first := slices.Index(intervalFields, r.from)
	for i, text := range units {
		unit := intervalFields[first+i]
		most := laterUnitMax[unit]
		if i == 0 {
			most = firstUnitMax[unit]
		}
		n, err := strconv.ParseUint(text, 10, 64)
		switch {
		case err == nil && n <= most && !tooManyMonths(r, i, units, value):
		case r.from == "YEAR":
			p.failAs(body, "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING", "the interval is out of range: "+value,
				"input", value, "interval", "year-month")
		default:
			p.failAs(body, "_LEGACY_ERROR_TEMP_0063", "the interval is out of range: "+value,
				"msg", "requirement failed: "+strings.ToLower(unit)+" "+text+" outside range [0, "+strconv.FormatUint(most, 10)+"]")
		}
	}
}

// tooManyMonths reports whether a month is beyond the last one that an
// interval of years and months can hold.
func tooManyMonths(r intervalRange, i int, units []string, value string) bool {
	most := uint64(7)
	if strings.HasPrefix(trimBlank(value), "-") {
		most = 8
	}
	n, _ := strconv.ParseUint(units[i], 10, 64)
	return r.from == "YEAR" && i == 1 && units[0] == "178956970" && n > most
}

// Interval texts, as in INTERVAL '1 day 2 hours'.
var (
	intervalText  = regexp.MustCompile(`(?i)^(?:interval\s+)?(?:[+-]?\s*(?:\d+(?:\.\d*)?|\.\d+)\s+[a-z]+\s*)+$`)
	intervalField = regexp.MustCompile(`(?i)([+-]?\s*(?:\d+(?:\.\d*)?|\.\d+))\s+([a-z]+)`)
)

// validInterval reports whether s is a list of numbers and units.
func validInterval(s string) bool {
	s = trimBlank(s)
	if !intervalText.MatchString(s) {
		return false
	}
	for _, m := range intervalField.FindAllStringSubmatch(s, -1) {
		unit := strings.ToUpper(m[2])
		if !slices.Contains(intervalUnits, unit) {
			return false
		}
		if strings.Contains(m[1], ".") && !strings.HasPrefix(unit, "SECOND") {
			return false
		}
	}
	return true
}

// mixesIntervalUnits reports whether s holds both months and shorter units.
func mixesIntervalUnits(s string) bool {
	months, shorter := false, false
	for _, m := range intervalField.FindAllStringSubmatch(s, -1) {
		if isMonthUnit(strings.ToUpper(m[2])) {
			months = true
		} else {
			shorter = true
		}
	}
	return months && shorter
}
