package plan

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Insert plans an INSERT into a table that is there.
func Insert(ctx context.Context, st *syntax.Insert, options Options, t Target, s Scope) (Write, error) {
	q, err := fillDefaults(st, t)
	if err != nil {
		return Write{}, err
	}
	rows, err := Query(ctx, q, s)
	if err != nil {
		return Write{}, err
	}
	store := Store{Rows: rows, Mode: "Append", ByName: st.ByName, Columns: st.Columns, Static: st.Partition,
		Options: options, Evolve: st.Evolve || isTrue(s.Setting("spark.databricks.delta.schema.autoMerge.enabled")),
		Dynamic: strings.EqualFold(overwriteMode(t, s), "dynamic")}
	if st.Overwrite {
		store.Mode = "Overwrite"
	}
	if st.ReplaceWhere != nil {
		store.Mode, store.Where = "Overwrite", st.ReplaceWhere
		if store.WhereText, err = Text(ctx, st.ReplaceWhere, []Input{{t.qualifier(nil), t.read(false).Cols}}, s); err != nil {
			return Write{}, err
		}
	}
	if st.ReplaceUsing != nil {
		store.Mode = "Overwrite"
		for _, c := range st.ReplaceUsing {
			store.Using = append(store.Using, c.Name)
		}
	}
	if st.ReplaceOn != nil {
		return Write{}, unsupported("INSERT … REPLACE ON; the writer option replaceOn", st)
	}
	return Save(ctx, store, t, s)
}

// overwriteMode says whether INSERT OVERWRITE takes the place of the whole table or of the partitions that it gives rows to: Hudi has a setting
// of its own for it (ProvidesHoodieConfig).
func overwriteMode(t Target, s Scope) string {
	if t.Format == "hudi" {
		if mode := s.Setting("hoodie.datasource.overwrite.mode"); mode != "" {
			return mode
		}
	}
	return s.Setting("spark.sql.sources.partitionOverwriteMode")
}

// fillDefaults puts the defaults of columns in the place of DEFAULT in VALUES.
func fillDefaults(st *syntax.Insert, t Target) (*syntax.Query, error) {
	q := st.Query
	if st.With != nil && q.With == nil {
		c := *q
		c.With = st.With
		q = &c
	}
	values, ok := q.Body.(*syntax.Values)
	if !ok {
		return q, nil
	}
	order := insertOrder(st.Columns, st.Partition, t.Meta)
	rows, err := defaultRows(values.Rows, order, t.Meta.Schema)
	if err != nil || rows == nil {
		return q, err
	}
	v, c := *values, *q
	v.Rows, c.Body = rows, &v
	return &c, nil
}

// defaultRows is rows without DEFAULT; nil when there was none.
func defaultRows(rows []syntax.Expr, order []int, s types.Struct) ([]syntax.Expr, error) {
	var out []syntax.Expr
	changed := false
	for _, r := range rows {
		elems := []syntax.Expr{r}
		row, many := r.(*syntax.Row)
		if many {
			elems = slices.Clone(row.Elems)
		}
		for i, e := range elems {
			if !IsDefault(e) || i >= len(order) {
				continue
			}
			x, err := defaultSyntax(s.Fields[order[i]], e)
			if err != nil {
				return nil, err
			}
			elems[i], changed = x, true
		}
		if many {
			c := *row
			c.Elems = elems
			out = append(out, &c)
		} else {
			out = append(out, elems[0])
		}
	}
	if !changed {
		return nil, nil
	}
	return out, nil
}

// IsDefault reports whether e is the word DEFAULT.
func IsDefault(e syntax.Expr) bool {
	c, ok := e.(*syntax.ColumnRef)
	return ok && len(c.Parts) == 1 && !c.Parts[0].Quoted && strings.EqualFold(c.Parts[0].Name, "default")
}

// defaultSyntax is the default of a column as an expression of the statement.
func defaultSyntax(f types.Field, at syntax.Node) (syntax.Expr, error) {
	text, ok := f.Metadata.Text(DefaultKey)
	if !ok {
		return &syntax.NullLit{Span: syntax.Span{From: at.Pos(), To: at.End()}}, nil
	}
	return syntax.ParseExpr(text)
}

