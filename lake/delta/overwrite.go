package delta

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/internal/bitmap"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// overwrite adds rows and removes others. New rows are written first, for their partitions may say what is removed.
func (x *tx) overwrite(ctx context.Context, c lake.Overwrite) (lake.Metrics, error) {
	x.tally.removes = true
	before := len(x.adds)
	m, err := x.append(ctx, c.Rows, c.Columns, c.FileSize)
	if err != nil {
		return m, err
	}
	var gone lake.Metrics
	switch {
	case c.Partitions && len(x.layout.partition) > 0:
		gone, err = x.removePartitions(ctx, x.adds[before:])
	case c.Where == nil:
		gone, err = x.removeAll(ctx)
	default:
		x.tally.rewrites = true
		gone, err = x.removeWhere(ctx, c.Where, c.Target)
	}
	return sum(m, gone), err
}

// removeAll removes every file.
func (x *tx) removeAll(ctx context.Context) (lake.Metrics, error) {
	x.note(nil, nil)
	x.replaced = true
	return x.removeFiles(ctx, func(*Add) bool { return true })
}

// removeFiles removes the files for which gone is true, unread but where the log does not tell how many rows they have.
func (x *tx) removeFiles(ctx context.Context, gone func(*Add) bool) (lake.Metrics, error) {
	var m lake.Metrics
	files, err := x.base.files()
	if err != nil {
		return m, err
	}
	uncounted := map[int64]*change{}
	for number, a := range files {
		if !gone(a) {
			continue
		}
		one, err := x.remove(a)
		if err != nil {
			return m, err
		}
		if rows := x.base.rows(a); rows >= 0 {
			one.Deleted = rows - cardinality(a)
		} else {
			uncounted[int64(number)] = &change{number: int64(number), add: a, hidden: new(bitmap.Set)}
		}
		m = sum(m, one)
	}
	n, err := x.count(ctx, uncounted)
	m.Deleted += n
	return m, err
}

// count is the number of live rows in files.
func (x *tx) count(ctx context.Context, files map[int64]*change) (int64, error) {
	if len(files) == 0 {
		return 0, nil
	}
	for _, c := range files {
		old, err := x.base.vector(ctx, c.add)
		if err != nil {
			return 0, err
		}
		if old != nil {
			c.hidden = old
		}
	}
	id := rel.Column{ID: rel.NewID(), Name: "row id", Type: rel.RowIDType}
	scan, err := x.view.scanFiles(ctx, rel.Want{RowID: &id}, files)
	if err != nil {
		return 0, err
	}
	e, err := x.collect(ctx, deletions(scan, id.ID))
	if err != nil {
		return 0, err
	}
	return e.deleted, nil
}

// deletions is a tree as collect reads it, that deletes all of rows.
func deletions(rows rel.Node, id rel.ID) rel.Node {
	file, pos := idParts(rows, id)
	return &rel.Project{In: rows, Cols: []rel.Computed{
		{Column: rel.NewColumn("file", types.Long), Expr: file},
		{Column: rel.NewColumn("pos", types.Long), Expr: pos},
		{Column: rel.NewColumn("op", types.Int), Expr: &rel.Lit{T: types.Int, Value: int64(deleteOp)}},
	}}
}

func cardinality(a *Add) int64 {
	if a.DeletionVector == nil {
		return 0
	}
	return a.DeletionVector.Cardinality
}

// removePartitions removes the files that lie in a partition of one of the new files.
func (x *tx) removePartitions(ctx context.Context, fresh []*Add) (lake.Metrics, error) {
	keys := map[string]bool{}
	for _, a := range fresh {
		keys[x.partitionKey(a)] = true
	}
	in := func(a *Add) bool { return keys[x.partitionKey(a)] }
	x.mu.Lock()
	x.reads.conds = append(x.reads.conds, in)
	x.mu.Unlock()
	return x.removeFiles(ctx, in)
}

// partitionKey is the same for files of one partition, however their values are spelled.
func (x *tx) partitionKey(a *Add) string {
	var b strings.Builder
	values, err := x.view.partitionValues(a)
	for i, k := range x.layout.partition {
		f := x.layout.fields[k]
		text, ok := "", false
		if err == nil {
			text, ok, _ = partitionText(values[i], f.Type)
		} else if raw := a.PartitionValues[f.Name]; raw != nil {
			text, ok = *raw, true
		}
		if ok {
			b.WriteString("=" + text)
		}
		b.WriteByte(0)
	}
	return b.String()
}

