package syntax

import "strings"

// atQuery reports whether a query comes next.
func (p *parser) atQuery() bool { return p.isQueryAt(0) }

// isQueryAt reports whether a query starts n tokens ahead. Each of the words
// that may start one may also be a name.
func (p *parser) isQueryAt(n int) bool {
	if p.opAt(n, "(") {
		return p.isParenQuery(p.i + n)
	}
	t := p.ahead(n)
	if t.kind != kindWord {
		return false
	}
	switch keywords.text[t.word] {
	case "SELECT":
		return !p.operatorAt(n + 1)
	case "FROM":
		return p.isIdent(p.ahead(n+1)) || p.opAt(n+1, "(")
	case "VALUES":
		return p.opAt(n+1, "(") || p.literalAt(n+1) || p.isIdent(p.ahead(n+1)) || p.signAt(n+1)
	case "TABLE":
		return p.isIdent(p.ahead(n + 1))
	case "WITH":
		return p.isIdent(p.ahead(n+1)) && (p.opAt(n+2, "(") || p.isIdent(p.ahead(n+2)))
	case "MAP", "REDUCE":
		return n == 0 && !p.opAt(1, "(") && p.isIdent(p.ahead(1))
	}
	return false
}

// signAt reports whether the n-th token ahead is an operator that may start an expression.
func (p *parser) signAt(n int) bool { return p.opAt(n, "-") || p.opAt(n, "+") || p.opAt(n, "~") }

// isParenQuery reports whether the parenthesis at index open starts a query.
// The answers for a run of parentheses are found at once and remembered.
func (p *parser) isParenQuery(open int) bool {
	p.matchParens()
	if known := p.parenQuery[open]; known != 0 {
		return known > 0
	}
	end := open
	for p.toks[end].kind == kindOp && p.src[p.toks[end].start] == '(' {
		end++
	}
	query := p.isQueryAt(end - p.i)
	for i := end - 1; i >= open; i-- {
		query = query && p.queryGoesOn(int(p.closers[i])+1)
		p.parenQuery[i] = -1
		if query {
			p.parenQuery[i] = 1
		}
	}
	return query
}

// operatorAt reports whether the n-th token ahead can only follow a name.
func (p *parser) operatorAt(n int) bool {
	if p.itemEndsAt(n) {
		return true
	}
	t := p.ahead(n)
	if t.kind != kindOp {
		return false
	}
	switch p.text(t) {
	case ".", "=", "<", ">", "<=", ">=", "<>", "!=", "/", "||", "->", "]", "[", "::":
		return true
	}
	return false
}

// closing returns the index of the parenthesis that closes the one at index
// open, or of the end.
func (p *parser) closing(open int) int {
	p.matchParens()
	return int(p.closers[open])
}

// matchParens finds, once, the closing parenthesis of each opening one. For
// one that is never closed, that is the end of the text.
func (p *parser) matchParens() {
	if p.closers != nil {
		return
	}
	p.closers = make([]int32, len(p.toks))
	p.parenQuery = make([]int8, len(p.toks))
	var open []int32
	for i, t := range p.toks {
		p.closers[i] = int32(len(p.toks) - 1)
		if t.kind != kindOp {
			continue
		}
		switch p.src[t.start] {
		case '(':
			open = append(open, int32(i))
		case ')':
			if n := len(open); n > 0 {
				p.closers[open[n-1]] = int32(i)
				open = open[:n-1]
			}
		}
	}
}

// queryGoesOn reports whether the token at index i, behind a parenthesised
// query, lets that be the start of a longer query or the whole of it.
func (p *parser) queryGoesOn(i int) bool {
	n := i - p.i
	t := p.ahead(n)
	switch {
	case t.kind == kindEOF, p.opAt(n, ")"), p.opAt(n, ";"), p.opAt(n, "|>"):
		return true
	case t.kind != kindWord:
		return false
	}
	switch keywords.text[t.word] {
	case "UNION", "INTERSECT", "EXCEPT", "MINUS", "LIMIT", "OFFSET":
		return true
	case "ORDER", "SORT", "CLUSTER", "DISTRIBUTE":
		return p.ahead(n + 1).is("BY")
	}
	return false
}

// query reads a whole query.
func (p *parser) query() *Query {
	from := p.start()
	return p.queryAfter(p.with(), from)
}

// queryAfter reads a query whose WITH clause has been read.
func (p *parser) queryAfter(w *With, from Pos) *Query {
	p.enter()
	defer p.leave()
	mark := p.mark()
	defer p.merge(mark)
	body, tail := p.term(0)
	return p.finishQuery(w, body, tail, from)
}

