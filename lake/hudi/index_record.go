package hudi

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// A write that goes by the record index of the metadata table asks it where the rows of its keys are:
//
//	keys ─▶ record_index ─▶ file slices ─┬─ logs take the changes: no base file is read
//	                                     └─ else: the rows of these slices alone are looked at

// maxLocated is how many keys a record index is asked for; of more it is quicker to look at all rows.
const maxLocated = 200_000

// byRecordIndex reports whether the write asks for the record index and the table has one.
func (x *tx) byRecordIndex() bool {
	return namesRecordIndex(x.indexType()) && x.base.metadata != nil && x.base.metadata.Has(metadata.RecordIndexPartition)
}

// locate is the slices of the rows that the record index has for the keys of f; nil when the index cannot tell.
func (x *tx) locate(ctx context.Context, f *freshRows) (map[string]*fileSlice, error) {
	if !x.byRecordIndex() {
		return nil, nil
	}
	var keys []string
	column := rel.NewColumn("key", types.String)
	err := x.eachText(ctx, &rel.Project{In: f.rows, Cols: []rel.Computed{{Column: column, Expr: f.key.Ref()}}}, func(k string) {
		if len(keys) <= maxLocated {
			keys = append(keys, strings.Clone(k))
		}
	})
	if err != nil || len(keys) > maxLocated {
		return nil, err
	}
	return x.base.locate(ctx, keys)
}

// locate is the slices of the rows that the record index has for keys; nil when it cannot tell: what it says of file groups that
// are not there is worth nothing.
func (s *Snapshot) locate(ctx context.Context, keys []string) (map[string]*fileSlice, error) {
	places, err := s.metadata.Locate(ctx, keys)
	if err != nil {
		return nil, ctx.Err()
	}
	groups := make(map[timeline.FileGroup]*fileSlice, len(s.slices))
	for _, slice := range s.slices {
		groups[timeline.FileGroup{Partition: slice.Partition, FileID: slice.FileID}] = slice
	}
	out := make(map[string]*fileSlice, len(places))
	for key, at := range places {
		slice := groups[timeline.FileGroup{Partition: at.Partition, FileID: at.FileID}]
		if slice == nil {
			return nil, nil
		}
		out[key] = slice
	}
	return out, nil
}

// logsTell reports whether changes can be written to logs without a look at the stored rows: readers merge them, and a deletion does
// not depend on the row that it deletes.
func (x *tx) logsTell(f *freshRows, op operation) bool {
	if !x.merges() || x.foldings != nil {
		return false
	}
	never, ok := x.deletion(f, op).(*rel.Lit)
	return ok && never.Value == false || len(x.orderingColumns()) == 0
}

// asKnown is located rows by their slices alone: their positions are those of rows of logs, numbers without a meaning. Only slices that may be written anew,
// because new rows fill them, are read; they are small.
func (x *tx) asKnown(ctx context.Context, located map[string]*fileSlice) (*knownRows, error) {
	l, err := x.layoutOf()
	if err != nil {
		return nil, err
	}
	keys, files, positions := array.NewStringBuilder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
	small := map[*fileSlice]bool{}
	for key, slice := range located {
		if x.takesRows(l, slice) {
			small[slice] = true
			continue
		}
		positions.Append(-1 - int64(keys.Len()))
		files.Append(slice.Number)
		keys.Append(key)
	}
	k := newKnownRows()
	columns := []rel.Column{k.key, k.file, k.pos}
	parts := []rel.Node{arrays(fresh(columns), keys.NewArray(), files.NewArray(), positions.NewArray())}
	if len(small) > 0 {
		id := newRowID()
		rows, err := x.base.rows(ctx, slices.Collect(maps.Keys(small)), nil, &id)
		if err != nil {
			return nil, err
		}
		p := &rel.Project{In: rows}
		for i, c := range fresh(columns) {
			p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: &rel.Field{X: id.Ref(), Index: (i + 2) % 3}}) // of file, pos, key
		}
		parts = append(parts, p)
	}
	k.rows = union(columns, parts)
	return k, nil
}

// arrays is rows that are in memory, by column.
func arrays(columns []rel.Column, values ...arrow.Array) *rel.Stream {
	rows := int64(values[0].Len())
	open := func(_ context.Context, wanted []int) (array.RecordReader, error) {
		fields, chosen := make([]arrow.Field, len(wanted)), make([]arrow.Array, len(wanted))
		for i, c := range wanted {
			fields[i], chosen[i] = arrow.Field{Name: columns[c].Name, Type: values[c].DataType()}, values[c]
		}
		schema := arrow.NewSchema(fields, nil)
		return array.NewRecordReader(schema, []arrow.RecordBatch{array.NewRecordBatch(schema, chosen, rows)})
	}
	return &rel.Stream{Cols: columns, Rows: rows, Open: open}
}
