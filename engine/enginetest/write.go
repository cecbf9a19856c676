package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// testEveryType writes one column of each type, with NULLs, and reads it back.
func testEveryType(t *testing.T, x engine.Engine) {
	var cols []rel.Column
	var full, empty []types.Value
	var json, nulls []string
	for i, s := range samples() {
		cols = append(cols, rel.NewColumn(fmt.Sprintf("c %d", i), s.typ))
		full, empty = append(full, s.v), append(empty, nil)
		json, nulls = append(json, s.json), append(nulls, "null")
	}
	n := table(cols, full, empty)
	b := local(t)
	files, err := x.Write(t.Context(), n, dest(b, n))
	must(t, err)
	if len(files) != 1 || files[0].Rows != 2 || files[0].Size <= 0 || files[0].ModTime <= 0 {
		t.Fatalf("%+v", files)
	}
	if got := names(t, b); !slices.Equal(got, []string{files[0].Path}) || !strings.HasPrefix(got[0], "part-") || !strings.HasSuffix(got[0], ".parquet") {
		t.Errorf("files %q", got)
	}
	expect(t, x, scan(files, n), "["+strings.Join(json, ",")+"]", "["+strings.Join(nulls, ",")+"]")
	expect(t, x, count(scan(files, n)), "[2]")
}

func dec(v int64) decimal128.Num { return decimal128.FromI64(v) }

// testStatistics checks the ranges of each kind of column.
func testStatistics(t *testing.T, x engine.Engine) {
	for _, tt := range []struct {
		typ  types.Type
		vs   []types.Value
		want rel.Range
	}{
		{types.Boolean, []types.Value{true, false}, rel.Range{Min: false, Max: true, Exact: true}},
		{types.Byte, []types.Value{int64(-3), int64(5), nil}, rel.Range{Min: int64(-3), Max: int64(5), Nulls: 1, Exact: true}},
		{types.Short, []types.Value{int64(-3), int64(5)}, rel.Range{Min: int64(-3), Max: int64(5), Exact: true}},
		{types.Int, []types.Value{int64(math.MinInt32), int64(5)}, rel.Range{Min: int64(math.MinInt32), Max: int64(5), Exact: true}},
		{types.Long, []types.Value{int64(math.MinInt64), int64(math.MaxInt64)}, rel.Range{Min: int64(math.MinInt64), Max: int64(math.MaxInt64), Exact: true}},
		{types.Float, []types.Value{float32(1.5), float32(-2)}, rel.Range{Min: float32(-2), Max: float32(1.5), Exact: true}},
		{types.Double, []types.Value{math.Inf(-1), math.Inf(1)}, rel.Range{Min: math.Inf(-1), Max: math.Inf(1), Exact: true}},
		{types.Double, []types.Value{1.0, math.NaN(), 0.1}, rel.Range{Min: 0.1, Max: 1.0, NaN: true, Exact: true}},
		{types.Double, []types.Value{math.NaN()}, rel.Range{NaN: true}},
		{types.Decimal{P: 4, S: 2}, []types.Value{dec(-150), dec(99)}, rel.Range{Min: dec(-150), Max: dec(99), Exact: true}},
		{types.Decimal{P: 18, S: 3}, []types.Value{dec(-1), dec(1)}, rel.Range{Min: dec(-1), Max: dec(1), Exact: true}},
		{types.Decimal{P: 38, S: 0}, []types.Value{decimal128.New(1, 0), dec(7)}, rel.Range{Min: dec(7), Max: decimal128.New(1, 0), Exact: true}},
		{types.String, []types.Value{"b", "a'\"", nil, ""}, rel.Range{Min: "", Max: "b", Nulls: 1, Exact: true}},
		{types.String, []types.Value{nil, nil}, rel.Range{Nulls: 2}},
		{types.Date, []types.Value{int32(-1), int32(19000)}, rel.Range{Min: int32(-1), Max: int32(19000), Exact: true}},
		{types.Timestamp, []types.Value{int64(-1), int64(1600000000123456)}, rel.Range{Min: int64(-1), Max: int64(1600000000123456), Exact: true}},
		{types.TimestampNTZ, []types.Value{int64(0), int64(1500000)}, rel.Range{Min: int64(0), Max: int64(1500000), Exact: true}},
	} {
		var rs [][]types.Value
		for _, v := range tt.vs {
			rs = append(rs, []types.Value{v})
		}
		n := table([]rel.Column{rel.NewColumn(`odd "name".x`, tt.typ)}, rs...)
		files, err := x.Write(t.Context(), n, dest(storage.NewMem(), n))
		must(t, err)
		got := files[0].Stats[`odd "name".x`]
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v %v: %+v, want %+v", tt.typ, tt.vs, got, tt.want)
		}
	}
}

