package syntax

import (
	"errors"
	"fmt"
	"strings"
)

const (
	maxText   = 64 << 20 // bytes of text that are read at all
	maxDepth  = 1000     // nested expressions, queries, types and statements
	maxHeight = 20000    // operators on a path from a statement to a leaf
	maxErrors = 100      // errors that are reported for a script
)

// parser reads statements from tokens. Its methods consume tokens from p.i
// on and leave by panic with an *Error when the text is wrong; run turns that
// into an error.
type parser struct {
	Dialect
	src    string
	toks   []token
	i      int
	depth  int // of nesting at p.i
	height int // of the operator tree read since the innermost mark
	script int // depth of BEGIN … END around p.i

	// A closing > may be the first part of a longer operator. Such a token
	// loses its first character when that is consumed.
	closers    []int32 // by index of an opening parenthesis: its closing one
	parenQuery []int8  // by index of an opening parenthesis: 1 before a query, -1 if not
	split      int32   // offset of the rest of the token split last
}

// newParser scans src; the text may be refused as a whole.
func newParser(d Dialect, src string) (*parser, *Error) {
	if len(src) > maxText {
		return nil, tooComplex(Span{}, fmt.Sprintf("the text is longer than %d MiB", maxText>>20))
	}
	toks, unclosed := scan(src)
	p := &parser{Dialect: d, src: src, toks: toks}
	if unclosed >= 0 {
		return p, &Error{
			Span: Span{Pos(unclosed), Pos(len(src))}, Class: "UNCLOSED_BRACKETED_COMMENT",
			Msg: "a bracketed comment /* lacks its end */", Incomplete: true,
		}
	}
	return p, nil
}

func tooComplex(at Span, why string) *Error {
	return &Error{Span: at, Class: "FAILED_TO_PARSE_TOO_COMPLEX", Msg: "the statement is too complex: " + why}
}

// run calls f and returns the error by which it left, if any.
func (p *parser) run(f func()) (err *Error) {
	depth, height, script := p.depth, p.height, p.script
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			p.depth, p.height, p.script = depth, height, script
			err = e
		}
	}()
	f()
	return nil
}

// enter counts a level of nesting; the caller defers or calls leave.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		panic(tooComplex(p.tokSpan(), fmt.Sprintf("more than %d levels of nesting", maxDepth)))
	}
}

func (p *parser) leave() { p.depth-- }

// grow counts an operator above the tree read since the innermost mark.
func (p *parser) grow() {
	if p.height++; p.height > maxHeight {
		panic(tooComplex(p.tokSpan(), fmt.Sprintf("more than %d operators in a row", maxHeight)))
	}
}

// mark starts to count the height of a new operand; the caller passes the
// result to merge when the operand has been read.
func (p *parser) mark() int {
	h := p.height
	p.height = 0
	return h
}

func (p *parser) merge(h int) { p.height = max(p.height, h) }

// Looking at tokens.

func (p *parser) tok() token { return p.toks[p.i] }

// ahead returns the token n places ahead; behind the end it is the end.
func (p *parser) ahead(n int) token { return p.toks[min(p.i+n, len(p.toks)-1)] }

func (p *parser) text(t token) string { return p.src[t.start:t.end] }

func (t token) is(w string) bool { return t.kind == kindWord && keywords.text[t.word] == w }

// at reports whether the next tokens are the given keywords.
func (p *parser) at(words ...string) bool {
	for n, w := range words {
		if !p.ahead(n).is(w) {
			return false
		}
	}
	return true
}

// atAny reports whether the next token is one of the given keywords.
func (p *parser) atAny(words ...string) bool {
	t := p.tok()
	if t.word == 0 {
		return false
	}
	for _, w := range words {
		if keywords.text[t.word] == w {
			return true
		}
	}
	return false
}

// atOp reports whether the next token is the operator op.
func (p *parser) atOp(op string) bool { return p.opAt(0, op) }

func (p *parser) opAt(n int, op string) bool {
	t := p.ahead(n)
	return t.kind == kindOp && p.text(t) == op
}

func (p *parser) atEOF() bool { return p.tok().kind == kindEOF }

// atEnd reports whether the statement ends here.
func (p *parser) atEnd() bool { return p.atEOF() || p.atOp(";") }

// Consuming tokens.

func (p *parser) next() token {
	t := p.toks[p.i]
	if t.kind != kindEOF {
		p.i++
	}
	return t
}

