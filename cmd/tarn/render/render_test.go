package render

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/google/go-cmp/cmp"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/types"
)

func rows(list ...[]types.Value) iter.Seq2[[]types.Value, error] {
	return func(yield func([]types.Value, error) bool) {
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func cols(pairs ...any) []tarn.Column {
	var out []tarn.Column
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, tarn.Column{Name: pairs[i].(string), Type: pairs[i+1].(types.Type), Nullable: true})
	}
	return out
}

var sample = Table{
	Columns: cols("id", types.Long, "na|me", types.String, "x", types.Double),
	Rows: rows(
		[]types.Value{int64(1), "plain", 1.5},
		[]types.Value{int64(-20), "", nil},
		[]types.Value{nil, "NULL", math.NaN()},
		[]types.Value{int64(4), "a,\"b\"\tc\\\n<d> *e*", 1e10},
		[]types.Value{int64(5), "東京 é 👩‍💻", 0.0},
		[]types.Value{int64(6), "\x1b[31mred\u202e", -0.001},
		[]types.Value{int64(7), nil, 123456.0},
	),
}

func TestFormats(t *testing.T) {
	for format, want := range map[string]string{
		"csv": `id,na|me,x
1,plain,1.5
-20,"",
,NULL,NaN
4,"a,""b""	c\
<d> *e*",1.0E10
5,東京 é 👩‍💻,0.0
6,` + "\x1b[31mred\u202e" + `,-0.001
7,,123456.0
`,
		"tsv": "id\tna|me\tx\n1\tplain\t1.5\n-20\t\t\\N\n\\N\tNULL\tNaN\n" + `4	a,"b"\tc\\\n<d> *e*	1.0E10` + "\n5\t東京 é 👩‍💻\t0.0\n6\t\x1b[31mred\u202e\t-0.001\n7\t\\N\t123456.0\n",
		"jsonl": `{"id":1,"na|me":"plain","x":1.5}
{"id":-20,"na|me":"","x":null}
{"id":null,"na|me":"NULL","x":"NaN"}
{"id":4,"na|me":"a,\"b\"\tc\\\n<d> *e*","x":1.0E10}
{"id":5,"na|me":"東京 é 👩‍💻","x":0.0}
{"id":6,"na|me":"\u001B[31mred` + "\u202e" + `","x":-0.001}
{"id":7,"na|me":null,"x":123456.0}
`,
		"json": `[{"id":1,"na|me":"plain","x":1.5},
 {"id":-20,"na|me":"","x":null},
 {"id":null,"na|me":"NULL","x":"NaN"},
 {"id":4,"na|me":"a,\"b\"\tc\\\n<d> *e*","x":1.0E10},
 {"id":5,"na|me":"東京 é 👩‍💻","x":0.0},
 {"id":6,"na|me":"\u001B[31mred` + "\u202e" + `","x":-0.001},
 {"id":7,"na|me":null,"x":123456.0}]
`,
		"markdown": `| id | na\|me | x |
| ---: | --- | ---: |
| 1 | plain | 1.5 |
| -20 |  | *NULL* |
| *NULL* | NULL | NaN |
| 4 | a,"b"	c\\<br>&lt;d> \*e\* | 1.0E10 |
| 5 | 東京 é 👩‍💻 | 0.0 |
| 6 | ` + "\x1b[31mred\u202e" + ` | -0.001 |
| 7 | *NULL* | 123456.0 |
`,
		"box": `┌──────┬───────────────────┬──────────┐
│   id │ na|me             │        x │
├──────┼───────────────────┼──────────┤
│    1 │ plain             │      1.5 │
│  -20 │                   │     NULL │
│ NULL │ NULL              │      NaN │
│    4 │ a,"b"    c\       │   1.0E10 │
│      │ <d> *e*           │          │
│    5 │ 東京 é 👩‍💻         │      0.0 │
│    6 │ \x1b[31mred\u202e │   -0.001 │
│    7 │ NULL              │ 123456.0 │
└──────┴───────────────────┴──────────┘
`,
		"vertical": `-[ 1 ]-
id    | 1
na|me | plain
x     | 1.5
-[ 2 ]-
id    | -20
na|me |
x     | NULL
-[ 3 ]-
id    | NULL
na|me | NULL
x     | NaN
-[ 4 ]-
id    | 4
na|me | a,"b"    c\
      | <d> *e*
x     | 1.0E10
-[ 5 ]-
id    | 5
na|me | 東京 é 👩‍💻
x     | 0.0
-[ 6 ]-
id    | 6
na|me | \x1b[31mred\u202e
x     | -0.001
-[ 7 ]-
id    | 7
na|me | NULL
x     | 123456.0
`,
	} {
		t.Run(format, func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, sample, format, Options{}); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, b.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEmpty(t *testing.T) {
	for format, want := range map[string]string{
		"csv": "a\n", "tsv": "a\n", "json": "[]\n", "jsonl": "", "markdown": "| a |\n| --- |\n", "vertical": "",
		"box": "┌───┐\n│ a │\n├───┤\n└───┘\n",
	} {
		var b bytes.Buffer
		if err := Write(&b, Table{cols("a", types.String), rows()}, format, Options{}); err != nil || b.String() != want {
			t.Errorf("%s: %q, %v", format, b.String(), err)
		}
	}
	if err := Write(&bytes.Buffer{}, Table{nil, rows()}, "xml", Options{}); err == nil {
		t.Error("an unknown format is taken")
	}
}

// TestTerminal: a long result loses its middle, a wide one the ends of cells; elsewhere nothing is lost.
func TestTerminal(t *testing.T) {
	var list [][]types.Value
	for i := range 1234 {
		list = append(list, []types.Value{int64(i), strings.Repeat("x", 50)})
	}
	table := Table{cols("n", types.Int, "text", types.String), rows(list...)}
	var b bytes.Buffer
	if err := Write(&b, table, "box", Options{Terminal: true, Width: 30}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 3+20+1+20+1+1+1 {
		t.Errorf("%d lines", len(lines))
	}
	for i, want := range map[int]string{
		3: "│    0 │ xxxxxxxxxxxxxxxxxx… │", 22: "│   19 │ xxxxxxxxxxxxxxxxxx… │", 23: "│    · │ ·                   │",
		24: "│ 1214 │ xxxxxxxxxxxxxxxxxx… │", 43: "│ 1233 │ xxxxxxxxxxxxxxxxxx… │", 45: "1,234 rows (40 shown)",
	} {
		if lines[i] != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	b.Reset()
	if err := Write(&b, table, "box", Options{Width: 30}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), strings.Repeat("x", 50)); got != 1234 {
		t.Errorf("%d rows are whole", got)
	}
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 40: "40 rows", 41: "41 rows (40 shown)", 60: "60 rows (40 shown)"} {
		b.Reset()
		if err := Write(&b, Table{table.Columns, rows(list[:n]...)}, "box", Options{Terminal: true}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(b.String(), "┘\n"+want+"\n") {
			t.Errorf("%d rows: %s", n, b.String())
		}
	}
}

func TestWideLater(t *testing.T) {
	var list [][]types.Value
	for range heldRows {
		list = append(list, []types.Value{"a"})
	}
	list = append(list, []types.Value{"longer"})
	var b bytes.Buffer
	if err := Write(&b, Table{cols("c", types.String), rows(list...)}, "box", Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), "│ a │\n│ longer │\n└───┘\n") {
		t.Error(b.String()[b.Len()-60:])
	}
}

func TestColor(t *testing.T) {
	var b bytes.Buffer
	table := Table{cols("a", types.String), rows([]types.Value{nil}, []types.Value{"NULL"})}
	if err := Write(&b, table, "box", Options{Color: true}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "\x1b[1ma\x1b[0m    │") || !strings.Contains(got, "│ \x1b[2mNULL\x1b[0m │") || !strings.Contains(got, "│ NULL │") {
		t.Errorf("%q", got)
	}
}

func TestRowError(t *testing.T) {
	bad := errors.New("bad")
	table := Table{cols("a", types.Int), func(yield func([]types.Value, error) bool) {
		_ = yield([]types.Value{int64(1)}, nil) && yield(nil, bad)
	}}
	for _, f := range Formats {
		if err := Write(&bytes.Buffer{}, table, f, Options{}); err != bad {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// TestText: the texts of CAST(… AS STRING) and to_json of Spark 4.1, as its documentation and golden files have them.
func TestText(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	at := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC).UnixMicro()
	point := types.Struct{Fields: []types.Field{{Name: "x", Type: types.Int}, {Name: "y", Type: types.String}}}
	for _, c := range []struct {
		v          types.Value
		t          types.Type
		text, json string
	}{
		{true, types.Boolean, "true", "true"},
		{int64(-7), types.Byte, "-7", "-7"},
		{int64(math.MinInt64), types.Long, "-9223372036854775808", "-9223372036854775808"},
		{float32(0.1), types.Float, "0.1", "0.1"},
		{float32(1e7), types.Float, "1.0E7", "1.0E7"},
		{9999999.0, types.Double, "9999999.0", "9999999.0"},
		{0.001, types.Double, "0.001", "0.001"},
		{0.0001, types.Double, "1.0E-4", "1.0E-4"},
		{math.Copysign(0, -1), types.Double, "-0.0", "-0.0"},
		{1.7976931348623157e308, types.Double, "1.7976931348623157E308", "1.7976931348623157E308"},
		{math.Inf(-1), types.Double, "-Infinity", `"-Infinity"`},
		{types.DecimalValue(-123), types.Decimal{P: 10, S: 2}, "-1.23", "-1.23"},
		{types.DecimalValue(0), types.Decimal{P: 38, S: 18}, "0.000000000000000000", "0.000000000000000000"},
		{decimal128.FromI64(5), types.Decimal{P: 3}, "5", "5"},
		{[]byte("Hi\x00"), types.Binary, "[48 69 00]", `"SGkA"`},
		{int32(20454), types.Date, "2026-01-01", `"2026-01-01"`},
		{int32(-719529), types.Date, "-0001-12-31", `"-0001-12-31"`},
		{int32(2932897), types.Date, "+10000-01-01", `"+10000-01-01"`},
		{at, types.Timestamp, "2026-01-01 11:00:00", `"2026-01-01T11:00:00.000+01:00"`},
		{at + 120, types.TimestampNTZ, "2026-01-01 10:00:00.00012", `"2026-01-01T10:00:00.000"`},
		{int64(3723000001), types.Time{P: 6}, "01:02:03.000001", `"01:02:03.000001"`},
		{int32(-14), types.YearMonth{From: types.Year, To: types.Month}, "INTERVAL '-1-2' YEAR TO MONTH", `"INTERVAL '-1-2' YEAR TO MONTH"`},
		{int32(24), types.YearMonth{From: types.Year, To: types.Year}, "INTERVAL '2' YEAR", `"INTERVAL '2' YEAR"`},
		{int64(93784500000), types.DayTime{From: types.Day, To: types.Second}, "INTERVAL '1 02:03:04.5' DAY TO SECOND", `"INTERVAL '1 02:03:04.5' DAY TO SECOND"`},
		{int64(-93784000000), types.DayTime{From: types.Hour, To: types.Second}, "INTERVAL '-26:03:04' HOUR TO SECOND", `"INTERVAL '-26:03:04' HOUR TO SECOND"`},
		{int64(4000000), types.DayTime{From: types.Second, To: types.Second}, "INTERVAL '04' SECOND", `"INTERVAL '04' SECOND"`},
		{types.Interval{Months: 14, Days: -3, Micros: 3723500000}, types.CalendarInterval, "1 years 2 months -3 days 1 hours 2 minutes 3.5 seconds",
			`"1 years 2 months -3 days 1 hours 2 minutes 3.5 seconds"`},
		{types.Interval{}, types.CalendarInterval, "0 seconds", `"0 seconds"`},
		{[]types.Value{int64(1), nil}, types.Array{Elem: types.Int}, "[1, NULL]", "[1,null]"},
		{[]types.Value{int64(1), nil}, point, "{1, NULL}", `{"x":1,"y":null}`},
		{[]types.Pair{{Key: "k", Value: []types.Value{}}}, types.Map{Key: types.String, Value: types.Array{Elem: types.Int}}, "{k -> []}", `{"k":[]}`},
		{[]types.Pair{{Key: int32(20454), Value: at}}, types.Map{Key: types.Date, Value: types.Timestamp}, "{2026-01-01 -> 2026-01-01 11:00:00}", `{"20454":"2026-01-01T11:00:00.000+01:00"}`},
		{"a\"\\/\b\f\n\r\t\x01\u2028é\xff", types.String, "a\"\\/\b\f\n\r\t\x01\u2028é\xff", `"a\"\\/\b\f\n\r\t\u0001` + "\u2028é\ufffd\""},
	} {
		if got := text(c.v, c.t, berlin); got != c.text {
			t.Errorf("text of %v as %v is %q, want %q", c.v, c.t, got, c.text)
		}
		if got := string(appendJSON(nil, c.v, c.t, berlin)); got != c.json {
			t.Errorf("JSON of %v as %v is %s, want %s", c.v, c.t, got, c.json)
		}
	}
	if got := string(appendJSON(nil, at, types.Timestamp, time.UTC)); got != `"2026-01-01T10:00:00.000Z"` {
		t.Error(got)
	}
}

func ExampleWrite() {
	var b strings.Builder
	table := Table{cols("day", types.Date, "flights", types.Long), rows([]types.Value{int32(15744), int64(930)}, []types.Value{nil, nil})}
	Write(&b, table, "box", Options{})
	fmt.Print(b.String())
	// Output:
	// ┌────────────┬─────────┐
	// │ day        │ flights │
	// ├────────────┼─────────┤
	// │ 2013-02-08 │     930 │
	// │ NULL       │    NULL │
	// └────────────┴─────────┘
}
