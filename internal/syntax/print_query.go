package syntax

func (p *printer) query(q *Query) {
	p.put(q.With)
	p.body(q.Body)
	p.tail(&q.Tail)
}

func (p *printer) tail(t *QueryTail) {
	p.put(
		listClause("ORDER BY", t.OrderBy), listClause("CLUSTER BY", t.ClusterBy),
		listClause("DISTRIBUTE BY", t.DistributeBy), listClause("SORT BY", t.SortBy),
		listClause("WINDOW", t.Windows), clause("LIMIT", t.Limit), when(t.LimitAll, "LIMIT ALL"),
		clause("OFFSET", t.Offset),
	)
}

func (p *printer) body(b QueryBody) {
	switch b := b.(type) {
	case *Select:
		p.selectBody(b)
	case *SetOp:
		p.setOp(b)
	case *Values:
		p.put("VALUES", rows(b.Rows), b.Alias)
	case *TableQuery:
		p.put("TABLE", b.Name)
	case *Nested:
		p.put("(", b.Query, raw(")"))
	case *Pipe:
		p.put(b.Input, "|>", b.Op)
	}
}

// rows returns the rows of VALUES, all of them in parentheses.
func rows(xs []Expr) parts {
	out := make([]any, len(xs))
	for i, x := range xs {
		switch x.(type) {
		case *Row, *ScalarSubquery:
			out[i] = x
		default:
			out[i] = parts{"(", x, raw(")")}
		}
	}
	return commas(out)
}

func (p *printer) setOp(s *SetOp) {
	if left, ok := s.Left.(*SetOp); ok && s.Op == "INTERSECT" && left.Op != "INTERSECT" {
		p.put("(", left, raw(")"))
	} else {
		p.put(s.Left)
	}
	p.put(s.Op, s.Quantifier, when(s.ByName, "BY NAME"), s.Right)
}

func (p *printer) selectBody(s *Select) {
	if s.FromFirst {
		p.put(listClause("FROM", s.From))
		if len(s.Items) == 0 && s.Transform == nil {
			p.put(views(s.Views))
			return
		}
		p.put(views(s.Views))
	}
	p.selectList(s)
	if !s.FromFirst {
		p.put(listClause("FROM", s.From), views(s.Views))
	}
	p.put(clause("WHERE", s.Where), s.GroupBy, clause("HAVING", s.Having), clause("QUALIFY", s.Qualify),
		listClause("WINDOW", s.Windows))
}

func views(vs []*LateralViewClause) parts {
	var out parts
	for _, v := range vs {
		out = append(out, v)
	}
	return out
}

func (p *printer) selectList(s *Select) {
	if t := s.Transform; t != nil {
		p.transform(t)
		return
	}
	p.put("SELECT")
	if len(s.Hints) > 0 {
		p.put("/*+", commas(s.Hints), "*/")
	}
	p.put(s.Quantifier, commas(s.Items))
}

func (p *printer) transform(t *Transform) {
	if t.Kind == "TRANSFORM" {
		p.put("SELECT TRANSFORM", raw("("), t.Quantifier, commas(t.Args), raw(")"))
	} else {
		p.put(t.Kind, t.Quantifier, commas(t.Args))
	}
	p.put(t.In, clause("RECORDWRITER", t.Writer), "USING", t.Script)
	switch {
	case t.Parens:
		p.put("AS", inParens(t.Columns))
	case len(t.Columns) > 0:
		p.put("AS", commas(t.Columns))
	}
	p.put(t.Out, clause("RECORDREADER", t.Reader))
}