// accept consumes the given keywords if all of them come next.
func (p *parser) accept(words ...string) bool {
	if !p.at(words...) {
		return false
	}
	p.i += len(words)
	return true
}

// acceptAny consumes one of the given keywords and returns it, or "".
func (p *parser) acceptAny(words ...string) string {
	if !p.atAny(words...) {
		return ""
	}
	return keywords.text[p.next().word]
}

func (p *parser) acceptOp(op string) bool {
	if !p.atOp(op) {
		return false
	}
	p.i++
	return true
}

// expect consumes the given keywords or fails at the first that differs.
func (p *parser) expect(words ...string) {
	for _, w := range words {
		if !p.at(w) {
			p.failExpected(w)
		}
		p.i++
	}
}

func (p *parser) expectAny(words ...string) string {
	w := p.acceptAny(words...)
	if w == "" {
		p.failExpected(words...)
	}
	return w
}

func (p *parser) expectOp(op string) {
	if !p.acceptOp(op) {
		p.failExpected("'" + op + "'")
	}
}

// Positions.

func (p *parser) tokSpan() Span { return Span{Pos(p.tok().start), Pos(p.tok().end)} }

// start returns the offset of the next token.
func (p *parser) start() Pos { return Pos(p.tok().start) }

// since returns the span from the given offset to the last token consumed.
func (p *parser) since(from Pos) Span {
	switch {
	case p.split > 0 && p.toks[p.i].start == p.split:
		return Span{from, max(from, Pos(p.split))}
	case p.i == 0:
		return Span{from, from}
	}
	return Span{from, max(from, Pos(p.toks[p.i-1].end))}
}

// Failing.

// fail reports a syntax error at the next token. The hint follows Spark's
// wording, such as ": extra input 'x'", or is "".
func (p *parser) fail(hint, msg string) {
	t := p.tok()
	what := "end of input"
	if t.kind != kindEOF {
		what = "'" + p.text(t) + "'"
	}
	full := "syntax error at or near " + what
	open := t.kind == kindBad && strings.ContainsAny(p.text(t), "'\"`")
	if open {
		msg = "the text behind this quote lacks its end"
	}
	if msg != "" {
		full += ": " + msg
	}
	panic(&Error{
		Span: p.tokSpan(), Class: "PARSE_SYNTAX_ERROR", Msg: full, Incomplete: t.kind == kindEOF || open,
		Params: map[string]string{"error": what, "hint": hint},
	})
}

// failExpected fails because none of the wanted words or signs came next.
func (p *parser) failExpected(want ...string) {
	const most = 5
	if len(want) > most {
		want = want[:most]
	}
	msg := "expected " + strings.Join(want, ", ")
	if near := p.didYouMean(want); near != "" {
		msg += "; did you mean " + near + "?"
	}
	p.fail("", msg)
}

// failExtra fails because the statement should have ended. Like Spark, it
// speaks of extra input when a single token is too much.
func (p *parser) failExtra() {
	if p.atEOF() {
		p.fail("", "")
	}
	after := p.ahead(1)
	if after.kind == kindEOF || p.opAt(1, ";") {
		p.fail(": extra input '"+p.text(p.tok())+"'", "the statement should have ended here")
	}
	p.fail("", "the statement should have ended here")
}

// failAs reports an error of another class than the usual one.
func (p *parser) failAs(at Span, class, msg string, params ...string) {
	e := &Error{Span: at, Class: class, Msg: msg}
	if len(params) > 0 {
		e.Params = map[string]string{}
		for i := 0; i+1 < len(params); i += 2 {
			e.Params[params[i]] = params[i+1]
		}
	}
	panic(e)
}

// didYouMean returns the wanted word that the next token nearly spells.
func (p *parser) didYouMean(want []string) string {
	t := p.tok()
	if t.kind != kindWord {
		return ""
	}
	got := strings.ToUpper(p.text(t))
	best, bestDist := "", 3
	for _, w := range want {
		if d := editDistance(got, w, bestDist); d < bestDist && d < len(w)/2 {
			best, bestDist = w, d
		}
	}
	return best
}

// editDistance counts the letters to insert, drop, replace or swap to turn a
// into b, or returns limit if there are that many.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return min(prev[len(b)], limit)
}

// asError turns a parser's error into what the exported functions return.
func asError(e *Error) error {
	if e == nil {
		return nil
	}
	return ErrorList{e}
}

// IsIncomplete reports whether err says that the text ended too early.
func IsIncomplete(err error) bool {
	var l ErrorList
	return errors.As(err, &l) && l.Incomplete()
}
