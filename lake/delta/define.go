package delta

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

// empty is the state of t before it is made.
func (t *Table) empty() *Snapshot {
	return &Snapshot{table: t, version: -1, state: new(State), meta: new(lake.Meta)}
}

// define makes m the table's description from this transaction on, with the protocol, column ids and physical names that it
// needs. A protocol is never lowered.
func (x *tx) define(m *lake.Meta) error {
	if m == nil {
		return errors.New("a table needs a description")
	}
	properties, asked, err := takeFeatures(m.Properties)
	if err != nil {
		return err
	}
	if err := checkProperties(properties, x.base.meta.Properties); err != nil {
		return err
	}
	mode, exists := mappingWord(x.base.meta.Properties), x.base.version >= 0
	if err := checkMode(mode, mappingWord(properties), exists); err != nil {
		return err
	}
	schema := assignColumns(m.Schema, properties, exists && mode == "none")
	if err := checkColumns(schema, mappingWord(properties) != "none"); err != nil {
		return err
	}
	metadata, err := x.metadataFor(m, schema, properties)
	if err != nil {
		return err
	}
	domain, err := x.clusteringFor(m.Cluster, schema, metadata)
	if err != nil {
		return err
	}
	if domain != nil {
		asked = append(asked, "clustering", "domainMetadata")
	}
	protocol, err := x.protocolFor(schema, properties, slices.Concat(asked, m.Protocol.WriterFeatures, m.Protocol.ReaderFeatures))
	if err != nil {
		return err
	}
	return x.redefine(protocol, metadata, domain)
}

// protocolFor is the protocol of the table with the features that it will use.
func (x *tx) protocolFor(schema types.Struct, properties map[string]string, asked []string) (Protocol, error) {
	old := Protocol{MinReaderVersion: 1, MinWriterVersion: 2}
	if x.base.version >= 0 {
		old = *x.base.state.Protocol
	}
	if x.protocol != nil {
		old = *x.protocol
	}
	p := upgrade(old, append(needed(schema, properties), asked...))
	return p, x.table.writable(&p)
}

func (x *tx) metadataFor(m *lake.Meta, schema types.Struct, properties map[string]string) (*Metadata, error) {
	text, err := encodeSchema(schema)
	if err != nil {
		return nil, err
	}
	created := m.Created
	if created.IsZero() {
		created = time.Now()
	}
	millis := created.UnixMilli()
	out := &Metadata{ID: m.ID, Name: m.Name, Description: m.Description, Format: FileFormat{Provider: "parquet", Options: map[string]string{}},
		SchemaString: text, PartitionColumns: []string{}, Configuration: properties, CreatedTime: &millis}
	if old := x.base.state.Metadata; old != nil {
		out.ID, out.CreatedTime, out.Format = old.ID, old.CreatedTime, old.Format
	}
	if out.ID == "" {
		out.ID = uuid.NewString()
	}
	for _, name := range m.Partition {
		i := schema.Index(name)
		if i < 0 {
			return nil, fmt.Errorf("partition column %s is not in the schema", name)
		}
		out.PartitionColumns = append(out.PartitionColumns, schema.Fields[i].Name)
	}
	if n := len(out.PartitionColumns); n > 0 && n == len(schema.Fields) {
		return nil, &lake.Error{Op: "define", Path: x.table.path, Class: "ALL_PARTITION_COLUMNS_NOT_ALLOWED", Err: errors.New("all columns are partition columns")}
	}
	return out, nil
}

// redefine takes in a new protocol and metadata where they differ from the snapshot's, and new clustering columns.
func (x *tx) redefine(p Protocol, m *Metadata, cluster *DomainMetadata) error {
	state := *x.base.state
	if x.cluster = cluster; cluster != nil {
		state.Domains = maps.Clone(state.Domains)
		put(&state.Domains, cluster.Domain, cluster)
	}
	x.protocol, x.metadata = nil, nil
	if state.Protocol == nil || !sameProtocol(*state.Protocol, p) {
		x.protocol = &p
		state.Protocol = &p
	}
	if state.Metadata == nil || !sameMetadata(state.Metadata, m) {
		x.metadata = m
		state.Metadata = m
	}
	view, err := x.table.newSnapshot(x.base.version, &state, x.base.time, x.base.head)
	if err != nil {
		return err
	}
	x.view = view
	x.layout, err = newLayout(view)
	return err
}

func sameProtocol(a, b Protocol) bool {
	return a.MinReaderVersion == b.MinReaderVersion && a.MinWriterVersion == b.MinWriterVersion &&
		slices.Equal(a.ReaderFeatures, b.ReaderFeatures) && slices.Equal(a.WriterFeatures, b.WriterFeatures)
}