// finishQuery reads what may follow the body of a query, unless a FROM-first
// body has brought its own tail.
func (p *parser) finishQuery(w *With, body QueryBody, tail *QueryTail, from Pos) *Query {
	q := &Query{With: w, Body: body}
	if tail != nil {
		q.Tail = *tail
	} else {
		q.Tail = p.tail()
	}
	for p.atOp("|>") { // behind ORDER BY or LIMIT
		q.Span = p.since(from)
		q = p.pipeAfterTail(q, from)
	}
	q.Span = p.since(from)
	p.checkWith(q.With, q.Span)
	return q
}

// pipeAfterTail lets |> follow a query that ends in ORDER BY or LIMIT.
func (p *parser) pipeAfterTail(q *Query, from Pos) *Query {
	inner := &Query{Span: q.Span, Body: q.Body, Tail: q.Tail}
	return &Query{With: q.With, Body: p.pipe(&Nested{q.Span, inner}, from)}
}

// with reads a WITH clause if one comes next.
func (p *parser) with() *With {
	if !p.at("WITH") {
		return nil
	}
	from := p.start()
	p.next()
	w := &With{}
	if p.at("RECURSIVE") && !p.ahead(1).is("AS") && !p.opAt(1, "(") {
		p.next()
		w.Recursive = true
	}
	w.Tables = list(p, p.commonTable)
	w.Span = p.since(from)
	return w
}

func (p *parser) commonTable() *CommonTable {
	from := p.start()
	c := &CommonTable{Name: p.ident()}
	if p.atOp("(") && !p.isQueryAt(1) {
		c.Columns = parens(p, p.ident)
	}
	if p.accept("MAX", "RECURSION", "LEVEL") {
		c.MaxLevel = p.integer()
	}
	p.accept("AS")
	p.expectOp("(")
	c.Query = p.query()
	p.expectOp(")")
	c.Span = p.since(from)
	return c
}

// checkWith refuses names that occur twice, and depth limits without need, in
// the WITH clause of the statement at the given span.
func (p *parser) checkWith(w *With, at Span) {
	if w == nil {
		return
	}
	seen := map[string]bool{}
	for _, c := range w.Tables {
		name := strings.ToLower(c.Name.Name)
		if seen[name] {
			p.failAs(at, "DUPLICATED_CTE_NAMES", "WITH names "+name+" twice",
				"duplicateNames", quoteIdent(name))
		}
		seen[name] = true
		if c.MaxLevel != nil && !w.Recursive {
			const msg = "Cannot specify MAX RECURSION LEVEL when the CTE is not marked as RECURSIVE"
			p.failAs(at, "_LEGACY_ERROR_TEMP_0035", msg, "message", msg)
		}
	}
}

// term reads query terms joined by set operators of at least the given
// precedence: 0 for all of them, 1 for INTERSECT alone. The tail is set if
// the term ends in a FROM-first body that has one.
func (p *parser) term(least int) (QueryBody, *QueryTail) {
	from := p.start()
	body, tail := p.queryPrimary()
	return p.termAfter(body, tail, from, least)
}

// termAfter reads the operators behind a first query term.
func (p *parser) termAfter(body QueryBody, tail *QueryTail, from Pos, least int) (QueryBody, *QueryTail) {
	for {
		if p.atOp("|>") && least == 0 {
			p.grow()
			body, tail = p.pipe(nest(body, tail), from), nil
			continue
		}
		prec := p.setOpPrecedence()
		if prec < least {
			return body, tail
		}
		p.grow()
		body = nest(body, tail)
		op := p.setOp()
		h := p.mark()
		right, rightTail := p.term(prec + 1)
		p.merge(h)
		tail = nil
		op.Left, op.Right = body, nest(right, rightTail)
		op.Span = p.since(from)
		body = op
	}
}

// nest makes a body with a tail into a body.
func nest(body QueryBody, tail *QueryTail) QueryBody {
	if tail == nil {
		return body
	}
	span := Span{body.Pos(), body.End()}
	return &Nested{span, &Query{Span: span, Body: body, Tail: *tail}}
}

// setOpPrecedence returns the precedence of the set operator that comes next,
// or -1.
func (p *parser) setOpPrecedence() int {
	switch {
	case p.at("INTERSECT"):
		if p.FlatSetOps {
			return 0
		}
		return 1
	case p.atAny("UNION", "EXCEPT", "MINUS"):
		return 0
	}
	return -1
}

// setOp reads the operator and its quantifier.
func (p *parser) setOp() *SetOp {
	op := &SetOp{Op: p.expectAny("UNION", "INTERSECT", "EXCEPT", "MINUS")}
	op.Quantifier = p.acceptAny("ALL", "DISTINCT")
	if p.at("BY", "NAME") {
		p.i += 2
		op.ByName = true
	}
	return op
}