func (p *printer) pipeOp(op *PipeOp) {
	switch op.Kind {
	case "SELECT":
		p.selectList(op.Select)
		p.put(listClause("WINDOW", op.Select.Windows))
	case "EXTEND":
		p.put("EXTEND", commas(op.Items))
	case "SET":
		p.put("SET", commas(op.Sets))
	case "DROP":
		p.put("DROP", commas(op.Drop))
	case "AS":
		p.put("AS", op.Alias)
	case "WHERE":
		p.put("WHERE", op.Where)
	case "AGGREGATE":
		p.put("AGGREGATE", commas(op.Items), op.GroupBy)
	case "SET OPERATION":
		p.put(op.SetOp)
	case "ORDER":
		p.tail(op.Tail)
	default:
		p.put(op.Relation, op.Sample)
	}
}

func (p *printer) groupBy(g *GroupBy) {
	items := make(parts, len(g.Items))
	for i, x := range g.Items {
		items[i] = orAll(x)
	}
	p.put("GROUP BY", commas(items))
	switch g.With {
	case "SETS":
		p.put("GROUPING SETS", inParens(g.Sets))
	case "ROLLUP", "CUBE":
		p.put("WITH", g.With)
	}
}

// orAll returns x as a part, in which the bare word ALL needs no quotes.
func orAll(x Expr) any {
	if c, ok := x.(*ColumnRef); ok && (&Name{Parts: c.Parts}).IsWord("ALL") {
		return text(c.Parts[0].Name)
	}
	return x
}

// Relations.

func (p *printer) relation(r Relation) {
	switch r := r.(type) {
	case *Table:
		p.put(when(r.Stream, "STREAM"), r.Name, r.Travel, r.Changes)
		p.put(options(r.Options), r.Sample, r.Watermark, r.Alias)
	case *Subquery:
		p.put("(", r.Query, raw(")"), r.Sample, r.Watermark, r.Alias)
	case *ValuesTable:
		p.put("VALUES", rows(r.Rows), r.Alias)
	case *TableFunc:
		p.put(when(r.Stream, "STREAM"), r.Func, raw("("))
		for i, a := range r.Args {
			if i > 0 {
				p.put(raw(","))
			}
			p.expr(a, precOr-1)
		}
		p.put(raw(")"), r.Watermark, r.Alias)
	case *NestedRelation:
		p.put("(", r.X, raw(")"), r.Sample, r.Watermark, r.Alias)
	case *Lateral:
		p.put("LATERAL", r.X)
	case *Join:
		p.join(r)
	case *Pivot:
		p.pivot(r)
	case *Unpivot:
		p.unpivot(r)
	}
}

func options(props []*Property) parts {
	if len(props) == 0 {
		return nil
	}
	return parts{"WITH", inParens(props)}
}

var joinWords = map[string]string{
	"CROSS": "CROSS", "LEFT": "LEFT", "RIGHT": "RIGHT", "FULL": "FULL", "SEMI": "LEFT SEMI", "ANTI": "LEFT ANTI",
}

func (p *printer) join(j *Join) {
	p.put(j.Left, when(j.Natural, "NATURAL"), joinWords[j.Kind], "JOIN", j.Right, j.Nearest, clause("ON", j.On))
	if len(j.Using) > 0 {
		p.put("USING", inParens(j.Using))
	}
}

func (p *printer) pivot(v *Pivot) {
	p.put(v.X, "PIVOT", "(", commas(v.Aggs), "FOR")
	if v.Parens {
		p.put(inParens(v.Columns))
	} else {
		p.put(commas(v.Columns))
	}
	p.put("IN", inParens(v.Values), raw(")"))
}

func (p *printer) unpivot(u *Unpivot) {
	p.put(u.X, "UNPIVOT", when(u.Nulls != "", u.Nulls, "NULLS"), "(")
	if u.Multi {
		p.put(inParens(u.ValueColumns))
	} else {
		p.put(commas(u.ValueColumns))
	}
	p.put("FOR", u.NameColumn, "IN", "(")
	for i, s := range u.Sets {
		if i > 0 {
			p.put(raw(","))
		}
		if u.Multi {
			p.put(inParens(s.Columns))
		} else {
			p.put(commas(s.Columns))
		}
		p.put(clause("AS", s.Alias))
	}
	p.put(raw(")"), raw(")"), clause("AS", u.Alias))
}

