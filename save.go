package tarn

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/files"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// saving is one use of a Writer.
type saving struct {
	*run
	w       Writer
	q       *syntax.Query // nil for batches
	mode    string        // as histories show it
	options plan.Options
}

// start checks what can be checked before a table is looked at.
func (w Writer) start() (*saving, error) {
	sv := &saving{w: w, options: plan.StoreOptions(w.options)}
	switch mode := strings.ToLower(string(w.mode)); mode {
	case "", "error", "errorifexists", "default":
		sv.mode = "ErrorIfExists"
	case "append", "overwrite", "ignore":
		sv.mode = strings.ToUpper(mode[:1]) + mode[1:]
	default:
		return nil, fail("INVALID_SAVE_MODE", nil, "mode", `"`+string(w.mode)+`"`)
	}
	var st syntax.Statement
	if w.reader == nil {
		var err error
		if st, err = w.s.dialect().ParseStatement(w.query); err != nil {
			return nil, err
		}
		q, ok := st.(*syntax.Query)
		if !ok {
			return nil, fail("UNSUPPORTED_FEATURE.TARN", st, "feature", "writing the rows of a statement that is not a query")
		}
		sv.q = q
	}
	sv.run = newRun(w.s, w.query, st, w.args)
	return sv, nil
}

// rows plans what is written.
func (sv *saving) source(ctx context.Context) (rel.Node, error) {
	if sv.q != nil {
		return plan.Query(ctx, sv.q, sv.run)
	}
	schema, err := types.SchemaFromArrow(sv.w.reader.Schema().Fields())
	if err != nil {
		return nil, err
	}
	out := &rel.Stream{Rows: -1}
	for _, f := range schema.Fields {
		c := rel.NewColumn(f.Name, f.Type)
		c.Nullable = true
		out.Cols = append(out.Cols, c)
	}
	opened := false
	out.Open = func(ctx context.Context, columns []int) (array.RecordReader, error) {
		if opened {
			return nil, errors.New("the batches of a RecordReader can be read once only")
		}
		opened = true
		return newPicked(sv.w.reader, out.Cols, columns)
	}
	return out, nil
}

func (sv *saving) format() (string, error) {
	if sv.w.format != "" {
		return sv.formatOf(&syntax.Name{Parts: []*syntax.Ident{{Name: sv.w.format}}}, nil)
	}
	return sv.formatOf(nil, nil)
}

// store is the plan.Store of the writer's rows.
func (sv *saving) store(rows rel.Node, format string, byName bool) plan.Store {
	mode, hudi := sv.mode, format == "hudi" // whose datasource casts as INSERT does, and takes new columns
	return plan.Store{Rows: rows, Mode: mode, Merge: byName && !hudi, ByName: byName && hudi, Partition: sv.w.partition, Options: sv.options,
		Evolve:  hudi && byName || sv.enabled("spark.databricks.delta.schema.autoMerge.enabled"),
		Dynamic: strings.EqualFold(sv.setting("spark.sql.sources.partitionOverwriteMode"), "dynamic")}
}

func (sv *saving) save(ctx context.Context, path string) (*Rows, error) {
	format, err := sv.format()
	if err != nil {
		return nil, err
	}
	sv.stmt.format = format
	e, err := sv.pathEntry(ctx, format, path)
	if err != nil {
		return nil, err
	}
	t, err := sv.open(ctx, e)
	if err == nil && files.Is(format) {
		_, err = t.Snapshot(ctx, lake.At{})
	}
	switch {
	case err == nil && sv.mode == "ErrorIfExists":
		class := "PATH_ALREADY_EXISTS"
		if format == "delta" {
			class = "DELTA_PATH_EXISTS"
		}
		return nil, fail(class, nil, "path", fileURL(e.Location), "outputPath", fileURL(e.Location))
	case err == nil && sv.mode == "Ignore":
		return ignored(e.Location), nil
	case err == nil:
		return sv.into(ctx, e, nil, true)
	case !isMissing(err):
		return nil, err
	}
	rows, err := sv.source(ctx)
	if err != nil {
		return nil, err
	}
	return sv.create(ctx, e, nil, rows, lake.Operation{})
}

// ignored is the result of a write that did nothing.
func ignored(table string) *Rows { return &Rows{receipt: &Receipt{Table: table, Version: -1}} }

// into writes to a table that is there.
func (sv *saving) into(ctx context.Context, e lake.Entry, full lake.Ident, byName bool) (*Rows, error) {
	w, err := sv.beginEntry(ctx, e, full)
	if err != nil {
		return nil, err
	}
	w.options = sv.hudiOptions()
	rows, err := sv.source(ctx)
	if err == nil && byName && e.Format == "hudi" {
		err = sv.columnsOf(rows, w.tx.Meta().Schema)
	}
	if err == nil {
		var p plan.Write
		if p, err = plan.Save(ctx, sv.store(rows, e.Format, byName), w.target(), sv.run); err == nil {
			return w.silent(ctx, p)
		}
	}
	w.tx.Rollback()
	return nil, err
}

