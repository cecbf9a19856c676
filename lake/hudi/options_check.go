package hudi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/keygen"
)

// conflicts tells of all options of a write that say of the table what its properties deny, before any file is touched.
func (x *tx) conflicts() error {
	c, o := x.config(), x.options
	var bad []string
	check := func(what, given, have string, same bool) {
		if given != "" && !same {
			bad = append(bad, fmt.Sprintf("%s: given %s, the table has %s", what, given, have))
		}
	}
	list := func(what string, have []string, keys ...string) {
		given := o.text("", keys...)
		check(what+" ("+keys[0]+")", given, strings.Join(have, ","), slices.EqualFunc(splitNames(given), have, strings.EqualFold))
	}
	list("RecordKey", c.RecordKey, "hoodie.datasource.write.recordkey.field", "hoodie.table.recordkey.fields")
	if len(c.Ordering) > 0 { // a table without one takes that of each write
		list("PreCombineKey", c.Ordering, "hoodie.datasource.write.precombine.field", "hoodie.table.precombine.field", "hoodie.table.ordering.fields")
	}
	var parts []string
	for _, f := range c.Partition {
		parts = append(parts, f.Name)
	}
	given := splitNames(o.text("", "hoodie.datasource.write.partitionpath.field", "hoodie.table.partition.fields"))
	for i := range given {
		name, _, _ := strings.Cut(given[i], ":")
		given[i] = strings.TrimSpace(name)
	}
	check("PartitionPath (hoodie.datasource.write.partitionpath.field)", strings.Join(given, ","), strings.Join(parts, ","), slices.EqualFunc(given, parts, strings.EqualFold))
	if class := o.text("", "hoodie.datasource.write.keygenerator.class", "hoodie.table.keygenerator.class"); class != "" {
		check("KeyGenerator (hoodie.datasource.write.keygenerator.class)", class, string(c.KeyGenerator), keygen.TypeOf(class) == string(c.KeyGenerator))
	}
	if kind := o.text("", "hoodie.datasource.write.table.type", "hoodie.table.type"); kind != "" {
		t, err := typeOf(kind)
		check("table type (hoodie.datasource.write.table.type)", kind, string(c.Type), err == nil && t == c.Type)
	}
	name := o.text("", "hoodie.table.name")
	check("table name (hoodie.table.name)", name, c.Name, strings.EqualFold(name, c.Name))
	for key, have := range map[string]bool{"hoodie.datasource.write.hive_style_partitioning": c.HiveStyle, "hoodie.datasource.write.partitionpath.urlencode": c.URLEncode,
		"hoodie.datasource.write.drop.partition.columns": c.DropPartitionColumns, "hoodie.populate.meta.fields": c.MetaFields} {
		if v := o.all[key]; v != "" {
			check(key, v, fmt.Sprint(have), o.flag(key, have) == have)
		}
	}
	if len(bad) == 0 {
		_, unknown := x.global()
		return cmp.Or(o.err(), unknown)
	}
	slices.Sort(bad)
	return &lake.Error{Op: "write to", Path: x.table.path, Class: "HUDI_CONFIG_CONFLICT",
		Params: map[string]string{"table": x.table.path, "conflicts": strings.Join(bad, "; ")}, Err: fmt.Errorf("config conflict: %s", strings.Join(bad, "; ")),
		Hint: "leave these options out, or give the values that the table has"}
}
