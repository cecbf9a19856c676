package tarn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/files"
	"github.com/tarn-lake/tarn/lake/hudi"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// making is a table while CREATE TABLE makes it.
type making struct {
	*run
	st     *syntax.CreateTable
	entry  lake.Entry
	full   lake.Ident // nil for a path
	rows   rel.Node   // of AS; nil without
	exists bool       // the catalog has the name

	given map[string]string // properties that the statement itself gives
}

func (r *run) createTable(ctx context.Context, st *syntax.CreateTable) (*Rows, error) {
	m := &making{run: r, st: st}
	if done, err := m.name(ctx); done || err != nil {
		return nothing(), err
	}
	if st.Query != nil && m.exists {
		// the query may read the table that is replaced, through the transaction that replaces it
		if w, err := r.beginEntry(ctx, m.entry, m.full); err == nil {
			return m.replace(ctx, w)
		}
	}
	if err := m.query(ctx); err != nil {
		return nil, err
	}
	if m.exists {
		w, err := r.beginEntry(ctx, m.entry, m.full)
		if err != nil {
			return nil, err
		}
		return m.replaceWith(ctx, w)
	}
	return m.create(ctx)
}

// name finds what is to be made and where. done says that IF NOT EXISTS leaves nothing to do.
func (m *making) name(ctx context.Context) (done bool, err error) {
	if m.st.Temporary {
		return false, unsupported("CREATE TEMPORARY TABLE; CREATE TEMPORARY VIEW", m.st)
	}
	name, err := m.identOf(ctx, m.st.Name)
	if err != nil {
		return false, err
	}
	format, err := m.provider()
	if err != nil {
		return false, err
	}
	m.stmt.format = format
	if len(name) == 2 && m.isFormat(name[0]) && !m.hasSchema(name[0]) {
		return m.namePath(ctx, strings.ToLower(name[0]), name[1])
	}
	old, full, err := m.lookup(ctx, name)
	m.full = full
	switch {
	case err == nil && m.st.IfNotExists:
		return true, nil
	case err == nil && !m.st.Replace:
		return false, fail("TABLE_OR_VIEW_ALREADY_EXISTS", m.st.Name, "relationName", quoted(full))
	case err == nil && old.Format == viewFormat:
		return false, fail("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", m.st.Name, "viewName", quoted(full), "operation", "REPLACE TABLE")
	case err == nil:
		m.entry, m.exists = old, true
		return false, nil
	case !isMissing(err):
		return false, err
	case m.st.Replace && !m.st.Create:
		return false, notFound(full, m.st.Name)
	}
	return false, m.place(ctx, format)
}

// namePath is name for a table by path, which no catalog keeps.
func (m *making) namePath(ctx context.Context, format, location string) (done bool, err error) {
	m.stmt.format = format
	if m.entry, err = m.pathEntry(ctx, format, location); err != nil {
		return false, err
	}
	t, err := m.open(ctx, m.entry)
	if err == nil {
		_, err = t.Snapshot(ctx, lake.At{})
	}
	switch {
	case err == nil && m.st.IfNotExists:
		return true, nil
	case err == nil && !m.st.Replace:
		return false, fail("DELTA_PATH_EXISTS", m.st.Name, "path", m.entry.Location)
	case err == nil:
		m.exists = true
	case isMissing(err) && m.st.Replace && !m.st.Create:
		return false, fail("DELTA_PATH_DOES_NOT_EXIST", m.st.Name, "path", m.entry.Location)
	case !isMissing(err):
		return false, err
	}
	return false, nil
}

// provider is the format of USING or STORED AS, or the default.
func (m *making) provider() (string, error) {
	return m.formatOf(m.st.Provider, m.st.Clauses.File)
}

