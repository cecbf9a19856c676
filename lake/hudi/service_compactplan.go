package hudi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// errNothing says that a table service found nothing to do.
var errNothing = errors.New("there is nothing to do")

// taken are the file groups that pending compactions and clusterings will rewrite.
func taken(ctx context.Context, line *timeline.Timeline) (map[groupKey]bool, error) {
	out := map[groupKey]bool{}
	for _, i := range line.Pending(timeline.Compaction, timeline.LogCompaction, timeline.Clustering, timeline.ReplaceCommit) {
		requested, ok := line.InState(i, timeline.Requested)
		if !ok {
			continue
		}
		var groups []timeline.FileGroup
		if i.Action == timeline.Compaction || i.Action == timeline.LogCompaction {
			var p timeline.CompactionPlan
			if err := line.Read(ctx, requested, &p); err != nil {
				return nil, err
			}
			groups = p.Groups()
		} else {
			var p timeline.ReplacePlan
			if err := line.Read(ctx, requested, &p); err != nil {
				return nil, err
			}
			groups = p.Groups()
		}
		for _, g := range groups {
			out[groupKey{g.Partition, g.FileID}] = true
		}
	}
	return out, nil
}

// planCompaction is the plan that makes base files of all slices of s with logs, largest logs first. It is errNothing when there are
// none.
func planCompaction(ctx context.Context, s *Snapshot) (*timeline.CompactionPlan, error) {
	if s.config.Type != config.MergeOnRead {
		return nil, fmt.Errorf("only MERGE_ON_READ tables are compacted: %w", errors.ErrUnsupported)
	}
	if s.config.Version < 8 {
		// Until version 6 the name of a log says to which slice it belongs: one that a running write makes later would be lost.
		if running := s.timeline.Pending(timeline.Commit, timeline.DeltaCommit); len(running) > 0 {
			return nil, fmt.Errorf("the write %s is not completed; a compaction is planned between writes only", running[0].Time)
		}
	}
	busy, err := taken(ctx, s.timeline)
	if err != nil {
		return nil, err
	}
	p := &timeline.CompactionPlan{Version: 2, ExtraMetadata: map[string]string{}, MissingSchedulePartitions: []string{}}
	for _, slice := range s.slices {
		if len(slice.Logs) > 0 && !busy[groupKey{slice.Partition, slice.FileID}] {
			p.Operations = append(p.Operations, operationOn(slice))
		}
	}
	if len(p.Operations) == 0 {
		return nil, errNothing
	}
	slices.SortStableFunc(p.Operations, func(a, b timeline.CompactionOperation) int {
		return cmp.Compare(b.Metrics[metricLogSize], a.Metrics[metricLogSize])
	})
	return p, nil
}

// The metrics of plans.
const (
	metricLogFiles = "TOTAL_LOG_FILES"
	metricLogSize  = "TOTAL_LOG_FILES_SIZE"
	metricRead     = "TOTAL_IO_READ_MB"
	metricWrite    = "TOTAL_IO_WRITE_MB"
	metricBoth     = "TOTAL_IO_MB"
)

// sliceMetrics say how much a rewrite of slices reads and writes.
func sliceMetrics(list ...*fileSlice) map[string]float64 {
	var base, logs, files int64
	for _, s := range list {
		if s.Base != nil {
			base += s.Base.Size
		}
		for _, l := range s.Logs {
			logs += l.Size
			files++
		}
	}
	const mb = 1 << 20
	read, write := (base+logs)/mb, base/mb
	return map[string]float64{metricLogFiles: float64(files), metricLogSize: float64(logs), metricRead: float64(read), metricWrite: float64(write),
		metricBoth: float64(read + write)}
}

// operationOn is the compaction of one slice.
func operationOn(s *fileSlice) timeline.CompactionOperation {
	op := timeline.CompactionOperation{BaseInstantTime: s.Instant(), FileID: s.FileID, PartitionPath: s.Partition, Metrics: sliceMetrics(s)}
	if s.Base != nil {
		op.DataFilePath = path.Base(s.Base.Path)
	}
	for _, l := range s.Logs {
		op.DeltaFilePaths = append(op.DeltaFilePaths, path.Base(l.Path))
	}
	return op
}
