package duckdb

import (
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// TestFunctionScripts computes the calls of testdata/functions/*.txt, lines of "f(constants) -> type value". Types
// and values are those that Spark documents; the value is cast to text, NULL spelled NULL.
func TestFunctionScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/functions/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	c := openTest(t, testLimits(t))
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			call, want, ok := strings.Cut(line, ") -> ")
			if !ok {
				t.Fatalf("%s:%d: want f(…) -> type value", file, i+1)
			}
			wantType, wantValue, _ := strings.Cut(want, " ")
			gotType, gotValue := scripted(t, c, call)
			if gotType != wantType || gotValue != wantValue {
				t.Errorf("%s:%d: %s) is %s %s, want %s %s", filepath.Base(file), i+1, call, gotType, gotValue, wantType, wantValue)
			}
		}
	}
}

// scripted resolves and computes one call.
func scripted(t *testing.T, c *conn, call string) (typ, value string) {
	t.Helper()
	name, list, _ := strings.Cut(call, "(")
	set := rel.Settings{Zone: "America/Los_Angeles"}
	f := rel.FindFunction(name)
	if f == nil {
		return "", "no such function"
	}
	e, err := f.Resolve(constants(list), set)
	if err != nil {
		return "", err.Error()
	}
	text, err := rel.CastTo(e, types.String, set)
	if err != nil {
		return "", err.Error()
	}
	out := rel.NewColumn("v", types.String)
	rows := emittedRows(t, c, &rel.Project{In: &rel.Values{Rows: [][]rel.Expr{{}}}, Cols: []rel.Computed{{Column: out, Expr: text}}})
	return e.Type().String(), strings.ReplaceAll(rows[0], "(null)", "NULL")
}

// constants reads quoted text, numbers, true, false and NULL, with commas between.
func constants(s string) []rel.Expr {
	var out []rel.Expr
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(strings.TrimPrefix(s, ",")) {
		if s[0] == '\'' {
			end := strings.IndexByte(s[1:], '\'') + 1
			out = append(out, &rel.Lit{T: types.String, Value: s[1:end]})
			s = strings.TrimSpace(s[end+1:])
			continue
		}
		word, rest, _ := strings.Cut(s, ",")
		out = append(out, constantWord(strings.TrimSpace(word)))
		s = rest
	}
	return out
}

func constantWord(w string) rel.Expr {
	switch w {
	case "NULL":
		return &rel.Lit{T: types.Void}
	case "true", "false":
		return &rel.Lit{T: types.Boolean, Value: w == "true"}
	}
	if n, err := strconv.ParseInt(w, 10, 64); err == nil {
		if n == int64(int32(n)) {
			return &rel.Lit{T: types.Int, Value: n}
		}
		return &rel.Lit{T: types.Long, Value: n}
	}
	digits := strings.TrimLeft(strings.Replace(w, ".", "", 1), "-0")
	scale := len(w) - strings.IndexByte(w, '.') - 1
	n, _ := new(big.Int).SetString(strings.Replace(w, ".", "", 1), 10)
	return &rel.Lit{T: types.Decimal{P: max(len(digits), scale), S: scale}, Value: decimalValue(n)}
}

// FuzzCasts: no text makes a parser panic or hang, and what is read of a number is written and read again alike.
func FuzzCasts(f *testing.F) {
	for _, s := range []string{"1.5e3", "-0x1p3", "2020-02-30", "2020-01-27T20:06:11.847-08:00", "12:03", "+18:00", "INTERVAL '1 02:03:04.5' DAY TO SECOND", "1 year -2 days"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		parseDate(s)
		parseStamp(s)
		parseTimeOfDay(s)
		parseInterval(s)
		parseFloat(s, 64)
		if body, _ := intervalBody(s); len(body) < 100 {
			parseDayTime(body, types.DayTime{From: types.Day, To: types.Second})
		}
		if x, ok := parseNumber(s); ok && x.scale < 300 && x.scale > -300 {
			y, ok := parseNumber(x.text())
			if !ok || new(big.Rat).SetFrac(x.n, pow10(max(x.scale, 0))).Cmp(new(big.Rat).SetFrac(y.n, pow10(max(y.scale, 0)))) != 0 && x.scale >= 0 {
				t.Fatalf("%q is %s, read again %v", s, x.text(), y)
			}
		}
	})
}

// FuzzPatterns: no pattern and no text makes formatting or parsing panic.
func FuzzPatterns(f *testing.F) {
	f.Add("yyyy-MM-dd'T'HH:mm:ss.SSS[XXX]", "2020-01-27T20:06:11.847-08:00")
	f.Add("[dd/[MM]]E a G QQQ", "27/01")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		for _, parsing := range []bool{true, false} {
			p, err := compilePattern(pattern, parsing)
			if err != nil {
				continue
			}
			p.parse(text)
			p.format(nil, moment{wall: 1580155571847000})
		}
	})
}

// FuzzJSON: no text makes the readers panic.
func FuzzJSON(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`, "$.a[*].b")
	f.Fuzz(func(t *testing.T, text, path string) {
		n, ok := parseJSON(text)
		if steps, good := parsePath(path); ok && good {
			walkPath(n, steps)
		}
		if ok {
			jsonType(n)
			appendJSON(nil, n)
		}
	})
}
