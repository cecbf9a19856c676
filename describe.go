package tarn

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

var describeColumns = []Column{text("col_name"), text("data_type"), maybe("comment")}

func describeFields(fields []types.Field) [][]types.Value {
	var rows [][]types.Value
	for _, f := range fields {
		row := []types.Value{f.Name, f.Type.String(), nil}
		if c, ok := f.Metadata.Text(plan.CommentKey); ok {
			row[2] = c
		}
		rows = append(rows, row)
	}
	return rows
}

func (r *run) describeTable(ctx context.Context, st *syntax.DescribeTable) (*Rows, error) {
	if st.JSON || st.Partition != nil {
		return nil, unsupported("DESCRIBE … AS JSON and … PARTITION", st)
	}
	s, err := r.look(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	if st.Column != nil {
		return r.describeColumn(ctx, st, s)
	}
	rows := describeFields(s.meta.Schema.Fields)
	line := func(cells ...types.Value) { rows = append(rows, cells) }
	if len(s.meta.Partition) > 0 {
		line("# Partition Information", "", "")
		line("# col_name", "data_type", "comment")
		for _, p := range s.meta.Partition {
			rows = append(rows, describeFields([]types.Field{s.meta.Schema.Fields[s.meta.Schema.Index(p)]})...)
		}
	}
	if len(s.meta.Cluster) > 0 {
		line("# Clustering Information", "", "")
		line("# col_name", "data_type", "comment")
		for _, p := range s.meta.Cluster {
			if i := s.meta.Schema.Index(p); i >= 0 {
				rows = append(rows, describeFields(s.meta.Schema.Fields[i:i+1])...)
			}
		}
	}
	if st.Mode != "" {
		line("", "", "")
		line("# Detailed Table Information", "", "")
		for _, kv := range r.informationOf(s) {
			line(kv[0], kv[1], "")
		}
	}
	return table(describeColumns, rows)
}

func (r *run) describeColumn(ctx context.Context, st *syntax.DescribeTable, s shown) (*Rows, error) {
	path := st.Column.Strings()
	i := s.meta.Schema.Index(path[0])
	if len(path) > 1 || i < 0 {
		if i >= 0 {
			return nil, fail("_LEGACY_ERROR_TEMP_1060", nil, "command", "DESC TABLE COLUMN", "column", strings.Join(path, "."))
		}
		var names []string
		for _, f := range s.meta.Schema.Fields {
			names = append(names, types.Quote(f.Name))
		}
		return nil, fail("UNRESOLVED_COLUMN.WITH_SUGGESTION", st.Column, "objectName", quoted(path), "proposal", strings.Join(names, ", "))
	}
	f := s.meta.Schema.Fields[i]
	comment, ok := f.Metadata.Text(plan.CommentKey)
	if !ok {
		comment = "NULL"
	}
	rows := [][]string{{"col_name", f.Name}, {"data_type", f.Type.String()}, {"comment", comment}}
	if st.Mode != "" && s.entry.Format != "delta" {
		for _, k := range []string{"min", "max", "num_nulls", "distinct_count", "avg_col_len", "max_col_len", "histogram"} {
			rows = append(rows, []string{k, "NULL"})
		}
	}
	return texts([]Column{text("info_name"), text("info_value")}, rows)
}

// informationOf are the lines of DESCRIBE EXTENDED below the columns.
func (r *run) informationOf(s shown) [][2]string {
	var out [][2]string
	add := func(k, v string) {
		if v != "" {
			out = append(out, [2]string{k, v})
		}
	}
	if s.entry.Format == "delta" {
		name := "delta.`" + s.entry.Location + "`"
		if s.full != nil {
			name = s.full.String()
		}
		add("Name", name)
		add("Type", map[bool]string{true: "EXTERNAL", false: "MANAGED"}[s.entry.External])
		add("Comment", s.meta.Description)
		add("Location", fileURL(s.entry.Location))
		add("Provider", "delta")
		if !s.entry.External {
			add("Is_managed_location", "true")
		}
		var props []string
		all := withProtocol(s.meta)
		for _, k := range slices.Sorted(maps.Keys(all)) {
			props = append(props, k+"="+redacted(k, all[k]))
		}
		add("Table Properties", "["+strings.Join(props, ",")+"]")
		return out
	}
	if len(s.full) == 3 {
		add("Catalog", s.full[0])
		add("Database", s.full[1])
	}
	if len(s.full) > 0 {
		add("Table", s.full[len(s.full)-1])
	}
	if !s.entry.Created.IsZero() {
		add("Created Time", s.entry.Created.Format("Mon Jan 02 15:04:05 MST 2006"))
		add("Last Access", "UNKNOWN")
		add("Created By", "tarn")
	}
	kind := "MANAGED"
	switch {
	case s.view != nil:
		kind = "VIEW"
	case s.entry.External:
		kind = "EXTERNAL"
	}
	add("Type", kind)
	if s.view == nil {
		add("Provider", s.entry.Format)
	}
	add("Comment", s.meta.Description)
	if s.view != nil {
		add("View Text", s.view.text)
		add("View Original Text", s.view.text)
		add("View Catalog and Namespace", s.view.catalog+"."+s.view.schema)
	}
	var props []string
	stated := s.stated()
	for _, k := range slices.Sorted(maps.Keys(stated)) {
		props = append(props, k+"="+redacted(k, stated[k]))
	}
	if s.entry.Format == "hudi" {
		add("Table Properties", "["+strings.Join(props, ", ")+"]")
		add("Location", fileURL(s.entry.Location))
		return append(out, hiveClasses(stated["type"])...)
	}
	if s.entry.Location != "" {
		add("Location", fileURL(s.entry.Location))
	}
	if props != nil {
		add("Table Properties", "["+strings.Join(props, ", ")+"]")
	}
	return out
}

// hiveClasses are the classes by which Hive reads a Hudi table of a type.
func hiveClasses(kind string) [][2]string {
	input := "org.apache.hudi.hadoop.HoodieParquetInputFormat"
	if kind == "mor" {
		input = "org.apache.hudi.hadoop.realtime.HoodieParquetRealtimeInputFormat"
	}
	return [][2]string{{"Serde Library", "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"}, {"InputFormat", input},
		{"OutputFormat", "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"}}
}

// information is informationOf for a listed table.
func (r *run) information(ctx context.Context, e lake.Entry, full lake.Ident) [][2]string {
	s := shown{entry: e, full: full, meta: e.Meta}
	if s.meta == nil {
		s.meta = &lake.Meta{}
		if e.Format != viewFormat {
			if snap, err := r.snapshot(ctx, e, lake.At{}, full); err == nil {
				s.meta, s.snap = snap.Meta(), snap
			}
		}
	}
	if e.Format == viewFormat {
		if v, err := storedView(e, full); err == nil {
			s.view = v
		}
	}
	return r.informationOf(s)
}

func (r *run) describeQuery(ctx context.Context, st *syntax.DescribeQuery) (*Rows, error) {
	n, err := plan.Query(ctx, st.Query, r)
	if err != nil {
		return nil, err
	}
	var fields []types.Field
	for _, c := range n.Columns() {
		fields = append(fields, c.Field())
	}
	return table(describeColumns, describeFields(fields))
}

func (r *run) describeFunction(st *syntax.DescribeFunction) (*Rows, error) {
	f := rel.FindFunction(st.Name.Last())
	if f == nil {
		return nil, fail("UNRESOLVED_ROUTINE", st.Name, "routineName", quoted(st.Name.Strings()),
			"searchPath", "[`system`.`builtin`, `system`.`session`, `"+r.catalog+"`.`"+r.schema+"`]")
	}
	rows := [][]string{{"Function: " + f.Name}, {"Usage: " + f.Usage}}
	if st.Extended {
		rows = append(rows, []string{"Signatures: " + strings.Join(f.Signatures(), "; ")}, []string{"Example: " + f.Example}, []string{"Since: " + f.Since})
	}
	return texts([]Column{text("function_desc")}, rows)
}

// targetOf finds a table by name, or by the path in a string: a Delta table, or a Hudi table where no Delta table is.
func (r *run) targetOf(ctx context.Context, t *syntax.Target) (lake.Entry, lake.Ident, error) {
	if t.Path != nil {
		e, err := r.pathEntry(ctx, "delta", t.Path.Value)
		if err != nil {
			return e, nil, err
		}
		d, err := r.open(ctx, e)
		if err == nil {
			_, err = d.Snapshot(ctx, lake.At{})
		}
		if isMissing(err) {
			hudi := e
			hudi.Format = "hudi"
			if _, err := r.open(ctx, hudi); err == nil {
				return hudi, nil, nil
			}
		}
		return e, nil, nil
	}
	name, err := r.identOf(ctx, t.Name)
	if err != nil {
		return lake.Entry{}, nil, err
	}
	if v, err := r.viewOf(ctx, name); err == nil {
		return lake.Entry{}, nil, fail("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", t.Name, "viewName", quoted(v.name), "operation", "DESCRIBE")
	}
	return r.find(ctx, t.Name)
}

func long(name string) Column { return Column{Name: name, Type: types.Long, Nullable: true} }

var mapText = types.Map{Key: types.String, Value: types.String, Nullable: true}

var historyColumns = []Column{long("version"), {Name: "timestamp", Type: types.Timestamp, Nullable: true}, maybe("userId"), maybe("userName"),
	maybe("operation"), {Name: "operationParameters", Type: mapText, Nullable: true},
	{Name: "job", Type: types.Struct{Fields: []types.Field{{Name: "jobId", Type: types.String, Nullable: true},
		{Name: "jobName", Type: types.String, Nullable: true}, {Name: "jobRunId", Type: types.String, Nullable: true},
		{Name: "runId", Type: types.String, Nullable: true}, {Name: "jobOwnerId", Type: types.String, Nullable: true},
		{Name: "triggerType", Type: types.String, Nullable: true}}}, Nullable: true},
	{Name: "notebook", Type: types.Struct{Fields: []types.Field{{Name: "notebookId", Type: types.String, Nullable: true}}}, Nullable: true},
	maybe("clusterId"), long("readVersion"), maybe("isolationLevel"), {Name: "isBlindAppend", Type: types.Boolean, Nullable: true},
	{Name: "operationMetrics", Type: mapText, Nullable: true}, maybe("userMetadata"), maybe("engineInfo")}

func (r *run) history(ctx context.Context, st *syntax.DescribeHistory) (*Rows, error) {
	e, full, err := r.targetOf(ctx, st.Target)
	if err != nil {
		return nil, err
	}
	r.stmt.format = e.Format
	t, err := r.open(ctx, e)
	if err != nil {
		return nil, r.missing(ctx, err, e, full)
	}
	limit := -1
	if st.Limit != nil {
		if limit, err = strconv.Atoi(st.Limit.Text); err != nil {
			return nil, err
		}
	}
	var rows [][]types.Value
	for c, err := range t.History(ctx) {
		if len(rows) == limit {
			break
		}
		if err != nil {
			return nil, r.missing(ctx, err, e, full)
		}
		rows = append(rows, commitRow(c))
	}
	return table(historyColumns, rows)
}

func commitRow(c lake.Commit) []types.Value {
	params := []types.Pair{}
	for _, p := range c.Operation.Parameters {
		params = append(params, types.Pair{Key: p.Key, Value: parameterText(p.Value)})
	}
	var metrics []types.Pair
	for _, k := range slices.Sorted(maps.Keys(c.Metrics)) {
		metrics = append(metrics, types.Pair{Key: k, Value: c.Metrics[k]})
	}
	row := []types.Value{c.Version, c.Time.UnixMicro(), orNull(c.UserID), orNull(c.User), orNull(c.Operation.Name), params,
		nil, nil, nil, nil, orNull(c.Isolation), nil, metrics, orNull(c.Operation.UserMetadata), orNull(c.Engine)}
	if metrics == nil {
		row[12] = []types.Pair{}
	}
	if c.ReadVersion != nil && *c.ReadVersion >= 0 {
		row[9] = *c.ReadVersion
	}
	if c.BlindAppend != nil {
		row[11] = *c.BlindAppend
	}
	return row
}

// parameterText is a parameter as text: strings as they are, other values as JSON.
func parameterText(v any) types.Value {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return v
	}
	return plan.JSON(v)
}

