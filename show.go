package tarn

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/files"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

func itoa(n int) string { return strconv.Itoa(n) }

// listed is one entry of SHOW TABLES.
type listed struct {
	schema, name string
	temporary    bool
	entry        lake.Entry
}

// list gives the tables and views of a schema, then the temporary views.
func (r *run) list(ctx context.Context, in *syntax.Name, pattern *syntax.StringLit) ([]listed, error) {
	c, s, err := r.findSchema(ctx, in)
	if err != nil {
		return nil, err
	}
	names, err := tablesOf(ctx, c, s.Name)
	if err != nil {
		return nil, err
	}
	var out []listed
	for _, n := range names {
		if !like(pattern, n[1]) {
			continue
		}
		e, err := c.Lookup(ctx, n)
		if err != nil {
			continue // dropped meanwhile
		}
		out = append(out, listed{s.Name, n[1], false, e})
	}
	slices.SortFunc(out, func(a, b listed) int { return strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name)) })
	for _, k := range slices.Sorted(maps.Keys(r.views)) {
		if like(pattern, k) {
			out = append(out, listed{"", r.views[k].name[0], true, lake.Entry{Format: viewFormat}})
		}
	}
	return out, nil
}

func (r *run) showTables(ctx context.Context, st *syntax.ShowTables) (*Rows, error) {
	list, err := r.list(ctx, st.In, st.Pattern)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, l := range list {
		rows = append(rows, []types.Value{l.schema, l.name, l.temporary})
	}
	return table([]Column{text("namespace"), text("tableName"), {Name: "isTemporary", Type: types.Boolean}}, rows)
}

func (r *run) showViews(ctx context.Context, st *syntax.ShowViews) (*Rows, error) {
	list, err := r.list(ctx, st.In, st.Pattern)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, l := range list {
		if l.entry.Format == viewFormat {
			rows = append(rows, []types.Value{l.schema, l.name, l.temporary})
		}
	}
	return table([]Column{text("namespace"), text("viewName"), {Name: "isTemporary", Type: types.Boolean}}, rows)
}

func (r *run) showTableExtended(ctx context.Context, st *syntax.ShowTableExtended) (*Rows, error) {
	if st.Partition != nil {
		return nil, unsupported("SHOW TABLE EXTENDED … PARTITION", st)
	}
	list, err := r.list(ctx, st.In, st.Pattern)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, l := range list {
		info := ""
		for _, kv := range r.information(ctx, l.entry, lake.Ident{r.catalog, l.schema, l.name}) {
			info += kv[0] + ": " + kv[1] + "\n"
		}
		rows = append(rows, []types.Value{l.schema, l.name, l.temporary, info})
	}
	return table([]Column{text("namespace"), text("tableName"), {Name: "isTemporary", Type: types.Boolean}, text("information")}, rows)
}

// shown is what a table or view looks like to SHOW and DESCRIBE.
type shown struct {
	entry lake.Entry
	full  lake.Ident // nil for a path
	meta  *lake.Meta
	view  *view
	snap  lake.Snapshot // nil for a view
}

// stated are the properties that are shown.
func (s shown) stated() map[string]string {
	if d, ok := s.snap.(lake.Describer); ok {
		return d.Stated()
	}
	return withProtocol(s.meta)
}

// look finds a table or view by name.
func (r *run) look(ctx context.Context, n *syntax.Name) (shown, error) {
	name, err := r.identOf(ctx, n)
	if err != nil {
		return shown{}, err
	}
	if v, err := r.viewOf(ctx, name); err == nil {
		meta := &lake.Meta{Description: v.comment, Schema: types.Struct{Fields: v.columns}, Properties: v.props}
		e := lake.Entry{Name: v.name, Format: viewFormat}
		if len(v.name) == 3 {
			e, _, _ = r.lookup(ctx, v.name)
		}
		return shown{entry: e, full: v.name, meta: meta, view: v}, nil
	}
	e, full, err := r.find(ctx, n)
	if err != nil {
		return shown{}, err
	}
	snap, err := r.snapshot(ctx, e, lake.At{}, full)
	if err != nil {
		return shown{}, err
	}
	return shown{entry: e, full: full, meta: snap.Meta(), snap: snap}, nil
}

func (r *run) showColumns(ctx context.Context, st *syntax.ShowColumns) (*Rows, error) {
	name := st.Table
	if st.In != nil {
		in := st.In.Strings()
		parts := name.Parts
		if len(parts) == 2 && !strings.EqualFold(parts[0].Name, in[len(in)-1]) {
			return nil, fail("SHOW_COLUMNS_WITH_CONFLICT_NAMESPACE", nil, "namespaceA", quoted(lake.Ident(in)),
				"namespaceB", quoted(lake.Ident{parts[0].Name}))
		}
		name = &syntax.Name{Span: name.Span, Parts: append(slices.Clone(st.In.Parts), parts[len(parts)-1])}
	}
	s, err := r.look(ctx, name)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for _, f := range s.meta.Schema.Fields {
		rows = append(rows, []string{f.Name})
	}
	return texts([]Column{text("col_name")}, rows)
}

