package metadata

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// compactAfter is the number of writes after which Hudi merges the logs of its metadata tables (hoodie.metadata.compact.max.delta.commits).
const compactAfter = 10

// Maintain merges logs into base files, removes files that nobody needs any more and archives the timeline, when it is time to. It is called before a
// write is put into the metadata table, with the instant of that write.
func (w *Writer) Maintain(ctx context.Context, instant string) error {
	if !w.due() || !w.settled() {
		return nil
	}
	at, ok := w.compactionTime(instant)
	if !ok {
		return nil
	}
	if err := w.compact(ctx, at); err != nil {
		return err
	}
	if err := w.clean(ctx); err != nil {
		return err
	}
	return w.archive(ctx)
}

// archive shortens the timeline. It keeps the writes that are on that of the table: without them here they would not count.
func (w *Writer) archive(ctx context.Context) error {
	if w.data == nil || w.data.Start() == "" {
		return nil
	}
	n, err := w.timeline.ArchiveOld(ctx, timeline.Archival{Retain: w.data.Start(), DeltaCommits: compactAfter})
	if err != nil || n == 0 {
		return err
	}
	return w.reload(ctx)
}

// due reports whether enough writes came since the last compaction.
func (w *Writer) due() bool {
	n := 0
	for _, i := range w.timeline.ByCompletion() {
		switch {
		case i.Action == timeline.Commit:
			n = 0
		case i.Action == timeline.DeltaCommit && !strings.HasPrefix(i.Time, initPrefix):
			n++
		}
	}
	return n >= compactAfter
}

// settled reports whether all writes here are completed in the table: what is not may yet be rolled back, and could not be once it
// is merged.
func (w *Writer) settled() bool {
	for _, i := range w.timeline.Completed(timeline.DeltaCommit) {
		if _, ok := w.counts(i.Time); !ok {
			return false
		}
	}
	return w.data == nil || len(w.timeline.Pending(timeline.Compaction)) == 0
}

// compactionTime is the instant of a compaction that comes before a write. From layout 2 on it lies after all that is here and before
// every write that is not completed: Hudi rolls back no write that is older than the last compaction. Without such an instant the
// compaction is left to a later write.
func (w *Writer) compactionTime(instant string) (string, bool) {
	if w.config.Layout < 2 {
		return w.serviceTime(), true
	}
	if w.data != nil {
		for _, i := range w.data.Pending() {
			instant = min(instant, i.Time)
		}
	}
	at := timeline.NewTime(time.Time{}, time.UTC, w.timeline.LastTime())
	return at, at < instant
}

// compact merges the logs of all slices that have some.
func (w *Writer) compact(ctx context.Context, at string) error {
	plan := &timeline.CompactionPlan{Version: 2}
	type work struct {
		partition string
		slice     *slice
	}
	var todo []work
	for _, p := range w.partitions {
		groups, err := w.groups(ctx, p)
		if err != nil {
			return err
		}
		for _, s := range groups {
			if s.base == nil && len(s.logs) == 1 && strings.HasPrefix(s.logs[0].instant, initPrefix) && s.logs[0].version == 1 || len(s.logs) == 0 {
				continue // as it was made
			}
			todo = append(todo, work{p, s})
			plan.Operations = append(plan.Operations, operation(p, s))
		}
	}
	i, err := w.timeline.RequestAt(ctx, timeline.Compaction, at, plan)
	if err != nil {
		return err
	}
	if i, err = w.timeline.Begin(ctx, i, nil); err != nil {
		return err
	}
	done := w.metadata("COMPACT")
	done.Compacted = true
	for n, t := range todo {
		stat, err := w.compactSlice(ctx, t.partition, t.slice, i.Time, fmt.Sprintf("%d-0-0", n))
		if err != nil {
			return err
		}
		done.PartitionToWriteStats[t.partition] = append(done.PartitionToWriteStats[t.partition], stat)
	}
	if _, err := w.timeline.Complete(ctx, i, w.clock(), done); err != nil {
		return err
	}
	return w.reload(ctx)
}

// serviceTime is the instant of a clean, and of a compaction of layout 1: of layout 1 that of the last write with three digits more.
func (w *Writer) serviceTime() string {
	last := w.timeline.LastTime()
	if w.config.Layout < 2 {
		const width = 17
		last = (last + strings.Repeat("0", width))[:width]
		for n := 1; ; n++ {
			if t := fmt.Sprintf("%s%03d", last, n); t > w.timeline.LastTime() {
				return t
			}
		}
	}
	if w.data != nil {
		last = max(last, w.data.LastTime())
	}
	return timeline.NewTime(w.clock(), w.config.Zone, last)
}

