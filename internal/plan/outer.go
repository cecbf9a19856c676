package plan

import (
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
)

// outerCall marks an aggregate function in a subquery that belongs to the query around it, because all columns that
// it reads are of that query. It stands around the *Agg until the outer query takes it out.
const outerCall = "outer"

// holdsOuterAggregate reports whether a subquery of e has an aggregate function of this query.
func holdsOuterAggregate(e rel.Expr) bool {
	found := false
	for _, q := range rel.Subqueries(e) {
		rel.Walk(q, func(n rel.Node) bool {
			for _, x := range rel.Exprs(n) {
				rel.WalkExpr(x, func(y rel.Expr) bool {
					c, ok := y.(*rel.Call)
					found = found || ok && c.Name == outerCall
					return !found
				})
			}
			return !found
		})
	}
	return found
}

// belongsOut reports whether an aggregate over args belongs to the query around f: mixed is true when it reads
// columns of both.
func belongsOut(args []rel.Expr, f *frame) (out, mixed bool) {
	local := map[rel.ID]bool{}
	g := f
	for ; g != nil && !g.subquery; g = g.outer {
		for _, c := range append(append([]column(nil), g.cols...), g.hidden...) {
			local[c.ID] = true
		}
		for _, it := range g.items {
			for _, c := range columnsIn(it.x) {
				local[c.ID] = true
			}
		}
	}
	if g == nil {
		return false, false
	}
	beyond := map[rel.ID]bool{}
	for g = g.outer; g != nil; g = g.outer {
		for _, c := range append(append([]column(nil), g.cols...), g.hidden...) {
			beyond[c.ID] = true
		}
	}
	in := false
	for _, e := range args {
		for _, c := range columnsIn(e) {
			in = in || local[c.ID]
			out = out || beyond[c.ID]
		}
	}
	return out && !in, out && in
}

// outerAggregate marks t when it is an aggregate of the query around.
func outerAggregate(t term, f *frame, at syntax.Node) (term, error) {
	agg, ok := t.x.(*rel.Agg)
	if !ok {
		return t, nil
	}
	out, mixed := belongsOut(rel.Operands(agg), f)
	if mixed {
		return t, fail("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.AGGREGATE_FUNCTION_MIXED_OUTER_LOCAL_REFERENCES", at, "function", t.text)
	}
	if out {
		t.x = &rel.Call{Name: outerCall, Args: []rel.Expr{agg}, T: agg.T, Null: agg.Null}
	}
	return t, nil
}
