package syntax

// Precedences of infix operators, low to high. NOT stands between AND and
// the predicates; unary signs bind tighter than all of them.
const (
	precOr = iota + 1
	precAnd
	precNot
	precPredicate
	precCompare
	precBitOr
	precBitXor
	precBitAnd
	precShift
	precAdd
	precMultiply
	precUnary
)

// expr reads an expression.
func (p *parser) expr() Expr { return p.binary(precOr) }

// value reads an expression that holds no NOT, AND, OR or predicate outside
// of parentheses.
func (p *parser) value() Expr { return p.binary(precCompare) }

// binary reads an expression whose operators bind at least as tight as least.
func (p *parser) binary(least int) Expr {
	p.enter()
	defer p.leave()
	mark := p.mark()
	from := p.start()
	var x Expr
	limit := precMultiply
	if p.atNot() && least <= precNot {
		x, limit = p.not(), precAnd
	} else {
		x = p.unary()
	}
	x = p.infixes(x, from, least, limit)
	p.merge(mark)
	return x
}

// infixes reads operators of precedences from least to limit, and their right
// sides, behind the operand x.
func (p *parser) infixes(x Expr, from Pos, least, limit int) Expr {
	for {
		op, prec := p.infix()
		if prec < least || prec > limit {
			return x
		}
		if prec == precPredicate {
			x, limit = p.predicate(x, from), precAnd
			continue
		}
		p.next()
		p.grow()
		h := p.mark()
		y := p.binary(prec + 1)
		p.merge(h)
		x = &Binary{p.since(from), op, x, y}
		limit = prec
	}
}

// atNot reports whether a NOT that is no name comes next.
func (p *parser) atNot() bool { return p.at("NOT") && !p.nameGoesOn(1) || p.atOp("!") }

func (p *parser) not() Expr {
	from := p.start()
	p.next()
	p.grow()
	x := p.binary(precNot)
	return &Unary{p.since(from), "NOT", x}
}

// infix returns the operator that comes next and its precedence, or 0. For a
// predicate, the operator is not told.
func (p *parser) infix() (string, int) {
	t := p.tok()
	if t.kind == kindOp {
		op := p.text(t)
		if op == "!" {
			return "", p.negatedPredicate()
		}
		return op, opPrecedence(op)
	}
	if t.word == 0 {
		return "", 0
	}
	switch keywords.text[t.word] {
	case "OR":
		return "OR", precOr
	case "AND":
		return "AND", precAnd
	case "DIV":
		return "DIV", precMultiply
	case "NOT":
		return "", p.negatedPredicate()
	case "IS", "BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP":
		return "", precPredicate
	}
	return "", 0
}

func opPrecedence(op string) int {
	switch op {
	case "=", "==", "<=>", "<>", "!=", "!<", "!>", "<", "<=", ">", ">=":
		return precCompare
	case "|":
		return precBitOr
	case "^":
		return precBitXor
	case "&":
		return precBitAnd
	case "<<", ">>", ">>>":
		return precShift
	case "+", "-", "||":
		return precAdd
	case "*", "/", "%":
		return precMultiply
	}
	return 0
}

// negatedPredicate returns precPredicate if the NOT or ! that comes next
// belongs to a predicate, else 0.
func (p *parser) negatedPredicate() int {
	t := p.ahead(1)
	for _, w := range []string{"BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP"} {
		if t.is(w) {
			return precPredicate
		}
	}
	return 0
}

// predicate reads what follows x: IS …, [NOT] BETWEEN …, and so on.
func (p *parser) predicate(x Expr, from Pos) Expr {
	p.grow()
	h := p.mark()
	defer p.merge(h)
	if p.accept("IS") {
		return p.isPredicate(x, from)
	}
	not := p.maybeNot()
	switch {
	case p.accept("BETWEEN"):
		b := &Between{X: x, Not: not, Low: p.value()}
		p.expect("AND")
		b.High = p.value()
		b.Span = p.since(from)
		return b
	case p.accept("IN"):
		return p.inPredicate(x, not, from)
	}
	return p.likePredicate(x, not, from)
}

