package enginetest

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// sample is a value of a type and how it is told.
type sample struct {
	typ  types.Type
	v    types.Value
	json string
}

var nested = types.Struct{Fields: []types.Field{
	{Name: "a", Type: types.Int, Nullable: true},
	{Name: "b c", Type: types.Array{Elem: types.Struct{Fields: []types.Field{{Name: "d", Type: types.String, Nullable: true}}}, Nullable: true}, Nullable: true}}}

// samples has at least one value of each type that files can hold.
func samples() []sample {
	return []sample{
		{types.Boolean, true, `true`},
		{types.Byte, int64(-128), `-128`},
		{types.Short, int64(32767), `32767`},
		{types.Int, int64(math.MinInt32), `-2147483648`},
		{types.Long, int64(math.MinInt64), `-9223372036854775808`},
		{types.Float, float32(1.5), `1.5`},
		{types.Double, 0.1, `"0.1"`},
		{types.Decimal{P: 4, S: 2}, decimal128.FromI64(-1234), `"-12.34"`},
		{types.Decimal{P: 9, S: 0}, decimal128.FromI64(123456789), `"123456789"`},
		{types.Decimal{P: 18, S: 2}, decimal128.FromI64(-5), `"-0.05"`},
		{types.Decimal{P: 38, S: 2}, decimal128.New(1, 5), `"184467440737095516.21"`},
		{types.String, "it's \"é\"\n, longer than twelve", `"it's \"é\"\n, longer than twelve"`},
		{types.Binary, []byte{0, 255}, `"AP8="`},
		{types.Date, int32(-800000), `"-0221-09-04"`},
		{types.Timestamp, int64(-1), `"1969-12-31T23:59:59.999999Z"`},
		{types.TimestampNTZ, int64(1), `"1970-01-01T00:00:00.000001"`},
		{types.Array{Elem: types.Int, Nullable: true}, []types.Value{int64(1), nil}, `[1,null]`},
		{types.Map{Key: types.String, Value: types.Long, Nullable: true}, []types.Pair{{Key: "k", Value: int64(1)}, {Key: "n"}}, `[{"key":"k","value":1},{"key":"n","value":null}]`},
		{nested, []types.Value{nil, []types.Value{[]types.Value{"x"}, nil}}, `{"a":null,"b c":[{"d":"x"},null]}`},
	}
}

// testConstants asks for one value of each type, and for NULL.
func testConstants(t *testing.T, x engine.Engine) {
	more := []sample{
		{types.Double, math.NaN(), `"NaN"`},
		{types.Double, math.Inf(-1), `"-Inf"`},
		{types.Char{N: 3}, "abc", `"abc"`},
		{types.YearMonth{From: types.Year, To: types.Month}, int32(-13), `{"months":-13}`},
		{types.Time{P: 6}, int64(86399999999), `"23:59:59.999999"`},
		{types.Void, nil, `null`},
	}
	for _, s := range append(samples(), more...) {
		c := []rel.Column{rel.NewColumn("v", s.typ)}
		n := table(c, []types.Value{s.v}, []types.Value{nil})
		got, err := rows(t.Context(), x, n)
		if err != nil {
			t.Errorf("%v: %v", s.typ, err)
			continue
		}
		if len(got) != 2 || got[0] != "["+s.json+"]" || got[1] != "[null]" {
			t.Errorf("%v: %s, want [%s] and [null]", s.typ, got, s.json)
		}
		r, err := x.Query(t.Context(), n)
		must(t, err)
		if f := r.Schema().Field(0); f.Name != "v" || !arrow.TypeEqual(f.Type, types.Arrow(s.typ)) {
			t.Errorf("%v: the column is %v", s.typ, f)
		}
		r.Release()
	}
}

