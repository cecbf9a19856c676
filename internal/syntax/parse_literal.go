package syntax

import (
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// literal reads a literal if one comes next, else it returns nil.
func (p *parser) literal() Expr {
	t := p.tok()
	switch t.kind {
	case kindString:
		if p.isString(t) {
			return p.stringLit()
		}
	case kindInt, kindDecimal, kindExp, kindSuffix:
		return p.number()
	case kindOp:
		return p.signOrMarker()
	case kindWord:
		return p.wordLiteral(t)
	}
	return nil
}

func (p *parser) signOrMarker() Expr {
	switch {
	case p.atOp("-") && p.numberAt(1):
		return p.number()
	case p.atMarker():
		m := p.marker()
		if p.isString(p.tok()) || p.atMarker() {
			return p.joinedString(m)
		}
		return m
	}
	return nil
}

func (p *parser) wordLiteral(t token) Expr {
	from := p.start()
	switch keywords.text[t.word] {
	case "NULL":
		p.next()
		return &NullLit{p.since(from)}
	case "TRUE", "FALSE":
		p.next()
		return &BoolLit{p.since(from), t.is("TRUE")}
	case "INTERVAL":
		if p.atInterval() {
			return p.interval()
		}
	}
	if p.isString(p.ahead(1)) && p.isIdent(t) && !t.is("CASE") {
		return p.typedLit()
	}
	return nil
}

// constant reads a literal; anything else is an error.
func (p *parser) constant() Expr {
	x := p.literal()
	if x == nil {
		p.failExpected("a literal")
	}
	return x
}

// Strings and parameter markers.

// atMarker reports whether ? or :name comes next.
func (p *parser) atMarker() bool {
	return p.atOp("?") || p.atOp(":") && p.ahead(1).kind == kindWord
}

func (p *parser) marker() *Param {
	from := p.start()
	m := &Param{}
	if p.next(); p.text(p.toks[p.i-1]) == ":" {
		m.Name = p.word().Name
	}
	m.Span = p.since(from)
	return m
}

// stringLit reads one or more adjacent string literals and markers.
func (p *parser) stringLit() *StringLit {
	if !p.isString(p.tok()) && !p.atMarker() {
		p.failExpected("a string")
	}
	return p.joinedString(nil)
}

// joinedString reads string literals and markers behind an optional first
// marker.
func (p *parser) joinedString(first *Param) *StringLit {
	from := p.start()
	lit := &StringLit{}
	var parts []Expr
	markers := false
	if first != nil {
		from, parts, markers = first.From, append(parts, first), true
	}
	for {
		if p.isString(p.tok()) {
			parts = append(parts, p.oneString())
		} else if p.atMarker() {
			parts, markers = append(parts, p.marker()), true
		} else {
			break
		}
	}
	if markers {
		lit.Parts = parts
	} else {
		for _, x := range parts {
			lit.Value += x.(*StringLit).Value
		}
	}
	lit.Span = p.since(from)
	return lit
}

func (p *parser) oneString() *StringLit {
	t := p.next()
	return &StringLit{Span: p.since(Pos(t.start)), Value: p.unescape(p.text(t))}
}

// unescape returns the content of a string literal.
func (p *parser) unescape(lit string) string {
	if lit[0] == 'r' || lit[0] == 'R' {
		return lit[2 : len(lit)-1]
	}
	quote, body := lit[0], lit[1:len(lit)-1]
	if strings.IndexByte(body, quote) < 0 && (p.RawEscapes || strings.IndexByte(body, '\\') < 0) {
		return body
	}
	var b strings.Builder
	for i := 0; i < len(body); {
		switch c := body[i]; {
		case c == '\\' && p.RawEscapes && i+1 < len(body):
			b.WriteString(body[i : i+2])
			i += 2
		case c == '\\' && i+1 < len(body):
			i += unescapeOne(&b, body[i:])
		case c == quote && i+1 < len(body):
			if !p.JoinDoubledQuotes {
				b.WriteByte(c)
			}
			i += 2
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// unescapeOne writes the character that the escape at the start of s stands
// for, and returns the escape's length.
func unescapeOne(b *strings.Builder, s string) int {
	switch c := s[1]; c {
	case 'u', 'U':
		n := 4
		if c == 'U' {
			n = 8
		}
		if len(s) >= 2+n {
			if r, err := strconv.ParseUint(s[2:2+n], 16, 32); err == nil && r <= utf8.MaxRune {
				return surrogates(b, s, rune(r), 2+n)
			}
		}
		b.WriteByte(c)
	case '0', '1':
		if len(s) >= 4 {
			if r, err := strconv.ParseUint(s[1:4], 8, 8); err == nil {
				b.WriteRune(rune(r))
				return 4
			}
		}
		if c == '0' {
			b.WriteByte(0)
		} else {
			b.WriteByte(c)
		}
	case 'b':
		b.WriteByte('\b')
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'Z':
		b.WriteByte(0x1a)
	case '%', '_':
		b.WriteString(s[:2])
	default:
		_, n := utf8.DecodeRuneInString(s[1:])
		b.WriteString(s[1 : 1+n])
		return 1 + n
	}
	return 2
}

// surrogates writes r, joined with a second \uXXXX when r is the first half
// of a pair.
func surrogates(b *strings.Builder, s string, r rune, n int) int {
	if r >= 0xd800 && r < 0xdc00 && len(s) >= n+6 && s[n] == '\\' && s[n+1] == 'u' {
		if low, err := strconv.ParseUint(s[n+2:n+6], 16, 32); err == nil && low >= 0xdc00 && low < 0xe000 {
			b.WriteRune((r-0xd800)<<10 + rune(low) - 0xdc00 + 0x10000)
			return n + 6
		}
	}
	b.WriteRune(r)
	return n
}

// Numbers.

// numberAt reports whether the n-th token ahead is a number.
func (p *parser) numberAt(n int) bool {
	switch p.ahead(n).kind {
	case kindInt, kindDecimal, kindExp, kindSuffix:
		return true
	}
	return false
}

// number reads a number with an optional minus sign.
func (p *parser) number() *NumberLit {
	from := p.start()
	n := &NumberLit{Neg: p.acceptOp("-")}
	if !p.numberAt(0) {
		p.failExpected("a number")
	}
	t := p.next()
	n.Text, n.Span = p.text(t), p.since(from)
	if t.kind == kindSuffix {
		cut := len(n.Text) - 1
		if n.Text[cut]|0x20 == 'd' && n.Text[cut-1]|0x20 == 'b' {
			cut--
		}
		n.Text, n.Suffix = n.Text[:cut], strings.ToUpper(n.Text[cut:])
	}
	p.checkNumber(n)
	return n
}

// integer reads an integer without a suffix, or a parameter marker.
func (p *parser) integer() Expr {
	if p.atMarker() {
		return p.marker()
	}
	return p.plainInteger()
}

func (p *parser) plainInteger() *NumberLit {
	if p.tok().kind != kindInt {
		p.failExpected("an integer")
	}
	return p.number()
}

var numberRanges = map[string]struct{ name, min, max string }{
	"Y": {"tinyint", "-128", "127"},
	"S": {"smallint", "-32768", "32767"},
	"L": {"bigint", "-9223372036854775808", "9223372036854775807"},
	"F": {"float", "-3.4028234663852886E+38", "3.4028234663852886E+38"},
	"D": {"double", "-1.7976931348623157E+308", "1.7976931348623157E+308"},
}

// checkNumber refuses a number that its type cannot hold.
func (p *parser) checkNumber(n *NumberLit) {
	text := n.Text
	if n.Neg {
		text = "-" + text
	}
	ok := true
	switch n.Suffix {
	case "Y", "S", "L":
		bits := map[string]int{"Y": 8, "S": 16, "L": 64}[n.Suffix]
		_, err := strconv.ParseInt(text, 10, bits)
		ok = err == nil
	case "F", "D":
		ok = inFloatRange(text, n.Suffix)
	case "BD", "":
		p.checkDecimal(n, text)
		ok = n.Suffix != "" || !strings.ContainsAny(text, "eE") || inFloatRange(text, "D")
	}
	if !ok {
		r := numberRanges[n.Suffix]
		if n.Suffix == "" {
			r = numberRanges["D"]
		}
		p.failAs(n.Span, "INVALID_NUMERIC_LITERAL_RANGE", "the number "+text+" is out of the range of "+r.name,
			"rawStrippedQualifier", text, "minValue", r.min, "maxValue", r.max, "typeName", r.name)
	}
}

// inFloatRange reports whether the exact value of text lies between the
// least and the greatest number of the type. Huge exponents are settled
// before big arithmetic could make them costly.
func inFloatRange(text, suffix string) bool {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false
	}
	if suffix == "D" {
		x, ok := new(big.Float).SetPrec(512).SetString(text)
		limit, _ := new(big.Float).SetPrec(512).SetString(numberRanges["D"].max)
		return f == 0 || ok && x.Abs(x).Cmp(limit) <= 0
	}
	return f >= -3.4028234663852886e38 && f <= 3.4028234663852886e38
}

// checkDecimal refuses decimals of more than 38 digits.
func (p *parser) checkDecimal(n *NumberLit, text string) {
	mantissa, exp, hasExp := strings.Cut(strings.ToLower(n.Text), "e")
	if n.Suffix == "" && hasExp {
		return // a double
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+frac, "0")
	scale := len(frac)
	if hasExp {
		e, err := strconv.Atoi(exp)
		if err != nil || e > 1<<20 || e < -1<<20 {
			p.failDecimal(n, text, 1<<20)
		}
		scale -= e
	}
	precision := max(len(digits), 1)
	if scale < 0 {
		precision, scale = precision-scale, 0
	}
	if precision = max(precision, scale); precision > 38 {
		p.failDecimal(n, text, precision)
	}
}

func (p *parser) failDecimal(n *NumberLit, text string, precision int) {
	p.failAs(n.Span, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
		"the number "+text+" needs "+strconv.Itoa(precision)+" digits, a decimal holds 38",
		"precision", strconv.Itoa(precision), "maxPrecision", "38")
}

// Typed literals.

// typedLit reads TYPE 'value'.
func (p *parser) typedLit() Expr {
	from := p.start()
	typ := strings.ToUpper(p.text(p.next()))
	value := p.oneString().Value
	span := p.since(from)
	ok := true
	switch typ {
	case "X":
		return p.binaryLit(span, value)
	case "DATE":
		ok = validDate(value)
	case "TIME":
		ok = validTime(value)
	case "TIMESTAMP", "TIMESTAMP_LTZ":
		ok = validTimestamp(value, true)
	case "TIMESTAMP_NTZ":
		ok = validTimestamp(value, false)
	case "INTERVAL":
		ok = validInterval(value)
		if ok && !p.LegacyInterval && mixesIntervalUnits(value) {
			p.failMixedInterval(span)
		}
	default:
		p.failAs(span, "UNSUPPORTED_TYPED_LITERAL", "there are no literals of the type "+typ,
			"unsupportedType", `"`+typ+`"`,
			"supportedTypes", `"DATE", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP", "INTERVAL", "X", "TIME"`)
	}
	if !ok {
		p.failTyped(span, typ, value)
	}
	return &TypedLit{span, typ, value}
}

func (p *parser) binaryLit(at Span, digits string) Expr {
	padded := digits
	if len(digits)%2 == 1 {
		padded = "0" + digits
	}
	b, err := hex.DecodeString(padded)
	if err != nil {
		p.failTyped(at, "X", digits)
	}
	return &BinaryLit{at, b}
}

func (p *parser) failTyped(at Span, typ, value string) {
	quoted := quoteString(value)
	p.failAs(at, "INVALID_TYPED_LITERAL", "the value of the "+typ+" literal is invalid: "+quoted,
		"valueType", `"`+typ+`"`, "value", quoted)
}
