package syntax

// pipe reads |> and the operator behind it.
func (p *parser) pipe(input QueryBody, from Pos) *Pipe {
	p.expectOp("|>")
	op := p.pipeOp()
	return &Pipe{p.since(from), input, op}
}

func (p *parser) pipeOp() *PipeOp {
	from := p.start()
	op := &PipeOp{}
	switch {
	case p.at("SELECT"):
		op.Kind, op.Select = "SELECT", &Select{}
		p.selectClause(op.Select)
		op.Select.Windows = p.windowClause()
		op.Select.Span = p.since(from)
	case p.accept("EXTEND"):
		op.Kind, op.Items = "EXTEND", list(p, p.namedExpr)
	case p.accept("SET"):
		op.Kind, op.Sets = "SET", list(p, p.assignment)
	case p.accept("DROP"):
		op.Kind, op.Drop = "DROP", list(p, p.ident)
	case p.accept("AS"):
		op.Kind, op.Alias = "AS", p.ident()
	case p.accept("WHERE"):
		op.Kind, op.Where = "WHERE", p.expr()
	case p.accept("AGGREGATE"):
		p.pipeAggregate(op)
	default:
		p.pipeRelation(op)
	}
	op.Span = p.since(from)
	return op
}

func (p *parser) pipeAggregate(op *PipeOp) {
	op.Kind = "AGGREGATE"
	if !p.at("GROUP", "BY") && !p.atEnd() && !p.atOp(")") && !p.atOp("|>") {
		op.Items = list(p, p.namedExpr)
	}
	if p.at("GROUP", "BY") {
		op.GroupBy = p.groupBy(p.exprOrNamed)
	}
}

func (p *parser) pipeRelation(op *PipeOp) {
	from := p.start()
	switch {
	case p.atPivot():
		op.Kind = "UNPIVOT"
		if p.at("PIVOT") {
			op.Kind = "PIVOT"
		}
		op.Relation = p.pivots(nil, from)
		if p.atPivot() {
			p.pivots(nil, from)
			p.failFrom(from, "UNPIVOT_WITH_PIVOT", "UNPIVOT together with PIVOT")
		}
	case p.at("TABLESAMPLE"):
		op.Kind, op.Sample = "TABLESAMPLE", p.sample()
		if op.Sample == nil {
			p.next()
			p.failExpected("'('")
		}
	case p.atJoin():
		op.Kind, op.Relation = "JOIN", p.join(nil, from)
	case p.setOpPrecedence() >= 0:
		op.Kind, op.SetOp = "SET OPERATION", p.setOp()
		op.SetOp.Right = nest(p.queryPrimary())
		op.SetOp.Span = p.since(from)
	default:
		p.pipeTail(op)
	}
}

func (p *parser) pipeTail(op *PipeOp) {
	if !p.atAny("ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW") {
		p.failExpected("SELECT", "WHERE", "AGGREGATE", "EXTEND", "JOIN")
	}
	tail := p.tail()
	op.Kind, op.Tail = "ORDER", &tail
	if len(tail.OrderBy)+len(tail.SortBy)+len(tail.ClusterBy)+len(tail.DistributeBy) > 0 && (tail.Limit != nil || tail.LimitAll || tail.Offset != nil) {
		p.failAs(p.since(p.start()), "MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS",
			"one |> takes either an ordering or a limit", "clause1", "ORDER BY", "clause2", "LIMIT")
	}
}