func (r *run) showPartitions(ctx context.Context, st *syntax.ShowPartitions) (*Rows, error) {
	s, err := r.look(ctx, st.Table)
	if err != nil {
		return nil, err
	}
	if s.view != nil {
		return nil, fail("FORBIDDEN_OPERATION", st.Table, "statement", "SHOW PARTITIONS", "objectType", "VIEW", "objectName", quoted(s.full))
	}
	if d, ok := s.snap.(lake.Describer); ok {
		return r.showPaths(ctx, d.Partitions(), st)
	}
	if len(s.meta.Partition) == 0 {
		return nil, fail("INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY", st.Table, "name", quoted(s.full))
	}
	t := &rel.Table{Of: s.snap, Name: st.Table.Last()}
	agg := &rel.Aggregate{In: t}
	sort := &rel.Sort{In: agg}
	for _, p := range s.meta.Partition {
		f := s.meta.Schema.Fields[s.meta.Schema.Index(p)]
		c := rel.NewColumn(f.Name, f.Type)
		t.Cols = append(t.Cols, c)
		key := rel.NewColumn(f.Name, f.Type)
		agg.Keys = append(agg.Keys, rel.Computed{Column: key, Expr: c.Ref()})
		sort.By = append(sort.By, rel.Order{Expr: key.Ref(), NullsFirst: false})
	}
	if st.Partition != nil {
		in, err := plan.InPartition(ctx, st.Partition, s.meta, t.Cols, r)
		if err != nil {
			return nil, err
		}
		agg.In = &rel.Filter{In: t, Cond: in}
	}
	if s.entry.Format == "delta" {
		return r.rows(ctx, sort)
	}
	values, err := r.collect(ctx, sort)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for _, row := range values {
		var parts []string
		for i, v := range row {
			part := s.meta.Partition[i] + "=__HIVE_DEFAULT_PARTITION__"
			if v != nil {
				part = fmt.Sprintf("%s=%v", s.meta.Partition[i], v)
			}
			parts = append(parts, part)
		}
		rows = append(rows, []string{strings.Join(parts, "/")})
	}
	return texts([]Column{text("partition")}, rows)
}

// showPaths shows the paths of partitions, of those whose values a PARTITION clause gives.
func (r *run) showPaths(ctx context.Context, paths []string, st *syntax.ShowPartitions) (*Rows, error) {
	var rows [][]string
	wanted := map[string]string{}
	if st.Partition != nil {
		for _, it := range st.Partition.Items {
			if it.Value == nil {
				continue
			}
			v, err := r.partitionText(ctx, it)
			if err != nil {
				return nil, err
			}
			wanted[it.Column.Name] = v
		}
	}
	for _, p := range paths {
		if hasParts(p, wanted) {
			rows = append(rows, []string{p})
		}
	}
	return texts([]Column{text("partition")}, rows)
}

// partitionText is the value of an item of a PARTITION clause as paths have it.
func (r *run) partitionText(ctx context.Context, it *syntax.PartitionItem) (string, error) {
	x, err := plan.Expr(ctx, it.Value, nil, r)
	if err != nil {
		return "", err
	}
	v, err := r.Constant(ctx, x)
	if v == nil {
		v = "__HIVE_DEFAULT_PARTITION__"
	}
	return fmt.Sprint(v), err
}

// hasParts reports whether a path has a segment column=value for each of wanted.
func hasParts(path string, wanted map[string]string) bool {
	have := map[string]string{}
	for part := range strings.SplitSeq(path, "/") {
		column, value, _ := strings.Cut(part, "=")
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		have[strings.ToLower(column)] = value
	}
	for column, value := range wanted {
		if got, ok := have[strings.ToLower(column)]; !ok || got != value {
			return false
		}
	}
	return true
}

func (r *run) showProperties(ctx context.Context, st *syntax.ShowProperties) (*Rows, error) {
	s, err := r.look(ctx, st.Table)
	if err != nil {
		return nil, err
	}
	props := s.stated()
	if st.Key != nil {
		v, ok := props[st.Key.Key]
		if !ok {
			v, ok = s.meta.Properties[st.Key.Key]
		}
		if !ok {
			v = "Table " + s.full.String() + " does not have property: " + st.Key.Key
		}
		return texts(setColumns, [][]string{{st.Key.Key, redacted(st.Key.Key, v)}})
	}
	var rows [][]string
	for _, k := range slices.Sorted(maps.Keys(props)) {
		rows = append(rows, []string{k, redacted(k, props[k])})
	}
	return texts(setColumns, rows)
}

