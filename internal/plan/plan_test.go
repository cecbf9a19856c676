package plan

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
)

// TestScripts runs the scripts of testdata. Their commands:
//
//	table NAME      makes a table of the columns in the input
//	view NAME       makes a view of the query in the input
//	set KEY=VALUE   changes a setting
//	plan            prints the tree of the query in the input
//	schema          prints its columns alone
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		w := newWorld()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "table":
				fields, err := syntax.ParseTableSchema(d.Input)
				if err != nil {
					t.Fatal(err)
				}
				schema, err := Schema(fields, w)
				if err != nil {
					t.Fatal(err)
				}
				w.add([]string{d.CmdArgs[0].Key}, schema)
				return ""
			case "view":
				w.views[d.CmdArgs[0].Key] = &View{Name: []string{d.CmdArgs[0].Key}, Query: parseQuery(t, d.Input)}
				return ""
			case "set":
				for _, a := range d.CmdArgs {
					w.settings[a.Key] = a.Vals[0]
				}
				return ""
			case "plan", "schema":
				n, err := Query(context.Background(), parseQuery(t, d.Input), w)
				if err != nil {
					return failure(err, d.Input)
				}
				if d.Cmd == "schema" {
					return schemaText(n) + "\n"
				}
				return rel.Print(n)
			}
			t.Fatalf("unknown command %q", d.Cmd)
			return ""
		})
	})
}

func parseQuery(t *testing.T, sql string) *syntax.Query {
	t.Helper()
	s, err := syntax.ParseStatement(sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	q, ok := s.(*syntax.Query)
	if !ok {
		t.Fatalf("%s: not a query", sql)
	}
	return q
}

// failure is an error with the text that it is about.
func failure(err error, src string) string {
	var e *Error
	if !errors.As(err, &e) {
		return "error: " + err.Error() + "\n"
	}
	out := "error: " + e.Error() + "\n"
	if s := strings.ReplaceAll(e.Span.Text(src), "\n", " "); s != "" {
		out += "at: " + s + "\n"
	}
	return out
}

// schemaText is the columns of n as Spark prints a schema.
func schemaText(n rel.Node) string {
	var out []string
	for _, c := range n.Columns() {
		out = append(out, c.Name+":"+c.Type.String())
	}
	return "struct<" + strings.Join(out, ",") + ">"
}
