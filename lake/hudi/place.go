package hudi

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// carryOut does what a change says: on copy-on-write tables the slices with changed rows are written anew, on merge-on-read ones
// changes go to log files. New rows fill small base files, and the others make new file groups.
func (x *tx) carryOut(ctx context.Context, f *freshRows, e *edits, mayFill bool, fileSize int64) (lake.Metrics, error) {
	l, err := x.layoutOf()
	if err != nil {
		return lake.Metrics{}, err
	}
	if err := x.collectGone(ctx, f, e); err != nil {
		return lake.Metrics{}, err
	}
	var filled fills
	bucketed := f.bucket.ID != 0
	if e.inserted > 0 && mayFill && l.small > 0 && !bucketed && !x.needsKeys(l) {
		if filled, err = x.fill(ctx, l, f, e); err != nil {
			return lake.Metrics{}, err
		}
	}
	var anew, logged []*sliceEdit
	for _, s := range e.touched() {
		if x.merges() && (bucketed || s.inserted == 0) {
			logged = append(logged, s)
		} else {
			anew = append(anew, s)
		}
	}
	m, err := x.rewrite(ctx, l, anew, f, filled)
	if err != nil {
		return m, err
	}
	more, err := x.log(ctx, l, logged, f)
	if m = sum(m, more); err != nil {
		return m, err
	}
	var placed int64
	for _, s := range e.touched() {
		placed += s.inserted
	}
	if placed < e.inserted {
		more, err = x.insertNew(ctx, l, x.elsewhere(l, f, filled), fileSize)
		m = sum(m, more)
	}
	m.Inserted, m.Updated, m.Deleted, m.Ignored = e.inserted, e.updated, e.deleted, e.ignored
	return m, err
}

// fill chooses for each partition with new rows a small base file that can take all of them, and counts them there.
func (x *tx) fill(ctx context.Context, l *layout, f *freshRows, e *edits) (fills, error) {
	if err := x.mayGrow(); err != nil {
		return nil, err
	}
	small := map[string]*fileSlice{}
	for _, s := range x.base.slices {
		if !x.takesRows(l, s) || x.logsOnly(e.slices[s.Number]) {
			continue
		}
		if old := small[s.Partition]; old == nil || s.Base.Size < old.Base.Size {
			small[s.Partition] = s
		}
	}
	if len(small) == 0 {
		return nil, nil
	}
	counts, err := x.countByPath(ctx, f)
	if err != nil {
		return nil, err
	}
	out := fills{}
	for path, n := range counts {
		s := small[path]
		if s == nil || n > x.room(ctx, l, s) {
			continue
		}
		out[path] = s.Number
		edit, err := e.slice(x.slices(), s.Number)
		if err != nil {
			return nil, err
		}
		edit.inserted = n
	}
	return out, nil
}

// logsOnly reports whether the changes of a slice must go to a log, because the new rows are not whole: readers complete them.
func (x *tx) logsOnly(s *sliceEdit) bool {
	return x.merges() && x.rule().partial() && s != nil && s.updated > 0
}

// takesRows reports whether new rows may fill the base file of a slice.
func (x *tx) takesRows(l *layout, s *fileSlice) bool {
	return s.Base != nil && len(s.Logs) == 0 && s.Base.Size < l.small && !x.busy(s)
}

// room is how many rows a base file can take until it has its full size, judged by those that it has.
func (x *tx) room(ctx context.Context, l *layout, s *fileSlice) int64 {
	f, err := x.table.bucket.Open(ctx, s.Base.Path)
	if err != nil {
		return 0
	}
	defer f.Close()
	p, err := parquet.Open(f, s.Base.Size, parquet.Limits{})
	if err != nil || p.Rows() == 0 {
		return 0
	}
	return (l.limit - s.Base.Size) / max(s.Base.Size/p.Rows(), 1)
}

// countByPath counts new rows by their partition path.
func (x *tx) countByPath(ctx context.Context, f *freshRows) (map[string]int64, error) {
	path, n := rel.NewColumn("path", types.String), rel.NewColumn("n", types.Long)
	r, err := x.engine.Query(ctx, &rel.Aggregate{In: f.inserts(),
		Keys: []rel.Computed{{Column: path, Expr: f.path.Ref()}},
		Aggs: []rel.Computed{{Column: n, Expr: &rel.Agg{Name: "count", Args: []rel.Expr{long(1)}, T: types.Long}}}})
	if err != nil {
		return nil, err
	}
	defer r.Release()
	out := map[string]int64{}
	for r.Next() {
		b := r.RecordBatch()
		paths, ok1 := b.Column(0).(*array.String)
		counts, ok2 := b.Column(1).(*array.Int64)
		if !ok1 || !ok2 {
			return nil, errors.New("the engine gave counts of another type")
		}
		for i := range paths.Len() {
			out[paths.Value(i)] = counts.Value(i)
		}
	}
	return out, r.Err()
}
