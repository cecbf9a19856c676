package hudi

import (
	"context"
	"fmt"
	"iter"
	"path"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// What a table has already, for an index that begins: the engine reads the rows.

// present is what the last state of the table has for a partition of the metadata table. columns are those of bounds.
func (v *indexing) present(ctx context.Context, partition string, columns []string) (c metadata.Changes, err error) {
	switch partition {
	case metadata.RecordIndexPartition:
		c.Keys, err = v.presentKeys(ctx)
	case metadata.BloomFiltersPartition:
		err = v.eachBase(&c, func(s *fileSlice, f *metadata.NewFile) (err error) {
			f.Filter, err = v.filterOf(ctx, s.Base.Path)
			return err
		})
	case metadata.ColumnStatsPartition, metadata.PartitionStatsPartition:
		bounds, err := v.presentBounds(ctx, columns)
		if err != nil {
			return c, err
		}
		live := map[string][]string{}
		for _, s := range v.base.slices {
			for _, f := range sliceFiles(s) {
				live[s.Partition] = append(live[s.Partition], path.Base(f))
			}
		}
		c.Live, c.Empty = func(partition string) []string { return live[partition] }, v.table.isEmpty
		return c, v.eachBase(&c, func(s *fileSlice, f *metadata.NewFile) error {
			f.Bounds = bounds[s.Number]
			return nil
		})
	}
	return c, err
}

// eachBase adds the base files of the last state to c, with what more says of each.
func (v *indexing) eachBase(c *metadata.Changes, more func(*fileSlice, *metadata.NewFile) error) error {
	for _, s := range v.base.slices {
		if s.Base == nil {
			continue
		}
		f := metadata.NewFile{FileRef: metadata.FileRef{Partition: s.Partition, Name: path.Base(s.Base.Path)}, Size: s.Base.Size}
		if err := more(s, &f); err != nil {
			return err
		}
		c.Added = append(c.Added, f)
	}
	return nil
}

// presentKeys are the keys of all rows, in their order, and where the rows are.
func (v *indexing) presentKeys(ctx context.Context) (iter.Seq2[metadata.PlacedKey, error], error) {
	places := make([]*metadata.Location, len(v.base.slices))
	for _, s := range v.base.slices {
		came, err := timeline.ParseTime(s.Instant(), v.table.zone())
		if err != nil {
			return nil, err
		}
		places[s.Number] = &metadata.Location{Partition: s.Partition, FileID: s.FileID, Instant: came.UnixMilli(), Position: -1}
	}
	id := newRowID()
	rows, err := v.base.rows(ctx, v.base.slices, nil, &id)
	if err != nil {
		return nil, err
	}
	key, place := rel.NewColumn("key", types.String), rel.NewColumn("place", types.Long)
	sorted := &rel.Sort{In: &rel.Project{In: rows, Cols: []rel.Computed{{Column: key, Expr: &rel.Field{X: id.Ref(), Index: 2}}, {Column: place, Expr: &rel.Field{X: id.Ref(), Index: 0}}}},
		By: []rel.Order{{Expr: key.Ref()}, {Expr: place.Ref()}}}
	return func(yield func(metadata.PlacedKey, error) bool) {
		w := placedKeys{places: places, yield: yield}
		if err := w.read(ctx, v.tx, sorted); err != nil && !w.stopped {
			yield(metadata.PlacedKey{}, err)
		}
	}, nil
}

// presentBounds are the bounds of columns in the base files, by the number of the slice. Logs have none: nobody skips a file without.
func (v *indexing) presentBounds(ctx context.Context, columns []string) (map[int64][]metadata.Bounds, error) {
	var list []measured
	for _, name := range columns {
		i := v.base.schema.Index(name)
		if i < 0 {
			if strings.Contains(name, ".") {
				return nil, fmt.Errorf("bounds of %s, which is a part of a column, are not supported", name)
			}
			continue
		}
		if t := v.base.schema.Fields[i].Type; metadata.Bounded(t, v.config().Version) {
			c := rel.Column{ID: rel.NewID(), Name: name, Type: t, Nullable: true}
			list = append(list, measured{name: name, column: c, value: c.Ref(), t: t})
		}
	}
	return v.measure(ctx, list)
}

// measured is a value of rows that is bounded by file: a column, or what is computed from one.
type measured struct {
	name   string // that the bounds get
	column rel.Column
	value  rel.Expr
	t      types.Type
}

// measure bounds values in the base files, by the number of the slice.
func (v *indexing) measure(ctx context.Context, list []measured) (map[int64][]metadata.Bounds, error) {
	out := map[int64][]metadata.Bounds{}
	var bases []*fileSlice
	for _, s := range v.base.slices {
		if s.Base == nil {
			continue
		}
		bases = append(bases, s)
		for _, m := range list { // of files without rows the engine tells nothing
			out[s.Number] = append(out[s.Number], metadata.Bounds{Column: m.name, Type: m.t})
		}
	}
	if len(bases) == 0 || len(list) == 0 {
		return out, nil
	}
	var columns []rel.Column
	for _, m := range list {
		columns = append(columns, m.column)
	}
	id := newRowID()
	rows, err := v.base.baseRows(bases, columns, &id, nil)
	if err != nil {
		return nil, err
	}
	agg := &rel.Aggregate{In: rows, Keys: []rel.Computed{{Column: rel.NewColumn("file", types.Long), Expr: &rel.Field{X: id.Ref(), Index: 0}}}}
	add := func(name string, arg rel.Expr, t types.Type) {
		agg.Aggs = append(agg.Aggs, rel.Computed{Column: rel.NewColumn(name, t), Expr: &rel.Agg{Name: name, Args: []rel.Expr{arg}, T: t, Null: name != "count"}})
	}
	add("count", long(1), types.Long)
	for _, m := range list {
		add("count", m.value, types.Long)
		add("min", m.value, m.t)
		add("max", m.value, m.t)
	}
	r, err := v.engine.Query(ctx, agg)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	for r.Next() {
		if err := readMeasures(r.RecordBatch(), list, out); err != nil {
			return nil, err
		}
	}
	return out, r.Err()
}

// readMeasures takes from b, by row: the number of the file, of its rows, and of each value how many there are, the least and the greatest.
func readMeasures(b arrow.RecordBatch, list []measured, out map[int64][]metadata.Bounds) error {
	numbers := func(column int) *array.Int64 { a, _ := b.Column(column).(*array.Int64); return a }
	for row := range int(b.NumRows()) {
		file, rows := numbers(0).Value(row), numbers(1).Value(row)
		for i := range list {
			bound := &out[file][i]
			at := 2 + 3*i
			bound.Values, bound.Nulls = rows, rows-numbers(at).Value(row)
			var err error
			if bound.Min, err = types.ValueAt(b.Column(at+1), row, list[i].t); err == nil {
				bound.Max, err = types.ValueAt(b.Column(at+2), row, list[i].t)
			}
			if err != nil {
				return fmt.Errorf("bounds of %s: %w", list[i].name, err)
			}
		}
	}
	return nil
}
