package syntax

// primary reads the smallest complete expressions.
func (p *parser) primary() Expr {
	if x := p.literal(); x != nil {
		return x
	}
	t := p.tok()
	switch {
	case t.kind == kindOp:
		return p.signPrimary()
	case t.kind == kindWord && t.word != 0:
		if x := p.wordPrimary(keywords.text[t.word]); x != nil {
			return x
		}
	}
	if !p.isIdent(t) || p.atClause(t) {
		if t.kind == kindURI {
			p.failIdent(p.tokSpan())
		}
		p.failExpected("an expression")
	}
	return p.nameOrCall()
}

// atClause reports whether keyword t clearly starts the next clause, so that
// an expression is missing before it. Spark would read it as a column.
func (p *parser) atClause(t token) bool {
	switch keywords.text[t.word] {
	case "FROM", "WHERE", "HAVING", "ON", "THEN", "WHEN", "ELSE", "AS", "IN", "IS", "LIKE", "BETWEEN", "AND", "OR", "SELECT":
		return p.isIdent(p.ahead(1)) && !p.isInfixWord(p.ahead(1)) || p.literalAt(1)
	case "GROUP", "ORDER":
		return p.ahead(1).is("BY")
	}
	return false
}

func (p *parser) isInfixWord(t token) bool {
	switch keywords.text[t.word] {
	case "AS", "AND", "OR", "IS", "IN", "LIKE", "BETWEEN", "NOT", "DIV", "RLIKE", "ILIKE", "FROM", "THEN":
		return true
	}
	return false
}

func (p *parser) literalAt(n int) bool { return p.numberAt(n) || p.isString(p.ahead(n)) }

func (p *parser) signPrimary() Expr {
	from := p.start()
	switch {
	case p.acceptOp("*"):
		return p.star(nil, from)
	case p.atOp("("):
		return p.parenthesized()
	}
	p.failExpected("an expression")
	return nil
}

// parenthesized reads (query), (expr), (a, b) or (x, y) -> body.
func (p *parser) parenthesized() Expr {
	if p.atLambdaParams() {
		return p.lambda()
	}
	h := p.mark()
	defer p.merge(h)
	from := p.start()
	p.next()
	if p.atQuery() {
		q := p.query()
		p.expectOp(")")
		p.grow()
		return &ScalarSubquery{p.since(from), q}
	}
	first := p.exprOrNamed()
	if !p.atOp(",") {
		if n, ok := first.(*NamedExpr); ok {
			p.failAt(n.Aliases[0].Span)
		}
		p.expectOp(")")
		return first
	}
	row := &Row{Elems: []Expr{first}}
	for p.acceptOp(",") {
		row.Elems = append(row.Elems, p.exprOrNamed())
	}
	p.expectOp(")")
	row.Span = p.since(from)
	p.grow()
	return row
}

// failAt goes back to the token at the span's start and fails there.
func (p *parser) failAt(at Span) {
	for p.i > 0 && Pos(p.tok().start) > at.From {
		p.i--
	}
	p.fail("", "")
}

// atLambdaParams reports whether (x, y) -> comes next.
func (p *parser) atLambdaParams() bool {
	n := 1
	for ; p.isIdent(p.ahead(n)) && p.opAt(n+1, ","); n += 2 {
	}
	return n > 1 && p.isIdent(p.ahead(n)) && p.opAt(n+1, ")") && p.opAt(n+2, "->")
}

func (p *parser) lambda() Expr {
	from := p.start()
	l := &Lambda{}
	if p.atOp("(") {
		l.Params = parens(p, p.word)
	} else {
		l.Params = []*Ident{p.part()}
	}
	p.expectOp("->")
	l.Body = p.expr()
	l.Span = p.since(from)
	p.grow()
	return l
}

// nameOrCall reads a name, a call or a lambda of one parameter.
func (p *parser) nameOrCall() Expr {
	from := p.start()
	if p.opAt(1, "->") {
		return p.lambda()
	}
	if p.at("IDENTIFIER") && p.opAt(1, "(") {
		return p.identifierClause()
	}
	id := p.word()
	return p.callOrName(&ColumnRef{p.since(from), []*Ident{id}})
}

// identifierClause reads IDENTIFIER(expr) as a column's or function's name.
func (p *parser) identifierClause() Expr {
	from := p.start()
	p.i += 2
	x := p.expr()
	p.expectOp(")")
	id := &Ident{Span: p.since(from), Expr: x}
	return p.callOrName(&ColumnRef{id.Span, []*Ident{id}})
}

// nameGoesOn reports whether the word before the n-th token ahead is used as
// a name: something follows that can only follow a complete expression.
func (p *parser) nameGoesOn(n int) bool {
	t := p.ahead(n)
	switch t.kind {
	case kindEOF:
		return true
	case kindOp:
		switch p.text(t) {
		case ",", ")", "]", ";", ".", "=", "<", ">", "<=", ">=", "<>", "!=", "->":
			return true
		}
	case kindWord:
		return t.is("AS") || t.is("FROM")
	}
	return false
}

// wordPrimary reads an expression that keyword w introduces; nil means that w
// is used as a plain name here.
func (p *parser) wordPrimary(w string) Expr {
	if p.opAt(1, "(") {
		return p.wordCall(w)
	}
	switch w {
	case "CASE":
		if !p.nameGoesOn(1) {
			return p.caseExpr()
		}
	case "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "USER", "SESSION_USER":
		if p.opAt(1, ".") || p.opAt(1, "->") {
			return nil
		}
		from := p.start()
		id := p.wordAsIs()
		return &Call{Span: p.since(from), Func: &Name{id.Span, []*Ident{id}}, NoParens: true}
	}
	return nil
}

// wordAsIs reads a keyword as an identifier, even if it is reserved.
func (p *parser) wordAsIs() *Ident {
	t := p.next()
	return &Ident{Span: p.since(Pos(t.start)), Name: p.text(t)}
}

// caseExpr reads CASE … END.
func (p *parser) caseExpr() Expr {
	from := p.start()
	p.expect("CASE")
	c := &Case{}
	if !p.at("WHEN") || p.nameGoesOn(1) {
		c.Operand = p.expr()
	}
	for p.at("WHEN") || len(c.Whens) == 0 {
		start := p.start()
		p.expect("WHEN")
		w := &When{Cond: p.expr()}
		p.expect("THEN")
		w.Result = p.expr()
		w.Span = p.since(start)
		c.Whens = append(c.Whens, w)
	}
	if p.accept("ELSE") {
		c.Else = p.expr()
	}
	p.expect("END")
	c.Span = p.since(from)
	p.grow()
	return c
}
