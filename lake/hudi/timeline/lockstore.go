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

// StoreLock is Hudi's StorageBasedLockProvider (from 1.0.2): a file that says
// until when its owner holds the lock, and is written on condition only. It needs
// a bucket that is a storage.Replacer.
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

// storeOwner is what the file says. Hudi reads no file that lacks a member.
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
	store, ok := storage.As[storage.Replacer](l.Bucket)
	if !ok {
		return nil, fmt.Errorf("lock %s: the table's storage cannot write on condition (use the file system lock): %w", storeLockPath, errors.ErrUnsupported)
	}
	owner := uuid.NewString()
	return l.await(ctx, func() (Lock, *LockedError, error) { return l.try(ctx, store, owner) })
}

func (l *StoreLock) try(ctx context.Context, store storage.Replacer, owner string) (Lock, *LockedError, error) {
	text, found, err := l.read(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("lock %s: %w", storeLockPath, err)
	}
	if text != nil && found.held(time.Now()) {
		until := time.UnixMilli(found.ValidUntil)
		return nil, &LockedError{Path: storeLockPath, Owner: found.Owner,
			Hint: fmt.Sprintf("it holds it until %s unless it renews it; if it is gone, wait until then or set hoodie.write.lock.wait_time_ms", until.UTC().Format(time.RFC3339))}, nil
	}
	h := &storeHold{l: l, store: store, owner: owner, text: text}
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

// read reads the file; its text is nil if there is none.
func (l *StoreLock) read(ctx context.Context) (text []byte, o storeOwner, err error) {
	text, err = storage.ReadFile(ctx, l.Bucket, storeLockPath, maxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, o, nil
	}
	if err != nil {
		return nil, o, err
	}
	said := struct {
		Expired    *bool
		ValidUntil *int64
		Owner      *string
	}{}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, o, err
	}
	if said.Expired == nil || said.ValidUntil == nil || said.Owner == nil {
		return nil, o, errors.New("the file does not say by whom the lock is held, and until when")
	}
	return text, storeOwner{*said.Expired, *said.ValidUntil, *said.Owner}, nil
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
	store storage.Replacer
	owner string
	stop  func()

	mu    sync.Mutex
	text  []byte // of the file that is to be replaced
	until time.Time
	lost  bool // or given back
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
	err = h.store.ReplaceIf(ctx, storeLockPath, h.text, data)
	if errors.Is(err, fs.ErrExist) && h.adopt(ctx) {
		err = h.store.ReplaceIf(ctx, storeLockPath, h.text, data)
	}
	if err == nil {
		h.text, h.until = data, until
	}
	h.lost = errors.Is(err, fs.ErrExist) || err == nil && expired
	return err
}

// adopt takes a file for the one to be replaced that is the holder's own: of a
// write whose answer was lost.
func (h *storeHold) adopt(ctx context.Context) bool {
	text, found, err := h.l.read(ctx)
	if err != nil || text == nil || found.Owner != h.owner {
		return false
	}
	h.text = text
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
