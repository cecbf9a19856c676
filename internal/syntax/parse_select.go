package syntax

import "strconv"

// failRows reports that row i has n values where the first has want.
func (p *parser) failRows(at Span, want, n, i int) {
	p.failAs(at, "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
		"the rows of VALUES have different numbers of values",
		"expectedNumCols", strconv.Itoa(want), "actualNumCols", strconv.Itoa(n), "rowIndex", strconv.Itoa(i))
}

// selectClause reads SELECT with its list, or TRANSFORM, MAP or REDUCE.
func (p *parser) selectClause(s *Select) {
	from := p.start()
	if p.atAny("MAP", "REDUCE") {
		s.Transform = p.transform(from)
		return
	}
	p.expect("SELECT")
	for p.atOp("/*+") {
		s.Hints = append(s.Hints, p.hints()...)
	}
	if p.atTransform() {
		s.Transform = p.transform(from)
		return
	}
	if p.atAny("ALL", "DISTINCT") && !p.nameGoesOn(1) {
		s.Quantifier = p.expectAny("ALL", "DISTINCT")
	}
	s.Items = list(p, p.namedExpr)
}

// hints reads /*+ name(args) … */.
func (p *parser) hints() []*Hint {
	p.expectOp("/*+")
	var out []*Hint
	for !p.atOp("*/") || len(out) == 0 {
		from := p.start()
		h := &Hint{Name: p.word()}
		if p.acceptOp("(") {
			h.Args = list(p, p.postfix)
			p.expectOp(")")
		}
		h.Span = p.since(from)
		out = append(out, h)
		if p.acceptOp(",") && p.atOp("*/") {
			p.failExpected("a hint")
		}
	}
	p.expectOp("*/")
	return out
}

// selectRest reads what follows the FROM clause.
func (p *parser) selectRest(s *Select) {
	for p.at("LATERAL", "VIEW") {
		s.Views = append(s.Views, p.lateralView())
	}
	if p.accept("WHERE") {
		s.Where = p.expr()
	}
	if p.at("GROUP", "BY") {
		s.GroupBy = p.groupBy(p.expr)
	}
	if p.accept("HAVING") {
		s.Having = p.expr()
	}
	if p.accept("QUALIFY") {
		s.Qualify = p.expr()
	}
	s.Windows = p.windowClause()
}

// groupBy reads GROUP BY; item reads one ordinary entry of its list.
func (p *parser) groupBy(item func() Expr) *GroupBy {
	from := p.start()
	p.expect("GROUP", "BY")
	g := &GroupBy{}
	g.Items = list(p, func() Expr {
		if x := p.grouping(); x != nil {
			return x
		}
		return item()
	})
	switch {
	case p.at("WITH", "ROLLUP") || p.at("WITH", "CUBE"):
		p.next()
		g.With = p.expectAny("ROLLUP", "CUBE")
	case p.at("GROUPING", "SETS"):
		p.i += 2
		g.With, g.Sets = "SETS", parens(p, p.groupingSet)
	}
	g.Span = p.since(from)
	return g
}

// grouping reads ROLLUP(…), CUBE(…) or GROUPING SETS (…), else it returns nil.
func (p *parser) grouping() Expr {
	from := p.start()
	g := &Grouping{}
	switch {
	case p.atAny("ROLLUP", "CUBE") && p.opAt(1, "("):
		g.Kind = p.expectAny("ROLLUP", "CUBE")
	case p.accept("GROUPING", "SETS"):
		g.Kind = "SETS"
	default:
		return nil
	}
	p.enter()
	defer p.leave()
	g.Sets = parens(p, p.groupingSet)
	g.Span = p.since(from)
	return g
}

// groupingSet reads (a, b), (), a bare expression or a nested grouping.
func (p *parser) groupingSet() *GroupingSet {
	from := p.start()
	s := &GroupingSet{}
	if x := p.grouping(); x != nil {
		s.Exprs = []Expr{x}
	} else if p.atOp("(") && p.setEndsAt(p.closing(p.i)+1) {
		p.next()
		s.Parens = true
		if !p.atOp(")") {
			s.Exprs = list(p, p.expr)
		}
		p.expectOp(")")
	} else {
		s.Exprs = []Expr{p.expr()}
	}
	s.Span = p.since(from)
	return s
}

// setEndsAt reports whether a grouping set that starts with a parenthesis
// ends before the token at index i.
func (p *parser) setEndsAt(i int) bool { return p.itemEndsAt(i - p.i) }

// lateralView reads LATERAL VIEW [OUTER] f(args) table [AS] columns.
func (p *parser) lateralView() *LateralViewClause {
	from := p.start()
	p.expect("LATERAL", "VIEW")
	v := &LateralViewClause{}
	if p.at("OUTER") && !p.opAt(1, "(") {
		p.next()
		v.Outer = true
	}
	v.Func = p.name()
	p.expectOp("(")
	if !p.atOp(")") {
		v.Args = list(p, p.expr)
	}
	p.expectOp(")")
	v.Table = p.part()
	if p.accept("AS") || p.atTableAlias() {
		v.Columns = list(p, p.part)
	}
	v.Span = p.since(from)
	return v
}

// Script transformations.

// atTransform reports whether TRANSFORM starts a script clause; it may also
// be a function.
func (p *parser) atTransform() bool {
	if !p.at("TRANSFORM") || !p.opAt(1, "(") {
		return false
	}
	n := p.closing(p.i+1) + 1 - p.i
	return p.ahead(n).is("USING") || p.ahead(n).is("RECORDWRITER") || p.ahead(n).is("ROW") && p.ahead(n+1).is("FORMAT")
}

// transform reads a script clause from TRANSFORM, MAP or REDUCE on. The
// clause starts at from.
func (p *parser) transform(from Pos) *Transform {
	t := &Transform{Kind: p.expectAny("TRANSFORM", "MAP", "REDUCE")}
	parens := t.Kind == "TRANSFORM"
	if parens {
		p.expectOp("(")
	}
	if p.atAny("ALL", "DISTINCT") && !p.nameGoesOn(1) {
		t.Quantifier = p.expectAny("ALL", "DISTINCT")
	}
	t.Args = list(p, p.expr)
	if parens {
		p.expectOp(")")
	}
	t.In = p.rowFormat()
	if p.accept("RECORDWRITER") {
		t.Writer = p.stringLit()
	}
	p.expect("USING")
	t.Script = p.stringLit()
	if p.accept("AS") {
		p.transformColumns(t)
	}
	t.Out = p.rowFormat()
	if p.accept("RECORDREADER") {
		t.Reader = p.stringLit()
	}
	t.Span = p.since(from)
	if t.Quantifier != "" {
		p.failAs(t.Span, "UNSUPPORTED_FEATURE.TRANSFORM_DISTINCT_ALL", "TRANSFORM takes neither DISTINCT nor ALL")
	}
	return t
}

func (p *parser) transformColumns(t *Transform) {
	t.Parens = p.acceptOp("(")
	t.Columns = list(p, func() *FieldType {
		from := p.start()
		f := &FieldType{Name: p.ident()}
		if p.isIdent(p.tok()) && (t.Parens || !p.atTransformEnd()) {
			p.fieldRest(f, from)
		}
		f.Span = p.since(from)
		return f
	})
	if t.Parens {
		p.expectOp(")")
	}
}

// atTransformEnd reports whether the column list of a script clause without
// parentheses ends here.
func (p *parser) atTransformEnd() bool {
	return p.atAny("ROW", "RECORDREADER", "FROM", "WHERE", "LATERAL", "GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT")
}
