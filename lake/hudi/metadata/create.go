package metadata

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// New says how a metadata table is made.
type New struct {
	// Partitions are those that it gets, [FilesPartition] among them.
	Partitions []string
	// Columns are those of which bounds are kept, from table version 8 on, where the index is defined by them.
	Columns []string
	// Shards are the numbers of file groups where they are not Hudi's.
	Shards map[string]int
	// Present is what the table has already: it is put into the metadata table as it is made.
	Present Changes
}

// DefaultPartitions are those that a new table of a version gets if nothing is said. The release of version 8 stores bounds of dates,
// times and decimals now in one form and now in another, and fails when they meet.
func DefaultPartitions(version int, partitioned bool) []string {
	switch {
	case version < 9:
		return []string{FilesPartition}
	case !partitioned:
		return []string{FilesPartition, ColumnStatsPartition}
	}
	return []string{FilesPartition, ColumnStatsPartition, PartitionStatsPartition}
}

// order is that in which partitions are made.
var order = []string{FilesPartition, ColumnStatsPartition, BloomFiltersPartition, RecordIndexPartition, PartitionStatsPartition}

// groupsOf are the numbers of file groups that Hudi makes.
var groupsOf = map[string]int{FilesPartition: 1, ColumnStatsPartition: 2, BloomFiltersPartition: 4, RecordIndexPartition: 10, PartitionStatsPartition: 1}

// Create makes the metadata table of a table that has none, and gives the properties of the table that say so. What an attempt
// before has left is removed first. The caller holds the lock of the table.
func Create(ctx context.Context, table storage.Bucket, c *config.Table, data *timeline.Timeline, n New) (*config.Table, error) {
	if len(c.MetadataPartitions) > 0 {
		return nil, fmt.Errorf("make the metadata table: %w", fs.ErrExist)
	}
	if !slices.Contains(n.Partitions, FilesPartition) {
		return nil, errors.New("make the metadata table: it must have the partition " + FilesPartition)
	}
	if err := storage.RemoveAll(ctx, table, Dir); err != nil {
		return nil, err
	}
	bucket, err := storage.Sub(table, Dir)
	if err != nil {
		return nil, err
	}
	text := properties(c).Format("Properties saved on", time.Now())
	if err := storage.WriteFile(ctx, bucket, config.File, storage.Exclusive, text); err != nil {
		return nil, err
	}
	own, err := config.Load(ctx, bucket)
	if err != nil {
		return nil, err
	}
	w := &Writer{Table: &Table{bucket: bucket, version: c.Version, config: timelineConfig(own), slices: map[string][]*slice{}}, table: table, conf: c, clock: time.Now}
	if data != nil {
		w.config.Zone = data.Zone
	}
	if w.timeline, err = timeline.Load(ctx, bucket, w.config); err != nil {
		return nil, err
	}
	if w.indexes, err = w.define(ctx, n); err != nil {
		return nil, err
	}
	made := 0
	for _, p := range order {
		if !slices.Contains(n.Partitions, p) {
			continue
		}
		if err := w.createPartition(ctx, p, initInstant(c.Version, made), n); err != nil {
			return nil, err
		}
		made++
	}
	return w.conf, nil
}

// initInstant is the instant that makes the n-th partition.
func initInstant(version, n int) string {
	if version < 6 && n == 0 {
		return initPrefix
	}
	if version < 8 {
		return fmt.Sprintf("%s%03d", initPrefix, 10+n)
	}
	return fmt.Sprintf("%s%03d", initPrefix, n)
}

