package timeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// forgetful is a bucket of which one answer to a conditional write is lost.
type forgetful struct {
	*storage.Mem
	mu   sync.Mutex
	lose bool // the answer of the next write
}

func (f *forgetful) ReplaceIf(ctx context.Context, name string, old, data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.Mem.ReplaceIf(ctx, name, old, data)
	if f.lose && err == nil {
		f.lose = false
		return errors.New("no answer")
	}
	return err
}

// bare is a bucket without abilities.
type bare struct{ storage.Bucket }

func lockers(p Patience) map[string]func() Locker {
	process := NewProcessLock(p)
	m, v := storage.NewMem(), storage.NewMem()
	return map[string]func() Locker{
		"process":     func() Locker { return process },
		"file":        func() Locker { return &FileLock{Bucket: m, Patience: p} },
		"store":       func() Locker { return &StoreLock{Bucket: v, Patience: p} },
		"file, aging": func() Locker { return &FileLock{Bucket: m, Dir: ".hoodie/x", Expire: time.Minute, Patience: p} },
	}
}

func TestLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, locker := range lockers(Patience{Wait: 10 * time.Second}) {
			first, err := locker().Lock(t.Context())
			if err != nil {
				t.Fatal(name, err)
			}
			var held *LockedError
			if _, err := locker().Lock(t.Context()); !errors.As(err, &held) || held.Owner == "" || held.Waited < 10*time.Second {
				t.Errorf("%s: locked twice: %v", name, err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := locker().Lock(ctx); !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &held) {
				t.Errorf("%s: waited longer than it may: %v", name, err)
			}
			cancel()
			time.Sleep(time.Hour) // longer than any validity: the holder renews
			if err := first.Check(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := locker().Lock(t.Context()); !errors.As(err, &held) {
				t.Errorf("%s: taken from a living holder: %v", name, err)
			}
			go func() {
				time.Sleep(3 * time.Second)
				if err := first.Unlock(t.Context()); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}()
			second, err := locker().Lock(t.Context())
			if err != nil {
				t.Fatal(name, err)
			}
			if first.Check(t.Context()) == nil || first.Unlock(t.Context()) == nil {
				t.Errorf("%s: a lock given back is still one", name)
			}
			if err := second.Unlock(t.Context()); err != nil {
				t.Error(name, err)
			}
		}
	})
}

// TestDeadHolder: a holder that has died loses an expiring lock, and one that
// comes back to life notices.
func TestDeadHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, v := storage.NewMem(), storage.NewMem()
		for name, l := range map[string]Locker{
			"file":  &FileLock{Bucket: m, Expire: time.Minute, Patience: Patience{Wait: time.Hour}},
			"store": &StoreLock{Bucket: v, Patience: Patience{Wait: time.Hour}},
		} {
			first, err := l.Lock(t.Context())
			if err != nil {
				t.Fatal(name, err)
			}
			switch h := first.(type) { // no sign of life from here on
			case *fileHold:
				h.stop()
			case *storeHold:
				h.stop()
			}
			second, err := l.Lock(t.Context())
			if err != nil {
				t.Fatal(name, err)
			}
			if first.Check(t.Context()) == nil || first.Unlock(t.Context()) == nil {
				t.Errorf("%s: the dead one holds the lock still", name)
			}
			if err := errors.Join(second.Check(t.Context()), second.Unlock(t.Context())); err != nil {
				t.Error(name, err)
			}
		}
	})
}

// TestLocksOfHudi: locks as Hudi writes them are honoured, and their owner named.
func TestLocksOfHudi(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, v := storage.NewMem(), storage.NewMem()
		held := fmt.Appendf(nil, `{"expired":false,"validUntil":%d,"owner":"a-b-c"}`, time.Now().Add(30*time.Second).UnixMilli())
		if err := storage.WriteFile(t.Context(), v, storeLockPath, storage.Exclusive, held); err != nil {
			t.Fatal(err)
		}
		text := "{\n  \"lockCreateTime\" : \"2026-01-01 00:00:00.000\",\n  \"lockThreadName\" : \"a-b-c\",\n  \"lockStacksInfo\" : [ \"java.lang.Thread.getStackTrace (Thread.java:1559)\" ]\n}"
		if err := storage.WriteFile(t.Context(), m, ".hoodie/lock", storage.Exclusive, []byte(text)); err != nil {
			t.Fatal(err)
		}
		short, long := Patience{Wait: time.Second}, Patience{Wait: time.Hour}
		for name, l := range map[string]Locker{"file": &FileLock{Bucket: m, Patience: short}, "store": &StoreLock{Bucket: v, Patience: short}} {
			if _, err := l.Lock(t.Context()); err == nil || !strings.Contains(err.Error(), "a-b-c") {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, l := range map[string]Locker{"file": &FileLock{Bucket: m, Expire: time.Minute, Patience: long}, "store": &StoreLock{Bucket: v, Patience: long}} {
			lock, err := l.Lock(t.Context())
			if err != nil {
				t.Fatal(name, err)
			}
			if err := lock.Unlock(t.Context()); err != nil {
				t.Error(name, err)
			}
		}
		if text, err := storage.ReadFile(t.Context(), v, storeLockPath, maxLock); err != nil || !strings.HasPrefix(string(text), `{"expired":true,"validUntil":`) {
			t.Errorf("given back as %s: %v", text, err)
		}
	})
}

