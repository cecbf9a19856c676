package metadata

import (
	"slices"
	"strings"
)

// A batch is the records that one write puts into the metadata table, by partition.
type batch map[string]*partitionBatch

type partitionBatch struct {
	records []*Record
	deleted []string // keys
}

func (b batch) of(partition string) *partitionBatch {
	p := b[partition]
	if p == nil {
		p = &partitionBatch{}
		b[partition] = p
	}
	return p
}

func (b batch) put(partition string, r *Record) {
	p := b.of(partition)
	p.records = append(p.records, r)
}

// files adds the records of added and removed files.
func (b batch) files(c *Changes) {
	byPartition := map[string]map[string]FileState{}
	set := func(f FileRef, s FileState) {
		if byPartition[f.Partition] == nil {
			byPartition[f.Partition] = map[string]FileState{}
		}
		byPartition[f.Partition][f.Name] = s
	}
	partitions := map[string]FileState{}
	for _, f := range c.Added {
		set(f.FileRef, FileState{Size: f.Size})
		partitions[keyOf(f.Partition)] = FileState{}
	}
	for _, f := range c.Removed {
		set(f, FileState{Deleted: true})
	}
	for _, p := range c.Dropped {
		partitions[keyOf(p)] = FileState{Deleted: true}
	}
	for p, files := range byPartition {
		b.put(FilesPartition, &Record{Key: keyOf(p), Kind: Files, Files: files})
	}
	if len(partitions) > 0 {
		b.put(FilesPartition, &Record{Key: allPartitions, Kind: AllPartitions, Files: partitions})
	}
}

// bounds adds the bounds of added files, in the form of a version, and takes out those of removed ones. columns are those that have any.
func (b batch) bounds(c *Changes, columns []string, form, version int) {
	for _, f := range c.Added {
		for _, r := range f.bounds(form) {
			b.put(ColumnStatsPartition, &Record{Key: keyForStats(r.Column, f.Partition, f.Name), Kind: ColumnStats, Stats: r})
		}
	}
	for _, f := range c.Removed {
		for _, column := range columns {
			key := keyForStats(column, f.Partition, f.Name)
			b.remove(ColumnStatsPartition, &Record{Key: key, Kind: ColumnStats,
				Stats: &Stats{File: f.Name, Column: column, Values: -1, Nulls: -1, Size: -1, Uncompressed: -1, Deleted: true}}, version)
		}
	}
}

// bounds are the records of all columns of a file, or of none: a reader takes a column that only some have for one of NULLs.
func (f *NewFile) bounds(version int) []*Stats {
	out := make([]*Stats, 0, len(f.Bounds))
	for i := range f.Bounds {
		s, ok := f.Bounds[i].stats(f.FileRef, version)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// remove takes a record out: since version 9 by its key alone, before by a record that says so.
func (b batch) remove(partition string, gone *Record, version int) {
	if version >= 9 {
		p := b.of(partition)
		p.deleted = append(p.deleted, gone.Key)
		return
	}
	b.put(partition, gone)
}

// filters adds the filters of added base files and takes out those of removed ones.
func (b batch) filters(c *Changes, instant string, version int) {
	for _, f := range c.Added {
		if f.Filter != nil {
			one := *f.Filter
			one.Instant = instant
			b.put(BloomFiltersPartition, &Record{Key: keyForBloom(f.Partition, f.Name), Kind: BloomFilters, Bloom: &one})
		}
	}
	for _, f := range c.Removed {
		if strings.HasPrefix(f.Name, ".") {
			continue
		}
		b.remove(BloomFiltersPartition, &Record{Key: keyForBloom(f.Partition, f.Name), Kind: BloomFilters, Bloom: &Bloom{Instant: instant, Deleted: true}}, version)
	}
}

// shards spreads the records of a partition over n file groups, each sorted by key and without repetitions: of records with one key
// the last one counts.
func (p *partitionBatch) shards(n int) []partitionBatch {
	out := make([]partitionBatch, n)
	for _, r := range p.records {
		s := &out[shard(r.Key, n)]
		s.records = append(s.records, r)
	}
	for _, k := range p.deleted {
		s := &out[shard(k, n)]
		s.deleted = append(s.deleted, k)
	}
	for i := range out {
		s := &out[i]
		slices.SortStableFunc(s.records, func(a, b *Record) int { return strings.Compare(a.Key, b.Key) })
		s.records = lastOfKey(s.records)
		slices.Sort(s.deleted)
		s.deleted = slices.Compact(s.deleted)
	}
	return out
}

func lastOfKey(records []*Record) []*Record {
	out := records[:0]
	for i, r := range records {
		if i+1 == len(records) || records[i+1].Key != r.Key {
			out = append(out, r)
		}
	}
	return out
}

// cells encodes the records.
func (p *partitionBatch) cells(version int) []cell {
	out := make([]cell, len(p.records))
	for i, r := range p.records {
		out[i] = cell{r.Key, r.encode(nil, version)}
	}
	return out
}