func testNodes(t *testing.T, x engine.Engine) {
	a, b := longs("a", 1, 2, 3), longs("b", 2, 3, 4)
	av, bv := a.Cols[0], b.Cols[0]
	eq := call("=", types.Boolean, av.Ref(), bv.Ref())
	join := func(k rel.JoinKind) rel.Node { return &rel.Join{Kind: k, Left: a, Right: b, On: eq} }
	expect(t, x, join(rel.Inner), "[2,2]", "[3,3]")
	expect(t, x, join(rel.LeftOuter), "[1,null]", "[2,2]", "[3,3]")
	expect(t, x, join(rel.RightOuter), "[2,2]", "[3,3]", "[null,4]")
	expect(t, x, join(rel.FullOuter), "[1,null]", "[2,2]", "[3,3]", "[null,4]")
	expect(t, x, join(rel.Semi), "[2]", "[3]")
	expect(t, x, join(rel.Anti), "[1]")
	expect(t, x, &rel.Filter{In: a, Cond: &rel.Exists{Query: &rel.Filter{In: b, Cond: eq}}}, "[2]", "[3]")
	expect(t, x, &rel.Filter{In: a, Cond: &rel.InQuery{X: []rel.Expr{av.Ref()}, Query: b}}, "[2]", "[3]")
	out := []rel.Column{rel.NewColumn("u", types.Long)}
	expect(t, x, &rel.SetOp{Kind: rel.Union, All: true, Left: a, Right: b, Cols: out}, "[1]", "[2]", "[2]", "[3]", "[3]", "[4]")
	expect(t, x, &rel.SetOp{Kind: rel.Intersect, Left: a, Right: b, Cols: out}, "[2]", "[3]")
	expect(t, x, &rel.Limit{In: &rel.Sort{In: a, By: []rel.Order{{Expr: av.Ref(), Desc: true}}}, Count: 2, Offset: 1}, "[1]", "[2]")
	sum := rel.Computed{Column: rel.NewColumn("sum", types.Long), Expr: &rel.Agg{Name: "sum", Args: []rel.Expr{av.Ref()}, T: types.Long, Null: true}}
	expect(t, x, &rel.Aggregate{In: a, Aggs: []rel.Computed{sum}}, "[6]")
	expect(t, x, &rel.Aggregate{In: &rel.Values{Cols: a.Cols}, Aggs: []rel.Computed{sum}}, "[null]")
	shared := &rel.Shared{Name: "s", In: a}
	l, r := fresh(shared), fresh(shared)
	expect(t, x, &rel.Join{Left: l, Right: r, On: call("=", types.Boolean, l.Cols[0].Ref(), r.Cols[0].Ref())}, "[1,1]", "[2,2]", "[3,3]")
	expect(t, x, &rel.Values{Rows: [][]rel.Expr{{}, {}}}, "[]", "[]")
}

// testSubqueries: rows are compared with NULL as SQL has it, and one value is one value.
func testSubqueries(t *testing.T, x engine.Engine) {
	cols := func() []rel.Column {
		return []rel.Column{rel.NewColumn("a", types.Long), rel.NewColumn("b", types.Long)}
	}
	l := table(cols(), []types.Value{int64(1), int64(1)}, []types.Value{int64(1), nil}, []types.Value{int64(2), nil})
	r := table(cols(), []types.Value{int64(1), int64(1)}, []types.Value{int64(1), int64(2)})
	in := &rel.InQuery{X: []rel.Expr{l.Cols[0].Ref(), l.Cols[1].Ref()}, Query: r}
	expect(t, x, &rel.Filter{In: l, Cond: in}, "[1,1]")
	expect(t, x, &rel.Filter{In: l, Cond: call("not", types.Boolean, in)}, "[2,null]")
	one := &rel.Scalar{Query: &rel.Aggregate{In: &rel.Filter{In: r, Cond: call("=", types.Boolean, r.Cols[0].Ref(), l.Cols[0].Ref())},
		Aggs: []rel.Computed{{Column: rel.NewColumn("n", types.Long), Expr: &rel.Agg{Name: "count", T: types.Long}}}}}
	expect(t, x, &rel.Project{In: l, Cols: []rel.Computed{{Column: rel.NewColumn("n", types.Long), Expr: one}}}, "[2]", "[2]", "[0]")
	many := &rel.Values{Cols: []rel.Column{rel.NewColumn("v", types.Long)}, Rows: [][]rel.Expr{{&rel.Scalar{Query: longs("a", 1, 2)}}}}
	var e *engine.Error
	if _, err := rows(t.Context(), x, many); !errors.As(err, &e) || e.Class != "SCALAR_SUBQUERY_TOO_MANY_ROWS" {
		t.Errorf("%v", err)
	}
}

// testOpenReaders keeps many statements open, one of which reads another one's rows.
func testOpenReaders(t *testing.T, x engine.Engine) {
	var open []array.RecordReader
	for range 12 {
		r, err := x.Query(t.Context(), numbers(1_000_000))
		must(t, err)
		if !r.Next() {
			t.Fatal(r.Err())
		}
		open = append(open, r)
	}
	s := stream(10)
	s.Open = func(ctx context.Context, want []int) (array.RecordReader, error) {
		n := &rel.TableFunc{Name: "range", Args: []rel.Expr{long(0), long(5000)}, Cols: s.Cols[:1]}
		if len(want) == 1 && want[0] == 0 {
			return x.Query(ctx, n)
		}
		return nil, errors.New("other columns than the first were asked for")
	}
	sum := rel.Computed{Column: rel.NewColumn("sum", types.Long), Expr: &rel.Agg{Name: "sum", Args: []rel.Expr{s.Cols[0].Ref()}, T: types.Long, Null: true}}
	expect(t, x, &rel.Aggregate{In: s, Aggs: []rel.Computed{sum}}, "[12497500]")
	for _, r := range open {
		r.Release()
	}
}

