package plan

import (
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// inner analyses a subquery of an expression. The text lists the outer columns that it reads.
func (a *analyzer) inner(q *syntax.Query, f *frame) (relation, string, error) {
	border := &frame{outer: f, subquery: true}
	r, err := a.query(q, border)
	if err != nil {
		return relation{}, "", err
	}
	refs := make([]string, len(border.refs))
	for i, t := range border.refs {
		refs[i] = t.text
	}
	return r, strings.Join(refs, ", "), nil
}

func (a *analyzer) scalarSubquery(e *syntax.ScalarSubquery, f *frame) (term, error) {
	r, refs, err := a.inner(e.Query, f)
	if err != nil {
		return term{}, err
	}
	if len(r.cols) != 1 {
		return term{}, fail("INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN", e,
			"number", itoa(len(r.cols)))
	}
	return term{x: &rel.Scalar{Query: onlyColumns(r)}, text: "scalarsubquery(" + refs + ")"}, nil
}

func (a *analyzer) exists(e *syntax.Exists, f *frame) (term, error) {
	r, refs, err := a.inner(e.Query, f)
	if err != nil {
		return term{}, err
	}
	return term{x: &rel.Exists{Query: r.node}, text: "exists(" + refs + ")"}, nil
}

// onlyColumns is the tree of r with exactly its visible columns.
func onlyColumns(r relation) rel.Node {
	have := r.node.Columns()
	same := len(have) == len(r.cols)
	for i := range r.cols {
		same = same && have[i].ID == r.cols[i].ID && have[i].Name == r.cols[i].Name
	}
	if same {
		return r.node
	}
	return pick(r.node, r.cols)
}

// pick is a projection to some of a node's columns. A column that comes twice gets a new number.
func pick(n rel.Node, cols []column) *rel.Project {
	p := &rel.Project{In: n}
	seen := map[rel.ID]bool{}
	for _, c := range cols {
		out := c.Column
		if seen[out.ID] {
			out.ID = rel.NewID()
		}
		seen[out.ID] = true
		p.Cols = append(p.Cols, rel.Computed{Column: out, Expr: c.Ref()})
	}
	return p
}

// inQuery is x IN (query), where x may be a row of values.
func (a *analyzer) inQuery(e *syntax.In, f *frame) (term, error) {
	var left []term
	var err error
	text := ""
	if row, ok := e.X.(*syntax.Row); ok {
		if left, err = a.args("struct", row.Elems, false, f); err != nil {
			return term{}, err
		}
		text = "named_struct(" + rowText(left) + ")"
	} else {
		t, err := a.expr(e.X, f)
		if err != nil {
			return term{}, err
		}
		left, text = []term{t}, t.text
	}
	r, refs, err := a.inner(e.Query, f)
	if err != nil {
		return term{}, err
	}
	text = "(" + text + " IN (listquery(" + refs + ")))"
	q, err := a.matchSides(left, r, e, text)
	if err != nil {
		return term{}, err
	}
	t := term{x: q, text: text}
	if e.Not {
		return a.not(t, e)
	}
	return t, nil
}

func rowText(ts []term) string {
	var out []string
	for i, t := range ts {
		out = append(out, fieldName(t, i), t.text)
	}
	return strings.Join(out, ", ")
}

// matchSides brings both sides of IN (query) to common types.
func (a *analyzer) matchSides(left []term, r relation, e *syntax.In, text string) (*rel.InQuery, error) {
	if len(left) != len(r.cols) {
		names := make([]string, len(r.cols))
		for i, c := range r.cols {
			names[i] = quoteSQL(c.Name)
		}
		shown := make([]string, len(left))
		for i, t := range left {
			shown[i] = quoteSQL(t.text)
		}
		return nil, fail("DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH", e, "sqlExpr", quoteSQL(text),
			"leftLength", itoa(len(left)), "rightLength", itoa(len(r.cols)),
			"leftColumns", strings.Join(shown, ", "), "rightColumns", strings.Join(names, ", "))
	}
	q := &rel.InQuery{Query: onlyColumns(r)}
	p := &rel.Project{In: q.Query}
	changed := false
	for i, t := range left {
		right := r.cols[i]
		common, ok := rel.CommonType([]types.Type{t.x.Type(), right.Type}, a.set)
		if !ok || !orderable(common) {
			return nil, fail("DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH", e, "sqlExpr", quoteSQL(text),
				"mismatchedColumns", quoteSQL(t.text)+":"+typeSQL(t.x.Type())+", "+quoteSQL(right.Name)+":"+typeSQL(right.Type),
				"leftType", typeSQL(t.x.Type()), "rightType", typeSQL(right.Type))
		}
		q.X = append(q.X, a.to(t.x, common))
		p.Cols = append(p.Cols, a.recast(right.Column, common))
		changed = changed || !types.Equal(right.Type, common)
	}
	if changed {
		q.Query = p
	}
	return q, nil
}

// to casts x to a type that it is known to fit.
func (a *analyzer) to(x rel.Expr, t types.Type) rel.Expr {
	if types.Equal(x.Type(), t) {
		return x
	}
	if l, ok := x.(*rel.Lit); ok && l.Value == nil {
		return &rel.Lit{T: t}
	}
	return &rel.Cast{X: x, To: t, Mode: a.set.Mode, Zone: a.set.Zone}
}

// recast is column c as a column of type t: itself when it is one already.
func (a *analyzer) recast(c rel.Column, t types.Type) rel.Computed {
	if types.Equal(c.Type, t) {
		return rel.Computed{Column: c, Expr: c.Ref()}
	}
	out := rel.Column{ID: rel.NewID(), Name: c.Name, Type: t, Nullable: c.Nullable}
	return rel.Computed{Column: out, Expr: a.to(c.Ref(), t)}
}
