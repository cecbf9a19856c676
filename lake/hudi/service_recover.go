package hudi

import (
	"context"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// ready ends what others have left unfinished, before another write or service begins: failed writes are rolled back, and clusterings whose
// writers are gone are carried out.
func (t *Table) ready(ctx context.Context, x engine.Engine) error {
	line, err := t.recover(ctx)
	if err != nil {
		return err
	}
	return t.fail("end the clusterings of", "", t.endClusterings(ctx, x, line))
}

// recover ends restores that were interrupted, and rolls back what writers that failed have left. It gives the timeline as it is then.
func (t *Table) recover(ctx context.Context) (*timeline.Timeline, error) {
	line, err := t.timeline(ctx)
	if err != nil || len(line.Pending(timeline.Commit, timeline.DeltaCommit, timeline.ReplaceCommit, timeline.Rollback, timeline.Restore, timeline.Indexing)) == 0 {
		return line, err
	}
	lock, err := t.lock(ctx, t.settings(nil))
	if err != nil {
		return nil, t.fail("lock", "", err)
	}
	defer lock.unlock(ctx)
	line.Guard = lock.check
	u := &undo{Table: t, line: line, publish: t.publisher()}
	if err := u.reload(ctx); err != nil {
		return nil, err
	}
	if err := u.resumeRestore(ctx); err != nil {
		return nil, t.fail("go on with a restore of", "", err)
	}
	if _, err = u.rollbackFailed(ctx); err != nil {
		return nil, t.fail("roll back failed writes of", "", err)
	}
	return u.line, t.fail("end the building of an index of", "", t.resumeIndexing(ctx, u.line))
}
