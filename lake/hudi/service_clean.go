package hudi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// leftoverAge is how old the files that killed writers have left are when cleaning removes them.
const leftoverAge = 24 * time.Hour

// clean deletes the files that no kept state of the table needs: what a clean that did not end has left to do, then, where schedule,
// what the retention allows now. It gives what the last of them did, nil where there was nothing to do.
//
//	[lock: plan ──▶ requested] ──▶ inflight ──▶ files deleted ──▶ [lock: metadata table ──▶ completed]
//
// It also removes what killed writers have left beside the table's data. A crash at any step leaves a pending clean, whose plan the next clean carries out again.
func (t *Table) clean(ctx context.Context, o options, r retention, schedule bool) (*timeline.CleanMetadata, error) {
	var done *timeline.CleanMetadata
	line, err := t.timeline(ctx)
	if err != nil {
		return nil, err
	}
	for _, i := range line.Pending(timeline.Clean) {
		if done, err = t.carryOutClean(ctx, o, line, i); err != nil {
			return nil, err
		}
	}
	if err := timeline.Sweep(ctx, t.bucket, line, time.Now().Add(-leftoverAge)); err != nil {
		return done, err
	}
	if !schedule {
		return done, nil
	}
	line, i, err := t.planClean(ctx, o, r)
	if err != nil || i == (timeline.Instant{}) {
		return done, err
	}
	return t.carryOutClean(ctx, o, line, i)
}

// planClean puts the plan of a clean on the timeline; the instant is zero where there is nothing to delete.
func (t *Table) planClean(ctx context.Context, o options, r retention) (*timeline.Timeline, timeline.Instant, error) {
	var i timeline.Instant
	err := t.locked(ctx, o, func(line *timeline.Timeline) error {
		c, err := t.cleaning(ctx, r)
		if err != nil {
			return err
		}
		p := c.plan()
		if p == nil {
			return nil
		}
		i, err = line.Request(ctx, timeline.Clean, time.Now(), p)
		return err
	})
	if err != nil || i == (timeline.Instant{}) {
		return nil, i, err
	}
	line, err := t.timeline(ctx)
	return line, i, err
}

// carryOutClean deletes the files of the plan of a pending clean, and completes it.
func (t *Table) carryOutClean(ctx context.Context, o options, line *timeline.Timeline, i timeline.Instant) (*timeline.CleanMetadata, error) {
	started := time.Now()
	requested, ok := line.InState(i, timeline.Requested)
	if !ok {
		return nil, fmt.Errorf("the clean %s has no plan", i.Time)
	}
	var p timeline.CleanPlan
	if err := line.Read(ctx, requested, &p); err != nil {
		return nil, err
	}
	if i.State == timeline.Requested {
		var says timeline.Record // releases of layout 1 write the plan again
		if line.Layout < 2 {
			says = &p
		}
		begun, err := line.Begin(ctx, i, says)
		if err != nil {
			return nil, err
		}
		i = begun
	}
	m := &timeline.CleanMetadata{StartCleanTime: i.Time, LastCompletedCommitTimestamp: p.LastCompletedCommitTimestamp, Version: 2,
		PartitionMetadata: map[string]timeline.CleanPartitionMetadata{}, BootstrapPartitionMetadata: map[string]timeline.CleanPartitionMetadata{},
		ExtraMetadata: p.ExtraMetadata}
	if p.EarliestInstantToRetain != nil {
		m.EarliestCommitToRetain = p.EarliestInstantToRetain.Timestamp
	}
	files := cleanedFiles(&p)
	for partition, names := range files {
		if err := t.bucket.Remove(ctx, names...); err != nil {
			return nil, err
		}
		base := make([]string, len(names))
		for k, n := range names {
			base[k] = path.Base(n)
		}
		m.PartitionMetadata[partition] = timeline.CleanPartitionMetadata{PartitionPath: partition, Policy: p.Policy, DeletePathPatterns: base,
			SuccessDeleteFiles: base, FailedDeleteFiles: []string{}}
		m.TotalFilesDeleted += int32(len(names))
	}
	if err := t.settle(ctx, i.Time, slices.Collect(maps.Keys(files))); err != nil {
		return nil, err
	}
	m.TimeTakenInMillis = time.Since(started).Milliseconds()
	return m, t.completeClean(ctx, o, i, m)
}

// completeClean tells the metadata table and the timeline. A clean that another writer has completed meanwhile is done.
func (t *Table) completeClean(ctx context.Context, o options, i timeline.Instant, m *timeline.CleanMetadata) error {
	return t.locked(ctx, o, func(line *timeline.Timeline) error {
		if _, done := line.InState(i, timeline.Completed); done {
			return nil
		}
		if err := t.cleanMetadata(ctx, line, i, m); err != nil {
			return err
		}
		_, err := line.Complete(ctx, i, time.Now(), m)
		var gone *timeline.GoneError
		if errors.As(err, &gone) && gone.Instant.State == timeline.Completed {
			return nil
		}
		return err
	})
}

// cleanMetadata brings the metadata table in step with a clean.
func (t *Table) cleanMetadata(ctx context.Context, line *timeline.Timeline, i timeline.Instant, m *timeline.CleanMetadata) error {
	var c metadata.Changes
	for partition, files := range m.PartitionMetadata {
		for _, name := range files.SuccessDeleteFiles {
			c.Removed = append(c.Removed, metadata.FileRef{Partition: partition, Name: name})
		}
		if files.IsPartitionDeleted {
			c.Dropped = append(c.Dropped, partition)
		}
	}
	return t.tellMetadata(ctx, line, i, func(*metadata.Writer) (metadata.Changes, error) { return c, nil })
}