// removeWhere removes the rows for which where is true: whole files unread where only their partition matters.
func (x *tx) removeWhere(ctx context.Context, where rel.Expr, target []rel.Column) (lake.Metrics, error) {
	x.note(where, target)
	if cols, ok := x.partitionColumns(where, target); ok {
		gone, err := x.partitionsWhere(ctx, where, cols)
		if err != nil {
			return lake.Metrics{}, err
		}
		return x.removeFiles(ctx, func(a *Add) bool { return gone[x.partitionKey(a)] })
	}
	id := rel.Column{ID: rel.NewID(), Name: "row id", Type: rel.RowIDType}
	scan, err := x.view.Scan(ctx, rel.Want{Columns: used(where, target), Where: where, RowID: &id})
	if err != nil {
		return lake.Metrics{}, err
	}
	e, err := x.collect(ctx, deletions(&rel.Filter{In: scan, Cond: where}, id.ID))
	if err != nil {
		return lake.Metrics{}, err
	}
	if err := e.check(nil); err != nil {
		return lake.Metrics{}, err
	}
	changes, err := x.changesOf(ctx, e)
	if err != nil {
		return lake.Metrics{}, err
	}
	m, err := x.carryOut(ctx, changes, nil)
	m.Deleted = e.deleted
	return m, err
}

// used are the columns of target that e reads.
func used(e rel.Expr, target []rel.Column) []rel.Column {
	ids := map[rel.ID]bool{}
	rel.WalkExpr(e, func(x rel.Expr) bool {
		if c, ok := x.(*rel.Col); ok {
			ids[c.ID] = true
		}
		return true
	})
	var out []rel.Column
	for _, c := range target {
		if ids[c.ID] {
			out = append(out, c)
		}
	}
	return out
}

// partitionColumns are the columns of target that partition the table, in their order, if e reads no others.
func (x *tx) partitionColumns(e rel.Expr, target []rel.Column) ([]rel.Column, bool) {
	if len(x.layout.partition) == 0 || len(target) != len(x.layout.fields) || len(rel.Subqueries(e)) > 0 {
		return nil, false
	}
	var cols []rel.Column
	for _, k := range x.layout.partition {
		cols = append(cols, target[k])
	}
	for _, c := range used(e, target) {
		if !slices.ContainsFunc(cols, func(p rel.Column) bool { return p.ID == c.ID }) {
			return nil, false
		}
	}
	return cols, true
}

// partitionsWhere are the keys of the partitions for which where is true. The engine judges, as it would judge rows.
func (x *tx) partitionsWhere(ctx context.Context, where rel.Expr, cols []rel.Column) (map[string]bool, error) {
	files, err := x.base.files()
	if err != nil {
		return nil, err
	}
	number := rel.NewColumn("number", types.Long)
	values := &rel.Values{Cols: append(slices.Clone(cols), number)}
	var keys []string
	seen := map[string]bool{}
	for _, a := range files {
		key := x.partitionKey(a)
		if seen[key] {
			continue
		}
		seen[key] = true
		parts, err := x.view.partitionValues(a)
		if err != nil {
			return nil, err
		}
		var row []rel.Expr
		for i, c := range cols {
			row = append(row, &rel.Lit{T: c.Type, Value: parts[i]})
		}
		values.Rows = append(values.Rows, append(row, &rel.Lit{T: types.Long, Value: int64(len(keys))}))
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, nil
	}
	return x.chosen(ctx, &rel.Project{In: &rel.Filter{In: values, Cond: where}, Cols: []rel.Computed{
		{Column: rel.NewColumn("number", types.Long), Expr: number.Ref()}}}, keys)
}

// chosen are the keys whose numbers q gives.
func (x *tx) chosen(ctx context.Context, q rel.Node, keys []string) (map[string]bool, error) {
	r, err := x.engine.Query(ctx, q)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	out := map[string]bool{}
	for r.Next() {
		numbers, ok := r.RecordBatch().Column(0).(*array.Int64)
		if !ok {
			return nil, errors.New("the engine gave numbers of another type")
		}
		for i := range numbers.Len() {
			out[keys[numbers.Value(i)]] = true
		}
	}
	return out, r.Err()
}
