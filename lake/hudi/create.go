package hudi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/keygen"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/types"
)

// defaultVersion is the table version of new tables: Hudi from 0.14 on reads and writes it.
const defaultVersion = 6

// Create starts a transaction that makes the table that e.Meta describes, by the properties of CREATE TABLE (type, primaryKey,
// preCombineField) or the options of the datasource (hoodie.…).
func (f *Format) Create(ctx context.Context, e lake.Entry, x engine.Engine) (lake.Tx, error) {
	t := f.table(e)
	_, err := config.Load(ctx, e.Bucket)
	if err == nil {
		return nil, &lake.Error{Op: "create", Path: t.path, Err: fs.ErrExist, Hint: "the folder holds a Hudi table already"}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, t.fail("create", "", err)
	}
	o, err := stated(e.Meta)
	if err != nil {
		return nil, t.invalid("create", err)
	}
	warnings, err := o.heed()
	if err != nil {
		return nil, t.invalid("create", err)
	}
	p, err := t.properties(e.Meta, o)
	if err != nil {
		return nil, t.invalid("create", err)
	}
	if t.config, err = config.NewTable(p); err != nil {
		return nil, t.invalid("create", err)
	}
	s := &Snapshot{table: t, config: t.config, timeline: new(timeline.Timeline)}
	s.schema = s.withMeta(e.Meta.Schema)
	s.meta = s.describeMeta()
	s.meta.Description = e.Meta.Description
	b := &tx{table: t, engine: x, base: s, view: s, made: p, warnings: warnings, started: time.Now()}
	if g, err := keygen.New(b.keyConfig()); err == nil {
		if err := g.Check(e.Meta.Schema); err != nil {
			return nil, t.invalid("create", err)
		}
	}
	if _, err := b.global(); err != nil {
		return nil, t.invalid("create", err)
	}
	return b, nil
}

// stated are the properties of the table that m describes, over the defaults of the machine.
func stated(m *lake.Meta) (options, error) {
	for k := range m.Properties {
		if meant := misspelled(k); meant != "" {
			return options{}, fmt.Errorf("there is no property %s: %s is meant", k, meant)
		}
	}
	o := newOptions(m.Properties)
	var err error
	o.defaults, err = readDefaults()
	return o, err
}

