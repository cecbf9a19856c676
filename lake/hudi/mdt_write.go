package hudi

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/types"
)

// The metadata table is told of every action that changes files, at the instant of that action and before the action is completed:
// whoever sees the action finds it there.
//
//	table's lock ─▶ metadata table: deltacommit of the same instant ─▶ timeline: completed ─▶ unlock
//
// Where it cannot be continued it is dropped, which Hudi takes for the wish of a writer that keeps none.

// The options of writers that are about the metadata table.
const (
	optColumnStats    = "hoodie.metadata.index.column.stats.enable"
	optStatsColumns   = "hoodie.metadata.index.column.stats.column.list"
	optPartitionStats = "hoodie.metadata.index.partition.stats.enable"
	optFilters        = "hoodie.metadata.index.bloom.filter.enable"
	optRecordIndex    = "hoodie.metadata.record.index.enable"
	optGlobalIndex    = "hoodie.metadata.global.record.level.index.enable"
	optIndexGroups    = "hoodie.metadata.record.index.min.filegroup.count"
)

// tellMetadata puts what an action on the timeline changes into the metadata table, if there is one. Whoever calls it holds the table's
// lock; nothing is put there once the action was rolled back, or the guard of the timeline refuses.
func (t *Table) tellMetadata(ctx context.Context, line *timeline.Timeline, i timeline.Instant, change func(*metadata.Writer) (metadata.Changes, error)) error {
	w, err := t.metadataWriter(ctx)
	if errors.Is(err, metadata.ErrNone) {
		return t.dropMetadata(ctx)
	}
	if err == nil {
		w.Guard = guardOf(line, i)
		err = w.Maintain(ctx, i.Time)
	}
	var changes metadata.Changes
	if err == nil {
		changes, err = change(w)
	}
	if err == nil {
		err = w.Commit(ctx, i.Time, changes)
	}
	return t.orDrop(ctx, err)
}

// guardOf refuses once an action is no longer on the timeline, or its writer has lost the lock or is late.
func guardOf(line *timeline.Timeline, i timeline.Instant) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := line.Standing(ctx, i); err != nil || line.Guard == nil {
			return err
		}
		return line.Guard(ctx)
	}
}

// metadataWriter continues the metadata table; metadata.ErrNone says that there is none.
func (t *Table) metadataWriter(ctx context.Context) (*metadata.Writer, error) {
	c, err := config.Load(ctx, t.bucket)
	if err != nil {
		return nil, err
	}
	line, err := t.timeline(ctx)
	if err != nil {
		return nil, err
	}
	return metadata.Begin(ctx, t.bucket, c, line)
}

// orDrop drops the metadata table if an error says that it cannot be relied upon.
func (t *Table) orDrop(ctx context.Context, err error) error {
	var stale *metadata.StaleError
	if !errors.As(err, &stale) {
		return err
	}
	return t.dropMetadata(ctx)
}

// dropMetadata takes the metadata table out of the table, if it has one.
func (t *Table) dropMetadata(ctx context.Context) error {
	c, err := config.Load(ctx, t.bucket)
	if err != nil || len(c.MetadataPartitions)+len(c.MetadataInflight) == 0 {
		return err
	}
	return metadata.Drop(ctx, t.bucket, c)
}

// publisher tells the metadata table of rollbacks.
func (t *Table) publisher() publisher {
	return func(ctx context.Context, line *timeline.Timeline, r timeline.Instant, m *timeline.RollbackMetadata) error {
		w, err := t.metadataWriter(ctx)
		if errors.Is(err, metadata.ErrNone) {
			return t.dropMetadata(ctx)
		}
		if err == nil {
			w.Guard = line.Guard
			changes := rolledBack(m)
			for _, target := range m.CommitsRollback {
				if err = w.Undo(ctx, target, r.Time, changes); err != nil {
					break
				}
				changes = metadata.Changes{}
			}
		}
		return t.orDrop(ctx, err)
	}
}

// rolledBack is what a rollback changes: the files that it removed, and the logs that say which blocks are void.
func rolledBack(m *timeline.RollbackMetadata) (c metadata.Changes) {
	for p, files := range m.PartitionMetadata {
		for _, f := range files.SuccessDeleteFiles {
			c.Removed = append(c.Removed, metadata.FileRef{Partition: p, Name: path.Base(f)})
		}
		for f, size := range files.RollbackLogFiles {
			c.Added = append(c.Added, metadata.NewFile{FileRef: metadata.FileRef{Partition: p, Name: path.Base(f)}, Size: size, Bounds: []metadata.Bounds{}})
		}
	}
	return c
}

