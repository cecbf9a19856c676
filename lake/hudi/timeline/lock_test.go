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

// versioned is a bucket that writes on condition.
type versioned struct {
	storage.Bucket
	mu   sync.Mutex
	n    int
	data []byte
	lose bool // the answer of the next write
}

func (v *versioned) ReadVersion(context.Context, string, int64) ([]byte, string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.n == 0 {
		return nil, "", fs.ErrNotExist
	}
	return v.data, fmt.Sprint(v.n), nil
}

func (v *versioned) WriteIf(_ context.Context, _, version string, data []byte) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if have := fmt.Sprint(v.n); version != have && (version != "" || v.n != 0) {
		return "", fs.ErrExist
	}
	v.n++
	v.data = bytes.Clone(data)
	if v.lose {
		v.lose = false
		return "", errors.New("no answer")
	}
	return fmt.Sprint(v.n), nil
}

func lockers(p Patience) map[string]func() Locker {
	process := NewProcessLock(p)
	m, v := storage.NewMem(), &versioned{Bucket: storage.NewMem()}
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
		m, v := storage.NewMem(), &versioned{Bucket: storage.NewMem()}
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
		m, v := storage.NewMem(), &versioned{Bucket: storage.NewMem(), n: 1}
		v.data = fmt.Appendf(nil, `{"expired":false,"validUntil":%d,"owner":"a-b-c"}`, time.Now().Add(30*time.Second).UnixMilli())
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
		if !strings.HasPrefix(string(v.data), `{"expired":true,"validUntil":`) {
			t.Errorf("given back as %s", v.data)
		}
	})
}

func TestStoreLockNeedsConditions(t *testing.T) {
	if _, err := (&StoreLock{Bucket: storage.NewMem()}).Lock(t.Context()); err == nil {
		t.Error("locked without conditional writes")
	}
}

// TestLostRenewal: a renewal whose answer is lost is the holder's own.
func TestLostRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &versioned{Bucket: storage.NewMem()}
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
	for _, c := range []struct {
		machine string
		pid     int
		taken   bool
	}{{machine(), child.Process.Pid, true}, {"another", child.Process.Pid, false}, {machine(), os.Getpid(), false}} {
		m := storage.NewMem()
		text, err := json.Marshal(fileOwner{Thread: "a-b-c", Stack: []string{c.machine, strconv.Itoa(c.pid)}})
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
			t.Errorf("process %d of %q: taken %v, by %d at once", c.pid, c.machine, taken, most.Load())
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
		text, err := json.Marshal(fileOwner{Thread: thread, Stack: []string{machine(), strconv.Itoa(child.Process.Pid)}})
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
