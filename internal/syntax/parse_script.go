package syntax

import "strings"

// atBlock reports whether BEGIN … END comes next, perhaps behind a label.
func (p *parser) atBlock() bool {
	if p.isIdent(p.tok()) && p.opAt(1, ":") {
		return p.ahead(2).is("BEGIN")
	}
	return p.at("BEGIN") && !p.atEndAt(1)
}

// block reads [label:] BEGIN … END [label].
func (p *parser) block(from Pos) Statement {
	b := &Block{Label: p.label()}
	p.expect("BEGIN")
	switch {
	case p.accept("NOT", "ATOMIC"):
		b.Atomic = "NOT ATOMIC"
	case p.accept("ATOMIC"):
		b.Atomic = "ATOMIC"
	}
	b.Body = p.body("END")
	p.expect("END")
	b.EndLabel = p.endLabel(b.Label)
	b.Span = p.since(from)
	return b
}

// label reads name:, if it comes next.
func (p *parser) label() *Ident {
	if !p.isIdent(p.tok()) || !p.opAt(1, ":") {
		return nil
	}
	id := p.word()
	p.expectOp(":")
	return id
}

// endLabel reads the label behind END, which must be the one at the start.
func (p *parser) endLabel(start *Ident) *Ident {
	if !p.isIdent(p.tok()) {
		return nil
	}
	id := p.word()
	switch {
	case start == nil:
		p.failAs(id.Span, "LABELS_MISMATCH", "the block has no label at its start", "beginLabel", "", "endLabel", quoteIdent(id.Name))
	case !strings.EqualFold(start.Name, id.Name):
		p.failAs(id.Span, "LABELS_MISMATCH", "the block is labelled "+start.Name+" at its start",
			"beginLabel", quoteIdent(start.Name), "endLabel", quoteIdent(id.Name))
	}
	return id
}

// body reads statements, each ended by a semicolon, up to one of the words.
func (p *parser) body(ends ...string) []Statement {
	p.enter()
	p.script++
	defer func() { p.script--; p.leave() }()
	var out []Statement
	for !p.atAny(ends...) {
		if p.atEOF() {
			p.failExpected(ends...)
		}
		out = append(out, p.scriptStatement())
		p.expectOp(";")
	}
	return out
}

// scriptStatement reads a statement within a block.
func (p *parser) scriptStatement() Statement {
	from := p.start()
	if p.atBlock() {
		return p.block(from)
	}
	i := p.i
	label := p.label()
	switch {
	case p.atAny("WHILE", "REPEAT", "LOOP"):
		return p.loop(label, from)
	case p.at("FOR"):
		return p.forLoop(label, from)
	case label != nil:
		p.i = i
	case p.at("IF"):
		return p.ifStatement(from)
	case p.at("CASE"):
		return p.caseStatement(from)
	case p.at("LEAVE"):
		p.next()
		id := p.word()
		return &Leave{p.since(from), id}
	case p.at("ITERATE"):
		p.next()
		id := p.word()
		return &Iterate{p.since(from), id}
	case p.at("DECLARE"):
		return p.declare(from)
	case p.atAny("OPEN", "FETCH", "CLOSE"):
		return p.cursor(from)
	}
	return p.statement()
}

func (p *parser) loop(label *Ident, from Pos) Statement {
	l := &Loop{Kind: p.keyword(), Label: label}
	switch l.Kind {
	case "WHILE":
		l.Cond = p.expr()
		p.expect("DO")
		l.Body = p.body("END")
	case "REPEAT":
		l.Body = p.body("UNTIL")
		p.expect("UNTIL")
		l.Cond = p.expr()
	default:
		l.Body = p.body("END")
	}
	p.expect("END", l.Kind)
	l.EndLabel = p.endLabel(label)
	l.Span = p.since(from)
	return l
}

func (p *parser) forLoop(label *Ident, from Pos) Statement {
	p.expect("FOR")
	f := &For{Label: label}
	if p.isIdent(p.tok()) && p.ahead(1).is("AS") {
		f.Var = p.word()
		p.next()
	}
	f.Query = p.statement()
	p.expect("DO")
	f.Body = p.body("END")
	p.expect("END", "FOR")
	f.EndLabel = p.endLabel(label)
	f.Span = p.since(from)
	return f
}

