package plan

import (
	"slices"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// holdsAggregate reports whether e has an aggregate function that is not a window function's own.
func holdsAggregate(e rel.Expr) bool {
	found := false
	rel.WalkExpr(e, func(x rel.Expr) bool {
		switch x := x.(type) {
		case *rel.Agg:
			found = true
		case *rel.Call:
			found = found || x.Name == "grouping" || x.Name == "grouping_id"
			return !found && x.Name != outerCall
		case *rel.Over:
			for _, o := range rel.Operands(x) {
				if o == x.Fn {
					for _, arg := range rel.Operands(o) {
						found = found || holdsAggregate(arg)
					}
					continue
				}
				found = found || holdsAggregate(o)
			}
			return false
		}
		return !found
	})
	return found
}

// aggregatesIn lists the aggregate functions in e.
func aggregatesIn(e rel.Expr) []*rel.Agg {
	var out []*rel.Agg
	rel.WalkExpr(e, func(x rel.Expr) bool {
		switch x := x.(type) {
		case *rel.Agg:
			out = append(out, x)
			return false
		case *rel.Over:
			return false
		case *rel.Call:
			return x.Name != outerCall
		}
		return true
	})
	return out
}

// columnsIn lists the columns that e reads.
func columnsIn(e rel.Expr) []*rel.Col {
	var out []*rel.Col
	rel.WalkExpr(e, func(x rel.Expr) bool {
		if c, ok := x.(*rel.Col); ok {
			out = append(out, c)
		}
		return true
	})
	return out
}

func holdsWindow(e rel.Expr) bool {
	found := false
	rel.WalkExpr(e, func(x rel.Expr) bool {
		_, over := x.(*rel.Over)
		found = found || over
		return !found
	})
	return found
}

// groups builds the Aggregate node of a SELECT: expressions over the rows are rewritten to expressions over
// the groups.
type groups struct {
	a       *analyzer
	node    *rel.Aggregate
	keys    map[string]int // rel.Key of a grouping expression to its number
	aggs    map[string]int
	input   map[rel.ID]bool // the columns below
	missing *rel.Col        // a column that is neither grouped nor aggregated
	err     error
}

func (a *analyzer) newGroups(in rel.Node, g grouping) *groups {
	out := &groups{a: a, node: &rel.Aggregate{In: in, Sets: g.sets}, keys: map[string]int{}, aggs: map[string]int{},
		input: map[rel.ID]bool{}}
	for _, c := range in.Columns() {
		out.input[c.ID] = true
	}
	for i, k := range g.keys {
		c := rel.Column{ID: rel.NewID(), Name: k.label(), Type: k.x.Type(), Nullable: k.x.Nullable() || g.sets != nil}
		x, err := a.inKeyOrder(k.x)
		out.err = firstError(out.err, err)
		out.node.Keys = append(out.node.Keys, rel.Computed{Column: c, Expr: x})
		out.keys[rel.Key(k.x)] = i
	}
	if g.sets != nil {
		id := rel.Column{ID: rel.NewID(), Name: "spark_grouping_id", Type: types.Long}
		out.node.Grouping = &id
	}
	return out
}

// rows is the finished node. Grouping sets over no rows give no row in Spark, also for the empty set.
func (g *groups) rows() rel.Node {
	if !slices.ContainsFunc(g.node.Sets, func(s []int) bool { return len(s) == 0 }) {
		return g.node
	}
	n := g.aggregate(&rel.Agg{Name: "count", Args: []rel.Expr{intLit(1)}, T: types.Long})
	some := &rel.Call{Name: ">", Args: []rel.Expr{n, &rel.Lit{T: types.Long, Value: int64(0)}}, T: types.Boolean}
	return &rel.Filter{In: g.node, Cond: some}
}

// lower is e over the groups.
func (g *groups) lower(e rel.Expr) rel.Expr {
	if e == nil {
		return nil
	}
	if _, constant := e.(*rel.Lit); !constant {
		if i, ok := g.keys[rel.Key(e)]; ok {
			return g.node.Keys[i].Ref()
		}
	}
	switch e := e.(type) {
	case *rel.Agg:
		return g.aggregate(e)
	case *rel.Over:
		c := *e
		c.Fn = rel.MapOperands(e.Fn, g.lower)
		return rel.MapOperands(&c, func(x rel.Expr) rel.Expr {
			if x == c.Fn {
				return x
			}
			return g.lower(x)
		})
	case *rel.Col:
		if g.input[e.ID] && g.missing == nil {
			g.missing = e
		}
		return e
	case *rel.Call:
		if e.Name == "grouping" || e.Name == "grouping_id" {
			return g.groupingCall(e)
		}
	case *rel.Scalar, *rel.Exists, *rel.InQuery:
		return g.lowerQuery(e)
	}
	return rel.MapOperands(e, g.lower)
}

func (g *groups) aggregate(e *rel.Agg) rel.Expr {
	key := rel.Key(e)
	i, ok := g.aggs[key]
	if !ok {
		i = len(g.node.Aggs)
		g.aggs[key] = i
		c := rel.Column{ID: rel.NewID(), Name: e.Name, Type: e.T, Nullable: e.Null}
		g.node.Aggs = append(g.node.Aggs, rel.Computed{Column: c, Expr: e})
	}
	return g.node.Aggs[i].Ref()
}

// lowerQuery rewrites what a subquery reads of the rows to what it reads of the groups.
func (g *groups) lowerQuery(e rel.Expr) rel.Expr {
	e = rel.MapOperands(e, g.lower)
	inner := func(n rel.Node) (rel.Node, error) { return g.lowerNode(n) }
	out, err := rel.MapSubqueries(e, inner)
	if err != nil && g.err == nil {
		g.err = err
	}
	return out
}

func (g *groups) lowerNode(n rel.Node) (rel.Node, error) {
	return rel.Rewrite(n, func(m rel.Node) (rel.Node, error) {
		reads := false
		for _, e := range rel.Exprs(m) {
			reads = reads || g.reads(e)
		}
		if !reads {
			return m, nil
		}
		return rel.MapExprs(m, g.lowerInner), nil
	})
}

// lowerInner is lower for an expression of a subquery, whose own aggregates stay.
func (g *groups) lowerInner(e rel.Expr) rel.Expr {
	if !g.reads(e) {
		return e
	}
	if c, ok := e.(*rel.Call); ok && c.Name == outerCall {
		return g.aggregate(c.Args[0].(*rel.Agg))
	}
	if agg, ok := e.(*rel.Agg); ok {
		return rel.MapOperands(agg, g.lowerInner)
	}
	if i, ok := g.keys[rel.Key(e)]; ok {
		return g.node.Keys[i].Ref()
	}
	if c, ok := e.(*rel.Col); ok && g.missing == nil {
		g.missing = c
	}
	switch e.(type) {
	case *rel.Scalar, *rel.Exists, *rel.InQuery:
		return g.lowerQuery(e)
	}
	return rel.MapOperands(e, g.lowerInner)
}

// reads reports whether e reads a column of the rows, also in its subqueries.
func (g *groups) reads(e rel.Expr) bool {
	found := false
	rel.WalkExpr(e, func(x rel.Expr) bool {
		c, ok := x.(*rel.Col)
		found = found || ok && g.input[c.ID]
		return !found
	})
	for _, q := range rel.Subqueries(e) {
		rel.Walk(q, func(n rel.Node) bool {
			for _, x := range rel.Exprs(n) {
				found = found || g.reads(x)
			}
			return !found
		})
	}
	return found
}

// groupingCall computes grouping(key) and grouping_id(key, …) from the grouping id of the node, in which the last
// key has the lowest bit.
func (g *groups) groupingCall(e *rel.Call) rel.Expr {
	if g.node.Grouping == nil {
		g.err = firstError(g.err, fail("UNSUPPORTED_GROUPING_EXPRESSION", nil))
		return e
	}
	bits := make([]int, 0, len(e.Args))
	for _, arg := range e.Args {
		i, ok := g.keys[rel.Key(arg)]
		if !ok {
			g.err = firstError(g.err, g.notGrouped(e))
			return e
		}
		bits = append(bits, i)
	}
	if e.Name == "grouping" {
		if len(bits) != 1 {
			return e
		}
		return g.a.to(g.bit(bits[0]), types.Byte)
	}
	return g.groupingID(bits, e)
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (g *groups) notGrouped(e *rel.Call) error {
	if e.Name == "grouping" {
		return fail("GROUPING_COLUMN_MISMATCH", nil, "grouping", labels(e.Args), "groupingColumns", labels(g.keyExprs()))
	}
	return fail("GROUPING_ID_COLUMN_MISMATCH", nil, "groupingIdColumn", labels(e.Args), "groupByColumns", labels(g.keyExprs()))
}

func (g *groups) keyExprs() []rel.Expr {
	var out []rel.Expr
	for _, k := range g.node.Keys {
		out = append(out, k.Column.Ref())
	}
	return out
}

func labels(es []rel.Expr) string {
	s := ""
	for i, e := range es {
		if i > 0 {
			s += ","
		}
		if c, ok := e.(*rel.Col); ok {
			s += c.Name
		}
	}
	return s
}

// bit is 1 when key i is rolled up in the row's set.
func (g *groups) bit(i int) rel.Expr {
	shift := len(g.node.Keys) - 1 - i
	return longCall("&", longCall(">>", g.node.Grouping.Ref(), intLit(int64(shift))), &rel.Lit{T: types.Long, Value: int64(1)})
}

func longCall(op string, args ...rel.Expr) rel.Expr {
	return &rel.Call{Name: op, Args: args, T: types.Long}
}

func (g *groups) groupingID(bits []int, e *rel.Call) rel.Expr {
	all := make([]int, len(g.node.Keys))
	for i := range all {
		all[i] = i
	}
	if len(bits) > 0 && !slices.Equal(bits, all) {
		g.err = firstError(g.err, g.notGrouped(e))
	}
	return g.node.Grouping.Ref()
}
