package hudi

import (
	"context"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// recover ends restores that were interrupted, and rolls back what writers that failed have left, before another writer begins.
func (t *Table) recover(ctx context.Context) error {
	line, err := t.timeline(ctx)
	if err != nil || len(line.Pending(timeline.Commit, timeline.DeltaCommit, timeline.ReplaceCommit, timeline.Rollback, timeline.Restore, timeline.Indexing)) == 0 {
		return err
	}
	lock, err := t.lock(ctx, t.settings(nil))
	if err != nil {
		return t.fail("lock", "", err)
	}
	defer lock.unlock(ctx)
	line.Guard = lock.check
	u := &undo{Table: t, line: line, publish: t.publisher()}
	if err := u.reload(ctx); err != nil {
		return err
	}
	if err := u.resumeRestore(ctx); err != nil {
		return t.fail("go on with a restore of", "", err)
	}
	if _, err = u.rollbackFailed(ctx); err != nil {
		return t.fail("roll back failed writes of", "", err)
	}
	return t.fail("end the building of an index of", "", t.resumeIndexing(ctx, u.line))
}
