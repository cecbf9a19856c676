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

// item is one column of the SELECT list, before its name is final.
type item struct {
	term
	name  string
	names []string // of a generator: AS (a, b)
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

// list analyses the SELECT list. Each alias can be used by the items behind it.
func (b *block) list(items []*syntax.NamedExpr) error {
	for _, n := range items {
		if s, ok := n.X.(*syntax.Star); ok {
			b.starred = true
			cols, err := b.a.star(s, b.frame)
			if err != nil {
				return err
			}
			for _, t := range cols {
				b.items = append(b.items, item{term: t, name: t.label()})
			}
			continue
		}
		t, err := b.a.expr(n.X, b.frame)
		if err != nil {
			return err
		}
		it := item{term: t, name: t.label()}
		switch {
		case len(n.Aliases) == 1 && !n.Parens:
			if it.name, err = b.a.aliasName(n.Aliases[0]); err != nil {
				return err
			}
			it.names = []string{it.name}
			it.qual = nil
			i := len(b.items)
			b.frame.aliases = append(b.frame.aliases, alias{it.name, t, func() rel.Expr { return b.computeOnce(i) }})
		case len(n.Aliases) > 0:
			for _, id := range n.Aliases {
				it.names = append(it.names, id.Name)
			}
		case t.name != "" && len(t.qual) == 0: // a field's name serves as an alias
			b.frame.aliases = append(b.frame.aliases, alias{name: t.name, term: t})
		}
		b.items = append(b.items, it)
	}
	return nil
}

// computeOnce moves the value of an item below the SELECT list, where other items can read it too.
func (b *block) computeOnce(i int) rel.Expr {
	x := b.items[i].x
	if _, done := x.(*rel.Col); done || holdsAggregate(x) || holdsWindow(x) || generatorIn(x) != nil {
		return x
	}
	c := rel.Column{ID: rel.NewID(), Name: b.items[i].name, Type: x.Type(), Nullable: x.Nullable()}
	p := &rel.Project{In: b.node}
	for _, own := range b.node.Columns() {
		p.Cols = append(p.Cols, rel.Computed{Column: own, Expr: own.Ref()})
	}
	p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: x})
	b.node = p
	b.items[i].x = c.Ref()
	return b.items[i].x
}

// aliasName is the name of an alias, which may be IDENTIFIER('…') of one part.
func (a *analyzer) aliasName(id *syntax.Ident) (string, error) {
	parts, err := a.names([]*syntax.Ident{id})
	if err != nil {
		return "", err
	}
	if len(parts) > 1 {
		return "", fail("IDENTIFIER_TOO_MANY_NAME_PARTS", id, "identifier", quoteName(parts...), "limit", "1")
	}
	return parts[0], nil
}

// star is the columns that * or t.* or s.* stands for.
func (a *analyzer) star(s *syntax.Star, f *frame) ([]term, error) {
	qualifier, err := a.names(s.Qualifier)
	if err != nil {
		return nil, err
	}
	var out []term
	for g := f; g != nil && len(out) == 0; g = g.outer {
		cols := g.cols
		if len(qualifier) > 0 {
			cols = slices.Concat(g.hidden, g.cols)
		}
		for _, c := range cols {
			if c.matches(qualifier, a.sameName) {
				t := term{x: c.Ref(), text: c.Name, qual: c.qual}
				out = append(out, a.crossing(t, f, g))
			}
		}
		if len(qualifier) == 0 && (g.items == nil && g.params == nil) {
			break
		}
	}
	if len(out) == 0 && len(qualifier) > 0 {
		if out, err = a.structStar(s, qualifier, f); err != nil {
			return nil, err
		}
	}
	return a.except(out, s, f)
}

func (a *analyzer) structStar(s *syntax.Star, qualifier []string, f *frame) ([]term, error) {
	t, err := a.columnRef(&syntax.ColumnRef{Span: s.Span, Parts: s.Qualifier}, f)
	st, ok := types.Struct{}, false
	if err == nil {
		st, ok = t.x.Type().(types.Struct)
	}
	if !ok {
		names := make([]string, len(f.cols))
		for i, c := range f.cols {
			names[i] = types.Quote(c.Name)
		}
		return nil, fail("CANNOT_RESOLVE_STAR_EXPAND", s, "targetString", quoteName(qualifier...), "columns", strings.Join(names, ", "))
	}
	var out []term
	for i, field := range st.Fields {
		out = append(out, term{x: &rel.Field{X: t.x, Index: i}, text: t.text + "." + field.Name, name: field.Name})
	}
	return out, nil
}

