package hudi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// savepoint keeps the files of the table's state as of a commit from being cleaned, "" for the last commit.
func (t *Table) savepoint(ctx context.Context, o options, instant, user, comment string) error {
	return t.locked(ctx, o, func(line *timeline.Timeline) error {
		i, ok := line.Last()
		if instant != "" {
			i, ok = line.Find(instant)
		}
		if !ok || i.State != timeline.Completed || !i.Action.Writes() {
			return fmt.Errorf("there is no completed commit %s to savepoint", instant)
		}
		if at, ok := line.At(i.Time, timeline.Savepoint); ok && at.State == timeline.Completed {
			return &lake.Error{Op: "save", Path: t.path, Err: fmt.Errorf("the commit %s has a savepoint already", i.Time),
				Hint: "CALL delete_savepoint takes it back, so that it can be made with other comments."}
		}
		if err := t.cleanedPast(ctx, line, i.Time); err != nil {
			return err
		}
		m, err := t.savepointOf(ctx, i.Time)
		if err != nil {
			return err
		}
		m.SavepointedBy, m.Comments = user, comment
		at := timeline.Instant{Time: i.Time, Action: timeline.Savepoint, State: timeline.Inflight}
		if _, err := line.Begin(ctx, at, nil); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		_, err = line.Complete(ctx, at, time.Now(), m)
		return err
	})
}

// cleanedPast is an error when a clean, done or planned, has left no whole state as of an instant.
func (t *Table) cleanedPast(ctx context.Context, line *timeline.Timeline, instant string) error {
	for _, i := range slices.Backward(line.Instants()) {
		requested, ok := line.InState(i, timeline.Requested)
		if i.Action != timeline.Clean || !ok {
			continue
		}
		var p timeline.CleanPlan
		if err := line.Read(ctx, requested, &p); err != nil {
			return err
		}
		kept := p.LastCompletedCommitTimestamp
		if p.EarliestInstantToRetain != nil {
			kept = p.EarliestInstantToRetain.Timestamp
		}
		if instant < kept {
			return fmt.Errorf("files of the commit %s are cleaned up: states from %s on are whole", instant, kept)
		}
		return nil
	}
	return nil
}

// savepointOf names the files of the state as of a commit.
func (t *Table) savepointOf(ctx context.Context, instant string) (*timeline.SavepointMetadata, error) {
	s, err := t.snapshot(ctx, instant, reading{}, nil)
	if err != nil {
		return nil, err
	}
	m := &timeline.SavepointMetadata{SavepointedAt: time.Now().UnixMilli(), PartitionMetadata: map[string]timeline.SavepointPartitionMetadata{}, Version: 1}
	for _, slice := range s.slices {
		p := m.PartitionMetadata[slice.Partition]
		p.PartitionPath = slice.Partition
		for _, f := range sliceFiles(slice) {
			p.SavepointDataFile = append(p.SavepointDataFile, path.Base(f))
		}
		m.PartitionMetadata[slice.Partition] = p
	}
	return m, nil
}

// deleteSavepoint lets the files of a savepoint be cleaned; "" is the newest savepoint.
func (t *Table) deleteSavepoint(ctx context.Context, o options, instant string) error {
	return t.locked(ctx, o, func(line *timeline.Timeline) error {
		i, err := findSavepoint(line, instant)
		if err != nil {
			return err
		}
		if err := line.Unpublish(ctx, i); err != nil {
			return err
		}
		fresh, err := t.timeline(ctx)
		if err != nil {
			return err
		}
		i.State, i.Completion = timeline.Inflight, ""
		return fresh.Remove(ctx, i)
	})
}

// findSavepoint is a completed savepoint; "" is the newest.
func findSavepoint(line *timeline.Timeline, instant string) (timeline.Instant, error) {
	all := line.Completed(timeline.Savepoint)
	if instant == "" && len(all) > 0 {
		return all[len(all)-1], nil
	}
	i, ok := line.At(instant, timeline.Savepoint)
	if !ok || i.State != timeline.Completed {
		return timeline.Instant{}, fmt.Errorf("there is no savepoint %s", instant)
	}
	return i, nil
}