// properties are those of the table that m describes and o states.
func (t *Table) properties(m *lake.Meta, o options) (config.Properties, error) {
	if len(ownColumns(m.Schema).Fields) == 0 {
		return nil, errors.New("a Hudi table needs a column")
	}
	var err error
	n := config.New{Version: int(o.number("hoodie.write.table.version", defaultVersion)), Name: t.nameOf(m, o), Extra: map[string]string{}}
	if v := o.all["hoodie.table.version"]; v != "" && o.all["hoodie.write.table.version"] == "" {
		n.Version, _ = strconv.Atoi(v)
	}
	n.Database = o.text("", "hoodie.database.name")
	if n.Type, err = typeOf(o.text("cow", "type", "hoodie.table.type", "hoodie.datasource.write.table.type")); err != nil {
		return nil, err
	}
	n.RecordKey = o.names("primarykey", "hoodie.table.recordkey.fields", "hoodie.datasource.write.recordkey.field")
	if v, set := o.all["hoodie.datasource.write.recordkey.field"]; set && v == "" {
		return nil, errors.New("hoodie.datasource.write.recordkey.field is empty: name the columns of the key, or leave the option out for keys that are made")
	}
	n.Ordering = o.names("precombinefield", "orderingfields", "hoodie.table.ordering.fields", "hoodie.table.precombine.field",
		"hoodie.datasource.write.precombine.field")
	n.HiveStyle = o.flag("hoodie.datasource.write.hive_style_partitioning", true)
	n.URLEncode = o.flag("hoodie.datasource.write.partitionpath.urlencode", false)
	n.DropPartition = o.flag("hoodie.datasource.write.drop.partition.columns", false)
	n.VirtualKeys = !o.flag("hoodie.populate.meta.fields", true)
	n.UTC = strings.EqualFold(o.text("", "hoodie.table.timeline.timezone"), "UTC")
	n.Payload = o.text("", "hoodie.compaction.payload.class", optPayload)
	n.MergeMode = config.MergeMode(strings.ToUpper(o.text("", "hoodie.record.merge.mode", "hoodie.write.record.merge.mode", "recordmergemode")))
	n.CDC = o.flag("hoodie.table.cdc.enabled", false)
	n.CDCMode = config.CDCMode(strings.ToUpper(o.text(string(config.DataBeforeAfter), "hoodie.table.cdc.supplemental.logging.mode")))
	if n.CDC && n.Version < 6 {
		return nil, fmt.Errorf("hoodie.table.cdc.enabled: tables record changes from version 6 on, not in version %d", n.Version)
	}
	if !n.CDCMode.Known() {
		return nil, fmt.Errorf("hoodie.table.cdc.supplemental.logging.mode=%s: OP_KEY_ONLY, DATA_BEFORE or DATA_BEFORE_AFTER is expected", n.CDCMode)
	}
	if err := partitionBy(&n, m, o); err != nil {
		return nil, err
	}
	if err := checkFields("primaryKey", m.Schema, n.RecordKey); err != nil {
		return nil, err
	}
	if err := checkFields("preCombineField", m.Schema, n.Ordering); err != nil {
		return nil, err
	}
	maps.Copy(n.Extra, keygen.TimeSettings(o.all))
	maps.Copy(n.Extra, keptSettings(o.all))
	kept, err := foldingProperties(o, ownColumns(m.Schema).Fields, placingColumns(n.RecordKey, n.Ordering, n.Partition))
	if err != nil {
		return nil, err
	}
	if kept != nil {
		if err := unfolded(&n); err != nil {
			return nil, err
		}
		maps.Copy(n.Extra, kept)
	}
	name, namespace := recordName(n.Name)
	own := ownColumns(m.Schema)
	if n.CreateSchema, err = avro.Text(name, namespace, own, avro.NullLast); err != nil {
		return nil, err
	}
	if err := o.err(); err != nil {
		return nil, err
	}
	made, err := n.Properties()
	if err != nil || n.Version < 9 || !mapped(n.Payload) {
		return made, err
	}
	c, err := config.NewTable(made)
	if err != nil {
		return nil, err
	}
	mergeModeOnly(made, c)
	return made, nil
}

// keptPrefix begins the properties in which a table keeps options for its writers. Hudi keeps these in a catalog, and refuses writers
// whose options differ from a property of the same name.
const keptPrefix = "tarn.write."

// writerPrefixes begin the names of settings of writers that stay with a table.
var writerPrefixes = []string{"hoodie.archive.", "hoodie.bloom.", "hoodie.bucket.", "hoodie.clean.", "hoodie.cleaner.", "hoodie.clustering.",
	"hoodie.combine.before.", "hoodie.compact.", "hoodie.compaction.", "hoodie.global.", "hoodie.index.", "hoodie.keep.", "hoodie.metadata.",
	"hoodie.parquet.", "hoodie.record.index.", "hoodie.simple.index.", "hoodie.storage.layout.", "hoodie.write.concurrency.", "hoodie.write.lock."}

// isWriterSetting reports whether an option, in lower case, is a setting of writers.
func isWriterSetting(k string) bool {
	return k != "hoodie.compaction.payload.class" && slices.ContainsFunc(writerPrefixes, func(p string) bool { return strings.HasPrefix(k, p) })
}

// keptSettings are the properties that keep settings of writers.
func keptSettings(given map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range given {
		if isWriterSetting(k) {
			out[keptPrefix+k] = v
		}
	}
	return out
}

// WriterSettings are the settings of writers among the properties of a table, as kept or under their own names, in lower case.
func WriterSettings(properties map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range properties {
		if k = strings.ToLower(k); isWriterSetting(k) && out[k] == "" {
			out[k] = v
		} else if own, ok := strings.CutPrefix(k, keptPrefix); ok {
			out[own] = v
		}
	}
	return out
}

// kept is an option that the table keeps for its writers, "" for none.
func kept(c *config.Table, option string) string {
	return cmp.Or(c.Properties[keptPrefix+option], c.Properties[option])
}

// nameOf is the name of a new table: what CREATE TABLE or the options call it, else its folder.
func (t *Table) nameOf(m *lake.Meta, o options) string {
	if name := o.text(m.Name, "hoodie.table.name", "hoodie.datasource.write.table.name"); name != "" {
		return name
	}
	return path.Base(strings.TrimSuffix(t.path, "/"))
}

