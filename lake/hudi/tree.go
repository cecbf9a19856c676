package hudi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Builders of the expressions and nodes that writes are made of.

func text(s string) rel.Expr { return &rel.Lit{T: types.String, Value: s} }

func long(n int64) rel.Expr { return &rel.Lit{T: types.Long, Value: n} }

func code(n int32) rel.Expr { return &rel.Lit{T: types.Int, Value: int64(n)} }

func compare(op string, a, b rel.Expr) rel.Expr {
	return &rel.Call{Name: op, Args: []rel.Expr{a, b}, T: types.Boolean, Null: a.Nullable() || b.Nullable()}
}

func equals(a, b rel.Expr) rel.Expr { return compare("=", a, b) }

func differs(a, b rel.Expr) rel.Expr {
	e := equals(a, b)
	return &rel.Call{Name: "not", Args: []rel.Expr{e}, T: types.Boolean, Null: e.Nullable()}
}

func either(a, b rel.Expr) rel.Expr { return compare("or", a, b) }

func cast(a rel.Expr, t types.Type) rel.Expr { return &rel.Cast{X: a, To: t, Zone: "UTC"} }

func isNull(a rel.Expr) rel.Expr {
	return &rel.Call{Name: "isnull", Args: []rel.Expr{a}, T: types.Boolean}
}

// concat joins texts.
func concat(parts ...rel.Expr) rel.Expr {
	null := slices.ContainsFunc(parts, rel.Expr.Nullable)
	return &rel.Call{Name: "concat", Args: parts, T: types.String, Null: null}
}

func firstOf(t types.Type, otherwise rel.Expr, whens ...rel.When) rel.Expr {
	return &rel.Case{Whens: whens, Else: otherwise, T: t}
}

// columnOf is the column of rows with that number. A change that names another is a fault of the planner.
func columnOf(rows rel.Node, id rel.ID) rel.Column {
	cols := rows.Columns()
	i := slices.IndexFunc(cols, func(c rel.Column) bool { return c.ID == id })
	if i < 0 {
		panic(fmt.Sprintf("hudi: the rows of a change have no column %d", id))
	}
	return cols[i]
}

// columnNamed is the column of that name among cols.
func columnNamed(cols []rel.Column, name string) (rel.Column, bool) {
	i := slices.IndexFunc(cols, func(c rel.Column) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return rel.Column{}, false
	}
	return cols[i], true
}

// asIs is rows with all their columns, to which more can be added.
func asIs(rows rel.Node) *rel.Project {
	p := &rel.Project{In: rows}
	for _, c := range rows.Columns() {
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	return p
}

func idsOf(cols []rel.Column) []rel.ID {
	out := make([]rel.ID, len(cols))
	for i, c := range cols {
		out[i] = c.ID
	}
	return out
}

// places is a small table: the number of a file slice, and its partition path.
func places(slices []*fileSlice) (n *rel.Values, number, path rel.Column) {
	number, path = rel.NewColumn("number", types.Long), rel.NewColumn("path", types.String)
	n = &rel.Values{Cols: []rel.Column{number, path}}
	for _, s := range slices {
		n.Rows = append(n.Rows, []rel.Expr{long(s.Number), text(s.Partition)})
	}
	return n, number, path
}
