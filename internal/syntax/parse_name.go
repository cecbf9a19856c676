package syntax

import "strings"

// isIdent reports whether t may be an identifier.
func (p *parser) isIdent(t token) bool {
	switch t.kind {
	case kindWord:
		return !p.ReservedKeywords || !t.word.reserved()
	case kindString:
		return p.isQuotedIdent(t)
	}
	return t.kind == kindQuoted
}

// isQuotedIdent reports whether t is a string that the dialect reads as a name.
func (p *parser) isQuotedIdent(t token) bool {
	return t.double && p.DoubleQuotedIdentifiers && p.src[t.start] == '"'
}

// isString reports whether t is a string literal.
func (p *parser) isString(t token) bool { return t.kind == kindString && !p.isQuotedIdent(t) }

// word reads an identifier, but not IDENTIFIER(…).
func (p *parser) word() *Ident {
	t := p.tok()
	switch {
	case t.kind == kindURI:
		p.failIdent(p.tokSpan())
	case !p.isIdent(t):
		p.failExpected("a name")
	}
	p.next()
	id := &Ident{Span: p.since(Pos(t.start)), Name: p.text(t)}
	if t.kind != kindWord {
		id.Name, id.Quoted = unquote(id.Name), true
	} else if !isASCII(id.Name) {
		p.failIdent(id.Span)
	}
	return id
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func unquote(s string) string {
	q := s[:1]
	return strings.ReplaceAll(s[1:len(s)-1], q+q, q)
}

func (p *parser) failIdent(at Span) {
	text := at.Text(p.src)
	p.failAs(at, "INVALID_IDENTIFIER", "the unquoted identifier "+text+" is invalid; put it in back quotes: `"+text+"`",
		"ident", text)
}

// part reads an identifier within an expression, perhaps IDENTIFIER('name').
func (p *parser) part() *Ident {
	if p.LegacyIdentifierClause || !p.at("IDENTIFIER") || !p.opAt(1, "(") {
		return p.word()
	}
	from := p.start()
	p.i += 2
	lit := p.stringLit()
	p.expectOp(")")
	return &Ident{Span: p.since(from), Expr: lit}
}

// ident reads an identifier where no expression may stand, so that a-b can
// only be a name that lacks its quotes.
func (p *parser) ident() *Ident {
	from := p.start()
	id := p.part()
	if !id.Quoted && p.atOp("-") && p.ahead(1).kind == kindWord && id.Expr == nil {
		for p.atOp("-") && p.ahead(1).kind == kindWord {
			p.i += 2
		}
		p.failIdent(p.since(from))
	}
	return id
}

// name reads an identifier of one or more parts.
func (p *parser) name() *Name {
	from := p.start()
	n := &Name{Parts: []*Ident{p.ident()}}
	p.moreParts(n, from)
	return n
}

func (p *parser) moreParts(n *Name, from Pos) {
	for p.acceptOp(".") {
		n.Parts = append(n.Parts, p.ident())
	}
	n.Span = p.since(from)
}

// nameRef reads a name, or IDENTIFIER(expr) in the place of a whole name.
func (p *parser) nameRef() *Name {
	if !p.at("IDENTIFIER") || !p.opAt(1, "(") {
		return p.name()
	}
	from := p.start()
	p.i += 2
	x := p.expr()
	p.expectOp(")")
	id := &Ident{Span: p.since(from), Expr: x}
	n := &Name{Span: id.Span, Parts: []*Ident{id}}
	if _, ok := x.(*StringLit); ok && !p.LegacyIdentifierClause {
		p.moreParts(n, from)
	}
	return n
}

// list reads item {, item}.
func list[T any](p *parser, item func() T) []T {
	out := []T{item()}
	for p.acceptOp(",") {
		out = append(out, item())
	}
	return out
}

// parens reads ( item {, item} ).
func parens[T any](p *parser, item func() T) []T {
	p.expectOp("(")
	out := list(p, item)
	p.expectOp(")")
	return out
}

// target reads a table name, or the string of a path.
func (p *parser) target() *Target {
	from := p.start()
	t := &Target{}
	if p.isString(p.tok()) {
		t.Path = p.stringLit()
	} else {
		t.Name = p.nameRef()
	}
	t.Span = p.since(from)
	return t
}