// secretKey finds the keys whose values are not shown: Spark's spark.redaction.regex.
var secretKey = regexp.MustCompile(`(?i)secret|password|token|access[.]?key`)

// redacted is the value of a property, hidden where its key speaks of a secret.
func redacted(key, value string) string {
	if secretKey.MatchString(key) {
		return "*********(redacted)"
	}
	return value
}

// withProtocol are the properties of a table with its protocol among them, as Delta shows them.
func withProtocol(m *lake.Meta) map[string]string {
	out := maps.Clone(m.Properties)
	if out == nil {
		out = map[string]string{}
	}
	if p := m.Protocol; p.Writer > 0 {
		out["delta.minReaderVersion"], out["delta.minWriterVersion"] = itoa(p.Reader), itoa(p.Writer)
		for _, f := range append(slices.Clone(p.ReaderFeatures), p.WriterFeatures...) {
			out["delta.feature."+f] = "supported"
		}
	}
	return out
}

func (r *run) showFunctions(st *syntax.ShowFunctions) (*Rows, error) {
	pattern := st.Pattern
	if pattern == nil && st.Name != nil {
		pattern = &syntax.StringLit{Value: st.Name.Last()}
	}
	if st.Scope != nil && strings.EqualFold(st.Scope.Name, "USER") {
		return texts([]Column{text("function")}, nil)
	}
	names := map[string]bool{}
	for f := range rel.Functions() {
		for _, n := range append([]string{f.Name}, f.Aliases...) {
			if like(pattern, n) {
				names[n] = true
			}
		}
	}
	var rows [][]string
	for _, n := range slices.Sorted(maps.Keys(names)) {
		rows = append(rows, []string{n})
	}
	return texts([]Column{text("function")}, rows)
}

// showCreate gives a statement that makes the table or view again.
func (r *run) showCreate(ctx context.Context, st *syntax.ShowCreateTable) (*Rows, error) {
	s, err := r.look(ctx, st.Table)
	if err != nil {
		return nil, err
	}
	return texts([]Column{text("createtab_stmt")}, [][]string{{createStatement(s)}})
}

func createStatement(s shown) string {
	var b strings.Builder
	kind := "TABLE"
	if s.view != nil {
		kind = "VIEW"
	}
	name := s.full
	if s.view != nil && len(name) == 3 {
		name = name[1:]
	}
	if name == nil {
		name = lake.Ident{s.entry.Format, s.entry.Location}
	}
	fmt.Fprintf(&b, "CREATE %s %s", kind, name)
	var cols []string
	for _, f := range s.meta.Schema.Fields {
		cols = append(cols, "  "+columnDefinition(f, s.view != nil))
	}
	if len(cols) > 0 {
		b.WriteString(" (\n" + strings.Join(cols, ",\n") + ")\n")
	}
	if s.view == nil {
		b.WriteString("USING " + s.entry.Format + "\n")
		writeOptions(&b, "OPTIONS", s.entry.Options)
		if len(s.meta.Partition) > 0 {
			b.WriteString("PARTITIONED BY (" + strings.Join(s.meta.Partition, ", ") + ")\n")
		}
		if len(s.meta.Cluster) > 0 {
			b.WriteString("CLUSTER BY (" + strings.Join(s.meta.Cluster, ", ") + ")\n")
		}
		if s.entry.External {
			b.WriteString("LOCATION '" + fileURL(s.entry.Location) + "'\n")
		}
	}
	if s.meta.Description != "" {
		b.WriteString("COMMENT " + quoteText(s.meta.Description) + "\n")
	}
	if d, ok := s.snap.(lake.Describer); ok {
		writeOptions(&b, "TBLPROPERTIES", d.Stated())
	} else {
		writeOptions(&b, "TBLPROPERTIES", s.meta.Properties)
	}
	if s.view != nil {
		b.WriteString("WITH SCHEMA COMPENSATION\n")
		b.WriteString("AS " + s.view.text + "\n")
	}
	return b.String()
}

func columnDefinition(f types.Field, view bool) string {
	out := types.QuoteIfNeeded(f.Name)
	if !view {
		out += " " + types.SQL(f.Type)
		if !f.Nullable {
			out += " NOT NULL"
		}
		if d, ok := f.Metadata.Text("CURRENT_DEFAULT"); ok {
			out += " DEFAULT " + d
		}
	}
	if c, ok := f.Metadata.Text("comment"); ok {
		out += " COMMENT " + quoteText(c)
	}
	return out
}

func quoteText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

func writeOptions(b *strings.Builder, word string, m map[string]string) {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if k != files.Pattern {
			parts = append(parts, "  "+quoteText(k)+" = "+quoteText(redacted(k, m[k])))
		}
	}
	if len(parts) > 0 {
		b.WriteString(word + " (\n" + strings.Join(parts, ",\n") + ")\n")
	}
}
