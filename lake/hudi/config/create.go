package config

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/storage"
)

// New describes a table to be made.
type New struct {
	Name, Database string
	Type           Type
	Version        int // 5, 6, 8 or 9
	RecordKey      []string
	Ordering       []string
	Partition      []PartitionField
	KeyGenerator   KeyGenerator // "": inferred from the fields
	HiveStyle      bool
	URLEncode      bool
	DropPartition  bool // partition columns are not stored
	VirtualKeys    bool // no _hoodie_ columns
	UTC            bool
	CreateSchema   string    // Avro schema, of tables made by CREATE TABLE; they state less
	Payload        string    // class; "": the release's default
	MergeMode      MergeMode // "": by the ordering fields; of version 8 on
	CDC            bool
	CDCMode        CDCMode           // "": DATA_BEFORE_AFTER
	Extra          map[string]string // further properties, kept as they are
}

// Properties are those that the Hudi release of n.Version writes for such a table: 0.12 for 5, 0.15 for 6, 1.0 for 8, 1.1 for 9.
func (n New) Properties() (Properties, error) {
	switch n.Version {
	case 5, 6, 8, 9:
	default:
		return nil, &Error{Key: keyVersion, Value: strconv.Itoa(n.Version), Hint: "choose 5, 6, 8 or 9", Err: fmt.Errorf("tables of version %d cannot be made", n.Version)}
	}
	p := Properties{
		keyName: n.Name, keyType: string(n.Type), keyVersion: strconv.Itoa(n.Version),
		keyHiveStyle: strconv.FormatBool(n.HiveStyle), keyURLEncode: strconv.FormatBool(n.URLEncode),
		keyDropPartition: strconv.FormatBool(n.DropPartition), keyArchive: "archived", keyLayout: "1",
	}
	if n.Type == "" {
		p[keyType] = string(CopyOnWrite)
	}
	n.keys(p)
	if n.CreateSchema == "" {
		n.stated(p)
	} else {
		n.fromSQL(p)
	}
	if n.Version >= 8 {
		n.layout2(p)
	}
	n.merging(p)
	for k, v := range n.Extra {
		p[k] = v
	}
	p[keyChecksum] = Checksum(p[keyDatabase], p[keyName])
	_, err := NewTable(p)
	return p, err
}

func (n New) keys(p Properties) {
	if len(n.RecordKey) > 0 {
		p[keyRecordKey] = strings.Join(n.RecordKey, ",")
	}
	ordering := keyPrecombine
	if n.Version >= 9 {
		ordering = keyOrdering
	}
	if len(n.Ordering) > 0 {
		p[ordering] = strings.Join(n.Ordering, ",")
	}
	if fields := n.partitionText(); fields != "" || n.CreateSchema == "" {
		p[keyPartition] = fields
	}
	kind := n.KeyGenerator
	if kind == "" {
		kind = inferKeyGenerator(len(n.RecordKey), n.Partition)
	}
	if n.Version >= 8 {
		p[keyKeygenType] = string(kind)
	} else {
		p[keyKeygenClass] = kind.Class()
	}
}

// partitionText names the partition fields; their kinds are stored since version 8.
func (n New) partitionText() string {
	out := make([]string, len(n.Partition))
	for i, f := range n.Partition {
		out[i] = f.Name
		if f.Kind != "" && n.Version >= 8 {
			out[i] += ":" + f.Kind
		}
	}
	return strings.Join(out, ",")
}

// stated are the properties that tables written by the datasource have beside the common ones.
func (n New) stated(p Properties) {
	p[keyZone] = n.zone()
	p[keyMetaFields] = strconv.FormatBool(!n.VirtualKeys)
	p[keyBaseFormat] = "PARQUET"
	p[keyPartitionMeta] = "false"
	if n.Version < 8 || n.Database != "" {
		p[keyDatabase] = n.Database
	}
	if n.Version >= 6 {
		p[keyCDC] = strconv.FormatBool(n.CDC)
	}
	if n.Version >= 8 {
		p[keyManyFormats] = "false"
		p[keyArchive] = "history"
	}
	n.cdc(p)
}

// fromSQL are the properties of a table that CREATE TABLE made; what is the default is left out.
func (n New) fromSQL(p Properties) {
	p[keyDatabase] = n.Database
	p[keyCreateSchema] = n.CreateSchema
	if n.UTC {
		p[keyZone] = n.zone()
	}
	if n.VirtualKeys {
		p[keyMetaFields] = "false"
	}
	n.cdc(p)
}

func (n New) cdc(p Properties) {
	if !n.CDC {
		return
	}
	p[keyCDC] = "true"
	p[keyCDCMode] = string(n.CDCMode)
	if n.CDCMode == "" {
		p[keyCDCMode] = string(DataBeforeAfter)
	}
}

func (n New) zone() string {
	if n.UTC {
		return "UTC"
	}
	return "LOCAL"
}

func (n New) layout2(p Properties) {
	p[keyLayout] = "2"
	p[keyInitialVersion] = strconv.Itoa(n.Version)
	p[keyTimelinePath], p[keyHistoryPath] = "timeline", "history"
	if n.Version >= 9 {
		p[keyFormat] = "native"
	}
}

// merging states the payload class up to version 6, both class and mode in version 8, and the mode alone in version 9.
func (n New) merging(p Properties) {
	if n.Version < 8 {
		if n.Type == MergeOnRead || n.Payload != "" {
			p[keyPayload] = n.payload(OverwriteWithLatest)
		}
		if n.Type == MergeOnRead && n.Version == 6 {
			p[keyMergerStrategy] = StrategyEventTime
		}
		return
	}
	mode := n.mode()
	p[keyMergeMode] = string(mode)
	if n.Version == 8 {
		class := map[MergeMode]string{CommitTime: OverwriteWithLatest, EventTime: DefaultPayload}[mode]
		p[keyPayload] = n.payload(class)
		p[keyMergeStrategy] = map[MergeMode]string{CommitTime: StrategyCommitTime, EventTime: StrategyEventTime, Custom: StrategyPayload}[mode]
		return
	}
	if mode == Custom {
		p[keyMergeStrategy] = StrategyPayload
	}
	if n.Payload != "" {
		p[keyLegacyPayload] = n.Payload
	}
}

func (n New) payload(def string) string {
	if n.Payload != "" {
		return n.Payload
	}
	return def
}

func (n New) mode() MergeMode {
	switch {
	case n.MergeMode != "":
		return n.MergeMode
	case n.Payload == OverwriteWithLatest:
		return CommitTime
	case n.Payload == DefaultPayload, n.Payload == EventTimePayload:
		return EventTime
	case n.Payload != "":
		return Custom
	case len(n.Ordering) > 0:
		return EventTime
	}
	return CommitTime
}

// Create writes the properties of a new table. It is fs.ErrExist when there is one.
func Create(ctx context.Context, b storage.Bucket, p Properties) (*Table, error) {
	t, err := NewTable(p)
	if err != nil {
		return nil, err
	}
	if err := t.Writable(); err != nil {
		return nil, err
	}
	return t, write(ctx, b, File, storage.Exclusive, savedOn, p)
}
