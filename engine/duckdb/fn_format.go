package duckdb

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/types"
)

// datePattern is a compiled pattern of Java's DateTimeFormatter: letters of one kind in a row, or literal text.
type datePattern []patternPart

type patternPart struct {
	letter   byte // 0: literal
	count    int
	text     string
	optional []patternPart // letter '[': a part that may be missing
}

// patternError is a pattern that Spark refuses, with its class and parameters.
type patternError struct {
	class  string
	params []string
}

func (e *patternError) Error() string { return e.class }

func (e *patternError) raise() error { return raiseError(e.class, e.params...) }

// compilePattern reads a date pattern. Parsing ones may not name the day of the week.
func compilePattern(p string, parsing bool) (datePattern, error) {
	parts, rest, err := patternParts(p, p, parsing)
	if err == nil && rest != "" {
		err = badPattern(p)
	}
	return parts, err
}

func badPattern(p string) error {
	return &patternError{"INVALID_DATETIME_PATTERN.WITH_SUGGESTION", []string{"pattern", "'" + p + "'", "docroot", "https://spark.apache.org/docs/latest"}}
}

func patternParts(p, whole string, parsing bool) (out []patternPart, rest string, err error) {
	literal := func(s string) {
		if n := len(out); n > 0 && out[n-1].letter == 0 {
			out[n-1].text += s
			return
		}
		out = append(out, patternPart{text: s})
	}
	for len(p) > 0 {
		c := p[0]
		switch {
		case c == '\'':
			text, after, ok := quotedText(p[1:])
			if !ok {
				return nil, "", badPattern(whole)
			}
			literal(text)
			p = after
		case c == '[':
			inner, after, err := patternParts(p[1:], whole, parsing)
			if err != nil {
				return nil, "", err
			}
			out = append(out, patternPart{letter: '[', optional: inner})
			p = strings.TrimPrefix(after, "]")
		case c == ']':
			return out, p, nil
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			n := len(p) - len(strings.TrimLeft(p, string(c)))
			if err := checkLetter(c, n, whole, parsing); err != nil {
				return nil, "", err
			}
			out = append(out, patternPart{letter: c, count: n})
			p = p[n:]
		case c == '{' || c == '}' || c == '#':
			return nil, "", badPattern(whole)
		default:
			literal(p[:1])
			p = p[1:]
		}
	}
	return out, "", nil
}

// quotedText reads up to the closing quote; two quotes are one.
func quotedText(p string) (text, rest string, ok bool) {
	if strings.HasPrefix(p, "'") {
		return "'", p[1:], true
	}
	for {
		i := strings.IndexByte(p, '\'')
		if i < 0 {
			return "", "", false
		}
		text += p[:i]
		p = p[i+1:]
		if !strings.HasPrefix(p, "'") {
			return text, p, true
		}
		text, p = text+"'", p[1:]
	}
}

// maxCount is how often a letter may stand in a row.
var maxCount = map[byte]int{'G': 5, 'y': 6, 'D': 3, 'M': 4, 'L': 4, 'd': 2, 'Q': 4, 'q': 4, 'E': 4, 'F': 1, 'a': 1, 'h': 2,
	'K': 2, 'k': 2, 'H': 2, 'm': 2, 's': 2, 'S': 9, 'V': 2, 'z': 4, 'O': 4, 'X': 5, 'x': 5, 'Z': 5}

func checkLetter(c byte, n int, whole string, parsing bool) error {
	switch {
	case strings.IndexByte("YwWuec", c) >= 0:
		return &patternError{"INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN", []string{"c", string(c)}}
	case maxCount[c] == 0 || parsing && (c == 'E' || c == 'F' || c == 'q' || c == 'Q'):
		return &patternError{"INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER", []string{"c", string(c), "pattern", whole}}
	case n > maxCount[c] || c == 'V' && n != 2 || c == 'O' && n != 1 && n != 4:
		return upgraded(whole)
	}
	return nil
}

// upgraded says that Spark's old formatter may have read the pattern.
func upgraded(p string) error {
	return &patternError{"INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION",
		[]string{"pattern", "'" + p + "'", "config", `"spark.sql.legacy.timeParserPolicy"`, "docroot", "https://spark.apache.org/docs/latest"}}
}

var monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
var dayNames = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// moment is a wall clock with what formatting it needs of its zone.
type moment struct {
	wall   int64 // microseconds
	offset int64 // seconds
	name   string
	abbrev string
}

