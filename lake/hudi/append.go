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

// append adds rows as the operation of the write says.
func (x *tx) append(ctx context.Context, c lake.Append) (lake.Metrics, error) {
	op, err := x.operationOf()
	if err != nil {
		return lake.Metrics{}, err
	}
	if v, ok := c.Rows.(*rel.Values); (c.Rows == nil || ok && len(v.Rows) == 0) && op != opOverwriteTable {
		return lake.Metrics{}, nil
	}
	rows, err := rel.Bind(ctx, c.Rows)
	if err != nil {
		return lake.Metrics{}, err
	}
	switch op {
	case opOverwrite, opOverwriteTable:
		return x.overwrite(ctx, lake.Overwrite{Rows: rows, Columns: c.Columns, Partitions: op == opOverwrite, FileSize: c.FileSize, Options: c.Options})
	case opDeletePartition:
		return x.deletePartitions(ctx, rows, c.Columns)
	case opUpsert, opDelete:
		return x.upsert(ctx, rows, c, op)
	}
	b, err := x.bucketIndex()
	if err != nil {
		return lake.Metrics{}, err
	}
	policy, err := x.duplicates()
	if err != nil {
		return lake.Metrics{}, err
	}
	if b != nil && policy == keepDuplicates { // Hudi looks for the rows of an INSERT too
		return x.upsert(ctx, rows, c, op)
	}
	return x.insert(ctx, rows, c, op, policy)
}

// incoming lays out rows that come from outside of the table, before it is known which of them it has already.
func (x *tx) incoming(rows rel.Node, columns []rel.ID) (*freshRows, error) {
	own := ownColumns(x.view.schema).Fields
	if len(columns) != len(own) {
		return nil, fmt.Errorf("%d columns are given for a table of %d", len(columns), len(own))
	}
	g, err := x.generator()
	if err != nil {
		return nil, err
	}
	f := &freshRows{own: columns}
	f.rows = rows
	named := x.namedColumns(f)
	p := asIs(rows)
	add := func(name string, t types.Type, e rel.Expr) rel.Column {
		c := rel.NewColumn(name, t)
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: e})
		return c
	}
	key := rel.Expr(&rel.Lit{T: types.String})
	if !g.Automatic() {
		if key, err = g.Key(named); err != nil {
			return nil, err
		}
	}
	path, err := g.Partition(named)
	if err != nil {
		return nil, err
	}
	f.key, f.path = add("key", types.String, key), add("path", types.String, path)
	f.code = add("op", types.Int, code(insertOp))
	f.file, f.pos = add("file", types.Long, &rel.Lit{T: types.Long}), add("pos", types.Long, &rel.Lit{T: types.Long})
	f.rows = p
	return f, nil
}

// insert adds rows, and looks whether the table has their keys only if the policy asks for it.
func (x *tx) insert(ctx context.Context, rows rel.Node, c lake.Append, op operation, policy duplicatePolicy) (lake.Metrics, error) {
	f, err := x.incoming(rows, c.Columns)
	if err != nil {
		return lake.Metrics{}, err
	}
	l, err := x.layoutOf()
	if err != nil {
		return lake.Metrics{}, err
	}
	distinct := x.options.flag("hoodie.combine.before.insert", false) && len(x.config().RecordKey) > 0
	fills := op == opInsert && l.small > 0 && slices.ContainsFunc(x.base.slices, func(s *fileSlice) bool { return s.Base != nil && s.Base.Size < l.small })
	b, err := x.bucketIndex()
	if err != nil {
		return lake.Metrics{}, err
	}
	if _, err := x.begin(ctx, x.kind(), op); err != nil {
		return lake.Metrics{}, err
	}
	if !distinct && !fills && policy == keepDuplicates {
		return x.insertNew(ctx, l, l.fresh(f, x.act, f.rows), c.FileSize)
	}
	release, err := x.hold(ctx, f)
	if err != nil {
		return lake.Metrics{}, err
	}
	defer release()
	if distinct || b != nil {
		if f, err = x.newest(f); err != nil {
			return lake.Metrics{}, err
		}
	}
	if policy != keepDuplicates {
		if f, err = x.unknown(ctx, f, policy == failForDuplicates); err != nil {
			return lake.Metrics{}, err
		}
	}
	if b != nil {
		if f, err = x.intoBuckets(ctx, b, f); err != nil {
			return lake.Metrics{}, err
		}
	}
	e, err := x.collect(ctx, f)
	if err != nil {
		return lake.Metrics{}, err
	}
	return x.carryOut(ctx, f, e, fills, c.FileSize)
}

