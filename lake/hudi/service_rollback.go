package hudi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// A write that failed has left files that no commit names. Undoing it is an action of its own:
//
//	plan ──▶ requested, inflight ──▶ files removed, for good ──▶ metadata table ──▶ failed action removed ──▶ completed ──▶ markers removed
//
// The plan is there before the first file goes, so whoever finds a rollback that is pending does it again from the plan.

// A publisher brings the metadata table in line with a rollback, before the rollback is completed.
type publisher func(ctx context.Context, line *timeline.Timeline, rollback timeline.Instant, m *timeline.RollbackMetadata) error

// undo rolls back actions of a table. Whoever uses it holds the table's lock.
type undo struct {
	*Table
	line    *timeline.Timeline
	pulse   timeline.Pulse // of writers
	plans   bool           // plans of table services go with what they did: a restore
	publish publisher      // nil when the table has no metadata table
}

// rollbackFailed ends the rollbacks that were interrupted, and rolls back the writes whose writers are gone: pending commits,
// deltacommits and replacecommits without a living heartbeat, newest first. Actions of table services with a plan are left to who
// executes them. It returns how many it rolled back.
func (u *undo) rollbackFailed(ctx context.Context) (int, error) {
	if err := u.resume(ctx); err != nil {
		return 0, err
	}
	failed, err := u.failed(ctx)
	if err != nil {
		return 0, u.fail("find failed writes of", "", err)
	}
	for n, i := range failed {
		if _, err := u.rollback(ctx, i); err != nil {
			return n, err
		}
	}
	return len(failed), nil
}