// queryPrimary reads a query without set operators.
func (p *parser) queryPrimary() (QueryBody, *QueryTail) {
	from := p.start()
	switch {
	case p.at("FROM"):
		rels, views := p.fromClause()
		return p.fromBodies(rels, views, from)
	case p.at("TABLE"):
		p.next()
		n := p.nameRef()
		return &TableQuery{p.since(from), n}, nil
	case p.at("VALUES"):
		v := &Values{Rows: p.valuesRows()}
		v.Alias = p.tableAlias()
		v.Span = p.since(from)
		p.checkRows(v.Span, v.Rows, v.Alias)
		return v, nil
	case p.acceptOp("("):
		q := p.query()
		p.expectOp(")")
		return &Nested{p.since(from), q}, nil
	}
	s := &Select{}
	p.selectClause(s)
	if p.at("FROM") {
		s.From, s.Views = p.fromClause()
	}
	p.selectRest(s)
	s.Span = p.since(from)
	return s, nil
}

func (p *parser) valuesRows() []Expr {
	p.expect("VALUES")
	return list(p, p.expr)
}

// checkRows refuses rows of different lengths, and those that do not fit the
// columns of the alias.
func (p *parser) checkRows(at Span, rows []Expr, alias *TableAlias) {
	want := 0
	if alias != nil {
		want = len(alias.Columns)
	}
	for i, r := range rows {
		n := 1
		if row, ok := r.(*Row); ok {
			n = len(row.Elems)
		}
		if want == 0 {
			want = n
		}
		if n != want {
			p.failRows(at, want, n, i)
		}
	}
}

// fromBodies reads the SELECT clauses behind a FROM clause. Several of them
// stand for the union of their rows.
func (p *parser) fromBodies(rels []Relation, views []*LateralViewClause, from Pos) (QueryBody, *QueryTail) {
	if !p.atSelect() {
		return &Select{Span: p.since(from), FromFirst: true, From: rels, Views: views}, nil
	}
	body, tail := p.fromBody(rels, views, from)
	for p.atSelect() {
		p.grow()
		left := nest(body, tail)
		right, rightTail := p.fromBody(rels, views, from)
		body, tail = &SetOp{p.since(from), "UNION", "ALL", false, left, nest(right, rightTail)}, nil
	}
	return body, tail
}

func (p *parser) atSelect() bool {
	return p.at("SELECT") || p.atAny("MAP", "REDUCE") && p.isQueryAt(0)
}

// fromBody reads one SELECT clause behind a FROM clause, with its ordering.
func (p *parser) fromBody(rels []Relation, views []*LateralViewClause, from Pos) (QueryBody, *QueryTail) {
	s := &Select{FromFirst: true, From: rels, Views: views}
	p.selectClause(s)
	p.selectRest(s)
	s.Span = p.since(from)
	tail := p.tail()
	if tail.empty() {
		return s, nil
	}
	return s, &tail
}

// tail reads ORDER BY, LIMIT and their like.
func (p *parser) tail() QueryTail {
	var t QueryTail
	from := p.start()
	if p.accept("ORDER", "BY") {
		t.OrderBy = list(p, p.sortItem)
	}
	if p.accept("CLUSTER", "BY") {
		t.ClusterBy = list(p, p.expr)
	}
	if p.accept("DISTRIBUTE", "BY") {
		t.DistributeBy = list(p, p.expr)
	}
	if p.accept("SORT", "BY") {
		t.SortBy = list(p, p.sortItem)
	}
	p.checkTail(&t, p.since(from))
	t.Windows = p.windowClause()
	if p.accept("LIMIT") {
		if p.at("ALL") && !p.operatorAt(1) || p.at("ALL") && p.itemEndsAt(1) {
			p.next()
			t.LimitAll = true
		} else {
			t.Limit = p.expr()
		}
	}
	if p.accept("OFFSET") {
		t.Offset = p.expr()
	}
	return t
}

// checkTail refuses combinations of orderings that contradict one another.
func (p *parser) checkTail(t *QueryTail, at Span) {
	n := 0
	for _, on := range []bool{len(t.OrderBy) > 0, len(t.ClusterBy) > 0, len(t.SortBy)+len(t.DistributeBy) > 0} {
		if on {
			n++
		}
	}
	if n > 1 {
		p.failAs(at, "UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES",
			"ORDER BY, CLUSTER BY, and DISTRIBUTE BY with SORT BY exclude one another")
	}
}

// windowClause reads WINDOW w AS (…), … if it comes next.
func (p *parser) windowClause() []*NamedWindow {
	if !p.at("WINDOW") || !p.isIdent(p.ahead(1)) {
		return nil
	}
	from := p.start()
	p.next()
	ws := list(p, p.namedWindow)
	seen := map[string]bool{}
	for _, w := range ws {
		if seen[w.Name.Name] {
			p.failAs(p.since(from), "INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION",
				"WINDOW defines "+w.Name.Name+" twice", "windowName", quoteIdent(w.Name.Name))
		}
		seen[w.Name.Name] = true
	}
	return ws
}

func (p *parser) namedWindow() *NamedWindow {
	from := p.start()
	w := &NamedWindow{Name: p.ident()}
	p.expect("AS")
	w.Spec = p.windowSpec()
	w.Span = p.since(from)
	return w
}
