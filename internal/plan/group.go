package plan

import (
	"slices"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

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
