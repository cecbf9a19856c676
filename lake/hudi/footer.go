package hudi

import (
	"bytes"
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/lake/hudi/bloom"
)

// The entries of a base file's footer (§1.5).
const (
	footerSchema = "parquet.avro.schema"
	footerModel  = "writer.model.name"
	footerSpark  = "org.apache.spark.version" // with it Spark takes ancient dates as they are
	footerBloom  = "org.apache.hudi.bloomfilter"
	footerKind   = "hoodie_bloom_filter_type_code"
	footerMin    = "hoodie_min_record_key"
	footerMax    = "hoodie_max_record_key"
)

// footer are the entries in the footer of a base file.
func (t *Table) footer(ctx context.Context, path string) (map[string]string, error) {
	entries, _, err := t.footerAndRows(ctx, path)
	return entries, err
}

// footerAndRows are the entries in the footer of a base file, and how many rows it declares.
func (t *Table) footerAndRows(ctx context.Context, path string) (map[string]string, int64, error) {
	f, err := t.bucket.Open(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	return parquet.Entries(f, info.Size, parquet.Limits{})
}

// keyIndex is what a base file's footer says of its keys. It watches the rows of a new base file. The rows that are written again
// need not be looked at when it starts from the index of the file that they come from.
type keyIndex struct {
	schema   string
	instant  string // rows of this commit are new
	plain    bool   // the file has no keys
	reuse    bool   // rows of other commits are in the index already
	filter   *bloom.Filter
	min, max []byte
	any      bool
}

// newKeyIndex is the index of a file whose keys are all to be looked at.
func newKeyIndex(l *layout, instant string) *keyIndex {
	k := &keyIndex{schema: l.avro, instant: instant, plain: !l.meta}
	if l.meta {
		k.filter = bloom.New(l.bloomEntries, l.bloomRate, l.bloomMax)
	}
	return k
}

// from starts with the index of a former file of the group. It may hold keys that were deleted: filters and ranges only say where a
// key cannot be.
func (k *keyIndex) from(footer map[string]string) {
	filter, err := bloom.Parse(footer[footerKind], footer[footerBloom])
	min, hasMin := footer[footerMin]
	max, hasMax := footer[footerMax]
	if err != nil || footer[footerBloom] == "" || !hasMin || !hasMax || k.plain {
		return
	}
	k.filter, k.min, k.max, k.any, k.reuse = filter, []byte(min), []byte(max), true, true
}

// Positions of meta columns among the stored ones.
const (
	storedCommitTime = 0
	storedRecordKey  = 2
)

// Rows takes in the keys of rows.
func (k *keyIndex) Rows(columns []arrow.Array) error {
	if k.plain {
		return nil
	}
	keys, err := textsOf(columns[storedRecordKey])
	if err != nil {
		return err
	}
	if !k.reuse {
		k.all(keys)
		return nil
	}
	times, err := textsOf(columns[storedCommitTime])
	if err != nil {
		return err
	}
	for i := range keys.Len() {
		if times.Value(i) != k.instant {
			continue
		}
		key := []byte(keys.Value(i))
		k.extend(key)
		if !k.filter.Contains(key) { // keys of changed rows are there
			k.filter.Add(key)
		}
	}
	return nil
}

// all takes in all keys of a batch.
func (k *keyIndex) all(keys *array.String) {
	if keys.Len() == 0 {
		return
	}
	k.filter.AddStrings(keys.ValueBytes(), relative(keys))
	low, high := 0, 0
	for i := 1; i < keys.Len(); i++ {
		if keys.Value(i) < keys.Value(low) {
			low = i
		}
		if keys.Value(i) > keys.Value(high) {
			high = i
		}
	}
	k.extend([]byte(keys.Value(low)))
	k.extend([]byte(keys.Value(high)))
}

// relative are the offsets of the values of a in a.ValueBytes.
func relative(a *array.String) []int32 {
	offsets := a.ValueOffsets()
	if len(offsets) == 0 || offsets[0] == 0 {
		return offsets
	}
	out := make([]int32, len(offsets))
	for i, o := range offsets {
		out[i] = o - offsets[0]
	}
	return out
}

func (k *keyIndex) extend(key []byte) {
	if !k.any || bytes.Compare(key, k.min) < 0 {
		k.min = bytes.Clone(key)
	}
	if !k.any || bytes.Compare(key, k.max) > 0 {
		k.max = bytes.Clone(key)
	}
	k.any = true
}

// Footer gives the entries of the file's footer.
func (k *keyIndex) Footer() (map[string]string, error) {
	out := map[string]string{footerSchema: k.schema, footerModel: "avro", footerSpark: "3.5.0"}
	if k.plain {
		return out, nil
	}
	out[footerKind], out[footerBloom] = k.filter.Kind(), k.filter.Text()
	if k.any {
		out[footerMin], out[footerMax] = string(k.min), string(k.max)
	}
	return out, nil
}
