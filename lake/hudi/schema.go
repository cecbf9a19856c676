package hudi

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/types"
)

// The meta columns, which Hudi puts before a table's own.
const (
	commitTimeColumn    = "_hoodie_commit_time"
	commitSeqnoColumn   = "_hoodie_commit_seqno"
	recordKeyColumn     = "_hoodie_record_key"
	partitionPathColumn = "_hoodie_partition_path"
	fileNameColumn      = "_hoodie_file_name"
)

var metaColumns = []string{commitTimeColumn, commitSeqnoColumn, recordKeyColumn, partitionPathColumn, fileNameColumn}

var errNoSchema = errors.New("neither a commit nor a base file nor hoodie.table.create.schema says which columns the table has")

// describe finds the schema after commits, and describes the table.
func (s *Snapshot) describe(ctx context.Context, commits []timeline.Instant) error {
	text, internal, err := s.schemaText(ctx, commits)
	if err != nil {
		return err
	}
	schema, err := avro.Parse(text)
	if err != nil {
		return s.table.fail("read the schema of", "", err)
	}
	own, err := schema.Struct()
	if err != nil {
		return s.table.fail("read the schema of", "", err)
	}
	s.schema = s.withMeta(own)
	if internal != "" {
		if s.history, err = s.readHistory(ctx, internal); err != nil {
			return err
		}
	}
	s.meta = s.describeMeta()
	return nil
}

// schemaText is the Avro schema after commits, and the schema with ids of a table whose columns were renamed or dropped, else "".
func (s *Snapshot) schemaText(ctx context.Context, commits []timeline.Instant) (text, internal string, err error) {
	for _, i := range slices.Backward(commits) {
		m, err := s.commit(ctx, i)
		if err != nil {
			return "", "", err
		}
		if m.Schema() == "" {
			continue
		}
		if changesSchema(m.OperationType) {
			return m.Schema(), m.ExtraMetadata[internalSchemaKey], nil
		}
		if text == "" {
			text, internal = m.Schema(), m.ExtraMetadata[internalSchemaKey]
		}
	}
	if text == "" {
		text, err = s.footerSchema(ctx)
	}
	if text == "" {
		text = s.config.CreateSchema
	}
	if text == "" && err == nil {
		err = s.table.fail("read the schema of", "", errNoSchema)
	}
	return text, internal, err
}

// changesSchema reports whether commits of an operation say what columns the table has from then on. Table services repeat the
// schema that was when they were planned.
func changesSchema(operation string) bool {
	switch strings.ToUpper(operation) {
	case "CLUSTER", "COMPACT", "LOG_COMPACT", "INDEX":
		return false
	}
	return true
}

// footerSchema is the schema in the footer of the newest base file; "" when there is none.
func (s *Snapshot) footerSchema(ctx context.Context) (string, error) {
	var newest *baseFile
	for _, slice := range s.slices {
		if b := slice.Base; b != nil && (newest == nil || b.Instant > newest.Instant) {
			newest = b
		}
	}
	if newest == nil {
		return "", nil
	}
	p, err := s.footer(ctx, newest)
	if err != nil {
		return "", err
	}
	text, _ := p.Metadata("parquet.avro.schema")
	return text, nil
}

// withMeta is a schema with the meta columns in front, when the table has them, and without them otherwise, and with the partition
// columns.
func (s *Snapshot) withMeta(own types.Struct) types.Struct {
	var out types.Struct
	if s.config.MetaFields {
		for _, name := range metaColumns {
			out.Fields = append(out.Fields, types.Field{Name: name, Type: types.String, Nullable: true})
		}
	}
	for _, f := range own.Fields {
		if slices.Contains(metaColumns, f.Name) {
			continue
		}
		if c, ok := f.Metadata.Text("comment"); ok && c == "" {
			f.Metadata = nil
		}
		out.Fields = append(out.Fields, f)
	}
	if s.config.DropPartitionColumns {
		for _, p := range s.config.Partition { // commits leave them out too, and Hudi reads them as text
			if out.Index(p.Name) < 0 {
				out.Fields = append(out.Fields, types.Field{Name: p.Name, Type: types.String, Nullable: true})
			}
		}
	}
	return out
}

// hiddenProperties are those of hoodie.properties that say nothing to users.
var hiddenProperties = []string{"hoodie.table.checksum", "hoodie.table.create.schema"}

func (s *Snapshot) describeMeta() *lake.Meta {
	c := s.config
	m := &lake.Meta{Name: c.Name, Schema: s.schema, Properties: map[string]string{}}
	for k, v := range c.Properties {
		if !slices.Contains(hiddenProperties, k) && !strings.HasPrefix(k, keptPrefix) {
			m.Properties[k] = v
		}
	}
	for k, v := range c.Properties { // under the names that they were given with
		if own, kept := strings.CutPrefix(k, keptPrefix); kept {
			m.Properties[own] = v
		}
	}
	m.Properties["type"] = map[bool]string{true: "mor", false: "cow"}[c.Type == "MERGE_ON_READ"]
	if len(c.RecordKey) > 0 {
		m.Properties["primaryKey"] = strings.Join(c.RecordKey, ",")
	}
	if len(c.Ordering) > 0 {
		m.Properties["preCombineField"] = strings.Join(c.Ordering, ",")
	}
	for _, p := range c.Partition {
		if i := s.schema.Index(p.Name); i >= 0 {
			m.Partition = append(m.Partition, s.schema.Fields[i].Name)
		}
	}
	return m
}