// testLongText: bounds of long texts may be cut, and then say so.
func testLongText(t *testing.T, x engine.Engine) {
	lo, hi := strings.Repeat("é", 400), strings.Repeat("\U0010ffff", 300)
	n := table([]rel.Column{rel.NewColumn("s", types.String)}, []types.Value{lo}, []types.Value{hi})
	files, err := x.Write(t.Context(), n, dest(storage.NewMem(), n))
	must(t, err)
	r := files[0].Stats["s"]
	if r.Exact {
		t.Errorf("cut bounds are called exact: %v", r)
	}
	if m, ok := r.Min.(string); ok && m > lo {
		t.Errorf("min %q", m)
	}
	if m, ok := r.Max.(string); ok && m < hi {
		t.Errorf("max %q", m)
	}
}

func testNestedStatistics(t *testing.T, x engine.Engine) {
	inner := types.Struct{Fields: []types.Field{{Name: "x", Type: types.Int, Nullable: true}, {Name: "l", Type: types.Array{Elem: types.Int}, Nullable: true}}}
	st := types.Struct{Fields: []types.Field{{Name: "in", Type: inner, Nullable: true}, {Name: "y", Type: types.String, Nullable: true}}}
	n := table([]rel.Column{rel.NewColumn("s", st)},
		[]types.Value{[]types.Value{[]types.Value{int64(3), []types.Value{int64(1)}}, "q"}},
		[]types.Value{[]types.Value{nil, "p"}}, []types.Value{nil})
	d := dest(local(t), n)
	files, err := x.Write(t.Context(), n, d)
	must(t, err)
	want := map[string]rel.Range{
		"s.in.x": {Min: int64(3), Max: int64(3), Nulls: 2, Exact: true},
		"s.y":    {Min: "p", Max: "q", Nulls: 1, Exact: true},
	}
	if got := files[0].Stats; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	d.Columns[0].Stats = false
	files, err = x.Write(t.Context(), n, d)
	must(t, err)
	if len(files[0].Stats) > 0 {
		t.Errorf("statistics that were not asked for: %v", files[0].Stats)
	}
}

// testPartitions spreads rows over folders by values of every type that may be one, odd ones included.
func testPartitions(t *testing.T, x engine.Engine) {
	for _, tt := range []struct {
		typ    types.Type
		v      types.Value
		folder string
	}{
		{types.String, "a b/é=%'\":", "p=a b%2Fé%3D%25%27%22%3A"},
		{types.String, "", "p=__HIVE_DEFAULT_PARTITION__"},
		{types.String, nil, "p=__HIVE_DEFAULT_PARTITION__"},
		{types.Boolean, true, "p=true"},
		{types.Byte, int64(-1), "p=-1"},
		{types.Long, int64(math.MinInt64), "p=-9223372036854775808"},
		{types.Double, 1.5, "p=1.5"},
		{types.Double, 2.0, "p=2.0"},
		{types.Float, float32(0.1), "p=0.1"},
		{types.Decimal{P: 10, S: 2}, dec(-150), "p=-1.50"},
		{types.Date, int32(18262), "p=2020-01-01"},
		{types.Timestamp, int64(1577836800500000), "p=2020-01-01 00%3A00%3A00.5"},
		{types.TimestampNTZ, int64(0), "p=1970-01-01 00%3A00%3A00"},
		{types.Binary, []byte("x/"), "p=x%2F"},
	} {
		testPartition(t, x, engine.Physical{}, tt.typ, tt.v, tt.folder)
		testPartition(t, x, engine.Physical{FixedDecimals: true}, tt.typ, tt.v, tt.folder)
	}
	testManyPartitions(t, x)
}

