package hudi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/keygen"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// edit changes, removes and adds rows. They are evaluated once; their row ids alone come into Go.
func (x *tx) edit(ctx context.Context, c lake.Edit) (lake.Metrics, error) {
	if err := x.mergeable(); err != nil {
		return lake.Metrics{}, err
	}
	rows, err := rel.Bind(ctx, c.Rows)
	if err != nil {
		return lake.Metrics{}, err
	}
	f, err := x.edited(rows, c)
	if err != nil {
		return lake.Metrics{}, err
	}
	release, err := x.hold(ctx, f)
	if err != nil {
		return lake.Metrics{}, err
	}
	defer release()
	e, err := x.collect(ctx, f)
	if err != nil {
		return lake.Metrics{}, err
	}
	if c.Merge != nil {
		var releaseMerged func() error
		if f, e, releaseMerged, err = x.merged(ctx, f, e, c); err != nil {
			return lake.Metrics{}, err
		}
		defer releaseMerged()
	}
	if err := e.check(c.Twice); err != nil {
		return lake.Metrics{}, err
	}
	if e.updated > 0 && len(x.judging(c)) > 0 {
		if f, e, err = x.judge(ctx, f, e, x.judging(c)); err != nil {
			return lake.Metrics{}, err
		}
	}
	if e.inserted > 0 {
		if _, err := x.generator(); err != nil {
			return lake.Metrics{}, err
		}
	}
	if e.inserted+e.updated+e.deleted == 0 {
		return lake.Metrics{Ignored: e.ignored}, nil
	}
	if f.changed, err = x.changedColumns(c); err != nil {
		return lake.Metrics{}, err
	}
	b, err := x.bucketIndex()
	if err != nil {
		return lake.Metrics{}, err
	}
	if b != nil {
		if f, err = x.intoBuckets(ctx, b, f); err != nil {
			return lake.Metrics{}, err
		}
		if e, err = x.collect(ctx, f); err != nil {
			return lake.Metrics{}, err
		}
	}
	if _, err := x.begin(ctx, x.kind(), x.editOperation(e, c)); err != nil {
		return lake.Metrics{}, err
	}
	f, releaseCombined, err := x.combined(ctx, f, e)
	if err != nil {
		return lake.Metrics{}, err
	}
	defer releaseCombined()
	return x.carryOut(ctx, f, e, true, 0)
}

// editOperation is the operation of an edit, as its commit names it.
func (x *tx) editOperation(e *edits, c lake.Edit) operation {
	switch {
	case x.onlyInserts(c):
		return opInsert
	case e.inserted > 0:
		return opUpsert
	case e.updated > 0:
		return opUpsertPrepped
	case x.config().Version < 6: // Hudi 0.12 cannot read a commit of a name that it does not know
		return opDelete
	}
	return opDeletePrepped
}

// edited lays out the rows of an edit. An update that would change a row's key fails.
func (x *tx) edited(rows rel.Node, c lake.Edit) (*freshRows, error) {
	f := &freshRows{rows: rows, own: c.Columns, stored: c.Stored}
	id, op := columnOf(rows, c.RowID), columnOf(rows, c.Op)
	left := []rel.ID{c.RowID}
	if len(x.judging(c)) == 0 {
		left, f.stored = append(left, c.Stored...), nil
	}
	p := &rel.Project{In: rows}
	for _, col := range rows.Columns() {
		if !slices.Contains(left, col.ID) {
			p.Cols = append(p.Cols, rel.Computed{Column: col, Expr: col.Ref()})
		}
	}
	add := func(name string, t types.Type, e rel.Expr) rel.Column {
		col := rel.NewColumn(name, t)
		p.Cols = append(p.Cols, rel.Computed{Column: col, Expr: e})
		return col
	}
	is := func(letter string) rel.Expr { return equals(op.Ref(), text(letter)) }
	f.code = add("op", types.Int, firstOf(types.Int, code(ignoredOp), rel.When{If: is("I"), Then: code(insertOp)},
		rel.When{If: is("U"), Then: code(updateOp)}, rel.When{If: is("D"), Then: code(deleteOp)}))
	f.file, f.pos = add("file", types.Long, &rel.Field{X: id.Ref(), Index: 0}), add("pos", types.Long, &rel.Field{X: id.Ref(), Index: 1})
	key, path := rel.Expr(&rel.Field{X: id.Ref(), Index: 2}), rel.Expr(&rel.Lit{T: types.String})
	if len(c.Columns) > 0 {
		var err error
		if key, path, err = x.editedKeys(f, key, is("I"), is("U")); err != nil {
			return nil, err
		}
		if key, err = x.orderedKeys(f, key, c, is("I"), is("U")); err != nil {
			return nil, err
		}
	}
	f.key, f.path = add("key", types.String, key), add("path", types.String, path)
	f.rows = p
	return f, nil
}

