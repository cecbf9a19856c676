package config

import "strings"

// KeyGenerator says how keys and partition paths are made of columns. Tables of version 8 on name it by this word, older ones by a class.
type KeyGenerator string

// The key generators.
const (
	Simple         KeyGenerator = "SIMPLE"
	Complex        KeyGenerator = "COMPLEX"
	NonPartitioned KeyGenerator = "NON_PARTITION"
	Timestamp      KeyGenerator = "TIMESTAMP"
	CustomKeys     KeyGenerator = "CUSTOM"
	GlobalDelete   KeyGenerator = "GLOBAL_DELETE"
	MetadataKeys   KeyGenerator = "HOODIE_TABLE_METADATA"
)

const keygenPackage = "org.apache.hudi.keygen."

// keygenClasses are the classes that tables up to version 6 name.
var keygenClasses = []struct {
	kind  KeyGenerator
	class string
}{
	{Simple, keygenPackage + "SimpleKeyGenerator"},
	{Complex, keygenPackage + "ComplexKeyGenerator"},
	{NonPartitioned, keygenPackage + "NonpartitionedKeyGenerator"},
	{Timestamp, keygenPackage + "TimestampBasedKeyGenerator"},
	{CustomKeys, keygenPackage + "CustomKeyGenerator"},
	{GlobalDelete, keygenPackage + "GlobalDeleteKeyGenerator"},
	{MetadataKeys, "org.apache.hudi.metadata.HoodieTableMetadataKeyGenerator"},
}

// Class is the Java class of k, or "".
func (k KeyGenerator) Class() string {
	for _, c := range keygenClasses {
		if c.kind == k {
			return c.class
		}
	}
	return ""
}

// keyGenerator is what the table names by type or class, else what Hudi infers from its fields. Of a class that is not known the
// name of the class remains.
func (r *reader) keyGenerator(t *Table) KeyGenerator {
	if kind := strings.ToUpper(r.text("", keyKeygenType)); kind != "" {
		return KeyGenerator(strings.TrimSuffix(kind, "_AVRO"))
	}
	class := r.text("", keyKeygenClass)
	for _, c := range keygenClasses {
		if class == c.class || class == strings.Replace(c.class, "KeyGenerator", "AvroKeyGenerator", 1) {
			return c.kind
		}
	}
	if class != "" {
		return KeyGenerator(class)
	}
	return inferKeyGenerator(len(t.RecordKey), t.Partition)
}

// inferKeyGenerator is the key generator that Hudi chooses for so many key fields and these partition fields.
func inferKeyGenerator(keys int, partition []PartitionField) KeyGenerator {
	for _, f := range partition {
		if f.Kind != "" {
			return CustomKeys
		}
	}
	switch {
	case len(partition) == 0:
		return NonPartitioned
	case len(partition) == 1 && keys <= 1:
		return Simple
	}
	return Complex
}

const payloadPackage = "org.apache.hudi.common.model."

// Payload classes that say no more than a merge mode does.
const (
	OverwriteWithLatest = payloadPackage + "OverwriteWithLatestAvroPayload"
	DefaultPayload      = payloadPackage + "DefaultHoodieRecordPayload"
	EventTimePayload    = payloadPackage + "EventTimeAvroPayload"
)

func (r *reader) merging(t *Table) {
	t.Payload = r.text("", keyPayload, keyLegacyPayload)
	t.MergeStrategy = r.text("", keyMergeStrategy, keyMergerStrategy)
	t.PartialUpdate = PartialUpdate(strings.ToUpper(r.text("", keyPartialUpdate)))
	t.MergeOptions = r.options(mergePrefix)
	t.MergeMode = MergeMode(strings.ToUpper(r.text("", keyMergeMode)))
	switch t.MergeMode {
	case CommitTime, EventTime, Custom:
	case "":
		t.MergeMode = inferMerge(t)
	default:
		r.fail(keyMergeMode, "it must be COMMIT_TIME_ORDERING, EVENT_TIME_ORDERING or CUSTOM", "unknown merge mode")
	}
	switch t.PartialUpdate {
	case "", IgnoreDefaults, FillUnavailable:
	case "IGNORE_MARKERS":
		t.PartialUpdate = FillUnavailable
	case "NONE", "KEEP_VALUES":
		t.PartialUpdate = ""
	default:
		r.fail(keyPartialUpdate, "it must be IGNORE_DEFAULTS or FILL_UNAVAILABLE", "unknown partial update mode")
	}
}

// inferMerge is the mode of a table that names none. Up to version 6 that is what the payload class does when a row is merged into the
// table; without a class it is OverwriteWithLatest.
func inferMerge(t *Table) MergeMode {
	switch t.Payload {
	case OverwriteWithLatest:
		return CommitTime
	case DefaultPayload, EventTimePayload:
		return EventTime
	case "":
		if t.Version >= 8 && len(t.Ordering) > 0 {
			return EventTime
		}
		return CommitTime
	}
	return Custom
}
