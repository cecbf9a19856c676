package metadata

import (
	"context"
	"errors"
	"slices"
)

// ErrUnbounded says that the bounds of a partition cannot be known, because those of a file of it are not.
var ErrUnbounded = errors.New("a file has no bounds")

// partitionBounds adds the bounds of the partitions that get files: those of all files that are read there. Where they cannot be
// known, the bounds of all partitions are dropped: readers take a partition without them for one without rows.
func (w *Writer) partitionBounds(ctx context.Context, b batch, c *Changes) error {
	touched := map[string][]*NewFile{}
	for i := range c.Added {
		touched[c.Added[i].Partition] = append(touched[c.Added[i].Partition], &c.Added[i])
	}
	for _, p := range sortedKeys(touched) {
		err := w.boundPartition(ctx, b, c, p, touched[p])
		if errors.Is(err, ErrUnbounded) {
			delete(b, PartitionStatsPartition)
			return w.dropPartitions(ctx, PartitionStatsPartition)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) boundPartition(ctx context.Context, b batch, c *Changes, partition string, added []*NewFile) error {
	files := map[string]map[string]*Stats{} // by file and column
	columns := map[string]bool{}
	note := func(file string, s *Stats) {
		if files[file] == nil {
			files[file] = map[string]*Stats{}
		}
		files[file][s.Column] = s
		columns[s.Column] = true
	}
	live := c.Live(partition)
	var old []FileRef
	for _, name := range live {
		i := slices.IndexFunc(added, func(f *NewFile) bool { return f.Name == name })
		if i < 0 {
			old = append(old, FileRef{partition, name})
			continue
		}
		for _, s := range added[i].bounds(w.BoundsVersion()) {
			note(name, s)
		}
	}
	if len(old) > 0 {
		all, err := w.ColumnStats(ctx, w.boundedColumns(columns), old)
		if err != nil {
			return err
		}
		for _, byFile := range all {
			for f, s := range byFile {
				note(f.Name, s)
			}
		}
	}
	live, err := withRows(ctx, c, partition, live, files)
	if err != nil {
		return err
	}
	for _, column := range sortedKeys(columns) {
		s, err := boundColumn(column, live, files)
		if err != nil {
			return err
		}
		s.File, s.Column, s.Tight = keyOf(partition), column, true
		if partition != "" {
			s.File = partition
		}
		b.put(PartitionStatsPartition, &Record{Key: keyForStats(column, partition, ""), Kind: PartitionStats, Stats: s})
	}
	return nil
}

// withRows are the files but those that have no bounds because they have no rows: Hudi writes no bounds of such files.
func withRows(ctx context.Context, c *Changes, partition string, live []string, bounds map[string]map[string]*Stats) ([]string, error) {
	var out []string
	for _, name := range live {
		if len(bounds[name]) == 0 && c.Empty != nil {
			empty, err := c.Empty(ctx, FileRef{partition, name})
			if err != nil {
				return nil, err
			}
			if empty {
				continue
			}
		}
		out = append(out, name)
	}
	return out, nil
}

// boundedColumns are the columns of which there are bounds.
func (w *Writer) boundedColumns(seen map[string]bool) []string {
	if def := w.indexes[ColumnStatsPartition]; len(def.Sources) > 0 {
		return def.Sources
	}
	return sortedKeys(seen)
}

// boundColumn is the bounds of a column in several files. A file that has bounds of other columns only is from before the column
// came: it is NULL there.
func boundColumn(column string, live []string, files map[string]map[string]*Stats) (*Stats, error) {
	var out *Stats
	for _, name := range live {
		s := files[name][column]
		if s == nil {
			var rows *Stats
			for _, rows = range files[name] {
				break
			}
			if rows == nil {
				return nil, ErrUnbounded
			}
			s = &Stats{Values: rows.Values, Nulls: rows.Values}
		}
		one := *s
		one.Tight, one.Deleted = false, false
		if out == nil {
			out = &one
			continue
		}
		out = mergeStats(out, &one)
	}
	if out == nil || out.Min.Wrapper == NoValue && out.Values != out.Nulls {
		return nil, ErrUnbounded
	}
	return out, nil
}
