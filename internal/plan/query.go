package plan

import (
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// query analyses a query. outer is the frame of the query around it, whose columns it may read.
func (a *analyzer) query(q *syntax.Query, outer *frame) (relation, error) {
	if err := a.ctx.Err(); err != nil {
		return relation{}, err
	}
	if q.With != nil {
		inside, err := a.with(q.With, outer)
		if err != nil {
			return relation{}, err
		}
		a = inside
	}
	if s, ok := q.Body.(*syntax.Select); ok {
		r, err := a.selectQuery(s, &q.Tail, outer)
		return trimmed(r), err
	}
	r, err := a.body(q.Body, outer)
	if err != nil {
		return relation{}, err
	}
	if r, err = a.ordered(r, &q.Tail, outer); err != nil {
		return relation{}, err
	}
	r, err = a.limited(r, &q.Tail)
	return trimmed(r), err
}

// trimmed drops the columns that only the ordering needed.
func trimmed(r relation) relation {
	if r.node != nil {
		r.node = onlyColumns(r)
		for i, c := range r.node.Columns() {
			r.cols[i].ID = c.ID
		}
	}
	return relation{node: r.node, cols: r.cols}
}

// body analyses a query without its WITH and tail.
func (a *analyzer) body(b syntax.QueryBody, outer *frame) (relation, error) {
	switch b := b.(type) {
	case *syntax.Select:
		r, err := a.selectQuery(b, &syntax.QueryTail{}, outer)
		return trimmed(r), err
	case *syntax.SetOp:
		return a.setOp(b, outer)
	case *syntax.Values:
		r, err := a.valuesTable(b.Rows, outer)
		return a.aliased(r, "", b.Alias, err)
	case *syntax.TableQuery:
		return a.table(&syntax.Table{Span: b.Span, Name: b.Name}, outer)
	case *syntax.Nested:
		return a.query(b.Query, outer)
	case *syntax.Pipe:
		return a.pipe(b, outer)
	}
	return relation{}, unsupported("this query", b)
}

// ordered sorts the rows of a query that is not a plain SELECT by its own columns.
func (a *analyzer) ordered(r relation, tail *syntax.QueryTail, outer *frame) (relation, error) {
	b := &block{a: a, node: r.node, frame: &frame{outer: outer, cols: r.cols, hidden: r.hidden, windows: tail.Windows}}
	for _, c := range r.cols {
		b.items = append(b.items, item{term: term{x: c.Ref(), text: c.Name, qual: c.qual}, name: c.Name})
	}
	if err := a.orderOf(tail, b); err != nil || len(b.order) == 0 {
		return r, err
	}
	for _, k := range b.order {
		if holdsAggregate(k.Expr) {
			return r, fail("UNSUPPORTED_EXPR_FOR_OPERATOR", nil, "invalidExprSqls", quoteSQL(k.text))
		}
	}
	if err := b.windows(); err != nil {
		return r, err
	}
	s := &rel.Sort{In: b.node}
	for _, k := range b.order {
		s.By = append(s.By, k.Order)
	}
	r.node = s
	return r, nil
}

// limited applies LIMIT and OFFSET.
func (a *analyzer) limited(r relation, tail *syntax.QueryTail) (relation, error) {
	if tail.Limit == nil && tail.Offset == nil {
		return r, nil
	}
	l := &rel.Limit{In: r.node, Count: -1}
	f := &frame{cols: r.cols}
	if tail.Limit != nil {
		t, err := a.expr(tail.Limit, f)
		if err == nil {
			l.Count, err = a.count(t, "limit", tail.Limit)
		}
		if err != nil {
			return r, err
		}
	}
	if tail.Offset != nil {
		t, err := a.expr(tail.Offset, f)
		if err == nil {
			l.Offset, err = a.count(t, "offset", tail.Offset)
		}
		if err != nil {
			return r, err
		}
	}
	r.node = l
	return r, nil
}

// count is the value of LIMIT, OFFSET and their like.
func (a *analyzer) count(t term, name string, at syntax.Node) (int64, error) {
	bad := func(class string, more ...string) error {
		return fail("INVALID_LIMIT_LIKE_EXPRESSION."+class, at, append([]string{"name", name, "expr", quoteSQL(t.text)}, more...)...)
	}
	if !foldable(t.x) {
		return 0, bad("IS_UNFOLDABLE")
	}
	if t.x.Type() != types.Int && t.x.Type() != types.Byte && t.x.Type() != types.Short && t.x.Type() != types.Void {
		return 0, bad("DATA_TYPE", "dataType", typeSQL(t.x.Type()))
	}
	v, err := a.constant(t.x)
	if err != nil {
		return 0, err
	}
	n, ok := v.(int64)
	switch {
	case !ok:
		return 0, bad("IS_NULL")
	case n < 0:
		return 0, bad("IS_NEGATIVE", "v", itoa(int(n)))
	}
	return n, nil
}

// valuesTable is VALUES (…), (…): columns col1, col2, … of the common types of their values.
func (a *analyzer) valuesTable(rows []syntax.Expr, outer *frame) (relation, error) {
	var all [][]term
	for _, e := range rows {
		cells := []syntax.Expr{e}
		if r, ok := e.(*syntax.Row); ok {
			cells = r.Elems
		}
		ts, err := a.exprs(cells, &frame{outer: outer})
		if err != nil {
			return relation{}, err
		}
		if len(all) > 0 && len(ts) != len(all[0]) {
			return relation{}, fail("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", e, "expectedNumCols", itoa(len(all[0])),
				"actualNumCols", itoa(len(ts)), "rowIndex", itoa(len(all)))
		}
		for _, t := range ts {
			if holdsAggregate(t.x) || holdsWindow(t.x) || generatorIn(t.x) != nil {
				return relation{}, fail("INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE", e, "expr", quoteSQL(t.text))
			}
		}
		all = append(all, ts)
	}
	return a.inline(all, rows)
}

func (a *analyzer) inline(all [][]term, rows []syntax.Expr) (relation, error) {
	v := &rel.Values{Rows: make([][]rel.Expr, len(all))}
	for i := range all[0] {
		ts := make([]types.Type, len(all))
		null := false
		for j, row := range all {
			ts[j] = row[i].x.Type()
			null = null || row[i].x.Nullable()
		}
		t, ok := rel.CommonType(ts, a.set)
		if !ok {
			return relation{}, fail("INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE", rows[0], "colName", types.Quote("col"+itoa(i+1)))
		}
		v.Cols = append(v.Cols, rel.Column{ID: rel.NewID(), Name: "col" + itoa(i+1), Type: t, Nullable: null})
		for j, row := range all {
			v.Rows[j] = append(v.Rows[j], a.to(row[i].x, t))
		}
	}
	return relation{node: v, cols: plain(v.Cols)}, nil
}
