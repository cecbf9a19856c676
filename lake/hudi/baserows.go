package hudi

import (
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// storedRows is rows as base files store them, and the group that each belongs to.
type storedRows struct {
	rows    rel.Node
	columns []rel.ID // per stored column; none for the file's name
	group   rel.ID   // text
}

// stored lays rows out for base files: group says to which files a row goes, key and path are its meta columns, own its values.
func (l *layout) stored(in rel.Node, a *action, group, key, path rel.Expr, own []rel.Expr) storedRows {
	p := &rel.Project{In: in}
	out := storedRows{rows: p}
	add := func(name string, t types.Type, e rel.Expr) rel.ID {
		c := rel.NewColumn(name, t)
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: e})
		return c.ID
	}
	null := &rel.Lit{T: types.String}
	time := text(a.instant.Time)
	if !l.meta {
		time, key, path = null, null, null
	}
	out.group = add("group", types.String, group)
	for _, c := range []struct {
		name  string
		value rel.Expr
	}{{commitTimeColumn, time}, {commitSeqnoColumn, null}, {recordKeyColumn, key}, {partitionPathColumn, path}, {fileNameColumn, null}} {
		out.columns = append(out.columns, add(c.name, types.String, c.value))
	}
	for i, f := range l.own {
		if l.kept[i] {
			out.columns = append(out.columns, add(f.Name, f.Type, own[i]))
		}
	}
	return out
}

// live is the rows that stay in the base files of slices, as they are stored. Their group is the number of the slice.
func (x *tx) live(l *layout, slices []*sliceEdit) (out storedRows, err error) {
	var order []*internalSchema
	by := map[*internalSchema][]*sliceEdit{}
	for _, s := range slices {
		past := x.base.schemaOf(s.slice.Base)
		if by[past] == nil {
			order = append(order, past)
		}
		by[past] = append(by[past], s)
	}
	for _, past := range order {
		one, err := x.liveIn(l, by[past], past)
		if err != nil {
			return out, err
		}
		out = out.and(one)
	}
	return out, nil
}

// liveIn is live for files that have the columns of the schema past, nil for the current one.
func (x *tx) liveIn(l *layout, slices []*sliceEdit, past *internalSchema) (storedRows, error) {
	scan := &rel.Scan{Format: "parquet"}
	var cols []rel.Column
	for _, f := range l.fields() {
		c := rel.Column{ID: rel.NewID(), Name: f.Name, Type: f.Type, Nullable: true}
		col := rel.ScanColumn{Column: c, From: rel.InFile, File: types.Field{Name: f.Name, Type: f.Type}}
		if past != nil {
			col.File = x.base.history.stored(col.File, past)
		}
		cols, scan.Cols = append(cols, c), append(scan.Cols, col)
	}
	place := rel.Column{ID: rel.NewID(), Name: "place", Type: rel.RowIDType}
	scan.Cols = append(scan.Cols, rel.ScanColumn{Column: place, From: rel.RowID})
	for _, s := range slices {
		f, err := x.base.baseFile(s.slice)
		if err != nil {
			return storedRows{}, err
		}
		if s.gone.set.Len() > 0 {
			f.Hidden = &s.gone.set
		}
		scan.Files = append(scan.Files, f)
	}
	p := &rel.Project{In: scan}
	group := rel.NewColumn("group", types.String)
	p.Cols = append(p.Cols, rel.Computed{Column: group, Expr: cast(&rel.Field{X: place.Ref(), Index: 0}, types.String)})
	out := storedRows{rows: p, group: group.ID, columns: idsOf(cols)}
	for _, c := range cols {
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	return out, nil
}

// and is the rows of s and of t.
func (s storedRows) and(t storedRows) storedRows {
	if s.rows == nil {
		return t
	}
	if t.rows == nil {
		return s
	}
	cols := fresh(s.rows.Columns())
	return storedRows{rows: &rel.SetOp{Kind: rel.Union, All: true, Left: s.rows, Right: t.rows, Cols: cols}, group: cols[0].ID, columns: idsOf(cols[1:])}
}

// replacing is the new values of changed rows of slices, each in the group of its slice.
func (x *tx) replacing(l *layout, f *freshRows, run []*sliceEdit) (storedRows, error) {
	number, in, path, err := x.changedRows(f, run, updateOp)
	if err != nil {
		return storedRows{}, err
	}
	group := cast(number, types.String)
	return l.stored(in, x.act, group, f.key.Ref(), path, f.values()), nil
}

// values are the new values of the table's columns.
func (f *freshRows) values() []rel.Expr {
	out := make([]rel.Expr, len(f.own))
	for i, id := range f.own {
		out[i] = columnOf(f.rows, id).Ref()
	}
	return out
}

// changedRows is the rows of f with one of some codes that change one of slices, with the number of the slice and its partition
// path. Evaluating the path fails for a row whose new values belong to another partition.
func (x *tx) changedRows(f *freshRows, run []*sliceEdit, codes ...int32) (number rel.Expr, in rel.Node, path rel.Expr, err error) {
	var is rel.Expr
	for _, c := range codes {
		one := equals(f.code.Ref(), code(c))
		if is == nil {
			is = one
		} else {
			is = either(is, one)
		}
	}
	in = &rel.Filter{In: f.rows, Cond: is}
	var list []*fileSlice
	for _, s := range run {
		list = append(list, s.slice)
	}
	table, at, where := places(list)
	in = &rel.Join{Kind: rel.Inner, Left: in, Right: table, On: equals(f.file.Ref(), at.Ref())}
	path = where.Ref()
	if len(x.config().Partition) == 0 || len(f.own) == 0 || f.stays || !slices.Contains(codes, updateOp) {
		return at.Ref(), in, path, nil
	}
	g, err := x.generator()
	if err != nil {
		return at.Ref(), in, path, nil // without settings that the table does not keep, nothing is known of new values
	}
	made, err := g.Partition(x.namedColumns(f))
	if err != nil {
		return nil, nil, nil, err
	}
	moved := differs(made, where.Ref())
	stays := rel.Raise("HUDI_PARTITION_CHANGED", types.String, "field", strings.Join(g.PartitionFields(), ", "))
	isUpdate := equals(f.code.Ref(), code(updateOp))
	return at.Ref(), in, firstOf(types.String, path, rel.When{If: compare("and", isUpdate, moved), Then: stays}), nil
}

// namedColumns are the columns of new values under the names of the table's columns.
func (x *tx) namedColumns(f *freshRows) []rel.Column {
	var out []rel.Column
	for i, field := range ownColumns(x.view.schema).Fields {
		c := columnOf(f.rows, f.own[i])
		c.Name, c.Nullable = field.Name, true
		out = append(out, c)
	}
	return out
}

// added is the new rows, in the group that group says.
func (l *layout) added(f *freshRows, a *action, in rel.Node, group rel.Expr) storedRows {
	return l.stored(in, a, group, f.key.Ref(), f.path.Ref(), f.values())
}

// fresh is rows of f as rows of new file groups.
func (l *layout) fresh(f *freshRows, a *action, in rel.Node) storedRows {
	return l.added(f, a, in, groupOf(f))
}

// inserts is the rows of f that are new.
func (f *freshRows) inserts() rel.Node {
	return &rel.Filter{In: f.rows, Cond: equals(f.code.Ref(), code(insertOp))}
}
