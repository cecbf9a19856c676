package enginetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// testRules writes every type by rules that formats have, and reads it back.
func testRules(t *testing.T, x engine.Engine) {
	var cols []rel.Column
	var full, empty []types.Value
	var json, nulls []string
	for i, s := range samples() {
		cols = append(cols, rel.NewColumn(fmt.Sprintf("c %d", i), s.typ))
		full, empty = append(full, s.v), append(empty, nil)
		json, nulls = append(json, s.json), append(nulls, "null")
	}
	n := table(cols, full, empty)
	for _, p := range []engine.Physical{
		{V1: true, FixedDecimals: true}, {V1: true, FixedDecimals: true, Codec: "zstd"}, {Required: true, Codec: "gzip"},
		{Schema: "hive_schema", Codec: "uncompressed"},
	} {
		for _, b := range []storage.Bucket{local(t), storage.NewMem()} {
			d := dest(b, n)
			d.Physical = p
			files, err := x.Write(t.Context(), n, d)
			must(t, err)
			if len(files) != 1 || files[0].Rows != 2 || files[0].Size <= 0 || files[0].ModTime <= 0 {
				t.Fatalf("%+v", files)
			}
			expect(t, x, scan(files, n), "["+strings.Join(json, ",")+"]", "["+strings.Join(nulls, ",")+"]")
		}
	}
}

// keyed is a destination of rows with the columns k, v and seq, by k; seq is made.
func keyed(b storage.Bucket, n rel.Node) engine.Dest {
	d := dest(b, n)
	d.Key = n.Columns()[0].ID
	d.Columns[2].Made = engine.Sequence
	d.Columns = append(d.Columns, engine.DestColumn{Made: engine.FileName, Field: types.Field{Name: "file", Type: types.String, Nullable: true}})
	d.Name = func(key string, n int) string { return fmt.Sprintf("dir/%s_%d.parquet", key, n) }
	d.Sequence = func(name string) string { return name + "#" }
	return d
}

// watcher is an observer that keeps what it sees.
type watcher struct {
	rows   []string
	broken error
}

func (w *watcher) Rows(columns []arrow.Array) error {
	for i := range columns[0].Len() {
		row := ""
		for _, c := range columns {
			row += c.ValueStr(i) + "|"
		}
		w.rows = append(w.rows, row)
	}
	return w.broken
}

func (w *watcher) Footer() (map[string]string, error) {
	return map[string]string{"rows": fmt.Sprint(len(w.rows))}, nil
}

// testKeys spreads rows over files by a column, names and numbers them, and watches them.
func testKeys(t *testing.T, x engine.Engine) {
	n := table([]rel.Column{rel.NewColumn("k", types.String), rel.NewColumn("v", types.Long), rel.NewColumn("seq", types.String)},
		[]types.Value{"b", int64(1), nil}, []types.Value{"b", int64(2), "old"}, []types.Value{"a", int64(3), nil}, []types.Value{"b", int64(4), nil})
	for _, b := range []storage.Bucket{local(t), storage.NewMem()} {
		seen := map[string]*watcher{}
		d := keyed(b, n)
		d.Observe = func(name string) engine.Observer {
			seen[name] = new(watcher)
			return seen[name]
		}
		files, err := x.Write(t.Context(), n, d)
		must(t, err)
		if want := []string{"dir/a_0.parquet", "dir/b_0.parquet"}; !slices.Equal(names(t, b), want) || len(files) != 2 {
			t.Fatalf("%q %v", names(t, b), files)
		}
		byKey := map[string]rel.File{}
		for _, f := range files {
			byKey[f.Key] = f
			if want := "dir/" + f.Key + "_0.parquet"; f.Path != want {
				t.Errorf("key %s is in %s", f.Key, f.Path)
			}
		}
		if got, want := byKey["b"].Stats["v"], (rel.Range{Min: int64(1), Max: int64(4), Exact: true}); !reflect.DeepEqual(got, want) || byKey["b"].Rows != 3 {
			t.Errorf("%+v of %d rows", got, byKey["b"].Rows)
		}
		s := scan(files, &rel.Values{Cols: append(n.Cols[:3:3], rel.NewColumn("file", types.String))})
		expect(t, x, s, `["a",3,"dir/a_0.parquet#0","a_0.parquet"]`, `["b",1,"dir/b_0.parquet#0","b_0.parquet"]`,
			`["b",2,"old","b_0.parquet"]`, `["b",4,"dir/b_0.parquet#2","b_0.parquet"]`)
		want := []string{"b|1|dir/b_0.parquet#0|b_0.parquet|", "b|2|old|b_0.parquet|", "b|4|dir/b_0.parquet#2|b_0.parquet|"}
		if got := seen["dir/b_0.parquet"].rows; !slices.Equal(got, want) || len(seen) != 2 {
			t.Errorf("seen %q", got)
		}
		// The names are taken now.
		if _, err := x.Write(t.Context(), n, d); err == nil {
			t.Error("files are written twice")
		}
		if got := names(t, b); len(got) != 2 {
			t.Errorf("%q", got)
		}
		broken := errors.New("the watcher broke")
		d.Name = func(key string, n int) string { return "other/" + key }
		d.Observe = func(name string) engine.Observer { return &watcher{broken: broken} }
		if _, err := x.Write(t.Context(), n, d); !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
		if got := names(t, b); len(got) != 2 {
			t.Errorf("%q", got)
		}
	}
	testManyKeys(t, x)
}

