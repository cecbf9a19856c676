package syntax

// fromClause reads FROM with its relations and lateral views.
func (p *parser) fromClause() ([]Relation, []*LateralViewClause) {
	from := p.start()
	p.expect("FROM")
	rels := list(p, p.relation)
	var views []*LateralViewClause
	for p.at("LATERAL", "VIEW") {
		views = append(views, p.lateralView())
	}
	if p.atPivot() {
		p.pivotBehindViews(from)
	}
	return rels, views
}

// pivotBehindViews refuses PIVOT and UNPIVOT behind LATERAL VIEW.
func (p *parser) pivotBehindViews(from Pos) {
	kind := p.tok()
	p.pivots(nil, p.start())
	switch {
	case p.atPivot():
		p.pivots(nil, p.start())
		p.failFrom(from, "UNPIVOT_WITH_PIVOT", "UNPIVOT together with PIVOT")
	case kind.is("PIVOT"):
		p.failFrom(from, "LATERAL_WITH_PIVOT", "LATERAL together with PIVOT")
	}
	p.failFrom(from, "LATERAL_WITH_UNPIVOT", "LATERAL together with UNPIVOT")
}

func (p *parser) failFrom(from Pos, class, what string) {
	p.failAs(p.since(from), "NOT_ALLOWED_IN_FROM."+class, "FROM does not allow "+what)
}

// relation reads a relation with its joins and pivots.
func (p *parser) relation() Relation {
	p.enter()
	defer p.leave()
	mark := p.mark()
	defer p.merge(mark)
	from := p.start()
	rel := p.maybeLateral()
	for {
		switch {
		case p.atPivot():
			rel = p.pivots(rel, from)
		case p.atJoin():
			rel = p.join(rel, from)
		default:
			return rel
		}
		p.grow()
	}
}

// maybeLateral reads a relation without joins, perhaps behind LATERAL.
func (p *parser) maybeLateral() Relation {
	from := p.start()
	if !p.at("LATERAL") || p.ahead(1).is("VIEW") {
		return p.relationPrimary()
	}
	p.next()
	x := p.relationPrimary()
	p.checkLateral(x)
	return &Lateral{p.since(from), x}
}

// checkLateral refuses relations that cannot refer to others.
func (p *parser) checkLateral(x Relation) {
	switch x.(type) {
	case *Subquery, *TableFunc, *Table, *ValuesTable:
		return
	}
	p.failAs(Span{x.Pos(), x.End()}, "INVALID_SQL_SYNTAX.LATERAL_WITHOUT_SUBQUERY_OR_TABLE_VALUED_FUNC",
		"LATERAL needs a subquery or a table function behind it")
}

// Primary relations.

func (p *parser) relationPrimary() Relation {
	switch {
	case p.at("STREAM") && (p.isIdent(p.ahead(1)) || p.opAt(1, "(")) && !p.ahead(1).is("AS"):
		return p.streamRelation()
	case p.valuesAt(0):
		from := p.start()
		v := &ValuesTable{Rows: p.valuesRows()}
		v.Alias = p.tableAlias()
		v.Span = p.since(from)
		p.checkRows(v.Span, v.Rows, v.Alias)
		return v
	case p.atOp("("):
		return p.parenRelation()
	}
	return p.namedRelation(p.start())
}

// valuesAt reports whether a list of rows starts n tokens ahead, where a relation may.
func (p *parser) valuesAt(n int) bool { return p.ahead(n).is("VALUES") && !p.relationEndsAt(n+1) }

func (p *parser) relationEndsAt(n int) bool {
	return p.itemEndsAt(n) || p.opAt(n, ".") || p.ahead(n).is("AS")
}

// parenRelation reads (query) or (relation) with what may follow.
func (p *parser) parenRelation() Relation {
	from := p.start()
	if !p.isQueryAt(1) && !p.valuesAt(1) {
		p.expectOp("(")
		n := &NestedRelation{X: p.relation()}
		p.expectOp(")")
		n.Sample, n.Watermark = p.sample(), p.watermark()
		n.Alias = p.tableAlias()
		n.Span = p.since(from)
		return n
	}
	p.expectOp("(")
	s := &Subquery{Query: p.query()}
	p.expectOp(")")
	s.Sample, s.Watermark = p.sample(), p.watermark()
	s.Alias = p.tableAlias()
	s.Span = p.since(from)
	return s
}

func (p *parser) streamRelation() Relation {
	from := p.start()
	p.expect("STREAM")
	if !p.acceptOp("(") {
		n := p.name()
		if p.atOp("(") {
			f := p.tableFunc(n, from)
			f.Stream = true
			return f
		}
		return p.streamTable(n, from)
	}
	n := p.name()
	p.expectOp(")")
	return p.streamTable(n, from)
}

func (p *parser) streamTable(n *Name, from Pos) Relation {
	t := &Table{Name: n, Stream: true, Options: p.withOptions(), Watermark: p.watermark()}
	t.Alias = p.tableAlias()
	t.Span = p.since(from)
	return t
}

// namedRelation reads a table by name, or a table function.
func (p *parser) namedRelation(from Pos) Relation {
	if !p.isIdent(p.tok()) && p.tok().kind != kindURI {
		p.failExpected("a table, a subquery, VALUES")
	}
	n := p.nameRef()
	if p.atOp("(") {
		return p.tableFunc(n, from)
	}
	t := &Table{Name: n}
	t.Travel = p.timeTravel()
	t.Changes = p.changes()
	t.Options = p.withOptions()
	t.Sample, t.Watermark = p.sample(), p.watermark()
	t.Alias = p.tableAlias()
	t.Span = p.since(from)
	return t
}