func orNull(s string) types.Value {
	if s == "" {
		return nil
	}
	return s
}

var detailColumns = []Column{maybe("format"), maybe("id"), maybe("name"), maybe("description"), maybe("location"),
	{Name: "createdAt", Type: types.Timestamp, Nullable: true}, {Name: "lastModified", Type: types.Timestamp, Nullable: true},
	{Name: "partitionColumns", Type: types.Array{Elem: types.String, Nullable: true}, Nullable: true},
	{Name: "clusteringColumns", Type: types.Array{Elem: types.String, Nullable: true}, Nullable: true},
	long("numFiles"), long("sizeInBytes"), {Name: "properties", Type: mapText, Nullable: true},
	{Name: "minReaderVersion", Type: types.Int, Nullable: true}, {Name: "minWriterVersion", Type: types.Int, Nullable: true},
	{Name: "tableFeatures", Type: types.Array{Elem: types.String, Nullable: true}, Nullable: true},
	{Name: "statistics", Type: types.Map{Key: types.String, Value: types.Long, Nullable: true}, Nullable: true}}

func (r *run) detail(ctx context.Context, st *syntax.DescribeDetail) (*Rows, error) {
	e, full, err := r.targetOf(ctx, st.Target)
	if err != nil {
		return nil, err
	}
	r.stmt.format = e.Format
	snap, err := r.snapshot(ctx, e, lake.At{}, full)
	if err != nil {
		return nil, err
	}
	m, d := snap.Meta(), snap.Detail()
	var name types.Value = orNull(m.Name)
	if full != nil {
		name = full.String()
	}
	props := []types.Pair{}
	for _, k := range slices.Sorted(maps.Keys(m.Properties)) {
		props = append(props, types.Pair{Key: k, Value: m.Properties[k]})
	}
	features := append(slices.Clone(m.Protocol.ReaderFeatures), m.Protocol.WriterFeatures...)
	slices.Sort(features)
	row := []types.Value{e.Format, orNull(m.ID), name, orNull(m.Description), fileURL(e.Location), moment(m.Created), moment(d.LastModified),
		list(m.Partition), list(m.Cluster), d.Files, d.Bytes, props, int64(m.Protocol.Reader), int64(m.Protocol.Writer),
		list(slices.Compact(features)), []types.Pair{}}
	return table(detailColumns, [][]types.Value{row})
}

func moment(t time.Time) types.Value {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

func list(names []string) types.Value {
	out := []types.Value{}
	for _, n := range names {
		out = append(out, n)
	}
	return out
}

// cache keeps CACHE TABLE name AS query as a temporary view; tarn has no cache of rows to fill.
func (r *run) cache(ctx context.Context, st *syntax.Cache) (*Rows, error) {
	if st.Query == nil {
		return r.mustExist(ctx, st.Table)
	}
	v, err := r.newView(ctx, st.Query, nil)
	if err != nil {
		return nil, err
	}
	return nothing(), r.putTemporary(v, st.Table.Strings(), false, false, false, st.Table)
}
