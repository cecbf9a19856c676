package tarn

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
)

// schemaName is the full name, catalog and schema, that n writes.
func (r *run) schemaName(ctx context.Context, n *syntax.Name) (lake.Ident, error) {
	if n == nil {
		return lake.Ident{r.catalog, r.schema}, nil
	}
	name, err := r.identOf(ctx, n)
	if err != nil {
		return nil, err
	}
	switch len(name) {
	case 1:
		return lake.Ident{r.catalog, name[0]}, nil
	case 2:
		return name, nil
	}
	return nil, fail("REQUIRES_SINGLE_PART_NAMESPACE", n, "sessionCatalog", r.catalog, "namespace", quoted(name))
}

// checkStored refuses names that no catalog may keep, by Spark's rule: letters, digits and underlines of ASCII. They become
// names of folders, and so must not lead out of the warehouse, nor to the catalog's own folder.
func checkStored(name string, at syntax.Node) error {
	plain := func(c rune) bool {
		return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	other := strings.IndexFunc(name, func(c rune) bool { return !plain(c) }) >= 0
	if name == "" || other || strings.EqualFold(name, catalog.Folder) {
		return fail("INVALID_SCHEMA_OR_RELATION_NAME", at, "name", quoted(lake.Ident{name}))
	}
	return nil
}

// findSchema is a schema that must be there.
func (r *run) findSchema(ctx context.Context, n *syntax.Name) (catalog.Catalog, catalog.Schema, error) {
	full, err := r.schemaName(ctx, n)
	if err != nil {
		return nil, catalog.Schema{}, err
	}
	c, err := r.catalogOf(full)
	if err != nil {
		return nil, catalog.Schema{}, err
	}
	s, err := c.Schema(ctx, full[1])
	if isMissing(err) {
		return nil, s, fail("SCHEMA_NOT_FOUND", nil, "schemaName", quoted(full))
	}
	return c, s, err
}

func (r *run) createSchema(ctx context.Context, st *syntax.CreateNamespace) (*Rows, error) {
	full, err := r.schemaName(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	if err := checkStored(full[1], st.Name); err != nil {
		return nil, err
	}
	c, err := r.catalogOf(full)
	if err != nil {
		return nil, err
	}
	props, err := plan.Properties(ctx, st.Properties, r)
	if err != nil {
		return nil, err
	}
	s := catalog.Schema{Name: full[1], Properties: props, Location: strings.TrimSuffix(r.db.opts.Warehouse, "/") + "/" + strings.ToLower(full[1]) + ".db"}
	if st.Comment != nil {
		s.Comment = st.Comment.Value
	}
	if st.Location != nil {
		if st.Location.Value == "" {
			return nil, fail("INVALID_EMPTY_LOCATION", st.Location, "location", "")
		}
		s.Location = st.Location.Value
	}
	s.Location = absolute(s.Location)
	err = c.Update(ctx, catalog.PutSchema{Schema: s})
	if errors.Is(err, fs.ErrExist) {
		if st.IfNotExists {
			return nothing(), nil
		}
		return nil, fail("SCHEMA_ALREADY_EXISTS", st.Name, "schemaName", quoted(full[1:]))
	}
	return nothing(), err
}

func (r *run) alterSchema(ctx context.Context, st *syntax.AlterNamespace) (*Rows, error) {
	c, s, err := r.findSchema(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	props, err := plan.Properties(ctx, st.Properties, r)
	if err != nil {
		return nil, err
	}
	s.Properties = maps.Clone(s.Properties)
	if s.Properties == nil {
		s.Properties = map[string]string{}
	}
	for k, v := range props {
		if st.Unset {
			delete(s.Properties, k)
		} else {
			s.Properties[k] = v
		}
	}
	if st.Location != nil {
		s.Location = absolute(st.Location.Value)
	}
	return nothing(), c.Update(ctx, catalog.PutSchema{Schema: s, Replace: true})
}

func (r *run) dropSchema(ctx context.Context, st *syntax.DropNamespace) (*Rows, error) {
	c, s, err := r.findSchema(ctx, st.Name)
	if err != nil {
		var missing *plan.Error
		if st.IfExists && errors.As(err, &missing) && missing.Class == "SCHEMA_NOT_FOUND" {
			return nothing(), nil
		}
		return nil, err
	}
	if st.Cascade {
		if err := r.dropTables(ctx, c, s.Name); err != nil {
			return nil, err
		}
	}
	err = c.Update(ctx, catalog.Drop{Name: lake.Ident{s.Name}, Cascade: st.Cascade})
	switch {
	case errors.Is(err, catalog.ErrNotEmpty):
		return nil, fail("SCHEMA_NOT_EMPTY", st.Name, "schemaName", quoted(lake.Ident{s.Name}))
	case errors.Is(err, catalog.ErrDefault):
		return nil, fail("UNSUPPORTED_FEATURE.DROP_DATABASE", st.Name, "database", quoted(lake.Ident{DefaultCatalog, s.Name}))
	}
	return nothing(), err
}

// dropTables drops the tables and views of a schema.
func (r *run) dropTables(ctx context.Context, c catalog.Catalog, schema string) error {
	names, err := tablesOf(ctx, c, schema)
	if err != nil {
		return err
	}
	for _, n := range names {
		e, err := c.Lookup(ctx, n)
		if err != nil {
			return err
		}
		if err := r.drop(ctx, e, append(lake.Ident{r.catalog}, n...)); err != nil {
			return err
		}
	}
	return nil
}

func tablesOf(ctx context.Context, c catalog.Catalog, schema string) ([]lake.Ident, error) {
	var out []lake.Ident
	for n, err := range c.List(ctx, lake.Ident{schema}) {
		if err != nil {
			return nil, err
		}
		if len(n) == 1 {
			n = lake.Ident{schema, n[0]}
		}
		out = append(out, n)
	}
	return out, nil
}

func (r *run) use(ctx context.Context, st *syntax.Use) (*Rows, error) {
	name, err := r.identOf(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	if st.Kind == "" && len(name) == 1 && !r.hasSchema(name[0]) {
		for c := range r.db.opts.Catalogs {
			if strings.EqualFold(c, name[0]) {
				r.Session.catalog, r.Session.schema = c, defaultSchema
				return nothing(), nil
			}
		}
	}
	full, err := r.schemaName(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	_, s, err := r.findSchema(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	r.Session.catalog, r.Session.schema = full[0], s.Name
	return nothing(), nil
}

func (r *run) setCatalog(ctx context.Context, st *syntax.SetCatalog) (*Rows, error) {
	var name string
	switch e := st.Name.(type) {
	case *syntax.StringLit:
		name = e.Value
	case *syntax.ColumnRef:
		name = e.Parts[0].Name
	}
	for c := range r.db.opts.Catalogs {
		if strings.EqualFold(c, name) {
			r.Session.catalog, r.Session.schema = c, defaultSchema
			return nothing(), nil
		}
	}
	return nil, fail("CATALOG_NOT_FOUND", st.Name, "catalogName", quoted(lake.Ident{name}))
}

func (r *run) showSchemas(ctx context.Context, st *syntax.ShowNamespaces) (*Rows, error) {
	name := r.catalog
	if st.In != nil {
		name = st.In.Last()
	}
	c, err := r.catalogOf(lake.Ident{name})
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for n, err := range c.List(ctx, nil) {
		if err != nil {
			return nil, err
		}
		if like(st.Pattern, n[len(n)-1]) {
			rows = append(rows, []string{n[len(n)-1]})
		}
	}
	return texts([]Column{text("namespace")}, rows)
}

func (r *run) showCatalogs(st *syntax.ShowCatalogs) (*Rows, error) {
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(r.db.opts.Catalogs)) {
		if like(st.Pattern, name) {
			rows = append(rows, []string{name})
		}
	}
	return texts([]Column{text("catalog")}, rows)
}

func (r *run) describeSchema(ctx context.Context, st *syntax.DescribeNamespace) (*Rows, error) {
	_, s, err := r.findSchema(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"Catalog Name", r.catalog}, {"Namespace Name", s.Name}, {"Comment", s.Comment},
		{"Location", fileURL(s.Location)}, {"Owner", s.Owner}}
	if st.Extended {
		var props []string
		for _, k := range slices.Sorted(maps.Keys(s.Properties)) {
			props = append(props, "("+k+","+s.Properties[k]+")")
		}
		rows = append(rows, []string{"Properties", "(" + strings.Join(props, ", ") + ")"})
	}
	if st.Extended && len(s.Properties) == 0 {
		rows[len(rows)-1][1] = ""
	}
	return texts([]Column{text("info_name"), text("info_value")}, rows)
}

// fileURL is a local path as Spark shows it.
func fileURL(location string) string {
	if strings.HasPrefix(location, "/") {
		return "file:" + location
	}
	return location
}
