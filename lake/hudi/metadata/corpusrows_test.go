package metadata

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// columns are the values of the plain columns of a base file, NULLs left out, as Spark has them.
func columns(t *testing.T, b storage.Bucket, name string) (out map[string][]types.Value, nulls map[string]int64, kinds map[string]types.Type) {
	t.Helper()
	data, err := storage.ReadFile(context.Background(), b, name, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	file, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out, nulls, kinds = map[string][]types.Value{}, map[string]int64{}, map[string]types.Type{}
	for _, path := range file.Schema().Columns() {
		leaf, _ := file.Schema().Lookup(path...)
		kind, read := plain(leaf.Node)
		if len(path) != 1 || kind == nil {
			continue
		}
		kinds[path[0]], out[path[0]] = kind, []types.Value{}
		for _, g := range file.RowGroups() {
			each := func(v pq.Value) {
				if v.IsNull() {
					nulls[path[0]]++
					return
				}
				out[path[0]] = append(out[path[0]], read(v))
			}
			eachValue(t, g.ColumnChunks()[leaf.ColumnIndex], each)
		}
	}
	return out, nulls, kinds
}

func eachValue(t *testing.T, c pq.ColumnChunk, visit func(pq.Value)) {
	t.Helper()
	pages := c.Pages()
	defer pages.Close()
	for {
		p, err := pages.ReadPage()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		values := make([]pq.Value, p.NumValues())
		if _, err := p.Values().ReadValues(values); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		for _, v := range values {
			visit(v.Clone())
		}
	}
}

// plain is the type of a column and how its values are read; nil of types that are not compared.
func plain(n pq.Node) (types.Type, func(pq.Value) types.Value) {
	if !n.Leaf() {
		return nil, nil
	}
	if l := n.Type().LogicalType(); l != nil {
		switch l := l.Value.(type) {
		case *format.StringType:
			return types.String, func(v pq.Value) types.Value { return string(v.ByteArray()) }
		case *format.DateType:
			return types.Date, func(v pq.Value) types.Value { return v.Int32() }
		case *format.TimestampType:
			if _, ok := l.Unit.Value.(*format.MicroSeconds); ok {
				return types.Timestamp, func(v pq.Value) types.Value { return v.Int64() }
			}
		case *format.DecimalType:
			d := types.Decimal{P: int(l.Precision), S: int(l.Scale)}
			if n.Type().Kind() == pq.FixedLenByteArray {
				return d, func(v pq.Value) types.Value {
					x, _ := Value{Wrapper: BytesWrapper, Bytes: string(v.ByteArray())}.As(d, ValueType{typeDecimal, decimalText(d)})
					return x
				}
			}
		}
		return nil, nil
	}
	switch n.Type().Kind() {
	case pq.Boolean:
		return types.Boolean, func(v pq.Value) types.Value { return v.Boolean() }
	case pq.Int32:
		return types.Int, func(v pq.Value) types.Value { return int64(v.Int32()) }
	case pq.Int64:
		return types.Long, func(v pq.Value) types.Value { return v.Int64() }
	case pq.Float:
		return types.Float, func(v pq.Value) types.Value { return v.Float() }
	case pq.Double:
		return types.Double, func(v pq.Value) types.Value { return v.Double() }
	}
	return nil, nil
}

func compareValues(a, b types.Value) int {
	switch a := a.(type) {
	case bool:
		return map[bool]int{true: 1}[a] - map[bool]int{true: 1}[b.(bool)]
	case int64:
		return cmp.Compare(a, b.(int64))
	case int32:
		return cmp.Compare(a, b.(int32))
	case float32:
		return cmp.Compare(a, b.(float32))
	case float64:
		return cmp.Compare(a, b.(float64))
	case decimal128.Num:
		return a.Cmp(b.(decimal128.Num))
	}
	return strings.Compare(a.(string), b.(string))
}

// baseFiles are the files of rows that the metadata table lists.
func baseFiles(t *testing.T, m *Table) (out []FileRef) {
	t.Helper()
	partitions, err := m.Partitions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	files, err := m.Files(context.Background(), partitions...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range partitions {
		for _, name := range sortedKeys(files[p]) {
			if strings.HasSuffix(name, ".parquet") {
				out = append(out, FileRef{p, name})
			}
		}
	}
	return out
}

func pathOf(f FileRef) string { return strings.TrimPrefix(f.Partition+"/"+f.Name, "/") }

// TestColumnStatsBoundTheFiles compares bounds and counts with the values of the files.
func TestColumnStatsBoundTheFiles(t *testing.T) {
	checked := 0
	withMetadata(t, func(t *testing.T, b *storage.Mem, c *config.Table, m *Table) {
		if !m.Has(ColumnStatsPartition) {
			return
		}
		for _, f := range baseFiles(t, m) {
			values, nulls, kinds := columns(t, b, pathOf(f))
			all, err := m.ColumnStats(context.Background(), sortedKeys(values), []FileRef{f})
			if err != nil {
				t.Fatal(err)
			}
			for column, list := range values {
				s := all[column][f]
				if s == nil {
					continue
				}
				checked++
				if s.Values != int64(len(list))+nulls[column] || s.Nulls != nulls[column] {
					t.Errorf("%s %s: %d values, %d nulls; stats say %d and %d", f, column, len(list), nulls[column], s.Values, s.Nulls)
				}
				if len(list) == 0 {
					continue
				}
				low, ok := s.Min.As(kinds[column], s.Type)
				high, ok2 := s.Max.As(kinds[column], s.Type)
				if !ok || !ok2 {
					t.Errorf("%s %s: bounds %v and %v are none of %v", f, column, s.Min, s.Max, kinds[column])
				} else if compareValues(slices.MinFunc(list, compareValues), low) != 0 || compareValues(slices.MaxFunc(list, compareValues), high) != 0 {
					t.Errorf("%s %s: bounds %v and %v do not fit %v", f, column, low, high, list)
				}
			}
		}
	})
	t.Logf("%d columns of files", checked)
}

// current are the base files of the newest slices of a table, without replaced file groups, by file id.
func current(t *testing.T, b storage.Bucket, m *Table) map[string]FileRef {
	t.Helper()
	replaced := map[string]bool{}
	for _, i := range m.data.Completed(timeline.ReplaceCommit) {
		meta, err := m.data.ReadCommit(context.Background(), i)
		if err != nil {
			t.Fatal(err)
		}
		for _, ids := range meta.PartitionToReplaceFileIDs {
			for _, id := range ids {
				replaced[id] = true
			}
		}
	}
	out := map[string]FileRef{}
	for _, f := range baseFiles(t, m) {
		parts := strings.Split(f.Name, "_")
		if old, ok := out[parts[0]]; !replaced[parts[0]] && (!ok || strings.Split(old.Name, "_")[2] < parts[2]) {
			out[parts[0]] = f
		}
	}
	return out
}

func TestRecordIndexKnowsAllKeys(t *testing.T) {
	withMetadata(t, func(t *testing.T, b *storage.Mem, c *config.Table, m *Table) {
		if !m.Has(RecordIndexPartition) {
			return
		}
		files := current(t, b, m)
		want := map[string][]FileRef{} // a table of inserts may hold a key twice, of which the index knows one
		for _, f := range files {
			values, _, _ := columns(t, b, pathOf(f))
			for _, k := range values["_hoodie_record_key"] {
				want[k.(string)] = append(want[k.(string)], f)
			}
		}
		got := map[string]Location{}
		if err := m.scan(context.Background(), RecordIndexPartition, "", func(r *Record) error { got[r.Key] = *r.Location; return nil }); err != nil {
			t.Fatal(err)
		}
		looked, err := m.Locate(context.Background(), append(sortedKeys(got), "no such key"))
		if err != nil {
			t.Fatal(err)
		}
		if len(looked) != len(got) || len(got) == 0 {
			t.Errorf("%d keys are found, %d there", len(looked), len(got))
		}
		for k, l := range got {
			if looked[k] != l {
				t.Errorf("%s: found at %v, is at %v", k, looked[k], l)
			}
			f, ok := files[l.FileID]
			if !ok || f.Partition != l.Partition {
				t.Errorf("%s: %v is no file group", k, l)
			}
			if c.Type == config.CopyOnWrite && !slices.Contains(want[k], f) {
				t.Errorf("%s: index says %v, the row is in %v", k, l, want[k])
			}
			if instant, err := timeline.ParseTime(strings.Split(f.Name, "_")[2][:17], nil); err != nil || l.Instant <= 0 {
				t.Errorf("%s: instant %d, %v %v", k, l.Instant, instant, err)
			}
		}
		if c.Type == config.CopyOnWrite && len(want) != len(got) {
			t.Errorf("%d rows, %d keys in the index", len(want), len(got))
		}
	})
}

func TestFiltersAreThoseOfTheFooters(t *testing.T) {
	withMetadata(t, func(t *testing.T, b *storage.Mem, c *config.Table, m *Table) {
		if !m.Has(BloomFiltersPartition) {
			return
		}
		files := baseFiles(t, m)
		filters, err := m.Filters(context.Background(), files)
		if err != nil {
			t.Fatal(err)
		}
		if len(filters) != len(files) {
			t.Errorf("%d filters of %d files", len(filters), len(files))
		}
		for f, filter := range filters {
			values, _, _ := columns(t, b, pathOf(f))
			for _, k := range values["_hoodie_record_key"] {
				if !filter.Contains([]byte(k.(string))) {
					t.Errorf("%s is missing from the filter of %v", k, f)
				}
			}
		}
	})
}

func TestSecondaryIndex(t *testing.T) {
	withMetadata(t, func(t *testing.T, b *storage.Mem, c *config.Table, m *Table) {
		for _, p := range m.partitions {
			if !strings.HasPrefix(p, SecondaryPrefix) {
				continue
			}
			column := m.indexes[p].Sources[0]
			for _, f := range current(t, b, m) {
				values, _, kinds := columns(t, b, pathOf(f))
				if kinds[column] != types.String || c.Type != config.CopyOnWrite {
					continue
				}
				for i, v := range values[column] {
					if len(values[column]) != len(values["_hoodie_record_key"]) {
						break // has NULLs
					}
					text, key := v.(string), values["_hoodie_record_key"][i].(string)
					got, err := m.KeysWith(context.Background(), p, &text)
					if err != nil || !slices.Contains(got, key) {
						t.Errorf("%s: keys with %q are %q, %v; not %q", p, text, got, err, key)
					}
				}
			}
		}
	})
}

func TestDamageIsFound(t *testing.T) {
	ctx := context.Background()
	withMetadata(t, func(t *testing.T, b *storage.Mem, c *config.Table, m *Table) {
		groups, err := m.groups(ctx, FilesPartition)
		if err != nil {
			t.Fatal(err)
		}
		if len(groups[0].logs) == 0 {
			t.Skip("no logs")
		}
		name := Dir + "/" + groups[0].logs[len(groups[0].logs)-1].path
		whole, err := storage.ReadFile(ctx, b, name, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, len(whole) / 2, len(whole) - 1} {
			if err := storage.WriteFile(ctx, b, name, storage.Replace, whole[:n]); err != nil {
				t.Fatal(err)
			}
			_, m := open(t, b)
			_, err := m.Partitions(ctx)
			var stale *StaleError
			if !errors.As(err, &stale) {
				t.Errorf("%d of %d bytes of a log: %v", n, len(whole), err)
			}
		}
	})
}
