package hudi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// overwrite puts rows in the place of all others, of those in the same partitions, or of those for which a condition holds. File
// groups are replaced as a whole where all of their rows go.
func (x *tx) overwrite(ctx context.Context, c lake.Overwrite) (lake.Metrics, error) {
	if op := x.options.text("", optOperation); strings.EqualFold(op, "delete") || strings.EqualFold(op, "delete_partition") {
		return lake.Metrics{}, fmt.Errorf("append is the only save mode for hoodie.datasource.write.operation=%s", op)
	}
	op := opOverwriteTable
	if c.Partitions && len(x.config().Partition) > 0 || c.Where != nil {
		op = opOverwrite
	}
	rows, err := rel.Bind(ctx, c.Rows)
	if err != nil {
		return lake.Metrics{}, err
	}
	v, constant := rows.(*rel.Values)
	empty := rows == nil || constant && len(v.Rows) == 0
	if c.Where != nil && empty {
		return x.deleteWhere(ctx, c)
	}
	if err := x.noOverwrite(); err != nil {
		return lake.Metrics{}, err
	}
	var chosen []*fileSlice
	if c.Where != nil {
		var whole bool
		if chosen, whole, err = x.slicesWhere(ctx, c.Where, c.Target); err != nil {
			return lake.Metrics{}, err
		}
		if !whole {
			return x.exchange(ctx, rows, c)
		}
	}
	if _, err := x.begin(ctx, timeline.ReplaceCommit, op); err != nil {
		return lake.Metrics{}, err
	}
	l, err := x.layoutOf()
	if err != nil {
		return lake.Metrics{}, err
	}
	var m lake.Metrics
	if !empty {
		f, err := x.incoming(rows, c.Columns)
		if err != nil {
			return m, err
		}
		b, err := x.bucketIndex()
		if err != nil {
			return m, err
		}
		if b != nil {
			f = x.bucketed(b, f)
		}
		if m, err = x.insertNew(ctx, l, l.fresh(f, x.act, f.rows), c.FileSize); err != nil {
			return m, err
		}
	}
	switch {
	case c.Where != nil:
	case op == opOverwriteTable:
		chosen = x.base.slices
	default:
		chosen = x.besideNew()
	}
	gone, err := x.replace(ctx, chosen)
	return sum(m, gone), err
}

// besideNew are the slices of the partitions that the write has put rows into.
func (x *tx) besideNew() []*fileSlice {
	fresh := map[string]bool{}
	for _, s := range x.act.stats {
		fresh[s.Partition] = true
	}
	return slices.DeleteFunc(slices.Clone(x.base.slices), func(s *fileSlice) bool { return !fresh[s.Partition] })
}

// replace takes file groups out of the table.
func (x *tx) replace(ctx context.Context, list []*fileSlice) (lake.Metrics, error) {
	var m lake.Metrics
	for _, s := range list {
		if err := x.touch(s); err != nil {
			return m, err
		}
		x.act.replaced[s.Partition] = append(x.act.replaced[s.Partition], s.FileID)
		m.FilesRemoved++
		if s.Base != nil {
			m.BytesRemoved += s.Base.Size
		}
	}
	n, err := x.count(ctx, list)
	m.Deleted = n
	return m, err
}

// count is the number of rows of slices.
func (x *tx) count(ctx context.Context, list []*fileSlice) (int64, error) {
	if len(list) == 0 {
		return 0, nil
	}
	id := newRowID()
	rows, err := x.base.rows(ctx, list, nil, &id)
	if err != nil {
		return 0, err
	}
	n := rel.NewColumn("n", types.Long)
	r, err := x.engine.Query(ctx, &rel.Aggregate{In: rows, Aggs: []rel.Computed{{Column: n, Expr: &rel.Agg{Name: "count", Args: []rel.Expr{long(1)}, T: types.Long}}}})
	if err != nil {
		return 0, err
	}
	defer r.Release()
	var total int64
	for r.Next() {
		counts, ok := r.RecordBatch().Column(0).(*array.Int64)
		if !ok {
			return 0, errors.New("the engine gave a count of another type")
		}
		for i := range counts.Len() {
			total += counts.Value(i)
		}
	}
	return total, r.Err()
}

