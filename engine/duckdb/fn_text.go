package duckdb

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tarn-lake/tarn/types"
)

// textFunctions work on text as Spark does: positions count characters from 1.
var textFunctions = map[string]udf{
	"substring":       textUDF(substring),
	"substring_index": textUDF(substringIndex),
	"locate":          intUDF(locate),
	"pad_left":        textUDF(func(u use, r *row) ([]byte, error) { return pad(u, r, true), nil }),
	"pad_right":       textUDF(func(u use, r *row) ([]byte, error) { return pad(u, r, false), nil }),
	"split_part":      textUDF(splitPart),
	"ascii":           intUDF(ascii),
	"chr":             textUDF(chr),
	"initcap":         textUDF(initcap),
	"soundex":         textUDF(soundex),
	"levenshtein":     intUDF(levenshtein),
	"find_in_set":     intUDF(findInSet),
	"elt":             textNulls(elt),
	"overlay":         textUDF(overlay),
	"translate":       textUDF(translate),
	"trim":            textUDF(trimBy),
	"mask":            textNulls(mask_),
	"luhn_check":      boolUDF(luhn),
	"quote":           textUDF(quoteText),
	"like":            likeUDF(),
	"concat_ws":       valueUDF(concatWs),
	"sentences":       valueUDF(strict(sentences)),
	"char_check":      textUDF(charCheck),
	"varchar_check":   textUDF(varcharCheck),
	"upper":           textUDF(func(_ use, r *row) ([]byte, error) { return bytes.ToUpper(r.bytes(0)), nil }),
	"reverse": textUDF(func(_ use, r *row) ([]byte, error) {
		rs := []rune(r.text(0))
		for i, j := 0, len(rs)-1; i < j; i, j = i+1, j-1 {
			rs[i], rs[j] = rs[j], rs[i]
		}
		return []byte(string(rs)), nil
	}),
}

// textNulls is a function of text result that sees NULL arguments.
func textNulls(f func(u use, r *row) ([]byte, error)) udf {
	return udf{nulls: true, make: func(u use) (Eval, error) {
		return func(n int, in []Vec, out *Out) error {
			return each(u, in, n, out, true, func(r *row) error {
				b, err := f(u, r)
				if err == nil {
					out.SetText(r.i, b)
				}
				return err
			})
		}, nil
	}}
}

func trimSpaces(s string) string { return strings.Trim(s, " ") }

func upperHex(s string) string { return strings.ToUpper(s) }

