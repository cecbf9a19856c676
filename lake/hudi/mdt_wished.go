package hudi

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// The settings that say which indexes a table is to have, by the partition of the metadata table.
var indexSettings = []struct {
	partition string
	options   []string
}{
	{metadata.ColumnStatsPartition, []string{optColumnStats}},
	{metadata.PartitionStatsPartition, []string{optPartitionStats}},
	{metadata.BloomFiltersPartition, []string{optFilters}},
	{metadata.RecordIndexPartition, []string{optRecordIndex, optGlobalIndex}},
}

// followWishes builds the indexes that the session or the statement asks for and the table lacks, and drops those that are asked to be
// gone. Settings that are kept with the table count when it is made: later CREATE INDEX and DROP INDEX say more.
func (t *Table) followWishes(ctx context.Context, x engine.Engine, o options) error {
	if !o.wishIndexes() || o.all[optMetadata] == "false" {
		return nil
	}
	c, err := config.Load(ctx, t.bucket)
	if err != nil {
		return err
	}
	var build, drop []string
	for _, s := range indexSettings {
		has := slices.Contains(c.MetadataPartitions, s.partition)
		for _, option := range s.options {
			wish := strings.ToLower(o.text("", option))
			switch {
			case kept(c, option) != "":
			case wish == "true" && !has:
				build = append(build, s.partition)
			case wish == "false" && has && s.partition != metadata.RecordIndexPartition,
				wish == "false" && has && option == optRecordIndex && o.text("", optGlobalIndex) != "true":
				drop = append(drop, withDependents(c.MetadataPartitions, s.partition)...)
			}
		}
	}
	if len(drop) > 0 {
		if err := t.discard(ctx, o, drop); err != nil {
			return err
		}
	}
	if len(build) == 0 {
		return nil
	}
	return t.buildWished(ctx, x, o, build)
}

// wishIndexes reports whether options speak of indexes.
func (o options) wishIndexes() bool {
	for _, s := range indexSettings {
		if slices.ContainsFunc(s.options, func(name string) bool { return o.text("", name) != "" }) {
			return true
		}
	}
	return false
}

// discard takes partitions out of the metadata table.
func (t *Table) discard(ctx context.Context, o options, partitions []string) error {
	return t.locked(ctx, o, func(*timeline.Timeline) error {
		w, err := t.metadataWriter(ctx)
		if errors.Is(err, metadata.ErrNone) {
			return t.dropMetadata(ctx)
		}
		if err == nil {
			err = w.Discard(ctx, partitions...)
		}
		return t.orDrop(ctx, err)
	})
}

// buildWished builds those of partitions that a table of this kind can have; bounds of partitions only if those of all files are known.
func (t *Table) buildWished(ctx context.Context, x engine.Engine, o options, partitions []string) error {
	wished := t.usualPartitions(o)
	partitions = slices.DeleteFunc(partitions, func(p string) bool { return !slices.Contains(wished, p) })
	for _, p := range slices.Compact(partitions) {
		err := t.index(ctx, x, o, []string{p}, beginStandard(nil))
		if err != nil && !(p == metadata.PartitionStatsPartition && errors.Is(err, metadata.ErrUnbounded)) {
			return err
		}
	}
	return nil
}

// wishedPartitions are the partitions, beside that of the files, that the metadata table of the table has by the settings and by default.
func (t *Table) wishedPartitions(o options) []string {
	return slices.DeleteFunc(t.usualPartitions(o), func(p string) bool {
		return p == metadata.FilesPartition || slices.Contains(t.config.MetadataPartitions, p)
	})
}

// usualPartitions are those that a metadata table has that is made now.
func (t *Table) usualPartitions(o options) []string {
	return (&tx{table: t, view: &Snapshot{table: t, config: t.config}, options: o}).newMetadata(t.config).Partitions
}
