package hudi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/types"
)

// fixed are properties that say how the rows of a table are stored, which no ALTER TABLE can change.
var fixed = []string{"type", "primarykey", "precombinefield", "orderingfields", "hoodie.table.type", "hoodie.table.version", "hoodie.table.name",
	"hoodie.table.recordkey.fields", "hoodie.table.precombine.field", "hoodie.table.ordering.fields", "hoodie.table.partition.fields",
	"hoodie.table.keygenerator.class", "hoodie.table.keygenerator.type", "hoodie.populate.meta.fields", "hoodie.timeline.layout.version",
	"hoodie.datasource.write.hive_style_partitioning", "hoodie.datasource.write.partitionpath.urlencode",
	"hoodie.datasource.write.drop.partition.columns", "hoodie.datasource.write.recordkey.field", "hoodie.datasource.write.precombine.field",
	"hoodie.datasource.write.partitionpath.field", "hoodie.datasource.write.keygenerator.class", "hoodie.datasource.write.keygenerator.type",
	"hoodie.datasource.write.table.type", "hoodie.table.base.file.format", "hoodie.record.merge.mode", "hoodie.table.checksum"}

// define makes m the table's description: it may add columns and set properties; with schema-on-read it may do more to columns.
func (x *tx) define(m *lake.Meta, options map[string]string) error {
	if m == nil {
		return errors.New("a table needs a description")
	}
	if x.act != nil {
		return errors.New("the description of a table cannot change behind rows")
	}
	old := x.Meta()
	if err := x.defineProperties(old, m); err != nil {
		return err
	}
	if !slices.EqualFunc(old.Partition, m.Partition, strings.EqualFold) {
		return x.unchangeable("the partition columns", "make a new table")
	}
	now := ownColumns(m.Schema)
	plain := types.Struct{Fields: unmarked(now.Fields)}
	if types.Same(old.Schema, plain) {
		return nil
	}
	if x.base.history != nil || newOptions(options).flag(optOnRead, false) {
		return x.evolve(old.Schema, now)
	}
	return x.defineColumns(old.Schema, plain)
}

func (x *tx) unchangeable(what, hint string) error {
	return &lake.Error{Op: "alter", Path: x.table.path, Class: "UNSUPPORTED_FEATURE.TABLE_OPERATION", Err: fmt.Errorf("%s of a Hudi table cannot change", what), Hint: hint}
}

func (x *tx) defineProperties(old, m *lake.Meta) error {
	set := config.Properties{}
	for k, v := range m.Properties {
		if old.Properties[k] != v {
			set[k] = v
		}
	}
	for k := range old.Properties {
		if _, kept := m.Properties[k]; !kept {
			set[k] = ""
		}
	}
	for k := range set {
		if slices.Contains(fixed, strings.ToLower(k)) {
			return x.unchangeable("the property "+k, "make a new table with other properties and copy the rows")
		}
	}
	if len(set) > 0 {
		x.changed = x.stored(set)
	}
	return nil
}

// stored is properties as hoodie.properties has them: settings of writers, which a table keeps under names of their own, in both places
// where they may be.
func (x *tx) stored(set config.Properties) config.Properties {
	out := config.Properties{}
	for k, v := range set {
		own := strings.ToLower(k)
		if !isWriterSetting(own) {
			out[k] = v
			continue
		}
		out[keptPrefix+own] = v
		if _, plain := x.config().Properties[k]; plain {
			out[k] = ""
		}
	}
	return out
}

// widens reports whether rows of a wider type may be written to a column, as Hudi lets them without schema-on-read: its readers take
// the narrower numbers of old files for the wider ones. Record keys and partition paths are made of texts, which DOUBLE would change.
func (x *tx) widens(f types.Field, to types.Type) bool {
	whole := types.Integral(f.Type)
	if whole && to == types.Type(types.Long) {
		return true
	}
	c := x.config()
	named := slices.Concat(c.RecordKey, c.Ordering)
	for _, p := range c.Partition {
		named = append(named, p.Name)
	}
	if slices.ContainsFunc(named, func(name string) bool { return strings.EqualFold(name, f.Name) }) {
		return false
	}
	return (whole || f.Type == types.Type(types.Float)) && to == types.Type(types.Double)
}

// defineColumns adds columns, which are NULL in the rows that are there, and sets comments.
func (x *tx) defineColumns(old, now types.Struct) error {
	rest := old.Fields
	for _, f := range now.Fields {
		switch {
		case len(rest) > 0 && strings.EqualFold(f.Name, rest[0].Name):
			if !types.Same(f.Type, rest[0].Type) {
				if !x.widens(rest[0], f.Type) {
					return x.unchangeable("the type of column "+f.Name, onReadHint)
				}
				x.widened = f.Name
			}
			rest = rest[1:]
		case old.Index(f.Name) >= 0:
			return x.unchangeable("the order of the columns", onReadHint)
		case !f.Nullable:
			return x.unchangeable("NOT NULL for the new column "+f.Name, "rows that are there have NULL in it: add it as nullable")
		}
	}
	if len(rest) > 0 {
		return x.unchangeable("the name of column "+rest[0].Name, onReadHint)
	}
	x.show(now)
	return nil
}

// show makes now the columns of the transaction.
func (x *tx) show(now types.Struct) {
	view := *x.base
	view.schema = view.withMeta(now)
	view.meta = view.describeMeta()
	x.view, x.layout, x.evolved = &view, nil, true
}