// keepMetadata brings the metadata table in step with the commit, before that is visible. New tables get one, unless the options
// say otherwise.
func (x *tx) keepMetadata(ctx context.Context, guarded *timeline.Timeline, m *timeline.CommitMetadata) error {
	c, err := config.Load(ctx, x.table.bucket)
	if err != nil {
		return err
	}
	wish := x.options.text(kept(c, optMetadata), optMetadata)
	if strings.EqualFold(wish, "false") {
		return x.table.dropMetadata(ctx)
	}
	if len(c.MetadataPartitions) == 0 {
		line, err := x.table.timeline(ctx)
		if err != nil {
			return err
		}
		if len(line.Completed()) > 0 { // what is there already, nobody has looked at
			return x.table.dropMetadata(ctx)
		}
		if _, err := metadata.Create(ctx, x.table.bucket, c, line, x.newMetadata(c)); err != nil {
			return err
		}
	}
	return x.table.tellMetadata(ctx, guarded, x.act.instant, func(w *metadata.Writer) (metadata.Changes, error) { return x.changes(ctx, w, m) })
}

// newMetadata is the metadata table that a new table gets: that of the release of its version, and what the options say.
func (x *tx) newMetadata(c *config.Table) metadata.New {
	defaults := metadata.DefaultPartitions(c.Version, len(c.Partition) > 0)
	n := metadata.New{Partitions: []string{metadata.FilesPartition}}
	add := func(partition, option string) {
		given := x.options.text(kept(c, option), option)
		if c.Version < 6 { // whose releases make all partitions at once
			return
		}
		if strings.EqualFold(given, "true") || given == "" && slices.Contains(defaults, partition) {
			n.Partitions = append(n.Partitions, partition)
		}
	}
	add(metadata.ColumnStatsPartition, optColumnStats)
	if slices.Contains(n.Partitions, metadata.ColumnStatsPartition) && c.Version >= 8 {
		add(metadata.PartitionStatsPartition, optPartitionStats)
	}
	if c.MetaFields {
		add(metadata.BloomFiltersPartition, optFilters)
	}
	if len(c.RecordKey) > 0 && c.MetaFields {
		add(metadata.RecordIndexPartition, optRecordIndex)
		if !slices.Contains(n.Partitions, metadata.RecordIndexPartition) {
			add(metadata.RecordIndexPartition, optGlobalIndex)
		}
		n.Shards = map[string]int{metadata.RecordIndexPartition: x.indexGroups(c)}
	}
	n.Columns = x.statsColumns(c)
	return n
}

// indexGroups is the number of file groups of the record index; 0 when nothing is said.
func (x *tx) indexGroups(c *config.Table) int {
	n, err := strconv.Atoi(x.options.text(kept(c, optIndexGroups), optIndexGroups))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, 10_000)
}

// maxStatsColumns is hoodie.metadata.index.column.stats.max.columns.to.index.
const maxStatsColumns = 32

// statsColumns are the columns of which a new table keeps bounds: three meta columns, and those that an option names or the first ones.
func (x *tx) statsColumns(c *config.Table) []string {
	var out []string
	if c.MetaFields {
		out = []string{commitTimeColumn, partitionPathColumn, recordKeyColumn}
	}
	named := splitNames(x.options.text(kept(c, optStatsColumns), optStatsColumns))
	n := 0
	for _, f := range ownColumns(x.view.schema).Fields {
		dropped := c.DropPartitionColumns && slices.ContainsFunc(c.Partition, func(p config.PartitionField) bool { return p.Name == f.Name })
		if dropped || !metadata.Bounded(f.Type, c.Version) || named != nil && !slices.Contains(named, f.Name) || named == nil && n == maxStatsColumns {
			continue
		}
		out = append(out, f.Name)
		n++
	}
	return out
}

// changes is what the write changes in the metadata table.
func (x *tx) changes(ctx context.Context, w *metadata.Writer, m *timeline.CommitMetadata) (c metadata.Changes, err error) {
	for _, f := range x.act.made {
		n := metadata.NewFile{FileRef: metadata.FileRef{Partition: f.stat.Partition, Name: path.Base(f.stat.Path)}, Size: f.stat.FileSizeInBytes}
		n.Bounds = x.boundsOf(w, f)
		if w.Has(metadata.BloomFiltersPartition) && !f.stat.IsLog() {
			if n.Filter, err = x.filterOf(ctx, f.stat.Path); err != nil {
				return c, err
			}
		}
		c.Added = append(c.Added, n)
		for name, size := range f.stat.CDCStats {
			c.Added = append(c.Added, metadata.NewFile{FileRef: metadata.FileRef{Partition: f.stat.Partition, Name: path.Base(name)}, Size: size, Bounds: []metadata.Bounds{}})
		}
	}
	if w.Has(metadata.RecordIndexPartition) {
		c.KeysUnknown = x.act.forgot
		c.Keys, err = x.movedKeys(ctx)
	}
	if err == nil && w.Has(metadata.PartitionStatsPartition) {
		c.Live, err = x.liveFiles(ctx, m)
		c.Empty = x.table.isEmpty
	}
	return c, err
}