func TestStoreLockNeedsConditions(t *testing.T) {
	if _, err := (&StoreLock{Bucket: bare{storage.NewMem()}}).Lock(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("locked without conditional writes: %v", err)
	}
}

// TestLostRenewal: a renewal whose answer is lost is the holder's own.
func TestLostRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &forgetful{Mem: storage.NewMem()}
		lock, err := (&StoreLock{Bucket: v}).Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		v.mu.Lock()
		v.lose = true
		v.mu.Unlock()
		time.Sleep(time.Hour)
		if err := errors.Join(lock.Check(t.Context()), lock.Unlock(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := storage.NewMem()
		alive := func(instant string) bool {
			ok, err := Alive(t.Context(), m, instant, time.Now(), Pulse{})
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		if alive("1") {
			t.Error("nobody is alive")
		}
		h, err := StartHeartbeat(t.Context(), m, "1", Pulse{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if !alive("1") || h.Check() != nil {
			t.Errorf("dead after an hour: %v", h.Check())
		}
		h.stop()
		<-h.done
		time.Sleep(2*time.Minute + time.Second)
		if alive("1") || h.Check() == nil {
			t.Error("alive without a sign of life")
		}
		if err := h.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if names, _ := list(t.Context(), m, ".hoodie"); len(names) != 0 {
			t.Errorf("left %v", names)
		}
	})
}

// TestDeadProcess: the lock of a process that was killed is taken over at once,
// by one of several that wait for it; that of another machine is not.
func TestDeadProcess(t *testing.T) {
	if machine() == "" {
		t.Skip("processes cannot be told apart here")
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	dead, other := process{machine(), strconv.Itoa(child.Process.Pid), "1"}, process{"another", strconv.Itoa(child.Process.Pid), "1"}
	again := self()
	again[2] = "1" // one with the number of this process, before
	for _, c := range []struct {
		owner process
		taken bool
	}{{dead, true}, {other, false}, {self(), false}, {again, true}, {process{}, false}} {
		m := storage.NewMem()
		text, err := json.Marshal(fileOwner{Thread: "a-b-c", Stack: c.owner.list()})
		if err != nil {
			t.Fatal(err)
		}
		if err := storage.WriteFile(t.Context(), m, ".hoodie/lock", storage.Exclusive, text); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var holders, most, done atomic.Int32
		for range 4 {
			wg.Go(func() {
				lock, err := (&FileLock{Bucket: m, Patience: Patience{Wait: 300 * time.Millisecond, Poll: time.Millisecond}}).Lock(t.Context())
				if err != nil {
					return
				}
				most.Store(max(most.Load(), holders.Add(1)))
				time.Sleep(5 * time.Millisecond)
				holders.Add(-1)
				done.Add(1)
				if err := lock.Unlock(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if taken := done.Load() > 0; taken != c.taken || most.Load() > 1 {
			t.Errorf("process %v: taken %v, by %d at once", c.owner, taken, most.Load())
		}
	}
}

// TestDeadReleaser: a process that was killed while it released a lost lock does not keep others from it.
func TestDeadReleaser(t *testing.T) {
	if machine() == "" {
		t.Skip("processes cannot be told apart here")
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	m := storage.NewMem()
	left := func(name, thread string) string {
		text, err := json.Marshal(fileOwner{Thread: thread, Stack: process{machine(), strconv.Itoa(child.Process.Pid), "1"}.list()})
		if err == nil {
			err = storage.WriteFile(t.Context(), m, name, storage.Exclusive, text)
		}
		if err != nil {
			t.Fatal(err)
		}
		digest := sha256.Sum256(text)
		return ".hoodie/lock.release-" + hex.EncodeToString(digest[:8])
	}
	left(left(left(".hoodie/lock", "holder"), "releaser"), "releaser of the releaser's guard")
	lock, err := (&FileLock{Bucket: m, Patience: Patience{Wait: time.Second, Poll: time.Millisecond}}).Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Unlock(t.Context()); err != nil {
		t.Error(err)
	}
	if names, _ := list(t.Context(), m, ".hoodie"); len(names) != 0 {
		t.Errorf("left %v", names)
	}
}

// TestDeadWriter: the heartbeat of a process of this machine ends with it, those of others when they are late.
func TestDeadWriter(t *testing.T) {
	if machine() == "" {
		t.Skip("processes cannot be told apart here")
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	pid := strconv.Itoa(child.Process.Pid)
	for said, want := range map[string]bool{
		"": true, "x": true, "[]": true, // of Hudi, of whom nothing is known
		fmt.Sprintf(`["another",%q,"1"]`, pid):                                  true,
		fmt.Sprintf(`[%q,%q,"1"]`, machine(), pid):                              false,
		fmt.Sprintf(`[%q,"%d","1"]`, machine(), os.Getpid()):                    false,
		fmt.Sprintf(`[%q,"%d",%q]`, machine(), os.Getpid(), began(os.Getpid())): true,
	} {
		m := storage.NewMem()
		if err := storage.WriteFile(t.Context(), m, heartbeatDir+"/1", storage.Replace, []byte(said)); err != nil {
			t.Fatal(err)
		}
		if got, err := Alive(t.Context(), m, "1", time.Now(), Pulse{}); err != nil || got != want {
			t.Errorf("%s: alive %v, %v", said, got, err)
		}
		if got, err := Alive(t.Context(), m, "1", time.Now().Add(3*time.Minute), Pulse{}); err != nil || got {
			t.Errorf("%s: alive later, %v", said, err)
		}
	}
}
