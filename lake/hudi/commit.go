package hudi

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// Commit makes the changes visible at once, or says why not. A transaction that changes nothing makes no instant.
func (x *tx) Commit(ctx context.Context, op lake.Operation) (lake.Commit, error) {
	if x.closed {
		return lake.Commit{}, errors.New("the transaction is over")
	}
	if x.broken != nil {
		return lake.Commit{}, errors.Join(fmt.Errorf("a change of this transaction failed: %w", x.broken), x.Rollback())
	}
	out := lake.Commit{Version: x.base.Version(), Operation: op, Attempts: 1, Metrics: map[string]string{}, Warnings: x.warnings}
	if x.act == nil && x.widened != "" { // only rows of the new type widen a column
		return out, errors.Join(x.unchangeable("the type of column "+x.widened, onReadHint), x.Rollback())
	}
	if x.act == nil && x.evolved {
		if _, err := x.begin(ctx, x.kind(), opAlterSchema); err != nil {
			return out, x.table.fail("commit to", "", errors.Join(err, x.Rollback()))
		}
	}
	if x.act == nil {
		x.closed = true
		return out, x.table.fail("commit to", "", x.describeOnly(ctx))
	}
	done, err := x.publish(ctx, op)
	switch {
	case err == nil:
		x.closed = true
	case errors.Is(err, storage.ErrUnknown):
		x.closed = true
		x.act.rest(context.WithoutCancel(ctx))
		return out, &lake.UnknownOutcomeError{Table: x.table.path, Version: version(x.act.instant.Time), TxnID: x.act.instant.Time, Err: err}
	default:
		return out, x.table.fail("commit to", "", errors.Join(x.conflict(err), x.Rollback()))
	}
	out.Version, out.Time = version(done.Time), time.Now()
	out.FilesAdded, out.FilesRemoved = x.counts.FilesAdded, x.counts.FilesRemoved
	out.TxnID, out.Engine = done.Time, "tarn"
	for name, n := range map[string]int64{"numInsertedRows": x.counts.Inserted, "numUpdatedRows": x.counts.Updated, "numDeletedRows": x.counts.Deleted,
		"numIgnoredRows": x.counts.Ignored} {
		if n > 0 {
			out.Metrics[name] = strconv.FormatInt(n, 10)
		}
	}
	x.act.finish(ctx)
	if err := x.maintained(ctx); err != nil {
		out.Warnings = append(out.Warnings, "the commit is done, a table service after it failed: "+err.Error())
	}
	return out, nil
}

func version(instant string) int64 {
	n, _ := strconv.ParseInt(instant, 10, 64)
	return n
}

// kind is the action of a write that replaces nothing.
func (x *tx) kind() timeline.Action {
	if x.merges() {
		return timeline.DeltaCommit
	}
	return timeline.Commit
}

// describeOnly makes the table, or sets properties, when no rows were changed.
func (x *tx) describeOnly(ctx context.Context) error {
	if x.made != nil {
		return x.make(ctx)
	}
	if len(x.changed) == 0 {
		return nil
	}
	lock, err := x.table.lock(ctx, x.options)
	if err != nil {
		return err
	}
	defer lock.unlock(ctx)
	return x.setProperties(ctx)
}

func (x *tx) setProperties(ctx context.Context) error {
	if len(x.changed) == 0 {
		return nil
	}
	_, err := config.Update(ctx, x.table.bucket, func(p config.Properties) {
		for k, v := range x.changed {
			if p[k] = v; v == "" {
				delete(p, k)
			}
		}
	})
	return err
}

