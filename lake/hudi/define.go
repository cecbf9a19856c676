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
	"hoodie.datasource.write.drop.partition.columns", "hoodie.table.base.file.format", "hoodie.record.merge.mode", "hoodie.table.checksum"}

// define makes m the table's description: it may add columns and set properties.
func (x *tx) define(m *lake.Meta) error {
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
		return x.unchangeable("its partition columns", "make a new table")
	}
	if types.Same(old.Schema, ownColumns(m.Schema)) {
		return nil
	}
	return x.defineColumns(old.Schema, ownColumns(m.Schema))
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
		x.changed = set
	}
	return nil
}

// defineColumns adds columns at the end, which are NULL in the rows that are there.
func (x *tx) defineColumns(old, now types.Struct) error {
	for i, f := range old.Fields {
		if i >= len(now.Fields) || !strings.EqualFold(f.Name, now.Fields[i].Name) {
			return x.unchangeable("the order and the names of the columns",
				"columns are added behind the others; Hudi drops and renames them with hoodie.schema.on.read.enable=true, which tarn does not write yet")
		}
		if !types.Same(f.Type, now.Fields[i].Type) {
			return x.unchangeable("the type of column "+f.Name, "add a column of the new type and fill it by UPDATE")
		}
	}
	for _, f := range now.Fields[len(old.Fields):] {
		if !f.Nullable {
			return x.unchangeable("NOT NULL for the new column "+f.Name, "rows that are there have NULL in it: add it as nullable")
		}
	}
	view := *x.base
	view.schema = view.withMeta(now)
	view.meta = view.describeMeta()
	x.view, x.layout, x.evolved = &view, nil, true
	return nil
}
