package rel_test

import (
	"errors"
	"testing"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

func TestFunctionTable(t *testing.T) {
	n := 0
	for f := range rel.Functions() {
		n++
		if rel.FindFunction(f.Name) != f {
			t.Errorf("%s is not found by its name", f.Name)
		}
		if f.Usage == "" {
			t.Errorf("%s has no doc", f.Name)
		}
	}
	t.Logf("%d functions", n)
}

func lit(t types.Type, v types.Value) rel.Expr { return &rel.Lit{T: t, Value: v} }

func col(t types.Type) rel.Expr { return rel.NewColumn("c", t).Ref() }

func TestResolve(t *testing.T) {
	date, ts, str := col(types.Date), col(types.Timestamp), col(types.String)
	n, l, d := col(types.Int), col(types.Long), col(types.Double)
	dec := col(types.Decimal{P: 10, S: 2})
	day := lit(types.DayTime{From: types.Day, To: types.Day}, int64(86400e6))
	cases := []struct {
		name string
		args []rel.Expr
		want string
	}{
		{"+", []rel.Expr{n, l}, "bigint"},
		{"+", []rel.Expr{n, str}, "bigint"},
		{"+", []rel.Expr{d, str}, "double"},
		{"+", []rel.Expr{dec, str}, "double"},
		{"+", []rel.Expr{dec, n}, "decimal(13,2)"},
		{"+", []rel.Expr{dec, lit(types.Int, int64(7))}, "decimal(11,2)"},
		{"*", []rel.Expr{dec, dec}, "decimal(21,4)"},
		{"/", []rel.Expr{dec, dec}, "decimal(23,13)"},
		{"/", []rel.Expr{n, n}, "double"},
		{"div", []rel.Expr{n, n}, "bigint"},
		{"+", []rel.Expr{date, day}, "date"},
		{"+", []rel.Expr{day, ts}, "timestamp"},
		{"-", []rel.Expr{ts, date}, "interval day to second"},
		{"-", []rel.Expr{date, date}, "interval day"},
		{"*", []rel.Expr{str, day}, "interval day to second"},
		{"=", []rel.Expr{date, str}, "boolean"},
		{"coalesce", []rel.Expr{n, str}, "bigint"},
		{"coalesce", []rel.Expr{date, ts}, "timestamp"},
		{"sum", []rel.Expr{dec}, "decimal(20,2)"},
		{"avg", []rel.Expr{dec}, "decimal(14,6)"},
		{"collect_list", []rel.Expr{str}, "array<string>"},
		{"=", []rel.Expr{n, col(types.Boolean)}, "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"},
		{"+", []rel.Expr{col(types.Boolean), col(types.Boolean)}, "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE"},
		{"and", []rel.Expr{n, col(types.Boolean)}, "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"},
		{"coalesce", []rel.Expr{n, date}, "DATATYPE_MISMATCH.DATA_DIFF_TYPES"},
		{"count_if", []rel.Expr{n}, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"},
		{"isnull", nil, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"},
	}
	for _, c := range cases {
		e, err := rel.FindFunction(c.name).Resolve(c.args, rel.Settings{Zone: "UTC"})
		got := ""
		var bad *rel.ArgError
		switch {
		case errors.As(err, &bad):
			got = bad.Class
		case err != nil:
			got = err.Error()
		default:
			got = e.Type().String()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