func (p *parser) withOptions() []*Property {
	if !p.at("WITH") || !p.opAt(1, "(") {
		return nil
	}
	p.next()
	return p.properties()
}

// tableFunc reads the arguments and the alias of a table function.
func (p *parser) tableFunc(n *Name, from Pos) *TableFunc {
	f := &TableFunc{Func: n}
	p.expectOp("(")
	if !p.atOp(")") {
		f.Args = list(p, p.tableFuncArg)
	}
	p.expectOp(")")
	f.Watermark = p.watermark()
	f.Alias = p.tableAlias()
	f.Span = p.since(from)
	return f
}

func (p *parser) tableFuncArg() Expr {
	if p.atTableArg(0) {
		return p.tableArg()
	}
	if !p.isIdent(p.tok()) || !p.opAt(1, "=>") || !p.atTableArg(2) {
		return p.argument()
	}
	from := p.start()
	a := &NamedArg{Name: p.word()}
	p.expectOp("=>")
	a.Value = p.tableArg()
	a.Span = p.since(from)
	return a
}

func (p *parser) atTableArg(n int) bool {
	return p.ahead(n).is("TABLE") && (p.opAt(n+1, "(") || p.isIdent(p.ahead(n+1)))
}

// tableArg reads TABLE name or TABLE(query) with its partitioning.
func (p *parser) tableArg() Expr {
	from := p.start()
	p.expect("TABLE")
	t := &TableArg{}
	if p.acceptOp("(") {
		if p.atQuery() {
			t.Query = p.query()
		} else {
			t.Name = p.nameRef()
		}
		p.expectOp(")")
	} else {
		t.Name = p.nameRef()
		p.failAs(t.Name.Span, "INVALID_SQL_SYNTAX.INVALID_TABLE_FUNCTION_IDENTIFIER_ARGUMENT_MISSING_PARENTHESES",
			"write TABLE("+t.Name.Span.Text(p.src)+")", "argumentName", quoteName(t.Name))
	}
	if p.accept("WITH", "SINGLE", "PARTITION") {
		t.Single = true
		t.OrderBy = p.argOrder()
	} else if p.accept("PARTITION", "BY") || p.accept("DISTRIBUTE", "BY") {
		t.PartitionBy = parensOrOne(p, p.expr)
		t.OrderBy = p.argOrder()
	}
	t.Span = p.since(from)
	return t
}

func (p *parser) argOrder() []*SortItem {
	if !p.accept("ORDER", "BY") && !p.accept("SORT", "BY") {
		return nil
	}
	return parensOrOne(p, p.sortItem)
}

// parensOrOne reads (a, b), or a alone.
func parensOrOne[T any](p *parser, item func() T) []T {
	if p.atOp("(") {
		if close := p.closing(p.i) + 1 - p.i; p.itemEndsAt(close) || p.ahead(close).is("ORDER") || p.ahead(close).is("SORT") {
			return parens(p, item)
		}
	}
	return []T{item()}
}

// Clauses of a relation.

// watermark reads WATERMARK x DELAY OF interval.
func (p *parser) watermark() *Watermark {
	if !p.at("WATERMARK") || !p.isIdent(p.ahead(1)) || p.ahead(1).is("AS") {
		return nil
	}
	from := p.start()
	p.next()
	w := &Watermark{X: p.namedExpr()}
	p.expect("DELAY", "OF")
	if !p.at("INTERVAL") {
		p.failExpected("INTERVAL")
	}
	w.Delay = p.constant()
	w.Span = p.since(from)
	return w
}

// tableAlias reads [AS] name [(columns)] if it comes next.
func (p *parser) tableAlias() *TableAlias {
	from := p.start()
	asIsName := p.at("AS") && p.opAt(1, "(")
	if !asIsName && !p.accept("AS") && !p.atTableAlias() {
		return nil
	}
	if p.tok().word.strict() {
		p.failExpected("a name")
	}
	a := &TableAlias{Name: p.ident()}
	if p.atOp("(") {
		a.Columns = parens(p, p.ident)
	}
	a.Span = p.since(from)
	return a
}

// atTableAlias reports whether a table alias without AS comes next.
func (p *parser) atTableAlias() bool {
	t := p.tok()
	if !p.isIdent(t) {
		return false
	}
	if t.word == 0 {
		return true
	}
	if t.word.strict() || p.goesOnWith(t.word) {
		return false
	}
	next := p.ahead(1)
	switch keywords.text[t.word] {
	case "PIVOT", "UNPIVOT", "TABLESAMPLE":
		return !p.opAt(1, "(") && !next.is("INCLUDE") && !next.is("EXCLUDE") && !next.is("SYSTEM") && !next.is("BERNOULLI")
	case "SET":
		return !p.isIdent(next)
	case "WITH":
		return !p.opAt(1, "(")
	case "APPROX", "EXACT":
		return !next.is("NEAREST")
	case "NEAREST":
		return !next.is("BY") && next.kind != kindInt
	case "CHANGES":
		return !next.is("FROM")
	case "MAP", "REDUCE":
		return !p.isQueryAt(0)
	case "WATERMARK":
		return !p.isIdent(next) || next.is("WHERE") || next.is("ON")
	}
	return true
}