// insertOrder gives, for each value of a row, the column of the table that it goes to.
func insertOrder(columns []*syntax.Ident, part *syntax.PartitionSpec, m *lake.Meta) []int {
	var out []int
	if columns != nil {
		for _, c := range columns {
			out = append(out, m.Schema.Index(c.Name))
		}
		return out
	}
	inSpec := map[int]bool{}
	var dynamic []int
	if part != nil {
		for _, it := range part.Items {
			i := m.Schema.Index(it.Column.Name)
			inSpec[i] = true
			if it.Value == nil {
				dynamic = append(dynamic, i)
			}
		}
	}
	for i := range m.Schema.Fields {
		if !inSpec[i] {
			out = append(out, i)
		}
	}
	return append(out, dynamic...)
}

// evolveInsert is evolve by the rules of INSERT: it finds the column of each value, and adds columns where allowed.
func (p *storing) evolveInsert(rows types.Struct) error {
	if err := p.checkColumns(); err != nil {
		return err
	}
	p.schema.Fields = slices.Clone(p.schema.Fields)
	if p.ByName {
		return p.evolveByName(rows)
	}
	n := len(insertOrder(p.Columns, p.Static, p.t.Meta))
	have := len(rows.Fields)
	switch {
	case have > n && p.mergeSchema && p.Columns == nil:
		for _, f := range rows.Fields[n:] {
			p.schema.Fields = append(p.schema.Fields, fresh(f))
		}
		return checkNames(p.schema, p.t.Meta, p.t.Format, "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE")
	case have > n && p.t.delta() && p.Columns == nil:
		return mismatch("the rows have " + strconv.Itoa(have) + " columns and the table " + strconv.Itoa(n))
	case have == n:
		return nil
	case p.t.delta() && p.Columns == nil:
		return fail("DELTA_INSERT_COLUMN_ARITY_MISMATCH", nil, "tableName", p.t.text(), "columnName", "not enough columns",
			"numColumns", strconv.Itoa(n), "insertColumns", strconv.Itoa(have))
	}
	class := "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"
	if have > n {
		class = "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
	}
	return fail(class, nil, "tableName", p.t.text(), "tableColumns", p.targetNames(), "dataColumns", quotedNames(rows))
}

func (p *storing) targetNames() string {
	if p.Columns == nil {
		return quotedNames(p.t.Meta.Schema)
	}
	var names []string
	for _, c := range p.Columns {
		names = append(names, quoteName(c.Name))
	}
	return strings.Join(names, ", ")
}

func quotedNames(s types.Struct) string {
	var names []string
	for _, f := range s.Fields {
		names = append(names, quoteName(f.Name))
	}
	return strings.Join(names, ", ")
}

// checkColumns checks the column list and the PARTITION clause.
func (p *storing) checkColumns() error {
	seen := map[int]bool{}
	for _, c := range p.Columns {
		i, err := p.t.columnOf(c.Name, c)
		if err != nil {
			return err
		}
		if seen[i] {
			return fail("COLUMN_ALREADY_EXISTS", c, "columnName", quoteName(strings.ToLower(c.Name)))
		}
		seen[i] = true
	}
	if p.Static == nil {
		return nil
	}
	var bad []string
	for _, it := range p.Static.Items {
		if !slices.ContainsFunc(p.t.Meta.Partition, func(n string) bool { return strings.EqualFold(n, it.Column.Name) }) {
			bad = append(bad, quoteName(it.Column.Name))
		}
	}
	if bad != nil {
		return fail("NON_PARTITION_COLUMN", p.Static, "columnName", strings.Join(bad, ", "))
	}
	return nil
}

func (p *storing) evolveByName(rows types.Struct) error {
	if name, ok := duplicate(rows); ok {
		return fail("COLUMN_ALREADY_EXISTS", nil, "columnName", quoteName(strings.ToLower(name)))
	}
	var extra []string
	for _, f := range rows.Fields {
		if i := p.schema.Index(f.Name); i >= 0 {
			if wide, ok := mergeTypes(p.schema.Fields[i].Type, f.Type, widensAsHudi); ok && p.mergeSchema && p.t.Format == "hudi" {
				p.schema.Fields[i].Type = wide
			}
			continue
		}
		if p.mergeSchema {
			p.schema.Fields = append(p.schema.Fields, fresh(f))
			continue
		}
		extra = append(extra, quoteName(f.Name))
	}
	switch {
	case extra == nil:
		return p.partsByName(rows)
	case p.t.delta():
		return mismatch("the rows have columns that the table lacks: " + strings.Join(extra, ", "))
	}
	return fail("INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS", nil, "tableName", p.t.text(), "extraColumns", strings.Join(extra, ", "))
}