// boundsOf is the bounds of the columns of a new file; nil when one of them is not known. Columns that the table has no more count
// for nothing.
func (x *tx) boundsOf(w *metadata.Writer, f madeFile) []metadata.Bounds {
	kinds := map[string]types.Type{}
	var stored []string
	for _, field := range x.view.schema.Fields {
		kinds[field.Name] = field.Type
		if metadata.Bounded(field.Type, w.BoundsVersion()) {
			stored = append(stored, field.Name)
		}
	}
	out := []metadata.Bounds{}
	for _, name := range w.BoundedColumns(stored) {
		t, there := kinds[name]
		if !there && !strings.Contains(name, ".") {
			continue
		}
		b, ok := f.bounds(name, t)
		if !ok || !there || !metadata.Bounded(t, w.BoundsVersion()) {
			return nil
		}
		out = append(out, b)
	}
	return out
}

// bounds is what is known of a column of a new file.
func (f *madeFile) bounds(name string, t types.Type) (metadata.Bounds, bool) {
	b := metadata.Bounds{Column: name, Type: t, Values: f.file.Rows}
	r, ok := f.file.Stats[name]
	switch {
	case f.file.Rows == 0:
		return b, true
	case !ok || r.Nulls < 0:
		return b, false
	}
	b.Nulls, b.Min, b.Max = r.Nulls, r.Min, r.Max
	if b.Nulls == b.Values {
		b.Min, b.Max = nil, nil
		return b, true
	}
	if r.NaN {
		b.Max = metadata.NaN(t)
		if b.Min == nil { // there are no other values
			b.Min = b.Max
		}
	}
	return b, b.Min != nil && b.Max != nil
}

// filterOf is the filter in the footer of a base file; nil when it has none.
func (x *tx) filterOf(ctx context.Context, name string) (*metadata.Bloom, error) {
	footer, err := x.table.footer(ctx, name)
	if err != nil || footer[footerBloom] == "" {
		return nil, err
	}
	return &metadata.Bloom{Kind: footer[footerKind], Filter: []byte(footer[footerBloom])}, nil
}

// isEmpty says whether a file has no rows: a base file without any, a log that only deletes.
func (t *Table) isEmpty(ctx context.Context, f metadata.FileRef) (bool, error) {
	name := path.Join(f.Partition, f.Name)
	if !strings.Contains(f.Name, ".log.") {
		_, rows, err := t.footerAndRows(ctx, name)
		return rows == 0, err
	}
	empty := true
	err := t.blocksOf(ctx, name, func(b *logfile.Block) error {
		empty = empty && (b.Type == logfile.DeleteKeys || b.Type == logfile.Command)
		return nil
	})
	return empty, err
}

// liveFiles says which files of a partition are read after the commit.
func (x *tx) liveFiles(ctx context.Context, m *timeline.CommitMetadata) (func(partition string) []string, error) {
	now, err := x.table.snapshot(ctx, "", reading{}, nil)
	if err != nil {
		return nil, err
	}
	return func(partition string) (out []string) {
		rewritten := map[string]bool{}
		for _, id := range m.PartitionToReplaceFileIDs[partition] {
			rewritten[id] = true
		}
		for _, s := range m.PartitionToWriteStats[partition] {
			out = append(out, path.Base(s.Path))
			rewritten[s.FileID] = rewritten[s.FileID] || !s.IsLog()
		}
		for _, s := range now.slices {
			if s.Partition != partition {
				continue
			}
			if s.Base != nil && !rewritten[s.FileID] {
				out = append(out, path.Base(s.Base.Path))
			}
			for _, l := range s.Logs {
				// Logs that came while a compaction ran are upon its base file.
				if !rewritten[s.FileID] || max(l.Completion, l.Instant) >= x.act.instant.Time {
					out = append(out, path.Base(l.Path))
				}
			}
		}
		return out
	}, nil
}