func (r *run) formatOf(provider *syntax.Name, file *syntax.FileFormat) (string, error) {
	format := r.setting("spark.sql.sources.default")
	switch {
	case provider != nil:
		format = strings.Join(provider.Strings(), ".")
	case file != nil && file.Name != nil:
		format = file.Name.Name
	case file != nil:
		return "", unsupported("STORED AS INPUTFORMAT … and STORED BY", file)
	}
	format = strings.ToLower(format)
	if format == "org.apache.hudi" { // the datasource's package, which older programs name
		format = "hudi"
	}
	if !r.isFormat(format) {
		var at syntax.Node
		if provider != nil {
			at = provider
		}
		if format == "orc" || format == "avro" || format == "hive" || format == "textfile" || format == "sequencefile" {
			return "", unsupported("tables of the format "+format, at)
		}
		return "", fail("DATA_SOURCE_NOT_FOUND", at, "provider", format)
	}
	return format, nil
}

// place says where a new table of the catalog lies.
func (m *making) place(ctx context.Context, format string) error {
	if err := checkStored(m.full[2], m.st.Name); err != nil {
		return err
	}
	e := lake.Entry{Name: lake.Ident(m.full[1:]), Format: format, Created: time.Now()}
	opts, err := plan.Properties(ctx, m.st.Clauses.Options, m.run)
	if err != nil {
		return err
	}
	location := ""
	if m.st.Clauses.Location != nil {
		location = m.st.Clauses.Location.Value
		if location == "" {
			return fail("INVALID_EMPTY_LOCATION", m.st.Clauses.Location, "location", "")
		}
	}
	for k, v := range opts {
		if strings.EqualFold(k, "path") {
			location = v
			delete(opts, k)
		}
	}
	e.External = location != "" || m.st.External
	if location != "" && files.Is(format) {
		at, err := m.filesEntry(ctx, format, location)
		if err != nil {
			return err
		}
		e.Location, e.Bucket = at.Location, at.Bucket
		for k, v := range at.Options {
			opts[k] = v
		}
		e.Options = opts
		m.entry = e
		return nil
	}
	if location == "" {
		if location, err = m.managedLocation(ctx, m.full); err != nil {
			return err
		}
	}
	e.Options = opts
	e.Location = absolute(location)
	e.Bucket, err = m.db.opts.Bucket(ctx, e.Location)
	m.entry = e
	return err
}

// managedLocation is the folder of a managed table.
func (r *run) managedLocation(ctx context.Context, full lake.Ident) (string, error) {
	c, err := r.catalogOf(full)
	if err != nil {
		return "", err
	}
	s, err := c.Schema(ctx, full[1])
	if isMissing(err) {
		return "", fail("SCHEMA_NOT_FOUND", nil, "schemaName", quoted(full[:2]))
	}
	if err != nil {
		return "", err
	}
	names, err := tablesOf(ctx, c, s.Name)
	if err != nil {
		return "", err
	}
	taken := map[string]bool{} // a renamed table keeps its folder
	for _, n := range names {
		if e, err := c.Lookup(ctx, n); err == nil && e.Location != "" {
			taken[absolute(e.Location)] = true
		}
	}
	location := strings.TrimSuffix(s.Location, "/") + "/" + strings.ToLower(full[2])
	free := location
	for i := 2; taken[absolute(free)]; i++ {
		free = fmt.Sprintf("%s_%d", location, i)
	}
	return free, nil
}

// query plans the query of AS.
func (m *making) query(ctx context.Context) error {
	if m.st.Query == nil {
		return nil
	}
	n, err := plan.Query(ctx, m.st.Query, m.run)
	m.rows = n
	return err
}

// meta is the description that the statement asks for.
func (m *making) meta(ctx context.Context) (*lake.Meta, error) {
	var cols []rel.Column
	if m.rows != nil {
		cols = m.rows.Columns()
	}
	meta, err := plan.TableMeta(ctx, m.st, m.text, m.entry.Format, cols, m.run)
	if err != nil {
		return nil, err
	}
	if m.full != nil {
		meta.Name = m.full[len(m.full)-1]
	}
	m.given = maps.Clone(meta.Properties)
	if m.entry.Format == "hudi" { // whose OPTIONS and settings say what a table is, as TBLPROPERTIES do
		for _, more := range []map[string]string{m.entry.Options, m.formatSettings("hudi")} {
			for k, v := range more {
				if _, set := meta.Properties[k]; !set {
					meta.Properties[k] = v
				}
			}
		}
	}
	return meta, nil
}

