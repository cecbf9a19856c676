package syntax

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestLimits reads texts that are deep, long or both. Each must end soon,
// with a tree or an error, and never by overflowing the stack.
func TestLimits(t *testing.T) {
	deep := func(open, middle, end string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	tests := []struct {
		name, src string
		ok        bool
	}{
		{"200 parentheses", "select " + deep("(", "1", ")", 200), true},
		{"1500 parentheses", "select " + deep("(", "1", ")", 1500), false},
		{"100000 parentheses", "select " + deep("(", "1", ")", 100000), false},
		{"200 subqueries", deep("select * from (", "select 1", ")", 200), true},
		{"100000 subqueries", deep("select * from (", "select 1", ")", 100000), false},
		{"100000 calls", "select " + deep("trim(", "x", ")", 100000), false},
		{"400 calls", "select " + deep("substring(", "x", ", 1)", 400), true},
		{"100000 cases", "select " + deep("case when ", "x", " then 1 end", 100000), false},
		{"100000 types", "select cast(1 as " + deep("array<", "int", ">", 100000) + ")", false},
		{"300 types", "select cast(1 as " + deep("array<", "int", ">", 300) + ")", true},
		{"100000 signs", "select " + strings.Repeat("- ", 100000) + "x", false},
		{"100000 nots", "select " + strings.Repeat("not ", 100000) + "x", false},
		{"10000 ors", "select a" + strings.Repeat(" or a", 10000), true},
		{"100000 pluses", "select 1" + strings.Repeat("+1", 100000), false},
		{"100000 indexes", "select a" + strings.Repeat("[0]", 100000), false},
		{"100000 unions", "select 1" + strings.Repeat(" union select 1", 100000), false},
		{"100000 joins", "select * from t" + strings.Repeat(" join t", 100000), false},
		{"100000 pipes", "from t" + strings.Repeat(" |> where a", 100000), false},
		{"100000 blocks", strings.Repeat("begin ", 100000), false},
		{"100000 explains", strings.Repeat("explain ", 100000), false},
		{"a megabyte of rows", "values (1)" + strings.Repeat(", (1, 'abc')", 80000), false},
		{"a megabyte of equal rows", "values (1, 'abc')" + strings.Repeat(", (1, 'abc')", 80000), true},
		{"a megabyte of names", "select a" + strings.Repeat(", abcdefg", 110000), true},
		{"a megabyte of parts", "select a" + strings.Repeat(".b", 500000), true},
		{"a megabyte of quotes", "select '" + strings.Repeat("''", 500000), false},
		{"a megabyte of back quotes", "select " + strings.Repeat("`a``b", 200000), false},
		{"a megabyte of escapes", "select " + strings.Repeat(`'\`, 500000), false},
		{"a megabyte of comments", strings.Repeat("/*", 500000), false},
		{"a megabyte of statements", strings.Repeat("select 1;", 100000), true},
		{"a megabyte of errors", strings.Repeat("selct;", 160000), false},
		{"nested joins", "select * from " + deep("(", "t", " join t)", 100000), false},
		{"nested grouping", "select 1 group by " + deep("grouping sets (", "a", ")", 100000), false},
		{"nested date_add", "select " + deep("date_add(day, 1, ", "x", ")", 400), true},
		{"nested from first", deep("from (", "t", " order by 1) select a order by 1", 100000), false},
		{"nested from first, few", deep("from (", "select 1", ") select a order by 1", 300), true},
		{"nested lambdas", "select f(" + strings.Repeat("x -> ", 100000) + "x)", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			stmts, err := Parse(tt.src)
			if (err == nil) != tt.ok {
				t.Fatalf("error %v", err)
			}
			if err == nil {
				for _, s := range stmts[:min(len(stmts), 3)] {
					Walk(s, func(Node) bool { return true })
					Print(s)
				}
			}
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

// TestLongText refuses texts beyond the limit before reading them.
func TestLongText(t *testing.T) {
	_, err := Parse(strings.Repeat(" ", maxText+1))
	var e *Error
	if !errors.As(err, &e) || e.Class != "FAILED_TO_PARSE_TOO_COMPLEX" {
		t.Fatalf("got %v", err)
	}
}
