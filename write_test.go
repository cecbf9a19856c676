package tarn

import (
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// batches is two batches of three rows in all, in memory that must be free in the end.
func batches(t *testing.T, mem memory.Allocator) array.RecordReader {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "name", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	var list []arrow.RecordBatch
	for _, rows := range [][]int64{{1, 2}, {3}} {
		b := array.NewRecordBuilder(mem, schema)
		b.Field(0).(*array.Int64Builder).AppendValues(rows, nil)
		for _, id := range rows {
			if name := b.Field(1).(*array.StringBuilder); id == 2 {
				name.AppendNull()
			} else {
				name.Append(string(rune('a' + id)))
			}
		}
		list = append(list, b.NewRecordBatch())
		b.Release()
	}
	r, err := array.NewRecordReader(schema, list)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range list {
		b.Release()
	}
	return r
}

// TestWriteBatches writes Arrow batches by all three ways to name a table, and frees them, after an error too.
func TestWriteBatches(t *testing.T) {
	s, ctx := openTest(t).Session(), context.Background()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	path := t.TempDir() + "/at"
	for _, write := range []func(Writer) (*Receipt, error){
		func(w Writer) (*Receipt, error) { return w.SaveAsTable(ctx, "t") },
		func(w Writer) (*Receipt, error) { return w.Mode(Append).SaveAsTable(ctx, "t") },
		func(w Writer) (*Receipt, error) { return w.InsertInto(ctx, "t") },
		func(w Writer) (*Receipt, error) { return w.PartitionBy("id").Save(ctx, path) },
		func(w Writer) (*Receipt, error) { return w.Mode(Overwrite).Save(ctx, path) },
	} {
		r, err := write(s.WriteBatches(batches(t, mem)))
		if err != nil || r.Inserted != 3 {
			t.Fatalf("%v, %v", r, err)
		}
	}
	if _, err := s.WriteBatches(batches(t, mem)).SaveAsTable(ctx, "t"); err == nil {
		t.Error("a table that is there was made again")
	}
	for from, want := range map[string][3]int64{"t": {9, 18, 6}, "delta.`" + path + "`": {3, 6, 2}} {
		rows, err := s.Query(ctx, "SELECT count(*), sum(id), count(name) FROM "+from)
		if err != nil {
			t.Fatal(err)
		}
		var got [3]int64
		if !rows.Next() || rows.Scan(&got[0], &got[1], &got[2]) != nil || got != want {
			t.Errorf("%s has %v, want %v; %v", from, got, want, rows.Err())
		}
		rows.Close()
	}
}