// editedKeys are the key of a row, and the partition path of a new one.
func (x *tx) editedKeys(f *freshRows, stored rel.Expr, isInsert, isUpdate rel.Expr) (key, path rel.Expr, err error) {
	none := &rel.Lit{T: types.String}
	named := x.namedColumns(f)
	g, err := x.generator()
	if err == nil {
		var where rel.Expr
		if where, err = g.Partition(named); err != nil {
			return nil, nil, err
		}
		path = firstOf(types.String, none, rel.When{If: isInsert, Then: where})
	} else { // new rows will fail: see edit
		if g, err = keygen.ForKeys(x.keyConfig()); err != nil {
			return stored, none, nil
		}
		path = none
	}
	if g.Automatic() {
		return firstOf(types.String, stored, rel.When{If: isInsert, Then: none}), path, nil
	}
	made, err := g.Key(named)
	if err != nil {
		return nil, nil, err
	}
	whens := []rel.When{{If: isInsert, Then: made},
		{If: rel.And(isUpdate, differs(made, stored)), Then: rel.Raise("HUDI_RECORD_KEY_CHANGED", types.String, "field", strings.Join(g.KeyFields(), ", "))}}
	return firstOf(types.String, stored, whens...), path, nil
}

// orderedKeys is key, but an error for rows without an ordering value where rows are ordered by one. An update that leaves the value as it is
// may leave NULL.
func (x *tx) orderedKeys(f *freshRows, key rel.Expr, c lake.Edit, isInsert, isUpdate rel.Expr) (rel.Expr, error) {
	if !x.needsOrdering() || x.onlyInserts(c) {
		return key, nil
	}
	named := x.namedColumns(f)
	for _, name := range x.config().Ordering {
		i := slices.IndexFunc(named, func(c rel.Column) bool { return strings.EqualFold(c.Name, name) })
		if i < 0 {
			return nil, fmt.Errorf("the ordering field %s is not a column of the table", name)
		}
		writes := isInsert
		if c.Kept == nil || !c.Kept[i] {
			writes = either(isInsert, isUpdate)
		}
		key = firstOf(types.String, key, rel.When{If: rel.And(writes, isNull(nullableRef(named[i]))),
			Then: rel.Raise("HUDI_ORDERING_VALUE_MISSING", types.String, "field", name)})
	}
	return key, nil
}

// judging are the columns by which updates are judged against the stored rows. On copy-on-write tables up to version 6 Hudi's MERGE passes over
// older rows whatever the payload class is.
func (x *tx) judging(c lake.Edit) []string {
	r := x.rule()
	switch {
	case r.staleFills, r.onlyDeletes:
		return nil
	case c.Merge != nil && x.config().Version < 8 && !x.merges():
		return x.config().Ordering
	}
	return x.orderingColumns()
}

// judge marks the updates that lose against the stored rows, by the values of the columns names.
func (x *tx) judge(ctx context.Context, f *freshRows, e *edits, names []string) (*freshRows, *edits, error) {
	p, k, err := x.besideOrdering(ctx, f, e, names)
	if err != nil {
		return nil, nil, err
	}
	lost := x.losesBy(names, f, k)
	if lost == nil {
		return f, e, nil
	}
	out := *f
	out.code = rel.NewColumn("op", types.Int)
	p.Cols = append(p.Cols, rel.Computed{Column: out.code, Expr: firstOf(types.Int, f.code.Ref(),
		rel.When{If: rel.And(equals(f.code.Ref(), code(updateOp)), lost), Then: code(ignoredOp)})})
	out.rows = p
	again, err := x.collect(ctx, &out)
	return &out, again, err
}

// besideOrdering is the rows of f, each beside what the stored row of its place has in the columns names. Rows that bring it along are not joined to the stored ones.
func (x *tx) besideOrdering(ctx context.Context, f *freshRows, e *edits, names []string) (*rel.Project, *knownRows, error) {
	own := ownColumns(x.view.schema)
	wanted := func(i int) bool { return slices.ContainsFunc(names, func(n string) bool { return own.Index(n) == i }) }
	brought := &knownRows{}
	for _, name := range names {
		if i := own.Index(name); i >= 0 && i < len(f.stored) && f.stored[i] != 0 {
			brought.ordering = append(brought.ordering, columnOf(f.rows, f.stored[i]))
		}
	}
	if len(brought.ordering) == len(names) {
		return asIs(f.rows), brought, nil
	}
	_, columns, k := x.storedColumns(names, wanted)
	if len(columns) < len(names) {
		return asIs(f.rows), &knownRows{}, nil
	}
	p, err := x.besideStored(ctx, f, e, k, columns)
	return p, k, err
}

// besideStored is the rows of f, each beside the stored row of its place: columns of the slices that e touches, with places as k calls them.
func (x *tx) besideStored(ctx context.Context, f *freshRows, e *edits, k *knownRows, columns []rel.Column) (*rel.Project, error) {
	var list []*fileSlice
	for _, s := range e.touched() {
		list = append(list, s.slice)
	}
	known, err := x.base.storedRows(ctx, list, columns, k.file, k.pos)
	if err != nil {
		return nil, err
	}
	p := asIs(f.rows)
	p.In = &rel.Join{Kind: rel.LeftOuter, Left: f.rows, Right: known, On: rel.And(equals(f.file.Ref(), k.file.Ref()), equals(f.pos.Ref(), k.pos.Ref()))}
	return p, nil
}
