package hudi

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
)

// scheduleCompaction puts a compaction of all logs on the timeline. It is errNothing when there are none.
func (t *Table) scheduleCompaction(ctx context.Context, o options) (timeline.Instant, error) {
	var i timeline.Instant
	err := t.locked(ctx, o, func(*timeline.Timeline) error {
		s, err := t.snapshot(ctx, "", reading{}, nil)
		if err != nil {
			return err
		}
		p, err := planCompaction(ctx, s)
		if err != nil {
			return err
		}
		i, err = s.timeline.Request(ctx, timeline.Compaction, time.Now(), p)
		return err
	})
	return i, err
}

// compact carries out a pending compaction: every planned slice becomes a base file, named after the compaction.
func (t *Table) compact(ctx context.Context, x engine.Engine, o options, i timeline.Instant) error {
	v, err := t.serve(ctx, x, o, i, opCompact)
	if err == nil {
		err = v.compact(ctx)
	}
	if v == nil {
		return err
	}
	return v.end(ctx, err)
}

func (v *serving) compact(ctx context.Context) error {
	requested, ok := v.line.InState(v.act.instant, timeline.Requested)
	if !ok {
		return fmt.Errorf("the compaction %s has no plan", v.act.instant.Time)
	}
	var p timeline.CompactionPlan
	if err := v.line.Read(ctx, requested, &p); err != nil {
		return err
	}
	l, err := v.layoutOf()
	if err != nil {
		return err
	}
	var list []*fileSlice
	for k, op := range p.Operations {
		s, err := v.slice(op.PartitionPath, op.FileID, op.DataFilePath, op.DeltaFilePaths)
		if err != nil {
			return err
		}
		s.Number = int64(k)
		list = append(list, s)
	}
	for _, run := range runs(list) {
		if err := v.compactRun(ctx, l, run); err != nil {
			return err
		}
	}
	_, err = v.complete(ctx, v.says(l), func() error { return nil })
	return err
}

// runs splits slices into runs of about the same size, so that memory and open files stay bounded.
func runs(list []*fileSlice) [][]*fileSlice {
	var total int64
	for _, s := range list {
		total += sliceSize(s)
	}
	limit := max(total/maxRuns+1, minRun)
	size := limit
	var out [][]*fileSlice
	for _, s := range list {
		if size >= limit {
			out, size = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], s)
		size += sliceSize(s)
	}
	return out
}

func (v *serving) compactRun(ctx context.Context, l *layout, run []*fileSlice) error {
	rows, err := v.merged(ctx, l, run)
	if err != nil {
		return err
	}
	byKey := map[string]*fileSlice{}
	for _, s := range run {
		byKey[strconv.FormatInt(s.Number, 10)] = s
	}
	d := l.dest(v.act, rows.columns)
	d.Key = rows.group
	d.Name = func(key string, n int) string {
		s := byKey[key]
		if s == nil || n > 0 {
			return v.act.refuse(fmt.Errorf("the engine made file %d of slice %q, which it was not asked for", n, key))
		}
		return v.act.nameBase(ctx, s.Partition, s.FileID, key, s.Base, newKeyIndex(l, v.act.instant.Time))
	}
	files, err := v.writeFiles(ctx, rows.rows, d)
	if err != nil {
		return err
	}
	made := map[string]rel.File{}
	for _, f := range files {
		made[f.Key] = f
	}
	for key, s := range byKey {
		f, ok := made[key]
		if !ok || f.Rows == 0 {
			name := v.act.nameBase(ctx, s.Partition, s.FileID, key, s.Base, nil)
			if err := v.act.failure(); err != nil {
				return err
			}
			if f, err = v.writeEmpty(ctx, l, name); err != nil {
				return err
			}
		}
		stat := v.act.baseStat(f)
		if err := v.countLogs(ctx, s, &stat); err != nil {
			return err
		}
		v.act.add(stat, f)
	}
	return nil
}

// countLogs tells in the statistics of a new base file of which logs it is made.
func (v *serving) countLogs(ctx context.Context, s *fileSlice, stat *timeline.WriteStat) error {
	if stat.PrevCommit = s.Instant(); s.Base != nil {
		stat.PrevBaseFile = s.Base.String()
	}
	stat.TotalLogFilesCompacted = int64(len(s.Logs))
	for _, log := range s.Logs {
		stat.TotalLogSizeCompacted += log.Size
		err := v.table.blocksOf(ctx, log.Path, func(b *logfile.Block) error {
			stat.TotalLogBlocks++
			switch b.Type {
			case logfile.Corrupt:
				stat.TotalCorruptLogBlock++
				return nil
			case logfile.Command:
				stat.TotalRollbackBlocks++
				return nil
			}
			n, err := recordCount(b)
			stat.TotalLogRecords += n
			if b.Type == logfile.AvroData {
				stat.TotalUpdatedRecordsCompacted += n
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	stat.NumUpdateWrites = min(stat.TotalUpdatedRecordsCompacted, stat.NumWrites)
	return nil
}
