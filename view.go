package tarn

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

// view is a named query, or with CREATE TEMPORARY VIEW … USING, named files.
type view struct {
	name    lake.Ident
	text    string // of the query
	query   *syntax.Query
	columns []types.Field // as promised when it was made
	comment string
	props   map[string]string
	catalog string // that names inside mean
	schema  string
	source  func(context.Context, *run) (*plan.Source, error) // of USING
}

// temporary is the temporary view of a name, or nil.
func (r *run) temporary(name lake.Ident) *view {
	switch {
	case len(name) == 1:
		return r.views[strings.ToLower(name[0])]
	case len(name) == 2 && strings.EqualFold(name[0], globalSchema):
		r.db.mu.Lock()
		defer r.db.mu.Unlock()
		return r.db.global[strings.ToLower(name[1])]
	}
	return nil
}

// View is the view of a name.
func (r *run) View(ctx context.Context, name lake.Ident) (*plan.View, bool) {
	if v := r.temporary(name); v != nil {
		if v.query == nil {
			return nil, false
		}
		return &plan.View{Name: v.name, Query: v.query, Columns: v.columns, Scope: r.inside(v)}, true
	}
	e, full, err := r.lookup(ctx, name)
	if err != nil || e.Format != viewFormat {
		return nil, false
	}
	v, err := storedView(e, full)
	if err != nil {
		return nil, false
	}
	return &plan.View{Name: full, Query: v.query, Columns: v.columns, Scope: r.inside(v)}, true
}

// inside is the scope in which the names of v mean what they meant when it was made.
func (r *run) inside(v *view) *run {
	in := *r
	s := *r.Session
	s.catalog, s.schema = v.catalog, v.schema
	if len(v.name) == 3 {
		s.views = nil
	}
	in.Session = &s
	in.args, in.text = nil, v.text
	return &in
}

// The properties under which a catalog entry of a view keeps it.
const (
	viewText    = "view.text"
	viewCatalog = "view.catalog"
	viewSchema  = "view.schema"
)

// storedView reads a view from its catalog entry.
func storedView(e lake.Entry, full lake.Ident) (*view, error) {
	if e.Meta == nil {
		return nil, fs.ErrInvalid
	}
	st, err := syntax.ParseStatement(e.Meta.Properties[viewText])
	if err != nil {
		return nil, err
	}
	q, ok := st.(*syntax.Query)
	if !ok {
		return nil, fs.ErrInvalid
	}
	props := map[string]string{}
	for k, v := range e.Meta.Properties {
		if k != viewText && k != viewCatalog && k != viewSchema {
			props[k] = v
		}
	}
	return &view{name: full, text: e.Meta.Properties[viewText], query: q, columns: e.Meta.Schema.Fields,
		comment: e.Meta.Description, props: props, catalog: e.Meta.Properties[viewCatalog], schema: e.Meta.Properties[viewSchema]}, nil
}

// viewOf is the view that a statement names, temporary ones first; fs.ErrNotExist when it is none.
func (r *run) viewOf(ctx context.Context, name lake.Ident) (*view, error) {
	if v := r.temporary(name); v != nil {
		return v, nil
	}
	e, full, err := r.lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	if e.Format != viewFormat {
		return nil, fs.ErrNotExist
	}
	return storedView(e, full)
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