// format appends the text of t.
func (p datePattern) format(b []byte, t moment) []byte {
	for _, part := range p {
		switch part.letter {
		case 0:
			b = append(b, part.text...)
		case '[':
			b = datePattern(part.optional).format(b, t)
		default:
			b = part.format(b, t)
		}
	}
	return b
}

func (p patternPart) format(b []byte, t moment) []byte {
	days, clock := floorDiv(t.wall, microsPerDay), floorMod(t.wall, microsPerDay)
	hour := clock / microsPerHour
	y, m, d := types.CivilDate(days)
	switch p.letter {
	case 'G':
		return append(b, eraName(y, p.count)...)
	case 'y':
		return appendYear(b, y, p.count)
	case 'D':
		return types.AppendPadded(b, days-types.CivilDay(y, 1, 1)+1, p.count)
	case 'M', 'L':
		return appendName(b, monthNames[m-1], m, p.count)
	case 'd':
		return types.AppendPadded(b, int64(d), p.count)
	case 'Q', 'q':
		q := (m-1)/3 + 1
		return append(b, quarterName(q, p.count)...)
	case 'E':
		name := dayNames[floorMod(days+3, 7)]
		if p.count < 4 {
			name = name[:3]
		}
		return append(b, name...)
	case 'F':
		return types.AppendPadded(b, int64((d-1)%7+1), p.count)
	case 'a':
		return append(b, map[bool]string{true: "PM", false: "AM"}[hour >= 12]...)
	case 'h':
		return types.AppendPadded(b, (hour+11)%12+1, p.count)
	case 'K':
		return types.AppendPadded(b, hour%12, p.count)
	case 'k':
		return types.AppendPadded(b, (hour+23)%24+1, p.count)
	case 'H':
		return types.AppendPadded(b, hour, p.count)
	case 'm':
		return types.AppendPadded(b, clock/microsPerMinute%60, p.count)
	case 's':
		return types.AppendPadded(b, clock/microsPerSecond%60, p.count)
	case 'S':
		return append(b, (string(types.AppendPadded(nil, clock%microsPerSecond, 6)) + "000")[:p.count]...)
	case 'V':
		return append(b, t.name...)
	case 'z':
		return append(b, zoneText(t, p.count)...)
	}
	return appendOffset(b, p.letter, p.count, t.offset)
}

func eraName(y int64, n int) string {
	names := [2][3]string{{"BC", "Before Christ", "B"}, {"AD", "Anno Domini", "A"}}
	i, w := 1, 0
	if y <= 0 {
		i = 0
	}
	switch n {
	case 4:
		w = 1
	case 5:
		w = 2
	}
	return names[i][w]
}

// appendYear spells the year of the era, as patterns of y do.
func appendYear(b []byte, y int64, n int) []byte {
	if y <= 0 {
		y = 1 - y
	}
	if n == 2 {
		return types.AppendPadded(b, y%100, 2)
	}
	if n >= 4 && y >= int64(math.Pow10(n)) {
		b = append(b, '+')
	}
	return types.AppendPadded(b, y, n)
}

func appendName(b []byte, name string, n, count int) []byte {
	switch {
	case count < 3:
		return types.AppendPadded(b, int64(n), count)
	case count == 3:
		return append(b, name[:3]...)
	}
	return append(b, name...)
}

func quarterName(q, n int) string {
	switch n {
	case 1, 2:
		return string(types.AppendPadded(nil, int64(q), n))
	case 3:
		return "Q" + strconv.Itoa(q)
	}
	return []string{"1st", "2nd", "3rd", "4th"}[q-1] + " quarter"
}

func zoneText(t moment, n int) string {
	if n < 4 {
		if t.abbrev != "" && (t.abbrev[0] == '+' || t.abbrev[0] == '-') {
			return t.name
		}
		return t.abbrev
	}
	if long, ok := longZones[t.abbrev]; ok {
		return long
	}
	return t.name
}

var longZones = map[string]string{"PST": "Pacific Standard Time", "PDT": "Pacific Daylight Time", "EST": "Eastern Standard Time",
	"EDT": "Eastern Daylight Time", "CET": "Central European Standard Time", "CEST": "Central European Summer Time",
	"UTC": "Coordinated Universal Time", "GMT": "Greenwich Mean Time", "JST": "Japan Standard Time", "CST": "Central Standard Time",
	"CDT": "Central Daylight Time", "MST": "Mountain Standard Time", "MDT": "Mountain Daylight Time"}