// create makes a table of the rows. Without an operation it is a WRITE.
func (sv *saving) create(ctx context.Context, e lake.Entry, full lake.Ident, rows rel.Node, op lake.Operation) (*Rows, error) {
	sv.stmt.format = e.Format
	meta := &lake.Meta{Schema: plan.TableSchema(rows.Columns()), Properties: map[string]string{}}
	for k, v := range sv.w.options {
		if strings.HasPrefix(strings.ToLower(k), "delta.") || e.Format == "hudi" {
			meta.Properties[k] = v
		}
	}
	if e.Format == "hudi" {
		if err := sv.asDatasource(meta, full == nil); err != nil {
			return nil, err
		}
	}
	if full != nil {
		meta.Name = full[2]
	}
	if err := sv.partitionOf(meta); err != nil {
		return nil, err
	}
	e.Meta = meta
	tx, err := sv.db.opts.Formats[e.Format].Create(ctx, e, sv.db.engine)
	if err != nil {
		return nil, err
	}
	w := &writing{run: sv.run, entry: e, name: full, tx: tx, created: true, options: sv.hudiOptions()}
	p, err := plan.Save(ctx, sv.store(rows, e.Format, true), w.target(), sv.run)
	if err != nil {
		tx.Rollback()
		return nil, err
	}
	if op.Name != "" {
		op.Txn, op.UserMetadata = p.Operation.Txn, p.Operation.UserMetadata
		p.Operation = op
	}
	return w.silent(ctx, p)
}

// hudiOptions are the options of the writer as Hudi's datasource takes them: it upserts unless it is told otherwise.
func (sv *saving) hudiOptions() map[string]string {
	out := map[string]string{hudiOperation: "upsert"}
	maps.Copy(out, sv.w.options)
	return out
}

// columnsOf checks that rows have all columns of a table, as Hudi 1.1 does, unless an option has NULL for those that they lack.
func (sv *saving) columnsOf(rows rel.Node, table types.Struct) error {
	for k, v := range sv.w.options {
		switch k := strings.ToLower(k); {
		case k == hudiOperation && strings.HasPrefix(strings.ToLower(v), "delete"),
			k == "hoodie.write.set.null.for.missing.columns" && strings.EqualFold(v, "true"),
			k == "hoodie.datasource.write.reconcile.schema" && strings.EqualFold(v, "true"):
			return nil
		}
	}
	var missing []string
	for _, f := range table.Fields {
		if !slices.ContainsFunc(rows.Columns(), func(c rel.Column) bool { return strings.EqualFold(c.Name, f.Name) }) {
			missing = append(missing, f.Name)
		}
	}
	if len(missing) > 0 {
		return fail("HUDI_COLUMNS_MISSING", nil, "columns", strings.Join(missing, ", "))
	}
	return nil
}

// asDatasource completes the properties of a new Hudi table with what Hudi's datasource takes for a path: folders without the
// names of columns, which CREATE TABLE gives them, and the options as partition columns.
func (sv *saving) asDatasource(meta *lake.Meta, path bool) error {
	const style, fields = "hoodie.datasource.write.hive_style_partitioning", "hoodie.datasource.write.partitionpath.field"
	for k, v := range sv.formatSettings("hudi") {
		if _, set := meta.Properties[k]; !set {
			meta.Properties[k] = v
		}
	}
	if _, set := meta.Properties[style]; !set && path {
		meta.Properties[style] = "false"
	}
	if text := meta.Properties[fields]; text != "" {
		sv.w.partition = nil
		for name := range strings.SplitSeq(text, ",") {
			name, _, _ = strings.Cut(name, ":")
			sv.w.partition = append(sv.w.partition, strings.TrimSpace(name))
		}
	}
	const table = "hoodie.table.name"
	named := func(k string) bool { return strings.EqualFold(k, table) }
	if path && !slices.ContainsFunc(slices.Collect(maps.Keys(meta.Properties)), named) {
		return fail("HUDI_OPTION_MISSING", nil, "option", table)
	}
	return nil
}

// partitionOf checks the columns of PartitionBy.
func (sv *saving) partitionOf(m *lake.Meta) error {
	for _, name := range sv.w.partition {
		i := m.Schema.Index(name)
		if i < 0 {
			return fail("DELTA_PARTITION_COLUMN_NOT_FOUND", nil, "columnName", name, "schemaMap", m.Schema.String())
		}
		m.Partition = append(m.Partition, m.Schema.Fields[i].Name)
	}
	if n := len(m.Partition); n > 0 && n == len(m.Schema.Fields) {
		return fail("DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION", nil)
	}
	return plan.CheckNames(m)
}