// properties are those of the metadata table of a table.
func properties(c *config.Table) config.Properties {
	p := config.Properties{
		"hoodie.table.name": c.Name + "_metadata", "hoodie.table.type": string(config.MergeOnRead), "hoodie.table.version": fmt.Sprint(c.Version),
		"hoodie.table.checksum": config.Checksum("", c.Name+"_metadata"), "hoodie.table.base.file.format": "HFILE",
		"hoodie.table.recordkey.fields": "key", "hoodie.populate.meta.fields": "false", "hoodie.datasource.write.drop.partition.columns": "false",
		"hoodie.compaction.payload.class": "org.apache.hudi.metadata.HoodieMetadataPayload",
	}
	if c.Version < 8 {
		p["hoodie.timeline.layout.version"], p["hoodie.archivelog.folder"] = "1", "archived"
		p["hoodie.table.keygenerator.class"] = "org.apache.hudi.metadata.HoodieTableMetadataKeyGenerator"
		if c.Version >= 6 {
			p["hoodie.compaction.record.merger.strategy"] = config.StrategyEventTime
		}
		return p
	}
	p["hoodie.timeline.layout.version"], p["hoodie.archivelog.folder"] = "2", "history"
	p["hoodie.timeline.path"], p["hoodie.timeline.history.path"] = "timeline", "history"
	p["hoodie.table.initial.version"] = fmt.Sprint(c.Version)
	p["hoodie.table.keygenerator.type"] = "HOODIE_TABLE_METADATA"
	p["hoodie.record.merge.mode"], p["hoodie.record.merge.strategy.id"] = "CUSTOM", config.StrategyPayload
	return p
}

