package enginetest

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// write stores n in a bucket of its own.
func write(t *testing.T, x engine.Engine, n rel.Node) []rel.File {
	t.Helper()
	files, err := x.Write(t.Context(), n, dest(local(t), n))
	must(t, err)
	return files
}

// testMapping reads files whose columns have other names and narrower types than the table's, or lack
// columns.
func testMapping(t *testing.T, x engine.Engine) {
	stored := types.Struct{Fields: []types.Field{{Name: "p1", Type: types.Int, Nullable: true}}}
	wider := types.Struct{Fields: []types.Field{{Name: "P2", Type: types.Long, Nullable: true}, {Name: "p1", Type: types.Long, Nullable: true}}}
	shown := types.Struct{Fields: []types.Field{{Name: "new", Type: types.Long, Nullable: true}, {Name: "old", Type: types.Long, Nullable: true}}}
	n := table([]rel.Column{rel.NewColumn("col-1", types.Int), rel.NewColumn("col-2", stored), rel.NewColumn("col-3", types.Array{Elem: stored})},
		[]types.Value{int64(7), []types.Value{int64(8)}, []types.Value{[]types.Value{int64(9)}}}, []types.Value{nil, nil, nil})
	files := write(t, x, n)
	in := func(name string, t types.Type, file types.Field) rel.ScanColumn {
		return rel.ScanColumn{Column: rel.NewColumn(name, t), File: file}
	}
	s := &rel.Scan{Format: "parquet", Files: files, Cols: []rel.ScanColumn{
		in("a", types.Long, types.Field{Name: "col-1", Type: types.Long}),
		in("s", shown, types.Field{Name: "col-2", Type: wider}),
		in("l", types.Array{Elem: shown}, types.Field{Name: "col-3", Type: types.Array{Elem: wider}}),
		in("none", types.String, types.Field{Name: "col-9", Type: types.String}),
	}}
	expect(t, x, s, `[7,{"new":null,"old":8},[{"new":null,"old":9}],null]`, `[null,null,null,null]`)
}

func testFieldIDs(t *testing.T, x engine.Engine) {
	n := table([]rel.Column{rel.NewColumn("a", types.Int), rel.NewColumn("b", types.Int)}, []types.Value{int64(1), int64(2)})
	id := func(f types.Field, id int) types.Field {
		f.Metadata = f.Metadata.With(rel.FieldIDKey, id)
		return f
	}
	d := dest(local(t), n)
	d.Columns[0].Field, d.Columns[1].Field = id(d.Columns[0].Field, 10), id(d.Columns[1].Field, 20)
	files, err := x.Write(t.Context(), n, d)
	must(t, err)
	s := &rel.Scan{Format: "parquet", Files: files, Cols: []rel.ScanColumn{
		{Column: rel.NewColumn("x", types.Int), File: id(types.Field{Name: "other", Type: types.Int}, 20)},
		{Column: rel.NewColumn("y", types.Int), File: id(types.Field{Name: "a", Type: types.Int}, 99)},
	}}
	expect(t, x, s, "[2,null]")
}

// testRowIDs: a row id is the number of its file and the position in it.
func testRowIDs(t *testing.T, x engine.Engine) {
	for _, ids := range [][]int64{{5, 6}, {30, 4}} {
		a, b := write(t, x, longs("v", 10, 11))[0], write(t, x, longs("v", 20))[0]
		a.ID, b.ID = ids[0], ids[1]
		s := scan([]rel.File{a, b}, longs("v"), rel.ScanColumn{Column: rel.NewColumn("id", rel.RowIDType), From: rel.RowID})
		expect(t, x, s, fmt.Sprintf(`[10,{"file":%d,"pos":0}]`, ids[0]), fmt.Sprintf(`[11,{"file":%d,"pos":1}]`, ids[0]), fmt.Sprintf(`[20,{"file":%d,"pos":0}]`, ids[1]))
		id := s.Cols[1]
		pos := &rel.Field{X: id.Ref(), Index: 1}
		expect(t, x, &rel.Filter{In: s, Cond: call("=", types.Boolean, pos, long(1))}, fmt.Sprintf(`[11,{"file":%d,"pos":1}]`, ids[0]))
	}
}

// testUnmarkedText: text that a file holds as bare bytes is text where the table says so.
func testUnmarkedText(t *testing.T, x engine.Engine) {
	n := table([]rel.Column{rel.NewColumn("s", types.Binary), rel.NewColumn("v", types.Long)}, []types.Value{[]byte("é\\x41 longer than twelve"), int64(1)})
	files := write(t, x, n)
	expect(t, x, scan(files, &rel.Values{Cols: []rel.Column{rel.NewColumn("s", types.String), rel.NewColumn("v", types.Long)}}), `["é\\x41 longer than twelve",1]`)
}

// positions is a rel.RowSet.
type positions []uint64

func (p positions) Contains(pos uint64) bool { return slices.Contains(p, pos) }
func (p positions) Len() uint64              { return uint64(len(p)) }
func (p positions) All() iter.Seq[uint64]    { return slices.Values(p) }

