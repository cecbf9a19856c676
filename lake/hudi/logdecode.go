package hudi

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/internal/hfile"
	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/keygen"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/types"
)

// part is the records of one block.
type part struct {
	rows      int
	columns   []arrow.Array // per column of the fold; nil where the block lacks it
	partial   bool          // what the block lacks keeps the older value
	keys      bool          // it is a block of deletions, which has no columns
	deletions []logfile.Deletion
	places    []int64 // per row: which row of the base file it stands for; nil: unknown
}

// place is the row of the base file that a row stands for.
func (p *part) place(row int) int64 {
	if p.places == nil {
		return unknown
	}
	return p.places[row]
}

// blockReader decodes blocks into the columns of a fold.
type blockReader struct {
	snapshot *Snapshot
	fields   []types.Field // of the table's schema
	schemas  map[string]*avro.Schema
}

func newBlockReader(s *Snapshot, fields []types.Field) *blockReader {
	return &blockReader{s, fields, map[string]*avro.Schema{}}
}

func (r *blockReader) read(b *logfile.Block) (*part, error) {
	if b.Type == logfile.DeleteKeys {
		d, err := b.Deletions()
		return &part{keys: true, rows: len(d), deletions: d}, err
	}
	stored := r.stored(b.Instant())
	var batch []arrow.Array
	var rows int
	var err error
	switch b.Type {
	case logfile.AvroData:
		batch, rows, err = r.avroRows(b, stored)
	case logfile.ParquetData:
		batch, rows, err = parquetRows(b, stored)
	case logfile.HFileData:
		batch, rows, err = r.hfileRows(b, stored)
	default:
		err = fmt.Errorf("%v block at byte %d cannot be merged", b.Type, b.Offset)
	}
	if err != nil {
		return nil, err
	}
	for i, c := range batch {
		batch[i] = retyped(c, types.Arrow(r.fields[i].Type))
	}
	return &part{rows: rows, columns: batch, partial: b.Partial()}, nil
}

// stored is the fields as the write at instant stored them.
func (r *blockReader) stored(instant string) []types.Field {
	out := append([]types.Field(nil), r.fields...)
	h := r.snapshot.history
	if h == nil {
		return out
	}
	if past, ok := h.at(instant); ok {
		for i := range out {
			out[i] = h.stored(out[i], past)
		}
	}
	return out
}

// retyped is a column under the names of another type: fields of its structs may have been renamed.
func retyped(a arrow.Array, t arrow.DataType) arrow.Array {
	if a == nil || arrow.TypeEqual(a.DataType(), t) {
		return a
	}
	return array.MakeFromData(retypedData(a.Data(), t))
}

func retypedData(d arrow.ArrayData, t arrow.DataType) arrow.ArrayData {
	children := make([]arrow.ArrayData, len(d.Children()))
	nested, _ := t.(arrow.NestedType)
	for i, c := range d.Children() {
		children[i] = c
		if nested != nil && i < nested.NumFields() {
			children[i] = retypedData(c, nested.Fields()[i].Type)
		}
	}
	return array.NewData(t, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}

// schema parses the schema in a block's header.
func (r *blockReader) schema(b *logfile.Block) (*avro.Schema, error) {
	text := b.Header.Get(logfile.Schema)
	if s := r.schemas[text]; s != nil {
		return s, nil
	}
	s, err := avro.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("block at byte %d: %w", b.Offset, err)
	}
	r.schemas[text] = s
	return s, nil
}

func (r *blockReader) avroRows(b *logfile.Block, stored []types.Field) ([]arrow.Array, int, error) {
	records, err := b.Records()
	if err != nil {
		return nil, 0, err
	}
	return r.decode(b, records, stored)
}

// decode lays Avro records of the block's schema into columns.
func (r *blockReader) decode(b *logfile.Block, records [][]byte, stored []types.Field) ([]arrow.Array, int, error) {
	schema, err := r.schema(b)
	if err != nil {
		return nil, 0, err
	}
	var want []types.Field
	var at []int
	for i, f := range stored {
		if schema.Has(f.Name) {
			want, at = append(want, f), append(at, i)
		}
	}
	d, err := avro.NewDecoder(schema, want)
	if err != nil {
		return nil, 0, fmt.Errorf("block at byte %d: %w", b.Offset, err)
	}
	d.Reserve(len(records))
	for _, record := range records {
		if err := d.Append(record); err != nil {
			return nil, 0, fmt.Errorf("block at byte %d: %w", b.Offset, err)
		}
	}
	out := make([]arrow.Array, len(stored))
	for i, c := range d.Batch().Columns() {
		out[at[i]] = c
	}
	return out, len(records), nil
}