// appendOffset spells an offset by the letters O, X, x and Z.
func appendOffset(b []byte, letter byte, n int, off int64) []byte {
	if off == 0 && (letter == 'X' || letter == 'Z' && n == 5) {
		return append(b, 'Z')
	}
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	h, m, s := off/3600, off/60%60, off%60
	if letter == 'O' || letter == 'Z' && n == 4 {
		b = append(b, "GMT"...)
		if off == 0 {
			return b
		}
		if n == 1 {
			b = strconv.AppendInt(append(b, sign), h, 10)
			if m != 0 {
				b = types.AppendPadded(append(b, ':'), m, 2)
			}
			return b
		}
		return types.AppendPadded(append(types.AppendPadded(append(b, sign), h, 2), ':'), m, 2)
	}
	if letter == 'Z' {
		n = map[bool]int{true: 5, false: 4}[n == 5]
		if n == 4 {
			return types.AppendPadded(types.AppendPadded(append(b, sign), h, 2), m, 2)
		}
	}
	b = types.AppendPadded(append(b, sign), h, 2)
	if n == 1 && m == 0 {
		return b
	}
	if n == 3 || n == 5 {
		b = append(b, ':')
	}
	b = types.AppendPadded(b, m, 2)
	if n >= 4 && s != 0 {
		if n == 5 {
			b = append(b, ':')
		}
		b = types.AppendPadded(b, s, 2)
	}
	return b
}

// parsedTime is what a pattern read.
type parsedTime struct {
	year, month, day, dayOfYear int64
	hour, minute, second        int64
	micros                      int64
	hasFraction                 bool
	half                        int64 // 0 AM, 1 PM; -1 not read
	hour12, clockHour           bool  // hour is of a half day; 12 or 24 means 0
	yearSet, eraBC              bool
	zone                        string
	dateSet                     uint8 // 1: the month was read, 2: the day
}

// parse reads s whole. The error says where, in Java's words.
func (p datePattern) parse(s string) (parsedTime, error) {
	t := parsedTime{year: 1970, month: 1, day: 1, half: -1}
	in := &input{s: s, t: &t}
	if at, ok := in.parts(p, 0); !ok {
		return t, fmt.Errorf("Text '%s' could not be parsed at index %d", s, at)
	} else if at < len(s) {
		return t, fmt.Errorf("Text '%s' could not be parsed, unparsed text found at index %d", s, at)
	}
	return t, t.resolve(s)
}

// resolve checks the fields together.
func (t *parsedTime) resolve(s string) error {
	bad := func(field, valid string, n int64) error {
		return fmt.Errorf("Text '%s' could not be parsed: Invalid value for %s (valid values %s): %d", s, field, valid, n)
	}
	switch {
	case t.month < 1 || t.month > 12:
		return bad("MonthOfYear", "1 - 12", t.month)
	case t.day < 1 || t.day > 31:
		return bad("DayOfMonth", "1 - 28/31", t.day)
	case t.hour12 && (t.hour < 1 || t.hour > 12):
		return bad("ClockHourOfAmPm", "1 - 12", t.hour)
	case !t.hour12 && t.hour > 23 && !(t.clockHour && t.hour == 24):
		return bad("HourOfDay", "0 - 23", t.hour)
	case t.minute > 59:
		return bad("MinuteOfHour", "0 - 59", t.minute)
	case t.second > 59:
		return bad("SecondOfMinute", "0 - 59", t.second)
	}
	if t.eraBC {
		t.year = 1 - t.year
	}
	if t.hour12 {
		t.hour %= 12
		if t.half == 1 {
			t.hour += 12
		}
	}
	if t.clockHour && t.hour == 24 {
		t.hour = 0
	}
	if t.dayOfYear > 0 {
		d := types.CivilDay(t.year, 1, 1) + t.dayOfYear - 1
		y, m, day := types.CivilDate(d)
		if y != t.year {
			text := fmt.Sprintf("Invalid date 'DayOfYear %d' as '%d' is not a leap year", t.dayOfYear, t.year)
			if t.yearSet {
				text = fmt.Sprintf("Text '%s' could not be parsed: %s", s, text)
			}
			return errors.New(text)
		}
		return t.agree(s, int64(m), int64(day))
	}
	if int(t.day) > monthDays(t.year, int(t.month)) {
		if t.month == 2 && t.day == 29 {
			return fmt.Errorf("Text '%s' could not be parsed: Invalid date 'February 29' as '%d' is not a leap year", s, t.year)
		}
		return fmt.Errorf("Text '%s' could not be parsed: Invalid date '%s %d'", s, strings.ToUpper(monthNames[t.month-1]), t.day)
	}
	return nil
}

