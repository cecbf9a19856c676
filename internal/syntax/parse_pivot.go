package syntax

// atPivot reports whether PIVOT or UNPIVOT comes next.
func (p *parser) atPivot() bool {
	return p.at("PIVOT") && p.opAt(1, "(") ||
		p.at("UNPIVOT") && (p.opAt(1, "(") || p.ahead(1).is("INCLUDE") || p.ahead(1).is("EXCLUDE"))
}

// pivots reads one PIVOT or UNPIVOT of x, which may be nil behind |>.
func (p *parser) pivots(x Relation, from Pos) Relation {
	if p.at("PIVOT") {
		return p.pivot(x, from)
	}
	return p.unpivot(x, from)
}

func (p *parser) pivot(x Relation, from Pos) Relation {
	p.expect("PIVOT")
	v := &Pivot{X: x}
	p.expectOp("(")
	v.Aggs = list(p, p.namedExpr)
	p.expect("FOR")
	if p.atOp("(") {
		v.Columns, v.Parens = parens(p, p.ident), true
	} else {
		v.Columns = []*Ident{p.ident()}
	}
	p.expect("IN")
	v.Values = parens(p, p.pivotValue)
	p.expectOp(")")
	v.Span = p.since(from)
	return v
}

// pivotValue reads an expression with an optional alias.
func (p *parser) pivotValue() *NamedExpr {
	from := p.start()
	n := &NamedExpr{X: p.expr()}
	if p.accept("AS") || p.isIdent(p.tok()) {
		n.Aliases = []*Ident{p.ident()}
	}
	n.Span = p.since(from)
	return n
}

func (p *parser) unpivot(x Relation, from Pos) Relation {
	p.expect("UNPIVOT")
	u := &Unpivot{X: x}
	if u.Nulls = p.acceptAny("INCLUDE", "EXCLUDE"); u.Nulls != "" {
		p.expect("NULLS")
	}
	p.expectOp("(")
	set := p.unpivotColumn
	if u.Multi = p.atOp("("); u.Multi {
		u.ValueColumns = parens(p, p.part)
		set = p.unpivotColumns
	} else {
		u.ValueColumns = []*Ident{p.part()}
	}
	p.expect("FOR")
	u.NameColumn = p.part()
	p.expect("IN")
	u.Sets = parens(p, set)
	p.expectOp(")")
	u.Alias = p.unpivotTableAlias()
	u.Span = p.since(from)
	return u
}

func (p *parser) unpivotTableAlias() *Ident {
	if p.accept("AS") || p.atTableAlias() {
		return p.ident()
	}
	return nil
}

func (p *parser) unpivotColumn() *UnpivotSet {
	from := p.start()
	s := &UnpivotSet{Columns: []*Name{p.name()}}
	p.unpivotAlias(s)
	s.Span = p.since(from)
	return s
}

func (p *parser) unpivotColumns() *UnpivotSet {
	from := p.start()
	s := &UnpivotSet{Columns: parens(p, p.name)}
	p.unpivotAlias(s)
	s.Span = p.since(from)
	return s
}

func (p *parser) unpivotAlias(s *UnpivotSet) {
	if p.accept("AS") || p.isIdent(p.tok()) {
		s.Alias = p.ident()
	}
}