func typeOf(word string) (config.Type, error) {
	switch strings.ToLower(word) {
	case "cow", "copy_on_write":
		return config.CopyOnWrite, nil
	case "mor", "merge_on_read":
		return config.MergeOnRead, nil
	}
	return "", fmt.Errorf("type=%s: a Hudi table is cow or mor", word)
}

// checkFields looks for the columns that a property names.
func checkFields(property string, s types.Struct, names []string) error {
	for _, name := range names {
		first, _, _ := strings.Cut(name, ".")
		if s.Index(name) < 0 && s.Index(first) < 0 {
			var have []string
			for _, f := range ownColumns(s).Fields {
				have = append(have, f.Name)
			}
			return fmt.Errorf("%s names %s, which is not one of the columns %s", property, name, strings.Join(have, ", "))
		}
	}
	return nil
}

// shaping are the properties of CREATE TABLE and the options of the datasource that say how rows are told apart and stored.
var shaping = []string{"primaryKey", "preCombineField", "orderingFields", "hoodie.datasource.write.recordkey.field", "hoodie.datasource.write.precombine.field",
	"hoodie.datasource.write.partitionpath.field", "hoodie.datasource.write.table.type"}

// misspelled is the property of shaping that was meant by one that differs from it only in case, separators or a plural; else "".
// Hudi passes over such a property, and the table has no key then.
func misspelled(property string) string {
	squeeze := func(s string) string {
		return strings.TrimSuffix(strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(s)), "s")
	}
	for _, known := range shaping {
		if squeeze(property) == squeeze(known) && !strings.EqualFold(property, known) {
			return known
		}
	}
	return ""
}

// partitionBy takes the partition fields of CREATE TABLE or of the options, and the key generator.
func partitionBy(n *config.New, m *lake.Meta, o options) error {
	given := splitNames(o.text("", "hoodie.datasource.write.partitionpath.field", "hoodie.table.partition.fields"))
	typed := len(given) > 0
	if !typed {
		given = m.Partition
	}
	for _, f := range given {
		name, kind, _ := strings.Cut(f, ":")
		n.Partition = append(n.Partition, config.PartitionField{Name: strings.TrimSpace(name), Kind: strings.ToUpper(strings.TrimSpace(kind))})
	}
	names := make([]string, len(n.Partition))
	for i, f := range n.Partition {
		names[i] = f.Name
	}
	if len(m.Partition) > 0 && !slices.EqualFunc(m.Partition, names, strings.EqualFold) {
		return fmt.Errorf("the table is partitioned by %s, but hoodie.datasource.write.partitionpath.field names %s", strings.Join(m.Partition, ", "), strings.Join(names, ", "))
	}
	if err := checkFields("the partitioning", m.Schema, names); err != nil {
		return err
	}
	kind := strings.ToUpper(o.text("", "hoodie.table.keygenerator.type", "hoodie.datasource.write.keygenerator.type"))
	if class := o.text("", "hoodie.table.keygenerator.class", "hoodie.datasource.write.keygenerator.class"); class != "" && kind == "" {
		if kind = keygen.TypeOf(class); kind == "" {
			return fmt.Errorf("the key generator %s is not one of Hudi's", class)
		}
	}
	if kind != "" && keygen.ClassOf(kind) == "" {
		return fmt.Errorf("the key generator type %s is not known", kind)
	}
	if kind == keygen.Simple && len(n.RecordKey) > 1 {
		return fmt.Errorf("a key generator of type %s needs one field of the record key, not %d: COMPLEX takes several", kind, len(n.RecordKey))
	}
	for i := range n.Partition {
		if kind == keygen.Custom && !typed { // as Hudi reads PARTITIONED BY
			n.Partition[i].Kind = keygen.Simple
		}
	}
	n.KeyGenerator = config.KeyGenerator(kind)
	return nil
}

// make writes the properties of a table to be made: from then on it is there, without rows.
func (x *tx) make(ctx context.Context) error {
	if x.made == nil || x.exists {
		return nil
	}
	c, err := config.Create(ctx, x.table.bucket, x.made)
	if err != nil {
		return err
	}
	x.table.config, x.view.config, x.base.config, x.exists = c, c, c, true
	line, err := x.table.timeline(ctx)
	x.base.timeline, x.view.timeline = line, line
	return err
}