func sameMetadata(a, b *Metadata) bool {
	return a.Name == b.Name && a.Description == b.Description && a.SchemaString == b.SchemaString &&
		slices.Equal(a.PartitionColumns, b.PartitionColumns) && maps.Equal(a.Configuration, b.Configuration)
}

// checkColumns refuses names that a table cannot have, and types that tarn cannot store.
func checkColumns(s types.Struct, mapped bool) error {
	if err := checkNames(s); err != nil {
		return &lake.Error{Op: "define", Class: "COLUMN_ALREADY_EXISTS", Err: err}
	}
	var bad error
	walkFields(s, func(f types.Field) {
		switch {
		case bad != nil:
		case !mapped && strings.ContainsAny(f.Name, " ,;{}()\n\t="):
			bad = &lake.Error{Op: "define", Class: "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES", Params: map[string]string{"invalidColumnNames": f.Name},
				Err: fmt.Errorf("column name %q has one of the characters ' ,;{}()\\n\\t='", f.Name), Hint: "enable column mapping to use such names"}
		case hasIdentity(f):
			bad = &lake.Error{Op: "define", Class: "UNSUPPORTED_FEATURE.TABLE_OPERATION", Err: fmt.Errorf("column %s: identity columns cannot be written yet", f.Name)}
		}
	})
	return bad
}

func hasIdentity(f types.Field) bool {
	for key := range f.Metadata {
		if strings.HasPrefix(key, "delta.identity.") {
			return true
		}
	}
	return false
}

// checkWhole refuses to commit a new schema that the files left in the table do not fit.
func (x *tx) checkWhole() error {
	if x.metadata == nil || x.base.version < 0 || x.replaced || len(x.changed) == len(x.base.state.Files) {
		return nil
	}
	if !slices.Equal(x.metadata.PartitionColumns, x.base.state.Metadata.PartitionColumns) {
		return x.unfit("its partition columns change")
	}
	if why := fits(x.base.schema, x.view.schema, x.base.mapping != mapNone, ""); why != "" {
		return x.unfit(why)
	}
	return nil
}

func (x *tx) unfit(why string) error {
	return &lake.Error{Op: "define", Path: x.table.path, Class: "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS", Err: errors.New(why + ", but rows written before stay in it"),
		Hint: "overwrite the whole table with the new schema"}
}

// fits says why files of the schema old cannot be read as new: "" when they can.
func fits(old, new types.Struct, mapped bool, path string) string {
	for _, f := range old.Fields {
		name := path + f.Name
		i := slices.IndexFunc(new.Fields, func(g types.Field) bool { return sameColumn(f, g, mapped) })
		if i < 0 {
			if mapped {
				continue
			}
			return "column " + name + " is dropped"
		}
		g := new.Fields[i]
		if f.Nullable && !g.Nullable {
			return "column " + name + " becomes NOT NULL"
		}
		if why := fitsType(f.Type, g.Type, mapped, name); why != "" {
			return why
		}
	}
	return ""
}

func sameColumn(f, g types.Field, mapped bool) bool {
	if !mapped {
		return f.Name == g.Name
	}
	a, _ := f.Metadata.Text(physicalNameKey)
	b, _ := g.Metadata.Text(physicalNameKey)
	return a == b
}

func fitsType(old, new types.Type, mapped bool, path string) string {
	different := "column " + path + " changes from " + old.String() + " to " + new.String()
	switch old := old.(type) {
	case types.Struct:
		if new, ok := new.(types.Struct); ok {
			return fits(old, new, mapped, path+".")
		}
		return different
	case types.Array:
		if new, ok := new.(types.Array); ok && (new.Nullable || !old.Nullable) {
			return fitsType(old.Elem, new.Elem, mapped, path+".element")
		}
		return different
	case types.Map:
		new, ok := new.(types.Map)
		if !ok || !new.Nullable && old.Nullable {
			return different
		}
		if why := fitsType(old.Key, new.Key, mapped, path+".key"); why != "" {
			return why
		}
		return fitsType(old.Value, new.Value, mapped, path+".value")
	}
	if types.Equal(old, new) || old == types.Void || types.Text(old) && new == types.String {
		return ""
	}
	return different
}

// partitionHint is the partition of a file as Delta's messages show it: [p=0, q=x].
func (s *Snapshot) partitionHint(a *Add) string {
	if len(s.partition) == 0 {
		return ""
	}
	parts := make([]string, len(s.partition))
	for i, k := range s.partition {
		text := "null"
		if v := a.PartitionValues[s.physical.Fields[k].Name]; v != nil {
			text = *v
		}
		parts[i] = s.schema.Fields[k].Name + "=" + text
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
