package storage_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	b := openLocal(t, dir)
	if err := os.MkdirAll(filepath.Join(dir, "t/_delta_log"), 0o777); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-48 * time.Hour)
	for name, time := range map[string]time.Time{
		"t/.tarn-1.tmp": old, "t/_delta_log/.tarn-2.tmp": old, "t/_delta_log/.tarn-3.tmp": time.Now(),
		"t/_delta_log/0.json": old, "t/.other.tmp": old, ".tarn-4.tmp": old,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, name), time, time); err != nil {
			t.Fatal(err)
		}
	}
	s, ok := storage.As[storage.Sweeper](b)
	if !ok {
		t.Fatal("a local bucket is no Sweeper")
	}
	if n, err := s.Sweep(t.Context(), "t", time.Now().Add(-24*time.Hour)); n != 2 || err != nil {
		t.Errorf("Sweep = %d, %v, want 2", n, err)
	}
	if n, err := s.Sweep(t.Context(), "missing", time.Now()); n != 0 || err != nil {
		t.Errorf("Sweep of nothing = %d, %v", n, err)
	}
	for name, there := range map[string]bool{"t/.tarn-1.tmp": false, "t/_delta_log/.tarn-2.tmp": false,
		"t/_delta_log/.tarn-3.tmp": true, "t/_delta_log/0.json": true, "t/.other.tmp": true, ".tarn-4.tmp": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%s: %v, want it there: %v", name, err, there)
		}
	}
}

// TestSweepAfterCrash finds what a killed writer left, and nothing of a live one.
func TestSweepAfterCrash(t *testing.T) {
	m := storage.NewMem()
	mustCommit(t, m)
	m.Steps().Fail(4, storage.Stop, nil)
	commit(t.Context(), m, "d/g", storage.Exclusive)
	m = m.Crash(1, 0)
	for want := range 2 {
		if n, err := m.Sweep(t.Context(), "", time.Now()); n != 1-want || err != nil {
			t.Errorf("Sweep = %d, %v, want %d", n, err, 1-want)
		}
	}
}

func TestRemoveAll(t *testing.T) {
	for kind, b := range map[string]storage.Bucket{"local": openLocal(t, t.TempDir()), "mem": storage.NewMem()} {
		for _, name := range []string{"a/1", "a/b/2", "ab/3", "c"} {
			if err := storage.WriteFile(t.Context(), b, name, storage.Exclusive, nil); err != nil {
				t.Fatal(err)
			}
		}
		for i, dir := range []string{"missing/x", "a", "a", ""} {
			if err := storage.RemoveAll(t.Context(), b, dir); err != nil {
				t.Errorf("%s: RemoveAll(%q): %v", kind, dir, err)
			}
			left := 0
			for _, err := range b.List(t.Context(), "", "") {
				if err != nil {
					t.Error(err)
				}
				left++
			}
			if want := []int{4, 2, 2, 0}[i]; left != want {
				t.Errorf("%s: RemoveAll(%q) leaves %d files, want %d", kind, dir, left, want)
			}
		}
		if storage.RemoveAll(t.Context(), b, "../x") == nil {
			t.Errorf("%s: RemoveAll takes a dir that leads out", kind)
		}
	}
}
