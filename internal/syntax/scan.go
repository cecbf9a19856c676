package syntax

import (
	"unicode"
	"unicode/utf8"
)

// kind is the lexical kind of a token.
type kind uint8

const (
	kindEOF     kind = iota
	kindWord         // identifier or keyword
	kindQuoted       // `identifier`
	kindURI          // scheme://path, a mistaken identifier
	kindString       // 'text', "text", r'text'
	kindInt          // 12
	kindDecimal      // 1.5
	kindExp          // 1e3
	kindSuffix       // 1L, 2.5BD
	kindOp           // operator or punctuation
	kindBad          // a character that starts no token
)

// token is a piece of the text: src[start:end].
type token struct {
	kind       kind
	double     bool // kindString: in double quotes
	word       word
	start, end int32
}

// scanner cuts a text into tokens without allocating.
type scanner struct {
	src      string
	pos      int
	unclosed int  // where an unclosed bracketed comment starts, or -1
	broken   byte // the quote that was seen to lack its end, if any
}

// scan returns all tokens of src, the last of kind kindEOF, and the position
// of a bracketed comment that never ends, or -1.
func scan(src string) ([]token, int) {
	s := scanner{src: src, unclosed: -1}
	toks := make([]token, 0, len(src)/4+8)
	for {
		t := s.next()
		toks = append(toks, t)
		if t.kind == kindEOF {
			return toks, s.unclosed
		}
	}
}

func (s *scanner) at(i int) byte {
	if i < len(s.src) {
		return s.src[i]
	}
	return 0
}

func (s *scanner) next() token {
	s.skipBlank()
	start := s.pos
	if start >= len(s.src) {
		return token{kind: kindEOF, start: int32(start), end: int32(start)}
	}
	t := token{start: int32(start)}
	switch c := s.src[start]; {
	case (c == 'r' || c == 'R') && (s.at(start+1) == '\'' || s.at(start+1) == '"'):
		t.kind = s.rawString()
	case isWordByte(c) && !isDigit(c), c >= utf8.RuneSelf:
		t.kind = s.wordOrURI()
	case isDigit(c), c == '.' && isDigit(s.at(start+1)):
		t.kind = s.number()
	case c == '\'', c == '"':
		t.kind, t.double = s.quotedString(c), c == '"'
	case c == '`':
		t.kind = s.backquoted()
	default:
		t.kind = s.operator()
	}
	t.end = int32(s.pos)
	if t.kind == kindWord {
		t.word = keywords.lookup(s.src[start:s.pos])
	}
	return t
}

// skipBlank passes white space and comments. A hint (/*+) is no comment.
func (s *scanner) skipBlank() {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == ' ' || '\t' <= c && c <= '\r':
			s.pos++
		case c == '-' && s.at(s.pos+1) == '-':
			s.lineComment()
		case c == '/' && s.at(s.pos+1) == '*' && s.at(s.pos+2) != '+':
			s.bracketedComment()
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s.src[s.pos:])
			if !unicode.IsSpace(r) && r != '\u180e' && r != '\u200b' && r != '\ufeff' {
				return
			}
			s.pos += n
		default:
			return
		}
	}
}

// lineComment passes -- to the end of the line; a backslash before the line
// break carries the comment over to the next line.
func (s *scanner) lineComment() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '\\':
			if s.at(s.pos+1) == '\n' {
				s.pos++
			}
		case '\r', '\n':
			return
		}
		s.pos++
	}
}

// bracketedComment passes a comment, which may hold further comments.
func (s *scanner) bracketedComment() {
	start, depth := s.pos, 1
	for s.pos += 2; s.pos < len(s.src); {
		switch {
		case s.src[s.pos] == '*' && s.at(s.pos+1) == '/':
			s.pos += 2
			if depth--; depth == 0 {
				return
			}
		case s.src[s.pos] == '/' && s.at(s.pos+1) == '*' && s.at(s.pos+2) != '+':
			s.pos += 2
			depth++
		default:
			s.pos++
		}
	}
	s.unclosed = start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_'
}

// word passes letters, digits and underscores from s.pos on.
func (s *scanner) word() {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		if isWordByte(c) {
			s.pos++
			continue
		}
		if c < utf8.RuneSelf {
			return
		}
		r, n := utf8.DecodeRuneInString(s.src[s.pos:])
		if !unicode.IsLetter(r) {
			return
		}
		s.pos += n
	}
}

func (s *scanner) wordOrURI() kind {
	start := s.pos
	s.word()
	if s.pos == start {
		_, n := utf8.DecodeRuneInString(s.src[s.pos:])
		s.pos += n
		return kindBad
	}
	if s.at(s.pos) != ':' || s.at(s.pos+1) != '/' || s.at(s.pos+2) != '/' {
		return kindWord
	}
	for s.pos += 3; s.pos < len(s.src) && isURIByte(s.src[s.pos]); {
		s.pos++
	}
	return kindURI
}

func isURIByte(c byte) bool {
	switch c {
	case '/', '-', '.', '?', '=', '&', '#', '%':
		return true
	}
	return isWordByte(c) || c >= utf8.RuneSelf
}

