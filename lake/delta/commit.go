package delta

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// isolation is what every commit of tarn promises.
const isolation = "Serializable"

// Commit makes the changes visible at once, or says why not. A transaction that changes nothing makes no version.
func (x *tx) Commit(ctx context.Context, op lake.Operation) (lake.Commit, error) {
	if x.closed {
		return lake.Commit{}, errors.New("the transaction is over")
	}
	if x.broken != nil {
		return lake.Commit{}, errors.Join(fmt.Errorf("a change of this transaction failed: %w", x.broken), x.Rollback())
	}
	if x.done(op) || x.nothing(op) {
		return lake.Commit{Version: x.base.version, Operation: op, Isolation: isolation}, x.Rollback()
	}
	if err := x.checkWhole(); err != nil {
		return lake.Commit{}, errors.Join(err, x.Rollback())
	}
	c := committer{tx: x, op: op, id: uuid.NewString(), next: x.base.version + 1, protocol: x.base.state.Protocol,
		metadata: x.base.state.Metadata, info: x.base.state.CommitInfo}
	made, err := c.run(ctx)
	var unknown *lake.UnknownOutcomeError
	switch {
	case err == nil:
		x.closed = true
		x.table.checkpointAfter(ctx, made.Version, c.properties())
	case errors.As(err, &unknown):
		x.closed = true
	default:
		err = errors.Join(x.fail(err), x.Rollback())
	}
	return made, err
}

// done reports whether the table holds the write already that op may make at most once.
func (x *tx) done(op lake.Operation) bool {
	if op.Txn == nil {
		return false
	}
	last := x.base.state.Txns[op.Txn.App]
	return last != nil && last.Version >= op.Txn.Version
}

func (x *tx) nothing(op lake.Operation) bool {
	return len(x.adds) == 0 && len(x.removes) == 0 && x.metadata == nil && x.protocol == nil && x.cluster == nil && op.Txn == nil
}

// committer tries to make one commit.
type committer struct {
	*tx
	op       lake.Operation
	id       string // tells this commit from those of others
	next     int64  // the version to try
	attempts int
	protocol *Protocol // in force before version next
	metadata *Metadata
	info     *CommitInfo // of version next-1
}

// properties are the table's after the commit.
func (c *committer) properties() map[string]string {
	if m := c.tx.metadata; m != nil {
		return m.Configuration
	}
	return c.metadata.Configuration
}

// run tries until the commit is done, impossible or unknown.
func (c *committer) run(ctx context.Context) (lake.Commit, error) {
	for {
		c.attempts++
		actions, info, err := c.actions(time.Now())
		if err != nil {
			return lake.Commit{}, err
		}
		text, err := EncodeActions(actions)
		if err != nil {
			return lake.Commit{}, err
		}
		err = storage.WriteFile(ctx, c.table.bucket, commitName(c.next), storage.Exclusive, text)
		ours := err == nil
		switch {
		case ours:
		case errors.Is(err, storage.ErrUnknown):
			if ours, err = c.settle(ctx, err); err != nil {
				return lake.Commit{}, err
			}
		case !errors.Is(err, fs.ErrExist):
			return lake.Commit{}, err
		}
		if !ours {
			if ours, err = c.rebase(ctx); err != nil {
				return lake.Commit{}, err
			}
		}
		if ours {
			return c.made(info), nil
		}
		if err := pause(ctx, c.attempts); err != nil {
			return lake.Commit{}, err
		}
	}
}

