package storage_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

// commits are the writes whose crash safety is checked; before is the content of
// the file that is there when it starts, "" for none.
var commits = []struct {
	name   string
	mode   storage.Mode
	before string
}{
	{"new/dir/f", storage.Exclusive, ""},
	{"new/dir/f", storage.Replace, ""},
	{"old/f", storage.Exclusive, ""},
	{"old/f", storage.Replace, ""},
	{"old/g", storage.Replace, "before"},
}

const after = "after, in two writes"

func commit(ctx context.Context, b storage.Bucket, name string, m storage.Mode) error {
	w, err := b.Create(ctx, name, m)
	if err != nil {
		return err
	}
	for _, part := range []string{after[:9], after[9:]} {
		if _, err := w.Write([]byte(part)); err != nil {
			w.Close()
			return err
		}
	}
	return w.Close()
}

func prepared(t *testing.T) *storage.Mem {
	m := storage.NewMem()
	for name, data := range map[string]string{"old/g": "before", "old/h": "bystander"} {
		if err := storage.WriteFile(t.Context(), m, name, storage.Exclusive, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// content returns what a bucket holds under a name, "" if nothing, and checks
// that nothing else changed.
func content(t *testing.T, b storage.Bucket, name string) string {
	t.Helper()
	for info, err := range b.List(t.Context(), "", "") {
		if err != nil || !slices.Contains([]string{"old/g", "old/h", name}, info.Name) {
			t.Errorf("the bucket lists %q, %v", info.Name, err)
		}
	}
	if data, err := storage.ReadFile(t.Context(), b, "old/h", 1000); string(data) != "bystander" {
		t.Errorf("another file holds %q, %v", data, err)
	}
	data, err := storage.ReadFile(t.Context(), b, name, 1000)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// TestCrash stops a commit at each step of the file system and looks at what
// power losses leave of it.
func TestCrash(t *testing.T) {
	points := 0
	for _, c := range commits {
		for step := 1; ; step++ {
			m := prepared(t)
			m.Steps().Fail(step, storage.Stop, nil)
			done := commit(t.Context(), m, c.name, c.mode) == nil
			for seed, keep := range []float64{0, 0.25, 0.5, 0.5, 0.5, 0.75, 1} {
				points++
				found := m.Crash(keep, uint64(seed))
				got := content(t, found, c.name)
				if got != after && (done || got != c.before) {
					t.Errorf("%s %s: keeping %v (seed %d), the file holds %q after\n%s", c.mode, c.name, keep, seed, got, m.Steps().Log())
				}
				recover := commit(t.Context(), found, c.name, c.mode)
				if recover != nil && !(c.mode == storage.Exclusive && got == after && errors.Is(recover, fs.ErrExist)) {
					t.Errorf("%s %s: cannot be written after the crash: %v", c.mode, c.name, recover)
				}
			}
			if !m.Steps().Hit() {
				break
			}
		}
	}
	t.Logf("%d crash points", points)
}

// TestStepFails fails one step of the file system, once, and checks that the
// outcome told is the one found.
func TestStepFails(t *testing.T) {
	for _, c := range commits {
		for _, when := range []storage.When{storage.Before, storage.After} {
			for step := 1; ; step++ {
				m := prepared(t)
				m.Steps().Fail(step, when, syscall.EIO)
				err := commit(t.Context(), m, c.name, c.mode)
				if !m.Steps().Hit() {
					break
				}
				if strings.Contains(m.Steps().Log(), "link "+c.name+" <- fails after") && err != nil {
					t.Errorf("a link that was made is not noticed: %v", err)
				}
				checkOutcome(t, c.mode.String()+" "+c.name+"\n"+m.Steps().Log(), err, content(t, m, c.name), c.before)
				if err == nil && content(t, m.Crash(0, 0), c.name) != after {
					t.Errorf("acknowledged, but not durable:\n%s", m.Steps().Log())
				}
			}
		}
	}
}

// TestOperationFails does the same to the operations of a bucket.
func TestOperationFails(t *testing.T) {
	for _, c := range commits {
		for _, when := range []storage.When{storage.Before, storage.After} {
			for op := 1; ; op++ {
				var faults storage.Faults
				b := storage.Faulty(prepared(t), &faults)
				faults.Fail(op, when, syscall.ENOSPC)
				err := commit(t.Context(), b, c.name, c.mode)
				if !faults.Hit() {
					break
				}
				log := faults.Log()
				faults.Clear()
				if !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("error %v does not tell the fault:\n%s", err, log)
				}
				checkOutcome(t, log, err, content(t, b, c.name), c.before)
			}
		}
	}
}

func checkOutcome(t *testing.T, log string, err error, got, before string) {
	t.Helper()
	switch {
	case err == nil && got != after:
		t.Errorf("told done, found %q:\n%s", got, log)
	case errors.Is(err, storage.ErrNotDurable) && got != after:
		t.Errorf("told %v, found %q:\n%s", err, got, log)
	case errors.Is(err, storage.ErrUnknown) && got != after && got != before:
		t.Errorf("told %v, found %q:\n%s", err, got, log)
	case err != nil && !errors.Is(err, storage.ErrUnknown) && got != before:
		t.Errorf("told not done: %v, found %q:\n%s", err, got, log)
	}
}

// TestDiskForgets shows that the simulated disk would betray a left-out sync.
func TestDiskForgets(t *testing.T) {
	m := storage.NewMem()
	for _, c := range []struct {
		step string
		torn bool // whether more than the name can be lost
	}{{"fsync d/(temp)", true}, {"fsync dir d", false}, {"fsync dir /", false}} {
		dry := m.Clone()
		mustCommit(t, dry)
		n := slices.Index(dry.Steps().Ops(), c.step) + 1
		if n == 0 {
			t.Fatalf("no step %q in\n%s", c.step, dry.Steps().Log())
		}
		left := m.Clone()
		left.Steps().Fail(n, storage.Skip, nil)
		mustCommit(t, left)
		lost, torn := 0, 0
		for seed := range uint64(100) {
			switch data, err := storage.ReadFile(t.Context(), left.Crash(0.5, seed), "d/f", 1000); {
			case errors.Is(err, fs.ErrNotExist):
				lost++
			case err != nil:
				t.Error(err)
			case string(data) != after:
				torn++
			}
		}
		if lost+torn == 0 || c.torn != (torn > 0) {
			t.Errorf("without %q, 100 crashes lose %d files and tear %d", c.step, lost, torn)
		}
	}
}

func mustCommit(t *testing.T, b storage.Bucket) {
	t.Helper()
	if err := commit(t.Context(), b, "d/f", storage.Exclusive); err != nil {
		t.Fatal(err)
	}
}

// TestCrashSeed gives the same losses for the same seed, and harms no one.
func TestCrashSeed(t *testing.T) {
	m := storage.NewMem()
	for i := range 20 {
		m.Steps().Fail(6, storage.Stop, nil)
		commit(t.Context(), m, fmt.Sprintf("d/%d", i), storage.Replace)
		m.Steps().Clear()
	}
	names := func(b storage.Bucket) string {
		var all []string
		for info := range b.List(t.Context(), "", "") {
			all = append(all, fmt.Sprint(info.Name, info.Size))
		}
		return strings.Join(all, " ")
	}
	whole := names(m)
	one, same, other := names(m.Crash(0.5, 1)), names(m.Crash(0.5, 1)), names(m.Crash(0.5, 2))
	if one != same {
		t.Errorf("seed 1 gives %s and %s", one, same)
	}
	if one == other && one == whole {
		t.Errorf("no seed loses anything of %s", whole)
	}
	if names(m.Crash(1, 1)) != whole || names(m.Clone()) != whole || names(m) != whole {
		t.Error("a crash that keeps all, or a clone, changes the bucket")
	}
}
