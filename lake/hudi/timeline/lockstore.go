package timeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/storage"
)

// Conditional is the ability of a bucket to write a file on the condition that it
// is the one that was read, which object stores have (If-Match). It is found by
// storage.As.
type Conditional interface {
	// ReadVersion reads a file of at most limit bytes and what tells this version
	// of it from others, which is never "".
	ReadVersion(ctx context.Context, name string, limit int64) (data []byte, version string, err error)

	// WriteIf writes a file if its version is the given one, "" if there is none,
	// and returns the new version. Otherwise it fails with fs.ErrExist.
	WriteIf(ctx context.Context, name, version string, data []byte) (string, error)
}

// StoreLock is Hudi's StorageBasedLockProvider (from 1.0.2): a file that says
// until when its owner holds the lock, and is written on condition only. It needs
// a bucket that is Conditional.
type StoreLock struct {
	Bucket   storage.Bucket
	Validity time.Duration // hoodie.write.lock.storage.validity.timeout.secs; zero is 5 minutes
	Renew    time.Duration // hoodie.write.lock.storage.renew.interval.secs; zero is 30 seconds
	Patience
}

// storeLockPath is where the lock is in every table.
const storeLockPath = ".hoodie/.locks/table_lock.json"

// storeDrift is by how much clocks of writers may differ.
const storeDrift = 500 * time.Millisecond

// storeOwner is what the file says.
type storeOwner struct {
	Expired    bool   `json:"expired"`    // given back
	ValidUntil int64  `json:"validUntil"` // milliseconds since 1970
	Owner      string `json:"owner"`
}

// held says whether the owner holds the lock, as far as another clock can tell.
func (o storeOwner) held(now time.Time) bool {
	return !o.Expired && !now.After(time.UnixMilli(o.ValidUntil).Add(storeDrift))
}

// Lock implements Locker.
func (l *StoreLock) Lock(ctx context.Context) (Lock, error) {
	store, ok := storage.As[Conditional](l.Bucket)
	if !ok {
		return nil, fmt.Errorf("lock %s: the table's storage cannot write on condition (use the file system lock)", storeLockPath)
	}
	owner := uuid.NewString()
	return l.await(ctx, func() (Lock, *LockedError, error) { return l.try(ctx, store, owner) })
}

func (l *StoreLock) try(ctx context.Context, store Conditional, owner string) (Lock, *LockedError, error) {
	data, version, err := store.ReadVersion(ctx, storeLockPath, maxLock)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("lock %s: %w", storeLockPath, err)
	}
	var found storeOwner
	if err == nil {
		if err := json.Unmarshal(data, &found); err != nil {
			return nil, nil, fmt.Errorf("lock %s: %w", storeLockPath, err)
		}
		if found.held(time.Now()) {
			return nil, &LockedError{Path: storeLockPath, Owner: found.Owner}, nil
		}
	}
	h := &storeHold{l: l, store: store, owner: owner, version: version}
	switch err := h.write(ctx, false); {
	case errors.Is(err, fs.ErrExist):
		return nil, &LockedError{Path: storeLockPath, Owner: "a writer that was faster"}, nil
	case err != nil:
		return nil, nil, fmt.Errorf("lock %s: %w", storeLockPath, err)
	}
	h.stop = every(ctx, l.renew(), func(ctx context.Context) bool {
		return !errors.Is(h.write(ctx, false), fs.ErrExist)
	})
	return h, nil, nil
}

func (l *StoreLock) validity() time.Duration {
	if l.Validity <= 0 {
		return 5 * time.Minute
	}
	return l.Validity
}

func (l *StoreLock) renew() time.Duration {
	if l.Renew <= 0 {
		return 30 * time.Second
	}
	return l.Renew
}

type storeHold struct {
	l     *StoreLock
	store Conditional
	owner string
	stop  func()

	mu      sync.Mutex
	version string
	until   time.Time
	lost    bool // or given back
}

// write says anew until when the lock is held, or that it is given back.
func (h *storeHold) write(ctx context.Context, expired bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost {
		return fs.ErrExist
	}
	until := time.Now().Add(h.l.validity())
	if expired {
		until = h.until
	}
	data, err := json.Marshal(storeOwner{expired, until.UnixMilli(), h.owner})
	if err != nil {
		return err
	}
	version, err := h.store.WriteIf(ctx, storeLockPath, h.version, data)
	if errors.Is(err, fs.ErrExist) && h.adopt(ctx) {
		version, err = h.store.WriteIf(ctx, storeLockPath, h.version, data)
	}
	if err == nil {
		h.version, h.until = version, until
	}
	h.lost = errors.Is(err, fs.ErrExist) || err == nil && expired
	return err
}

// adopt takes over the version of a file that is the holder's own: of a write
// whose answer was lost.
func (h *storeHold) adopt(ctx context.Context) bool {
	data, version, err := h.store.ReadVersion(ctx, storeLockPath, maxLock)
	var found storeOwner
	if err != nil || json.Unmarshal(data, &found) != nil || found.Owner != h.owner {
		return false
	}
	h.version = version
	return true
}

// Check implements Lock: nobody else can have the lock before it runs out.
func (h *storeHold) Check(context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost || !time.Now().Before(h.until) {
		return fmt.Errorf("lock %s: %w", storeLockPath, errLost)
	}
	return nil
}

// Unlock implements Lock.
func (h *storeHold) Unlock(ctx context.Context) error {
	h.stop()
	err := h.write(ctx, true)
	if errors.Is(err, fs.ErrExist) {
		err = errLost
	}
	if err != nil {
		return fmt.Errorf("unlock %s: %w", storeLockPath, err)
	}
	return nil
}
