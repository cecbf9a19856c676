package hudi

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/lake/hudi/bloom"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// layout says how the rows of a table are stored in files.
type layout struct {
	meta      bool          // the meta columns are stored
	generated bool          // keys are numbers of rows
	own       []types.Field // the table's columns
	kept      []bool        // per column of own: whether files hold it
	avro      string        // schema of the files' records
	plain     string        // schema without the meta columns, as commits have it
	codec     string
	limit     int64 // bytes per base file
	small     int64 // base files below so many bytes take new rows

	bloomEntries, bloomMax int
	bloomRate              float64
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_]`)

// recordName is the Avro name of a table's rows, and its namespace.
func recordName(table string) (name, namespace string) {
	table = notInNames.ReplaceAllString(table, "_")
	return table + "_record", "hoodie." + table
}

// metaFields are the meta columns.
func metaFields() []types.Field {
	out := make([]types.Field, len(metaColumns))
	for i, name := range metaColumns {
		out[i] = types.Field{Name: name, Type: types.String, Nullable: true}
	}
	return out
}

// layoutOf finds the layout of the table as Define left it, under the options of the write.
func (x *tx) layoutOf() (*layout, error) {
	if x.layout != nil {
		return x.layout, nil
	}
	c, o := x.config(), x.options
	l := &layout{meta: c.MetaFields, own: ownColumns(x.view.schema).Fields, generated: len(c.RecordKey) == 0}
	l.limit = o.number("hoodie.parquet.max.file.size", maxFileSize)
	limit := int64(smallFileLimit)
	if x.merges() {
		limit = smallMergedLimit
	}
	l.small = o.number("hoodie.parquet.small.file.limit", limit)
	l.bloomEntries = int(min(o.number("hoodie.index.bloom.num_entries", bloom.DefaultEntries), 10_000_000))
	l.bloomMax = int(min(o.number("hoodie.bloom.index.filter.dynamic.max.entries", bloom.DefaultMaxEntries), 1<<30))
	l.bloomRate = bloom.DefaultRate
	if v := o.text("", "hoodie.index.bloom.fpp"); v != "" {
		rate, err := strconv.ParseFloat(v, 64)
		if err != nil || !(rate > 0 && rate < 1) {
			return nil, fmt.Errorf("hoodie.index.bloom.fpp=%s: a rate between 0 and 1 is expected", v)
		}
		l.bloomRate = rate
	}
	switch l.codec = strings.ToLower(o.text("snappy", "hoodie.parquet.compression.codec")); l.codec {
	case "snappy", "zstd", "gzip", "uncompressed":
	default:
		return nil, fmt.Errorf("hoodie.parquet.compression.codec=%s: snappy, zstd, gzip or uncompressed is expected", l.codec)
	}
	for _, f := range l.own {
		drop := c.DropPartitionColumns && slices.ContainsFunc(c.Partition, func(p config.PartitionField) bool { return strings.EqualFold(p.Name, f.Name) })
		l.kept = append(l.kept, !drop)
	}
	name, namespace := recordName(c.Name)
	var err error
	if l.plain, err = avro.Text(name, namespace, types.Struct{Fields: l.own}, spelling(c)); err != nil {
		return nil, err
	}
	if l.avro, err = avro.Text(name, namespace, types.Struct{Fields: l.fields()}, spelling(c)); err != nil {
		return nil, err
	}
	x.layout = l
	return l, o.err()
}

// spelling is how the schemas of a table are written.
func spelling(c *config.Table) avro.Spelling {
	if c.Version < 6 {
		return avro.SharedDecimals
	}
	return avro.NullFirst
}

// fields are the stored columns. The meta columns are there also where they hold nothing.
func (l *layout) fields() []types.Field {
	out := metaFields()
	for i, f := range l.own {
		if l.kept[i] {
			out = append(out, f)
		}
	}
	return out
}

// dest says to an engine how to store rows. Columns are the numbers of the stored ones, in order.
func (l *layout) dest(a *action, columns []rel.ID) engine.Dest {
	d := engine.Dest{Bucket: a.table.bucket, Physical: engine.Physical{V1: true, Codec: l.codec, FixedDecimals: true, Required: true}}
	for i, f := range l.fields() {
		c := engine.DestColumn{ID: columns[i], Field: f, Stats: scalar(f.Type)}
		switch {
		case !l.meta:
		case f.Name == fileNameColumn:
			c.Made, c.ID = engine.FileName, 0
		case f.Name == commitSeqnoColumn, l.generated && f.Name == recordKeyColumn:
			c.Made = engine.Sequence
		}
		d.Columns = append(d.Columns, c)
	}
	d.Sequence = a.sequence
	return d
}

// scalar reports whether ranges of values of type t are kept.
func scalar(t types.Type) bool {
	switch t.(type) {
	case types.Struct, types.Array, types.Map:
		return false
	}
	return t != types.Type(types.Binary) && t != types.Type(types.Variant)
}

// textsOf is a column of texts.
func textsOf(a arrow.Array) (*array.String, error) {
	if s, ok := a.(*array.String); ok {
		return s, nil
	}
	return nil, fmt.Errorf("the engine gave a column of type %s where texts were expected", a.DataType())
}
