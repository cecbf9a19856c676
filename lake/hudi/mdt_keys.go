package hudi

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// movedKeys are the keys that the write has put into new places, and those that no row has any more: what a record index is told.
// The engine sorts them, so that they need no memory here.
func (x *tx) movedKeys(ctx context.Context) (iter.Seq2[metadata.PlacedKey, error], error) {
	came, err := timeline.ParseTime(x.act.instant.Time, x.table.zone())
	if err != nil {
		return nil, err
	}
	var places []*metadata.Location
	var files []rel.File
	for _, m := range x.act.made {
		if m.stat.IsLog() || m.stat.NumInserts == 0 && x.act.operation != opCluster {
			continue
		}
		m.file.ID = int64(len(places))
		files = append(files, m.file)
		places = append(places, &metadata.Location{Partition: m.stat.Partition, FileID: m.stat.FileID, Instant: came.UnixMilli(), Position: -1})
	}
	parts := []rel.Node{x.deletedKeys()}
	if len(files) > 0 {
		parts = append(parts, x.newKeys(files))
	}
	if replaced := x.replacedSlices(); len(replaced) > 0 {
		n, err := x.replacedKeys(ctx, replaced)
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
	}
	key, place := rel.NewColumn("key", types.String), rel.NewColumn("place", types.Long)
	sorted := &rel.Sort{In: union([]rel.Column{key, place}, parts), By: []rel.Order{{Expr: key.Ref()}, {Expr: place.Ref()}}}
	return func(yield func(metadata.PlacedKey, error) bool) {
		w := placedKeys{places: places, yield: yield}
		if err := w.read(ctx, x, sorted); err != nil && !w.stopped {
			yield(metadata.PlacedKey{}, err)
		}
	}, nil
}

// placedKeys passes on the last place of each key.
type placedKeys struct {
	places  []*metadata.Location
	yield   func(metadata.PlacedKey, error) bool
	stopped bool
	some    bool // there is a key
	key     string
	place   int64
}

func (w *placedKeys) read(ctx context.Context, x *tx, sorted rel.Node) error {
	r, err := x.engine.Query(ctx, sorted)
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
		b := r.RecordBatch()
		keys, ok1 := b.Column(0).(*array.String)
		places, ok2 := b.Column(1).(*array.Int64)
		if !ok1 || !ok2 {
			return fmt.Errorf("the engine gave keys of type %s and places of type %s", b.Column(0).DataType(), b.Column(1).DataType())
		}
		for i := range keys.Len() {
			if key := keys.Value(i); !w.some || key != w.key {
				if !w.flush() {
					return nil
				}
				w.some, w.key = true, strings.Clone(key)
			}
			w.place = places.Value(i)
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	w.flush()
	return nil
}

// flush passes the key on, if there is one; false when nobody wants more.
func (w *placedKeys) flush() bool {
	if !w.some {
		return true
	}
	p := metadata.PlacedKey{Key: w.key}
	if w.place >= 0 {
		p.At = w.places[w.place]
	}
	w.stopped = !w.yield(p, nil)
	return !w.stopped
}

// nowhere is the place of keys that are gone: below all others.
const nowhere = -1

// deletedKeys is the keys of deleted rows, nowhere.
func (x *tx) deletedKeys() rel.Node {
	keys, places := array.NewStringBuilder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
	for _, k := range x.act.gone {
		keys.Append(k)
		places.Append(nowhere)
	}
	return arrays([]rel.Column{rel.NewColumn("key", types.String), rel.NewColumn("place", types.Long)}, keys.NewArray(), places.NewArray())
}

// replacedKeys is the keys of the rows of replaced slices, nowhere.
func (x *tx) replacedKeys(ctx context.Context, replaced []*fileSlice) (rel.Node, error) {
	id := newRowID()
	rows, err := x.base.rows(ctx, replaced, nil, &id)
	if err != nil {
		return nil, err
	}
	return &rel.Project{In: rows, Cols: []rel.Computed{{Column: rel.NewColumn("key", types.String), Expr: &rel.Field{X: id.Ref(), Index: 2}},
		{Column: rel.NewColumn("place", types.Long), Expr: long(nowhere)}}}, nil
}

// newKeys is the keys of the rows of base files that were not in their file groups before, and the number of the file.
func (x *tx) newKeys(files []rel.File) rel.Node {
	key, time := rel.NewColumn(recordKeyColumn, types.String), rel.NewColumn(commitTimeColumn, types.String)
	scan := &rel.Scan{Format: "parquet", Files: files}
	for _, c := range []rel.Column{key, time} {
		scan.Cols = append(scan.Cols, rel.ScanColumn{Column: c, From: rel.InFile, File: types.Field{Name: c.Name, Type: c.Type}})
	}
	row := rel.Column{ID: rel.NewID(), Name: "row", Type: rel.RowIDType}
	scan.Cols = append(scan.Cols, rel.ScanColumn{Column: row, From: rel.RowID})
	var in rel.Node = scan
	if x.act.operation != opCluster { // rows that were only copied have the time of an older commit
		in = &rel.Filter{In: scan, Cond: equals(time.Ref(), text(x.act.instant.Time))}
	}
	return &rel.Project{In: in, Cols: []rel.Computed{{Column: rel.NewColumn("key", types.String), Expr: key.Ref()},
		{Column: rel.NewColumn("place", types.Long), Expr: &rel.Field{X: row.Ref(), Index: 0}}}}
}

// replacedSlices are the slices that the write takes out of the table.
func (x *tx) replacedSlices() (out []*fileSlice) {
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

// collectGone remembers the keys of deleted rows, where a record index must forget them.
func (x *tx) collectGone(ctx context.Context, f *freshRows, e *edits) error {
	if e.deleted == 0 {
		return nil
	}
	if !slices.Contains(x.config().MetadataPartitions, metadata.RecordIndexPartition) {
		x.act.forgot = true
		return nil
	}
	key := rel.NewColumn("key", types.String)
	rows := &rel.Project{In: &rel.Filter{In: f.rows, Cond: equals(f.code.Ref(), code(deleteOp))}, Cols: []rel.Computed{{Column: key, Expr: f.key.Ref()}}}
	return x.eachText(ctx, rows, func(k string) { x.act.gone = append(x.act.gone, strings.Clone(k)) })
}