// settle finds out what became of a write of unknown outcome by reading it back. It is an UnknownOutcomeError when nothing
// is there, for the write may still land, and when the disk did not confirm what is there.
func (c *committer) settle(ctx context.Context, cause error) (ours bool, err error) {
	unknown := &lake.UnknownOutcomeError{Table: c.table.path, Version: c.next, TxnID: c.id, Err: cause}
	if errors.Is(cause, storage.ErrNotDurable) {
		return false, unknown
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	for try := range 5 {
		w, err := c.table.winner(ctx, c.next)
		if err == nil {
			return c.isOurs(w), nil
		}
		if !isMissing(err) || pause(ctx, try+2) != nil {
			break
		}
	}
	return false, unknown
}

func (c *committer) isOurs(w winner) bool {
	for _, a := range w.actions {
		if info, ok := a.(*CommitInfo); ok && info.TxnID == c.id {
			return true
		}
	}
	return false
}

// rebase reads the commits that came first, checks that this one is still right after them, and sets the next version. It
// reports whether one of them is this very commit, as when a store wrote it and answered too late.
func (c *committer) rebase(ctx context.Context) (ours bool, err error) {
	a := c.attempt()
	for lost := false; ; lost = true {
		w, err := c.table.winner(ctx, c.next)
		if isMissing(err) && lost {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if c.isOurs(w) {
			return true, nil
		}
		if err := a.check(w); err != nil {
			return false, err
		}
		c.pass(w)
	}
}

// pass takes in a commit that this one comes after.
func (c *committer) pass(w winner) {
	c.info = nil
	for _, a := range w.actions {
		switch a := a.(type) {
		case *CommitInfo:
			c.info = a
		case *Protocol:
			c.protocol = a
		case *Metadata:
			c.metadata = a
		}
	}
	c.next++
}

func (c *committer) attempt() *attempt {
	files := make(map[string]*Add, len(c.base.state.Files))
	for key, a := range c.base.state.Files {
		files[key.Path] = a
	}
	a := &attempt{
		table: c.table.path, create: c.base.version < 0,
		read: c.reads.has, file: func(path string) *Add { return files[path] }, removes: c.changed,
		protocol: c.tx.protocol != nil, metadata: c.tx.metadata != nil, before: c.base.state.Metadata,
		partition:   c.base.partitionHint,
		understands: c.table.writable,
	}
	if c.cluster != nil {
		a.domains = []string{c.cluster.Domain}
	}
	if c.op.Txn != nil {
		a.apps = []string{c.op.Txn.App}
	}
	return a
}

// winner reads the commit of version v. It is fs.ErrNotExist when there is none.
func (t *Table) winner(ctx context.Context, v int64) (winner, error) {
	w := winner{version: v}
	err := t.eachAction(ctx, commitName(v), func(a Action) error {
		w.actions = append(w.actions, a)
		return nil
	})
	return w, err
}

// actions are the lines of the commit as version next, and its provenance.
func (c *committer) actions(now time.Time) ([]Action, *CommitInfo, error) {
	info, err := c.provenance(now)
	if err != nil {
		return nil, nil, err
	}
	out := []Action{info}
	if c.tx.protocol != nil {
		out = append(out, c.tx.protocol)
	}
	if m := c.tx.metadata; m != nil {
		out = append(out, c.enablement(m, info))
	}
	if c.cluster != nil {
		out = append(out, c.cluster)
	}
	if t := c.op.Txn; t != nil {
		millis := now.UnixMilli()
		out = append(out, &Txn{AppID: t.App, Version: t.Version, LastUpdated: &millis})
	}
	for _, r := range c.removes {
		dated, millis := *r, now.UnixMilli()
		dated.DeletionTimestamp = &millis
		out = append(out, &dated)
	}
	for _, a := range c.adds {
		out = append(out, a)
	}
	return out, info, nil
}

func (c *committer) provenance(now time.Time) (*CommitInfo, error) {
	params, err := encodeParameters(c.op.Parameters)
	if err != nil {
		return nil, fmt.Errorf("operation parameters: %w", err)
	}
	millis, blind := now.UnixMilli(), !c.reads.any() && len(c.removes) == 0
	info := &CommitInfo{Timestamp: &millis, Operation: c.op.Name, OperationParameters: params, IsolationLevel: isolation, IsBlindAppend: &blind,
		OperationMetrics: withMetrics(c.tally.operationMetrics(c.op.Name, time.Since(c.started).Milliseconds()), c.op.Metrics),
		EngineInfo:       engineInfo(), TxnID: c.id}
	if v := c.base.version; v >= 0 {
		info.ReadVersion = &v
	}
	if c.op.UserMetadata != "" {
		info.UserMetadata = &c.op.UserMetadata
	}
	if timed(c.properties()) {
		at := millis
		if c.info != nil && c.info.InCommitTimestamp != nil {
			at = max(at, *c.info.InCommitTimestamp+1)
		}
		info.InCommitTimestamp, info.Timestamp = &at, &at
	}
	return info, nil
}

func timed(properties map[string]string) bool {
	return strings.EqualFold(properties[ictEnabled], "true")
}

// enablement is m with the version and time from which commits carry their times, when m turns that on in a table that
// exists (P §In-Commit Timestamps).
func (c *committer) enablement(m *Metadata, info *CommitInfo) *Metadata {
	if c.base.version < 0 || !timed(m.Configuration) || timed(c.metadata.Configuration) {
		return m
	}
	out := *m
	out.Configuration = map[string]string{
		ictVersion:   strconv.FormatInt(c.next, 10),
		ictTimestamp: strconv.FormatInt(*info.InCommitTimestamp, 10),
	}
	for k, v := range m.Configuration {
		if _, set := out.Configuration[k]; !set {
			out.Configuration[k] = v
		}
	}
	return &out
}

// made describes the commit as version next.
func (c *committer) made(info *CommitInfo) lake.Commit {
	return lake.Commit{Version: c.next, Time: time.UnixMilli(*info.Timestamp), Operation: c.op, Metrics: info.OperationMetrics, ReadVersion: info.ReadVersion,
		Isolation: info.IsolationLevel, BlindAppend: info.IsBlindAppend, Engine: info.EngineInfo, TxnID: c.id,
		FilesAdded: c.tally.FilesAdded, FilesRemoved: c.tally.FilesRemoved, Attempts: c.attempts}
}

// pause waits a random time after a lost race, longer with each, up to half a second.
func pause(ctx context.Context, attempts int) error {
	limit := min(5*time.Millisecond<<min(attempts-1, 8), 500*time.Millisecond)
	select {
	case <-time.After(rand.N(limit)):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
