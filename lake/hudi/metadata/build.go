package metadata

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// A partition is added to a metadata table that is there already in these steps:
//
//	properties: inflight ─▶ definition ─▶ file groups ─▶ deltacommit ─▶ properties: ready, no more inflight
//
// Nobody reads a partition that is not ready. What is left of one that was not built to its end, Discard removes.

// Addition is a partition that a metadata table gets.
type Addition struct {
	Partition string
	Index     *Index  // its definition, of table version 8 on; nil where Hudi has none
	Shards    int     // file groups; 0: as many as Hudi makes
	Present   Changes // what the table has already
}

// Build adds a partition with what the table has already. It is fs.ErrExist when there is one.
func (w *Writer) Build(ctx context.Context, a Addition) error {
	if w.Has(a.Partition) {
		return fmt.Errorf("add %s to the metadata table: %w", a.Partition, fs.ErrExist)
	}
	if err := w.Discard(ctx, a.Partition); err != nil {
		return err
	}
	c, err := config.Update(ctx, w.table, func(p config.Properties) {
		p[keyInflight] = strings.Join(append(slices.Clone(w.conf.MetadataInflight), a.Partition), ",")
		if a.Index != nil {
			p[keyIndexDefs] = cmp.Or(w.conf.IndexDefs, indexFile)
		}
	})
	if err != nil {
		return err
	}
	w.conf = c
	if a.Index != nil {
		defined := maps.Clone(w.indexes)
		if defined == nil {
			defined = Indexes{}
		}
		defined[a.Partition] = *a.Index
		if err := writeIndexes(ctx, w.table, c.IndexDefs, defined); err != nil {
			return err
		}
		w.indexes = defined
	}
	return w.createPartition(ctx, a.Partition, w.freeInit(), New{Shards: map[string]int{a.Partition: a.Shards}, Present: a.Present})
}

// freeInit is an instant for making a partition that no other has had.
func (w *Writer) freeInit() string {
	for n := len(w.partitions); ; n++ {
		at := initInstant(w.version, n)
		if _, taken := w.timeline.Find(at); !taken && !w.timeline.Archived(at) {
			return at
		}
	}
}

// Discard takes out partitions, ready or not: their files last.
func (w *Writer) Discard(ctx context.Context, partitions ...string) error {
	gone := func(p string) bool { return slices.Contains(partitions, p) }
	if slices.ContainsFunc(w.conf.MetadataInflight, gone) {
		c, err := config.Update(ctx, w.table, func(p config.Properties) {
			p[keyInflight] = strings.Join(slices.DeleteFunc(slices.Clone(w.conf.MetadataInflight), gone), ",")
		})
		if err != nil {
			return err
		}
		w.conf = c
	}
	if err := w.dropPartitions(ctx, partitions...); err != nil {
		return err
	}
	for _, i := range w.timeline.Pending(timeline.DeltaCommit) {
		if strings.HasPrefix(i.Time, initPrefix) && !w.unfinished(i) {
			if err := w.timeline.Remove(ctx, i); err != nil {
				return err
			}
		}
	}
	return w.reload(ctx)
}

// groupsFor is the number of file groups that Hudi makes for a partition.
func groupsFor(partition string) int {
	switch {
	case strings.HasPrefix(partition, SecondaryPrefix):
		return groupsOf[RecordIndexPartition]
	case strings.HasPrefix(partition, ExpressionPrefix):
		return groupsOf[ColumnStatsPartition]
	}
	return groupsOf[partition]
}

// fill writes the base files of a new partition of keys. The keys come in the order of all, so those of each file group come in order too.
func (w *Writer) fill(ctx context.Context, partition, instant string, groups []*slice, cells func(yield func(cell, error) bool)) (stats []timeline.WriteStat, err error) {
	bases := make([]*baseWriter, len(groups))
	defer func() {
		for _, b := range bases {
			if b != nil {
				b.abandon()
			}
		}
	}()
	for c, err := range cells {
		if err != nil {
			return nil, err
		}
		g := shard(c.key, len(groups))
		if bases[g] == nil {
			if bases[g], err = w.newBase(ctx, partition, groups[g], instant, fmt.Sprintf("%d-0-0", g)); err != nil {
				return nil, err
			}
		}
		if err := bases[g].add(c); err != nil {
			return nil, err
		}
	}
	for g, b := range bases {
		if b == nil {
			continue
		}
		bases[g] = nil
		stat, err := b.close()
		if err != nil {
			return nil, err
		}
		stats = append(stats, stat)
	}
	return stats, nil
}

// placed are the cells of keys and their places. Keys without one are left out.
func (w *Writer) placed(n *New) func(yield func(cell, error) bool) {
	return func(yield func(cell, error) bool) {
		if n.Present.Keys == nil {
			return
		}
		for p, err := range n.Present.Keys {
			if err == nil && p.At == nil {
				continue
			}
			r := Record{Kind: RecordIndex, Location: p.At}
			var c cell
			if err == nil {
				c = cell{p.Key, r.encode(nil, w.version)}
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