func testNullOrder(t *testing.T, x engine.Engine) {
	c := rel.NewColumn("a", types.Double)
	n := table([]rel.Column{c}, []types.Value{1.0}, []types.Value{nil}, []types.Value{math.NaN()}, []types.Value{math.Inf(1)})
	for _, tt := range []struct {
		by   rel.Order
		want string
	}{
		{rel.Order{Expr: c.Ref(), NullsFirst: true}, `[null] ["1"] ["+Inf"] ["NaN"]`},
		{rel.Order{Expr: c.Ref()}, `["1"] ["+Inf"] ["NaN"] [null]`},
		{rel.Order{Expr: c.Ref(), Desc: true}, `["NaN"] ["+Inf"] ["1"] [null]`},
		{rel.Order{Expr: c.Ref(), Desc: true, NullsFirst: true}, `[null] ["NaN"] ["+Inf"] ["1"]`},
	} {
		got, err := rows(t.Context(), x, &rel.Sort{In: n, By: []rel.Order{tt.by}})
		must(t, err)
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s, want %s", s, tt.want)
		}
	}
}

// stream is a relation of n rows (id, text), of batches of 1,000.
func stream(n int) *rel.Stream {
	cols := []rel.Column{rel.NewColumn("id", types.Long), rel.NewColumn("s", types.String)}
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	return &rel.Stream{Cols: cols, Rows: -1, Open: func(_ context.Context, want []int) (array.RecordReader, error) {
		var fields []arrow.Field
		for _, w := range want {
			fields = append(fields, schema.Field(w))
		}
		narrow := arrow.NewSchema(fields, nil)
		var batches []arrow.RecordBatch
		for at := 0; at < n; at += 1000 {
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			for i := at; i < min(n, at+1000); i++ {
				b.Field(0).(*array.Int64Builder).Append(int64(i))
				b.Field(1).(*array.StringBuilder).Append("row number " + string(rune('a'+i%26)))
			}
			full := b.NewRecordBatch()
			var arrs []arrow.Array
			for _, w := range want {
				arrs = append(arrs, full.Column(w))
			}
			batches = append(batches, array.NewRecordBatch(narrow, arrs, full.NumRows()))
		}
		return array.NewRecordReader(narrow, batches)
	}}
}

func count(n rel.Node) *rel.Aggregate {
	return &rel.Aggregate{In: n, Aggs: []rel.Computed{{Column: rel.NewColumn("n", types.Long), Expr: &rel.Agg{Name: "count", T: types.Long}}}}
}

// testStream reads Go rows with and without columns, filtered, and twice in one tree.
func testStream(t *testing.T, x engine.Engine) {
	s := stream(2500)
	id := s.Cols[0]
	expect(t, x, count(s), "[2500]")
	expect(t, x, &rel.Filter{In: s, Cond: call("=", types.Boolean, id.Ref(), long(2001))}, `[2001,"row number z"]`)
	l, r := fresh(s), fresh(s)
	expect(t, x, count(&rel.Join{Left: l, Right: r, On: call("=", types.Boolean, l.Cols[0].Ref(), r.Cols[0].Ref())}), "[2500]")
	expect(t, x, &rel.Project{In: &rel.Filter{In: s, Cond: call("<", types.Boolean, id.Ref(), long(2))}, Cols: []rel.Computed{{Column: rel.NewColumn("s", types.String), Expr: s.Cols[1].Ref()}}},
		`["row number a"]`, `["row number b"]`)
}

func testStreamError(t *testing.T, x engine.Engine) {
	boom := errors.New("the source broke")
	s := stream(10)
	s.Open = func(context.Context, []int) (array.RecordReader, error) { return nil, boom }
	if _, err := rows(t.Context(), x, s); !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
	s.Open = func(context.Context, []int) (array.RecordReader, error) { panic("a bug in the source") }
	if _, err := rows(t.Context(), x, s); err == nil || !strings.Contains(err.Error(), "a bug in the source") {
		t.Errorf("%v", err)
	}
	expect(t, x, longs("a", 1), "[1]")
}

// testHold evaluates once and reads often, also together with files of another place.
func testHold(t *testing.T, x engine.Engine) {
	opened := 0
	s := stream(3000)
	inner := s.Open
	s.Open = func(ctx context.Context, want []int) (array.RecordReader, error) {
		opened++
		return inner(ctx, want)
	}
	held, release, err := x.Hold(t.Context(), &rel.Filter{In: s, Cond: call("<", types.Boolean, s.Cols[0].Ref(), long(2500))})
	must(t, err)
	for range 3 {
		expect(t, x, count(held), "[2500]")
	}
	if opened != 1 {
		t.Errorf("the source was opened %d times", opened)
	}
	small := longs("id", 5, 9999)
	files, err := x.Write(t.Context(), small, dest(local(t), small))
	must(t, err)
	sc := scan(files, small)
	l := fresh(held)
	on := call("=", types.Boolean, l.Cols[0].Ref(), sc.Cols[0].Ref())
	expect(t, x, &rel.Join{Left: l, Right: sc, On: on}, `[5,"row number f",5]`)
	nothing, drop, err := x.Hold(t.Context(), &rel.Filter{In: small, Cond: &rel.Lit{T: types.Boolean, Value: false}})
	must(t, err)
	expect(t, x, nothing)
	must(t, drop())
	must(t, release())
	must(t, release())
	if _, _, err := x.Hold(t.Context(), s); err != nil { // left to Close
		t.Error(err)
	}
}
