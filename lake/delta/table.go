package delta

import (
	"bytes"
	"context"
	"time"

	"github.com/tarn-lake/tarn/lake"
)

// Snapshot is the table as at says.
func (t *Table) Snapshot(ctx context.Context, at lake.At) (lake.Snapshot, error) {
	s, err := t.snapshot(ctx, at)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (t *Table) snapshot(ctx context.Context, at lake.At) (*Snapshot, error) {
	switch {
	case at.Version != nil:
		return t.version(ctx, *at.Version)
	case at.Time != nil:
		v, err := t.versionAt(ctx, *at.Time)
		if err != nil {
			return nil, err
		}
		return t.version(ctx, v)
	}
	return t.latest(ctx)
}

// latest is the newest version. It lists the log, and reads only what the kept state does not have.
func (t *Table) latest(ctx context.Context) (*Snapshot, error) {
	key := t.key()
	s, err := t.advance(ctx, t.format.cache.get(key))
	if err != nil {
		return nil, err
	}
	if s == nil {
		seg, err := t.segment(ctx, latestVersion)
		if err != nil {
			return nil, err
		}
		if s, err = t.load(ctx, seg); err != nil {
			return nil, err
		}
	}
	if s.head != (fingerprint{}) {
		t.format.cache.put(key, s)
	}
	return s, nil
}

// version is version v.
func (t *Table) version(ctx context.Context, v int64) (*Snapshot, error) {
	seg, err := t.segment(ctx, v)
	if err != nil {
		return nil, err
	}
	return t.load(ctx, seg)
}

// load reads the files of seg.
func (t *Table) load(ctx context.Context, seg *segment) (*Snapshot, error) {
	state, err := t.replay(ctx, seg)
	if err != nil {
		return nil, err
	}
	if err := t.recoverable(state, seg.version); err != nil {
		return nil, err
	}
	if seg.last == nil {
		return t.newSnapshot(seg.version, state, seg.checkpoint[0].ModTime, fingerprint{})
	}
	return t.finish(ctx, state, seg.last)
}

// finish makes the snapshot of a state whose last commit is f.
func (t *Table) finish(ctx context.Context, state *State, f *logFile) (*Snapshot, error) {
	text, head, err := t.head(ctx, f)
	if err != nil {
		return nil, err
	}
	at := f.ModTime
	if state.Metadata != nil {
		if since, _, ok := ictSince(state.Metadata); ok && f.version >= since {
			if at, err = t.commitTime(f, text); err != nil {
				return nil, err
			}
		}
	}
	return t.newSnapshot(f.version, state, at, head)
}

// commitTime is the in-commit timestamp in the head of a commit, which must be in its first line.
func (t *Table) commitTime(f *logFile, head []byte) (time.Time, error) {
	one, _, whole := bytes.Cut(head, []byte{'\n'})
	if !whole && int64(len(head)) < f.Size {
		return f.ModTime, nil // a first line of this length is no commitInfo that anybody writes
	}
	a, err := DecodeAction(one)
	if err != nil {
		return time.Time{}, t.corrupt(f.Name, &LineError{1, err})
	}
	if c, ok := a.(*CommitInfo); ok && c.InCommitTimestamp != nil {
		return time.UnixMilli(*c.InCommitTimestamp), nil
	}
	return time.Time{}, t.corrupt(f.Name, &LineError{1, errNoICT})
}

// advance brings a kept state up to date. It is nil when the log no longer continues that state.
func (t *Table) advance(ctx context.Context, old *Snapshot) (*Snapshot, error) {
	if old == nil {
		return nil, nil
	}
	l, err := t.list(ctx, old.version)
	if err != nil {
		return nil, err
	}
	if len(l.commits) == 0 || l.commits[0].version != old.version {
		return nil, nil
	}
	if _, head, err := t.head(ctx, &l.commits[0]); err != nil || head != old.head {
		return nil, err
	}
	fresh := l.commits[1:]
	if len(fresh) == 0 {
		return old, nil
	}
	for i, c := range fresh {
		if c.version != old.version+1+int64(i) {
			return nil, nil
		}
	}
	state := old.state.Clone()
	if err := t.applyDeltas(ctx, state, fresh); err != nil {
		return nil, err
	}
	return t.finish(ctx, state, &fresh[len(fresh)-1])
}
