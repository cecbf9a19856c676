package plan

import (
	"slices"

	"github.com/tarn-lake/tarn/internal/syntax"
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

// grouping is a GROUP BY with names and ordinals resolved.
type grouping struct {
	keys []term
	sets [][]int // nil: one set of all keys
}

// has reports whether a column is a grouping expression.
func (g grouping) has(id rel.ID) bool {
	for _, k := range g.keys {
		if c, ok := k.x.(*rel.Col); ok && c.ID == id {
			return true
		}
	}
	return false
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

// groupBy resolves a GROUP BY clause: ordinals, names of columns, else names of the SELECT list.
func (a *analyzer) groupBy(s *syntax.GroupBy, b *block) (grouping, error) {
	var g grouping
	if s == nil {
		return g, nil
	}
	if isGroupByAll(s) {
		if _, ok, _ := a.atLevel(b.frame, []string{"all"}, s); !ok {
			return a.groupByAll(b, s)
		}
	}
	sets := [][]int{{}}
	analytic := s.With != ""
	add := func(e syntax.Expr) (int, error) { return a.groupKey(&g, e, b) }
	var plain []*syntax.GroupingSet
	for _, e := range s.Items {
		elem, err := groupingSets(e, add)
		if err != nil {
			return g, err
		}
		if _, ok := e.(*syntax.Grouping); ok {
			analytic = true
		}
		plain = append(plain, &syntax.GroupingSet{Exprs: []syntax.Expr{e}})
		if s.With == "" {
			sets = product(sets, elem)
		}
	}
	if s.With != "" {
		whole := &syntax.Grouping{Kind: s.With, Sets: plain}
		if s.With == "SETS" {
			whole.Sets = s.Sets
		}
		var err error
		if sets, err = groupingSets(whole, add); err != nil {
			return g, err
		}
	}
	if analytic {
		g.sets = sets
	}
	return g, nil
}

func isGroupByAll(s *syntax.GroupBy) bool {
	if len(s.Items) != 1 || s.With != "" {
		return false
	}
	c, ok := s.Items[0].(*syntax.ColumnRef)
	return ok && (&syntax.Name{Parts: c.Parts}).IsWord("all")
}

// groupByAll groups by every item of the SELECT list that has no aggregate function.
func (a *analyzer) groupByAll(b *block, at syntax.Node) (grouping, error) {
	var g grouping
	for _, it := range b.items {
		if holdsAggregate(it.x) {
			continue
		}
		if foldable(it.x) {
			continue
		}
		g.keys = append(g.keys, it.term)
	}
	check := a.newGroups(b.node, g)
	for _, it := range b.items {
		check.lower(it.x)
	}
	if check.missing != nil {
		return g, fail("UNRESOLVED_ALL_IN_GROUP_BY", at)
	}
	return g, nil
}

// groupKey is the number of a grouping expression, new or met before.
func (a *analyzer) groupKey(g *grouping, e syntax.Expr, b *block) (int, error) {
	t, err := a.groupTerm(e, b)
	if err != nil {
		return 0, err
	}
	key := rel.Key(t.x)
	for i, k := range g.keys {
		if rel.Key(k.x) == key {
			return i, nil
		}
	}
	g.keys = append(g.keys, t)
	return len(g.keys) - 1, nil
}

func (a *analyzer) groupTerm(e syntax.Expr, b *block) (term, error) {
	if n, ok := position(e); ok && a.on("spark.sql.groupByOrdinal") {
		if n < 1 || n > len(b.items) {
			return term{}, fail("GROUP_BY_POS_OUT_OF_RANGE", e, "index", itoa(n), "size", itoa(len(b.items)))
		}
		if b.starred {
			return term{}, fail("STAR_GROUP_BY_POS", e)
		}
		it := b.items[n-1]
		if holdsAggregate(it.x) || holdsWindow(it.x) {
			return term{}, fail("GROUP_BY_POS_AGGREGATE", e, "index", itoa(n), "aggExpr", a.sketch(it.x, b.frame)+" AS "+types.QuoteIfNeeded(it.name))
		}
		return it.term, nil
	}
	rows := *b.frame
	if !a.on("spark.sql.groupByAliases") {
		rows.aliases = nil
	}
	t, err := a.expr(e, &rows)
	if err != nil {
		if it, ok := a.itemNamed(e, b); ok && isUnresolved(err) && a.on("spark.sql.groupByAliases") {
			t, err = it.term, nil
		}
	}
	if err == nil && holdsAggregate(t.x) {
		err = fail("GROUP_BY_AGGREGATE", e, "sqlExpr", a.sketch(t.x, b.frame))
	}
	if err == nil && !groupable(t.x.Type()) {
		err = fail("GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", e, "sqlExpr", quoteSQL(t.text), "dataType", typeSQL(t.x.Type()))
	}
	return t, err
}

// groupable reports whether values of t can be told apart in groups.
func groupable(t types.Type) bool {
	return t != types.Variant
}

// position is the whole number that e is written as.
func position(e syntax.Expr) (int, bool) {
	n, ok := e.(*syntax.NumberLit)
	if !ok || n.Suffix != "" {
		return 0, false
	}
	lit, err := number(n)
	if err != nil || lit.T != types.Int {
		return 0, false
	}
	return int(lit.Value.(int64)), true
}

// groupingSets lists the sets that an element of GROUP BY stands for, as numbers of keys.
func groupingSets(e syntax.Expr, key func(syntax.Expr) (int, error)) ([][]int, error) {
	g, ok := e.(*syntax.Grouping)
	if !ok {
		i, err := key(e)
		return [][]int{{i}}, err
	}
	var elems [][][]int // of each element of the grouping, its sets
	for _, s := range g.Sets {
		sets := [][]int{{}}
		for _, x := range s.Exprs {
			more, err := groupingSets(x, key)
			if err != nil {
				return nil, err
			}
			sets = product(sets, more)
		}
		elems = append(elems, sets)
	}
	switch g.Kind {
	case "ROLLUP":
		return rollup(elems), nil
	case "CUBE":
		return cube(elems), nil
	}
	var out [][]int
	for _, e := range elems {
		out = append(out, e...)
	}
	return out, nil
}

// product joins each set of x with each of y.
func product(x, y [][]int) [][]int {
	var out [][]int
	for _, a := range x {
		for _, b := range y {
			set := slices.Clone(a)
			for _, i := range b {
				if !slices.Contains(set, i) {
					set = append(set, i)
				}
			}
			out = append(out, set)
		}
	}
	return out
}

func rollup(elems [][][]int) [][]int {
	var out [][]int
	for n := len(elems); n >= 0; n-- {
		sets := [][]int{{}}
		for _, e := range elems[:n] {
			sets = product(sets, e)
		}
		out = append(out, sets...)
	}
	return out
}

func cube(elems [][][]int) [][]int {
	if len(elems) == 0 {
		return [][]int{{}}
	}
	rest := cube(elems[1:])
	return append(product(elems[0], rest), rest...)
}
