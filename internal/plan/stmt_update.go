package plan

import (
	"context"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Delete plans DELETE FROM, and with a nil condition TRUNCATE.
func Delete(ctx context.Context, where syntax.Expr, alias *syntax.TableAlias, t Target, s Scope) (Write, error) {
	if isTrue(t.Meta.Properties["delta.appendOnly"]) {
		return Write{}, appendOnly(t)
	}
	table := t.read(true)
	in := []Input{{t.qualifier(alias), table.Cols}}
	text, err := predicates(ctx, where, in, s)
	if err != nil {
		return Write{}, err
	}
	w := Write{Operation: lake.Operation{Name: "DELETE", Parameters: []lake.Parameter{{Key: "predicate", Value: text}}}}
	if where == nil {
		w.Change = lake.Overwrite{Rows: &rel.Values{Cols: table.Cols}, Columns: ids(table.Cols), Target: table.Cols}
		return w, nil
	}
	cond, err := Condition(ctx, where, in, s)
	if err != nil {
		return Write{}, err
	}
	if len(rel.Subqueries(cond)) == 0 { // the table removes whole files and partitions without reading them
		w.Change = lake.Overwrite{Rows: &rel.Values{Cols: table.Cols}, Columns: ids(table.Cols), Where: cond, Target: table.Cols}
		return w, nil
	}
	e := edit(table)
	e.Where = over(cond, table.Cols)
	e.Rows = &rel.Project{In: &rel.Filter{In: table, Cond: cond}, Cols: append([]rel.Computed{
		{Column: opColumn(e), Expr: opLit("D")}, {Column: rowColumn(e, table), Expr: table.RowID.Ref()}}, nulls(e, table.Cols)...)}
	w.Change = e
	return w, nil
}

// Update plans UPDATE.
func Update(ctx context.Context, st *syntax.Update, t Target, s Scope) (Write, error) {
	if isTrue(t.Meta.Properties["delta.appendOnly"]) {
		return Write{}, appendOnly(t)
	}
	table := t.read(true)
	in := []Input{{t.qualifier(st.Alias), table.Cols}}
	f := newFitter(ctx, s, t, t.Meta.Schema, true)
	f.explicit = f.explicit || t.hudi()
	set, err := f.assignments(st.Set, in, in[0], "UPDATE")
	if err != nil {
		return Write{}, err
	}
	var from rel.Node = table
	var cond rel.Expr
	if st.Where != nil {
		if cond, err = Condition(ctx, st.Where, in, s); err != nil {
			return Write{}, err
		}
		from = &rel.Filter{In: table, Cond: cond}
	}
	e := edit(table)
	stored, beside := t.stored(table.Cols)
	keep := []rel.Column{*table.RowID}
	for i, id := range stored {
		if id != 0 {
			keep = append(keep, table.Cols[i])
		}
	}
	fit, err := f.fit(from, f.recompute(set, table.Cols), keep, nil)
	if err != nil {
		return Write{}, err
	}
	text, err := predicates(ctx, st.Where, in, s)
	if err != nil {
		return Write{}, err
	}
	e.Where, e.Columns, e.Stored = over(cond, table.Cols), ids(fit.columns), stored
	out := &rel.Project{In: fit.node, Cols: append([]rel.Computed{
		{Column: opColumn(e), Expr: opLit("U")}, {Column: rowColumn(e, table), Expr: table.RowID.Ref()}}, beside...)}
	for _, c := range fit.columns {
		out.Cols = append(out.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	e.Rows, e.Twice = out, errTwice
	e.Kept = make([]bool, len(fit.columns))
	for i := range e.Kept {
		e.Kept[i] = i < len(set) && set[i] == nil
	}
	return Write{Change: e, Narrowing: f.narrowing,
		Operation: lake.Operation{Name: "UPDATE", Parameters: []lake.Parameter{{Key: "predicate", Value: text}}}}, nil
}

// edit is an Edit with numbers for its columns.
func edit(t *rel.Table) lake.Edit {
	return lake.Edit{Op: rel.NewID(), RowID: rel.NewID(), Columns: newIDs(len(t.Cols)), Target: t.Cols}
}

// stored gives a column for what a stored row has in each of those by which a Hudi table orders rows, by the number of the column.
func (t Target) stored(cols []rel.Column) ([]rel.ID, []rel.Computed) {
	by := t.Meta.Properties["preCombineField"]
	if !t.hudi() || by == "" {
		return nil, nil
	}
	out, beside := make([]rel.ID, len(cols)), []rel.Computed(nil)
	for i, c := range cols {
		if slices.ContainsFunc(strings.Split(by, ","), func(name string) bool { return strings.EqualFold(name, c.Name) }) {
			was := rel.Column{ID: rel.NewID(), Name: "stored", Type: c.Type, Nullable: true}
			out[i], beside = was.ID, append(beside, rel.Computed{Column: was, Expr: c.Ref()})
		}
	}
	return out, beside
}

func newIDs(n int) []rel.ID {
	out := make([]rel.ID, n)
	for i := range out {
		out[i] = rel.NewID()
	}
	return out
}

func opColumn(e lake.Edit) rel.Column {
	return rel.Column{ID: e.Op, Name: "op", Type: types.String, Nullable: true}
}

func rowColumn(e lake.Edit, t *rel.Table) rel.Column {
	return rel.Column{ID: e.RowID, Name: "row", Type: t.RowID.Type, Nullable: true}
}

// nulls are the values of rows that are only removed.
func nulls(e lake.Edit, cols []rel.Column) []rel.Computed {
	var out []rel.Computed
	for i, c := range cols {
		out = append(out, rel.Computed{Column: rel.Column{ID: e.Columns[i], Name: c.Name, Type: c.Type, Nullable: true},
			Expr: &rel.Lit{T: c.Type}})
	}
	return out
}

// assignments gives the new value of each column of the table, nil where it keeps its own. in are the columns that
// values may speak of, target those of the table.
func (f *fitter) assignments(set []*syntax.Assignment, in []Input, target Input, statement string) ([]rel.Expr, error) {
	out := make([]rel.Expr, len(f.schema.Fields))
	whole := map[int]bool{}
	for _, a := range set {
		path, err := f.path(a.Target, target.Qualifier, target.Columns)
		if err != nil {
			return nil, err
		}
		i := path[0]
		if whole[i] || len(path) == 1 && out[i] != nil {
			return nil, fail("DELTA_CONFLICT_SET_COLUMN", a, "columnList", quoteName(a.Target.Strings()...))
		}
		field := f.schema.Fields[i]
		if len(path) == 1 {
			whole[i] = true
			out[i], err = f.assigned(a.Value, field, in)
		} else {
			base := out[i]
			if base == nil {
				base = target.Columns[i].Ref()
			}
			out[i], err = f.setPart(base, path[1:], a.Value, in)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// path gives the indexes of the column and the struct fields that a name means.
func (f *fitter) path(n *syntax.Name, qualifier lake.Ident, cols []rel.Column) ([]int, error) {
	parts := n.Strings()
	i := f.schema.Index(parts[0])
	for k := len(qualifier); i < 0 && k > 0; k-- { // the name may start with the table's
		tail := qualifier[len(qualifier)-k:]
		if len(parts) > k && equalFold(parts[:k], tail) {
			parts = parts[k:]
			i = f.schema.Index(parts[0])
		}
	}
	if i < 0 || i >= len(cols) {
		return nil, unresolved(parts[0], f.schema, n)
	}
	out := []int{i}
	t := f.schema.Fields[i].Type
	for _, p := range parts[1:] {
		s, ok := t.(types.Struct)
		if !ok {
			return nil, fail("DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE", n, "column", quoteName(parts...))
		}
		j := s.Index(p)
		if j < 0 {
			return nil, unresolved(p, s, n)
		}
		out, t = append(out, j), s.Fields[j].Type
	}
	return out, nil
}

func equalFold(a, b []string) bool {
	for i := range a {
		if !strings.EqualFold(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// assigned is an expression of the statement as column c holds it.
func (f *fitter) assigned(e syntax.Expr, c types.Field, in []Input) (rel.Expr, error) {
	if IsDefault(e) {
		return f.defaultOf(c)
	}
	x, err := Expr(f.ctx, e, in, f.scope)
	if err != nil {
		return nil, err
	}
	text, err := Text(f.ctx, e, in, f.scope)
	if err != nil {
		return nil, err
	}
	return f.cast(x, c.Name, c.Type, text)
}

// setPart is the struct x with the field at path replaced.
func (f *fitter) setPart(x rel.Expr, path []int, value syntax.Expr, in []Input) (rel.Expr, error) {
	s := x.Type().(types.Struct)
	names, values := make([]string, len(s.Fields)), make([]rel.Expr, len(s.Fields))
	for i, field := range s.Fields {
		names[i] = field.Name
		part := &rel.Field{X: x, Index: i}
		values[i] = part
		if i != path[0] {
			continue
		}
		var err error
		if len(path) == 1 {
			values[i], err = f.assigned(value, field, in)
		} else {
			values[i], err = f.setPart(part, path[1:], value, in)
		}
		if err != nil {
			return nil, err
		}
	}
	return f.cast(rel.NewStruct(names, values), "", s, "")
}

// recompute fills in the columns that no assignment names: their own values, and nil for generated ones, which follow
// the columns that they are made of.
func (f *fitter) recompute(set []rel.Expr, own []rel.Column) []rel.Expr {
	out := make([]rel.Expr, len(set))
	for i, x := range set {
		_, made := f.schema.Fields[i].Metadata.Text(GeneratedKey)
		switch {
		case x != nil:
			out[i] = x
		case i < len(own) && !made:
			out[i] = own[i].Ref()
		case !made:
			out[i] = &rel.Lit{T: f.schema.Fields[i].Type}
		}
	}
	return out
}
