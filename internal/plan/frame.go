package plan

import (
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// column is a column that a name can mean. qual is what may stand before it, outermost part first.
type column struct {
	rel.Column
	qual []string
}

// frame is what names mean at one level of a query.
type frame struct {
	outer   *frame
	cols    []column
	hidden  []column // can be named, but * leaves them out: the keys of the other side of USING
	aliases []alias  // of the SELECT list so far
	params  []column // of the lambda functions around, innermost last

	windows []*syntax.NamedWindow
	items   []item // of the SELECT list below an ORDER BY or HAVING, whose names come first
	rows    *frame // below an ORDER BY or HAVING: what names mean first inside aggregate functions

	subquery bool   // the border of a subquery: frames further out belong to the query around
	refs     []term // the outer columns that the subquery reads
}

// note remembers a column that a subquery reads from the query around it.
func (f *frame) note(t term) { f.refs = append(f.refs, t) }

// alias is a name that an earlier item of the SELECT list gave to its value. once computes the value below the
// SELECT list when it must not be computed twice.
type alias struct {
	name string
	term term
	once func() rel.Expr
}

// term is an analysed expression together with the text that Spark gives it.
type term struct {
	x     rel.Expr
	text  string
	name  string   // the column name where the text is not it: that of a struct's field or of an alias
	alias bool     // name was given by the user
	qual  []string // of a column: what qualifies it
	outer bool     // of a generator: keep rows for which it makes none
}

// full is the text with a column's qualifier.
func (t term) full() string {
	parts := make([]string, 0, len(t.qual)+1)
	for _, p := range t.qual {
		parts = append(parts, types.QuoteIfNeeded(p))
	}
	return strings.Join(append(parts, t.text), ".")
}

// label is the name of a column made of t without an alias.
func (t term) label() string {
	if t.name != "" {
		return t.name
	}
	return t.text
}

// relation is an analysed FROM item or query: a tree and what its columns are called.
type relation struct {
	node   rel.Node
	cols   []column // in the order of *; a subset of the node's columns
	hidden []column
}

// named is r with every column qualified by name alone.
func (r relation) named(name string) relation {
	cols := make([]column, len(r.cols))
	for i, c := range r.cols {
		cols[i] = column{c.Column, []string{name}}
	}
	return relation{node: r.node, cols: cols}
}

// plain gives the columns of a tree without qualifiers.
func plain(cols []rel.Column) []column {
	out := make([]column, len(cols))
	for i, c := range cols {
		out[i] = column{c, nil}
	}
	return out
}

// bare is the columns without their qualifiers.
func bare(cols []column) []rel.Column {
	out := make([]rel.Column, len(cols))
	for i, c := range cols {
		out[i] = c.Column
	}
	return out
}

// fullName is the column's name with its qualifier, in backquotes.
func (c column) fullName() string {
	return quoteName(append(append([]string(nil), c.qual...), c.Name)...)
}

// matches reports whether parts may stand before the column.
func (c column) matches(parts []string, same func(a, b string) bool) bool {
	if len(parts) > len(c.qual) {
		return false
	}
	tail := c.qual[len(c.qual)-len(parts):]
	for i, p := range parts {
		if !same(p, tail[i]) {
			return false
		}
	}
	return true
}

// sameName is how names are compared.
func (a *analyzer) sameName(x, y string) bool {
	if a.set.CaseSensitive {
		return x == y
	}
	return strings.EqualFold(x, y)
}
