package duckdb

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// emittedRows runs the SQL of n on c and gives each row as text.
func emittedRows(t *testing.T, c *conn, n rel.Node) []string {
	t.Helper()
	em := newEmitter()
	sql, err := em.statement(n)
	must(t, err)
	must(t, c.need(slices.Collect(maps.Values(em.scalars))))
	bs, err := c.rows(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var out []string
	for _, b := range bs {
		for r := range int(b.NumRows()) {
			row := ""
			for i, col := range b.Columns() {
				if i > 0 {
					row += " "
				}
				row += col.ValueStr(r)
			}
			out = append(out, row)
		}
	}
	return out
}

// one is a tree of one row and one column.
func one(x rel.Expr) rel.Node {
	return &rel.Values{Cols: []rel.Column{rel.NewColumn("v", x.Type())}, Rows: [][]rel.Expr{{x}}}
}

func ints(name string, vs ...int64) *rel.Values {
	n := &rel.Values{Cols: []rel.Column{rel.NewColumn(name, types.Long)}}
	for _, v := range vs {
		n.Rows = append(n.Rows, []rel.Expr{&rel.Lit{T: types.Long, Value: v}})
	}
	return n
}

// Every constant keeps its value, and the type that typeName says.
func TestConstants(t *testing.T) {
	c := openTest(t, testLimits(t))
	st := types.Struct{Fields: []types.Field{{Name: `a "b`, Type: types.Int}, {Name: "c", Type: types.Array{Elem: types.String}}}}
	for _, tt := range []struct {
		typ  types.Type
		v    types.Value
		want string
	}{
		{types.Boolean, true, "true"},
		{types.Byte, int64(-128), "-128"},
		{types.Short, int64(-32768), "-32768"},
		{types.Int, int64(math.MinInt32), "-2147483648"},
		{types.Long, int64(math.MinInt64), "-9223372036854775808"},
		{types.Float, float32(0.1), "0.1"},
		{types.Double, math.Inf(-1), "-Inf"},
		{types.Double, math.NaN(), "NaN"},
		{types.Double, 5e-324, "5e-324"},
		{types.Double, math.Copysign(0, -1), "-0"},
		{types.Decimal{P: 38, S: 2}, decimal128.FromI64(-15), "-0.15"},
		{types.String, "it's \"q\"\\n\né", "it's \"q\"\\n\né"},
		{types.String, "a\x00b", "a\x00b"},
		{types.Char{N: 3}, "abc", "abc"},
		{types.Binary, []byte{0, 255, 39}, "AP8n"},
		{types.Date, int32(-800000), "-0221-09-04"},
		{types.Timestamp, int64(-1), "1969-12-31T23:59:59.999999Z"},
		{types.TimestampNTZ, int64(1), "1970-01-01T00:00:00.000001"},
		{types.Time{P: 6}, int64(86399999999), "23:59:59.999999"},
		{types.YearMonth{From: types.Year, To: types.Month}, int32(-13), "-13"},
		{types.DayTime{From: types.Day, To: types.Second}, int64(-5), "-5"},
		{types.CalendarInterval, types.Interval{Months: -1, Days: 31, Micros: -5}, `{"months":-1,"days":31,"nanoseconds":-5000}`},
		{types.Array{Elem: types.Int}, []types.Value{}, "[]"},
		{types.Array{Elem: types.Int}, []types.Value{int64(1), nil}, "[1,null]"},
		{types.Map{Key: types.String, Value: types.Double}, []types.Pair{{Key: "k", Value: 1.5}, {Key: "n"}}, `[{"key":"k","value":1.5},{"key":"n","value":null}]`},
		{st, []types.Value{nil, []types.Value{"x"}}, `{"a \"b":null,"c":["x"]}`},
		{types.Void, nil, "(null)"},
		{st, nil, "(null)"},
	} {
		sql, err := newEmitter().statement(one(&rel.Lit{T: tt.typ, Value: tt.v}))
		must(t, err)
		if got := value(t, c, sql); got != tt.want {
			t.Errorf("%v %v: %s, want %s (%s)", tt.typ, tt.v, got, tt.want, sql)
		}
		name, err := typeName(tt.typ)
		must(t, err)
		x, err := constant(tt.typ, tt.v)
		must(t, err)
		if same := value(t, c, "SELECT typeof("+x+") = typeof(CAST(NULL AS "+name+"))"); same != "true" {
			t.Errorf("%v: the constant %s is not a %s", tt.typ, x, name)
		}
	}
	if _, err := constant(types.Int, "x"); err == nil {
		t.Error("a value of another type passed")
	}
}

func TestNodes(t *testing.T) {
	c := openTest(t, testLimits(t))
	a, b := ints("a", 1, 2, 3), ints("b", 2, 3, 4)
	av, bv := a.Cols[0], b.Cols[0]
	call := func(name string, typ types.Type, args ...rel.Expr) rel.Expr {
		return &rel.Call{Name: name, Args: args, T: typ, Null: true}
	}
	eq := call("=", types.Boolean, av.Ref(), bv.Ref())
	sorted := func(n rel.Node) rel.Node {
		var by []rel.Order
		for _, col := range n.Columns() {
			by = append(by, rel.Order{Expr: col.Ref(), NullsFirst: true})
		}
		return &rel.Sort{In: n, By: by}
	}
	lit := func(v int64) rel.Expr { return &rel.Lit{T: types.Long, Value: v} }
	sum := rel.NewColumn("sum", types.Long)
	key := rel.NewColumn("key", types.Long)
	gid := rel.NewColumn("gid", types.Long)
	odd := call("-", types.Long, av.Ref(), lit(1))
	total := rel.Computed{Column: sum, Expr: &rel.Agg{Name: "sum", Args: []rel.Expr{av.Ref()}, T: types.Long, Null: true}}
	out := rel.NewColumn("u", types.Long)
	shared := &rel.Shared{Name: "s", In: a}
	fresh := func(n rel.Node) *rel.Project {
		p := &rel.Project{In: n}
		for _, col := range n.Columns() {
			p.Cols = append(p.Cols, rel.Computed{Column: rel.NewColumn(col.Name, col.Type), Expr: col.Ref()})
		}
		return p
	}
	s1, s2 := fresh(shared), fresh(shared)
	rn := rel.NewColumn("rn", types.Int)
	working := &rel.Working{Cols: []rel.Column{rel.NewColumn("n", types.Long)}}
	next := rel.NewColumn("n", types.Long)
	arr := &rel.Lit{T: types.Array{Elem: types.Long}, Value: []types.Value{int64(7), nil}}
	empty := &rel.Lit{T: types.Array{Elem: types.Long}, Value: []types.Value{}}
	pos := rel.NewColumn("pos", types.Int)
	for name, tt := range map[string]struct {
		n    rel.Node
		want []string
	}{
		"inner":     {sorted(&rel.Join{Kind: rel.Inner, Left: a, Right: b, On: eq}), []string{"2 2", "3 3"}},
		"left":      {sorted(&rel.Join{Kind: rel.LeftOuter, Left: a, Right: b, On: eq}), []string{"1 (null)", "2 2", "3 3"}},
		"full":      {sorted(&rel.Join{Kind: rel.FullOuter, Left: a, Right: b, On: eq}), []string{"(null) 4", "1 (null)", "2 2", "3 3"}},
		"semi":      {sorted(&rel.Join{Kind: rel.Semi, Left: a, Right: b, On: eq}), []string{"2", "3"}},
		"anti":      {sorted(&rel.Join{Kind: rel.Anti, Left: a, Right: b, On: eq}), []string{"1"}},
		"cross":     {&rel.Limit{In: sorted(&rel.Join{Left: a, Right: b}), Count: 1, Offset: 1}, []string{"1 3"}},
		"filter":    {sorted(&rel.Filter{In: a, Cond: call(">", types.Boolean, av.Ref(), lit(1))}), []string{"2", "3"}},
		"in":        {sorted(&rel.Filter{In: a, Cond: &rel.InQuery{X: []rel.Expr{av.Ref()}, Query: b}}), []string{"2", "3"}},
		"exists":    {sorted(&rel.Filter{In: a, Cond: &rel.Exists{Query: &rel.Filter{In: b, Cond: eq}}}), []string{"2", "3"}},
		"aggregate": {&rel.Aggregate{In: a, Aggs: []rel.Computed{total}}, []string{"6"}},
		"no rows":   {&rel.Aggregate{In: &rel.Values{Cols: a.Cols}, Aggs: []rel.Computed{total}}, []string{"(null)"}},
		"grouping sets": {sorted(&rel.Aggregate{In: a, Keys: []rel.Computed{{Column: key, Expr: odd}}, Sets: [][]int{{0}, {}},
			Aggs: []rel.Computed{total}, Grouping: &gid}), []string{"(null) 6 1", "0 1 0", "1 2 0", "2 3 0"}},
		"union":  {sorted(&rel.SetOp{Kind: rel.Union, Left: a, Right: b, Cols: []rel.Column{out}}), []string{"1", "2", "3", "4"}},
		"except": {sorted(&rel.SetOp{Kind: rel.Except, All: true, Left: a, Right: b, Cols: []rel.Column{out}}), []string{"1"}},
		"shared": {sorted(&rel.Join{Left: s1, Right: s2, On: call("=", types.Boolean, s1.Cols[0].Ref(), s2.Cols[0].Ref())}), []string{"1 1", "2 2", "3 3"}},
		"window": {sorted(&rel.Window{In: a, Funcs: []rel.Computed{{Column: rn, Expr: &rel.Over{
			Fn: &rel.Call{Name: "row_number", T: types.Int}, Order: []rel.Order{{Expr: av.Ref(), Desc: true}}}}}}), []string{"1 3", "2 2", "3 1"}},
		"recursive": {sorted(&rel.Recursive{Cols: []rel.Column{out}, Seed: ints("x", 1), All: true, MaxLevel: 100, Self: working,
			Step: &rel.Project{In: &rel.Filter{In: working, Cond: call("<", types.Boolean, working.Cols[0].Ref(), lit(4))},
				Cols: []rel.Computed{{Column: next, Expr: call("+", types.Long, working.Cols[0].Ref(), lit(1))}}}}), []string{"1", "2", "3", "4"}},
		"explode":         {sorted(&rel.Generate{In: a, Fn: &rel.Call{Name: "explode", Args: []rel.Expr{arr}}, Cols: []rel.Column{out}}), []string{"1 (null)", "1 7", "2 (null)", "2 7", "3 (null)", "3 7"}},
		"posexplode":      {sorted(&rel.Generate{In: ints("z", 1), Fn: &rel.Call{Name: "posexplode", Args: []rel.Expr{arr}}, Cols: []rel.Column{pos, out}}), []string{"1 0 7", "1 1 (null)"}},
		"explode nothing": {&rel.Generate{In: a, Fn: &rel.Call{Name: "explode", Args: []rel.Expr{empty}}, Cols: []rel.Column{out}}, nil},
		"explode outer":   {sorted(&rel.Generate{In: a, Outer: true, Fn: &rel.Call{Name: "explode", Args: []rel.Expr{empty}}, Cols: []rel.Column{out}}), []string{"1 (null)", "2 (null)", "3 (null)"}},
		"range":           {&rel.TableFunc{Name: "range", Args: []rel.Expr{lit(2), lit(4)}, Cols: []rel.Column{out}}, []string{"2", "3"}},
		"no column":       {&rel.Values{Rows: [][]rel.Expr{{}}}, []string{"true"}},
		"scalar":          {one(&rel.Scalar{Query: &rel.Filter{In: b, Cond: call("=", types.Boolean, bv.Ref(), lit(3))}}), []string{"3"}},
		"case":            {one(&rel.Case{T: types.Long, Whens: []rel.When{{If: &rel.Lit{T: types.Boolean, Value: false}, Then: lit(1)}}}), []string{"(null)"}},
	} {
		got := emittedRows(t, c, tt.n)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%s: %q, want %q", name, got, tt.want)
				break
			}
		}
	}
}