// maybeNot consumes NOT or ! if it comes next.
func (p *parser) maybeNot() bool {
	if p.atOp("!") {
		p.bang()
		return true
	}
	return p.accept("NOT")
}

func (p *parser) isPredicate(x Expr, from Pos) Expr {
	is := &Is{X: x, Not: p.maybeNot()}
	if p.accept("DISTINCT") {
		p.expect("FROM")
		is.What, is.Y = "DISTINCT FROM", p.value()
	} else {
		is.What = p.expectAny("NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT")
	}
	is.Span = p.since(from)
	return is
}

func (p *parser) inPredicate(x Expr, not bool, from Pos) Expr {
	in := &In{X: x, Not: not}
	p.expectOp("(")
	if p.atQuery() {
		in.Query = p.query()
	} else {
		in.List = list(p, p.expr)
	}
	p.expectOp(")")
	in.Span = p.since(from)
	return in
}

func (p *parser) likePredicate(x Expr, not bool, from Pos) Expr {
	like := &Like{X: x, Not: not}
	opStart := p.start()
	if like.Op = p.expectAny("LIKE", "ILIKE", "RLIKE", "REGEXP"); like.Op == "REGEXP" {
		like.Op = "RLIKE"
	}
	if p.atAny("ANY", "SOME", "ALL") && p.opAt(1, "(") && like.Op != "RLIKE" {
		like.Quantifier = p.expectAny("ANY", "SOME", "ALL")
		p.expectOp("(")
		if p.acceptOp(")") {
			p.failAs(p.since(opStart), "_LEGACY_ERROR_TEMP_0064", "expected something between '(' and ')'",
				"msg", "Expected something between '(' and ')'.")
		}
		like.Patterns = list(p, p.expr)
		p.expectOp(")")
	} else {
		like.Patterns = []Expr{p.value()}
		if like.Op != "RLIKE" && p.accept("ESCAPE") {
			like.Escape = p.stringLit()
			p.checkEscape(like.Escape, p.since(opStart))
		}
	}
	like.Span = p.since(from)
	return like
}

func (p *parser) checkEscape(s *StringLit, at Span) {
	if s.Parts == nil && len([]rune(s.Value)) != 1 {
		p.failAs(at, "INVALID_ESC", "the escape string must be one character long: "+quoteString(s.Value),
			"invalidEscape", quoteString(s.Value))
	}
}

// unary reads signs and what they apply to.
func (p *parser) unary() Expr {
	if !p.atOp("-") && !p.atOp("+") && !p.atOp("~") || p.atOp("-") && p.numberAt(1) {
		return p.postfix()
	}
	p.enter()
	defer p.leave()
	from := p.start()
	op := p.text(p.next())
	p.grow()
	x := p.unary()
	return &Unary{p.since(from), op, x}
}

// postfix reads a primary expression with all that may follow it directly.
func (p *parser) postfix() Expr {
	from := p.start()
	x := p.primary()
	for {
		switch {
		case p.atOp("."):
			if x = p.dot(x, from); isName(x) {
				continue
			}
		case p.atOp("["):
			p.next()
			h := p.mark()
			i := p.value()
			p.merge(h)
			p.expectOp("]")
			x = &Index{p.since(from), x, i}
		case p.atOp("::"):
			p.next()
			t := p.dataType()
			x = &Cast{Span: p.since(from), X: x, Type: t, Colon: true}
		case p.atOp(":") && p.atPath():
			x = p.path(x, from)
		case p.at("COLLATE") && p.isIdent(p.ahead(1)):
			p.next()
			n := p.name()
			x = &Collate{p.since(from), x, n}
		default:
			return x
		}
		p.grow()
	}
}

func isName(x Expr) bool {
	_, ok := x.(*ColumnRef)
	return ok
}

