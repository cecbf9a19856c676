package hudi

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// locks are those of the tables that writers of this process change, by the path of the table.
type locks struct {
	mu     sync.Mutex
	tables map[string]*timeline.ProcessLock
}

func (l *locks) of(path string) *timeline.ProcessLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tables == nil {
		l.tables = map[string]*timeline.ProcessLock{}
	}
	if l.tables[path] == nil {
		l.tables[path] = timeline.NewProcessLock(timeline.Patience{})
	}
	return l.tables[path]
}

// lock takes the table's lock: that of the process, and the one that the options name, which other processes honour. Without options
// that is a lock file, which Hudi's FileSystemBasedLockProvider honours too.
func (t *Table) lock(ctx context.Context, o options) (*held, error) {
	patience := timeline.Patience{Wait: time.Duration(o.number("hoodie.write.lock.wait_time_ms", 60_000)) * time.Millisecond}
	locker, err := t.locker(o, patience)
	if err != nil {
		return nil, err
	}
	inside, err := t.format.locks.of(t.path).Waiting(patience).Lock(ctx)
	if err != nil {
		return nil, t.lockFailure(err)
	}
	h := &held{inside: inside}
	if locker != nil {
		if h.outside, err = locker.Lock(ctx); err != nil {
			h.unlock(ctx)
			return nil, t.lockFailure(err)
		}
	}
	return h, nil
}

// locked runs do under the lock of the table, with the timeline as it is then.
func (t *Table) locked(ctx context.Context, o options, do func(*timeline.Timeline) error) error {
	lock, err := t.lock(ctx, o)
	if err != nil {
		return err
	}
	defer lock.unlock(ctx)
	line, err := t.timeline(ctx)
	if err != nil {
		return err
	}
	line.Guard = lock.check
	return do(line)
}

// lockFailure is err in words for people where another holds the lock.
func (t *Table) lockFailure(err error) error {
	var l *timeline.LockedError
	if !errors.As(err, &l) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	since := ""
	if !l.Since.IsZero() {
		since = " since " + l.Since.UTC().Format(time.RFC3339)
	}
	return &lake.Error{Op: "lock", Path: t.path, Class: "HUDI_TABLE_LOCKED", Err: err, Hint: l.Hint, Params: map[string]string{"table": t.path, "lock": l.Path,
		"owner": l.Owner, "since": since, "waited": l.Waited.Round(time.Millisecond).String()}}
}

// held is the lock of a table that is held.
type held struct {
	inside  timeline.Lock
	outside timeline.Lock // nil when no other process writes
}

// check fails if another process may have the lock by now: what it protects must not become visible.
func (h *held) check(ctx context.Context) error {
	if h.outside == nil {
		return nil
	}
	return h.outside.Check(ctx)
}

// unlock gives the lock back. A lock file that cannot be removed is taken over by the next writer once its process is gone.
func (h *held) unlock(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	if h.outside != nil {
		_ = h.outside.Unlock(ctx)
	}
	_ = h.inside.Unlock(ctx)
}

const providers = "org.apache.hudi.client.transaction.lock."

// locker is the lock that processes share; nil if there is none.
func (t *Table) locker(o options, p timeline.Patience) (timeline.Locker, error) {
	var l timeline.Locker
	var err error
	switch provider := o.text("", "hoodie.write.lock.provider"); provider {
	case providers + "InProcessLockProvider":
	case "", providers + "FileSystemBasedLockProvider":
		l, err = t.fileLock(o, p)
	case providers + "StorageBasedLockProvider":
		l, err = t.storeLock(o, p)
	default:
		err = badOption("hoodie.write.lock.provider=%s is not supported: take the file-system or the storage-based one", provider)
	}
	return l, cmp.Or(o.err(), err)
}

// fileLock is the lock file, in the table or in another folder of its machine.
func (t *Table) fileLock(o options, p timeline.Patience) (timeline.Locker, error) {
	const option = "hoodie.write.lock.filesystem.path"
	l := &timeline.FileLock{Bucket: t.bucket, Patience: p, Expire: time.Duration(o.number("hoodie.write.lock.filesystem.expire", 0)) * time.Minute}
	given := o.text("", option)
	if given == "" {
		return l, nil
	}
	if _, local := storage.As[storage.Local](t.bucket); !local {
		return nil, badOption("%s=%s: the files of the table are not local ones, and its locks lie in the table", option, given)
	}
	dir := strings.TrimPrefix(given, "file:")
	if strings.HasPrefix(dir, "//") {
		dir = "/" + strings.TrimLeft(dir, "/")
	}
	if !filepath.IsAbs(dir) {
		return nil, badOption("%s=%s: the absolute path of a local folder is expected", option, given)
	}
	b, err := storage.OpenLocal(dir)
	if err != nil {
		return nil, err
	}
	l.Bucket, l.Dir = withChecksums(b), "."
	return l, nil
}

// storeLock is the lock of conditional writes. Its bounds are Hudi's, so that a renewal that fails can be tried often enough.
func (t *Table) storeLock(o options, p timeline.Patience) (timeline.Locker, error) {
	const validity, renewal = "hoodie.write.lock.storage.validity.timeout.secs", "hoodie.write.lock.storage.renew.interval.secs"
	valid, renew := o.number(validity, 300), o.number(renewal, o.number("hoodie.write.lock.storage.heartbeat.poll.secs", 30))
	switch {
	case renew < 1:
		return nil, badOption("%s=%d: at least 1 is expected", renewal, renew)
	case valid < 10 || valid < 10*renew:
		return nil, badOption("%s=%d: at least 10, and ten times %s=%d, is expected", validity, valid, renewal, renew)
	}
	return &timeline.StoreLock{Bucket: t.bucket, Patience: p, Validity: time.Duration(valid) * time.Second, Renew: time.Duration(renew) * time.Second}, nil
}