func operation(partition string, s *slice) timeline.CompactionOperation {
	o := timeline.CompactionOperation{BaseInstantTime: s.start(), FileID: s.id, PartitionPath: partition,
		Metrics: map[string]float64{"TOTAL_LOG_FILES": float64(len(s.logs)), "TOTAL_IO_READ_MB": 0, "TOTAL_LOG_FILES_SIZE": 0, "TOTAL_IO_WRITE_MB": 0, "TOTAL_IO_MB": 0}}
	if s.base != nil {
		o.DataFilePath = strings.TrimPrefix(s.base.path, partition+"/")
	}
	for _, l := range s.logs {
		o.DeltaFilePaths = append(o.DeltaFilePaths, strings.TrimPrefix(l.path, partition+"/"))
		o.Metrics["TOTAL_LOG_FILES_SIZE"] += float64(l.size)
	}
	return o
}

// compactSlice writes the base file that a slice amounts to.
func (w *Writer) compactSlice(ctx context.Context, partition string, s *slice, instant, token string) (timeline.WriteStat, error) {
	x := &entries{merges: mergesRecords(partition), byKey: map[string]*entry{}}
	if err := w.readLogs(ctx, s, query{}, x); err != nil {
		return timeline.WriteStat{}, err
	}
	before := timeline.NoCommit
	if s.base != nil {
		before = s.base.instant
	}
	stat, err := w.writeBase(ctx, partition, s, instant, token, w.merged(ctx, s, x))
	stat.PrevCommit = before
	stat.TotalLogFilesCompacted, stat.TotalLogBlocks, stat.TotalLogRecords = int64(len(s.logs)), int64(len(s.logs)), int64(len(x.byKey))
	stat.TotalUpdatedRecordsCompacted = int64(len(x.byKey))
	for _, l := range s.logs {
		stat.TotalLogSizeCompacted += l.size
	}
	return stat, err
}

// merged is the cells of a slice with what its logs have: the base file is passed through, and only records that the logs speak of
// are decoded.
func (w *Writer) merged(ctx context.Context, s *slice, logs *entries) iter.Seq2[cell, error] {
	keys := sortedKeys(logs.byKey)
	return func(yield func(cell, error) bool) {
		next := 0
		emit := func(key string, base *entry) bool {
			c, ok, err := w.mergedCell(key, base, logs.byKey[key], logs.merges)
			return !ok && err == nil || yield(c, err)
		}
		stop := false
		err := w.eachBase(ctx, s, func(key string, base *entry) bool {
			for ; next < len(keys) && keys[next] < key; next++ {
				if stop = !emit(keys[next], nil); stop {
					return false
				}
			}
			if next < len(keys) && keys[next] == key {
				next++
			}
			stop = !emit(key, base)
			return !stop
		})
		if err != nil && !stop {
			yield(cell{}, err)
			return
		}
		for ; next < len(keys) && !stop; next++ {
			stop = !emit(keys[next], nil)
		}
	}
}

// eachBase goes through the cells of the base file of a slice, if it has one.
func (w *Writer) eachBase(ctx context.Context, s *slice, visit func(key string, e *entry) bool) error {
	if s.base == nil {
		return nil
	}
	f, err := w.bucket.Open(ctx, s.base.path)
	if err != nil {
		return w.damaged(ctx, s.base.path, err)
	}
	defer f.Close()
	h, d, err := openTable(f, s.base.size)
	if err != nil {
		return w.damaged(ctx, s.base.path, err)
	}
	it := h.All()
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !visit(string(it.Key()), &entry{raw: it.Value(), decoder: d}) {
			return nil
		}
	}
	return w.damaged(ctx, s.base.path, it.Err())
}

// mergedCell is the cell of a key; not ok when the key is gone.
func (w *Writer) mergedCell(key string, base, log *entry, merges bool) (cell, bool, error) {
	e := base
	if log != nil {
		e = log
	}
	if log == nil && e.decoder != nil && e.decoder.text == schemaText(w.version) {
		return cell{key, e.raw}, true, nil
	}
	r, err := e.get(key)
	if err == nil && merges && base != nil && log != nil {
		var old *Record
		if old, err = base.get(key); err == nil {
			r = merge(old, r)
		}
	}
	if err != nil {
		return cell{}, false, err
	}
	r = r.settled()
	return cell{key, r.encode(nil, w.version)}, !r.empty(), nil
}

// settled is a record without the files that it says are gone: under it there is nothing that could have them.
func (r *Record) settled() *Record {
	if r.Files == nil {
		return r
	}
	out := *r
	out.Files = map[string]FileState{}
	for name, f := range r.Files {
		if !f.Deleted {
			out.Files[name] = f
		}
	}
	return &out
}
