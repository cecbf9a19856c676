package timeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/storage"
)

// FileLock is Hudi's FileSystemBasedLockProvider: who creates the file holds the
// lock. The file is JSON that tells when and by whom it was made. A lock whose
// holder is a process of this machine that has died is taken over, as one that is
// older than Expire is.
type FileLock struct {
	Bucket storage.Bucket
	Dir    string        // hoodie.write.lock.filesystem.path, in the table; "" is ".hoodie"
	Expire time.Duration // hoodie.write.lock.filesystem.expire; zero is never
	Patience
}

// fileOwner is what the file of a FileLock says. Hudi gives the name of a thread
// and its stack, which are for people. Of ours the stack tells the process.
type fileOwner struct {
	Created string   `json:"lockCreateTime"`
	Thread  string   `json:"lockThreadName"`
	Stack   []string `json:"lockStacksInfo"`
}

// dead says whether a lock file was made by a process of this machine that does
// not run any more.
func (o fileOwner) dead() bool { return processOf(o.Stack).dead() }

// hint says what can be done about a lock that is held.
func (o fileOwner) hint(lock string) string {
	if _, local := processOf(o.Stack).local(); local {
		return "the process runs on this machine; hoodie.write.lock.wait_time_ms says how long to wait for it"
	}
	return "if that writer is gone, remove " + lock + "; hoodie.write.lock.filesystem.expire, in minutes, makes the locks of lost writers end"
}

const (
	fileLockTime = "2006-01-02 15:04:05.000"
	maxLock      = 1 << 20 // bytes of a lock file
)

func (l *FileLock) path() string {
	if l.Dir == "" {
		return ".hoodie/lock"
	}
	return path.Join(l.Dir, "lock")
}

// Lock implements Locker.
func (l *FileLock) Lock(ctx context.Context) (Lock, error) {
	return l.await(ctx, func() (Lock, *LockedError, error) { return l.try(ctx) })
}

func (l *FileLock) try(ctx context.Context) (Lock, *LockedError, error) {
	text, err := l.text()
	if err != nil {
		return nil, nil, err
	}
	err = storage.WriteFile(ctx, l.Bucket, l.path(), storage.Exclusive, text)
	if err == nil || errors.Is(err, storage.ErrUnknown) {
		hold := &fileHold{l: l, text: text}
		if err = hold.Check(ctx); err != nil {
			return nil, nil, fmt.Errorf("lock %s: %w", l.path(), err)
		}
		hold.keep(ctx)
		return hold, nil, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return nil, nil, fmt.Errorf("lock %s: %w", l.path(), err)
	}
	return l.held(ctx)
}

// held tells who holds the lock, and removes it if its holder has lost it.
func (l *FileLock) held(ctx context.Context) (Lock, *LockedError, error) {
	e := &LockedError{Path: l.path(), Owner: "nobody any more"}
	text, modified, err := readStamped(ctx, l.Bucket, l.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, e, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("lock %s: %w", l.path(), err)
	}
	var owner fileOwner
	if e.Since, e.Owner = modified, "an unknown writer"; json.Unmarshal(text, &owner) == nil && owner.Thread != "" {
		e.Owner = owner.Thread
	}
	e.Hint = owner.hint(l.path())
	if l.lost(text, modified) {
		err = l.release(ctx, l.path(), text)
	}
	return nil, e, err
}

// lost says whether the maker of a lock file holds it no more.
func (l *FileLock) lost(text []byte, modified time.Time) bool {
	var owner fileOwner
	return l.expired(modified) || json.Unmarshal(text, &owner) == nil && owner.dead()
}

func (l *FileLock) expired(modified time.Time) bool {
	return l.Expire > 0 && time.Since(modified) > l.Expire
}

// release removes a file that its maker has lost: the lock, or a guard of this function. Of several writers that find it only one may:
// another could remove the lock that the first has taken meanwhile. So it makes a guard, which is named by the text of the file, as no
// other file ever has that text, and looks again. The guard of a writer that has died in here is released in the same way.
func (l *FileLock) release(ctx context.Context, name string, text []byte) error {
	digest := sha256.Sum256(text)
	guard := l.path() + ".release-" + hex.EncodeToString(digest[:8])
	own, err := l.text()
	if err != nil {
		return err
	}
	err = storage.WriteFile(ctx, l.Bucket, guard, storage.Exclusive, own)
	if errors.Is(err, fs.ErrExist) {
		return l.releaseGuard(ctx, guard)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", l.path(), err)
	}
	now, modified, err := readStamped(ctx, l.Bucket, name)
	if err == nil && bytes.Equal(now, text) && l.lost(now, modified) {
		err = l.Bucket.Remove(ctx, name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err = errors.Join(err, l.Bucket.Remove(ctx, guard)); err != nil {
		return fmt.Errorf("lock %s: release a lost one: %w", l.path(), err)
	}
	return nil
}

// releaseGuard removes the guard of a writer that has lost it. That of a writer at work stays.
func (l *FileLock) releaseGuard(ctx context.Context, guard string) error {
	text, modified, err := readStamped(ctx, l.Bucket, guard)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", l.path(), err)
	}
	if !l.lost(text, modified) {
		return nil
	}
	return l.release(ctx, guard, text)
}

// text is the content of a lock file that is told from all others.
func (l *FileLock) text() ([]byte, error) {
	host, _ := os.Hostname()
	text, err := json.Marshal(fileOwner{
		Created: time.Now().Format(fileLockTime),
		Thread:  fmt.Sprintf("tarn process %d on %s, %s", os.Getpid(), host, uuid.NewString()),
		Stack:   self().list(),
	})
	return spaced(text), err
}

// readStamped reads a small file and when it was written.
func readStamped(ctx context.Context, b storage.Bucket, name string) ([]byte, time.Time, error) {
	f, err := b.Open(ctx, name)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	text := make([]byte, min(info.Size, maxLock))
	n, _ := f.ReadAt(text, 0)
	return text[:n], info.ModTime, nil
}

type fileHold struct {
	l    *FileLock
	text []byte
	stop func() // ends renewal

	mu sync.Mutex // of renewal and unlocking
}

// Check implements Lock: the file must be the one that was made here.
func (h *fileHold) Check(ctx context.Context) error {
	text, modified, err := readStamped(ctx, h.l.Bucket, h.l.path())
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(text, h.text):
		return errLost
	case err == nil && h.l.expired(modified):
		return fmt.Errorf("lock %s: expired", h.l.path())
	}
	return err
}

// keep renews a lock that expires, by writing the file again.
func (h *fileHold) keep(ctx context.Context) {
	h.stop = func() {}
	if h.l.Expire > 0 {
		h.stop = every(ctx, h.l.Expire/3, func(ctx context.Context) bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			if errors.Is(h.Check(ctx), errLost) {
				return false
			}
			storage.WriteFile(ctx, h.l.Bucket, h.l.path(), storage.Replace, h.text)
			return true
		})
	}
}

// every calls f at intervals until it returns false or the returned function is
// called, which waits for f to end.
func every(ctx context.Context, interval time.Duration, f func(context.Context) bool) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if !f(ctx) {
					return
				}
			}
		}
	}()
	return func() { cancel(); <-done }
}

// Unlock implements Lock.
func (h *fileHold) Unlock(ctx context.Context) error {
	h.stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.Check(ctx); errors.Is(err, errLost) {
		return fmt.Errorf("unlock %s: %w", h.l.path(), err)
	}
	if err := h.l.Bucket.Remove(ctx, h.l.path()); err != nil {
		return fmt.Errorf("unlock %s: %w", h.l.path(), err)
	}
	return nil
}