// duplicatePolicy is what an INSERT does with rows whose keys the table has.
type duplicatePolicy string

const (
	keepDuplicates    duplicatePolicy = "none"
	dropDuplicates    duplicatePolicy = "drop"
	failForDuplicates duplicatePolicy = "fail"
)

// duplicates is the policy that the options ask for, under the names of several releases.
func (x *tx) duplicates() (duplicatePolicy, error) {
	const name = "hoodie.datasource.insert.dup.policy"
	given := duplicatePolicy(strings.ToLower(x.options.text("", name)))
	switch given {
	case keepDuplicates, dropDuplicates, failForDuplicates, "":
	default:
		return "", badOption("%s=%s is not one of none, drop, fail", name, given)
	}
	drops := given == dropDuplicates || x.options.flag("hoodie.datasource.write.insert.drop.duplicates", false)
	strict := strings.EqualFold(x.options.text("", optInsertMode), strictMode) && !strings.EqualFold(x.options.text("", optOperation), "upsert")
	switch {
	case len(x.config().RecordKey) == 0 && given == dropDuplicates:
		return "", badOption("%s=drop needs a record key, which the table makes by itself", name)
	case len(x.config().RecordKey) == 0:
		return keepDuplicates, x.options.err()
	case strict, given == failForDuplicates:
		return failForDuplicates, x.options.err()
	case drops:
		return dropDuplicates, x.options.err()
	}
	return keepDuplicates, x.options.err()
}

// hold evaluates the rows of f once, for many readers.
func (x *tx) hold(ctx context.Context, f *freshRows) (release func() error, err error) {
	f.rows, release, err = x.engine.Hold(ctx, f.rows)
	return release, err
}

// upsert adds rows whose keys the table does not have, and puts the others in the place of the rows that it has.
func (x *tx) upsert(ctx context.Context, rows rel.Node, c lake.Append, op operation) (lake.Metrics, error) {
	if err := x.mergeable(); err != nil {
		return lake.Metrics{}, err
	}
	if len(x.config().RecordKey) == 0 {
		return lake.Metrics{}, fmt.Errorf("%s needs a table with a record key", strings.ToLower(string(op)))
	}
	f, err := x.incoming(rows, c.Columns)
	if err != nil {
		return lake.Metrics{}, err
	}
	if err := x.withOrdering(f, op); err != nil {
		return lake.Metrics{}, err
	}
	b, err := x.bucketIndex()
	if err != nil {
		return lake.Metrics{}, err
	}
	if _, err := x.begin(ctx, x.kind(), op); err != nil {
		return lake.Metrics{}, err
	}
	release, err := x.hold(ctx, f)
	if err != nil {
		return lake.Metrics{}, err
	}
	defer release()
	given := f
	if f, err = x.newest(f); err != nil { // whatever hoodie.combine.before.upsert says: an upsert makes no key twice
		return lake.Metrics{}, err
	}
	if f, err = x.tagged(ctx, f, given, op); err != nil {
		return lake.Metrics{}, err
	}
	if b != nil {
		if f, err = x.intoBuckets(ctx, b, f); err != nil {
			return lake.Metrics{}, err
		}
	}
	releaseTagged, err := x.hold(ctx, f)
	if err != nil {
		return lake.Metrics{}, err
	}
	defer releaseTagged()
	e, err := x.collect(ctx, f)
	if err != nil {
		return lake.Metrics{}, err
	}
	f, releaseCombined, err := x.combined(ctx, f, e)
	if err != nil {
		return lake.Metrics{}, err
	}
	defer releaseCombined()
	return x.carryOut(ctx, f, e, true, c.FileSize)
}

