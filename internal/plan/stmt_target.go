package plan

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Target is the table that a statement changes.
type Target struct {
	Name   lake.Ident   // full name; nil for a table by path
	Path   string       // its location
	Format string       // such as "delta": error classes and rules of casts depend on it
	Of     rel.Relation // its rows, read through the transaction; nil for a table that is being made
	Meta   *lake.Meta
}

// Write is what a statement does to a table: first the new description, then the change of rows.
type Write struct {
	Define    *lake.Meta  // nil: the description stays
	Change    lake.Change // nil: the rows stay
	Operation lake.Operation
	Narrowing []StoreCast // implicit casts that can overflow
}

// StoreCast is the implicit cast of a value to the type of the column that it is stored in.
type StoreCast struct {
	Column   string // in backquotes
	From, To types.Type
}

func (t Target) delta() bool { return t.Format == "delta" }

func (t Target) hudi() bool { return t.Format == "hudi" }

// text is the name of t inside messages.
func (t Target) text() string {
	if t.Name == nil {
		return quoteName(t.Format, t.Path)
	}
	return quoteName(t.Name...)
}

// qualifier is what t's columns can be qualified with.
func (t Target) qualifier(alias *syntax.TableAlias) lake.Ident {
	if alias != nil && alias.Name != nil {
		return lake.Ident{alias.Name.Name}
	}
	if t.Name == nil {
		return lake.Ident{t.Format, t.Path}
	}
	return t.Name
}

// read is the leaf that gives the rows of t with fresh columns.
func (t Target) read(rowID bool) *rel.Table {
	out := &rel.Table{Of: t.Of, Name: t.text()}
	for _, f := range t.Meta.Schema.Fields {
		c := rel.NewColumn(f.Name, f.Type)
		c.Nullable, c.Metadata = f.Nullable, f.Metadata
		out.Cols = append(out.Cols, c)
	}
	if rowID {
		c := rel.NewColumn("_row_id", rel.RowIDOf(t.Of))
		out.RowID = &c
	}
	return out
}

// columnOf finds the column of t that a name written in a statement means, and its place in the schema.
func (t Target) columnOf(name string, at syntax.Node) (int, error) {
	i := t.Meta.Schema.Index(name)
	if i >= 0 {
		return i, nil
	}
	return 0, unresolved(name, t.Meta.Schema, at)
}

// unresolved is the error of a column that is not there.
func unresolved(name string, s types.Struct, at syntax.Node) error {
	if len(s.Fields) == 0 {
		return fail("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", at, "objectName", quoteName(name))
	}
	var names []string
	for _, f := range s.Fields {
		names = append(names, quoteName(f.Name))
	}
	return fail("UNRESOLVED_COLUMN.WITH_SUGGESTION", at, "objectName", quoteName(name), "proposal", strings.Join(names, ", "))
}

// jsonText is v as JSON, for the parameters of an operation.
func jsonText(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return "null"
	}
	return string(b)
}

// jsonList is a list of names as JSON, never null.
func jsonList(names []string) string {
	if names == nil {
		names = []string{}
	}
	return jsonText(names)
}

// predicates are conditions as histories show them.
func predicates(ctx context.Context, e syntax.Expr, in []Input, s Scope) (string, error) {
	if e == nil {
		return "[]", nil
	}
	text, err := Text(ctx, e, in, s)
	return jsonText([]string{text}), err
}

// over gives the conjuncts of cond that read nothing but cols, and are neither random nor hold a query: the
// predicate that conflicts are judged by.
func over(cond rel.Expr, cols []rel.Column) rel.Expr {
	own := map[rel.ID]bool{}
	for _, c := range cols {
		own[c.ID] = true
	}
	var out rel.Expr
	for _, c := range rel.Conjuncts(cond) {
		if !isRandom(c) && len(rel.Subqueries(c)) == 0 && readsOnly(c, own) {
			out = rel.And(out, c)
		}
	}
	return out
}

func readsOnly(e rel.Expr, own map[rel.ID]bool) bool {
	ok := true
	rel.WalkExpr(e, func(x rel.Expr) bool {
		if c, is := x.(*rel.Col); is && !own[c.ID] {
			ok = false
		}
		return ok
	})
	return ok
}

// isRandom reports whether e can give different values for equal arguments.
func isRandom(e rel.Expr) bool {
	found := false
	rel.WalkExpr(e, func(x rel.Expr) bool {
		if c, ok := x.(*rel.Call); ok {
			if f := rel.FindFunction(c.Name); f != nil && f.Nondeterministic {
				found = true
			}
		}
		return !found
	})
	return found
}

// JSON is v as the parameters of operations show it.
func JSON(v any) string { return jsonText(v) }

// Settings are the settings of s that change what expressions mean.
func Settings(s Scope) rel.Settings { return settings(s) }
