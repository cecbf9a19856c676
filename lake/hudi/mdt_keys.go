package hudi

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// movedKeys are the keys that the write has put into new places, and those that no row has any more: what a record index is told.
func (x *tx) movedKeys(ctx context.Context) (iter.Seq2[string, *metadata.Location], iter.Seq[string], error) {
	came, err := timeline.ParseTime(x.act.instant.Time, x.table.zone())
	if err != nil {
		return nil, nil, err
	}
	type place struct {
		key string
		at  *metadata.Location
	}
	var placed []place
	for _, m := range x.act.made {
		if m.stat.IsLog() || m.stat.NumInserts == 0 && x.act.operation != opCluster {
			continue
		}
		at := &metadata.Location{Partition: m.stat.Partition, FileID: m.stat.FileID, Instant: came.UnixMilli(), Position: -1}
		err := x.eachText(ctx, x.newKeys(m), func(k string) { placed = append(placed, place{strings.Clone(k), at}) })
		if err != nil {
			return nil, nil, err
		}
	}
	gone := x.act.gone
	if replaced := x.replacedSlices(); len(replaced) > 0 {
		id := rel.Column{ID: rel.NewID(), Name: "row id", Type: rowIDType}
		rows, err := x.base.rows(ctx, replaced, nil, &id)
		if err == nil {
			key := rel.NewColumn("key", types.String)
			rows = &rel.Project{In: rows, Cols: []rel.Computed{{Column: key, Expr: &rel.Field{X: id.Ref(), Index: 2}}}}
			err = x.eachText(ctx, rows, func(k string) { gone = append(gone, strings.Clone(k)) })
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return func(yield func(string, *metadata.Location) bool) {
		for _, p := range placed {
			if !yield(p.key, p.at) {
				return
			}
		}
	}, slices.Values(gone), nil
}

// newKeys is the keys of a base file's rows that were not in its file group before.
func (x *tx) newKeys(m madeFile) rel.Node {
	key, time := rel.NewColumn(recordKeyColumn, types.String), rel.NewColumn(commitTimeColumn, types.String)
	scan := &rel.Scan{Format: "parquet", Files: []rel.File{m.file}}
	for _, c := range []rel.Column{key, time} {
		scan.Cols = append(scan.Cols, rel.ScanColumn{Column: c, From: rel.InFile, File: types.Field{Name: c.Name, Type: c.Type}})
	}
	var in rel.Node = scan
	if x.act.operation != opCluster { // rows that were only copied have the time of an older commit
		in = &rel.Filter{In: scan, Cond: equals(time.Ref(), text(x.act.instant.Time))}
	}
	return &rel.Project{In: in, Cols: []rel.Computed{{Column: key, Expr: key.Ref()}}}
}

// replacedSlices are the slices that the write takes out of the table.
func (x *tx) replacedSlices() (out []*FileSlice) {
	for _, s := range x.base.slices {
		if slices.Contains(x.act.replaced[s.Partition], s.FileID) {
			out = append(out, s)
		}
	}
	return out
}

// eachText calls f for each value of a tree of one column of texts.
func (x *tx) eachText(ctx context.Context, rows rel.Node, f func(string)) error {
	r, err := x.engine.Query(ctx, rows)
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
		texts, ok := r.RecordBatch().Column(0).(*array.String)
		if !ok {
			return fmt.Errorf("the engine gave keys of type %s", r.RecordBatch().Column(0).DataType())
		}
		for i := range texts.Len() {
			f(texts.Value(i))
		}
	}
	return r.Err()
}

// maxLocated is how many keys a record index is asked for; of more it is quicker to look at all rows.
const maxLocated = 200_000

// located leaves out the slices that have no key of f, where the write goes by a record index and the table has one.
func (x *tx) located(ctx context.Context, f *freshRows, list []*FileSlice) ([]*FileSlice, error) {
	kind, m := strings.ToUpper(x.options.text("", "hoodie.index.type")), x.base.metadata
	if kind != "RECORD_INDEX" && kind != "GLOBAL_RECORD_LEVEL_INDEX" || m == nil || !m.Has(metadata.RecordIndexPartition) || len(list) == 0 {
		return list, nil
	}
	var keys []string
	err := x.eachText(ctx, &rel.Project{In: f.rows, Cols: []rel.Computed{{Column: rel.NewColumn("key", types.String), Expr: f.key.Ref()}}}, func(k string) {
		if len(keys) <= maxLocated {
			keys = append(keys, strings.Clone(k))
		}
	})
	if err != nil || len(keys) > maxLocated {
		return list, err
	}
	places, err := m.Locate(ctx, keys)
	if err != nil {
		return list, ctx.Err() // an index that cannot be used tells nothing
	}
	groups := map[timeline.FileGroup]bool{}
	for _, l := range places {
		groups[timeline.FileGroup{Partition: l.Partition, FileID: l.FileID}] = true
	}
	return slices.DeleteFunc(list, func(s *FileSlice) bool {
		return !groups[timeline.FileGroup{Partition: s.Partition, FileID: s.FileID}]
	}), nil
}

// collectGone remembers the keys of deleted rows, where a record index must forget them.
func (x *tx) collectGone(ctx context.Context, f *freshRows, e *edits) error {
	if e.deleted == 0 || !slices.Contains(x.config().MetadataPartitions, metadata.RecordIndexPartition) {
		return nil
	}
	key := rel.NewColumn("key", types.String)
	rows := &rel.Project{In: &rel.Filter{In: f.rows, Cond: equals(f.code.Ref(), code(deleteOp))}, Cols: []rel.Computed{{Column: key, Expr: f.key.Ref()}}}
	return x.eachText(ctx, rows, func(k string) { x.act.gone = append(x.act.gone, strings.Clone(k)) })
}
