package timeline

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Locker lets one writer of a table at a time complete actions. Writers that
// share a table must use the same kind of lock; the kinds are Hudi's.
type Locker interface {
	// Lock waits for the lock as long as the locker is set to, or until ctx is
	// over. It fails with a *LockedError if another holds it all the while. The
	// lock is kept up until it is unlocked, whatever becomes of ctx.
	Lock(ctx context.Context) (Lock, error)
}

// A Lock is a lock that is held.
type Lock interface {
	// Check fails if the lock may have been lost: the holder must not commit. Call
	// it right before what the lock protects becomes visible.
	Check(ctx context.Context) error

	// Unlock gives the lock back. If it was lost meanwhile, that is an error, and
	// the lock of the one who has it is left alone.
	Unlock(ctx context.Context) error
}

// A LockedError says who holds a lock that could not be had in time.
type LockedError struct {
	Path   string // of the lock, in the table
	Owner  string // as it calls itself
	Since  time.Time
	Waited time.Duration
	Hint   string
}

func (e *LockedError) Error() string {
	s := fmt.Sprintf("lock %s: held by %s", e.Path, e.Owner)
	if !e.Since.IsZero() {
		s += " since " + e.Since.UTC().Format(time.RFC3339)
	}
	s += fmt.Sprintf("; waited %s", e.Waited.Round(time.Millisecond))
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// errLost is why a lock is not held any more.
var errLost = errors.New("the lock was lost: another writer has taken it")

// Patience is how long to wait for a lock, and how often to look. The zero value
// waits a minute, which is Hudi's hoodie.write.lock.wait_time_ms, and looks every
// 100 ms.
type Patience struct {
	Wait, Poll time.Duration
}

// await calls try until it has the lock. What try returns tells of the holder.
func (p Patience) await(ctx context.Context, try func() (Lock, *LockedError, error)) (Lock, error) {
	if p.Wait <= 0 {
		p.Wait = time.Minute
	}
	if p.Poll <= 0 {
		p.Poll = 100 * time.Millisecond
	}
	var last error // who held the lock when it was last looked at
	for began := time.Now(); ; {
		lock, held, err := try()
		if err != nil && ctx.Err() != nil {
			err = errors.Join(last, err)
		}
		if err != nil || lock != nil {
			return lock, err
		}
		last = held
		if held.Waited = time.Since(began); held.Waited >= p.Wait {
			return nil, held
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(held, context.Cause(ctx))
		case <-time.After(min(p.Poll, p.Wait-held.Waited)):
		}
	}
}

// ProcessLock is a lock among writers of one process that share the value, as
// Hudi's InProcessLockProvider. NewProcessLock makes one.
type ProcessLock struct {
	Patience
	free chan struct{}
}

// NewProcessLock returns a lock that nobody holds.
func NewProcessLock(p Patience) *ProcessLock {
	l := &ProcessLock{p, make(chan struct{}, 1)}
	l.free <- struct{}{}
	return l
}

// Waiting returns the same lock with another patience.
func (l *ProcessLock) Waiting(p Patience) *ProcessLock { return &ProcessLock{p, l.free} }

// Lock implements Locker.
func (l *ProcessLock) Lock(ctx context.Context) (Lock, error) {
	return l.await(ctx, func() (Lock, *LockedError, error) {
		select {
		case <-l.free:
			return &processHold{l: l}, nil, nil
		default:
			return nil, &LockedError{Path: "in process", Owner: "another writer of this process", Hint: "hoodie.write.lock.wait_time_ms says how long to wait for it"}, nil
		}
	})
}

type processHold struct {
	l    *ProcessLock
	over bool
}

func (h *processHold) Check(context.Context) error {
	if h.over {
		return errLost
	}
	return nil
}

func (h *processHold) Unlock(context.Context) error {
	if h.over {
		return errLost
	}
	h.over = true
	h.l.free <- struct{}{}
	return nil
}
