package tarn

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

func (r *run) createView(ctx context.Context, st *syntax.CreateView) (*Rows, error) {
	if st.Metrics {
		return nil, unsupported("CREATE VIEW … WITH METRICS", st)
	}
	name, err := r.identOf(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	v, err := r.newView(ctx, st.Query, st.Columns)
	if err != nil {
		return nil, err
	}
	if st.Comment != nil {
		v.comment = st.Comment.Value
	}
	if v.props, err = plan.Properties(ctx, st.Properties, r); err != nil {
		return nil, err
	}
	if st.Temporary {
		return nothing(), r.putTemporary(v, name, st.Global, st.Replace, st.IfNotExists, st.Name)
	}
	return nothing(), r.putView(ctx, v, r.full(name), st)
}

// newView is the view of a query in the current schema, checked by analysing it.
func (r *run) newView(ctx context.Context, q *syntax.Query, names []*syntax.ViewColumn) (*view, error) {
	n, err := plan.Query(ctx, q, r)
	if err != nil {
		return nil, err
	}
	cols := n.Columns()
	v := &view{text: syntax.Span{From: q.Pos(), To: q.End()}.Text(r.text), catalog: r.catalog, schema: r.schema}
	if v.columns, err = viewColumns(cols, names, q); err != nil {
		return nil, err
	}
	// The positions inside a view count in the view's own text.
	st, err := r.dialect().ParseStatement(v.text)
	if err != nil {
		return nil, err
	}
	v.query, _ = st.(*syntax.Query)
	if v.query == nil {
		v.query = q
	}
	return v, nil
}

func viewColumns(cols []rel.Column, names []*syntax.ViewColumn, at syntax.Node) ([]types.Field, error) {
	if len(names) > 0 && len(names) != len(cols) {
		class := "CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"
		if len(names) < len(cols) {
			class = "CREATE_VIEW_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
		}
		return nil, fail(class, at)
	}
	out := make([]types.Field, len(cols))
	seen := map[string]bool{}
	for i, c := range cols {
		out[i] = c.Field()
		if len(names) > 0 {
			out[i].Name, out[i].Metadata = names[i].Name.Name, nil
			if names[i].Comment != nil {
				out[i].Metadata = out[i].Metadata.With(plan.CommentKey, names[i].Comment.Value)
			}
		}
		key := strings.ToLower(out[i].Name)
		if seen[key] {
			return nil, fail("COLUMN_ALREADY_EXISTS", nil, "columnName", "`"+key+"`")
		}
		seen[key] = true
	}
	return out, nil
}

// putTemporary keeps a temporary view.
func (r *run) putTemporary(v *view, name lake.Ident, global, replace, ifNotExists bool, at syntax.Node) error {
	if len(name) > 1 && !(global && len(name) == 2 && strings.EqualFold(name[0], globalSchema)) {
		return fail("TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS", at, "actualName", quoted(name))
	}
	last := name[len(name)-1]
	key := strings.ToLower(last)
	store, full := r.views, lake.Ident{last}
	if global {
		r.db.mu.Lock()
		defer r.db.mu.Unlock()
		store, full = r.db.global, lake.Ident{globalSchema, last}
	}
	if _, taken := store[key]; taken && !replace {
		if ifNotExists {
			return nil
		}
		return fail("TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", at, "relationName", quoted(full))
	}
	v.name = full
	store[key] = v
	return nil
}

// putView keeps a view in the catalog.
func (r *run) putView(ctx context.Context, v *view, full lake.Ident, st *syntax.CreateView) error {
	if err := r.checkTemporaryParts(st); err != nil {
		return err
	}
	old, _, err := r.lookup(ctx, full)
	switch {
	case err == nil && st.IfNotExists:
		return nil
	case err == nil && !st.Replace:
		return fail("TABLE_OR_VIEW_ALREADY_EXISTS", st.Name, "relationName", quoted(full))
	case err == nil && old.Format != viewFormat:
		return fail("EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE", st.Name, "tableName", quoted(full), "operation", "CREATE OR REPLACE VIEW")
	case err != nil && !isMissing(err):
		return err
	}
	return r.storeView(ctx, v, full, true)
}

// checkTemporaryParts refuses a view of the catalog that reads a temporary one, which others cannot see.
func (r *run) checkTemporaryParts(st *syntax.CreateView) error {
	var bad error
	syntax.Walk(st.Query, func(n syntax.Node) bool {
		t, ok := n.(*syntax.Table)
		if ok && bad == nil && len(t.Name.Parts) == 1 && r.temporary(t.Name.Strings()) != nil {
			bad = fail("INVALID_TEMP_OBJ_REFERENCE", nil, "obj", "VIEW", "objName", quoted(r.full(st.Name.Strings())),
				"tempObj", "VIEW", "tempObjName", quoted(t.Name.Strings()))
		}
		return bad == nil
	})
	return bad
}

func (r *run) storeView(ctx context.Context, v *view, full lake.Ident, replace bool) error {
	c, err := r.catalogOf(full)
	if err != nil {
		return err
	}
	if err := checkStored(full[2], nil); err != nil {
		return err
	}
	props := map[string]string{viewText: v.text, viewCatalog: v.catalog, viewSchema: v.schema}
	for k, val := range v.props {
		props[k] = val
	}
	e := lake.Entry{Name: lake.Ident(full[1:]), Format: viewFormat, Created: time.Now(),
		Meta: &lake.Meta{Name: full[2], Description: v.comment, Schema: types.Struct{Fields: v.columns}, Properties: props}}
	err = c.Update(ctx, catalog.PutTable{Entry: e, Replace: replace})
	if errors.Is(err, fs.ErrNotExist) {
		return fail("SCHEMA_NOT_FOUND", nil, "schemaName", quoted(full[:2]))
	}
	return err
}

// createViewUsing names files, or a table by path, for the session.
func (r *run) createViewUsing(ctx context.Context, st *syntax.CreateTempViewUsing) (*Rows, error) {
	format, err := r.formatOf(st.Provider, nil)
	if err != nil {
		return nil, err
	}
	opts, err := plan.Properties(ctx, st.Options, r)
	if err != nil {
		return nil, err
	}
	lower := plan.StoreOptions(opts)
	location := lower["path"]
	if location == "" {
		return nil, fail("INVALID_EMPTY_LOCATION", st, "location", "")
	}
	e, err := r.pathEntry(ctx, format, location)
	if err != nil {
		return nil, err
	}
	e.Options = withOptions(e.Options, lower)
	if st.Columns != nil {
		schema, err := plan.Schema(st.Columns, r)
		if err != nil {
			return nil, err
		}
		e.Meta = &lake.Meta{Schema: schema}
	}
	v := &view{catalog: r.catalog, schema: r.schema, source: func(ctx context.Context, r *run) (*plan.Source, error) {
		snap, err := r.snapshot(ctx, e, lake.At{}, nil)
		if err != nil {
			return nil, err
		}
		return &plan.Source{Name: lake.Ident{st.Name.Last()}, Of: snap, Schema: snap.Meta().Schema}, nil
	}}
	src, err := v.source(ctx, r)
	if err != nil {
		return nil, err
	}
	v.columns = src.Schema.Fields
	name, err := r.identOf(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	return nothing(), r.putTemporary(v, name, st.Global, st.Replace, false, st.Name)
}

func (r *run) dropView(ctx context.Context, st *syntax.DropView) (*Rows, error) {
	name, err := r.identOf(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	if r.temporary(name) != nil {
		key := strings.ToLower(name[len(name)-1])
		if len(name) == 2 {
			r.db.mu.Lock()
			defer r.db.mu.Unlock()
			delete(r.db.global, key)
		} else {
			delete(r.views, key)
		}
		return nothing(), nil
	}
	e, full, err := r.lookup(ctx, name)
	switch {
	case isMissing(err) && st.IfExists:
		return nothing(), nil
	case isMissing(err):
		return nil, notFound(full, st.Name)
	case err != nil:
		return nil, err
	case e.Format != viewFormat:
		return nil, fail("WRONG_COMMAND_FOR_OBJECT_TYPE", st.Name, "operation", "DROP VIEW", "requiredType", "VIEW",
			"objectName", full.String(), "foundType", "MANAGED", "alternative", "DROP TABLE")
	}
	c, err := r.catalogOf(full)
	if err != nil {
		return nil, err
	}
	return nothing(), c.Update(ctx, catalog.Drop{Name: full[1:]})
}

// alterView runs ALTER VIEW.
func (r *run) alterView(ctx context.Context, st *syntax.AlterTable, name lake.Ident) (*Rows, error) {
	v, err := r.viewOf(ctx, name)
	if isMissing(err) {
		if e, full, e2 := r.lookup(ctx, name); e2 == nil && e.Format != viewFormat {
			return nil, fail("EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE", st.Name, "tableName", quoted(full), "operation", "ALTER VIEW")
		}
		return nil, notFound(name, st.Name)
	}
	if err != nil {
		return nil, err
	}
	temp := len(v.name) < 3
	switch act := st.Action.(type) {
	case *syntax.SetViewQuery:
		next, err := r.newView(ctx, act.Query, nil)
		if err != nil {
			return nil, err
		}
		next.name, next.comment, next.props = v.name, v.comment, v.props
		if temp {
			*v = *next
			return nothing(), nil
		}
		return nothing(), r.storeView(ctx, next, v.name, true)
	case *syntax.RenameTo:
		return r.renameView(ctx, v, act, temp)
	case *syntax.SetProperties:
		props, err := plan.Properties(ctx, act.Properties, r)
		if err != nil {
			return nil, err
		}
		if v.props == nil {
			v.props = map[string]string{}
		}
		for k, val := range props {
			v.props[k] = val
		}
	case *syntax.UnsetProperties:
		for _, p := range act.Properties {
			delete(v.props, p.Key)
		}
	case *syntax.SetViewBinding:
	default:
		return nil, unsupported("this form of ALTER VIEW", act)
	}
	if temp {
		return nothing(), nil
	}
	return nothing(), r.storeView(ctx, v, v.name, true)
}

func (r *run) renameView(ctx context.Context, v *view, act *syntax.RenameTo, temp bool) (*Rows, error) {
	to, err := r.identOf(ctx, act.Name)
	if err != nil {
		return nil, err
	}
	if temp {
		delete(r.views, strings.ToLower(v.name[len(v.name)-1]))
		return nothing(), r.putTemporary(v, to, len(v.name) == 2, false, false, act.Name)
	}
	target := r.full(to)
	if err := checkStored(target[len(target)-1], act.Name); err != nil {
		return nil, err
	}
	c, err := r.catalogOf(v.name)
	if err != nil {
		return nil, err
	}
	return nothing(), c.Update(ctx, catalog.Rename{From: v.name[1:], To: target[1:]})
}