// hudiOperation is the option that says what a write does with rows whose keys a Hudi table has already.
const hudiOperation = "hoodie.datasource.write.operation"

// create makes a table that is not there.
func (m *making) create(ctx context.Context) (*Rows, error) {
	meta, err := m.meta(ctx)
	if err != nil {
		return nil, err
	}
	e := m.entry
	if len(meta.Schema.Fields) == 0 && m.rows == nil {
		return m.adopt(ctx, meta)
	}
	e.Meta = meta
	f := m.db.opts.Formats[e.Format]
	tx, err := f.Create(ctx, e, m.db.engine)
	if errors.Is(err, fs.ErrExist) {
		return m.adopt(ctx, meta)
	}
	if err != nil {
		return nil, err
	}
	w := &writing{run: m.run, entry: e, name: m.full, tx: tx, created: true}
	if m.formatSettings(e.Format)["hoodie.spark.sql.insert.into.operation"] == "" {
		w.options = map[string]string{hudiOperation: "bulk_insert"}
	}
	p, err := m.fill(ctx, w, "Append")
	if err != nil {
		tx.Rollback()
		return nil, err
	}
	p.Operation = plan.CreateOperation(m.st.Create, m.st.Replace, m.rows != nil, !e.External, tx.Meta())
	out, err := w.carryOut(ctx, p)
	if err != nil {
		return nil, err
	}
	return m.record(ctx, e, out.receipt)
}

// fill plans the rows of AS into a table.
func (m *making) fill(ctx context.Context, w *writing, mode string) (plan.Write, error) {
	if m.rows == nil {
		return plan.Write{}, nil
	}
	return plan.Save(ctx, plan.Store{Rows: m.rows, Mode: mode, ByName: true, Options: plan.Options{}}, w.target(), m.run)
}

// adopt puts a table that is already at its place into the catalog.
func (m *making) adopt(ctx context.Context, want *lake.Meta) (*Rows, error) {
	e := m.entry
	if m.rows != nil {
		return nil, fail("DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION", m.st, "identifier", m.full.String(), "location", e.Location)
	}
	t, err := m.open(ctx, e)
	var snap lake.Snapshot
	if err == nil {
		snap, err = t.Snapshot(ctx, lake.At{})
	}
	if isMissing(err) && !files.Is(e.Format) {
		return m.empty(ctx, want)
	}
	if isMissing(err) {
		return nil, fail("UNABLE_TO_INFER_SCHEMA", m.st, "format", strings.ToUpper(e.Format))
	}
	if err != nil {
		return nil, err
	}
	have := snap.Meta()
	if e.Format == "hudi" {
		if err := sameHudiTable(want, have, m.st); err != nil {
			return nil, err
		}
		e.Options = withOptions(e.Options, hudi.WriterSettings(m.given)) // the table may not keep them
	} else if len(want.Schema.Fields) > 0 {
		if err := sameTable(want, have, m.st); err != nil {
			return nil, err
		}
	}
	if files.Is(e.Format) {
		e.Meta = have
	}
	return m.record(ctx, e, nil)
}

// empty makes a table without columns.
func (m *making) empty(ctx context.Context, meta *lake.Meta) (*Rows, error) {
	e := m.entry
	e.Meta = meta
	tx, err := m.db.opts.Formats[e.Format].Create(ctx, e, m.db.engine)
	if err != nil {
		return nil, err
	}
	w := &writing{run: m.run, entry: e, name: m.full, tx: tx, created: true}
	out, err := w.carryOut(ctx, plan.Write{Operation: plan.CreateOperation(m.st.Create, m.st.Replace, false, !e.External, tx.Meta())})
	if err != nil {
		return nil, err
	}
	return m.record(ctx, e, out.receipt)
}

