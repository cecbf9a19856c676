package plan

import (
	"context"
	"io/fs"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// world is a Scope of tables that have a schema and no rows.
type world struct {
	tables   map[string]*Source
	views    map[string]*View
	settings map[string]string
	schema   string
}

func newWorld() *world {
	w := &world{tables: map[string]*Source{}, views: map[string]*View{}, schema: "default", settings: map[string]string{
		"spark.sql.session.timeZone": "America/Los_Angeles", "spark.sql.ansi.enabled": "true"}}
	return w
}

// full is the name of a table in this world: catalog, schema, table.
func (w *world) full(name lake.Ident) lake.Ident {
	switch len(name) {
	case 1:
		return lake.Ident{"spark_catalog", w.schema, strings.ToLower(name[0])}
	case 2:
		return lake.Ident{"spark_catalog", strings.ToLower(name[0]), strings.ToLower(name[1])}
	}
	return name
}

func (w *world) add(name lake.Ident, schema types.Struct) {
	full := w.full(name)
	w.tables[full.String()] = &Source{Name: full, Schema: schema}
}

func (w *world) Table(_ context.Context, name lake.Ident, _ lake.At, _ map[string]string) (*Source, error) {
	if s, ok := w.tables[w.full(name).String()]; ok {
		return s, nil
	}
	return nil, fs.ErrNotExist
}

func (w *world) View(_ context.Context, name lake.Ident) (*View, bool) {
	if v, ok := w.views[strings.ToLower(name.String())]; ok {
		return v, true
	}
	v, ok := w.views[w.full(name).String()]
	return v, ok
}

func (w *world) Setting(key string) string                { return w.settings[key] }
func (w *world) Current() lake.Ident                      { return lake.Ident{"spark_catalog", w.schema} }
func (w *world) Variable([]string) (rel.Expr, bool)       { return nil, false }
func (w *world) Parameter(*syntax.Param) (rel.Expr, bool) { return nil, false }

// Constant knows the few functions that names are made with.
func (w *world) Constant(ctx context.Context, e rel.Expr) (types.Value, error) {
	switch e := e.(type) {
	case *rel.Lit:
		return e.Value, nil
	case *rel.Cast:
		return w.Constant(ctx, e.X)
	case *rel.Call:
		var out []string
		for _, x := range e.Args {
			v, err := w.Constant(ctx, x)
			if n, ok := v.(int64); ok && e.Name == "+" {
				m, err := w.Constant(ctx, e.Args[1])
				return n + m.(int64), err
			}
			s, ok := v.(string)
			if err != nil || !ok {
				return nil, err
			}
			out = append(out, s)
		}
		if e.Name == "concat" {
			return strings.Join(out, ""), nil
		}
	}
	return nil, unsupported("a constant in this test", nil)
}
