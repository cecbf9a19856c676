package duckdb

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/types"
)

// trimAll drops white space and control characters at both ends, as Spark's casts do.
func trimAll(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f && r <= 0x9f })
}

// parseInt reads a whole number between lo and hi. With fraction, digits behind a point are dropped.
func parseInt(s string, lo, hi int64, fraction bool) (int64, bool) {
	s = trimAll(s)
	if whole, frac, has := strings.Cut(s, "."); has && fraction {
		for _, c := range []byte(frac) {
			if c < '0' || c > '9' {
				return 0, false
			}
		}
		if s = whole; (s == "" || s == "-" || s == "+") && frac != "" {
			s += "0"
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < lo || n > hi || strings.Contains(s, "_") {
		return 0, false
	}
	return n, true
}

// parseFloat reads a number as Java's Double.parseDouble does, and Spark's names of infinity and NaN.
func parseFloat(s string, bits int) (float64, bool) {
	s = trimAll(s)
	switch strings.ToLower(s) {
	case "inf", "+inf", "infinity", "+infinity":
		return math.Inf(1), true
	case "-inf", "-infinity":
		return math.Inf(-1), true
	case "nan":
		return math.NaN(), true
	}
	if n := len(s); n > 1 && strings.ContainsRune("dDfF", rune(s[n-1])) && !strings.HasPrefix(strings.TrimLeft(s, "+-"), "0x") {
		s = s[:n-1]
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && !strings.ContainsRune("+-.eE", rune(c)) {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(s, bits)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// number is a decimal of any size: n · 10^-scale.
type number struct {
	n     *big.Int
	scale int
}

// maxExponent bounds the exponents that are read, so that no text makes a number of millions of digits.
const maxExponent = 400

// parseNumber reads digits with a point and an exponent.
func parseNumber(s string) (number, bool) {
	s = trimAll(s)
	exp := 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || s[i+1:] == "" {
			return number{}, false
		}
		s, exp = s[:i], max(min(n, maxExponent), -maxExponent)
	}
	neg := strings.HasPrefix(s, "-")
	if neg || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	whole, frac, _ := strings.Cut(s, ".")
	digits := whole + frac
	if digits == "" || len(digits) > 4000 {
		return number{}, false
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return number{}, false
		}
	}
	n, ok := new(big.Int).SetString(digits, 10)
	if neg {
		n.Neg(n)
	}
	return number{n, len(frac) - exp}, ok
}

// rescale is x with the given scale, rounded half up; false when it has more than p digits.
func (x number) rescale(p, s int) (*big.Int, bool) {
	n := x.n
	switch {
	case s > x.scale:
		n = new(big.Int).Mul(n, pow10(s-x.scale))
	case s < x.scale:
		n = divHalfUp(n, pow10(x.scale-s))
	}
	return n, n.CmpAbs(pow10(p)) < 0
}

// text is x without an exponent.
func (x number) text() string {
	s := new(big.Int).Abs(x.n).String()
	if x.scale > 0 {
		if len(s) <= x.scale {
			s = strings.Repeat("0", x.scale-len(s)+1) + s
		}
		s = s[:len(s)-x.scale] + "." + s[len(s)-x.scale:]
	} else if x.scale < 0 && x.n.Sign() != 0 {
		s += strings.Repeat("0", -x.scale)
	}
	if x.n.Sign() < 0 {
		s = "-" + s
	}
	return s
}

var powers = func() (out [80]*big.Int) {
	for i := range out {
		out[i] = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(i)), nil)
	}
	return out
}()

// pow10 is 10^n. The result must not be changed.
func pow10(n int) *big.Int {
	if n < len(powers) {
		return powers[max(n, 0)]
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// divHalfUp is a/b for b > 0, rounded half away from zero.
func divHalfUp(a, b *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	r.Abs(r).Lsh(r, 1)
	if r.Cmp(b) >= 0 {
		q.Add(q, big.NewInt(int64(a.Sign())))
	}
	return q
}

// parseBool reads Spark's words for true and false.
func parseBool(s string) (value, ok bool) {
	switch strings.ToLower(trimAll(s)) {
	case "t", "true", "y", "yes", "1":
		return true, true
	case "f", "false", "n", "no", "0":
		return false, true
	}
	return false, false
}

// scanner reads the parts of dates and times.
type scanner struct {
	s string
	i int
}

func (p *scanner) done() bool { return p.i >= len(p.s) }

// is consumes c if it is next.
func (p *scanner) is(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

// digits reads between lo and hi digits.
func (p *scanner) digits(lo, hi int) (int64, bool) {
	from := p.i
	n := int64(0)
	for p.i < len(p.s) && p.i-from < hi+1 && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
		n = n*10 + int64(p.s[p.i]-'0')
		p.i++
	}
	w := p.i - from
	return n, w >= lo && w <= hi
}

// date reads [+-]y…[-m[-d]].
func (p *scanner) date() (days int64, ok bool) {
	neg := p.is('-')
	if !neg {
		p.is('+')
	}
	y, ok := p.digits(4, 7)
	if !ok {
		return 0, false
	}
	if neg {
		y = -y
	}
	m, d := int64(1), int64(1)
	if p.is('-') {
		if m, ok = p.digits(1, 2); !ok {
			return 0, false
		}
		if p.is('-') {
			if d, ok = p.digits(1, 2); !ok {
				return 0, false
			}
		}
	}
	if m < 1 || m > 12 || d < 1 || int(d) > monthDays(y, int(m)) {
		return 0, false
	}
	return types.CivilDay(y, int(m), int(d)), true
}

// parseDate reads a date as Spark's cast does: what follows a blank or T behind the day is ignored.
func parseDate(s string) (days int64, ok bool) {
	p := &scanner{s: trimAll(s)}
	if days, ok = p.date(); !ok {
		return 0, false
	}
	if p.done() {
		return days, days >= math.MinInt32 && days <= math.MaxInt32
	}
	full := strings.Count(strings.TrimLeft(p.s[:p.i], "+-"), "-") == 2
	return days, full && (p.s[p.i] == ' ' || p.s[p.i] == 'T')
}

// clock reads h:m[:s[.f]] in microseconds of the day.
func (p *scanner) clock() (micros int64, ok bool) {
	h, ok := p.digits(1, 2)
	if !ok || h > 23 || !p.is(':') {
		return 0, false
	}
	m, ok := p.digits(1, 2)
	if !ok || m > 59 {
		return 0, false
	}
	micros = h*microsPerHour + m*microsPerMinute
	if !p.is(':') {
		return micros, true
	}
	s, ok := p.digits(1, 2)
	if !ok || s > 59 {
		return 0, false
	}
	return micros + s*microsPerSecond + p.fraction(), true
}

// fraction reads .f…, of which six digits count.
func (p *scanner) fraction() int64 {
	if !p.is('.') {
		return 0
	}
	f, unit := int64(0), microsPerSecond/10
	for ; p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9'; p.i++ {
		f += int64(p.s[p.i]-'0') * unit
		unit /= 10
	}
	return f
}

// stamp is what was read of a timestamp.
type stamp struct {
	days     int64
	micros   int64
	zone     string // as written; empty: none
	timeOnly bool
}

// parseStamp reads a timestamp as Spark's cast does.
func parseStamp(s string) (t stamp, ok bool) {
	p := &scanner{s: trimAll(s)}
	if p.s == "" {
		return t, false
	}
	if p.is('T') || colonSoon(p.s) {
		t.timeOnly = true
	} else {
		if t.days, ok = p.date(); !ok {
			return t, false
		}
		if p.done() {
			return t, true
		}
		if strings.Count(strings.TrimLeft(p.s[:p.i], "+-"), "-") != 2 || !p.is(' ') && !p.is('T') {
			return t, false
		}
	}
	if t.micros, ok = p.clock(); !ok {
		return t, false
	}
	t.zone = strings.TrimSpace(p.s[p.i:])
	if t.zone != "" {
		_, err := loadZone(zoneName(t.zone))
		return t, err == nil
	}
	return t, true
}

// zoneName is a zone as Spark reads it, with offsets of one digit filled up.
func zoneName(s string) string { return s }

// colonSoon reports whether s starts with a time of day.
func colonSoon(s string) bool {
	i := strings.IndexByte(s, ':')
	return i > 0 && i <= 2
}

// micros is the instant of t, in a session of the zone z.
func (t stamp) instant(z *zone) (int64, bool) {
	days := t.days
	if t.zone != "" {
		other, err := newZone(zoneName(t.zone))
		if err != nil {
			return 0, false
		}
		z = other
	}
	if t.timeOnly {
		days = floorDiv(z.local(time.Now().UnixMicro()), microsPerDay)
	}
	wall, ok := wallMicros(days, t.micros)
	return z.instant(wall), ok
}

// wallMicros is days and a time of day in microseconds since 1970, if they fit.
func wallMicros(days, micros int64) (int64, bool) {
	const limit = math.MaxInt64/microsPerDay - 1
	if days > limit || days < -limit {
		return 0, false
	}
	return days*microsPerDay + micros, true
}
