package duckdb

import (
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// TestRowGroupEndsWithBatch has a row group become full by the first of two runs of one file in a batch: it ends behind the second,
// whose rows are in the columns already.
func TestRowGroupEndsWithBatch(t *testing.T) {
	e, err := Open(Options{Memory: 256 << 20, Threads: 2, Spill: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	b, err := storage.OpenLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	to := engine.Dest{Bucket: b, Columns: []engine.DestColumn{{ID: rel.NewID(), Field: types.Field{Name: "id", Type: types.Long, Nullable: true}}},
		Key: rel.NewID(), Name: func(key string, n int) string { return key + ".parquet" }}
	st, err := e.stage(to)
	if err != nil {
		t.Fatal(err)
	}
	defer st.remove()
	codec, err := parquet.NewCodec("snappy")
	if err != nil {
		t.Fatal(err)
	}
	s := newFileSet(st, codec, 2)
	s.options.GroupRows = 1000
	for range 3 {
		if err := s.write(t.Context(), keyedBatch(1100, 300, 900)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, made := range s.done {
		f, err := os.Open(made.from)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		p, err := parquet.Open(f, info.Size(), parquet.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int64{true: 6000, false: 900}[strings.HasPrefix(made.Path, "a")]; p.Rows() != want {
			t.Errorf("%s has %d rows, not %d", made.Path, p.Rows(), want)
		}
	}
}

// keyedBatch is runs of rows of the keys a and b in turn, of the given lengths.
func keyedBatch(runs ...int) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "key", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for k, n := range runs {
		for i := range n {
			b.Field(0).(*array.Int64Builder).Append(int64(i))
			b.Field(1).(*array.StringBuilder).Append(string(rune('a' + k%2)))
		}
	}
	return b.NewRecordBatch()
}