// keys gives the record key of each row of a part.
type keys func(p *part, row int) (string, error)

// keyReader reads keys from the columns at, by name: the stored key, or the columns that keys are made of.
func (s *Snapshot) keyReader(at []int, names []string) keys {
	if s.config.MetaFields {
		return func(p *part, row int) (string, error) { return storedKey(p.columns[at[0]], row) }
	}
	prefixed := len(names) > 1 || s.prefixedKeys()
	return func(p *part, row int) (string, error) {
		texts := make([]string, len(at))
		for i, c := range at {
			text, err := keyText(p.columns[c], row)
			if err != nil {
				return "", fmt.Errorf("key column %s: %w", names[i], err)
			}
			if prefixed {
				text = names[i] + ":" + text
			}
			texts[i] = text
		}
		return strings.Join(texts, ","), nil
	}
}

// prefixedKeys reports whether a key of one column is spelled name:value.
func (s *Snapshot) prefixedKeys() bool {
	return s.config.KeyGenerator == config.GlobalDelete || s.config.KeyGenerator == config.Complex && keygen.PrefixedBy(s.config.Version)
}

func storedKey(a arrow.Array, row int) (string, error) {
	if c, ok := a.(*array.String); ok && !c.IsNull(row) {
		return c.Value(row), nil
	}
	return "", fmt.Errorf("row %d has no %s", row, recordKeyColumn)
}

// Words that stand in a key for values that are not there (§1.12).
const (
	nullKey  = "__null__"
	emptyKey = "__empty__"
)

// keyText is a value as keys spell it.
func keyText(a arrow.Array, row int) (string, error) {
	if a == nil || a.IsNull(row) {
		return nullKey, nil
	}
	switch a := a.(type) {
	case *array.String:
		return cmp.Or(a.Value(row), emptyKey), nil
	case *array.Int32:
		return strconv.FormatInt(int64(a.Value(row)), 10), nil
	case *array.Int64:
		return strconv.FormatInt(a.Value(row), 10), nil
	case *array.Boolean:
		return strconv.FormatBool(a.Value(row)), nil
	}
	return "", fmt.Errorf("values of the type %v in log files without stored keys are not supported", a.DataType())
}

// hfileRows reads a block that is an HFile of Avro records. Their key is that of the cell.
func (r *blockReader) hfileRows(b *logfile.Block, stored []types.Field) ([]arrow.Array, int, error) {
	f, err := hfile.Open(b.Content, b.Content.Size())
	if err != nil {
		return nil, 0, fmt.Errorf("block at byte %d: %w", b.Offset, err)
	}
	var records [][]byte
	keys := array.NewStringBuilder(memory.DefaultAllocator)
	it := f.All()
	for it.Next() {
		records = append(records, it.Value())
		keys.BinaryBuilder.Append(it.Key())
	}
	if err := it.Err(); err != nil {
		return nil, 0, fmt.Errorf("block at byte %d: %w", b.Offset, err)
	}
	out, n, err := r.decode(b, records, stored)
	if err != nil {
		return nil, 0, err
	}
	for i, field := range r.fields {
		if field.Name == recordKeyColumn {
			out[i] = keys.NewArray()
		}
	}
	return out, n, nil
}

// parquetRows reads a block that is a Parquet file.
func parquetRows(b *logfile.Block, stored []types.Field) ([]arrow.Array, int, error) {
	f, err := parquet.Open(b.Content, b.Content.Size(), parquet.Limits{})
	if err != nil {
		return nil, 0, fmt.Errorf("block at byte %d: %w", b.Offset, err)
	}
	out, err := f.Arrow(stored)
	if err != nil {
		return nil, 0, fmt.Errorf("block at byte %d: %w", b.Offset, err)
	}
	return out, int(f.Rows()), nil
}
