package metadata

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/bloom"
)

// FileRef names a file of the table.
type FileRef struct{ Partition, Name string }

// Partitions are the partitions of the table, "" for that of a table that has none.
func (t *Table) Partitions(ctx context.Context) ([]string, error) {
	var out []string
	err := t.lookup(ctx, FilesPartition, []string{allPartitions}, func(r *Record) error {
		for key, f := range r.Files {
			if !f.Deleted {
				out = append(out, partitionOf(key))
			}
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

// Files are the sizes of the files of partitions, by name. Partitions without files have no entry.
func (t *Table) Files(ctx context.Context, partitions ...string) (map[string]map[string]int64, error) {
	keys := make([]string, len(partitions))
	for i, p := range partitions {
		keys[i] = keyOf(p)
	}
	out := map[string]map[string]int64{}
	err := t.lookup(ctx, FilesPartition, keys, func(r *Record) error {
		files := map[string]int64{}
		for name, f := range r.Files {
			if !f.Deleted {
				files[name] = f.Size
			}
		}
		if len(files) > 0 {
			out[partitionOf(r.Key)] = files
		}
		return nil
	})
	return out, err
}

// Records visits the records of a partition of the metadata table, without those that are gone.
func (t *Table) Records(ctx context.Context, partition string, visit func(*Record) error) error {
	return t.scan(ctx, partition, "", visit)
}

// ColumnStats are the bounds of columns in files, by column, as far as they are known. Columns of other columns are joined to
// them by '.'.
func (t *Table) ColumnStats(ctx context.Context, columns []string, files []FileRef) (map[string]map[FileRef]*Stats, error) {
	return t.stats(ctx, ColumnStatsPartition, columns, files)
}

// stats are the bounds that a partition of the metadata table keeps. In that of whole partitions the Name of the FileRefs is "".
func (t *Table) stats(ctx context.Context, partition string, columns []string, files []FileRef) (map[string]map[FileRef]*Stats, error) {
	type place struct {
		column string
		file   FileRef
	}
	places := make(map[string]place, len(columns)*len(files))
	keys := make([]string, 0, len(columns)*len(files))
	for _, c := range columns {
		for _, f := range files {
			k := keyForStats(c, f.Partition, f.Name)
			places[k] = place{c, f}
			keys = append(keys, k)
		}
	}
	out := map[string]map[FileRef]*Stats{}
	err := t.lookup(ctx, partition, keys, func(r *Record) error {
		p := places[r.Key]
		if r.Stats == nil {
			return nil
		}
		if out[p.column] == nil {
			out[p.column] = map[FileRef]*Stats{}
		}
		out[p.column][p.file] = r.Stats
		return nil
	})
	return out, err
}

// PartitionStats are the bounds of columns in whole partitions, by column, as far as they are known. The Name of their FileRefs is "".
func (t *Table) PartitionStats(ctx context.Context, columns, partitions []string) (map[string]map[FileRef]*Stats, error) {
	refs := make([]FileRef, len(partitions))
	for i, p := range partitions {
		refs[i].Partition = p
	}
	return t.stats(ctx, PartitionStatsPartition, columns, refs)
}

// ExpressionIndex is the index of the bounds of a function of a column, such as lower, if there is one that has no other arguments.
func (t *Table) ExpressionIndex(function, column string) (index string, ok bool) {
	for _, p := range t.partitions {
		def := t.indexes[p]
		if strings.HasPrefix(p, ExpressionPrefix) && def.Type == ColumnStatsPartition && def.Function == function &&
			len(def.Sources) == 1 && def.Sources[0] == column && bare(def.Options) {
			return p, true
		}
	}
	return "", false
}

// bare reports whether the options of an index name its function alone.
func bare(options map[string]string) bool {
	for name, value := range options {
		if name != "expr" && value != "" {
			return false
		}
	}
	return true
}

// ExpressionStats are the bounds of an index of an expression in files, as far as they are known.
func (t *Table) ExpressionStats(ctx context.Context, index, column string, files []FileRef) (map[FileRef]*Stats, error) {
	if !strings.HasPrefix(index, ExpressionPrefix) {
		return nil, fmt.Errorf("index %s: %w", index, ErrNone)
	}
	stats, err := t.stats(ctx, index, []string{column}, files)
	return stats[column], err
}

// Filters are the Bloom filters of base files, as far as there are any.
func (t *Table) Filters(ctx context.Context, files []FileRef) (map[FileRef]*bloom.Filter, error) {
	places := make(map[string]FileRef, len(files))
	for _, f := range files {
		places[keyForBloom(f.Partition, f.Name)] = f
	}
	out := map[FileRef]*bloom.Filter{}
	err := t.lookup(ctx, BloomFiltersPartition, sortedKeys(places), func(r *Record) error {
		if r.Bloom == nil {
			return nil
		}
		f, err := bloom.Parse(r.Bloom.Kind, string(r.Bloom.Filter))
		if err != nil {
			return &StaleError{Path: BloomFiltersPartition, Reason: "a filter cannot be read", Err: err}
		}
		out[places[r.Key]] = f
		return nil
	})
	return out, err
}

// Locate says where the rows of keys are. Keys that no row has are left out. It is [ErrNone] where the index is kept by partition of
// the table, in which a key may have several rows.
func (t *Table) Locate(ctx context.Context, keys []string) (map[string]Location, error) {
	if t.indexes[RecordIndexPartition].Options["isPartitioned"] == "true" {
		return nil, fmt.Errorf("a record index of each partition: %w", ErrNone)
	}
	out := make(map[string]Location, len(keys))
	err := t.lookup(ctx, RecordIndexPartition, slices.Clone(keys), func(r *Record) error {
		if r.Location != nil {
			out[r.Key] = *r.Location
		}
		return nil
	})
	return out, err
}

// SecondaryIndex is the secondary index of a column, if there is one.
func (t *Table) SecondaryIndex(column string) (index string, ok bool) {
	for _, p := range t.partitions {
		if def := t.indexes[p]; strings.HasPrefix(p, SecondaryPrefix) && len(def.Sources) == 1 && def.Sources[0] == column {
			return p, true
		}
	}
	return "", false
}

// KeysWith are the keys of the rows in which the column of a secondary index has a value; nil is NULL.
func (t *Table) KeysWith(ctx context.Context, index string, value *string) ([]string, error) {
	if !strings.HasPrefix(index, SecondaryPrefix) {
		return nil, fmt.Errorf("index %s: %w", index, ErrNone)
	}
	var out []string
	err := t.scan(ctx, index, secondaryKey(value, ""), func(r *Record) error {
		v, key, ok := splitSecondaryKey(r.Key)
		if !ok {
			return &StaleError{Path: index, Reason: fmt.Sprintf("%q is no key of a secondary index", r.Key)}
		}
		if (v == nil) == (value == nil) && (v == nil || *v == *value) {
			out = append(out, key)
		}
		return nil
	})
	return out, err
}
