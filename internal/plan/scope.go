package plan

import (
	"context"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Scope is what a session knows: the names that statements may use and the settings that change their meaning.
type Scope interface {
	// Table finds a table by its name as written, one to three parts, or by format and path (delta.`/p`). at and
	// options may be zero. The error is fs.ErrNotExist when there is no such table.
	Table(ctx context.Context, name lake.Ident, at lake.At, options map[string]string) (*Source, error)
	// View finds a temporary or persistent view by its name as written. Temporary views hide tables.
	View(ctx context.Context, name lake.Ident) (*View, bool)
	// Setting is the value of a configuration key, its default when it was not set, or "".
	Setting(key string) string
	// Current is the current catalog and schema.
	Current() lake.Ident
	// Variable finds a session variable by one to three name parts.
	Variable(name []string) (rel.Expr, bool)
	// Parameter is the value bound to a parameter marker.
	Parameter(p *syntax.Param) (rel.Expr, bool)
	// Constant computes an expression without columns.
	Constant(ctx context.Context, e rel.Expr) (types.Value, error)
}

// Functions is the ability of a Scope to know table functions of its own, such as those that read a table in some way.
type Functions interface {
	// TableFunction is what a call gives; nil when there is no function of that name, which is in lower case.
	TableFunction(ctx context.Context, name string, args []types.Value) (*Source, error)
}

// Source is a table as a query reads it.
type Source struct {
	Name   lake.Ident // full name, qualifies the columns; nil for a table by path
	Of     rel.Relation
	Schema types.Struct
}

// View is a named query. Its query is analysed again on each use, in the scope it was made in.
type View struct {
	Name    lake.Ident // full name, one part for a temporary view
	Query   *syntax.Query
	Columns []types.Field // the columns promised when the view was made; nil: those of Query
	Scope   Scope         // names inside Query mean what they mean here; nil: the reader's scope
}

// Input is a named set of columns that expressions may speak of, such as the target of a MERGE. Qualifier is
// the alias or the full name of the table; columns may also be named without it.
type Input struct {
	Qualifier lake.Ident
	Columns   []rel.Column
}

// Query analyses a query. Its tables are [rel.Table] leaves; see [rel.Bind].
func Query(ctx context.Context, q *syntax.Query, s Scope) (rel.Node, error) {
	a := newAnalyzer(ctx, s)
	r, err := a.query(q, nil)
	if err != nil {
		return nil, err
	}
	return unshare(r.node)
}

// From analyses one relation of a FROM clause, such as the source of a MERGE. The inputs hold the columns of
// the tree, grouped by the name that qualifies them.
func From(ctx context.Context, r syntax.Relation, s Scope) (rel.Node, []Input, error) {
	a := newAnalyzer(ctx, s)
	got, err := a.relation(r, nil)
	if err != nil {
		return nil, nil, err
	}
	return got.node, inputs(got.cols), nil
}

// Expr analyses an expression over the columns of in: a condition, a default value, an assigned value.
// Aggregate, window and generator functions are not allowed in it.
func Expr(ctx context.Context, e syntax.Expr, in []Input, s Scope) (rel.Expr, error) {
	t, err := newAnalyzer(ctx, s).scalar(e, frameOf(in), "")
	return t.x, err
}

// Condition is Expr for a place that needs a boolean, named in errors: "WHERE", "MERGE".
func Condition(ctx context.Context, e syntax.Expr, in []Input, s Scope) (rel.Expr, error) {
	a := newAnalyzer(ctx, s)
	return a.condition(e, frameOf(in))
}

// Text is the SQL text that names e as an unaliased column over in: "(a + 1)".
func Text(ctx context.Context, e syntax.Expr, in []Input, s Scope) (string, error) {
	t, err := newAnalyzer(ctx, s).scalar(e, frameOf(in), "")
	return t.text, err
}

// Type is the type that t spells. char and varchar keep their length.
func Type(t syntax.TypeName, s Scope) (types.Type, error) { return spelledType(t, s.Setting) }

// Schema is the struct that a column list spells.
func Schema(fields []*syntax.FieldType, s Scope) (types.Struct, error) {
	return spelledFields(fields, s.Setting)
}

func frameOf(in []Input) *frame {
	f := &frame{}
	for _, i := range in {
		for _, c := range i.Columns {
			f.cols = append(f.cols, column{c, i.Qualifier})
		}
	}
	return f
}

func inputs(cols []column) []Input {
	var out []Input
	for _, c := range cols {
		if n := len(out); n > 0 && strings.Join(out[n-1].Qualifier, "\x00") == strings.Join(c.qual, "\x00") {
			out[n-1].Columns = append(out[n-1].Columns, c.Column)
			continue
		}
		out = append(out, Input{c.qual, []rel.Column{c.Column}})
	}
	return out
}
