package hudi

import (
	"context"
	"maps"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/keygen"
)

// keyConfig is what the table's properties and the options of the write say about keys.
func (x *tx) keyConfig() keygen.Config {
	c := x.config()
	k := keygen.Config{Type: string(c.KeyGenerator), Keys: c.RecordKey, HiveStyle: c.HiveStyle, Encode: c.URLEncode, Properties: map[string]string{}}
	maps.Copy(k.Properties, x.options.all)
	for name, v := range c.KeygenOptions {
		k.Properties["hoodie.keygen.timebased."+name] = v
	}
	k.Partition = partitionFields(c, x.options)
	for _, f := range x.view.schema.Fields {
		if !f.Nullable {
			k.Required = append(k.Required, f.Name)
		}
	}
	if kind := keygen.TypeOf(k.Type); kind != "" {
		k.Type = kind
	}
	k.Prefixed = keygen.PrefixedBy(c.Version)
	if c.Version < 9 && x.options.isSet("hoodie.write.complex.keygen.new.encoding") {
		k.Prefixed = !x.options.flag("hoodie.write.complex.keygen.new.encoding", false)
	}
	if k.Type == keygen.Complex && len(k.Keys) == 1 {
		if stored, ok := x.sampleKey(); ok {
			k.Prefixed = keygen.Prefixed(stored, k.Keys[0])
		}
	}
	return k
}

// partitionFields are the partition fields with the types of a CUSTOM generator. Where a table does not keep these, an option of the
// write gives them.
func partitionFields(c *config.Table, o options) []string {
	var out []string
	typed := false
	for _, f := range c.Partition {
		text := f.Name
		if f.Kind != "" {
			text, typed = text+":"+f.Kind, true
		}
		out = append(out, text)
	}
	given := splitNames(o.text("", "hoodie.datasource.write.partitionpath.field", "hoodie.table.partition.fields"))
	if typed || c.KeyGenerator != config.CustomKeys || len(given) != len(out) {
		return out
	}
	for i, f := range given {
		name, _, _ := strings.Cut(f, ":")
		if !strings.EqualFold(strings.TrimSpace(name), c.Partition[i].Name) {
			return out
		}
	}
	return given
}

// sampleKey is a key that the table holds: Hudi's releases spell keys of one field in two ways, and only stored keys tell which of
// them a table has.
func (x *tx) sampleKey() (string, bool) {
	for _, s := range x.base.slices {
		if s.Base == nil {
			continue
		}
		f, err := x.table.footer(context.Background(), s.Base.Path)
		if err != nil {
			continue
		}
		if key, ok := f["hoodie_min_record_key"]; ok {
			return key, true
		}
	}
	return "", false
}

// splitNames splits a list of names at commas.
func splitNames(list string) []string {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}