func (p *printer) sample(s *Sample) {
	p.put("TABLESAMPLE", s.Method, "(")
	if s.Kind == "BUCKET" {
		p.put("BUCKET", s.X, "OUT OF", s.OutOf, clause("ON", s.On), when(s.OnCall, raw("()")))
	} else {
		p.put(s.X, when(s.Kind != "BYTES", s.Kind))
	}
	p.put(raw(")"))
	if s.Seed != nil {
		p.put("REPEATABLE", "(", s.Seed, raw(")"))
	}
}

func (p *printer) changes(c *Changes) {
	bound := func(x Expr, exclusive bool) {
		if c.Unit == "VERSION" {
			p.put(c.Unit, x)
		} else {
			p.put(c.Unit, value{x})
		}
		p.put(when(exclusive, "EXCLUSIVE"))
	}
	p.put("CHANGES FROM")
	bound(c.From, c.FromExclusive)
	if c.To != nil {
		p.put("TO")
		bound(c.To, c.ToExclusive)
	}
	p.put(options(c.Options))
}

// part prints the nodes that are neither statements, queries, relations nor
// expressions.
func (p *printer) part(n Node) {
	switch n := n.(type) {
	case *With:
		p.put("WITH", when(n.Recursive, "RECURSIVE"), commas(n.Tables))
	case *CommonTable:
		p.put(n.Name, optParens(n.Columns), clause("MAX RECURSION LEVEL", n.MaxLevel), "AS", "(", n.Query, raw(")"))
	case *Hint:
		p.put(n.Name)
		if len(n.Args) > 0 {
			p.put(raw("("), commas(n.Args), raw(")"))
		}
	case *LateralViewClause:
		p.put("LATERAL VIEW", when(n.Outer, "OUTER"), n.Func, raw("("), commas(n.Args), raw(")"), n.Table,
			listClause("AS", n.Columns))
	case *GroupBy:
		p.groupBy(n)
	case *GroupingSet:
		if n.Parens {
			p.put(inParens(n.Exprs))
		} else {
			p.put(commas(n.Exprs))
		}
	case *NamedWindow:
		p.put(n.Name, "AS", n.Spec)
	case *WindowSpec:
		p.window(n)
	case *Frame:
		p.put(n.Unit, when(n.Stop != nil, "BETWEEN"), n.Start, clause("AND", n.Stop))
	case *FrameBound:
		p.put(value{n.X}, n.Kind)
	case *SortItem:
		p.put(orAll(n.X), n.Order, when(n.Nulls != "", "NULLS", n.Nulls))
	case *PipeOp:
		p.pipeOp(n)
	case *TableAlias:
		p.put("AS", n.Name)
		if len(n.Columns) > 0 {
			p.put(raw("("), commas(n.Columns), raw(")"))
		}
	case *Sample:
		p.sample(n)
	case *Watermark:
		p.put("WATERMARK", n.X, "DELAY OF", n.Delay)
	case *Changes:
		p.changes(n)
	case *Nearest:
		p.put(n.Mode, "NEAREST", n.Count, "BY", n.By, n.X)
	case *TimeTravel:
		p.put(clause("VERSION AS OF", n.Version))
		if n.Timestamp != nil {
			p.put("TIMESTAMP AS OF", value{n.Timestamp})
		}
	default:
		p.statementPart(n)
	}
}

func (p *printer) window(w *WindowSpec) {
	switch {
	case w.Ref != nil && w.Parens:
		p.put("(", w.Ref, raw(")"))
	case w.Ref != nil:
		p.put(w.Ref)
	default:
		p.put("(", listClause("PARTITION BY", w.PartitionBy), listClause("ORDER BY", w.OrderBy), w.Frame, raw(")"))
	}
}