// deleteWhere deletes the rows for which a condition holds.
func (x *tx) deleteWhere(ctx context.Context, c lake.Overwrite) (lake.Metrics, error) {
	if err := x.mergeable(); err != nil {
		return lake.Metrics{}, err
	}
	id := newRowID()
	rows, err := x.view.Scan(ctx, rel.Want{Columns: used(c.Where, c.Target), Where: c.Where, RowID: &id})
	if err != nil {
		return lake.Metrics{}, err
	}
	op := rel.NewColumn("op", types.String)
	p := &rel.Project{In: &rel.Filter{In: rows, Cond: c.Where}, Cols: []rel.Computed{{Column: id, Expr: id.Ref()}, {Column: op, Expr: text("D")}}}
	return x.edit(ctx, lake.Edit{Rows: p, Op: op.ID, RowID: id.ID, Where: c.Where, Target: c.Target})
}

// exchange deletes the rows for which a condition holds, one by one, and adds others.
func (x *tx) exchange(ctx context.Context, rows rel.Node, c lake.Overwrite) (lake.Metrics, error) {
	if b, err := x.bucketIndex(); err != nil || b != nil {
		return lake.Metrics{}, cmp.Or(err, x.unbucketed("a part of the rows of a file group cannot be overwritten in a table with a bucket index"))
	}
	m, err := x.deleteWhere(ctx, c)
	if err != nil {
		return m, err
	}
	if _, err := x.begin(ctx, x.kind(), opUpsert); err != nil {
		return m, err
	}
	l, err := x.layoutOf()
	if err != nil {
		return m, err
	}
	f, err := x.incoming(rows, c.Columns)
	if err != nil {
		return m, err
	}
	more, err := x.insertNew(ctx, l, l.fresh(f, x.act, f.rows), c.FileSize)
	return sum(m, more), err
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

// slicesWhere are the slices of which a condition chooses rows, and whether it chooses all of their rows.
func (x *tx) slicesWhere(ctx context.Context, where rel.Expr, target []rel.Column) (out []*fileSlice, whole bool, err error) {
	id := newRowID()
	rows, err := x.view.rows(ctx, x.view.slices, target, &id)
	if err != nil {
		return nil, false, err
	}
	number, holds := rel.NewColumn("number", types.Long), rel.NewColumn("holds", types.Boolean)
	yes := &rel.Call{Name: "coalesce", Args: []rel.Expr{where, &rel.Lit{T: types.Boolean, Value: false}}, T: types.Boolean}
	r, err := x.engine.Query(ctx, &rel.Aggregate{In: rows, Keys: []rel.Computed{{Column: number, Expr: &rel.Field{X: id.Ref(), Index: 0}}, {Column: holds, Expr: yes}}})
	if err != nil {
		return nil, false, err
	}
	defer r.Release()
	chosen, left := map[int64]bool{}, map[int64]bool{}
	for r.Next() {
		numbers, ok1 := r.RecordBatch().Column(0).(*array.Int64)
		flags, ok2 := r.RecordBatch().Column(1).(*array.Boolean)
		if !ok1 || !ok2 {
			return nil, false, errors.New("the engine gave slice numbers of another type")
		}
		for i := range numbers.Len() {
			if flags.Value(i) {
				chosen[numbers.Value(i)] = true
			} else {
				left[numbers.Value(i)] = true
			}
		}
	}
	if err := r.Err(); err != nil {
		return nil, false, err
	}
	whole = true
	for n := range chosen {
		whole = whole && !left[n]
		out = append(out, x.base.slices[n])
	}
	return out, whole, nil
}

// deletePartitions takes whole partitions out of the table: those that an option names, in which * stands for any text, else those
// of the rows.
func (x *tx) deletePartitions(ctx context.Context, rows rel.Node, columns []rel.ID) (lake.Metrics, error) {
	named := splitNames(x.options.text("", "hoodie.datasource.write.partitions.to.delete"))
	gone := map[string]bool{}
	if len(named) == 0 {
		f, err := x.incoming(rows, columns)
		if err != nil {
			return lake.Metrics{}, err
		}
		if gone, err = x.pathsOf(ctx, f); err != nil {
			return lake.Metrics{}, err
		}
	}
	var list []*fileSlice
	for _, s := range x.base.slices {
		if gone[s.Partition] || slices.ContainsFunc(named, func(pattern string) bool { return matches(pattern, s.Partition) }) {
			list = append(list, s)
		}
	}
	if _, err := x.begin(ctx, timeline.ReplaceCommit, opDeletePartition); err != nil {
		return lake.Metrics{}, err
	}
	return x.replace(ctx, list)
}

// matches reports whether a path has the form of a pattern.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return path.Clean(pattern) == text
	}
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(text, p)
		if i < 0 {
			return false
		}
		text = text[i+len(p):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}