// runeAt is the byte position of character n of s, from 0.
func runeAt(s string, n int) int {
	if n <= 0 {
		return 0
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// span is the part of n characters or bytes that substring takes: start and end from 0.
func span(n int, pos, length int64) (from, to int) {
	start := int64(0)
	switch {
	case pos > 0:
		start = pos - 1
	case pos < 0:
		start = int64(n) + pos
	}
	end := start + length
	if length > math.MaxInt32 && start > 0 || end > math.MaxInt32 {
		end = math.MaxInt32
	}
	return int(min(max(start, 0), int64(n))), int(max(min(end, int64(n)), 0))
}

func substring(u use, r *row) ([]byte, error) {
	length := int64(math.MaxInt32)
	if len(u.args) > 2 {
		length = r.int(2)
	}
	if u.result == types.Binary {
		b := r.bytes(0)
		from, to := span(len(b), r.int(1), length)
		return b[min(from, to):to], nil
	}
	s := r.text(0)
	from, to := span(utf8.RuneCountInString(s), r.int(1), length)
	if from >= to {
		return nil, nil
	}
	i := runeAt(s, from)
	return []byte(s[i : i+runeAt(s[i:], to-from)]), nil
}

func substringIndex(_ use, r *row) ([]byte, error) {
	s, sep, n := r.text(0), r.text(1), r.int(2)
	if sep == "" || n == 0 {
		return nil, nil
	}
	if n > 0 {
		at := 0
		for ; n > 0; n-- {
			i := strings.Index(s[at:], sep)
			if i < 0 {
				return []byte(s), nil
			}
			if n == 1 {
				return []byte(s[:at+i]), nil
			}
			at += i + 1
		}
	}
	end := len(s)
	for ; n < 0; n++ {
		i := strings.LastIndex(s[:min(end+len(sep)-1, len(s))], sep)
		if end == len(s) {
			i = strings.LastIndex(s, sep)
		}
		if i < 0 {
			return []byte(s), nil
		}
		if n == -1 {
			return []byte(s[i+len(sep):]), nil
		}
		end = i
	}
	return []byte(s), nil
}

// locate is the position of the first argument in the second, from a position on.
func locate(u use, r *row) (int64, error) {
	sub, s, pos := r.text(0), r.text(1), int64(1)
	if len(u.args) > 2 {
		pos = r.int(2)
	}
	if pos < 1 {
		return 0, nil
	}
	n := utf8.RuneCountInString(s)
	if pos-1 > int64(n) {
		return 0, nil
	}
	from := runeAt(s, int(pos-1))
	i := strings.Index(s[from:], sub)
	if i < 0 {
		return 0, nil
	}
	return pos + int64(utf8.RuneCountInString(s[from:from+i])), nil
}

// maxText bounds the results of functions that make text longer.
const maxText = 1 << 30

func pad(u use, r *row, left bool) []byte {
	n := int(min(max(r.int(1), 0), maxText))
	fill := " "
	if u.result == types.Binary {
		fill = "\x00"
	}
	if len(u.args) > 2 {
		fill = r.text(2)
	}
	count, cut := utf8.RuneCountInString, runeAt
	if u.result == types.Binary {
		count, cut = func(s string) int { return len(s) }, func(_ string, n int) int { return n }
	}
	s := r.text(0)
	have := count(s)
	if have >= n {
		return []byte(s[:cut(s, n)])
	}
	if fill == "" {
		return []byte(s)
	}
	need := n - have
	full := strings.Repeat(fill, need/count(fill))
	full += fill[:cut(fill, need%count(fill))]
	if left {
		return []byte(full + s)
	}
	return []byte(s + full)
}

func splitPart(u use, r *row) ([]byte, error) {
	s, sep, n := r.text(0), r.text(1), r.int(2)
	if n == 0 {
		return nil, raiseError("INVALID_INDEX_OF_ZERO")
	}
	parts := []string{s}
	if sep != "" {
		parts = strings.Split(s, sep)
	}
	if n < 0 {
		n += int64(len(parts)) + 1
	}
	if n < 1 || n > int64(len(parts)) {
		return nil, nil
	}
	return []byte(parts[n-1]), nil
}

func ascii(_ use, r *row) (int64, error) {
	c, size := utf8.DecodeRuneInString(r.text(0))
	if size == 0 {
		return 0, nil
	}
	return int64(c), nil
}

func chr(_ use, r *row) ([]byte, error) {
	n := r.int(0)
	if n < 0 {
		return nil, nil
	}
	return utf8.AppendRune(nil, rune(n&0xff)), nil
}

func initcap(_ use, r *row) ([]byte, error) {
	var b []byte
	start := true
	for _, c := range r.text(0) {
		if start {
			c = unicode.ToTitle(c)
		} else {
			c = unicode.ToLower(c)
		}
		b = utf8.AppendRune(b, c)
		start = c == ' '
	}
	return b, nil
}

// soundex codes by letter; a code separated by H or W is not repeated.
func soundex(_ use, r *row) ([]byte, error) {
	s := strings.ToUpper(r.text(0))
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return []byte(r.text(0)), nil
	}
	const codes = "01230127022455012623017202"
	out := []byte{s[0]}
	last := codes[s[0]-'A']
	for i := 1; i < len(s) && len(out) < 4; i++ {
		if s[i] < 'A' || s[i] > 'Z' {
			last = '0'
			continue
		}
		switch c := codes[s[i]-'A']; {
		case c == '7':
		case c != '0' && c != last:
			out = append(out, c)
			last = c
		default:
			last = c
		}
	}
	for len(out) < 4 {
		out = append(out, '0')
	}
	return out, nil
}

func levenshtein(u use, r *row) (int64, error) {
	a, b := []rune(r.text(0)), []rune(r.text(1))
	prev := make([]int64, len(b)+1)
	cur := make([]int64, len(b)+1)
	for j := range prev {
		prev[j] = int64(j)
	}
	for i, x := range a {
		cur[0] = int64(i + 1)
		for j, y := range b {
			cost := int64(1)
			if x == y {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
		}
		prev, cur = cur, prev
	}
	if len(u.args) > 2 && prev[len(b)] > r.int(2) {
		return -1, nil
	}
	return prev[len(b)], nil
}

func findInSet(_ use, r *row) (int64, error) {
	if strings.Contains(r.text(0), ",") {
		return 0, nil
	}
	for i, s := range strings.Split(r.text(1), ",") {
		if s == r.text(0) {
			return int64(i + 1), nil
		}
	}
	return 0, nil
}

func elt(u use, r *row) ([]byte, error) {
	if r.null(0) {
		return nil, errNull
	}
	n := r.int(0)
	if n < 1 || n >= int64(len(u.args)) {
		if u.mode != 0 {
			return nil, errNull
		}
		return nil, raiseError("INVALID_ARRAY_INDEX", "indexValue", strconv.FormatInt(n, 10), "arraySize", strconv.Itoa(len(u.args)-1))
	}
	if r.null(int(n)) {
		return nil, errNull
	}
	return r.bytes(int(n)), nil
}

func overlay(u use, r *row) ([]byte, error) {
	pos, length := r.int(2), int64(-1)
	if len(u.args) > 3 {
		length = r.int(3)
	}
	if u.result == types.Binary {
		b, with := r.bytes(0), r.bytes(1)
		if length < 0 {
			length = int64(len(with))
		}
		from, to := overlayBounds(len(b), pos, length)
		return append(append(append([]byte{}, b[:from]...), with...), b[to:]...), nil
	}
	s, with := r.text(0), r.text(1)
	if length < 0 {
		length = int64(utf8.RuneCountInString(with))
	}
	from, to := overlayBounds(utf8.RuneCountInString(s), pos, length)
	return []byte(s[:runeAt(s, from)] + with + s[runeAt(s, to):]), nil
}

func overlayBounds(n int, pos, length int64) (from, to int) {
	from = int(min(max(pos-1, 0), int64(n)))
	to = int(min(max(pos-1+length, 0), int64(n)))
	return from, to
}

func translate(_ use, r *row) ([]byte, error) {
	from, to := []rune(r.text(1)), []rune(r.text(2))
	m := map[rune]rune{}
	for i, c := range from {
		if _, ok := m[c]; ok {
			continue
		}
		m[c] = -1
		if i < len(to) {
			m[c] = to[i]
		}
	}
	return []byte(strings.Map(func(c rune) rune {
		if d, ok := m[c]; ok {
			return d
		}
		return c
	}, r.text(0))), nil
}

// trimBy removes characters of the first argument from the second, at the sides that the template names.
func trimBy(u use, r *row) ([]byte, error) {
	chars, s := r.text(0), r.text(1)
	if chars == "" {
		return []byte(s), nil
	}
	switch u.param {
	case "left":
		s = strings.TrimLeft(s, chars)
	case "right":
		s = strings.TrimRight(s, chars)
	default:
		s = strings.Trim(s, chars)
	}
	return []byte(s), nil
}

// mask_ replaces upper-case letters, lower-case letters, digits and others by a character each; NULL keeps them.
func mask_(u use, r *row) ([]byte, error) {
	if r.null(0) {
		return nil, errNull
	}
	with := [4]rune{'X', 'x', 'n', -1}
	for k := 1; k < len(u.args) && k <= 4; k++ {
		with[k-1] = -1
		if !r.null(k) {
			c, size := utf8.DecodeRuneInString(r.text(k))
			if size > 0 {
				with[k-1] = c
			}
		}
	}
	return []byte(strings.Map(func(c rune) rune {
		kind := 3
		switch {
		case unicode.IsUpper(c):
			kind = 0
		case unicode.IsLower(c):
			kind = 1
		case unicode.IsDigit(c):
			kind = 2
		}
		if with[kind] >= 0 {
			return with[kind]
		}
		return c
	}, r.text(0))), nil
}

func luhn(_ use, r *row) (bool, error) {
	s := r.text(0)
	sum, double := 0, false
	for i := len(s) - 1; i >= 0; i-- {
		d := int(s[i]) - '0'
		if d < 0 || d > 9 {
			return false, nil
		}
		if double {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum, double = sum+d, !double
	}
	return s != "" && sum%10 == 0, nil
}

func quoteText(_ use, r *row) ([]byte, error) {
	return []byte("'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(r.text(0)) + "'"), nil
}

func concatWs(_ use, r *row) (types.Value, error) {
	if r.null(0) {
		return nil, nil
	}
	var parts []string
	for k := 1; k < len(r.cols); k++ {
		switch v := r.value(k).(type) {
		case string:
			parts = append(parts, v)
		case []types.Value:
			for _, x := range v {
				if s, ok := x.(string); ok {
					parts = append(parts, s)
				}
			}
		}
	}
	return strings.Join(parts, r.text(0)), nil
}

// sentences splits text in sentences of words.
func sentences(_ use, r *row) (types.Value, error) {
	out := []types.Value{}
	for _, s := range strings.FieldsFunc(r.text(0), func(c rune) bool { return strings.ContainsRune(".!?", c) }) {
		words := []types.Value{}
		for _, w := range strings.FieldsFunc(s, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '\'' }) {
			words = append(words, w)
		}
		if len(words) > 0 {
			out = append(out, words)
		}
	}
	return out, nil
}

func charCheck(_ use, r *row) ([]byte, error) {
	s, n := r.text(0), int(r.int(1))
	have := utf8.RuneCountInString(s)
	if have > n {
		return fitBlanks(s, n)
	}
	return []byte(s + strings.Repeat(" ", n-have)), nil
}

func varcharCheck(_ use, r *row) ([]byte, error) {
	s, n := r.text(0), int(r.int(1))
	if utf8.RuneCountInString(s) > n {
		return fitBlanks(s, n)
	}
	return []byte(s), nil
}

// fitBlanks cuts s to n characters when only blanks are lost.
func fitBlanks(s string, n int) ([]byte, error) {
	at := runeAt(s, n)
	if strings.TrimRight(s[at:], " ") != "" {
		return nil, raiseError("EXCEED_LIMIT_LENGTH", "limit", strconv.Itoa(n))
	}
	return []byte(s[:at]), nil
}

// likeUDF matches patterns of % and _; the template says LIKE or ILIKE.
func likeUDF() udf {
	return udf{make: func(u use) (Eval, error) {
		return func(n int, in []Vec, out *Out) error {
			to := Results[int8](out)
			var m memo[[]rune]
			return each(u, in, n, out, false, func(r *row) error {
				escape := `\`
				if len(u.args) > 2 {
					escape = r.text(2)
				}
				p, err := m.get(r.text(1)+"\x00"+escape, func(string) ([]rune, error) { return compileLike(r.text(1), escape) })
				if err != nil {
					return err
				}
				s := r.text(0)
				if u.param == "ILIKE" {
					s = strings.ToLower(s)
				}
				to[r.i] = 0
				if matchLike([]rune(s), lowered(p, u.param == "ILIKE")) {
					to[r.i] = 1
				}
				return nil
			})
		}, nil
	}}
}

func lowered(p []rune, fold bool) []rune {
	if !fold {
		return p
	}
	out := make([]rune, len(p))
	for i, c := range p {
		if out[i] = c; c >= 0 {
			out[i] = unicode.ToLower(c)
		}
	}
	return out
}

const (
	likeAny  = -1 // %
	likeRune = -2 // _
)

func compileLike(p, escape string) ([]rune, error) {
	esc, _ := utf8.DecodeRuneInString(escape)
	var out []rune
	rs := []rune(p)
	for i := 0; i < len(rs); i++ {
		switch c := rs[i]; {
		case c == esc && escape != "":
			if i+1 == len(rs) {
				return nil, raiseError("INVALID_FORMAT.ESC_AT_THE_END", "format", textSQL(p))
			}
			next := rs[i+1]
			if next != '%' && next != '_' && next != esc {
				return nil, raiseError("INVALID_FORMAT.ESC_IN_THE_MIDDLE", "format", textSQL(p), "char", textSQL(string(next)))
			}
			out = append(out, next)
			i++
		case c == '%':
			out = append(out, likeAny)
		case c == '_':
			out = append(out, likeRune)
		default:
			out = append(out, c)
		}
	}
	return out, nil
}

// matchLike is linear in the text for each % of the pattern.
func matchLike(s, p []rune) bool {
	i, j, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case j < len(p) && p[j] == likeAny:
			star, mark = j, i
			j++
		case j < len(p) && (p[j] == likeRune || p[j] == s[i]):
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = mark, star+1
		default:
			return false
		}
	}
	for j < len(p) && p[j] == likeAny {
		j++
	}
	return j == len(p)
}