func (sv *saving) name(name string) (lake.Ident, error) {
	n, err := syntax.ParseMultipartIdentifier(name)
	if err != nil {
		return nil, err
	}
	return n.Strings(), nil
}

func (sv *saving) saveAsTable(ctx context.Context, name string) (*Rows, error) {
	ident, err := sv.name(name)
	if err != nil {
		return nil, err
	}
	e, full, err := sv.entryOf(ctx, ident)
	switch {
	case err == nil && sv.mode == "ErrorIfExists":
		return nil, fail("TABLE_OR_VIEW_ALREADY_EXISTS", nil, "relationName", quoted(full))
	case err == nil && sv.mode == "Ignore":
		return ignored(full.String()), nil
	case err == nil:
		return sv.into(ctx, e, full, true)
	case !isMissing(err):
		return nil, err
	}
	return sv.newTable(ctx, full)
}

// newTable makes a table of the catalog.
func (sv *saving) newTable(ctx context.Context, full lake.Ident) (*Rows, error) {
	format, err := sv.format()
	if err != nil {
		return nil, err
	}
	if err := checkStored(full[2], nil); err != nil {
		return nil, err
	}
	location, err := sv.managedLocation(ctx, full)
	if err != nil {
		return nil, err
	}
	e := lake.Entry{Name: full[1:], Format: format, Created: time.Now()}
	if at, ok := sv.options["path"]; ok {
		location, e.External = at, true
	}
	e.Location = absolute(location)
	if e.Bucket, err = sv.db.opts.Bucket(ctx, e.Location); err != nil {
		return nil, err
	}
	rows, err := sv.source(ctx)
	if err != nil {
		return nil, err
	}
	op := plan.CreateOperation(true, sv.mode == "Overwrite", true, !e.External, &lake.Meta{Partition: sv.w.partition})
	if sv.mode == "Overwrite" {
		op.Parameters = slices.Insert(op.Parameters, 0, lake.Parameter{Key: "isV1SaveAsTableOverwrite", Value: true})
	}
	out, err := sv.create(ctx, e, full, rows, op)
	if err != nil {
		return nil, err
	}
	c, err := sv.catalogOf(full)
	if err != nil {
		return nil, err
	}
	if files.Is(e.Format) {
		meta := &lake.Meta{Name: full[2], Schema: plan.TableSchema(rows.Columns()), Partition: sv.w.partition}
		e.Meta = meta
	}
	err = c.Update(ctx, catalog.PutTable{Entry: e})
	if errors.Is(err, fs.ErrExist) {
		return nil, fail("TABLE_OR_VIEW_ALREADY_EXISTS", nil, "relationName", quoted(full))
	}
	return out, err
}

func (sv *saving) insertInto(ctx context.Context, name string) (*Rows, error) {
	if sv.w.partition != nil {
		return nil, fail("_LEGACY_ERROR_TEMP_1309", nil)
	}
	ident, err := sv.name(name)
	if err != nil {
		return nil, err
	}
	e, full, err := sv.entryOf(ctx, ident)
	if isMissing(err) {
		return nil, notFound(ident, nil)
	}
	if err != nil {
		return nil, err
	}
	if sv.mode != "Overwrite" {
		sv.mode = "Append"
	}
	return sv.into(ctx, e, full, false)
}

// picked gives some columns of a reader's batches.
type picked struct {
	array.RecordReader
	schema  *arrow.Schema
	columns []int
	batch   arrow.RecordBatch
}

func newPicked(r array.RecordReader, cols []rel.Column, columns []int) (array.RecordReader, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: cols[c].Name, Type: r.Schema().Field(c).Type, Nullable: true}
	}
	r.Retain()
	return &picked{RecordReader: r, schema: arrow.NewSchema(fields, nil), columns: columns}, nil
}

func (p *picked) Schema() *arrow.Schema { return p.schema }

func (p *picked) Next() bool {
	if p.batch != nil {
		p.batch.Release()
		p.batch = nil
	}
	if !p.RecordReader.Next() {
		return false
	}
	from := p.RecordReader.RecordBatch()
	cols := make([]arrow.Array, len(p.columns))
	for i, c := range p.columns {
		cols[i] = from.Column(c)
	}
	p.batch = array.NewRecordBatch(p.schema, cols, from.NumRows())
	return true
}

func (p *picked) RecordBatch() arrow.RecordBatch { return p.batch }
func (p *picked) Record() arrow.RecordBatch      { return p.batch }