// sameTable checks what CREATE TABLE says of a table that is already there.
func sameTable(want, have *lake.Meta, at syntax.Node) error {
	if strings.Join(want.Partition, ",") != strings.Join(have.Partition, ",") {
		return fail("DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING", at, "path", "", "specifiedColumns", strings.Join(want.Partition, ", "),
			"existingColumns", strings.Join(have.Partition, ", "))
	}
	if want.Schema.String() != have.Schema.String() {
		return fail("DELTA_CREATE_TABLE_SCHEME_MISMATCH", at, "specifiedSchema", want.Schema.String(), "existingSchema", have.Schema.String())
	}
	for k, v := range want.Properties {
		if have.Properties[k] != v {
			return fail("DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY", at, "path", "", "specifiedProperties", k+"="+v,
				"existingProperties", k+"="+have.Properties[k])
		}
	}
	return nil
}

// sameHudiTable is sameTable for a Hudi table, whose properties do not repeat all that it was made with.
func sameHudiTable(want, have *lake.Meta, at syntax.Node) error {
	w, h := *want, *have
	h.Schema = types.Struct{}
	for _, f := range have.Schema.Fields {
		if !strings.HasPrefix(f.Name, "_hoodie_") {
			h.Schema.Fields = append(h.Schema.Fields, f)
		}
	}
	if len(want.Schema.Fields) == 0 {
		w.Schema, w.Partition = h.Schema, h.Partition
	}
	w.Properties = map[string]string{}
	for k, v := range want.Properties {
		if _, known := have.Properties[k]; known {
			w.Properties[k] = v
		}
	}
	switch strings.ToLower(w.Properties["type"]) {
	case "copy_on_write", "cow":
		w.Properties["type"] = "cow"
	case "merge_on_read", "mor":
		w.Properties["type"] = "mor"
	}
	return sameTable(&w, &h, at)
}

// record puts the table into the catalog.
func (m *making) record(ctx context.Context, e lake.Entry, r *Receipt) (*Rows, error) {
	rows := &Rows{receipt: r}
	if files.Is(e.Format) {
		rows.receipt = nil
	}
	if m.full == nil {
		return rows, nil
	}
	c, err := m.catalogOf(m.full)
	if err != nil {
		return nil, err
	}
	if !files.Is(e.Format) {
		e.Meta = nil
	}
	err = c.Update(ctx, catalog.PutTable{Entry: e, Replace: m.exists})
	if errors.Is(err, fs.ErrExist) {
		return nil, fail("TABLE_OR_VIEW_ALREADY_EXISTS", m.st.Name, "relationName", quoted(m.full))
	}
	return rows, err
}

// replace plans the query of AS through the transaction w, and replaces the table.
func (m *making) replace(ctx context.Context, w *writing) (*Rows, error) {
	if err := m.query(ctx); err != nil {
		w.tx.Rollback()
		return nil, err
	}
	return m.replaceWith(ctx, w)
}

// replaceWith replaces the description and the rows of a table in one commit.
func (m *making) replaceWith(ctx context.Context, w *writing) (*Rows, error) {
	p, err := m.replacement(ctx, w)
	if err != nil {
		w.tx.Rollback()
		return nil, err
	}
	out, err := w.carryOut(ctx, p)
	if err != nil {
		return nil, err
	}
	e := m.entry
	e.Meta = p.Define
	return m.record(ctx, e, out.receipt)
}

// vectorsKey is the property that a replaced table keeps, as Delta has it, unless the statement sets it.
const vectorsKey = "delta.enableDeletionVectors"