// define writes the definitions of the indexes that the metadata table will keep; tables before version 8 have none.
func (w *Writer) define(ctx context.Context, n New) (Indexes, error) {
	if w.version < 8 {
		return nil, nil
	}
	out := Indexes{}
	for _, p := range n.Partitions {
		if def := Definition(w.version, p, n.Columns); def != nil {
			out[p] = *def
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	if err := writeIndexes(ctx, w.table, cmp.Or(w.conf.IndexDefs, indexFile), out); err != nil {
		return nil, err
	}
	if w.conf.IndexDefs != "" {
		return out, nil
	}
	c, err := config.Update(ctx, w.table, func(p config.Properties) { p[keyIndexDefs] = indexFile })
	if err == nil {
		w.conf = c
	}
	return out, err
}

// Definition is how tables of a version define one of the partitions that are not named by users; nil when they do not. columns are those
// of bounds.
func Definition(version int, partition string, columns []string) *Index {
	switch {
	case version >= 8 && partition == ColumnStatsPartition:
		x := Index{Name: partition, Type: partition, Function: partition, Sources: columns, Options: map[string]string{}}
		if version >= 9 {
			x.Version = "V2"
		}
		return &x
	case version >= 9 && partition == RecordIndexPartition:
		return &Index{Name: partition, Type: partition, Sources: []string{}, Options: map[string]string{"isPartitioned": "false"}, Version: "V1"}
	}
	return nil
}

// createPartition makes the file groups of a partition with the records of what the table has already, and says in the properties
// of the table that it is ready.
func (w *Writer) createPartition(ctx context.Context, partition, instant string, n New) error {
	records, err := w.present(ctx, partition, instant, n)
	if err != nil {
		return err
	}
	i, err := w.timeline.RequestAt(ctx, timeline.DeltaCommit, instant, nil)
	if err != nil {
		return err
	}
	if i, err = w.timeline.Begin(ctx, i, nil); err != nil {
		return err
	}
	if err := w.describePartition(ctx, partition, instant); err != nil {
		return err
	}
	groups, err := w.beginGroups(ctx, partition, instant, cmp.Or(n.Shards[partition], groupsFor(partition)), records)
	if err != nil {
		return err
	}
	done := w.metadata("BULK_INSERT_PREPPED")
	var stats []timeline.WriteStat
	if partition == RecordIndexPartition {
		stats, err = w.fill(ctx, partition, instant, groups, w.placed(&n))
	} else {
		stats, err = w.fillShards(ctx, partition, instant, groups, records)
	}
	if err != nil {
		return err
	}
	for i := range stats {
		stats[i].NumInserts = stats[i].NumWrites
	}
	if len(stats) > 0 {
		done.PartitionToWriteStats[partition] = stats
	}
	if _, err := w.timeline.Complete(ctx, i, w.clock(), done); err != nil {
		return err
	}
	if err := w.reload(ctx); err != nil {
		return err
	}
	w.partitions = append(w.partitions, partition)
	slices.Sort(w.partitions)
	w.conf, err = config.Update(ctx, w.table, func(p config.Properties) {
		p[keyPartitions] = strings.Join(w.partitions, ",")
		p[keyInflight] = strings.Join(slices.DeleteFunc(slices.Clone(w.conf.MetadataInflight), func(x string) bool { return x == partition }), ",")
	})
	return err
}

// beginGroups makes n file groups, each by an empty log. Releases before 0.14 read no deletions in Avro; there a base file alone makes a
// file group that has records.
func (w *Writer) beginGroups(ctx context.Context, partition, instant string, n int, records *partitionBatch) ([]*slice, error) {
	shards := records.shards(n)
	groups := make([]*slice, n)
	for g := range groups {
		groups[g] = &slice{id: fileID(partition, g)}
		if w.version < 6 {
			groups[g].id = strings.TrimSuffix(groups[g].id, "-0")
		}
		if w.version >= 6 || len(shards[g].records) == 0 {
			if err := w.beginLog(ctx, partition, groups[g].id, instant); err != nil {
				return nil, err
			}
		}
	}
	return groups, nil
}

// fillShards writes the base files of a new partition, as far as there are records for them.
func (w *Writer) fillShards(ctx context.Context, partition, instant string, groups []*slice, records *partitionBatch) (stats []timeline.WriteStat, err error) {
	for g, shard := range records.shards(len(groups)) {
		if len(shard.records) == 0 {
			continue
		}
		stat, err := w.writeBase(ctx, partition, groups[g], instant, fmt.Sprintf("%d-0-0", g), cellsOf(shard.cells(w.version)))
		if err != nil {
			return nil, err
		}
		stats = append(stats, stat)
	}
	return stats, nil
}

// present are the records that a new partition begins with.
func (w *Writer) present(ctx context.Context, partition, instant string, n New) (*partitionBatch, error) {
	b, c := batch{}, &n.Present
	switch partition {
	case FilesPartition:
		if b.files(c); len(c.Added) == 0 {
			b.put(FilesPartition, &Record{Key: allPartitions, Kind: AllPartitions, Files: map[string]FileState{}})
		}
	case ColumnStatsPartition:
		b.bounds(c, nil, w.BoundsVersion(), w.version)
	case BloomFiltersPartition:
		b.filters(c, instant, w.version)
	case PartitionStatsPartition:
		touched := map[string][]*NewFile{}
		for i := range c.Added {
			touched[c.Added[i].Partition] = append(touched[c.Added[i].Partition], &c.Added[i])
		}
		for _, p := range sortedKeys(touched) {
			if err := w.boundPartition(ctx, b, c, p, touched[p]); err != nil {
				return nil, err
			}
		}
	}
	return b.of(partition), nil
}

// describePartition writes the file that makes a folder a partition.
func (w *Writer) describePartition(ctx context.Context, partition, instant string) error {
	text := fmt.Sprintf("#partition metadata\n#%s\ncommitTime=%s\npartitionDepth=1\n", w.clock().UTC().Format("Mon Jan 02 15:04:05 MST 2006"), instant)
	return storage.WriteFile(ctx, w.bucket, partition+"/.hoodie_partition_metadata", storage.Exclusive, []byte(text))
}

// beginLog writes the log that makes a file group: it deletes no keys.
func (w *Writer) beginLog(ctx context.Context, partition, id, instant string) error {
	var b bytes.Buffer
	if err := writeDeletes(&b, instant, partition, nil, "", w.version); err != nil {
		return err
	}
	return storage.WriteFile(ctx, w.bucket, fmt.Sprintf("%s/.%s_%s.log.1_0-0-0", partition, id, instant), storage.Exclusive, b.Bytes())
}
