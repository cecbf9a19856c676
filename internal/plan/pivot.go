package plan

import (
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// pivot turns the values of a column into columns. First the rows are grouped by the pivot columns and all
// columns that nothing speaks of; then each value's group gives the columns of that value.
func (a *analyzer) pivot(in relation, p *syntax.Pivot, outer *frame) (relation, error) {
	f := &frame{outer: outer, cols: in.cols, hidden: in.hidden}
	keys, key, err := a.pivotKey(p, f)
	if err != nil {
		return relation{}, err
	}
	aggs, err := a.pivotAggs(p, f)
	if err != nil {
		return relation{}, err
	}
	values, err := a.pivotValues(p, key, f)
	if err != nil {
		return relation{}, err
	}
	used := map[rel.ID]bool{}
	for _, t := range append(slices.Clone(keys), aggs...) {
		rel.WalkExpr(t.x, func(x rel.Expr) bool {
			if c, ok := x.(*rel.Col); ok {
				used[c.ID] = true
			}
			return true
		})
	}
	var g grouping
	for _, c := range in.cols {
		if !used[c.ID] {
			g.keys = append(g.keys, term{x: c.Ref(), text: c.Name, qual: c.qual})
		}
	}
	return a.spread(in, g, key, aggs, values)
}

// pivotKey is the pivot column, or the struct of several.
func (a *analyzer) pivotKey(p *syntax.Pivot, f *frame) ([]term, term, error) {
	var keys []term
	for _, id := range p.Columns {
		t, err := a.columnRef(&syntax.ColumnRef{Span: id.Span, Parts: []*syntax.Ident{id}}, f)
		if err != nil {
			return nil, term{}, err
		}
		keys = append(keys, t)
	}
	key := keys[0]
	if len(keys) > 1 {
		var err error
		if key, err = a.structOf(keys, p); err != nil {
			return nil, term{}, err
		}
	}
	if !orderable(key.x.Type()) {
		return nil, term{}, fail("INCOMPARABLE_PIVOT_COLUMN", nil, "columnName", types.Quote(p.Columns[0].Name))
	}
	return keys, key, nil
}

func (a *analyzer) pivotAggs(p *syntax.Pivot, f *frame) ([]term, error) {
	var out []term
	for _, n := range p.Aggs {
		t, err := a.expr(n.X, f)
		if err != nil {
			return nil, err
		}
		if !holdsAggregate(t.x) {
			return nil, fail("_LEGACY_ERROR_TEMP_1006", nil, "sql", t.full())
		}
		if len(n.Aliases) == 1 {
			t.name = n.Aliases[0].Name
		}
		out = append(out, t)
	}
	return out, nil
}

// pivotValue is a value of the pivot column and the name of its columns.
type pivotValue struct {
	x    rel.Expr
	name string
}

func (a *analyzer) pivotValues(p *syntax.Pivot, key term, f *frame) ([]pivotValue, error) {
	var out []pivotValue
	for _, n := range p.Values {
		t, err := a.expr(n.X, f)
		if err != nil {
			return nil, err
		}
		if !foldable(t.x) {
			return nil, fail("NON_LITERAL_PIVOT_VALUES", nil, "expression", quoteSQL(t.text))
		}
		x, ok := rel.ImplicitCast(t.x, key.x.Type(), a.set)
		if !ok && sameShape(t.x.Type(), key.x.Type()) {
			x, ok = a.to(t.x, key.x.Type()), true
		}
		if !ok {
			return nil, fail("PIVOT_VALUE_DATA_TYPE_MISMATCH", nil, "value", t.text, "valueType", t.x.Type().String(), "pivotType", key.x.Type().String())
		}
		name := pivotName(n.X, t)
		if len(n.Aliases) == 1 {
			name = n.Aliases[0].Name
		}
		out = append(out, pivotValue{x, name})
	}
	return out, nil
}

// sameShape reports whether two structs differ in the names of their fields alone.
func sameShape(a, b types.Type) bool {
	x, ok1 := a.(types.Struct)
	y, ok2 := b.(types.Struct)
	if !ok1 || !ok2 || len(x.Fields) != len(y.Fields) {
		return false
	}
	for i := range x.Fields {
		if !types.Equal(x.Fields[i].Type, y.Fields[i].Type) {
			return false
		}
	}
	return true
}

// pivotName is the text of a value as a cast to string gives it.
func pivotName(e syntax.Expr, t term) string {
	if r, ok := e.(*syntax.Row); ok {
		parts := make([]string, len(r.Elems))
		call, _ := t.x.(*rel.Call)
		for i := range r.Elems {
			if call != nil && len(call.Args) == 2*len(r.Elems) {
				parts[i] = bareText(call.Args[2*i+1])
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if _, ok := t.x.(*rel.Lit); ok {
		return bareText(t.x)
	}
	return t.text
}

// bareText is a constant without the word for its type.
func bareText(e rel.Expr) string {
	l, ok := e.(*rel.Lit)
	if !ok {
		return ""
	}
	if l.Value == nil {
		return "null"
	}
	s := (&analyzer{}).text(l)
	if i := strings.IndexByte(s, '\''); i > 0 && l.T != types.String {
		return strings.TrimSuffix(s[i+1:], "'")
	}
	return s
}

// spread groups by keys and the pivot column, and then gives each value its columns.
func (a *analyzer) spread(in relation, g grouping, key term, aggs []term, values []pivotValue) (relation, error) {
	fine := g
	fine.keys = append(slices.Clone(g.keys), key)
	inner := a.newGroups(in.node, fine)
	p := &rel.Project{}
	for _, k := range inner.node.Keys {
		p.Cols = append(p.Cols, rel.Computed{Column: k.Column, Expr: k.Ref()})
	}
	var results []rel.Column
	for _, t := range aggs {
		c := rel.NewColumn(t.label(), t.x.Type())
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: inner.lower(t.x)})
		results = append(results, c)
	}
	p.In = inner.node
	if inner.missing != nil {
		return relation{}, fail("MISSING_AGGREGATION", nil, "expression", quoteSQL(inner.missing.Name),
			"expressionAnyValue", quoteSQL("any_value("+inner.missing.Name+")"))
	}
	outer := &rel.Aggregate{In: p}
	var cols []column
	for i, k := range g.keys {
		c := rel.Column{ID: rel.NewID(), Name: k.label(), Type: k.x.Type(), Nullable: k.x.Nullable()}
		outer.Keys = append(outer.Keys, rel.Computed{Column: c, Expr: p.Cols[i].Ref()})
		cols = append(cols, column{c, nil})
	}
	pivot := p.Cols[len(g.keys)].Column
	for _, v := range values {
		for i, r := range results {
			c, err := a.valueColumn(v, pivot, r, len(results) > 1, aggs[i])
			if err != nil {
				return relation{}, err
			}
			outer.Aggs = append(outer.Aggs, c)
			cols = append(cols, column{c.Column, nil})
		}
	}
	return relation{node: outer, cols: cols}, nil
}

// valueColumn is the result r of the group whose pivot column has the value v.
func (a *analyzer) valueColumn(v pivotValue, pivot, r rel.Column, several bool, agg term) (rel.Computed, error) {
	match, err := a.apply("<=>", "", nil, term{x: pivot.Ref()}, term{x: v.x})
	if err != nil {
		return rel.Computed{}, err
	}
	first, err := a.apply("first", "", nil, term{x: r.Ref()})
	if err != nil {
		return rel.Computed{}, err
	}
	x, err := filtered(first.x, match.x, nil)
	name := v.name
	if several {
		name += "_" + agg.label()
	}
	return rel.Computed{Column: rel.NewColumn(name, r.Type), Expr: x}, err
}

// unpivot turns columns into rows: one row per set of columns, with the set's name.
func (a *analyzer) unpivot(in relation, u *syntax.Unpivot, outer *frame) (relation, error) {
	f := &frame{outer: outer, cols: in.cols, hidden: in.hidden}
	used := map[rel.ID]bool{}
	var sets [][]term
	for _, s := range u.Sets {
		var ts []term
		for _, n := range s.Columns {
			t, err := a.columnRef(&syntax.ColumnRef{Span: n.Span, Parts: n.Parts}, f)
			if err != nil {
				return relation{}, err
			}
			if c, ok := t.x.(*rel.Col); ok {
				used[c.ID] = true
			}
			ts = append(ts, t)
		}
		sets = append(sets, ts)
	}
	args := []term{{x: intLit(int64(len(sets))), text: itoa(len(sets))}}
	for i, s := range u.Sets {
		args = append(args, term{x: stringLit(unpivotName(s, sets[i]))})
		args = append(args, sets[i]...)
	}
	types, err := a.unpivotTypes(u, sets)
	if err != nil {
		return relation{}, err
	}
	for i := range args[1:] {
		if k := i % (len(u.ValueColumns) + 1); k > 0 {
			args[i+1].x = a.to(args[i+1].x, types[k-1])
		}
	}
	t, err := a.apply("stack", "stack()", u, args...)
	if err != nil {
		return relation{}, err
	}
	names := []string{u.NameColumn.Name}
	for _, id := range u.ValueColumns {
		names = append(names, id.Name)
	}
	made, err := generated(t.x.(*rel.Call), names, u)
	if err != nil {
		return relation{}, err
	}
	return a.unpivoted(in, u, t.x.(*rel.Call), made, used)
}

// unpivoted keeps the columns that were not turned to rows, and leaves out rows of NULLs unless asked for.
func (a *analyzer) unpivoted(in relation, u *syntax.Unpivot, fn *rel.Call, made []rel.Column, used map[rel.ID]bool) (relation, error) {
	out := relation{node: &rel.Generate{In: in.node, Fn: fn, Cols: made}}
	for _, c := range in.cols {
		if !used[c.ID] {
			out.cols = append(out.cols, column{c.Column, nil})
		}
	}
	out.cols = append(out.cols, plain(made)...)
	if u.Nulls != "INCLUDE" {
		var cond term
		for i, c := range made[1:] {
			t, err := a.apply("isnotnull", "", u, term{x: c.Ref()})
			if err == nil && i > 0 {
				t, err = a.apply("or", "", u, cond, t)
			}
			if err != nil {
				return out, err
			}
			cond = t
		}
		out.node = &rel.Filter{In: out.node, Cond: cond.x}
	}
	if u.Alias != nil {
		return out.named(u.Alias.Name), nil
	}
	return out, nil
}

func unpivotName(s *syntax.UnpivotSet, cols []term) string {
	if s.Alias != nil {
		return s.Alias.Name
	}
	names := make([]string, len(cols))
	for i, t := range cols {
		names[i] = t.label()
	}
	return strings.Join(names, "_")
}

func (a *analyzer) unpivotTypes(u *syntax.Unpivot, sets [][]term) ([]types.Type, error) {
	var out []types.Type
	for i := range u.ValueColumns {
		var ts []types.Type
		for _, s := range sets {
			if len(s) != len(u.ValueColumns) {
				return nil, fail("UNPIVOT_VALUE_SIZE_MISMATCH", u, "names", itoa(len(u.ValueColumns)))
			}
			ts = append(ts, s[i].x.Type())
		}
		t, ok := rel.CommonType(ts, a.set)
		if !ok {
			return nil, fail("UNPIVOT_VALUE_DATA_TYPE_MISMATCH", u, "types", typeSQL(ts[0]))
		}
		out = append(out, t)
	}
	return out, nil
}
