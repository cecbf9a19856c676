package metadata

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// A Writer keeps a metadata table in step with its table. Whoever has one holds the lock of the table, and is alone.
//
//	lock ─▶ Begin ─▶ Commit of the instant of the write ─▶ the write is completed on the timeline of the table ─▶ unlock
//
// A crash before the last step leaves a write here that does not count, which the rollback of the write takes out.
type Writer struct {
	*Table
	table storage.Bucket // the table's folder
	conf  *config.Table
	clock func() time.Time

	// Guard, where set, is asked right before a commit is completed, and may refuse: whoever has lost the lock
	// of the table must not commit here any more.
	Guard func(context.Context) error
}

// Begin opens the metadata table of a table to write to it, and takes out what a crash has left half done in it. It is [ErrNone]
// when the table has none and a [*StaleError] when it cannot be continued: then it is to be dropped ([Drop]).
func Begin(ctx context.Context, table storage.Bucket, c *config.Table, data *timeline.Timeline) (*Writer, error) {
	t, err := Open(ctx, table, c, data)
	if err != nil {
		return nil, err
	}
	w := &Writer{Table: t, table: table, conf: c, clock: time.Now}
	return w, w.recover(ctx)
}

// Commit puts what the write at an instant changes into the metadata table. Partitions that cannot be kept are dropped first: see
// [Writer.unkept].
func (w *Writer) Commit(ctx context.Context, instant string, c Changes) error {
	if told, ok := w.timeline.At(instant, timeline.DeltaCommit); ok { // a service that was interrupted behind this step is done again
		if err := w.undo(ctx, told); err != nil {
			return err
		}
		if err := w.reload(ctx); err != nil {
			return err
		}
	}
	if err := w.dropPartitions(ctx, w.unkept(&c)...); err != nil {
		return err
	}
	b, err := w.batch(ctx, instant, &c)
	if err != nil {
		return err
	}
	var keys iter.Seq2[PlacedKey, error]
	if w.Has(RecordIndexPartition) {
		keys = c.Keys
	}
	return w.commit(ctx, instant, b, keys)
}

