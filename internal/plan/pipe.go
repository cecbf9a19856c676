package plan

import (
	"slices"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
)

// pipe is input |> operator.
func (a *analyzer) pipe(p *syntax.Pipe, outer *frame) (relation, error) {
	in, err := a.body(p.Input, outer)
	if err != nil {
		return relation{}, err
	}
	op := p.Op
	inside := *a
	inside.piped = &in
	switch op.Kind {
	case "SELECT":
		r, err := inside.selectQuery(op.Select, &syntax.QueryTail{}, outer)
		return trimmed(r), err
	case "EXTEND":
		return inside.extend(op.Items, outer)
	case "SET":
		return a.pipeSet(in, op.Sets, outer)
	case "DROP":
		return a.pipeDrop(in, op.Drop)
	case "AS":
		return in.named(op.Alias.Name), nil
	case "WHERE":
		cond, err := a.where(op.Where, &frame{outer: outer, cols: in.cols}, op.Where)
		in.node = &rel.Filter{In: in.node, Cond: cond}
		return in, err
	case "PIVOT", "UNPIVOT", "JOIN":
		return inside.relation(op.Relation, outer)
	case "TABLESAMPLE":
		return a.sampled(in, op.Sample)
	case "SET OPERATION":
		return a.setWith(in, op.SetOp, outer)
	case "ORDER":
		if in, err = a.ordered(in, op.Tail, outer); err != nil {
			return in, err
		}
		return a.limited(in, op.Tail)
	case "AGGREGATE":
		return inside.pipeAggregate(op, outer)
	}
	return relation{}, unsupported("|> "+op.Kind, op)
}

// extend adds columns behind those of the piped input, which keep their qualifiers.
func (a *analyzer) extend(items []*syntax.NamedExpr, outer *frame) (relation, error) {
	all := append([]*syntax.NamedExpr{{X: &syntax.Star{}}}, items...)
	for _, n := range items {
		if c, ok := n.X.(*syntax.Call); ok && c.Over == nil && a.isAggregate(c) {
			return relation{}, fail("PIPE_OPERATOR_CONTAINS_AGGREGATE_FUNCTION", n, "expr", c.Func.Last(), "clause", "EXTEND")
		}
	}
	r, err := a.selectQuery(&syntax.Select{Items: all}, &syntax.QueryTail{}, outer)
	return trimmed(r), err
}

func (a *analyzer) isAggregate(c *syntax.Call) bool {
	fn := rel.FindFunction(c.Func.Last())
	return fn != nil && fn.Kind == rel.AggregateKind
}

// pipeSet replaces columns, one after the other.
func (a *analyzer) pipeSet(in relation, sets []*syntax.Assignment, outer *frame) (relation, error) {
	for _, s := range sets {
		t, err := a.scalar(s.Value, &frame{outer: outer, cols: in.cols}, "SET")
		if err != nil {
			return in, err
		}
		found, _ := a.lookup(in.cols, s.Target.Strings())
		if len(found) != 1 {
			return in, a.unresolved(s.Target.Strings(), &frame{cols: in.cols}, s.Target)
		}
		p := &rel.Project{In: in.node}
		cols := slices.Clone(in.cols)
		for i, c := range in.cols {
			out := rel.Computed{Column: c.Column, Expr: c.Ref()}
			if c.ID == found[0].ID {
				out = rel.Computed{Column: rel.NewColumn(c.Name, t.x.Type()), Expr: t.x}
				cols[i] = column{out.Column, nil}
			}
			p.Cols = append(p.Cols, out)
		}
		in = relation{node: p, cols: cols}
	}
	return in, nil
}

func (a *analyzer) pipeDrop(in relation, names []*syntax.Ident) (relation, error) {
	for _, id := range names {
		found, _ := a.lookup(in.cols, []string{id.Name})
		if len(found) != 1 {
			return in, a.unresolved([]string{id.Name}, &frame{cols: in.cols}, id)
		}
		in.cols = without(in.cols, found)
	}
	return in, nil
}

// pipeAggregate gives the grouping columns followed by the aggregates.
func (a *analyzer) pipeAggregate(op *syntax.PipeOp, outer *frame) (relation, error) {
	s := &syntax.Select{Span: op.Span}
	if op.GroupBy != nil {
		by := *op.GroupBy
		by.Items = nil
		for _, e := range op.GroupBy.Items {
			n, ok := e.(*syntax.NamedExpr)
			if !ok {
				n = &syntax.NamedExpr{Span: syntax.Span{From: e.Pos(), To: e.End()}, X: e}
			}
			by.Items = append(by.Items, n.X)
			if _, sets := n.X.(*syntax.Grouping); !sets {
				s.Items = append(s.Items, n)
			}
		}
		s.GroupBy = &by
	}
	s.Items = append(s.Items, op.Items...)
	r, err := a.selectQuery(s, &syntax.QueryTail{}, outer)
	return trimmed(r), err
}