// partsByName refuses structs that lack a field of the column: INSERT BY NAME fills missing columns, not parts.
func (p *storing) partsByName(rows types.Struct) error {
	for _, f := range rows.Fields {
		want, ok := p.schema.Fields[p.schema.Index(f.Name)].Type.(types.Struct)
		have, is := f.Type.(types.Struct)
		if ok && is && len(have.Fields) < len(want.Fields) {
			return fail("DELTA_INSERT_COLUMN_ARITY_MISMATCH", nil, "tableName", p.t.text(), "columnName", f.Name,
				"numColumns", strconv.Itoa(len(want.Fields)), "insertColumns", strconv.Itoa(len(have.Fields)))
		}
	}
	return nil
}

// write plans the change of rows.
func (p *storing) write() (Write, error) {
	f := newFitter(p.ctx, p.scope, p.t, p.schema, p.ByName || p.Merge)
	values, err := p.values(f)
	if err != nil {
		return Write{}, err
	}
	fit, err := f.fit(p.Rows, values, nil, nil)
	if err != nil {
		return Write{}, err
	}
	w := Write{Narrowing: f.narrowing}
	if p.Mode != "Overwrite" || p.t.Of == nil && p.Where != nil {
		w.Change = lake.Append{Rows: fit.node, Columns: ids(fit.columns)}
		return w, nil
	}
	if p.t.Of != nil && (p.Using != nil || p.On != nil) {
		w.Change, err = p.replaceMatching(f, fit)
		return w, err
	}
	over := lake.Overwrite{Rows: fit.node, Columns: ids(fit.columns), Partitions: p.dynamic, Target: p.t.read(false).Cols}
	switch {
	case p.dynamic, p.t.Of == nil:
		over.Partitions = p.dynamic && p.t.Of != nil
	case p.Where != nil:
		err = p.replaceWhere(f, &over, fit)
	case p.Static != nil:
		err = p.replaceStatic(f, &over)
	}
	w.Change = over
	return w, err
}

// values gives the expression of each column of the table.
func (p *storing) values(f *fitter) ([]rel.Expr, error) {
	out := make([]rel.Expr, len(p.schema.Fields))
	for i, c := range p.Rows.Columns() {
		to := -1
		if p.ByName || p.Merge {
			to = p.schema.Index(c.Name)
		} else if order := insertOrder(p.Columns, p.Static, p.t.Meta); i < len(order) {
			to = order[i]
		} else {
			to = len(p.t.Meta.Schema.Fields) + i - len(order)
		}
		field := p.schema.Fields[to]
		x, err := f.cast(c.Ref(), field.Name, field.Type, c.Name)
		if err != nil {
			return nil, err
		}
		out[to] = x
	}
	if p.Static != nil {
		for _, it := range p.Static.Items {
			if it.Value == nil {
				continue
			}
			i := p.schema.Index(it.Column.Name)
			x, err := p.static(f, it, p.schema.Fields[i])
			if err != nil {
				return nil, err
			}
			out[i] = x
		}
	}
	return out, f.fillDefaults(out)
}

// static is the value of a column in PARTITION (…).
func (p *storing) static(f *fitter, it *syntax.PartitionItem, c types.Field) (rel.Expr, error) {
	if IsDefault(it.Value) {
		return f.defaultOf(c)
	}
	x, err := Expr(p.ctx, it.Value, nil, p.scope)
	if err != nil {
		return nil, err
	}
	return f.cast(x, c.Name, c.Type, it.Column.Name)
}

// replaceWhere removes the rows that satisfy the predicate, and lets only such rows in.
func (p *storing) replaceWhere(f *fitter, over *lake.Overwrite, fit fitted) error {
	where, err := Condition(p.ctx, p.Where, []Input{{p.t.qualifier(nil), over.Target}}, p.scope)
	if err != nil {
		return err
	}
	over.Where = where
	if strings.EqualFold(p.scope.Setting("spark.databricks.delta.replaceWhere.constraintCheck.enabled"), "false") {
		return nil
	}
	holds, err := Condition(p.ctx, p.Where, []Input{{p.t.qualifier(nil), fit.columns}}, p.scope)
	if err != nil {
		return err
	}
	is, err := call(f.set, "<=>", holds, trueLit)
	if err != nil {
		return err
	}
	over.Rows = &rel.Filter{In: fit.node, Cond: &rel.Case{T: types.Boolean, Whens: []rel.When{{If: is, Then: trueLit}},
		Else: rel.Raise("DELTA_REPLACE_WHERE_MISMATCH", types.Boolean, "replaceWhere", p.WhereText)}}
	return nil
}