// withOrdering makes rows without an ordering value an error, where rows are ordered by one.
func (x *tx) withOrdering(f *freshRows, op operation) error {
	if op == opDelete || !x.needsOrdering() {
		return nil
	}
	named := x.namedColumns(f)
	p := f.rows.(*rel.Project)
	for _, name := range x.config().Ordering {
		c, ok := columnNamed(named, name)
		if !ok {
			return fmt.Errorf("the ordering field %s is not a column of the table", name)
		}
		in := c.Ref()
		missing := rel.When{If: isNull(in), Then: rel.Raise("HUDI_ORDERING_VALUE_MISSING", types.String, "field", name)}
		for i := range p.Cols {
			if p.Cols[i].ID == f.key.ID {
				p.Cols[i].Expr = firstOf(types.String, p.Cols[i].Expr, missing)
			}
		}
	}
	return nil
}

// newest keeps of rows of one key the one that stays: the greatest ordering value, of equal ones the last, or simply the last.
func (x *tx) newest(f *freshRows) (*freshRows, error) {
	out := *f
	number := rel.Column{ID: rel.NewID(), Name: "number", Type: types.Int}
	in := &rel.Window{In: f.rows, Funcs: []rel.Computed{{Column: number, Expr: &rel.Over{Fn: &rel.Call{Name: "row_number", T: types.Int}}}}}
	by := []rel.Expr{f.key.Ref()}
	if global, err := x.global(); err != nil || !global {
		by = append(by, f.path.Ref())
	}
	rank := rel.Column{ID: rel.NewID(), Name: "rank", Type: types.Int}
	var order []rel.Order
	if x.rule().deletesYield { // a row goes before the deletions that come before it in the batch
		last := rel.Column{ID: rel.NewID(), Name: "last", Type: types.Int, Nullable: true}
		in = &rel.Window{In: in, Funcs: []rel.Computed{{Column: last, Expr: &rel.Over{Fn: &rel.Agg{Name: "max", Args: []rel.Expr{number.Ref()}, T: types.Int, Null: true}, Partition: by}}}}
		yields := rel.And(x.deletion(f, opUpsert), compare("<", number.Ref(), last.Ref()))
		order = append(order, rel.Order{Expr: firstOf(types.Int, code(1), rel.When{If: sure(yields), Then: code(0)}), Desc: true})
	}
	for _, c := range x.batchOrder(f) {
		order = append(order, rel.Order{Expr: c.Ref(), Desc: true})
	}
	order = append(order, rel.Order{Expr: number.Ref(), Desc: true})
	ranked := &rel.Window{In: in, Funcs: []rel.Computed{{Column: rank, Expr: &rel.Over{Fn: &rel.Call{Name: "row_number", T: types.Int},
		Partition: by, Order: order}}}}
	one, rows := x.joined(&out, ranked, rank, by)
	one.rows = &rel.Filter{In: rows, Cond: equals(rank.Ref(), code(1))}
	return one, nil
}

// tagged finds for each row of f the row of the table that has its key: the code and the row id say what becomes of it. The rows that were
// given have the same keys.
func (x *tx) tagged(ctx context.Context, f, given *freshRows, op operation) (*freshRows, error) {
	known, err := x.knownKeys(ctx, given, op)
	if err != nil {
		return nil, err
	}
	return x.beside(known, f, op), nil
}

// beside puts what is known of their keys beside the rows of f.
func (x *tx) beside(known *knownRows, f *freshRows, op operation) *freshRows {
	out := *f
	deletes := x.deletion(f, op)
	file, pos := rel.NewColumn("file", types.Long), rel.NewColumn("pos", types.Long)
	op0 := rel.NewColumn("op", types.Int)
	p := &rel.Project{}
	for _, c := range f.rows.Columns() {
		if c.ID != f.file.ID && c.ID != f.pos.ID && c.ID != f.code.ID {
			p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
		}
	}
	absent := firstOf(types.Int, code(insertOp), rel.When{If: deletes, Then: code(noOp)})
	if op == opDelete {
		absent = code(noOp)
	}
	if known == nil {
		p.In = f.rows
		p.Cols = append(p.Cols, rel.Computed{Column: op0, Expr: absent},
			rel.Computed{Column: file, Expr: &rel.Lit{T: types.Long}}, rel.Computed{Column: pos, Expr: &rel.Lit{T: types.Long}})
		out.rows, out.code, out.file, out.pos = p, op0, file, pos
		return &out
	}
	on := known.same(f)
	p.In = &rel.Join{Kind: rel.LeftOuter, Left: f.rows, Right: known.rows, On: on}
	whens := []rel.When{{If: isNull(nullableRef(known.file)), Then: absent}}
	if lost := x.loses(f, known); lost != nil && op != opDelete {
		whens = append(whens, x.stale(lost, deletes)...)
	}
	whens = append(whens, rel.When{If: deletes, Then: code(deleteOp)})
	found := rel.Expr(code(updateOp))
	if op == opDelete {
		found = code(deleteOp)
	}
	p.Cols = append(p.Cols, rel.Computed{Column: op0, Expr: firstOf(types.Int, found, whens...)},
		rel.Computed{Column: file, Expr: nullableRef(known.file)}, rel.Computed{Column: pos, Expr: nullableRef(known.pos)})
	out.rows, out.code, out.file, out.pos = p, op0, file, pos
	if !known.global || known.path.ID == 0 {
		return &out
	}
	place := known.path
	place.Nullable = true
	p.Cols = append(p.Cols, rel.Computed{Column: place, Expr: place.Ref()})
	if !x.moves() {
		return x.settled(&out, place)
	}
	return x.moved(&out, place)
}

