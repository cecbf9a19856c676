package duckdb

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

var (
	i64  = arrow.PrimitiveTypes.Int64
	text = arrow.BinaryTypes.String
)

// testScalars are functions of each shape.
func testScalars() []*Scalar {
	return []*Scalar{
		{Name: "t_inc", Args: []arrow.DataType{i64}, Result: i64, Eval: func(_ int, in []Vec, o *Out) error {
			x, r := Values[int64](in[0]), Results[int64](o)
			for i := range r {
				r[i] = x[i] + 1
			}
			return nil
		}},
		{Name: "t_upper", Args: []arrow.DataType{text}, Result: text, Eval: func(n int, in []Vec, o *Out) error {
			x := in[0].Texts()
			for i := range n {
				if o.Valid(i) {
					o.SetText(i, bytes.ToUpper(x.At(i)))
				}
			}
			return nil
		}},
		{Name: "t_count", Args: []arrow.DataType{nil}, Variadic: true, Nulls: true, Result: i64, Eval: func(n int, in []Vec, o *Out) error {
			r := Results[int64](o)
			for i := range n {
				r[i] = 0
				for _, a := range in {
					if a.Valid(i) {
						r[i]++
					}
				}
			}
			return nil
		}},
		{Name: "t_text", Args: []arrow.DataType{nil}, Result: text, Eval: func(n int, in []Vec, o *Out) error {
			a, err := in[0].Array()
			if err != nil {
				return err
			}
			defer a.Release()
			for i := range n {
				if o.Valid(i) {
					o.SetText(i, []byte(a.DataType().String()+" "+a.ValueStr(i)))
				}
			}
			return nil
		}},
		{Name: "t_list", Args: []arrow.DataType{i64}, Result: arrow.ListOf(i64), Eval: func(n int, in []Vec, o *Out) error {
			b := array.NewListBuilder(memory.DefaultAllocator, i64)
			defer b.Release()
			for _, x := range Values[int64](in[0]) {
				b.Append(true)
				b.ValueBuilder().(*array.Int64Builder).AppendValues([]int64{x, x + 1}, nil)
			}
			a := b.NewArray()
			defer a.Release()
			return o.SetArray(a)
		}},
		{Name: "t_prefix", Args: []arrow.DataType{text, text}, Result: text, Bind: func(args []Arg) (Eval, error) {
			if !args[0].Const {
				return nil, errors.New("the prefix must be constant")
			}
			p := args[0].Text
			return func(n int, in []Vec, o *Out) error {
				x := in[1].Texts()
				for i := range n {
					if o.Valid(i) {
						o.SetText(i, []byte(p+string(x.At(i))))
					}
				}
				return nil
			}, nil
		}},
		{Name: "t_fail", Args: []arrow.DataType{i64}, Result: i64, Eval: func(int, []Vec, *Out) error { return errors.New("own words") }},
		{Name: "t_boom", Args: []arrow.DataType{i64}, Result: i64, Eval: func(int, []Vec, *Out) error { var p *int; *p = 1; return nil }},
		{Name: "t_bad", Args: []arrow.DataType{text}, Result: text, Eval: func(n int, _ []Vec, o *Out) error {
			for i := range n {
				o.SetText(i, []byte("\xff"))
			}
			return nil
		}},
	}
}

func TestScalars(t *testing.T) {
	c := openTest(t, testLimits(t))
	must(t, c.need(testScalars()))
	must(t, c.need(testScalars())) // once is enough, twice is harmless
	must(t, c.exec(t.Context(), "CREATE TABLE t AS SELECT CASE WHEN i%3<>0 THEN i END i, CASE WHEN i%5<>0 THEN repeat('aé',(i%20)::INT) END s FROM range(50000) t(i)"))
	for q, want := range map[string]string{
		"SELECT count(*) FROM t WHERE t_inc(i) IS DISTINCT FROM i+1":                                       "0",
		"SELECT count(*) FROM t WHERE t_upper(s) IS DISTINCT FROM upper(s)":                                "0",
		"SELECT count(*) FROM t WHERE t_list(i) IS DISTINCT FROM CASE WHEN i IS NOT NULL THEN [i,i+1] END": "0",
		"SELECT count(*) FROM t WHERE t_prefix('p'||'q', s) IS DISTINCT FROM 'pq'||s":                      "0",
		"SELECT t_inc(41)":                         "42",
		"SELECT t_inc(NULL)":                       "(null)",
		"SELECT t_upper('a longer constant')":      "A LONGER CONSTANT",
		"SELECT t_count(1, NULL, 'x', [1])":        "3",
		"SELECT t_count()":                         "0",
		"SELECT t_text({'a': [1, NULL]})":          `struct<a: list<item: int32, nullable> nullable> {"a":[1,null]}`,
		"SELECT max(t_text(i)) FROM t WHERE i = 7": "int64 7",
		"SELECT t_prefix(s, s) FROM t":             "must be constant",
		"SELECT t_fail(1)":                         "own words",
		"SELECT sum(t_fail(i)) FROM t":             "own words",
		"SELECT sum(t_boom(i)) FROM t":             "panic in Go callback",
		"SELECT max(t_bad(s)) FROM t":              "invalid UTF-8",
		"SELECT 1":                                 "1",
	} {
		if v := value(t, c, q); v != want && !(strings.HasPrefix(v, "ERR") && strings.Contains(v, want)) {
			t.Errorf("%s: %s, want %s", q, v, want)
		}
	}
}
