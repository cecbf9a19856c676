package syntax_test

import (
	"errors"
	"fmt"

	"github.com/tarn-lake/tarn/internal/syntax"
)

func ExampleParse() {
	stmts, err := syntax.Parse("select a from t where b > 1; delete from t where c is null")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range stmts {
		switch s := s.(type) {
		case *syntax.Query:
			sel := s.Body.(*syntax.Select)
			fmt.Println("query with the condition", syntax.Print(sel.Where))
		case *syntax.Delete:
			fmt.Println("delete from", s.Table.Last())
		}
	}
	// Output:
	// query with the condition b > 1
	// delete from t
}

func ExampleParse_error() {
	src := "select a\nfrom t grop by a"
	_, err := syntax.Parse(src)
	var e *syntax.Error
	if errors.As(err, &e) {
		line, col := syntax.LineColumn(src, e.Pos())
		fmt.Printf("line %d, column %d: %v\n", line, col, e)
	}
	// Output:
	// line 2, column 12: [PARSE_SYNTAX_ERROR] syntax error at or near 'by': the statement should have ended here
}

func ExampleSplit() {
	for _, p := range syntax.Split("use d; select ';' -- one\n; select 2") {
		fmt.Printf("%v %q\n", p.Complete, p.Text)
	}
	// Output:
	// true "use d"
	// true "select ';'"
	// false "select 2"
}

func ExampleWalk() {
	x, _ := syntax.ParseExpr("sum(a + b.c) / count(*)")
	syntax.Walk(x, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.ColumnRef); ok {
			fmt.Println(syntax.Print(c))
		}
		return true
	})
	// Output:
	// a
	// b.c
}
