package plan

import (
	"errors"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// block is one SELECT on its way to a tree: first all its expressions over the rows of FROM, then, step by step
// from the bottom up, the nodes that compute them.
type block struct {
	a       *analyzer
	frame   *frame
	node    rel.Node
	items   []item
	written []item // items before they were put over the groups
	starred bool   // the SELECT list has a star
	order   []sortKey
	sorts   []syntax.Expr // what order was read from
	having  term
	qualify term
}

// selectQuery analyses SELECT with what follows it.
func (a *analyzer) selectQuery(s *syntax.Select, tail *syntax.QueryTail, outer *frame) (relation, error) {
	b, err := a.selectBlock(s, tail, outer)
	if err != nil {
		return relation{}, err
	}
	g, err := a.groupBy(s.GroupBy, b)
	if err != nil {
		return relation{}, err
	}
	if err := a.havingOf(s, g, b); err != nil {
		return relation{}, err
	}
	distinct := s.Quantifier == "DISTINCT"
	if err := a.orderOf(tail, b); err != nil {
		return relation{}, err
	}
	if err := b.aggregate(s, g); err != nil {
		return relation{}, err
	}
	if err := b.windows(); err != nil {
		return relation{}, err
	}
	if err := b.generate(s); err != nil {
		return relation{}, err
	}
	r, err := b.project(distinct)
	if err != nil {
		return relation{}, err
	}
	return a.limited(r, tail)
}

// selectBlock analyses FROM, WHERE and the SELECT list.
func (a *analyzer) selectBlock(s *syntax.Select, tail *syntax.QueryTail, outer *frame) (*block, error) {
	if s.Transform != nil {
		return nil, unsupported("SELECT TRANSFORM", s)
	}
	src, err := a.from(s, outer)
	if err != nil {
		return nil, err
	}
	b := &block{a: a, node: src.node}
	b.frame = &frame{outer: outer, cols: src.cols, hidden: src.hidden, windows: slices.Concat(s.Windows, tail.Windows)}
	if s.Where != nil {
		cond, err := a.where(s.Where, b.frame, s)
		if err != nil {
			return nil, err
		}
		b.node = &rel.Filter{In: b.node, Cond: cond}
	}
	items := s.Items
	if s.FromFirst && len(items) == 0 {
		items = []*syntax.NamedExpr{{X: &syntax.Star{}}}
	}
	return b, b.list(items)
}

// where is a condition without aggregate functions and windows.
func (a *analyzer) where(e syntax.Expr, f *frame, at syntax.Node) (rel.Expr, error) {
	t, err := a.expr(e, f)
	if err != nil {
		return nil, err
	}
	if holdsWindow(t.x) {
		return nil, fail("_LEGACY_ERROR_TEMP_1034", nil, "clauseName", "WHERE")
	}
	return a.boolean(t, f, at)
}

// boolean checks that a term can be a condition.
func (a *analyzer) boolean(t term, f *frame, at syntax.Node) (rel.Expr, error) {
	aggs := aggregatesIn(t.x)
	if len(aggs) > 0 || holdsOuterAggregate(t.x) {
		return nil, fail("INVALID_WHERE_CONDITION", at, "condition", quoteSQL(t.text), "expressionList", a.aggregateList(aggs, f))
	}
	switch t.x.Type() {
	case types.Boolean:
		return t.x, nil
	case types.Void:
		return a.to(t.x, types.Boolean), nil
	}
	return nil, fail("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", at, "sqlExpr", quoteSQL(t.text), "filter", quoteSQL(t.text), "type", typeSQL(t.x.Type()))
}

// condition is a condition over plain columns.
func (a *analyzer) condition(e syntax.Expr, f *frame) (rel.Expr, error) { return a.where(e, f, e) }

// scalar analyses an expression that stands alone: no aggregates, windows or generators.
func (a *analyzer) scalar(e syntax.Expr, f *frame, place string) (term, error) {
	t, err := a.expr(e, f)
	if err != nil {
		return term{}, err
	}
	if holdsAggregate(t.x) || holdsWindow(t.x) || generatorIn(t.x) != nil {
		return term{}, fail("UNSUPPORTED_EXPR_FOR_OPERATOR", e, "invalidExprSqls", quoteSQL(t.text))
	}
	return t, nil
}

func isUnresolved(err error) bool {
	var e *Error
	return errors.As(err, &e) && strings.HasPrefix(e.Class, "UNRESOLVED_COLUMN")
}

// havingOf analyses HAVING and QUALIFY. In HAVING a name means a grouping column, else a column of the SELECT list,
// else a column of the rows; in QUALIFY the SELECT list comes first.
func (a *analyzer) havingOf(s *syntax.Select, g grouping, b *block) error {
	var err error
	f := &frame{outer: b.frame, items: b.items, rows: b.frame}
	if s.Having != nil {
		keys := &frame{outer: f, rows: b.frame}
		for _, c := range b.frame.cols {
			if g.has(c.ID) {
				keys.cols = append(keys.cols, c)
			}
		}
		if b.having, err = a.expr(s.Having, keys); err != nil {
			return err
		}
	}
	if s.Qualify != nil {
		b.qualify, err = a.expr(s.Qualify, f)
	}
	return err
}

// aggregate puts the Aggregate node and HAVING on the block, when it groups.
func (b *block) aggregate(s *syntax.Select, g grouping) error {
	if !b.groups(s) {
		return b.notGrouped(s)
	}
	gs := b.a.newGroups(b.node, g)
	b.written = slices.Clone(b.items)
	for i := range b.items {
		b.items[i].x = gs.lower(b.items[i].x)
	}
	if err := b.lowerClauses(s, gs); err != nil {
		return err
	}
	switch name := gs.missing; {
	case gs.err != nil:
		return gs.err
	case name != nil && s.GroupBy == nil:
		return fail("MISSING_GROUP_BY", s)
	case name != nil:
		return fail("MISSING_AGGREGATION", nil, "expression", quoteSQL(name.Name), "expressionAnyValue", quoteSQL("any_value("+name.Name+")"))
	}
	b.node = gs.rows()
	return b.filterHaving(s)
}

// groups reports whether the SELECT is over groups: it says so, or has an aggregate function.
func (b *block) groups(s *syntax.Select) bool {
	if s.GroupBy != nil || s.Having != nil && !isTrue(b.a.scope.Setting("spark.sql.legacy.parser.havingWithoutGroupByAsWhere")) {
		return true
	}
	return slices.ContainsFunc(b.items, func(it item) bool { return holdsAggregate(it.x) || holdsOuterAggregate(it.x) })
}

// lowerClauses puts HAVING, QUALIFY and ORDER BY over the groups. A column that the groups lack is reported by the
// clause that reads it, unless the list was already wrong.
func (b *block) lowerClauses(s *syntax.Select, gs *groups) error {
	having := b.having.x
	if having != nil && gs.missing == nil {
		b.having.x = gs.lower(having)
		if gs.missing != nil && gs.err == nil && s.GroupBy != nil {
			return b.notInList(gs.missing, s.Having)
		}
	}
	if err := b.orderAfterHaving(s, gs, having); err != nil {
		return err
	}
	if b.qualify.x != nil {
		b.qualify.x = gs.lower(b.qualify.x)
	}
	if gs.missing != nil {
		return nil
	}
	for i := range b.order {
		b.order[i].Expr = gs.lower(b.order[i].Expr)
	}
	if gs.missing != nil && gs.err == nil {
		return b.notInList(gs.missing, b.sorts...)
	}
	return nil
}

// notGrouped refuses aggregates in the clauses of a SELECT that does not group.
func (b *block) notGrouped(s *syntax.Select) error {
	for _, k := range b.order {
		if holdsAggregate(k.Expr) {
			return fail("UNSUPPORTED_EXPR_FOR_OPERATOR", s, "invalidExprSqls", quoteSQL(k.text))
		}
	}
	return b.filterHaving(s)
}

func (b *block) filterHaving(s *syntax.Select) error {
	if b.having.x == nil {
		return nil
	}
	if holdsWindow(b.having.x) {
		return fail("_LEGACY_ERROR_TEMP_1034", nil, "clauseName", "HAVING")
	}
	if t := b.having.x.Type(); t != types.Boolean && t != types.Void {
		x, err := rel.CastTo(b.having.x, types.Boolean, b.a.set)
		if err != nil {
			return argError(err, s, b.having.text, []term{b.having})
		}
		b.having.x = x
	}
	cond, err := b.a.boolean(b.having, b.frame, s)
	b.node = &rel.Filter{In: b.node, Cond: cond}
	return err
}

// windows puts the Window node and QUALIFY on the block.
func (b *block) windows() error {
	w := &rel.Window{In: b.node}
	done := map[string]rel.Computed{}
	for i := range b.items {
		b.items[i].x = takeWindows(b.items[i].x, w, done)
	}
	for i := range b.order {
		b.order[i].Expr = takeWindows(b.order[i].Expr, w, done)
	}
	if b.qualify.x != nil {
		b.qualify.x = takeWindows(b.qualify.x, w, done)
	}
	if len(w.Funcs) > 0 {
		b.node = w
	}
	if b.qualify.x != nil {
		cond, err := b.a.boolean(b.qualify, b.frame, nil)
		if err != nil {
			return err
		}
		b.node = &rel.Filter{In: b.node, Cond: cond}
	}
	return nil
}

// takeWindows moves the window functions of e to w and reads their columns instead.
func takeWindows(e rel.Expr, w *rel.Window, done map[string]rel.Computed) rel.Expr {
	return rel.RewriteExpr(e, func(x rel.Expr) rel.Expr {
		o, ok := x.(*rel.Over)
		if !ok {
			return x
		}
		key := rel.Key(o)
		c, ok := done[key]
		if !ok {
			c = rel.Computed{Column: rel.Column{ID: rel.NewID(), Name: "window", Type: o.Type(), Nullable: o.Nullable()}, Expr: o}
			done[key] = c
			w.Funcs = append(w.Funcs, c)
		}
		return c.Column.Ref()
	})
}

// project puts the final projection, DISTINCT and the ordering on the block.
func (b *block) project(distinct bool) (relation, error) {
	p := &rel.Project{In: b.node}
	own := map[rel.ID]bool{} // the columns that may keep their number: those of the rows, once each
	for _, c := range b.node.Columns() {
		own[c.ID] = true
	}
	out := map[string]rel.Column{} // rel.Key of an item to its column
	var cols []column
	for _, it := range b.items {
		c := computedItem(it, own)
		p.Cols = append(p.Cols, c)
		cols = append(cols, column{c.Column, it.qual})
		if key := rel.Key(it.x); out[key].ID == 0 {
			out[key] = c.Column
		}
	}
	for _, c := range cols {
		if distinct && holdsMap(c.Type) {
			return relation{}, fail("UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE", nil, "colName", types.Quote(c.Name), "dataType", typeSQL(c.Type))
		}
	}
	if len(b.order) == 0 {
		return relation{node: unique(p, distinct), cols: cols}, nil
	}
	sort := &rel.Sort{By: make([]rel.Order, len(b.order))}
	for i, k := range b.order {
		sort.By[i] = k.Order
		e, whole := overOutput(k.Expr, out)
		sort.By[i].Expr = e
		if whole {
			continue
		}
		if distinct {
			return relation{}, b.a.unresolved([]string{k.text}, &frame{cols: cols}, nil)
		}
		hidden := rel.Column{ID: rel.NewID(), Name: "order", Type: k.Expr.Type(), Nullable: k.Expr.Nullable()}
		p.Cols = append(p.Cols, rel.Computed{Column: hidden, Expr: k.Expr})
		sort.By[i].Expr = hidden.Ref()
	}
	sort.In = unique(p, distinct)
	return relation{node: sort, cols: cols}, nil
}

// unique is n without duplicate rows.
func unique(n rel.Node, distinct bool) rel.Node {
	if !distinct {
		return n
	}
	g := &rel.Aggregate{In: n}
	for _, c := range n.Columns() {
		g.Keys = append(g.Keys, rel.Computed{Column: c, Expr: c.Ref()})
	}
	return g
}