func testHiddenRows(t *testing.T, x engine.Engine) {
	a, b := write(t, x, numbers(300_000))[0], write(t, x, numbers(10))[0]
	a.ID, b.ID = 1, 2
	a.Hidden = positions{0, 1, 63, 64, 299_999}
	s := scan([]rel.File{a, b}, longs("id"), rel.ScanColumn{Column: rel.NewColumn("id", rel.RowIDType), From: rel.RowID})
	expect(t, x, count(s), "[300005]")
	v := s.Cols[0]
	expect(t, x, count(&rel.Filter{In: s, Cond: call("<", types.Boolean, v.Ref(), long(66))}), "[72]")
	b.Hidden = positions{3}
	s = scan([]rel.File{b}, longs("id"))
	expect(t, x, s, "[0]", "[1]", "[2]", "[4]", "[5]", "[6]", "[7]", "[8]", "[9]")
	b.Hidden = positions{0, 1, 2, 3, 5, 6, 7, 8, 9, 1 << 62}
	expect(t, x, scan([]rel.File{b}, longs("id")), "[4]")
	b.Hidden = positions{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000}
	expect(t, x, scan([]rel.File{b}, longs("id")))
}

// testFileConstants: names and partition values differ from file to file, NULL among them.
func testFileConstants(t *testing.T, x engine.Engine) {
	var files []rel.File
	var want []string
	for i, p := range []types.Value{"x", nil, "x", "it's"} {
		f := write(t, x, longs("v", int64(i)))[0]
		f.Partition = []types.Value{int64(-i), p}
		files = append(files, f)
		s := "null"
		if p != nil {
			s = `"` + p.(string) + `"`
		}
		want = append(want, fmt.Sprintf(`[%d,%s,%d,"%s"]`, i, s, -i, f.Path))
	}
	testConstantTypes(t, x, files[:2])
	s := scan(files, longs("v"),
		rel.ScanColumn{Column: rel.NewColumn("p", types.String), From: rel.InPartition, Part: 1},
		rel.ScanColumn{Column: rel.NewColumn("q", types.Long), From: rel.InPartition, Part: 0},
		rel.ScanColumn{Column: rel.NewColumn("f", types.String), From: rel.FileName})
	expect(t, x, s, want...)
	expect(t, x, &rel.Aggregate{In: s, Keys: []rel.Computed{{Column: rel.NewColumn("k", types.String), Expr: s.Cols[1].Ref()}}}, `["it's"]`, `["x"]`, `[null]`)
}

// testConstantTypes gives two files unequal partition values of each type.
func testConstantTypes(t *testing.T, x engine.Engine, files []rel.File) {
	for _, s := range samples() {
		if !types.Atomic(s.typ) {
			continue
		}
		a, b := files[0], files[1]
		a.Partition, b.Partition = []types.Value{s.v}, []types.Value{nil}
		c := rel.ScanColumn{Column: rel.NewColumn("p", s.typ), From: rel.InPartition}
		expect(t, x, scan([]rel.File{a, b}, &rel.Values{}, c), "["+s.json+"]", "[null]")
	}
}

// testOddNames: wildcards in names stand for themselves.
func testOddNames(t *testing.T, x engine.Engine) {
	b := local(t)
	n := longs("v", 1)
	var files []rel.File
	for _, dir := range []string{"a[12]*?", "a1", "p=1", "it's {x} $1"} {
		d := dest(b, n)
		d.Dir = dir
		f, err := x.Write(t.Context(), n, d)
		must(t, err)
		if !strings.HasPrefix(f[0].Path, dir+"/") {
			t.Errorf("%s is not in %s", f[0].Path, dir)
		}
		files = append(files, f...)
	}
	for _, f := range files {
		expect(t, x, scan([]rel.File{f}, n), "[1]")
	}
	expect(t, x, count(scan(files, n)), "[4]")
}

func testMissingFile(t *testing.T, x engine.Engine) {
	b := local(t)
	f := rel.File{Bucket: b, Path: "gone.parquet"}
	var e *engine.Error
	if _, err := rows(t.Context(), x, scan([]rel.File{f}, longs("v"))); !errors.As(err, &e) || e.Class != "FAILED_READ_FILE.FILE_NOT_EXIST" || !strings.HasSuffix(e.Params["path"], "gone.parquet") {
		t.Errorf("%v", err)
	}
	must(t, storage.WriteFile(t.Context(), b, "bad.parquet", storage.Exclusive, []byte("PAR1 is not a file of that kind PAR1")))
	f.Path = "bad.parquet"
	if _, err := rows(t.Context(), x, scan([]rel.File{f}, longs("v"))); !errors.As(err, &e) || e.Class != "FAILED_READ_FILE.NO_HINT" || !strings.HasSuffix(e.Params["path"], "bad.parquet") {
		t.Errorf("%v", err)
	}
	must(t, storage.WriteFile(t.Context(), b, "empty.parquet", storage.Exclusive, nil))
	f.Path = "empty.parquet"
	if _, err := rows(t.Context(), x, scan([]rel.File{f}, longs("v"))); !errors.As(err, &e) || e.Class != "FAILED_READ_FILE.NO_HINT" || !strings.HasSuffix(e.Params["path"], "empty.parquet") {
		t.Errorf("%v", err)
	}
	f.Path = "../../etc/passwd"
	if _, err := rows(t.Context(), x, scan([]rel.File{f}, longs("v"))); err == nil {
		t.Error("a path out of the bucket was read")
	}
}