// testManyKeys interleaves the rows of a thousand keys, and ends files by their size.
func testManyKeys(t *testing.T, x engine.Engine) {
	n := numbers(20_000)
	id := n.Columns()[0]
	key := &rel.Cast{X: call("%", types.Long, id.Ref(), long(1000)), To: types.String, Mode: rel.ANSI}
	q := &rel.Project{In: n, Cols: []rel.Computed{{Column: rel.NewColumn("k", types.String), Expr: key}, {Column: rel.NewColumn("id", types.Long), Expr: id.Ref()},
		{Column: rel.NewColumn("seq", types.String), Expr: &rel.Lit{T: types.String}}}}
	d := keyed(local(t), q)
	files, err := x.Write(t.Context(), q, d)
	must(t, err)
	if len(files) != 1000 {
		t.Fatalf("%d files", len(files))
	}
	s := scan(files, &rel.Values{Cols: append(q.Columns()[:3:3], rel.NewColumn("file", types.String))})
	own := &rel.Filter{In: s, Cond: call("=", types.Boolean, s.Cols[3].Ref(), call("concat", types.String, s.Cols[0].Ref(), &rel.Lit{T: types.String, Value: "_0.parquet"}))}
	expect(t, x, count(own), "[20000]")
	for _, f := range files {
		if f.Rows != 20 {
			t.Fatalf("%d rows of key %s", f.Rows, f.Key)
		}
	}
	d.Bucket, d.FileSize = local(t), 1
	d.Key = 0
	files, err = x.Write(t.Context(), q, d)
	must(t, err)
	total := int64(0)
	for i, f := range files {
		if total += f.Rows; f.Path != fmt.Sprintf("dir/_%d.parquet", i) {
			t.Errorf("file %d is %s", i, f.Path)
		}
	}
	if len(files) < 2 || total != 20_000 {
		t.Errorf("%d files of %d rows", len(files), total)
	}
}

// testRequired: a NULL in a column that may have none is an error that names it.
func testRequired(t *testing.T, x engine.Engine) {
	n := table([]rel.Column{rel.NewColumn("may", types.Long), rel.NewColumn("must", types.Long)}, []types.Value{nil, int64(1)}, []types.Value{int64(1), nil})
	b := local(t)
	d := dest(b, n)
	d.Columns[0].Field.Nullable, d.Columns[1].Field.Nullable = true, false
	d.Physical.Required = true
	if _, err := x.Write(t.Context(), n, d); err == nil || !strings.Contains(err.Error(), "column must") {
		t.Errorf("%v", err)
	}
	if got := names(t, b); len(got) > 0 {
		t.Errorf("files are left: %q", got)
	}
}
