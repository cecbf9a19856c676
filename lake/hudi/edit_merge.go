package hudi

import (
	"context"
	"errors"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// The rows of a MERGE come by ON, and tables have keys:
//
//	rows ─▶ of source rows for one row of the table one ─▶ of new rows of one key one ─▶ a new row whose key the table has changes that row
//
// Each step is taken only where there is something to do for it.

// merged carries these steps out. The rows are evaluated before and behind them.
func (x *tx) merged(ctx context.Context, f *freshRows, e *edits, c lake.Edit) (*freshRows, *edits, func() error, error) {
	held := &heldRows{}
	f, e, err := x.mergedRows(ctx, f, e, c, held)
	if err != nil {
		return nil, nil, nil, errors.Join(err, held.release())
	}
	return f, e, held.release, nil
}

func (x *tx) mergedRows(ctx context.Context, f *freshRows, e *edits, c lake.Edit, held *heldRows) (*freshRows, *edits, error) {
	keyed := len(x.config().RecordKey) > 0 && !x.onlyInserts(c)
	twice := false
	var err error
	if keyed && (e.inserted > 0 || c.Merge.Sought != nil) {
		if twice, err = x.newTwice(ctx, f, c.Merge.Sought); err != nil {
			return nil, nil, err
		}
	}
	if c.Merge.Rivals != nil && (twice || e.repeated()) {
		if f, e, err = x.chosen(ctx, e, c, keyed, held); err != nil {
			return nil, nil, err
		}
		if twice = false; keyed && e.inserted > 0 {
			if twice, err = x.newTwice(ctx, f, nil); err != nil {
				return nil, nil, err
			}
		}
	}
	if twice {
		return nil, nil, c.Merge.Twice
	}
	if err := e.check(c.Twice); err != nil || !keyed || e.inserted == 0 || x.foundByOn(c) {
		return f, e, err
	}
	return x.upserted(ctx, f, c, held)
}

// onlyInserts reports whether an edit is a MERGE that inserts rows and no more, into a table where that is no upsert: as with Hudi one without
// ordering field.
func (x *tx) onlyInserts(c lake.Edit) bool {
	return c.Merge != nil && c.Merge.InsertsOnly && len(x.config().Ordering) == 0
}

// chosen takes one of the rows with one row id, and of the rows without match one for each key: the greatest ordering value, of equal ones the
// last.
func (x *tx) chosen(ctx context.Context, e *edits, c lake.Edit, keyed bool, held *heldRows) (*freshRows, *edits, error) {
	r := *c.Merge.Rivals
	given := e.inserted + e.updated + e.deleted + e.ignored
	id := columnOf(r.Rows, r.RowID)
	file := &rel.Field{X: id.Ref(), Index: 0}
	by := []rel.Expr{file, &rel.Field{X: id.Ref(), Index: 1}}
	keys, err := x.keyColumns(r.Rows, r.Brings)
	if err != nil {
		return nil, nil, err
	}
	for _, k := range keys {
		by = append(by, firstOf(k.Type, &rel.Lit{T: k.Type}, rel.When{If: isNull(file), Then: k.Ref()}))
	}
	rank := rel.Column{ID: rel.NewID(), Name: "rank", Type: types.Int}
	ranked := &rel.Window{In: r.Rows, Funcs: []rel.Computed{{Column: rank, Expr: &rel.Over{Fn: &rel.Call{Name: "row_number", T: types.Int},
		Partition: by, Order: x.rivalOrder(r)}}}}
	first := rel.Expr(equals(rank.Ref(), code(1)))
	if !keyed {
		first = either(isNull(file), first)
	}
	c.Op, c.RowID, c.Columns, c.Stored = r.Op, r.RowID, r.Columns, r.Stored
	f, err := x.edited(&rel.Filter{In: ranked, Cond: first}, c)
	if err != nil {
		return nil, nil, err
	}
	if err := held.hold(ctx, x, f); err != nil {
		return nil, nil, err
	}
	if e, err = x.collect(ctx, f); err != nil {
		return nil, nil, err
	}
	f.passed = given - (e.inserted + e.updated + e.deleted + e.ignored)
	e.ignored += f.passed
	return f, e, nil
}

// rivalOrder orders the rows of which one is chosen, the best one first.
func (x *tx) rivalOrder(r lake.Rivals) []rel.Order {
	var out []rel.Order
	own := ownColumns(x.view.schema)
	for _, name := range x.batchOrdering() {
		if i := own.Index(name); i >= 0 && r.Brings[i] != 0 {
			out = append(out, rel.Order{Expr: columnOf(r.Rows, r.Brings[i]).Ref(), Desc: true})
		}
	}
	return append(out, rel.Order{Expr: columnOf(r.Rows, r.Number).Ref(), Desc: true})
}

// keyColumns are the columns of rows, of those that ids gives per column of the table, which tell keys apart: of the record key and, where keys are
// unique in partitions only, of the partition.
func (x *tx) keyColumns(rows rel.Node, ids []rel.ID) ([]rel.Column, error) {
	global, err := x.global()
	if err != nil {
		return nil, err
	}
	names := x.config().RecordKey
	if !global {
		for _, p := range x.config().Partition {
			names = append(names[:len(names):len(names)], p.Name)
		}
	}
	own := ownColumns(x.view.schema)
	var out []rel.Column
	for _, name := range names {
		if i := own.Index(name); i >= 0 && ids[i] != 0 {
			out = append(out, columnOf(rows, ids[i]))
		}
	}
	return out, nil
}

// newTwice reports whether several new rows have one key: those that are inserted, or, where sought says what their keys are, all without match.
func (x *tx) newTwice(ctx context.Context, f *freshRows, sought []rel.ID) (bool, error) {
	by, in := []rel.Column{f.key, f.path}, f.inserts()
	if sought != nil {
		var err error
		if by, err = x.keyColumns(f.rows, sought); err != nil {
			return false, err
		}
		in = &rel.Filter{In: f.rows, Cond: isNull(nullableRef(f.file))}
	} else if global, err := x.global(); err != nil || global {
		by = by[:1]
	}
	n := rel.NewColumn("n", types.Long)
	a := &rel.Aggregate{In: in, Aggs: []rel.Computed{{Column: n, Expr: &rel.Agg{Name: "count", Args: []rel.Expr{long(1)}, T: types.Long}}}}
	for _, c := range by {
		a.Keys = append(a.Keys, rel.Computed{Column: rel.NewColumn(c.Name, c.Type), Expr: c.Ref()})
	}
	twice, err := countRows(ctx, x.engine, &rel.Filter{In: a, Cond: compare(">", n.Ref(), long(1))})
	return twice > 0, err
}

// foundByOn reports whether ON would have matched the row of the table that has the key of a new row: it compares the whole key with that of
// the new row, and nothing else.
func (x *tx) foundByOn(c lake.Edit) bool {
	own := ownColumns(x.view.schema)
	if c.Merge.On == nil {
		return false
	}
	compared := 0
	for _, on := range c.Merge.On {
		if on {
			compared++
		}
	}
	for _, name := range x.config().RecordKey {
		if i := own.Index(name); i < 0 || !c.Merge.On[i] {
			return false
		}
	}
	return compared == len(x.config().RecordKey)
}

// upserted makes updates of new rows whose keys the table has, as the table merges rows.
func (x *tx) upserted(ctx context.Context, f *freshRows, c lake.Edit, held *heldRows) (*freshRows, *edits, error) {
	inserts := *f
	inserts.rows = f.inserts()
	known, err := x.knownKeys(ctx, &inserts, opUpsert)
	if err != nil {
		return nil, nil, err
	}
	if known != nil {
		f = x.newBeside(known, f)
		if err := held.hold(ctx, x, f); err != nil {
			return nil, nil, err
		}
	}
	e, err := x.collect(ctx, f)
	if err == nil && e.repeated() { // another row changes that one already
		err = c.Merge.Twice
	}
	return f, e, err
}

// newBeside is [tx.beside] for the new rows of f; the others stay as they are.
func (x *tx) newBeside(known *knownRows, f *freshRows) *freshRows {
	isNew := equals(f.code.Ref(), code(insertOp))
	sought := *f
	sought.code, sought.file, sought.pos = rel.NewColumn("op", types.Int), rel.NewColumn("file", types.Long), rel.NewColumn("pos", types.Long)
	sought.key = rel.NewColumn("key", types.String)
	none := &rel.Lit{T: types.Long}
	p := &rel.Project{In: f.rows, Cols: []rel.Computed{
		{Column: sought.key, Expr: firstOf(types.String, &rel.Lit{T: types.String}, rel.When{If: isNew, Then: f.key.Ref()})},
		{Column: sought.code, Expr: code(insertOp)}, {Column: sought.file, Expr: none}, {Column: sought.pos, Expr: none}}}
	for _, c := range f.rows.Columns() {
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	sought.rows = p
	tagged := x.beside(known, &sought, opUpsert)
	out := *tagged
	out.stored = nil // rows have found others
	out.key, out.code, out.file, out.pos = f.key, rel.NewColumn("op", types.Int), rel.NewColumn("file", types.Long), rel.NewColumn("pos", types.Long)
	q := &rel.Project{In: tagged.rows, Cols: []rel.Computed{
		{Column: out.code, Expr: firstOf(types.Int, f.code.Ref(), rel.When{If: isNew, Then: tagged.code.Ref()})},
		{Column: out.file, Expr: firstOf(types.Long, nullableRef(f.file), rel.When{If: isNew, Then: nullableRef(tagged.file)})},
		{Column: out.pos, Expr: firstOf(types.Long, nullableRef(f.pos), rel.When{If: isNew, Then: nullableRef(tagged.pos)})}}}
	for _, c := range tagged.rows.Columns() {
		if c.ID != sought.key.ID && c.ID != tagged.code.ID && c.ID != tagged.file.ID && c.ID != tagged.pos.ID && c.ID != f.code.ID && c.ID != f.file.ID && c.ID != f.pos.ID {
			q.Cols = append(q.Cols, rel.Computed{Column: c, Expr: c.Ref()})
		}
	}
	out.rows = q
	return &out
}

// heldRows is rows that were evaluated.
type heldRows struct{ releases []func() error }

func (h *heldRows) hold(ctx context.Context, x *tx, f *freshRows) error {
	release, err := x.hold(ctx, f)
	if err == nil {
		h.releases = append(h.releases, release)
	}
	return err
}

func (h *heldRows) release() error {
	var errs []error
	for _, release := range h.releases {
		errs = append(errs, release())
	}
	return errors.Join(errs...)
}