// unkept are the partitions of the metadata table that would be wrong after a write: secondary and expression indexes, which only
// Hudi keeps, and the bounds of partitions when those of a file are not known.
func (w *Writer) unkept(c *Changes) []string {
	unbounded := slices.ContainsFunc(c.Added, func(f NewFile) bool { return f.bounds(w.BoundsVersion()) == nil })
	var out []string
	for _, p := range w.partitions {
		switch p {
		case FilesPartition, ColumnStatsPartition, BloomFiltersPartition:
			continue
		case RecordIndexPartition:
			if !c.KeysUnknown && w.indexes[p].Options["isPartitioned"] != "true" {
				continue
			}
		case PartitionStatsPartition:
			if !unbounded && w.Has(ColumnStatsPartition) {
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// batch is the records of a write, but for those of keys.
func (w *Writer) batch(ctx context.Context, instant string, c *Changes) (batch, error) {
	b := batch{}
	b.files(c)
	if w.Has(ColumnStatsPartition) {
		columns, err := w.removedColumns(ctx, c)
		if err != nil {
			return nil, err
		}
		b.bounds(c, columns, w.BoundsVersion(), w.version)
	}
	if w.Has(BloomFiltersPartition) {
		b.filters(c, instant, w.version)
	}
	if w.Has(PartitionStatsPartition) {
		if err := w.partitionBounds(ctx, b, c); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// removedColumns are the columns that files which are removed may have bounds of.
func (w *Writer) removedColumns(ctx context.Context, c *Changes) ([]string, error) {
	if len(c.Removed) == 0 {
		return nil, nil
	}
	if def := w.indexes[ColumnStatsPartition]; len(def.Sources) > 0 {
		return def.Sources, nil
	}
	seen := map[string]bool{}
	err := w.scan(ctx, ColumnStatsPartition, "", func(r *Record) error {
		if r.Stats != nil {
			seen[r.Stats.Column] = true
		}
		return nil
	})
	return sortedKeys(seen), err
}

// commit writes a batch and the places of keys as one deltacommit.
func (w *Writer) commit(ctx context.Context, instant string, b batch, keys iter.Seq2[PlacedKey, error]) error {
	w.timeline.Guard = w.Guard
	i, err := w.timeline.RequestAt(ctx, timeline.DeltaCommit, instant, nil)
	if err != nil {
		return err
	}
	files, expected, err := w.plan(ctx, instant, b)
	if err != nil {
		return err
	}
	if i, err = w.timeline.Begin(ctx, i, expected); err != nil {
		return err
	}
	done := w.metadata("UPSERT_PREPPED")
	for _, f := range files {
		stat, err := w.writeLog(ctx, instant, f)
		if err != nil {
			return err
		}
		done.PartitionToWriteStats[f.partition] = append(done.PartitionToWriteStats[f.partition], stat)
	}
	if keys != nil {
		stats, err := w.writeKeys(ctx, instant, len(files), keys)
		if err != nil {
			return err
		}
		if len(stats) > 0 {
			done.PartitionToWriteStats[RecordIndexPartition] = stats
		}
	}
	if _, err = w.timeline.Complete(ctx, i, w.clock(), done); err != nil {
		return err
	}
	return w.reload(ctx)
}

// newLog is a log that is to be written.
type newLog struct {
	partition string
	slice     *slice
	base      string // instant in its name
	version   int
	token     string
	records   partitionBatch
}

func (l *newLog) name() string {
	return fmt.Sprintf(".%s_%s.log.%d_%s", l.slice.id, l.base, l.version, l.token)
}
func (l *newLog) path() string { return l.partition + "/" + l.name() }

// plan says which logs a batch needs.
func (w *Writer) plan(ctx context.Context, instant string, b batch) (files []newLog, expected *timeline.CommitMetadata, err error) {
	expected = w.metadata("UPSERT_PREPPED")
	expected.ExtraMetadata = map[string]string{}
	for _, p := range sortedKeys(b) {
		groups, err := w.groups(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		for n, records := range b[p].shards(len(groups)) {
			if len(records.records)+len(records.deleted) == 0 {
				continue
			}
			l := newLog{partition: p, slice: groups[n], base: instant, version: 1, token: fmt.Sprintf("%d-0-0", len(files)), records: records}
			if err := w.place(ctx, &l); err != nil {
				return nil, nil, err
			}
			files = append(files, l)
			expected.PartitionToWriteStats[p] = append(expected.PartitionToWriteStats[p],
				timeline.WriteStat{FileID: groups[n].id, PrevCommit: groups[n].start(), NumUpdateWrites: int64(len(records.records))})
		}
	}
	return files, expected, nil
}

// place gives a log the name that layout 1 has for it: after the base file that it is upon, and the logs that are there.
func (w *Writer) place(ctx context.Context, l *newLog) (err error) {
	if w.config.Layout >= 2 {
		return nil
	}
	l.base = max(l.slice.start(), w.pendingCompaction())
	l.version, err = w.nextVersion(ctx, l.partition, l.slice.id, l.base)
	return err
}

// start is the instant that a slice begins with.
func (s *slice) start() string {
	switch {
	case s.base != nil:
		return s.base.instant
	case len(s.logs) > 0:
		return s.logs[0].instant
	}
	return ""
}

// pendingCompaction is the instant of a compaction that is to be done yet, upon which logs of layout 1 are written.
func (w *Writer) pendingCompaction() string {
	list := w.timeline.Pending(timeline.Compaction)
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].Time
}

// nextVersion is the number of the next log of a file group upon a base file. Logs of writes that were given up count.
func (w *Writer) nextVersion(ctx context.Context, partition, id, base string) (int, error) {
	next := 1
	for info, err := range w.bucket.List(ctx, partition, "") {
		if err != nil {
			return 0, err
		}
		if other, f, isLog, ok := parseFile(info); ok && isLog && other == id && f.instant == base {
			next = max(next, f.version+1)
		}
	}
	return next, nil
}

// writeLog writes a log: a block of records, and one of keys that are deleted.
func (w *Writer) writeLog(ctx context.Context, instant string, l newLog) (timeline.WriteStat, error) {
	var b bytes.Buffer
	r := &l.records
	if err := appendBlocks(&b, instant, w.version, l.partition, cellsOf(r.cells(w.version)), len(r.records), r.deleted); err != nil {
		return timeline.WriteStat{}, err
	}
	if err := storage.WriteFile(ctx, w.bucket, l.path(), storage.Exclusive, b.Bytes()); err != nil {
		return timeline.WriteStat{}, err
	}
	return w.logStat(l, int64(len(r.records)), int64(len(r.deleted)), int64(b.Len())), nil
}

// appendBlocks appends the blocks of n cells and of keys that are deleted.
func appendBlocks(b *bytes.Buffer, instant string, version int, partition string, cells iter.Seq2[cell, error], n int, deleted []string) error {
	schema := schemaText(version)
	if n > 0 {
		content, err := encodeTable(schema, cells)
		if err == nil {
			err = logfile.Write(b, logfile.HFileData, logfile.Header{{Key: logfile.InstantTime, Value: instant}, {Key: logfile.Schema, Value: schema}}, content)
		}
		if err != nil {
			return err
		}
	}
	if len(deleted) == 0 {
		return nil
	}
	return writeDeletes(b, instant, partition, deleted, schema, version)
}

// logStat is what a commit says of a log.
func (w *Writer) logStat(l newLog, records, deleted, size int64) timeline.WriteStat {
	s := timeline.WriteStat{FileID: l.slice.id, Path: l.path(), PrevCommit: l.base, Partition: l.partition,
		NumWrites: records, NumUpdateWrites: records, NumDeletes: deleted,
		TotalWriteBytes: size, FileSizeInBytes: size, LogVersion: int32(l.version), LogFiles: []string{l.name()},
		RuntimeStats: &timeline.RuntimeStats{}}
	if l.slice.base != nil && w.config.Layout < 2 {
		s.BaseFile = strings.TrimPrefix(l.slice.base.path, l.partition+"/")
	}
	return s
}

// writeDeletes writes a block of deleted keys; without keys it is how a log begins that makes a file group.
func writeDeletes(b *bytes.Buffer, instant, partition string, keys []string, schema string, version int) error {
	list := make([]logfile.Deletion, len(keys))
	for i, k := range keys {
		list[i] = logfile.Deletion{Key: k, Partition: partition, Ordering: int32(0)}
	}
	content, err := logfile.AppendDeletions(nil, list, version)
	if err != nil {
		return err
	}
	h := logfile.Header{{Key: logfile.InstantTime, Value: instant}}
	if len(keys) > 0 {
		h = append(h, logfile.Entry{Key: logfile.Schema, Value: schema})
	}
	return logfile.Write(b, logfile.DeleteKeys, h, content)
}

// metadata is what a commit of the metadata table says, yet without files.
func (w *Writer) metadata(operation string) *timeline.CommitMetadata {
	return &timeline.CommitMetadata{PartitionToWriteStats: map[string][]timeline.WriteStat{}, OperationType: operation,
		ExtraMetadata: map[string]string{timeline.SchemaKey: tableSchema(w.version)}}
}

// tableSchema is the schema of records without the meta fields.
func tableSchema(version int) string {
	var s struct {
		Type      string            `json:"type"`
		Name      string            `json:"name"`
		Namespace string            `json:"namespace"`
		Fields    []json.RawMessage `json:"fields"`
	}
	if err := json.Unmarshal([]byte(schemaText(version)), &s); err != nil {
		panic(err) // embedded
	}
	const metaFields = 5
	s.Fields = s.Fields[metaFields:]
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // of raw JSON
	}
	return string(b)
}

// reload reads the timeline anew, after a write.
func (w *Writer) reload(ctx context.Context) error {
	line, err := timeline.Load(ctx, w.bucket, w.config)
	if err != nil {
		return err
	}
	w.timeline, w.slices = line, map[string][]*slice{}
	return w.mark(ctx)
}

// dropPartitions takes partitions out of the metadata table: the properties of the table say first that they are gone.
func (w *Writer) dropPartitions(ctx context.Context, partitions ...string) error {
	if len(partitions) == 0 {
		return nil
	}
	gone := func(p string) bool { return slices.Contains(partitions, p) }
	c, err := config.Update(ctx, w.table, func(p config.Properties) {
		p[keyPartitions] = strings.Join(slices.DeleteFunc(slices.Clone(w.partitions), gone), ",")
	})
	if err != nil {
		return err
	}
	w.conf, w.partitions = c, c.MetadataPartitions
	kept := Indexes{}
	for name, x := range w.indexes {
		if !gone(name) {
			kept[name] = x
		}
	}
	if len(kept) != len(w.indexes) {
		if err := writeIndexes(ctx, w.table, cmp.Or(c.IndexDefs, indexFile), kept); err != nil {
			return err
		}
		w.indexes = kept
	}
	for _, p := range partitions {
		if err := storage.RemoveAll(ctx, w.bucket, p); err != nil {
			return err
		}
	}
	return nil
}

// The properties of a table that say which partitions its metadata table has.
const (
	keyPartitions = "hoodie.table.metadata.partitions"
	keyInflight   = "hoodie.table.metadata.partitions.inflight"
	keyIndexDefs  = "hoodie.table.index.defs.path"
)

// Drop takes the whole metadata table of a table out, as Hudi does for a writer that keeps none: the properties say first that there
// is none, then the folder is removed. A later writer may make a new one. The caller holds the lock of the table.
func Drop(ctx context.Context, table storage.Bucket, c *config.Table) error {
	if len(c.MetadataPartitions) > 0 || len(c.MetadataInflight) > 0 {
		_, err := config.Update(ctx, table, func(p config.Properties) {
			p[keyPartitions] = ""
			p[keyInflight] = ""
		})
		if err != nil {
			return err
		}
	}
	if c.IndexDefs != "" {
		old, err := readIndexes(ctx, table, c.IndexDefs)
		var stale *StaleError
		if errors.As(err, &stale) || err == nil && len(old) > 0 {
			err = writeIndexes(ctx, table, c.IndexDefs, nil)
		}
		if err != nil {
			return err
		}
	}
	return storage.RemoveAll(ctx, table, Dir)
}

// gone passes over the error of a name that no file has.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