// stale is what becomes of rows that are older than the stored ones. Where they may fill columns they stay updates.
func (x *tx) stale(lost, deletes rel.Expr) []rel.When {
	r := x.rule()
	var out []rel.When
	if r.deletesAlways || (r.partial() || r.sequence) && x.config().Version < 8 && x.merges() { // as Hudi's payload classes delete among logs
		out = append(out, rel.When{If: deletes, Then: code(deleteOp)})
	}
	if r.staleFills || r.onlyDeletes {
		lost = rel.And(lost, deletes)
	}
	return append(out, rel.When{If: lost, Then: code(ignoredOp)})
}

func nullableRef(c rel.Column) rel.Expr {
	c.Nullable = true
	return c.Ref()
}

// unknown leaves out rows whose keys the table has, or fails for them.
func (x *tx) unknown(ctx context.Context, f *freshRows, fail bool) (*freshRows, error) {
	known, err := x.knownKeys(ctx, f, opInsert)
	if err != nil || known == nil {
		return f, err
	}
	out := *f
	on := known.same(f)
	if !fail {
		return x.passed(f, known), nil
	}
	joined := &rel.Join{Kind: rel.LeftOuter, Left: f.rows, Right: known.rows, On: on}
	p := &rel.Project{In: joined}
	for _, c := range f.rows.Columns() {
		e := rel.Expr(c.Ref())
		if c.ID == f.key.ID {
			e = firstOf(types.String, rel.Raise("HUDI_DUPLICATE_KEY", types.String), rel.When{If: isNull(nullableRef(known.file)), Then: c.Ref()})
		}
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: e})
	}
	out.rows = p
	return &out, nil
}

// passed marks the rows whose keys are known as ignored.
func (x *tx) passed(f *freshRows, known *knownRows) *freshRows {
	out := *f
	out.code = rel.NewColumn("op", types.Int)
	key := rel.NewColumn("known", types.String)
	once := &rel.Aggregate{In: known.rows, Keys: []rel.Computed{{Column: key, Expr: known.key.Ref()}}}
	on := rel.Expr(equals(f.key.Ref(), key.Ref()))
	if known.path.ID != 0 && !known.global {
		path := rel.NewColumn("path", types.String)
		once.Keys = append(once.Keys, rel.Computed{Column: path, Expr: known.path.Ref()})
		on = rel.And(on, equals(f.path.Ref(), path.Ref()))
	}
	p := &rel.Project{In: &rel.Join{Kind: rel.LeftOuter, Left: f.rows, Right: once, On: on}}
	for _, c := range f.rows.Columns() {
		if c.ID != f.code.ID {
			p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
		}
	}
	p.Cols = append(p.Cols, rel.Computed{Column: out.code, Expr: firstOf(types.Int, code(ignoredOp), rel.When{If: isNull(nullableRef(key)), Then: code(insertOp)})})
	out.rows = p
	return &out
}

// pathsOf are the partition paths of new rows.
func (x *tx) pathsOf(ctx context.Context, f *freshRows) (map[string]bool, error) {
	if len(x.config().Partition) == 0 {
		return map[string]bool{"": true}, nil
	}
	counts, err := x.countByPath(ctx, f)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for path := range counts {
		if err := keygen.CheckPath(path); err != nil {
			return nil, err
		}
		out[path] = true
	}
	return out, nil
}
