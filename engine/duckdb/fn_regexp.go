package duckdb

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"github.com/tarn-lake/tarn/types"
)

// regexpFunctions match Java's regular expressions: RE2 where it reads them alike, else a backtracking engine.
var regexpFunctions = map[string]udf{
	"rlike":              regexpUDF(rlike),
	"regexp_count":       regexpUDF(regexpCount),
	"regexp_instr":       regexpUDF(regexpInstr),
	"regexp_substr":      regexpUDF(regexpSubstr),
	"regexp_extract":     regexpUDF(regexpExtract),
	"regexp_extract_all": regexpUDF(regexpExtractAll),
	"regexp_replace":     regexpUDF(regexpReplace),
	"split":              regexpUDF(splitText),
	"str_to_map":         regexpUDF(strToMap),
}

// pattern is a compiled expression. Where both are set, alt finds the matches of nothing right behind a match, which Java
// counts and RE2 does not.
type pattern struct {
	re  *regexp.Regexp
	alt *regexp2.Regexp
}

// compileRegexp compiles a Java pattern.
func compileRegexp(p string) (pattern, error) {
	re, reErr := regexp.Compile(p)
	if reErr == nil && !matchesNothing(p) {
		return pattern{re: re}, nil
	}
	alt, err := regexp2.Compile(p, regexp2.RE2)
	if err != nil {
		return pattern{re: re}, reErr
	}
	alt.MatchTimeout = 10 * time.Second
	return pattern{re: re, alt: alt}, nil
}

// matchesNothing reports whether a match of p may have no characters.
func matchesNothing(p string) bool {
	tree, err := syntax.Parse(p, syntax.Perl)
	return err == nil && nullable(tree)
}