func testPartition(t *testing.T, x engine.Engine, p engine.Physical, typ types.Type, v types.Value, folder string) {
	t.Helper()
	b := local(t)
	n := table([]rel.Column{rel.NewColumn("p", typ), rel.NewColumn("v", types.Long)}, []types.Value{v, int64(1)}, []types.Value{v, int64(2)})
	d := dest(b, n)
	d.Partition, d.Dir, d.Physical = []int{0}, "data", p
	files, err := x.Write(t.Context(), n, d)
	must(t, err)
	if len(files) != 1 || !strings.HasPrefix(files[0].Path, "data/"+folder+"/part-") {
		t.Errorf("%v %v: %v, want the folder %s", typ, v, files, folder)
		return
	}
	if got := files[0].Partition; !reflect.DeepEqual(got, []types.Value{v}) {
		t.Errorf("%v: partition values %v, want %v", typ, got, v)
	}
	s := scan(files, &rel.Values{Cols: n.Cols[1:]}, rel.ScanColumn{Column: rel.NewColumn("p", typ), From: rel.InPartition})
	c := s.Cols[1]
	expect(t, x, count(&rel.Filter{In: s, Cond: call("<=>", types.Boolean, c.Ref(), &rel.Lit{T: typ, Value: v})}), "[2]")
}

// testManyPartitions interleaves the rows of many folders.
func testManyPartitions(t *testing.T, x engine.Engine) {
	for _, p := range []engine.Physical{{}, {Required: true}} {
		manyPartitions(t, x, p)
	}
}

func manyPartitions(t *testing.T, x engine.Engine, rules engine.Physical) {
	n := numbers(1000)
	id := n.Columns()[0]
	p := rel.NewColumn("p", types.Long)
	q := &rel.Project{In: n, Cols: []rel.Computed{{Column: p, Expr: call("-", types.Long, id.Ref(), id.Ref())}, {Column: rel.NewColumn("id", types.Long), Expr: id.Ref()}}}
	q.Cols[0].Expr = &rel.Case{T: types.Long, Whens: []rel.When{{If: call("<", types.Boolean, id.Ref(), long(200)), Then: long(1)}}, Else: id.Ref()}
	d := dest(local(t), q)
	d.Partition, d.Physical = []int{0}, rules
	files, err := x.Write(t.Context(), q, d)
	must(t, err)
	if len(files) != 801 {
		t.Errorf("%d files", len(files))
	}
	s := scan(files, &rel.Values{Cols: q.Columns()[1:]}, rel.ScanColumn{Column: rel.NewColumn("p", types.Long), From: rel.InPartition})
	wrong := &rel.Filter{In: s, Cond: call("and", types.Boolean, call(">=", types.Boolean, s.Cols[0].Ref(), long(200)),
		call("not", types.Boolean, call("=", types.Boolean, s.Cols[0].Ref(), s.Cols[1].Ref())))}
	expect(t, x, count(wrong), "[0]")
	expect(t, x, count(s), "[1000]")
}

func testFileSize(t *testing.T, x engine.Engine) {
	n := numbers(1_000_000)
	d := dest(local(t), n)
	d.FileSize = 1 << 20
	d.Physical.V1 = true // Parquet 2 stores rising numbers in almost no space
	files, err := x.Write(t.Context(), n, d)
	must(t, err)
	total := int64(0)
	for _, f := range files {
		total += f.Rows
	}
	if len(files) < 2 || total != 1_000_000 {
		t.Errorf("%d files of %d rows", len(files), total)
	}
}

// testNoRows: no rows make no file.
func testNoRows(t *testing.T, x engine.Engine) {
	n := longs("a")
	b := local(t)
	files, err := x.Write(t.Context(), n, dest(b, n))
	must(t, err)
	if len(files) != 0 || len(names(t, b)) != 0 {
		t.Errorf("%v %v", files, names(t, b))
	}
	expect(t, x, scan(nil, n))
}

// testMemoryBucket writes to and reads from a bucket that is no directory.
func testMemoryBucket(t *testing.T, x engine.Engine) {
	b := storage.NewMem()
	n := table([]rel.Column{rel.NewColumn("p", types.String), rel.NewColumn("v", types.Long)},
		[]types.Value{"x", int64(1)}, []types.Value{"y", int64(2)})
	d := dest(b, n)
	d.Partition = []int{0}
	files, err := x.Write(t.Context(), n, d)
	must(t, err)
	if len(files) != 2 || len(names(t, b)) != 2 {
		t.Fatalf("%v %v", files, names(t, b))
	}
	expect(t, x, scan(files, &rel.Values{Cols: n.Cols[1:]}, rel.ScanColumn{Column: rel.NewColumn("p", types.String), From: rel.InPartition}), `[1,"x"]`, `[2,"y"]`)
}