// except leaves out the columns of EXCEPT (…).
func (a *analyzer) except(cols []term, s *syntax.Star, f *frame) ([]term, error) {
	for _, n := range s.Except {
		name := n.Strings()
		at := slices.IndexFunc(cols, func(t term) bool {
			return len(name) > 0 && a.sameName(t.label(), name[len(name)-1]) && column{qual: t.qual}.matches(name[:len(name)-1], a.sameName)
		})
		if at < 0 {
			if i := a.structIn(cols, name); i >= 0 {
				t, err := a.withoutField(cols[i], name[1:], n)
				if err != nil {
					return nil, err
				}
				cols[i] = t
				continue
			}
			return nil, a.unresolved(name, f, n)
		}
		cols = slices.Delete(slices.Clone(cols), at, at+1)
	}
	return cols, nil
}

func (a *analyzer) structIn(cols []term, name []string) int {
	return slices.IndexFunc(cols, func(t term) bool {
		_, ok := t.x.Type().(types.Struct)
		return ok && len(name) > 1 && a.sameName(t.label(), name[0])
	})
}

// withoutField is the struct t without the field that path leads to.
func (a *analyzer) withoutField(t term, path []string, at syntax.Node) (term, error) {
	st, ok := t.x.Type().(types.Struct)
	if !ok {
		return t, fail("EXCEPT_NESTED_COLUMN_INVALID_TYPE", at, "columnName", t.label(), "dataType", t.x.Type().String())
	}
	drop, err := a.fieldIndex(st, path[0], at)
	if err != nil {
		return t, err
	}
	var pairs []term
	for i, f := range st.Fields {
		field := term{x: &rel.Field{X: t.x, Index: i}, text: t.text + "." + f.Name, name: f.Name}
		if i == drop {
			if len(path) == 1 {
				continue
			}
			if field, err = a.withoutField(field, path[1:], at); err != nil {
				return t, err
			}
		}
		pairs = append(pairs, term{x: stringLit(f.Name), text: f.Name}, field)
	}
	out, err := a.apply("named_struct", "named_struct("+texts(pairs)+")", at, pairs...)
	out.name = t.label()
	return out, err
}

// itemNamed is the item of the SELECT list that e, a plain name, names.
func (a *analyzer) itemNamed(e syntax.Expr, b *block) (item, bool) {
	c, ok := e.(*syntax.ColumnRef)
	if !ok || len(c.Parts) != 1 {
		return item{}, false
	}
	parts, err := a.names(c.Parts)
	if err != nil {
		return item{}, false
	}
	for _, it := range b.items {
		if a.sameName(it.name, parts[0]) {
			return it, true
		}
	}
	return item{}, false
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

// aggregate puts the Aggregate node and HAVING on the block, when it groups.
func (b *block) aggregate(s *syntax.Select, g grouping) error {
	grouped := s.GroupBy != nil || s.Having != nil && !isTrue(b.a.scope.Setting("spark.sql.legacy.parser.havingWithoutGroupByAsWhere"))
	for _, it := range b.items {
		grouped = grouped || holdsAggregate(it.x) || holdsOuterAggregate(it.x)
	}
	if !grouped {
		return b.notGrouped(s)
	}
	gs := b.a.newGroups(b.node, g)
	b.written = slices.Clone(b.items)
	for i := range b.items {
		b.items[i].x = gs.lower(b.items[i].x)
	}
	having := b.having.x
	if b.having.x != nil && gs.missing == nil {
		b.having.x = gs.lower(b.having.x)
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
	if gs.missing == nil {
		for i := range b.order {
			b.order[i].Expr = gs.lower(b.order[i].Expr)
		}
		if gs.missing != nil && gs.err == nil {
			return b.notInList(gs.missing, b.sorts...)
		}
	}
	if gs.err != nil {
		return gs.err
	}
	if gs.missing != nil {
		if s.GroupBy == nil {
			return fail("MISSING_GROUP_BY", s)
		}
		name := gs.missing.Name
		return fail("MISSING_AGGREGATION", nil, "expression", quoteSQL(name), "expressionAnyValue", quoteSQL("any_value("+name+")"))
	}
	b.node = gs.rows()
	return b.filterHaving(s)
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

// computedItem is an item as a column of the projection: a column that passes keeps its number.
func computedItem(it item, own map[rel.ID]bool) rel.Computed {
	c := rel.Column{ID: rel.NewID(), Name: it.name, Type: it.x.Type(), Nullable: it.x.Nullable()}
	if col, ok := it.x.(*rel.Col); ok {
		c.Metadata = col.Metadata
		if own[col.ID] && strings.EqualFold(col.Name, it.name) {
			c.ID = col.ID
			delete(own, col.ID)
		}
	}
	return rel.Computed{Column: c, Expr: it.x}
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