// failed are the writes to roll back, newest first.
func (u *undo) failed(ctx context.Context) (out []timeline.Instant, err error) {
	now := time.Now()
	for _, i := range u.line.Pending(timeline.Commit, timeline.DeltaCommit, timeline.ReplaceCommit) {
		alive, err := timeline.Alive(ctx, u.bucket, i.Time, now, u.pulse)
		if err != nil {
			return nil, err
		}
		planned, err := u.planned(ctx, i)
		if err != nil {
			return nil, err
		}
		if !alive && !planned {
			out = append(out, i)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// planned reports whether a pending action carries out a plan: compactions, and clusterings, which layout 1 calls replacecommits.
func (u *undo) planned(ctx context.Context, i timeline.Instant) (bool, error) {
	asked, ok := u.line.InState(i, timeline.Requested)
	if !ok || asked.Action != timeline.ReplaceCommit {
		return ok && asked.Action.Completes() != asked.Action, nil
	}
	var plan timeline.ReplacePlan
	err := u.line.Read(ctx, asked, &plan)
	return plan.ClusteringPlan != nil, err
}

// rollback undoes an action, pending or completed. A plan of a table service stays, requested, unless u
// says otherwise; everything else is gone afterwards.
func (u *undo) rollback(ctx context.Context, i timeline.Instant) (*timeline.RollbackMetadata, error) {
	if _, saved := u.line.At(i.Time, timeline.Savepoint); saved {
		return nil, u.fail("roll back", "", fmt.Errorf("commit %s is saved by a savepoint", i.Time))
	}
	requests, err := u.requests(ctx, i)
	if err != nil {
		return nil, u.fail("plan to roll back", "", fmt.Errorf("%s: %w", i, err))
	}
	plan := &timeline.RollbackPlan{
		InstantToRollback: &timeline.InstantInfo{CommitTime: i.Time, Action: string(i.Action)},
		RollbackRequests:  requests,
		Version:           1,
	}
	r, err := u.line.Request(ctx, timeline.Rollback, time.Now(), plan)
	if err != nil {
		return nil, u.fail("roll back", "", err)
	}
	return u.execute(ctx, r, plan)
}

// resume does again the rollbacks that are pending. One whose plan was never written has done nothing, and is removed.
func (u *undo) resume(ctx context.Context) error {
	for _, r := range u.line.Pending(timeline.Rollback) {
		plan := new(timeline.RollbackPlan)
		if asked, ok := u.line.InState(r, timeline.Requested); ok {
			if err := u.line.Read(ctx, asked, plan); err != nil {
				return u.fail("resume a rollback of", "", err)
			}
		}
		if plan.InstantToRollback == nil {
			if err := u.line.Remove(ctx, r); err != nil {
				return u.fail("resume a rollback of", "", err)
			}
			continue
		}
		if _, err := u.execute(ctx, r, plan); err != nil {
			return err
		}
	}
	return u.reload(ctx)
}

func (u *undo) reload(ctx context.Context) error {
	line, err := u.timeline(ctx)
	if err != nil {
		return err
	}
	if u.line != nil {
		line.Guard = u.line.Guard
	}
	u.line = line
	return nil
}

// execute carries out a rollback that is requested or inflight. Every step may have been done before.
func (u *undo) execute(ctx context.Context, r timeline.Instant, plan *timeline.RollbackPlan) (*timeline.RollbackMetadata, error) {
	began := time.Now()
	if err := u.reload(ctx); err != nil {
		return nil, err
	}
	if r.State == timeline.Requested {
		var err error
		if r, err = u.line.Begin(ctx, r, nil); err != nil {
			return nil, u.fail("roll back", "", err)
		}
	}
	target := timeline.Instant{Time: plan.InstantToRollback.CommitTime, Action: timeline.Action(plan.InstantToRollback.Action)}
	if err := u.line.Unpublish(ctx, target); err != nil {
		return nil, u.fail("roll back", "", err)
	}
	m, err := u.remove(ctx, r, target, plan.RollbackRequests)
	if err != nil {
		return nil, u.fail("roll back", "", fmt.Errorf("%s: %w", target, err))
	}
	m.TimeTakenInMillis = time.Since(began).Milliseconds()
	return m, u.finish(ctx, r, target, m)
}

// finish makes a rollback of which the files are removed visible.
func (u *undo) finish(ctx context.Context, r, target timeline.Instant, m *timeline.RollbackMetadata) error {
	if u.publish != nil {
		if err := u.publish(ctx, u.line, r, m); err != nil {
			return err
		}
	}
	if err := u.reload(ctx); err != nil { // without the completed file of target
		return err
	}
	if err := u.withdraw(ctx, target); err != nil {
		return u.fail("roll back", "", err)
	}
	if _, err := u.line.Complete(ctx, r, time.Now(), m); err != nil {
		return u.fail("roll back", "", err)
	}
	err := errors.Join(timeline.RemoveMarkers(ctx, u.bucket, target.Time), timeline.RemoveHeartbeat(ctx, u.bucket, target.Time), u.reload(ctx))
	if err != nil {
		return u.fail("roll back", "", err)
	}
	return nil
}

// withdraw takes the action that was rolled back off the timeline. Plans of table services stay, to be carried out again.
func (u *undo) withdraw(ctx context.Context, target timeline.Instant) error {
	planned, err := u.planned(ctx, target)
	if err != nil {
		return err
	}
	if u.plans || !planned && target.Action.Completes() == target.Action {
		return u.line.Remove(ctx, target)
	}
	if begun, ok := u.line.InState(target, timeline.Inflight); ok {
		return u.bucket.Remove(ctx, u.line.Path(begun))
	}
	return nil
}

// remove removes the files that a plan names, and voids blocks of log files that hold those of other writes as well.
func (u *undo) remove(ctx context.Context, r, target timeline.Instant, requests []timeline.RollbackRequest) (*timeline.RollbackMetadata, error) {
	m := &timeline.RollbackMetadata{
		StartRollbackTime: r.Time,
		CommitsRollback:   []string{target.Time},
		PartitionMetadata: map[string]timeline.RollbackPartitionMetadata{},
		Version:           1,
		InstantsRollback:  []timeline.InstantInfo{{CommitTime: target.Time, Action: string(target.Action)}},
	}
	for i := range requests {
		p, ok := m.PartitionMetadata[requests[i].PartitionPath]
		if !ok {
			p = timeline.RollbackPartitionMetadata{PartitionPath: requests[i].PartitionPath, SuccessDeleteFiles: []string{}, FailedDeleteFiles: []string{},
				RollbackLogFiles: map[string]int64{}, LogFilesFromFailedCommit: map[string]int64{}}
		}
		if err := u.removeFiles(ctx, &requests[i], &p); err != nil {
			return nil, err
		}
		if err := u.voidBlocks(ctx, r.Time, target.Time, &requests[i], &p); err != nil {
			return nil, err
		}
		m.TotalFilesDeleted += int32(len(requests[i].FilesToBeDeleted))
		m.PartitionMetadata[p.PartitionPath] = p
	}
	return m, u.settle(ctx, target.Time, slices.Sorted(maps.Keys(m.PartitionMetadata)))
}

func (u *undo) removeFiles(ctx context.Context, q *timeline.RollbackRequest, p *timeline.RollbackPartitionMetadata) error {
	for _, file := range q.FilesToBeDeleted {
		name, err := inPartition(q.PartitionPath, file)
		if err != nil {
			return err
		}
		if err := u.bucket.Remove(ctx, name); err != nil {
			return err
		}
		p.SuccessDeleteFiles = append(p.SuccessDeleteFiles, file)
	}
	return nil
}

// voidBlocks writes a block into a new log file of a slice that voids those of the failed write in the older ones.
func (u *undo) voidBlocks(ctx context.Context, rollback, target string, q *timeline.RollbackRequest, p *timeline.RollbackPartitionMetadata) error {
	if len(q.LogBlocksToBeDeleted) == 0 {
		return nil
	}
	logs, err := u.logsOf(ctx, q.PartitionPath, q.FileID, q.LatestBaseInstant)
	if err != nil {
		return err
	}
	made, size, err := u.writeVoid(ctx, rollback, target, q, logs)
	if err != nil {
		return err
	}
	p.RollbackLogFiles[u.absolute(made)] = size
	maps.Copy(p.LogFilesFromFailedCommit, q.LogBlocksToBeDeleted)
	return nil
}

// inPartition is the name in the table of a file that a plan names by an absolute path. The table may have been moved since, so
// that only the last part of the path counts.
func inPartition(partition, file string) (string, error) {
	name := path.Join(partition, path.Base(file))
	return name, storage.CheckName(name)
}

// absolute is the path by which plans name a file of the table.
func (t *Table) absolute(name string) string {
	if local, ok := storage.As[storage.Local](t.bucket); ok {
		if p, err := local.Path(name); err == nil {
			return p
		}
	}
	return t.path + "/" + name
}