// agree checks the month and day that were read against those of the day of the year.
func (t *parsedTime) agree(s string, m, d int64) error {
	field, was, is := "", int64(0), int64(0)
	switch {
	case t.dateSet&2 != 0 && t.day > int64(monthDays(t.year, int(t.month))):
		return fmt.Errorf("Text '%s' could not be parsed: Invalid date '%s %d'", s, strings.ToUpper(monthNames[t.month-1]), t.day)
	case t.dateSet&1 != 0 && t.month != m:
		field, was, is = "MonthOfYear", t.month, m
	case t.dateSet&2 != 0 && t.day != d:
		field, was, is = "DayOfMonth", t.day, d
	default:
		t.month, t.day = m, d
		return nil
	}
	text := fmt.Sprintf("Conflict found: Field %s %d differs from %s %d derived from %s", field, was, field, is,
		types.AppendDate(nil, types.CivilDay(t.year, int(m), int(d))))
	if t.yearSet {
		text = fmt.Sprintf("Text '%s' could not be parsed: %s", s, text)
	}
	return errors.New(text)
}

func (t parsedTime) days() int64 { return types.CivilDay(t.year, int(t.month), int(t.day)) }

func (t parsedTime) clock() int64 {
	return t.hour*microsPerHour + t.minute*microsPerMinute + t.second*microsPerSecond + t.micros
}

// input is text that is being parsed.
type input struct {
	s string
	t *parsedTime
}

// parts reads p from position at. On failure the position is that of the failing part.
func (in *input) parts(p []patternPart, at int) (int, bool) {
	for i, part := range p {
		var ok bool
		switch part.letter {
		case 0:
			if ok = len(in.s)-at >= len(part.text) && strings.EqualFold(in.s[at:at+len(part.text)], part.text); ok {
				at += len(part.text)
			}
		case '[':
			keep := *in.t
			if next, fine := in.parts(part.optional, at); fine {
				at = next
			} else {
				*in.t = keep
			}
			ok = true
		default:
			var next int
			if next, ok = in.part(part, p[i+1:], at); ok {
				at = next
			}
		}
		if !ok {
			return at, false
		}
	}
	return at, true
}

// part reads one field.
func (in *input) part(p patternPart, after []patternPart, at int) (int, bool) {
	t := in.t
	number := func(to *int64) (int, bool) {
		n, next, ok := in.number(p, after, at)
		if ok {
			*to = n
		}
		return next, ok
	}
	switch p.letter {
	case 'y':
		return in.year(p, after, at)
	case 'M', 'L':
		t.dateSet |= 1
		if p.count >= 3 {
			return in.name(monthNames, p.count, at, &t.month)
		}
		return number(&t.month)
	case 'd':
		t.dateSet |= 2
		return number(&t.day)
	case 'D':
		return number(&t.dayOfYear)
	case 'H':
		return number(&t.hour)
	case 'h':
		t.hour12 = true
		return number(&t.hour)
	case 'K':
		next, ok := number(&t.hour)
		t.hour12 = true
		if t.hour == 0 {
			t.hour = 12
		}
		return next, ok
	case 'k':
		t.clockHour = true
		return number(&t.hour)
	case 'm':
		return number(&t.minute)
	case 's':
		return number(&t.second)
	case 'S':
		return in.fraction(p.count, at)
	case 'a':
		return in.word([]string{"AM", "PM"}, at, &t.half)
	case 'G':
		era := int64(1)
		next, ok := in.word([]string{"BC", "AD"}, at, &era)
		t.eraBC = era == 0
		return next, ok
	}
	return in.zone(p, at)
}

// number reads p.count digits, or at least one when p.count is 1; digits of fields that follow at once stay.
func (in *input) number(p patternPart, after []patternPart, at int) (n int64, next int, ok bool) {
	lo, hi := p.count, p.count
	if p.count == 1 {
		hi = 19 - reserved(after)
	}
	return in.digits(lo, hi, at)
}

