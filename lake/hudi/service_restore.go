package hudi

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// A restore brings the table back to a savepoint: it undoes every later action that changed files, newest first.
//
//	[lock: plan ──▶ requested, inflight ──▶ metadata table dropped ──▶ each action rolled back ──▶ completed]
//
// The rollbacks leave no instants of their own, as in Hudi. A restore that was interrupted goes on from its plan: what is undone
// already is no longer on the timeline.

// rollbackTo undoes the last commit of the table, which instant names.
func (t *Table) rollbackTo(ctx context.Context, o options, instant string) error {
	return t.locked(ctx, o, func(line *timeline.Timeline) error {
		i, ok := line.Find(instant)
		if !ok || !i.Action.Completes().Writes() {
			return fmt.Errorf("there is no commit %s on the timeline", instant)
		}
		if last, ok := line.Last(); ok && last.Time > instant {
			return fmt.Errorf("the commit %s is later than %s: it must be rolled back first", last.Time, instant)
		}
		u := t.undoing(line, o)
		if err := u.resume(ctx); err != nil {
			return err
		}
		_, err := u.rollback(ctx, i)
		return err
	})
}

// restore brings the table back to a savepoint; "" is the newest.
func (t *Table) restore(ctx context.Context, o options, instant string) error {
	return t.locked(ctx, o, func(line *timeline.Timeline) error {
		u := t.undoing(line, o)
		if err := u.resume(ctx); err != nil {
			return err
		}
		if err := u.resumeRestore(ctx); err != nil {
			return err
		}
		saved, err := findSavepoint(u.line, instant)
		if err != nil {
			return err
		}
		plan := &timeline.RestorePlan{Version: 1, SavepointToRestore: saved.Time}
		for _, i := range slices.Backward(u.line.Instants()) {
			if i.Action == timeline.Savepoint && i.Time > saved.Time {
				return fmt.Errorf("there is a later savepoint, %s: delete it first", i.Time)
			}
			if i.Time > saved.Time && i.Action.Completes().Writes() {
				plan.InstantsToRollback = append(plan.InstantsToRollback, timeline.InstantInfo{CommitTime: i.Time, Action: string(i.Action)})
			}
		}
		if line.Version >= 8 {
			plan.Version = 2
		}
		r, err := u.line.Request(ctx, timeline.Restore, time.Now(), plan)
		if err != nil {
			return err
		}
		if err := u.reload(ctx); err != nil {
			return err
		}
		return u.carryOutRestore(ctx, r)
	})
}

// resumeRestore ends the restores that were interrupted.
func (u *undo) resumeRestore(ctx context.Context) error {
	for _, r := range u.line.Pending(timeline.Restore) {
		again := *u
		if err := again.carryOutRestore(ctx, r); err != nil {
			return err
		}
		if err := u.reload(ctx); err != nil {
			return err
		}
	}
	return nil
}

// carryOutRestore undoes what the plan of a restore names, and completes it.
func (u *undo) carryOutRestore(ctx context.Context, r timeline.Instant) error {
	began := time.Now()
	var plan timeline.RestorePlan
	asked, ok := u.line.InState(r, timeline.Requested)
	if !ok {
		return fmt.Errorf("the restore %s has no plan", r.Time)
	}
	if err := u.line.Read(ctx, asked, &plan); err != nil {
		return err
	}
	if r.State == timeline.Requested {
		var err error
		if r, err = u.line.Begin(ctx, r, nil); err != nil {
			return err
		}
	}
	u.plans = true
	if err := u.dropMetadata(ctx); err != nil { // it names files that go
		return err
	}
	m := &timeline.RestoreMetadata{StartRestoreTime: r.Time, Rollbacks: map[string][]timeline.RollbackMetadata{}, Version: 1}
	for _, info := range plan.InstantsToRollback {
		m.InstantsToRollback = append(m.InstantsToRollback, info.CommitTime)
		m.RestoreInstantInfo = append(m.RestoreInstantInfo, info)
		i, ok := u.at(info)
		if !ok {
			continue // undone before the restore was interrupted
		}
		one, err := u.undoSilently(ctx, r, i)
		if err != nil {
			return err
		}
		m.Rollbacks[info.CommitTime] = []timeline.RollbackMetadata{*one}
	}
	m.TimeTakenInMillis = time.Since(began).Milliseconds()
	_, err := u.line.Complete(ctx, r, time.Now(), m)
	return err
}

// at finds the action that a plan names.
func (u *undo) at(info timeline.InstantInfo) (timeline.Instant, bool) {
	for _, i := range u.line.Instants() {
		if i.Time == info.CommitTime && i.Action.Completes() == timeline.Action(info.Action).Completes() {
			return i, true
		}
	}
	return timeline.Instant{}, false
}

// undoSilently rolls back an action without an instant for that. The action is taken back first, and its files go next: what a crash
// leaves of it is a failed write, which is undone like any other.
func (u *undo) undoSilently(ctx context.Context, r, i timeline.Instant) (*timeline.RollbackMetadata, error) {
	requests, err := u.requests(ctx, i)
	if err != nil {
		return nil, err
	}
	if err := u.line.Unpublish(ctx, i); err != nil {
		return nil, err
	}
	m, err := u.remove(ctx, r, i, requests)
	if err != nil {
		return nil, err
	}
	if err := u.reload(ctx); err != nil {
		return nil, err
	}
	if err := u.line.Remove(ctx, i); err != nil {
		return nil, err
	}
	if err := timeline.RemoveMarkers(ctx, u.bucket, i.Time); err != nil {
		return nil, err
	}
	return m, u.reload(ctx)
}