// replaceStatic removes the rows of the partition that PARTITION (…) names.
func (p *storing) replaceStatic(f *fitter, over *lake.Overwrite) error {
	all := true
	var texts []string
	for _, it := range p.Static.Items {
		if it.Value == nil {
			all = false
			continue
		}
		i := p.schema.Index(it.Column.Name)
		x, err := p.static(f, it, p.schema.Fields[i])
		if err != nil {
			return err
		}
		eq, err := call(f.set, "<=>", over.Target[i].Ref(), x)
		if err != nil {
			return err
		}
		over.Where = rel.And(over.Where, eq)
		texts = append(texts, "("+p.schema.Fields[i].Name+" <=> "+p.source(it.Value)+")")
	}
	p.WhereText = strings.Join(texts, " AND ")
	if all && len(p.Static.Items) == len(p.t.Meta.Partition) && !p.t.delta() {
		over.Partitions, over.Where = true, nil
	}
	return nil
}

// source is a constant of the statement as histories show it.
func (p *storing) source(e syntax.Expr) string {
	text, err := Text(p.ctx, e, nil, p.scope)
	if err != nil {
		return "?"
	}
	return text
}

// replaceMatching removes the rows that match a new row by columns (REPLACE USING) or by a condition (REPLACE ON).
func (p *storing) replaceMatching(f *fitter, fit fitted) (lake.Change, error) {
	ordered := &rel.Project{In: fit.node}
	for _, c := range fit.columns {
		ordered.Cols = append(ordered.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	shared := &rel.Shared{Name: "new rows", In: ordered}
	t := p.t.read(true)
	left, right := readShared(shared), readShared(shared)
	on, err := p.matching(f, t.Cols, right.Columns())
	if err != nil {
		return nil, err
	}
	op, id := rel.NewColumn("op", types.String), rel.NewColumn("row", t.RowID.Type)
	deleted := &rel.Project{In: &rel.Join{Kind: rel.Semi, Left: t, Right: right, On: on},
		Cols: []rel.Computed{{Column: op, Expr: opLit("D")}, {Column: id, Expr: t.RowID.Ref()}}}
	added := &rel.Project{In: left, Cols: []rel.Computed{{Column: rel.NewColumn("op", types.String), Expr: opLit("I")},
		{Column: rel.NewColumn("row", t.RowID.Type), Expr: &rel.Lit{T: t.RowID.Type}}}}
	var cols []rel.Column
	for i, c := range fit.columns {
		deleted.Cols = append(deleted.Cols, rel.Computed{Column: rel.NewColumn(c.Name, c.Type), Expr: &rel.Lit{T: c.Type}})
		added.Cols = append(added.Cols, rel.Computed{Column: rel.NewColumn(c.Name, c.Type), Expr: left.Columns()[i].Ref()})
		cols = append(cols, rel.NewColumn(c.Name, c.Type))
	}
	union := &rel.SetOp{Kind: rel.Union, All: true, Left: deleted, Right: added,
		Cols: append([]rel.Column{rel.NewColumn("op", types.String), rel.NewColumn("row", t.RowID.Type)}, cols...)}
	return lake.Edit{Rows: union, Op: union.Cols[0].ID, RowID: union.Cols[1].ID, Columns: ids(cols), Target: t.Cols,
		Twice: &Error{Class: "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"}}, nil
}

// readShared gives the columns of a shared input with fresh numbers.
func readShared(s *rel.Shared) *rel.Project {
	out := &rel.Project{In: s}
	for _, c := range s.Columns() {
		fresh := c
		fresh.ID = rel.NewID()
		out.Cols = append(out.Cols, rel.Computed{Column: fresh, Expr: c.Ref()})
	}
	return out
}

func opLit(op string) rel.Expr { return &rel.Lit{T: types.String, Value: op} }

func (p *storing) matching(f *fitter, target, rows []rel.Column) (rel.Expr, error) {
	if p.On != nil {
		alias := p.t.qualifier(nil)
		if p.OnTarget != "" {
			alias = lake.Ident{p.OnTarget}
		}
		return Condition(p.ctx, p.On, []Input{{alias, target}, {lake.Ident{"s"}, rows}}, p.scope)
	}
	var on rel.Expr
	for _, name := range p.Using {
		i, err := p.t.columnOf(name, nil)
		if err != nil {
			return nil, err
		}
		eq, err := call(f.set, "=", target[i].Ref(), rows[i].Ref())
		if err != nil {
			return nil, err
		}
		on = rel.And(on, eq)
	}
	return on, nil
}