// testFailedWrite: an error while rows are computed leaves nothing.
func testFailedWrite(t *testing.T, x engine.Engine) {
	b := local(t)
	s := stream(5000)
	inner := s.Open
	s.Open = func(ctx context.Context, want []int) (r arrayReader, err error) {
		if r, err = inner(ctx, want); err == nil {
			r = &breaking{arrayReader: r, left: 3}
		}
		return r, err
	}
	for _, set := range []func(d *engine.Dest){
		func(*engine.Dest) {}, func(d *engine.Dest) { d.Partition = []int{1} }, func(d *engine.Dest) { d.Physical.FixedDecimals = true },
		func(d *engine.Dest) { d.Physical.FixedDecimals, d.Partition = true, []int{1} },
	} {
		d := dest(b, s)
		set(&d)
		if _, err := x.Write(t.Context(), s, d); !errors.Is(err, errBroken) {
			t.Errorf("%v", err)
		}
		if got := names(t, b); len(got) > 0 {
			t.Errorf("files are left: %q", got)
		}
	}
}

// testFaultyBucket lets each operation of the bucket fail in turn: the write fails, removes what it had stored
// and works when it is tried again; so does a read.
func testFaultyBucket(t *testing.T, x engine.Engine) {
	faultyBucket(t, x, engine.Physical{})
	faultyBucket(t, x, engine.Physical{FixedDecimals: true})
}

func faultyBucket(t *testing.T, x engine.Engine, rules engine.Physical) {
	mem, faults := storage.NewMem(), &storage.Faults{}
	b := storage.Faulty(mem, faults)
	n := table([]rel.Column{rel.NewColumn("p", types.String), rel.NewColumn("v", types.Long)},
		[]types.Value{"x", int64(1)}, []types.Value{"y", int64(2)})
	d := dest(b, n)
	d.Partition, d.Physical = []int{0}, rules
	broken := errors.New("the store broke")
	fails := 0
	for op := 1; ; op++ {
		faults.Fail(op, storage.Before, broken)
		files, err := x.Write(t.Context(), n, d)
		hit := faults.Hit()
		faults.Clear()
		if !hit {
			must(t, err)
			must(t, b.Remove(t.Context(), files[0].Path, files[1].Path))
			break
		}
		if fails++; !errors.Is(err, broken) {
			t.Errorf("operation %d: %v", op, err)
		}
		if left := names(t, mem); len(left) > 0 {
			t.Errorf("operation %d: %q is left", op, left)
			must(t, mem.Remove(t.Context(), left...))
		}
	}
	if fails == 0 {
		t.Error("no operation failed")
	}
	files, err := x.Write(t.Context(), n, d)
	must(t, err)
	s := scan(files, &rel.Values{Cols: n.Cols[1:]})
	faults.Fail(2, storage.Before, broken)
	if _, err := rows(t.Context(), x, s); !errors.Is(err, broken) {
		t.Errorf("read: %v", err)
	}
	faults.Clear()
	expect(t, x, s, "[1]", "[2]")
}

// testCancel: a cancelled statement ends within a second with the context's error and leaves nothing.
func testCancel(t *testing.T, x engine.Engine) {
	a, b := numbers(1_000_000), numbers(1_000_000)
	endless := &rel.Join{Left: a, Right: b}
	bucket := local(t)
	for name, f := range map[string]func(context.Context) error{
		"query": func(ctx context.Context) error { _, err := rows(ctx, x, count(endless)); return err },
		"write": func(ctx context.Context) error { _, err := x.Write(ctx, endless, dest(bucket, endless)); return err },
		"write by rules": func(ctx context.Context) error {
			d := dest(bucket, endless)
			d.Physical.FixedDecimals, d.Columns[1].Field.Name = true, "other"
			_, err := x.Write(ctx, endless, d)
			return err
		},
		"hold": func(ctx context.Context) error { _, _, err := x.Hold(ctx, count(endless)); return err },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var at time.Time
		time.AfterFunc(100*time.Millisecond, func() { at = time.Now(); cancel() })
		err := f(ctx)
		if late := time.Since(at); !errors.Is(err, context.Canceled) || late > time.Second {
			t.Errorf("%s: %v after %v", name, err, late)
		}
	}
	if got := names(t, bucket); len(got) > 0 {
		t.Errorf("files are left: %q", got)
	}
	expect(t, x, longs("a", 1), "[1]")
}

func testClosed(t *testing.T, x engine.Engine) {
	must(t, x.Close())
	if _, err := x.Query(t.Context(), longs("a", 1)); err == nil {
		t.Error("a closed engine answers")
	}
}
