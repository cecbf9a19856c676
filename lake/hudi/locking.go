package hudi

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// locks are those of the tables that writers of this process change, by the path of the table.
type locks struct {
	mu     sync.Mutex
	tables map[string]*timeline.ProcessLock
}

func (l *locks) of(path string, p timeline.Patience) *timeline.ProcessLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tables == nil {
		l.tables = map[string]*timeline.ProcessLock{}
	}
	if l.tables[path] == nil {
		l.tables[path] = timeline.NewProcessLock(p)
	}
	return l.tables[path]
}

// lock takes the table's lock: that of the process, and the one that the options name, which other processes honour. Without options
// that is a lock file, which Hudi's FileSystemBasedLockProvider honours too.
func (t *Table) lock(ctx context.Context, o options) (*held, error) {
	patience := timeline.Patience{Wait: time.Duration(o.number("hoodie.write.lock.wait_time_ms", 60_000)) * time.Millisecond}
	inside, err := t.format.locks.of(t.path, patience).Lock(ctx)
	if err != nil {
		return nil, err
	}
	h := &held{inside: inside}
	locker, err := t.locker(o, patience)
	if err == nil && locker != nil {
		h.outside, err = locker.Lock(ctx)
	}
	if err != nil {
		h.unlock(ctx)
		return nil, err
	}
	return h, nil
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

// locker is the lock that processes share.
func (t *Table) locker(o options, p timeline.Patience) (timeline.Locker, error) {
	switch provider := o.text("", "hoodie.write.lock.provider"); provider {
	case providers + "InProcessLockProvider":
		return nil, nil
	case "", providers + "FileSystemBasedLockProvider":
		return &timeline.FileLock{Bucket: t.bucket, Patience: p, Expire: time.Duration(o.number("hoodie.write.lock.filesystem.expire", 0)) * time.Minute}, nil
	case providers + "StorageBasedLockProvider":
		return &timeline.StoreLock{Bucket: t.bucket, Patience: p}, nil
	default:
		return nil, fmt.Errorf("hoodie.write.lock.provider=%s is not supported: take the file-system or the storage-based one", provider)
	}
}
