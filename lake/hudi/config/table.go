package config

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

// Type says how changes of rows are stored.
type Type string

// The types.
const (
	CopyOnWrite Type = "COPY_ON_WRITE"
	MergeOnRead Type = "MERGE_ON_READ"
)

// MergeMode says which of two rows of one key stays.
type MergeMode string

// The merge modes.
const (
	CommitTime MergeMode = "COMMIT_TIME_ORDERING"
	EventTime  MergeMode = "EVENT_TIME_ORDERING"
	Custom     MergeMode = "CUSTOM" // the payload class or strategy decides
)

// CDCMode says what change records hold, in tables that have them.
type CDCMode string

// The modes of change records.
const (
	OpKeyOnly       CDCMode = "OP_KEY_ONLY"
	DataBefore      CDCMode = "DATA_BEFORE"
	DataBeforeAfter CDCMode = "DATA_BEFORE_AFTER"
)

// Known reports whether m is one of the modes.
func (m CDCMode) Known() bool { return m == OpKeyOnly || m == DataBefore || m == DataBeforeAfter }

// PartialUpdate says which columns of a new row leave the old value in place.
type PartialUpdate string

// The partial update modes; "" is none.
const (
	IgnoreDefaults  PartialUpdate = "IGNORE_DEFAULTS"
	FillUnavailable PartialUpdate = "FILL_UNAVAILABLE"
)

// Strategies by which records are merged, as tables name them.
const (
	StrategyEventTime  = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"
	StrategyCommitTime = "ce9acb64-bde0-424c-9b91-f6ebba25356d"
	StrategyPayload    = "00000000-0000-0000-0000-000000000000"
)

// PartitionField is a partition column. Kind is "SIMPLE" or "TIMESTAMP" where a table of the custom key generator says so, else "".
type PartitionField struct{ Name, Kind string }

// Table is what hoodie.properties says, with Hudi's defaults where it is silent.
type Table struct {
	Properties Properties // the whole file; not to be changed

	Name, Database string
	Type           Type
	Version        int // table version
	InitialVersion int // version at creation, 0 where unknown
	Layout         int // of the timeline: 1 or 2

	RecordKey     []string // none: keys are generated
	Ordering      []string // none: the later write wins
	Partition     []PartitionField
	KeyGenerator  KeyGenerator
	KeygenOptions map[string]string // hoodie.keygen.timebased.* without that prefix

	HiveStyle            bool // folders are name=value
	URLEncode            bool // values are encoded in folder names
	SlashDates           bool // dates 2024-03-15 are folders 2024/03/15
	DropPartitionColumns bool // partition columns are not stored in data files
	MetaFields           bool // the _hoodie_ columns are stored
	PartitionMetaInBase  bool // .hoodie_partition_metadata has the base format

	BaseFormat string // "PARQUET", …
	LogFormat  string

	Payload       string // class, or ""; of version 9 the legacy class
	MergeMode     MergeMode
	MergeStrategy string
	PartialUpdate PartialUpdate
	// MergeOptions are hoodie.record.merge.property.* without that prefix.
	MergeOptions map[string]string

	TimelinePath  string // relative to .hoodie: "" or "timeline"
	ArchivePath   string // relative to .hoodie: "archived" or "timeline/history"
	UTC           bool   // instants are in UTC, else in the writer's zone
	CreateSchema  string // Avro schema that CREATE TABLE gave, or ""
	BootstrapBase string // path, or ""

	MetadataPartitions []string // ready
	MetadataInflight   []string // being built
	IndexDefs          string   // relative to the table, or ""

	CDC     bool
	CDCMode CDCMode
}

// Checksum is what hoodie.table.checksum of a table is.
func Checksum(database, name string) string {
	return strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(database+"."+name))), 10)
}

// NewTable reads properties. It checks the checksum, where there is one, and everything else that would make reading a guess. The
// error is an [*Error].
func NewTable(p Properties) (*Table, error) {
	r := reader{p: p}
	t := &Table{Properties: p}
	r.identity(t)
	r.keys(t)
	r.layout(t)
	r.merging(t)
	r.metadata(t)
	if r.err != nil {
		return nil, r.err
	}
	return t, nil
}

// reader takes values out of properties; the first wrong one is its error.
type reader struct {
	p   Properties
	err error
}

func (r *reader) fail(key, hint, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Key: key, Value: r.p[key], Hint: hint, Err: fmt.Errorf(format, args...)}
	}
}

func (r *reader) text(def string, keys ...string) string {
	for _, k := range keys {
		if v := strings.TrimSpace(r.p[k]); v != "" {
			return v
		}
	}
	return def
}

func (r *reader) bool(key string, def bool) bool {
	switch v := strings.ToLower(r.text("", key)); v {
	case "":
		return def
	case "true", "false":
		return v == "true"
	}
	r.fail(key, "it must be true or false", "not a truth value")
	return def
}