// publish completes the write under the table's lock.
func (x *tx) publish(ctx context.Context, op lake.Operation) (timeline.Instant, error) {
	a := x.act
	m, err := x.commitMetadata(op)
	if err != nil {
		return timeline.Instant{}, err
	}
	history, err := x.keepSchema(m.ExtraMetadata, a.instant.Time)
	if err != nil {
		return timeline.Instant{}, err
	}
	lock, err := x.table.lock(ctx, x.options)
	if err != nil {
		return timeline.Instant{}, err
	}
	defer lock.unlock(ctx)
	line, err := x.table.timeline(ctx)
	if err != nil {
		return timeline.Instant{}, err
	}
	line.Guard = func(ctx context.Context) error { return errors.Join(a.heart.Check(), lock.check(ctx)) }
	if err := a.heart.Check(); err != nil { // before the metadata table is told
		return timeline.Instant{}, err
	}
	rivals, err := line.Rivals(ctx, a.instant, a.seen)
	if err != nil {
		return timeline.Instant{}, err
	}
	if err := timeline.Conflict(a.instant, x.claimed(m.Groups()), x.rivals(rivals)); err != nil {
		return timeline.Instant{}, err
	}
	if err := x.sameColumns(rivals); err != nil {
		return timeline.Instant{}, err
	}
	if err := x.keepMetadata(ctx, line, m); err != nil {
		return timeline.Instant{}, err
	}
	if err := x.setProperties(ctx); err != nil {
		return timeline.Instant{}, err
	}
	if err := x.table.writeHistory(ctx, line, a.instant.Time, history); err != nil {
		return timeline.Instant{}, err
	}
	return line.Complete(ctx, a.instant, time.Now(), m)
}

// sameColumns refuses to write rows with the columns that another writer has changed meanwhile, and to change columns behind rows that
// another writer has added since: the newest commit says which columns a table has.
func (x *tx) sameColumns(rivals []timeline.Rival) error {
	for _, r := range rivals {
		altered := r.Operation == string(opAlterSchema)
		later := x.evolved && r.Instant.State == timeline.Completed && r.Instant.Time > x.act.instant.Time && changesSchema(r.Operation)
		if altered || later {
			return &timeline.ConflictError{Mine: x.act.instant, Winner: r.Instant, Columns: true}
		}
	}
	return nil
}

// conflict is err in the words of all formats where another writer came first.
func (x *tx) conflict(err error) error {
	var c *timeline.ConflictError
	if !errors.As(err, &c) {
		return err
	}
	class := "HUDI_WRITE_CONFLICT"
	if c.Columns {
		class = "HUDI_COLUMNS_CHANGED"
	}
	return &lake.ConflictError{Class: class, Table: x.table.path, Version: version(c.Winner.Time), Winner: string(c.Winner.Action),
		Reason: c.Error(), Params: map[string]string{"table": x.table.path, "instant": c.Winner.Time, "group": c.Group.String()}}
}

// commitMetadata is what the commit says.
func (x *tx) commitMetadata(op lake.Operation) (*timeline.CommitMetadata, error) {
	l, err := x.layoutOf()
	if err != nil {
		return nil, err
	}
	a := x.act
	m := &timeline.CommitMetadata{PartitionToWriteStats: map[string][]timeline.WriteStat{}, OperationType: string(a.operation),
		ExtraMetadata: map[string]string{timeline.SchemaKey: l.plain}, PartitionToReplaceFileIDs: a.replaced}
	for _, s := range a.stats {
		m.PartitionToWriteStats[s.Partition] = append(m.PartitionToWriteStats[s.Partition], s)
	}
	prefix := x.options.text("_", "hoodie.datasource.write.commitmeta.key.prefix")
	for k, v := range x.options.all {
		if strings.HasPrefix(k, prefix) {
			m.ExtraMetadata[k] = v
		}
	}
	if op.UserMetadata != "" {
		m.ExtraMetadata["_tarn_user_metadata"] = op.UserMetadata
	}
	return m, nil
}

// finish removes what only a write that is going on needs. What it leaves does no harm.
func (a *action) finish(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	a.rest(ctx)
	_ = timeline.RemoveMarkers(ctx, a.table.bucket, a.instant.Time)
}