func (m *making) replacement(ctx context.Context, w *writing) (plan.Write, error) {
	format, err := m.provider()
	if err != nil {
		return plan.Write{}, err
	}
	if format != m.entry.Format {
		return plan.Write{}, unsupported("replacing a table of another format", m.st)
	}
	meta, err := m.meta(ctx)
	if err != nil {
		return plan.Write{}, err
	}
	old := w.tx.Meta()
	meta.ID, meta.Created = old.ID, old.Created
	if v, ok := old.Properties[vectorsKey]; ok && meta.Properties[vectorsKey] == "" {
		meta.Properties[vectorsKey] = v
	}
	if m.full == nil && meta.Name == "" {
		meta.Name = old.Name
	}
	t := w.target()
	t.Meta = meta
	p := plan.Write{Define: meta}
	if m.rows != nil {
		p, err = plan.Save(ctx, plan.Store{Rows: m.rows, Mode: "Overwrite", ByName: true, Options: plan.Options{}}, t, m.run)
		if err != nil {
			return p, err
		}
	} else {
		empty := &rel.Values{}
		var ids []rel.ID
		for _, f := range meta.Schema.Fields {
			c := rel.NewColumn(f.Name, f.Type)
			empty.Cols, ids = append(empty.Cols, c), append(ids, c.ID)
		}
		p.Change = lake.Overwrite{Rows: empty, Columns: ids, Target: empty.Cols}
	}
	p.Define = meta
	p.Operation = plan.CreateOperation(m.st.Create, true, m.rows != nil, !m.entry.External, meta)
	return p, nil
}

func (r *run) createTableLike(ctx context.Context, st *syntax.CreateTableLike) (*Rows, error) {
	src, _, err := r.find(ctx, st.Source)
	if err != nil {
		return nil, err
	}
	snap, err := r.snapshot(ctx, src, lake.At{}, nil)
	if err != nil {
		return nil, err
	}
	like := &syntax.CreateTable{Span: st.Span, Create: true, IfNotExists: st.IfNotExists, Name: st.Name, Provider: st.Provider, Clauses: st.Clauses}
	if like.Provider == nil {
		like.Provider = &syntax.Name{Parts: []*syntax.Ident{{Name: src.Format}}}
	}
	m := &making{run: r, st: like}
	if done, err := m.name(ctx); done || err != nil {
		return nothing(), err
	}
	want := *snap.Meta()
	extra, err := m.meta(ctx)
	if err != nil {
		return nil, err
	}
	meta := lake.Meta{Name: extra.Name, Schema: want.Schema, Partition: want.Partition, Properties: extra.Properties, Description: want.Description}
	for k, v := range want.Properties {
		if _, ok := meta.Properties[k]; !ok {
			meta.Properties[k] = v
		}
	}
	return m.empty(ctx, &meta)
}

func (r *run) dropTable(ctx context.Context, st *syntax.DropTable) (*Rows, error) {
	name, err := r.identOf(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	if v := r.temporary(name); v != nil {
		return nil, fail("WRONG_COMMAND_FOR_OBJECT_TYPE", st.Name, "operation", "DROP TABLE", "requiredType", "EXTERNAL or MANAGED",
			"objectName", v.name.String(), "foundType", "VIEW", "alternative", "DROP VIEW")
	}
	e, full, err := r.lookup(ctx, name)
	switch {
	case isMissing(err) && st.IfExists:
		return nothing(), nil
	case isMissing(err):
		return nil, notFound(full, st.Name)
	case err != nil:
		return nil, err
	case e.Format == viewFormat:
		return nil, fail("WRONG_COMMAND_FOR_OBJECT_TYPE", st.Name, "operation", "DROP TABLE", "requiredType", "EXTERNAL or MANAGED",
			"objectName", full.String(), "foundType", "VIEW", "alternative", "DROP VIEW")
	}
	return nothing(), r.drop(ctx, e, full)
}

// drop forgets a table and removes the folder of a managed one.
func (r *run) drop(ctx context.Context, e lake.Entry, full lake.Ident) error {
	c, err := r.catalogOf(full)
	if err != nil {
		return err
	}
	if err := c.Update(ctx, catalog.Drop{Name: full[1:]}); err != nil {
		return err
	}
	if e.External || e.Bucket == nil {
		return nil
	}
	return storage.RemoveAll(ctx, e.Bucket, "")
}