func (r *reader) int(key string, def int) int {
	v := r.text("", key)
	if v == "" {
		return def
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil {
		r.fail(key, "it must be a whole number", "not a number")
	}
	return int(n)
}

func (r *reader) list(keys ...string) (out []string) {
	for _, s := range strings.Split(r.text("", keys...), ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func (r *reader) options(prefixes ...string) map[string]string {
	out := map[string]string{}
	for _, prefix := range prefixes {
		for k, v := range r.p {
			if rest, ok := strings.CutPrefix(k, prefix); ok {
				out[rest] = v
			}
		}
	}
	return out
}

func (r *reader) identity(t *Table) {
	t.Name, t.Database = r.text("", keyName), r.text("", keyDatabase)
	if t.Name == "" {
		r.fail(keyName, "a table must have a name", "missing")
	}
	if sum, ok := r.p[keyChecksum]; ok && strings.TrimSpace(sum) != Checksum(r.p[keyDatabase], r.p[keyName]) {
		r.fail(keyChecksum, "whoever renames a table must write the checksum anew", "%w, it should be %s", ErrChecksum, Checksum(t.Database, t.Name))
	}
	t.Type = Type(strings.ToUpper(r.text(string(CopyOnWrite), keyType)))
	if t.Type != CopyOnWrite && t.Type != MergeOnRead {
		r.fail(keyType, "it must be COPY_ON_WRITE or MERGE_ON_READ", "unknown table type")
	}
	t.Version = r.int(keyVersion, 0)
	t.InitialVersion = r.int(keyInitialVersion, 0)
	if r.err == nil && (t.Version < 2 || t.Version > 9) {
		r.fail(keyVersion, "table versions 2 to 9 are read, and 5, 6, 8 and 9 written", "table version %d is not supported", t.Version)
	}
}

func (r *reader) keys(t *Table) {
	t.RecordKey = r.list(keyRecordKey)
	t.Ordering = r.list(keyOrdering, keyPrecombine)
	for _, f := range r.list(keyPartition) {
		name, kind, _ := strings.Cut(f, ":")
		t.Partition = append(t.Partition, PartitionField{name, strings.ToUpper(kind)})
	}
	t.KeyGenerator = r.keyGenerator(t)
	t.KeygenOptions = r.options("hoodie.deltastreamer.keygen.timebased.", keygenPrefix)
	t.HiveStyle = r.bool(keyHiveStyle, false)
	t.URLEncode = r.bool(keyURLEncode, false)
	t.SlashDates = r.bool("hoodie.datasource.write.slash.separated.date.partitioning", false)
	t.DropPartitionColumns = r.bool(keyDropPartition, false)
	t.MetaFields = r.bool(keyMetaFields, true)
	t.PartitionMetaInBase = r.bool(keyPartitionMeta, false)
}

func (r *reader) layout(t *Table) {
	t.BaseFormat = strings.ToUpper(r.text("PARQUET", keyBaseFormat))
	t.LogFormat = strings.ToUpper(r.text("HOODIE_LOG", "hoodie.table.log.file.format"))
	fits := 1
	if t.Version >= 8 {
		fits = 2
	}
	t.Layout = r.int(keyLayout, fits)
	if r.err == nil && t.Layout != fits && t.Version != 7 {
		r.fail(keyLayout, "tables up to version 6 have layout 1, from version 8 layout 2", "timeline layout %d does not go with table version %d", t.Layout, t.Version)
	}
	if t.Layout == 2 {
		t.TimelinePath = r.text("timeline", keyTimelinePath)
		t.ArchivePath = t.TimelinePath + "/" + r.text("history", keyHistoryPath)
	} else {
		t.ArchivePath = r.text("archived", keyArchive)
	}
	for key, path := range map[string]string{keyTimelinePath: t.TimelinePath, keyArchive: t.ArchivePath} {
		if path != "" && !inside(path) {
			r.fail(key, "the path must lie inside .hoodie", "path leads elsewhere")
		}
	}
	switch zone := strings.ToUpper(r.text("LOCAL", keyZone)); zone {
	case "UTC", "LOCAL":
		t.UTC = zone == "UTC"
	default:
		r.fail(keyZone, "it must be LOCAL or UTC", "unknown time zone")
	}
	if format := r.text("native", keyFormat); format != "native" {
		r.fail(keyFormat, "only tables of Hudi's own format are supported", "table format %s is not supported", format)
	}
}

// inside says whether a slash-separated path stays below where it starts.
func inside(path string) bool {
	for _, part := range strings.Split(path, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

func (r *reader) metadata(t *Table) {
	t.MetadataPartitions = r.list(keyMetadata)
	t.MetadataInflight = r.list(keyMetadataInflight)
	t.IndexDefs = r.text("", keyIndexDefs)
	if t.IndexDefs != "" && !inside(t.IndexDefs) {
		r.fail(keyIndexDefs, "the path must lie inside the table", "path leads elsewhere")
	}
	t.CreateSchema = r.text("", keyCreateSchema)
	t.BootstrapBase = r.text("", keyBootstrap)
	t.CDC = r.bool(keyCDC, false)
	t.CDCMode = CDCMode(strings.ToUpper(r.text(string(DataBeforeAfter), keyCDCMode)))
}

// Writable is nil when tarn writes tables of this kind, else what stands against it.
func (t *Table) Writable() error {
	refuse := func(key, hint, why string) error {
		return &Error{Key: key, Value: t.Properties[key], Hint: hint, Err: fmt.Errorf("the table cannot be written: %s", why)}
	}
	switch {
	case t.Version != 5 && t.Version != 6 && t.Version != 8 && t.Version != 9:
		return refuse(keyVersion, "upgrade it with Hudi to version 5, 6, 8 or 9", fmt.Sprintf("its version is %d", t.Version))
	case t.BaseFormat != "PARQUET":
		return refuse(keyBaseFormat, "base files are written as Parquet only", "its base files are "+t.BaseFormat)
	case t.BootstrapBase != "":
		return refuse(keyBootstrap, "rewrite it with Hudi as a table of its own", "it is a bootstrap table")
	case !t.MetaFields && len(t.RecordKey) == 0:
		return refuse(keyMetaFields, "name the columns of the record key", "keys that are made must be stored")
	case !t.MetaFields && t.KeyGenerator != Simple && t.KeyGenerator != Complex && t.KeyGenerator != NonPartitioned:
		return refuse(keyMetaFields, "without stored keys a key generator is SIMPLE, COMPLEX or NON_PARTITION", "keys of the generator "+string(t.KeyGenerator)+" must be stored")
	}
	return nil
}