// number passes a number. A word that starts with digits is an identifier,
// and a point followed by a word, as in 2.3W, belongs to no number.
func (s *scanner) number() kind {
	start := s.pos
	s.digits()
	k := kindInt
	if s.at(s.pos) == '.' {
		if end, fk := s.fraction(); end > 0 {
			s.pos = end
			return fk
		}
	}
	if s.pos == start { // ".3W"
		s.pos++
		return kindOp
	}
	if end := s.exponent(s.pos); end > 0 {
		s.pos, k = end, kindExp
	}
	if end := s.suffix(s.pos, k == kindInt); end > 0 && !isWordByte(s.at(end)) {
		s.pos = end
		return kindSuffix
	}
	if s.pos < len(s.src) && (isWordByte(s.src[s.pos]) || s.src[s.pos] >= utf8.RuneSelf) {
		return s.digitWord(start)
	}
	return k
}

// digitWord decides about 12ab: a word, unless what follows the digits is no
// letter after all.
func (s *scanner) digitWord(start int) kind {
	numberEnd := s.pos
	s.pos = start
	s.word()
	if s.pos < numberEnd { // 1e+3x
		s.pos = numberEnd
		return kindExp
	}
	for i := start; i < s.pos; i++ {
		if !isDigit(s.src[i]) {
			return kindWord
		}
	}
	return kindInt
}

func (s *scanner) digits() {
	for isDigit(s.at(s.pos)) {
		s.pos++
	}
}

// fraction tries to read .digits, exponent and suffix from the point at
// s.pos on; it returns 0 when they are no part of a number.
func (s *scanner) fraction() (int, kind) {
	end, k := s.pos+1, kindDecimal
	for isDigit(s.at(end)) {
		end++
	}
	if e := s.exponent(end); e > 0 {
		end, k = e, kindExp
	}
	if e := s.suffix(end, false); e > 0 && !isWordByte(s.at(e)) {
		return e, kindSuffix
	}
	if isWordByte(s.at(end)) {
		return 0, 0
	}
	return end, k
}

// exponent returns the end of an exponent that starts at i, or 0.
func (s *scanner) exponent(i int) int {
	if s.at(i)|0x20 != 'e' {
		return 0
	}
	i++
	if s.at(i) == '+' || s.at(i) == '-' {
		i++
	}
	if !isDigit(s.at(i)) {
		return 0
	}
	for isDigit(s.at(i)) {
		i++
	}
	return i
}

// suffix returns the end of a type suffix that starts at i, or 0.
func (s *scanner) suffix(i int, integer bool) int {
	switch c := s.at(i) | 0x20; {
	case c == 'd', c == 'f', integer && (c == 'l' || c == 's' || c == 'y'):
		return i + 1
	case c == 'b' && s.at(i+1)|0x20 == 'd':
		return i + 2
	}
	return 0
}

func (s *scanner) rawString() kind {
	quote := s.src[s.pos+1]
	for i := s.pos + 2; i < len(s.src); i++ {
		if s.src[i] == quote {
			s.pos = i + 1
			return kindString
		}
	}
	s.pos++
	return kindWord
}

// quotedString passes a string with backslash escapes and doubled quotes.
func (s *scanner) quotedString(quote byte) kind { return s.quoted(quote, kindString) }

func (s *scanner) backquoted() kind { return s.quoted('`', kindQuoted) }

// quoted passes a quoted text. If its end is missing, a doubled quote within
// it counts as its end, and without one the quote is a bad token of one byte.
// Each kind of quote goes to the end of the text in vain only once, so that
// scanning stays linear.
func (s *scanner) quoted(quote byte, k kind) kind {
	if s.broken != quote {
		if end := s.quoteEnd(quote); end > 0 {
			s.pos = end
			return k
		}
		s.broken = quote
	}
	s.pos++
	return kindBad
}

// quoteEnd returns the position behind the closing quote, or 0.
func (s *scanner) quoteEnd(quote byte) int {
	doubled := 0
	for i := s.pos + 1; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case c == '\\' && quote != '`':
			i++
		case c != quote:
		case s.at(i+1) == quote && s.broken == 0:
			if doubled == 0 {
				doubled = i + 1
			}
			i++
		default:
			return i + 1
		}
	}
	if doubled > 0 {
		s.broken = ' ' // from now on the first quote ends a text
	}
	return doubled
}

// operators1 are the operators of one character.
const operators1 = "()[],.;!=<>+-*/%~&|^:?@"

func isOperator2(a, b byte) bool {
	switch a {
	case '=':
		return b == '=' || b == '>'
	case '<':
		return b == '=' || b == '>' || b == '<'
	case '>':
		return b == '=' || b == '>'
	case '!':
		return b == '=' || b == '<' || b == '>'
	case '|':
		return b == '|' || b == '>'
	case ':':
		return b == ':'
	case '-':
		return b == '>'
	case '*':
		return b == '/'
	}
	return false
}

func (s *scanner) operator() kind {
	a, b, c := s.src[s.pos], s.at(s.pos+1), s.at(s.pos+2)
	switch {
	case a == '<' && b == '=' && c == '>', a == '>' && b == '>' && c == '>', a == '/' && b == '*' && c == '+':
		s.pos += 3
	case isOperator2(a, b):
		s.pos += 2
	default:
		s.pos++
		for i := range len(operators1) {
			if operators1[i] == a {
				return kindOp
			}
		}
		return kindBad
	}
	return kindOp
}
