package syntax

import "strconv"

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

// Joins.

// atJoin reports whether a join comes next.
func (p *parser) atJoin() bool {
	n := 0
	if p.at("NATURAL") {
		n++
	}
	t := p.ahead(n)
	switch keywords.text[t.word] {
	case "JOIN", "CROSS", "INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI":
		return t.kind == kindWord
	}
	return false
}

func (p *parser) join(left Relation, from Pos) Relation {
	start := p.start()
	j := &Join{Left: left, Natural: p.accept("NATURAL"), Kind: p.joinKind()}
	p.expect("JOIN")
	j.Right = p.maybeLateral()
	if !j.Natural {
		j.Nearest = p.nearest()
	}
	switch {
	case j.Natural || j.Nearest != nil:
	case p.accept("ON"):
		j.On = p.expr()
	case p.accept("USING"):
		j.Using = parens(p, p.ident)
	}
	j.Span = p.since(from)
	p.checkJoin(j, p.since(start))
	return j
}

func (p *parser) joinKind() string {
	kind := p.acceptAny("INNER", "CROSS", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI")
	switch kind {
	case "":
		return "INNER"
	case "LEFT":
		if k := p.acceptAny("SEMI", "ANTI"); k != "" {
			return k
		}
		p.accept("OUTER")
	case "RIGHT", "FULL":
		p.accept("OUTER")
	}
	return kind
}

// checkJoin refuses combinations that have no meaning.
func (p *parser) checkJoin(j *Join, at Span) {
	_, lateral := j.Right.(*Lateral)
	switch {
	case j.Natural && j.Kind == "CROSS":
		p.failAs(at, "INCOMPATIBLE_JOIN_TYPES", "a join cannot be both NATURAL and CROSS",
			"joinType1", "NATURAL", "joinType2", "CROSS")
	case lateral && j.Natural:
		p.failAs(at, "INCOMPATIBLE_JOIN_TYPES", "a join cannot be both LATERAL and NATURAL",
			"joinType1", "LATERAL", "joinType2", "NATURAL")
	case lateral && j.Using != nil:
		p.failAs(at, "UNSUPPORTED_FEATURE.LATERAL_JOIN_USING", "a lateral join cannot have USING")
	case lateral && j.Kind != "INNER" && j.Kind != "CROSS" && j.Kind != "LEFT":
		p.failAs(at, "INVALID_LATERAL_JOIN_TYPE", "a lateral join cannot be "+j.Kind, "joinType", j.Kind+" JOIN")
	}
	if j.Nearest != nil && (lateral || j.Kind != "INNER" && j.Kind != "LEFT") {
		p.failAs(at, "NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE", "NEAREST needs an inner or left join", "joinType", j.Kind)
	}
}

// nearest reads [APPROX|EXACT] NEAREST [n] BY {DISTANCE|SIMILARITY} x.
func (p *parser) nearest() *Nearest {
	if !p.at("NEAREST") && !(p.atAny("APPROX", "EXACT") && p.ahead(1).is("NEAREST")) {
		return nil
	}
	from := p.start()
	n := &Nearest{Mode: p.acceptAny("APPROX", "EXACT")}
	p.expect("NEAREST")
	if !p.at("BY") {
		count := p.plainInteger()
		n.Count = count
		if len(count.Text) > 6 || atoi(count.Text, 0) < 1 || atoi(count.Text, 0) > 100000 {
			p.failAs(count.Span, "NEAREST_BY_JOIN.NUM_RESULTS_OUT_OF_RANGE", "NEAREST takes a number from 1 to 100000",
				"numResults", count.Text)
		}
	}
	p.expect("BY")
	n.By = p.expectAny("DISTANCE", "SIMILARITY")
	n.X = p.expr()
	n.Span = p.since(from)
	return n
}

// Primary relations.

func (p *parser) relationPrimary() Relation {
	switch {
	case p.at("STREAM") && (p.isIdent(p.ahead(1)) || p.opAt(1, "(")) && !p.ahead(1).is("AS"):
		return p.streamRelation()
	case p.at("VALUES") && !p.relationEndsAt(1):
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

func (p *parser) relationEndsAt(n int) bool {
	return p.itemEndsAt(n) || p.opAt(n, ".") || p.ahead(n).is("AS")
}

// parenRelation reads (query) or (relation) with what may follow.
func (p *parser) parenRelation() Relation {
	from := p.start()
	if !p.isQueryAt(1) {
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

// timeTravel reads [FOR] VERSION AS OF n or TIMESTAMP AS OF t.
func (p *parser) timeTravel() *TimeTravel {
	n := 0
	if p.at("FOR") {
		n = 1
	}
	t := p.ahead(n)
	version := t.is("VERSION") || t.is("SYSTEM_VERSION")
	if !version && !t.is("TIMESTAMP") && !t.is("SYSTEM_TIME") || !p.ahead(n+1).is("AS") || !p.ahead(n+2).is("OF") {
		return nil
	}
	from := p.start()
	p.i += n + 3
	tt := &TimeTravel{}
	if version {
		tt.Version = p.version()
	} else {
		tt.Timestamp = p.value()
	}
	tt.Span = p.since(from)
	p.checkTravel(tt.Span, tt.Timestamp)
	return tt
}

// checkTravel refuses a time that depends on columns.
func (p *parser) checkTravel(at Span, x Expr) {
	if x != nil && refersToColumn(x) {
		const reason = "timestamp expression cannot refer to any columns"
		p.failAs(at, "_LEGACY_ERROR_TEMP_0056", "invalid time travel: "+reason, "reason", reason)
	}
}

// refersToColumn reports whether x holds a column outside of subqueries.
func refersToColumn(x Expr) bool {
	found := false
	Walk(x, func(n Node) bool {
		switch n.(type) {
		case *ColumnRef:
			found = true
		case *Query:
			return false
		}
		return !found
	})
	return found
}

// version reads a table's version, a number or a string.
func (p *parser) version() Expr {
	if p.isString(p.tok()) {
		return p.stringLit()
	}
	return p.integer()
}

// changes reads CHANGES FROM … [TO …] of a table's change feed.
func (p *parser) changes() *Changes {
	if !p.at("CHANGES", "FROM") {
		return nil
	}
	from := p.start()
	p.i += 2
	c := &Changes{Unit: p.changesUnit()}
	c.From, c.FromExclusive = p.changesBound(c.Unit)
	if p.accept("TO") {
		if p.changesUnit() != c.Unit {
			p.failExpected(c.Unit)
		}
		c.To, c.ToExclusive = p.changesBound(c.Unit)
	}
	c.Options = p.withOptions()
	c.Span = p.since(from)
	return c
}

func (p *parser) changesUnit() string {
	switch p.expectAny("VERSION", "SYSTEM_VERSION", "TIMESTAMP", "SYSTEM_TIME") {
	case "VERSION", "SYSTEM_VERSION":
		return "VERSION"
	}
	return "TIMESTAMP"
}

func (p *parser) changesBound(unit string) (x Expr, exclusive bool) {
	if unit == "VERSION" {
		x = p.version()
	} else {
		x = p.value()
		if hasSubquery(x) {
			p.failAs(Span{x.Pos(), x.End()}, "INVALID_CDC_OPTION.INVALID_TIMESTAMP_EXPR",
				"the time of CHANGES cannot hold a subquery")
		}
		p.checkTravel(Span{x.Pos(), x.End()}, x)
	}
	return x, p.acceptAny("INCLUSIVE", "EXCLUSIVE") == "EXCLUSIVE"
}

func hasSubquery(x Expr) bool {
	found := false
	Walk(x, func(n Node) bool {
		if _, ok := n.(*Query); ok {
			found = true
		}
		return !found
	})
	return found
}

// sample reads TABLESAMPLE (…) [REPEATABLE (n)].
func (p *parser) sample() *Sample {
	if !p.at("TABLESAMPLE") || !p.opAt(1, "(") && !p.opAt(2, "(") {
		return nil
	}
	from := p.start()
	p.next()
	s := &Sample{Method: p.acceptAny("SYSTEM", "BERNOULLI")}
	p.expectOp("(")
	if p.atOp(")") {
		p.failAs(p.since(from), "_LEGACY_ERROR_TEMP_0015", "TABLESAMPLE does not accept empty inputs")
	}
	p.sampleMethod(s)
	p.expectOp(")")
	if p.accept("REPEATABLE") {
		p.expectOp("(")
		s.Seed = p.integer()
		p.expectOp(")")
	}
	s.Span = p.since(from)
	p.checkSample(s)
	return s
}

func (p *parser) sampleMethod(s *Sample) {
	if p.at("BUCKET") && (p.numberAt(1) || p.opAt(1, "?") || p.opAt(1, ":")) {
		p.next()
		s.Kind, s.X = "BUCKET", p.integer()
		p.expect("OUT", "OF")
		s.OutOf = p.integer()
		if p.accept("ON") {
			s.On = p.name()
			if p.acceptOp("(") {
				p.expectOp(")")
				s.OnCall = true
			}
		}
		return
	}
	s.X = p.expr()
	switch {
	case p.accept("PERCENT"):
		s.Kind = "PERCENT"
	case p.accept("ROWS"):
		s.Kind = "ROWS"
	default:
		s.Kind = "BYTES"
	}
}

func (p *parser) checkSample(s *Sample) {
	fail := func(msg string) { p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0064", msg, "msg", msg) }
	switch s.Kind {
	case "PERCENT":
		p.checkFraction(fraction(s.X), fail)
	case "BUCKET":
		if of := fraction(s.OutOf); of > 0 && s.On == nil {
			p.checkFraction(fraction(s.X)/of, fail)
		}
		if s.On != nil && s.OnCall {
			fail("TABLESAMPLE(BUCKET x OUT OF y ON function) is not supported.")
		} else if s.On != nil {
			fail("TABLESAMPLE(BUCKET x OUT OF y ON colname) is not supported.")
		}
	case "BYTES":
		p.checkBytes(s)
	}
	if s.Method == "SYSTEM" && s.Kind != "PERCENT" {
		p.failAs(s.Span, "UNSUPPORTED_FEATURE.TABLESAMPLE_SYSTEM_SAMPLE_METHOD",
			"TABLESAMPLE SYSTEM samples by PERCENT only", "method", s.Kind)
	}
	if s.Method == "SYSTEM" && s.Seed != nil {
		p.failAs(s.Span, "UNSUPPORTED_FEATURE.TABLESAMPLE_SYSTEM_REPEATABLE",
			"TABLESAMPLE SYSTEM cannot be REPEATABLE; use BERNOULLI")
	}
}

// checkFraction refuses samples of less than nothing or more than all.
func (p *parser) checkFraction(f float64, fail func(string)) {
	if f < 0 || f > 1 {
		fail("Sampling fraction (" + strconv.FormatFloat(f, 'f', -1, 64) + ") must be on interval [0, 1].")
	}
}

// fraction returns the hundredth part of a literal number, and 0 for all else.
func fraction(percent Expr) float64 {
	n, ok := percent.(*NumberLit)
	if !ok {
		return 0
	}
	f, _ := strconv.ParseFloat(n.Text, 64)
	if n.Neg {
		f = -f
	}
	return f / 100
}

// checkBytes refuses a sample by bytes, such as 300M, which Spark knows and
// does not support.
func (p *parser) checkBytes(s *Sample) {
	if s.Method == "SYSTEM" {
		return
	}
	msg := "TABLESAMPLE(byteLengthLiteral) is not supported."
	if c, ok := s.X.(*ColumnRef); !ok || len(c.Parts) != 1 {
		msg = Span{s.X.Pos(), s.X.End()}.Text(p.src) + " is not a valid byte length literal, expected syntax: DIGIT+ ('B' | 'K' | 'M' | 'G')"
	}
	p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0064", msg, "msg", msg)
}

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