// reserved is how many digits the fixed fields directly behind take.
func reserved(after []patternPart) int {
	n := 0
	for _, p := range after {
		if p.letter == 0 || p.letter == '[' || p.count < 2 || p.count > 2 && (p.letter == 'M' || p.letter == 'L') || strings.IndexByte("yMLdDHhkKmsS", p.letter) < 0 {
			break
		}
		n += p.count
	}
	return n
}

func (in *input) digits(lo, hi, at int) (n int64, next int, ok bool) {
	next = at
	for next < len(in.s) && next-at < hi && in.s[next] >= '0' && in.s[next] <= '9' {
		if n > math.MaxInt64/10-9 {
			return 0, at, false
		}
		n = n*10 + int64(in.s[next]-'0')
		next++
	}
	return n, next, next-at >= lo && next > at
}

func (in *input) year(p patternPart, after []patternPart, at int) (int, bool) {
	in.t.yearSet = true
	if p.count == 2 {
		n, next, ok := in.digits(2, 2, at)
		in.t.year = 2000 + n
		return next, ok
	}
	start, signed := at, false
	if p.count >= 4 && at < len(in.s) && (in.s[at] == '+' || in.s[at] == '-') {
		signed = true
		start++
	}
	hi := 19
	if r := reserved(after); r > 0 {
		run := start
		for run < len(in.s) && in.s[run] >= '0' && in.s[run] <= '9' {
			run++
		}
		hi = max(run-start-r, p.count)
	}
	n, next, ok := in.digits(p.count, hi, start)
	if ok && p.count >= 4 && next-start > p.count && !signed {
		return at, false
	}
	if signed && in.s[at] == '-' {
		n = -n
	}
	in.t.year = n
	return next, ok && n > -300000 && n < 300000
}

func (in *input) name(names []string, count, at int, to *int64) (int, bool) {
	for i, name := range names {
		if count == 3 {
			name = name[:3]
		}
		if len(in.s)-at >= len(name) && strings.EqualFold(in.s[at:at+len(name)], name) {
			*to = int64(i + 1)
			return at + len(name), true
		}
	}
	return at, false
}

func (in *input) word(words []string, at int, to *int64) (int, bool) {
	for i, w := range words {
		if len(in.s)-at >= len(w) && strings.EqualFold(in.s[at:at+len(w)], w) {
			*to = int64(i)
			return at + len(w), true
		}
	}
	return at, false
}

// fraction reads up to n digits of a second.
func (in *input) fraction(n, at int) (int, bool) {
	unit := microsPerSecond / 10
	micros, next := int64(0), at
	for next < len(in.s) && next-at < n && in.s[next] >= '0' && in.s[next] <= '9' {
		micros += int64(in.s[next]-'0') * unit
		unit /= 10
		next++
	}
	if in.t.hasFraction && in.t.micros != micros {
		return at, false // a pattern may name the fraction twice, and a text must then repeat it
	}
	in.t.micros, in.t.hasFraction = micros, true
	return next, next > at
}

// zone reads an offset or the name of a zone.
func (in *input) zone(p patternPart, at int) (int, bool) {
	end := at
	for end < len(in.s) && (in.s[end] == ':' || in.s[end] == '+' || in.s[end] == '-' || in.s[end] == '/' || in.s[end] == '_' ||
		in.s[end] >= '0' && in.s[end] <= '9' || in.s[end] >= 'a' && in.s[end] <= 'z' || in.s[end] >= 'A' && in.s[end] <= 'Z') {
		end++
	}
	for ; end > at; end-- {
		if _, err := loadZone(in.s[at:end]); err == nil && (p.letter == 'V' || p.letter == 'z' || !isLetter(in.s[at]) || in.s[at] == 'Z' || p.letter == 'O') {
			in.t.zone = in.s[at:end]
			return end, true
		}
	}
	return at, false
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// momentOf is the wall clock of an instant in a zone.
func momentOf(micros int64, z *zone) moment {
	off := z.at(floorDiv(micros, microsPerSecond))
	abbrev, _ := time.Unix(floorDiv(micros, microsPerSecond), 0).In(z.loc).Zone()
	return moment{wall: micros + off*microsPerSecond, offset: off, name: z.loc.String(), abbrev: abbrev}
}
