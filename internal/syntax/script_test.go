package syntax

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestScripts runs the scripts of testdata/script. Their commands read the
// input and print it as canonical SQL, or the errors with a caret:
//
//	parse    a script; each statement with the name of its node
//	expr     an expression
//	type     a data type
//	schema   a column list
//	name     a name of several parts
//	tree     an expression or a statement as a tree of nodes with their spans
//	split    the pieces of a script
//
// The arguments double-quoted, reserved, flat-set-ops, legacy-interval and
// legacy-identifier set the dialect.
func TestScripts(t *testing.T) {
	if *update {
		if err := flag.Set("rewrite", "true"); err != nil {
			t.Fatal(err)
		}
	}
	datadriven.Walk(t, "testdata/script", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return runScript(t, d)
		})
	})
}

func runScript(t *testing.T, d *datadriven.TestData) string {
	dialect := Dialect{
		DoubleQuotedIdentifiers: d.HasArg("double-quoted"),
		ReservedKeywords:        d.HasArg("reserved"),
		FlatSetOps:              d.HasArg("flat-set-ops"),
		LegacyInterval:          d.HasArg("legacy-interval"),
		LegacyIdentifierClause:  d.HasArg("legacy-identifier"),
	}
	switch d.Cmd {
	case "parse":
		stmts, err := dialect.Parse(d.Input)
		var b strings.Builder
		for _, s := range stmts {
			fmt.Fprintf(&b, "%s: %s\n", nodeName(s), Print(s))
		}
		return b.String() + shown(d.Input, err)
	case "expr":
		x, err := dialect.ParseExpr(d.Input)
		return printed(d.Input, x, err)
	case "type":
		x, err := dialect.ParseType(d.Input)
		return printed(d.Input, x, err)
	case "name":
		n, err := dialect.ParseMultipartIdentifier(d.Input)
		return printed(d.Input, n, err)
	case "schema":
		fields, err := dialect.ParseTableSchema(d.Input)
		var b strings.Builder
		for _, f := range fields {
			b.WriteString(Print(f) + "\n")
		}
		return b.String() + shown(d.Input, err)
	case "tree":
		return treeOf(dialect, d.Input)
	case "split":
		var b strings.Builder
		for _, p := range Split(d.Input) {
			fmt.Fprintf(&b, "%d-%d complete=%v %q\n", p.From, p.To, p.Complete, p.Text)
		}
		return b.String()
	}
	t.Fatalf("unknown command %q", d.Cmd)
	return ""
}

func nodeName(n any) string { return reflect.TypeOf(n).Elem().Name() }

func printed(src string, n Node, err error) string {
	if err != nil {
		return shown(src, err)
	}
	return Print(n) + "\n"
}

// shown prints errors as a terminal would, below the line they are about.
func shown(src string, err error) string {
	var list ErrorList
	if !errors.As(err, &list) {
		return ""
	}
	var b strings.Builder
	for _, e := range list {
		line, col := LineColumn(src, e.From)
		fmt.Fprintf(&b, "%d:%d %s", line, col, e.Error())
		for _, k := range slices.Sorted(maps.Keys(e.Params)) {
			fmt.Fprintf(&b, " %s=%q", k, e.Params[k])
		}
		if e.Incomplete {
			b.WriteString(" (incomplete)")
		}
		text := strings.Split(src, "\n")[line-1]
		width := min(max(int(e.To-e.From), 1), max(len(text)-col, 1))
		fmt.Fprintf(&b, "\n  | %s\n  | %s%s\n", text, strings.Repeat(" ", col), strings.Repeat("^", width))
	}
	return b.String()
}

func treeOf(d Dialect, src string) string {
	var n Node
	n, err := d.ParseStatement(src)
	if err != nil {
		if n, err = d.ParseExpr(src); err != nil {
			return shown(src, err)
		}
	}
	var b strings.Builder
	depth := map[Node]int{}
	var dump func(n Node, level int)
	dump = func(n Node, level int) {
		fmt.Fprintf(&b, "%s%s [%d,%d) %s\n", strings.Repeat("  ", level), nodeName(n), n.Pos(), n.End(), leafText(n))
		Walk(n, func(c Node) bool {
			if c == n {
				return true
			}
			if _, seen := depth[c]; !seen {
				depth[c] = level + 1
				dump(c, level+1)
			}
			return false
		})
	}
	dump(n, 0)
	return b.String()
}

// leafText returns the plain fields of a node that say something.
func leafText(n Node) string {
	var out []string
	v := reflect.ValueOf(n).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		if v.Type().Field(i).Anonymous || f.IsZero() {
			continue
		}
		switch f.Kind() {
		case reflect.String, reflect.Bool:
			out = append(out, fmt.Sprintf("%s=%v", v.Type().Field(i).Name, f.Interface()))
		}
	}
	return strings.Join(out, " ")
}
