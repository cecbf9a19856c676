package syntax

import (
	"slices"
	"strings"
)

// Piece is the text of one statement of a script.
type Piece struct {
	Span
	Text string // without the semicolon and the blanks and comments around it
	// Complete tells that a semicolon ended the statement. A prompt asks for
	// another line as long as the last piece is not complete.
	Complete bool
}

// Split cuts a script into its statements. It looks at tokens only, so that
// it also splits what Parse would refuse. A piece that lacks the end of a
// string, a comment or a block is not complete.
func Split(src string) []Piece {
	toks, unclosed := scan(src)
	if i := openQuote(src, toks); i >= 0 && (unclosed < 0 || int(toks[i].start) < unclosed) {
		unclosed = int(toks[i].start)
		toks = append(toks[:i], token{kind: kindEOF, start: int32(unclosed), end: int32(unclosed)})
	}
	p := &parser{src: src, toks: toks}
	var out []Piece
	for {
		for p.acceptOp(";") {
		}
		if p.atEOF() {
			break
		}
		from, end := p.start(), p.statementEnd(p.i)
		p.i = end
		span := p.since(from)
		out = append(out, Piece{span, span.Text(src), p.atOp(";")})
	}
	if unclosed >= 0 {
		out = withOpenEnd(out, src, unclosed)
	}
	return out
}

// openQuote returns the index of the token that is a quote without an end, or
// -1.
func openQuote(src string, toks []token) int {
	return slices.IndexFunc(toks, func(t token) bool {
		return t.kind == kindBad && strings.ContainsAny(src[t.start:t.end], "'\"`")
	})
}

// withOpenEnd makes the text from an unclosed comment or quote on part of the
// last piece, or a piece of its own.
func withOpenEnd(out []Piece, src string, unclosed int) []Piece {
	from := Pos(unclosed)
	if n := len(out); n > 0 && !out[n-1].Complete {
		from = out[n-1].From
		out = out[:n-1]
	}
	span := Span{from, Pos(len(src))}
	return append(out, Piece{Span: span, Text: span.Text(src)})
}

// statementEnd returns the index of the semicolon, or of the end of the text,
// that ends the statement which starts at token index i. Within BEGIN … END
// semicolons end nothing.
func (p *parser) statementEnd(i int) int {
	start := p.i
	p.i = i
	block := p.atBlock()
	p.i = start
	if !block {
		for ; i < len(p.toks)-1 && !p.isSemicolon(i); i++ {
		}
		return i
	}
	depth := 0
	for ; i < len(p.toks)-1; i++ {
		switch {
		case p.isSemicolon(i) && depth == 0:
			return i
		case p.opensBlock(i):
			depth++
		case p.toks[i].is("END") && depth > 0:
			depth--
			if p.closesKind(i + 1) {
				i++
			}
		}
	}
	return i
}

func (p *parser) isSemicolon(i int) bool {
	return p.toks[i].kind == kindOp && p.src[p.toks[i].start] == ';'
}

// opensBlock reports whether the word at index i needs an END.
func (p *parser) opensBlock(i int) bool {
	t := p.toks[i]
	switch {
	case t.is("BEGIN"), t.is("CASE"):
		return true
	case t.is("IF"), t.is("WHILE"), t.is("REPEAT"), t.is("LOOP"), t.is("FOR"):
		return i > 0 && p.startsStatement(i-1)
	}
	return false
}

// startsStatement reports whether a statement may start behind token i.
func (p *parser) startsStatement(i int) bool {
	t := p.toks[i]
	if t.kind == kindOp {
		return p.src[t.start] == ';' || p.text(t) == ":"
	}
	return t.is("BEGIN") || t.is("THEN") || t.is("ELSE") || t.is("DO") || t.is("LOOP") || t.is("REPEAT") || t.is("ATOMIC")
}

// closesKind reports whether the word at index i belongs to the END before it.
func (p *parser) closesKind(i int) bool {
	t := p.toks[min(i, len(p.toks)-1)]
	return t.is("IF") || t.is("WHILE") || t.is("REPEAT") || t.is("LOOP") || t.is("FOR") || t.is("CASE")
}
