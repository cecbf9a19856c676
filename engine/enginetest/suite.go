// Package enginetest is the suite that every engine passes: what package engine promises, by trees that
// need no more than operators and the plainest aggregates.
//
// An engine's test calls [Run] with a function that opens a fresh engine.
package enginetest

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// Run tests an engine. open gives a fresh one, which Run closes.
func Run(t *testing.T, open func(t *testing.T) engine.Engine) {
	for _, tt := range []struct {
		name string
		f    func(*testing.T, engine.Engine)
	}{
		{"Constants", testConstants},
		{"Nodes", testNodes},
		{"Subqueries", testSubqueries},
		{"OpenReaders", testOpenReaders},
		{"NullOrder", testNullOrder},
		{"Stream", testStream},
		{"StreamError", testStreamError},
		{"Hold", testHold},
		{"EveryType", testEveryType},
		{"Statistics", testStatistics},
		{"LongText", testLongText},
		{"NestedStatistics", testNestedStatistics},
		{"Partitions", testPartitions},
		{"FileSize", testFileSize},
		{"NoRows", testNoRows},
		{"Memory", testMemoryBucket},
		{"Mapping", testMapping},
		{"FieldIDs", testFieldIDs},
		{"UnmarkedText", testUnmarkedText},
		{"RowIDs", testRowIDs},
		{"HiddenRows", testHiddenRows},
		{"FileConstants", testFileConstants},
		{"OddNames", testOddNames},
		{"MissingFile", testMissingFile},
		{"Rules", testRules},
		{"Keys", testKeys},
		{"Required", testRequired},
		{"FailedWrite", testFailedWrite},
		{"FaultyBucket", testFaultyBucket},
		{"Cancel", testCancel},
		{"Closed", testClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := open(t)
			defer func() {
				if err := x.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			tt.f(t, x)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rows gives the rows of n as JSON arrays.
func rows(ctx context.Context, x engine.Engine, n rel.Node) ([]string, error) {
	r, err := x.Query(ctx, n)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	var out []string
	for r.Next() {
		b := r.RecordBatch()
		for i := range int(b.NumRows()) {
			row := make([]any, b.NumCols())
			for j, c := range b.Columns() {
				row[j] = c.GetOneForMarshal(i)
				if f, ok := c.(*array.Float64); ok && f.IsValid(i) {
					row[j] = f.ValueStr(i)
				}
			}
			s, err := json.Marshal(row)
			if err != nil {
				return nil, err
			}
			out = append(out, string(s))
		}
	}
	return out, r.Err()
}

// expect compares the rows of n, in any order.
func expect(t *testing.T, x engine.Engine, n rel.Node, want ...string) {
	t.Helper()
	got, err := rows(t.Context(), x, n)
	must(t, err)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// table is a tree of constant rows.
func table(cols []rel.Column, rows ...[]types.Value) *rel.Values {
	n := &rel.Values{Cols: cols}
	for _, r := range rows {
		xs := make([]rel.Expr, len(cols))
		for i, c := range cols {
			xs[i] = &rel.Lit{T: c.Type, Value: r[i]}
		}
		n.Rows = append(n.Rows, xs)
	}
	return n
}

func longs(name string, vs ...int64) *rel.Values {
	rows := make([][]types.Value, len(vs))
	for i, v := range vs {
		rows[i] = []types.Value{v}
	}
	return table([]rel.Column{rel.NewColumn(name, types.Long)}, rows...)
}

// numbers are the whole numbers below n.
func numbers(n int64) rel.Node {
	return &rel.TableFunc{Name: "range", Args: []rel.Expr{long(0), long(n)}, Cols: []rel.Column{rel.NewColumn("id", types.Long)}}
}

func long(v int64) rel.Expr { return &rel.Lit{T: types.Long, Value: v} }

func call(name string, t types.Type, args ...rel.Expr) rel.Expr {
	return &rel.Call{Name: name, Args: args, T: t, Null: true}
}

// fresh gives the columns of n new numbers.
func fresh(n rel.Node) *rel.Project {
	p := &rel.Project{In: n}
	for _, c := range n.Columns() {
		p.Cols = append(p.Cols, rel.Computed{Column: rel.NewColumn(c.Name, c.Type), Expr: c.Ref()})
	}
	return p
}

// dest stores all columns of n under their names, with statistics.
func dest(b storage.Bucket, n rel.Node) engine.Dest {
	d := engine.Dest{Bucket: b, Prefix: "part-", Suffix: ".parquet"}
	for _, c := range n.Columns() {
		d.Columns = append(d.Columns, engine.DestColumn{ID: c.ID, Field: c.Field(), Stats: true})
	}
	return d
}

// scan reads files that hold columns like those of n.
func scan(files []rel.File, n rel.Node, more ...rel.ScanColumn) *rel.Scan {
	s := &rel.Scan{Format: "parquet", Files: files}
	for _, c := range n.Columns() {
		s.Cols = append(s.Cols, rel.ScanColumn{Column: rel.NewColumn(c.Name, c.Type), File: c.Field()})
	}
	s.Cols = append(s.Cols, more...)
	return s
}

func local(t *testing.T) storage.Bucket {
	t.Helper()
	b, err := storage.OpenLocal(t.TempDir())
	must(t, err)
	return b
}

// names lists the files of a bucket.
func names(t *testing.T, b storage.Bucket) []string {
	t.Helper()
	var out []string
	for i, err := range b.List(t.Context(), "", "") {
		must(t, err)
		out = append(out, i.Name)
	}
	return out
}
