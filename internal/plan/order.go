package plan

import (
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// sortKey is one item of an ORDER BY.
type sortKey struct {
	rel.Order
	text string // of the expression alone
}

func ordersOf(keys []sortKey) []rel.Order {
	var out []rel.Order
	for _, k := range keys {
		out = append(out, k.Order)
	}
	return out
}

func orderText(keys []sortKey) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.text + " ASC"
		if k.Desc {
			out[i] = k.text + " DESC"
		}
		if k.NullsFirst {
			out[i] += " NULLS FIRST"
		} else {
			out[i] += " NULLS LAST"
		}
	}
	return strings.Join(out, ", ")
}

// order analyses the items of an ORDER BY inside an expression.
func (a *analyzer) order(items []*syntax.SortItem, f *frame) ([]sortKey, error) {
	var out []sortKey
	for _, it := range items {
		t, err := a.expr(it.X, f)
		if err != nil {
			return nil, err
		}
		k, err := sortedBy(t, it)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// sortedBy orders by t as it says: NULLs come first when rising, last when falling, unless told otherwise.
func sortedBy(t term, it *syntax.SortItem) (sortKey, error) {
	desc := it.Order == "DESC"
	first := !desc
	if it.Nulls != "" {
		first = it.Nulls == "FIRST"
	}
	k := sortKey{rel.Order{Expr: t.x, Desc: desc, NullsFirst: first}, t.text}
	if !orderable(t.x.Type()) {
		return k, fail("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", it, "functionName", "`sortorder`",
			"dataType", typeSQL(t.x.Type()), "sqlExpr", quoteSQL(orderText([]sortKey{k})))
	}
	return k, nil
}

// orderable reports whether values of t have an order.
func orderable(t types.Type) bool {
	switch t := t.(type) {
	case types.Map:
		return false
	case types.Array:
		return orderable(t.Elem)
	case types.Struct:
		for _, f := range t.Fields {
			if !orderable(f.Type) {
				return false
			}
		}
	}
	return t != types.Variant && t != types.CalendarInterval
}

// orderOf analyses ORDER BY and its relatives.
func (a *analyzer) orderOf(tail *syntax.QueryTail, b *block) error {
	f := &frame{outer: b.frame, items: b.items, rows: b.frame}
	for _, it := range orderItems(tail) {
		b.sorts = append(b.sorts, it.X)
		if n, ok := position(it.X); ok && a.on("spark.sql.orderByOrdinal") {
			if n < 1 || n > len(b.items) {
				return fail("ORDER_BY_POS_OUT_OF_RANGE", it.X, "index", itoa(n), "size", itoa(len(b.items)))
			}
			k, err := sortedBy(b.items[n-1].term, it)
			if err != nil {
				return err
			}
			b.order = append(b.order, k)
			continue
		}
		if isOrderByAll(tail, it) && !a.known("all", f) {
			for _, x := range b.items {
				k, err := sortedBy(x.term, it)
				if err != nil {
					return err
				}
				b.order = append(b.order, k)
			}
			continue
		}
		t, err := a.expr(it.X, f)
		if err != nil {
			return err
		}
		k, err := sortedBy(t, it)
		if err != nil {
			return err
		}
		b.order = append(b.order, k)
	}
	return nil
}

// orderItems is the order that a query's rows come in: locally, SORT BY and CLUSTER BY order all of them.
func orderItems(tail *syntax.QueryTail) []*syntax.SortItem {
	items := slices.Concat(tail.OrderBy, tail.SortBy)
	for _, e := range tail.ClusterBy {
		items = append(items, &syntax.SortItem{Span: syntax.Span{From: e.Pos(), To: e.End()}, X: e})
	}
	return items
}

func isOrderByAll(tail *syntax.QueryTail, it *syntax.SortItem) bool {
	c, ok := it.X.(*syntax.ColumnRef)
	return ok && len(tail.OrderBy) == 1 && (&syntax.Name{Parts: c.Parts}).IsWord("all")
}

// known reports whether a name means something in f or the frame below it.
func (a *analyzer) known(name string, f *frame) bool {
	for g := f; g != nil && !g.subquery; g = g.outer {
		if _, ok, err := a.atLevel(g, []string{name}, nil); ok || err != nil {
			return true
		}
	}
	return false
}

// notInList is the error for a column in ORDER BY that the groups do not have.
func (b *block) notInList(c *rel.Col, in ...syntax.Expr) error {
	parts := []string{c.Name}
	var at syntax.Node
	for _, e := range in {
		syntax.Walk(e, func(n syntax.Node) bool {
			if ref, ok := n.(*syntax.ColumnRef); ok && at == nil && (&syntax.Name{Parts: ref.Parts}).Last() == c.Name {
				at, parts = ref, (&syntax.Name{Parts: ref.Parts}).Strings()
			}
			return true
		})
	}
	return b.a.unresolved(parts, &frame{items: b.items}, at)
}

// orderAfterHaving refuses what Spark refuses in ORDER BY when HAVING computes more than the SELECT list has: Spark
// then sorts above a projection, and columns behind it are the SELECT list and the plain grouping columns.
func (b *block) orderAfterHaving(s *syntax.Select, gs *groups, having rel.Expr) error {
	if having == nil || gs.missing != nil {
		return nil
	}
	out := map[string]rel.Column{}
	for _, it := range b.written {
		out[rel.Key(it.x)] = rel.Column{}
	}
	if _, whole := overOutput(having, out); whole {
		return nil
	}
	plain := map[rel.ID]bool{}
	for _, k := range gs.node.Keys {
		if c, ok := k.Expr.(*rel.Col); ok {
			plain[c.ID] = true
		}
	}
	for _, k := range b.order {
		e, _ := overOutput(k.Expr, out)
		for _, c := range columnsIn(e) {
			if gs.input[c.ID] && !plain[c.ID] {
				return b.notInList(c, b.sorts...)
			}
		}
		if aggs := aggregatesIn(e); len(aggs) > 0 {
			return fail("UNSUPPORTED_EXPR_FOR_OPERATOR", s, "invalidExprSqls", quoteSQL(b.a.aggregateList(aggs, nil)))
		}
	}
	return nil
}

// overOutput is an order key over the columns of the SELECT list, if it can be said so.
func overOutput(e rel.Expr, out map[string]rel.Column) (rel.Expr, bool) {
	if c, ok := out[rel.Key(e)]; ok {
		return c.Ref(), true
	}
	whole := len(rel.Subqueries(e)) == 0
	if _, ok := e.(*rel.Col); ok {
		whole = false
	}
	x := rel.MapOperands(e, func(x rel.Expr) rel.Expr {
		y, ok := overOutput(x, out)
		whole = whole && ok
		return y
	})
	return x, whole
}