func nullable(x *syntax.Regexp) bool {
	switch x.Op {
	case syntax.OpNoMatch, syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return nullable(x.Sub[0])
	case syntax.OpRepeat:
		return x.Min == 0 || nullable(x.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(x.Sub, func(s *syntax.Regexp) bool { return !nullable(s) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(x.Sub, nullable)
	}
	return true
}

func (p pattern) groups() int {
	if p.re != nil {
		return p.re.NumSubexp()
	}
	return len(p.alt.GetGroupNumbers()) - 1
}

// all are the matches in s, at most n of them when n is not negative: for each group its start and end, or -1.
func (p pattern) all(s string, n int) ([][]int, error) {
	if p.re != nil && (n == 1 || p.alt == nil) {
		return p.re.FindAllStringSubmatchIndex(s, n), nil
	}
	var out [][]int
	offsets := byteOffsets(s)
	m, err := p.alt.FindStringMatch(s)
	for m != nil && err == nil && (n < 0 || len(out) < n) {
		var loc []int
		for _, g := range m.Groups() {
			if len(g.Captures) == 0 {
				loc = append(loc, -1, -1)
				continue
			}
			loc = append(loc, offsets[g.Index], offsets[g.Index+g.Length])
		}
		out = append(out, loc)
		m, err = p.alt.FindNextMatch(m)
	}
	return out, err
}

// byteOffsets are the byte positions of the characters of s, and its length.
func byteOffsets(s string) []int {
	out := make([]int, 0, len(s)+1)
	for i := range s {
		out = append(out, i)
	}
	return append(out, len(s))
}

// regexpUDF is a function whose second argument is a pattern.
func regexpUDF(f func(u use, r *row, compile func(string) (pattern, error)) (types.Value, error)) udf {
	return udf{nulls: true, make: func(u use) (Eval, error) {
		name := u.param
		return func(n int, in []Vec, out *Out) error {
			var m memo[pattern]
			compile := func(p string) (pattern, error) {
				return m.get(p, func(p string) (pattern, error) {
					c, err := compileRegexp(p)
					if err != nil {
						err = raiseError("INVALID_PARAMETER_VALUE.PATTERN", "parameter", "`regexp`", "functionName", "`"+name+"`", "value", textSQL(p))
					}
					return c, err
				})
			}
			return valueUDF(strict(func(u use, r *row) (types.Value, error) { return f(u, r, compile) })).eval(u, n, in, out)
		}, nil
	}}
}

func (f udf) eval(u use, n int, in []Vec, out *Out) error {
	eval, err := f.make(u)
	if err != nil {
		return err
	}
	return eval(n, in, out)
}

type compiler = func(string) (pattern, error)

func rlike(_ use, r *row, compile compiler) (types.Value, error) {
	p, err := compile(r.text(1))
	if err != nil {
		return nil, err
	}
	if p.re != nil {
		return p.re.MatchString(r.text(0)), nil
	}
	return p.alt.MatchString(r.text(0))
}

func regexpCount(_ use, r *row, compile compiler) (types.Value, error) {
	p, err := compile(r.text(1))
	if err != nil {
		return nil, err
	}
	m, err := p.all(r.text(0), -1)
	return int64(len(m)), err
}

func regexpInstr(_ use, r *row, compile compiler) (types.Value, error) {
	p, err := compile(r.text(1))
	if err != nil {
		return nil, err
	}
	m, err := p.all(r.text(0), 1)
	if err != nil || len(m) == 0 {
		return int64(0), err
	}
	return int64(utf8.RuneCountInString(r.text(0)[:m[0][0]])) + 1, nil
}

func regexpSubstr(_ use, r *row, compile compiler) (types.Value, error) {
	p, err := compile(r.text(1))
	if err != nil {
		return nil, err
	}
	m, err := p.all(r.text(0), 1)
	if err != nil || len(m) == 0 || m[0][0] == m[0][1] {
		return nil, err
	}
	return strings.Clone(r.text(0)[m[0][0]:m[0][1]]), nil
}

// group is the number of the group asked for, 1 by default.
func group(r *row, p pattern, name string) (int, error) {
	g := int64(1)
	if len(r.cols) > 2 {
		g = r.int(2)
	}
	if g < 0 || g > int64(p.groups()) {
		return 0, raiseError("INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX", "parameter", "`idx`", "functionName", "`"+name+"`",
			"groupCount", strconv.Itoa(p.groups()), "groupIndex", strconv.FormatInt(g, 10))
	}
	return int(g), nil
}

func regexpExtract(_ use, r *row, compile compiler) (types.Value, error) {
	p, err := compile(r.text(1))
	if err != nil {
		return nil, err
	}
	m, err := p.all(r.text(0), 1)
	if err != nil || len(m) == 0 {
		return "", err
	}
	g, err := group(r, p, "regexp_extract")
	if err != nil {
		return nil, err
	}
	return captured(r.text(0), m[0], g), nil
}

func captured(s string, m []int, g int) string {
	if m[2*g] < 0 {
		return ""
	}
	return strings.Clone(s[m[2*g]:m[2*g+1]])
}

func regexpExtractAll(_ use, r *row, compile compiler) (types.Value, error) {
	p, err := compile(r.text(1))
	if err != nil {
		return nil, err
	}
	ms, err := p.all(r.text(0), -1)
	if err != nil {
		return nil, err
	}
	out := []types.Value{}
	for _, m := range ms {
		g, err := group(r, p, "regexp_extract_all")
		if err != nil {
			return nil, err
		}
		out = append(out, captured(r.text(0), m, g))
	}
	return out, nil
}

// regexpReplace replaces all matches from a position on; $1 in the replacement is group 1.
func regexpReplace(_ use, r *row, compile compiler) (types.Value, error) {
	p, err := compile(r.text(1))
	if err != nil {
		return nil, err
	}
	s, from := r.text(0), 0
	if len(r.cols) > 3 {
		from = runeAt(s, int(min(r.int(3)-1, int64(len(s)))))
	}
	ms, err := p.all(s[from:], -1)
	if err != nil {
		return nil, err
	}
	b := []byte(s[:from])
	rest := s[from:]
	at := 0
	for _, m := range ms {
		b = append(b, rest[at:m[0]]...)
		b = appendReplacement(b, r.text(2), rest, m)
		at = m[1]
	}
	return string(append(b, rest[at:]...)), nil
}

func appendReplacement(b []byte, with, s string, m []int) []byte {
	for i := 0; i < len(with); i++ {
		switch c := with[i]; {
		case c == '\\' && i+1 < len(with):
			i++
			b = append(b, with[i])
		case c == '$' && i+1 < len(with) && with[i+1] >= '0' && with[i+1] <= '9':
			g := 0
			for i+1 < len(with) && with[i+1] >= '0' && with[i+1] <= '9' && 2*(g*10+int(with[i+1]-'0')) < len(m) {
				g = g*10 + int(with[i+1]-'0')
				i++
			}
			if 2*g < len(m) && m[2*g] >= 0 {
				b = append(b, s[m[2*g]:m[2*g+1]]...)
			}
		default:
			b = append(b, c)
		}
	}
	return b
}

// splitText cuts text at matches; a limit above 0 bounds the number of parts.
func splitText(_ use, r *row, compile compiler) (types.Value, error) {
	limit := int64(-1)
	if len(r.cols) > 2 {
		limit = r.int(2)
	}
	parts, err := splitBy(r.text(0), r.text(1), int(limit), compile)
	if err != nil {
		return nil, err
	}
	out := make([]types.Value, len(parts))
	for i, s := range parts {
		out[i] = s
	}
	return out, nil
}

// splitBy splits as Java's Pattern.split does with a limit: no empty part before a match of nothing at the start.
func splitBy(s, by string, limit int, compile compiler) ([]string, error) {
	p, err := compile(by)
	if err != nil {
		return nil, err
	}
	ms, err := p.all(s, -1)
	if err != nil {
		return nil, err
	}
	var out []string
	at := 0
	for _, m := range ms {
		if limit > 0 && len(out) == limit-1 {
			break
		}
		if m[1] == 0 && m[0] == 0 || m[0] == m[1] && m[0] == len(s) && by == "" {
			continue
		}
		out = append(out, strings.Clone(s[at:m[0]]))
		at = m[1]
	}
	return append(out, strings.Clone(s[at:])), nil
}

// strToMap splits text in pairs and these in keys and values.
func strToMap(_ use, r *row, compile compiler) (types.Value, error) {
	pairBy, keyBy := ",", ":"
	if len(r.cols) > 1 {
		pairBy = strings.Clone(r.text(1))
	}
	if len(r.cols) > 2 {
		keyBy = strings.Clone(r.text(2))
	}
	pairs, err := splitBy(r.text(0), pairBy, -1, compile)
	if err != nil {
		return nil, err
	}
	var out []types.Pair
	for _, s := range pairs {
		kv, err := splitBy(s, keyBy, 2, compile)
		if err != nil {
			return nil, err
		}
		p := types.Pair{Key: kv[0]}
		if len(kv) > 1 {
			p.Value = kv[1]
		}
		for _, q := range out {
			if q.Key == p.Key {
				return nil, duplicateKey(p.Key)
			}
		}
		out = append(out, p)
	}
	return out, nil
}