func (p *parser) ifStatement(from Pos) Statement {
	s := &If{}
	p.expect("IF")
	for {
		s.Branches = append(s.Branches, p.branch("ELSEIF", "ELSE", "END"))
		if !p.accept("ELSEIF") {
			break
		}
	}
	if s.HasElse = p.accept("ELSE"); s.HasElse {
		s.Else = p.body("END")
	}
	p.expect("END", "IF")
	s.Span = p.since(from)
	return s
}

// branch reads condition THEN statements.
func (p *parser) branch(ends ...string) *Branch {
	from := p.start()
	b := &Branch{Cond: p.expr()}
	p.expect("THEN")
	b.Body = p.body(ends...)
	b.Span = p.since(from)
	return b
}

func (p *parser) caseStatement(from Pos) Statement {
	p.expect("CASE")
	s := &CaseStmt{}
	if !p.at("WHEN") {
		s.Operand = p.expr()
	}
	for p.at("WHEN") || len(s.Branches) == 0 {
		p.expect("WHEN")
		s.Branches = append(s.Branches, p.branch("WHEN", "ELSE", "END"))
	}
	if s.HasElse = p.accept("ELSE"); s.HasElse {
		s.Else = p.body("END")
	}
	p.expect("END", "CASE")
	s.Span = p.since(from)
	return s
}

// declare reads DECLARE of a condition, a handler, a cursor or a variable.
func (p *parser) declare(from Pos) Statement {
	switch {
	case p.ahead(2).is("CONDITION") && !p.ahead(1).is("OR"):
		p.next()
		id := p.ident()
		c := &DeclareCondition{Name: &Name{id.Span, []*Ident{id}}}
		p.next()
		if p.accept("FOR") {
			c.SQLState = p.sqlState()
		}
		c.Span = p.since(from)
		return c
	case (p.ahead(1).is("EXIT") || p.ahead(1).is("CONTINUE")) && p.ahead(2).is("HANDLER"):
		return p.handler(from)
	case p.ahead(2).is("CURSOR"):
		p.next()
		c := &Cursor{Verb: "DECLARE", Name: p.word()}
		p.next()
		p.expect("FOR")
		c.Query = p.query()
		c.Span = p.since(from)
		return c
	}
	return p.declareVariable(from)
}

func (p *parser) sqlState() *StringLit {
	p.expect("SQLSTATE")
	p.accept("VALUE")
	return p.stringLit()
}

func (p *parser) handler(from Pos) Statement {
	p.expect("DECLARE")
	h := &DeclareHandler{Kind: p.expectAny("EXIT", "CONTINUE")}
	p.expect("HANDLER", "FOR")
	h.Conditions = list(p, p.handlerCondition)
	p.enter()
	p.script++
	if p.atBlock() {
		h.Body = p.block(p.start())
	} else {
		h.Body = p.statement()
	}
	p.script--
	p.leave()
	h.Span = p.since(from)
	return h
}

func (p *parser) handlerCondition() *HandlerCondition {
	from := p.start()
	c := &HandlerCondition{}
	switch {
	case p.at("SQLSTATE"):
		c.Kind, c.SQLState = "SQLSTATE", p.sqlState()
	case p.accept("SQLEXCEPTION"):
		c.Kind = "SQLEXCEPTION"
	case p.accept("NOT", "FOUND"):
		c.Kind = "NOT FOUND"
	default:
		c.Kind, c.Name = "NAME", p.name()
	}
	c.Span = p.since(from)
	return c
}

// cursor reads OPEN, FETCH or CLOSE.
func (p *parser) cursor(from Pos) Statement {
	c := &Cursor{Verb: p.keyword()}
	if c.Verb == "FETCH" {
		p.accept("FROM")
	}
	c.Name = p.word()
	switch c.Verb {
	case "OPEN":
		if p.accept("USING") {
			c.Args = list(p, p.namedExpr)
		}
	case "FETCH":
		p.expect("INTO")
		c.Into = list(p, p.name)
	}
	c.Span = p.since(from)
	return c
}