// dot reads .name, which adds to a column's name or picks a field.
func (p *parser) dot(x Expr, from Pos) Expr {
	p.expectOp(".")
	if c, ok := x.(*ColumnRef); ok && p.atOp("*") {
		p.next()
		return p.star(c.Parts, from)
	}
	id := p.part()
	if c, ok := x.(*ColumnRef); ok {
		c.Parts = append(c.Parts, id)
		c.Span = p.since(from)
		return p.callOrName(c)
	}
	return &Field{p.since(from), x, id}
}

// callOrName turns a name into a call when an argument list follows. A query
// in parentheses is none.
func (p *parser) callOrName(c *ColumnRef) Expr {
	if !p.atOp("(") || !p.opAt(1, "(") && p.isQueryAt(1) {
		return c
	}
	return p.call(&Name{c.Span, c.Parts})
}

// star reads what follows *.
func (p *parser) star(qualifier []*Ident, from Pos) Expr {
	s := &Star{Qualifier: qualifier}
	if p.at("EXCEPT") && p.opAt(1, "(") && !p.isQueryAt(2) {
		p.next()
		s.Except = parens(p, p.name)
	}
	s.Span = p.since(from)
	return s
}

// atPath reports whether the colon that comes next starts a path.
func (p *parser) atPath() bool {
	return p.opAt(1, "[") || p.isIdent(p.ahead(1)) && p.ahead(1).kind != kindString
}

// path reads :part{.part|[part]} behind x.
func (p *parser) path(x Expr, from Pos) Expr {
	p.next()
	start := p.start()
	if !p.atOp("[") {
		p.word()
	}
	for {
		switch {
		case p.acceptOp("."):
			p.word()
		case p.acceptOp("["):
			if p.isString(p.tok()) {
				p.stringLit()
			} else if p.isIdent(p.tok()) {
				p.word()
			} else {
				p.integer()
			}
			p.expectOp("]")
		default:
			return &PathAccess{p.since(from), x, p.since(start).Text(p.src)}
		}
	}
}

// namedExpr reads an expression with its aliases.
func (p *parser) namedExpr() *NamedExpr {
	from := p.start()
	n := &NamedExpr{X: p.expr()}
	as := p.accept("AS")
	switch {
	case p.atOp("(") && (as || p.isIdent(p.ahead(1))):
		n.Aliases, n.Parens = parens(p, p.ident), true
	case as || p.atItemAlias():
		n.Aliases = []*Ident{p.ident()}
	}
	n.Span = p.since(from)
	return n
}

// exprOrNamed reads an expression; the result is a *NamedExpr only if it has
// an alias.
func (p *parser) exprOrNamed() Expr {
	if n := p.namedExpr(); len(n.Aliases) > 0 {
		return n
	} else {
		return n.X
	}
}

// atItemAlias reports whether a name without AS comes next.
func (p *parser) atItemAlias() bool {
	t := p.tok()
	return p.isIdent(t) && !(t.word != 0 && p.goesOnWith(t.word))
}

// goesOnWith reports whether keyword w, which comes next, starts a clause
// and thus is no alias.
func (p *parser) goesOnWith(w word) bool {
	switch keywords.text[w] {
	case "FROM", "WHERE", "HAVING", "LIMIT", "OFFSET", "QUALIFY", "FOR", "UNION", "EXCEPT", "MINUS", "INTERSECT", "WINDOW",
		"DO", "AS", "THEN", "WHEN", "ELSE", "END", "AND", "OR", "UNTIL", "DELAY":
		return !p.itemEndsAt(1)
	case "GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE":
		return p.ahead(1).is("BY")
	case "LATERAL":
		return p.ahead(1).is("VIEW")
	case "INSERT":
		return p.ahead(1).is("INTO") || p.ahead(1).is("OVERWRITE")
	case "SELECT":
		return !p.itemEndsAt(1)
	case "INTO", "USING":
		return p.script > 0 && !p.itemEndsAt(1)
	}
	return false
}

// itemEndsAt reports whether the n-th token ahead ends a list item.
func (p *parser) itemEndsAt(n int) bool {
	t := p.ahead(n)
	return t.kind == kindEOF || p.opAt(n, ",") || p.opAt(n, ")") || p.opAt(n, ";")
}
