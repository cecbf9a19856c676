package keygen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// The types of generators, as hoodie.table.keygenerator.type spells them.
const (
	Simple       = "SIMPLE"
	Complex      = "COMPLEX"
	NonPartition = "NON_PARTITION"
	Timestamp    = "TIMESTAMP"
	Custom       = "CUSTOM"
	GlobalDelete = "GLOBAL_DELETE"
)

// classes are the Java classes of the types. The first of a type is the one that tables are given.
var classes = []struct{ class, kind string }{
	{"org.apache.hudi.keygen.SimpleKeyGenerator", Simple},
	{"org.apache.hudi.keygen.ComplexKeyGenerator", Complex},
	{"org.apache.hudi.keygen.NonpartitionedKeyGenerator", NonPartition},
	{"org.apache.hudi.keygen.TimestampBasedKeyGenerator", Timestamp},
	{"org.apache.hudi.keygen.CustomKeyGenerator", Custom},
	{"org.apache.hudi.keygen.GlobalDeleteKeyGenerator", GlobalDelete},
	{"org.apache.hudi.keygen.SimpleAvroKeyGenerator", Simple},
	{"org.apache.hudi.keygen.ComplexAvroKeyGenerator", Complex},
	{"org.apache.hudi.keygen.NonpartitionedAvroKeyGenerator", NonPartition},
	{"org.apache.hudi.keygen.TimestampBasedAvroKeyGenerator", Timestamp},
	{"org.apache.hudi.keygen.CustomAvroKeyGenerator", Custom},
	{"org.apache.hudi.keygen.GlobalAvroDeleteKeyGenerator", GlobalDelete},
}

// TypeOf is the type of a generator class; "" when it is not one of Hudi's.
func TypeOf(class string) string {
	for _, c := range classes {
		if c.class == class {
			return c.kind
		}
	}
	return ""
}

// ClassOf is the Java class of a type; "" when there is none.
func ClassOf(kind string) string {
	for _, c := range classes {
		if c.kind == kind {
			return c.class
		}
	}
	return ""
}

// infer is the type of a table that names none, by its fields (KeyGenUtils of Hudi).
func infer(keys, partition []string) string {
	switch {
	case len(partition) == 0:
		return NonPartition
	case strings.Contains(partition[0], ":"):
		return Custom
	case len(partition) == 1 && len(keys) <= 1:
		return Simple
	}
	return Complex
}

// Config says which keys a table has.
type Config struct {
	Type      string   // "": by the fields
	Keys      []string // record key fields in order; none: keys are generated
	Partition []string // partition fields in order, with ":SIMPLE" or ":TIMESTAMP" behind the name for CUSTOM
	HiveStyle bool     // name=value folders
	Encode    bool     // values are URL-encoded
	Prefixed  bool     // COMPLEX of one field gives f:v and not v; see [PrefixedBy]
	Required  []string // partition fields that the table cannot have NULL in, so that no path may stand for it
	// Properties hold hoodie.keygen.timebased.* or the older hoodie.deltastreamer.keygen.timebased.*, and
	// hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled.
	Properties map[string]string
}

// PrefixedBy is how writers of a table version spell a key of one field with COMPLEX: Hudi up to 0.14.0 and from 1.1 on
// writes field:value, those between write the value alone. Where a table holds rows, [Prefixed] tells better.
func PrefixedBy(version int) bool { return version <= 5 || version >= 9 }

// Prefixed reports whether a stored key of one field has the form field:value.
func Prefixed(key, field string) bool { return strings.HasPrefix(key, field+":") }

// Generator makes the keys of one table. It does not change.
type Generator struct {
	kind      string
	keys      []string
	parts     []part
	hiveStyle bool
	encode    bool
	prefixed  bool
	required  []string
	time      *timeFormat
}

// part is one partition field.
type part struct {
	name string
	time bool
}

// New is the generator that c describes.
func New(c Config) (*Generator, error) {
	g, err := ForKeys(c)
	if err != nil {
		return nil, err
	}
	if err := g.takeParts(c.Partition); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(g.parts, func(p part) bool { return p.time }) {
		if g.time, err = newTimeFormat(c.Properties); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// ForKeys is the generator that c describes, for record keys alone: it makes no partition paths, and so needs no settings for them,
// which not every table keeps.
func ForKeys(c Config) (*Generator, error) {
	g := &Generator{kind: c.Type, keys: c.Keys, hiveStyle: c.HiveStyle, encode: c.Encode, prefixed: c.Prefixed, required: c.Required}
	if g.kind == "" {
		g.kind = infer(c.Keys, c.Partition)
	}
	if ClassOf(g.kind) == "" {
		return nil, fmt.Errorf("the key generator %q is not known: only those of Hudi make keys and partition paths here, which are SIMPLE, COMPLEX, "+
			"NON_PARTITION, TIMESTAMP, CUSTOM and GLOBAL_DELETE", g.kind)
	}
	if consistent(c.Properties) {
		return nil, fmt.Errorf("hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled is not supported: keys of timestamps are written as microseconds")
	}
	return g, nil
}

func consistent(properties map[string]string) bool {
	return strings.EqualFold(properties["hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled"], "true")
}

func (g *Generator) takeParts(fields []string) error {
	switch g.kind {
	case NonPartition, GlobalDelete:
		return nil
	case Simple, Timestamp:
		if len(fields) != 1 {
			return fmt.Errorf("a key generator of type %s needs one partition field, not %d", g.kind, len(fields))
		}
	case Complex:
	case Custom:
		return g.takeTyped(fields)
	}
	for _, f := range fields {
		g.parts = append(g.parts, part{name: f, time: g.kind == Timestamp})
	}
	return nil
}

// takeTyped reads the fields of CUSTOM. Hudi before 1.0 does not keep their types in the table's properties.
func (g *Generator) takeTyped(fields []string) error {
	for _, f := range fields {
		name, kind, ok := strings.Cut(f, ":")
		kind = strings.ToUpper(strings.TrimSpace(kind))
		if !ok || kind != Simple && kind != Timestamp {
			return fmt.Errorf("partition field %q of a CUSTOM key generator has no type: give hoodie.datasource.write.partitionpath.field as name:SIMPLE or name:TIMESTAMP", f)
		}
		g.parts = append(g.parts, part{name: strings.TrimSpace(name), time: kind == Timestamp})
	}
	return nil
}

// Automatic reports whether keys are generated by the writer: rows hold none.
func (g *Generator) Automatic() bool { return len(g.keys) == 0 }

// KeyFields are the record key fields.
func (g *Generator) KeyFields() []string { return g.keys }

// PartitionFields are the names of the partition fields.
func (g *Generator) PartitionFields() []string {
	out := make([]string, len(g.parts))
	for i, p := range g.parts {
		out[i] = p.name
	}
	return out
}

// missing are the names that s does not have.
func missing(s types.Struct, names []string) (out []string) {
	for _, n := range names {
		first, _, _ := strings.Cut(n, ".")
		if s.Index(n) < 0 && s.Index(first) < 0 {
			out = append(out, n)
		}
	}
	return out
}

// Check reports key and partition fields that a schema lacks.
func (g *Generator) Check(s types.Struct) error {
	if m := missing(s, g.keys); m != nil {
		return fmt.Errorf("record key field %s is not a column of the table", strings.Join(m, ", "))
	}
	if m := missing(s, g.PartitionFields()); m != nil {
		return fmt.Errorf("partition field %s is not a column of the table", strings.Join(m, ", "))
	}
	return nil
}
