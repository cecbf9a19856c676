//go:build unix

package storage_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// world is a bucket "in" with symbolic links, beside files that are not its own.
//
//	secret  in/own  in/dir/own  in/file -> own  in/out -> ../secret
//	in-evil/secret  in/up -> ..  in/loop -> loop  in/dir/side -> ../own  in/alias -> dir
func world(t *testing.T) (root string, b storage.Bucket) {
	root = t.TempDir()
	for _, dir := range []string{"in/dir", "in-evil"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"secret", "in-evil/secret", "in/own", "in/dir/own"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"in/file": "own", "in/out": "../secret", "in/abs": filepath.Join(root, "secret"), "in/up": "..",
		"in/loop": "loop", "in/dir/side": "../own", "in/alias": "dir", "in/void": "nothing",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return root, openLocal(t, filepath.Join(root, "in"))
}

func local(t *testing.T, b storage.Bucket) storage.Local {
	t.Helper()
	l, ok := storage.As[storage.Local](b)
	if !ok {
		t.Fatal("not a Local bucket")
	}
	return l
}

func TestLinksInside(t *testing.T) {
	_, b := world(t)
	for name, want := range map[string]string{"file": "in/own", "dir/side": "in/own", "alias/own": "in/dir/own"} {
		if got, err := storage.ReadFile(t.Context(), b, name, 100); string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
		if _, err := local(t, b).Path(name); err != nil {
			t.Error(err)
		}
	}
}

func TestLinksOutside(t *testing.T) {
	root, b := world(t)
	narrow, err := storage.Sub(b, "dir")
	if err != nil {
		t.Fatal(err)
	}
	up, err := storage.Sub(b, "up")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		b    storage.Bucket
		name string
	}{{b, "out"}, {b, "abs"}, {b, "up/secret"}, {b, "up/new"}, {b, "loop"}, {narrow, "side"}, {up, "secret"}, {up, "in-evil/secret"}} {
		if f, err := c.b.Open(t.Context(), c.name); err == nil {
			f.Close()
			t.Errorf("Open(%q) leaves the bucket", c.name)
		}
		if p, err := local(t, c.b).Path(c.name); err == nil {
			t.Errorf("Path(%q) = %q leaves the bucket", c.name, p)
		}
		if err := local(t, c.b).Sync(t.Context(), c.name); err == nil {
			t.Errorf("Sync(%q) leaves the bucket", c.name)
		}
	}
	for _, m := range []storage.Mode{storage.Replace, storage.Exclusive} {
		if err := storage.WriteFile(t.Context(), b, "up/new", m, nil); err == nil {
			t.Errorf("%v create leaves the bucket", m)
		}
	}
	if err := b.Remove(t.Context(), "up/secret"); err == nil {
		t.Error("Remove of up/secret succeeds")
	}
	// The links themselves lie in the bucket, and may be replaced and removed.
	if err := storage.WriteFile(t.Context(), b, "out", storage.Replace, []byte("mine")); err != nil {
		t.Error(err)
	}
	if err := b.Remove(t.Context(), "abs"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"secret", "in-evil/secret"} {
		if got, err := os.ReadFile(filepath.Join(root, name)); string(got) != name {
			t.Errorf("%s outside now holds %q, %v", name, got, err)
		}
	}
	if entries, err := os.ReadDir(root); len(entries) != 3 {
		t.Errorf("something was made outside: %v, %v", entries, err)
	}
}

func TestListTellsWhatCannotBeOpened(t *testing.T) {
	root, b := world(t)
	if err := os.WriteFile(filepath.Join(root, `in/back\slash`), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "in/pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	var good, bad []string
	for info, err := range b.List(t.Context(), "", "") {
		if err == nil {
			good = append(good, info.Name)
			continue
		}
		bad = append(bad, info.Name)
		if !strings.Contains(err.Error(), filepath.Join(root, "in", info.Name)) {
			t.Errorf("the error for %s does not name it: %v", info.Name, err)
		}
	}
	if !slices.Equal(good, []string{"dir/own", "dir/side", "file", "own"}) ||
		!slices.Equal(bad, []string{"abs", "alias", `back\slash`, "loop", "out", "pipe", "up", "void"}) {
		t.Errorf("List gives %q and errors for %q", good, bad)
	}
}

func TestOpenPipe(t *testing.T) {
	root, b := world(t)
	if err := syscall.Mkfifo(filepath.Join(root, "in/pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := b.Open(t.Context(), "pipe")
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open of a pipe: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Open waits for a pipe's other end")
	}
}

func TestSync(t *testing.T) {
	root, b := world(t)
	l := local(t, b)
	p, err := l.Path("new/part=1/f")
	if err != nil || p != filepath.Join(root, "in/new/part=1/f") {
		t.Fatalf("Path = %q, %v", p, err)
	}
	if _, err := os.Stat(filepath.Join(root, "in/new")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("Path makes directories")
	}
	if err := l.Sync(t.Context(), "new/part=1/f"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Sync of a missing file: %v", err)
	}
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := l.Sync(t.Context(), "new/part=1/f", "own"); err != nil {
		t.Error(err)
	}
	if _, err := l.Path("../secret"); err == nil {
		t.Error("Path takes a name that leads out")
	}
	absent := local(t, openLocal(t, filepath.Join(root, "absent")))
	if p, err := absent.Path("f"); err != nil || p != filepath.Join(root, "absent/f") {
		t.Errorf("Path in a bucket not made yet = %q, %v", p, err)
	}
}

// TestReadingMakesNothing asks a bucket that does not exist.
func TestReadingMakesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "absent")
	b := openLocal(t, dir)
	if _, err := b.Open(t.Context(), "f"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open: %v", err)
	}
	for info, err := range b.List(t.Context(), "", "") {
		t.Errorf("List yields %v, %v", info, err)
	}
	if err := b.Remove(t.Context(), "f"); err != nil {
		t.Errorf("Remove: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is there: %v", err)
	}
}

func TestAbandonedLeavesNoTemp(t *testing.T) {
	dir := t.TempDir()
	b := openLocal(t, dir)
	for range 3 {
		if err := storage.WriteFile(t.Context(), b, "f", storage.Exclusive, nil); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "taken"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, m := range []storage.Mode{storage.Replace, storage.Exclusive} {
		if err := storage.WriteFile(t.Context(), b, "taken", m, nil); err == nil || errors.Is(err, storage.ErrUnknown) {
			t.Errorf("%v create over a directory: %v", m, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestNoHardLinks answers a link as Linux does on a file system without them.
func TestNoHardLinks(t *testing.T) {
	m := storage.NewMem()
	mustCommit(t, m)
	n := slices.Index(m.Steps().Ops(), "link d/f") + 1
	m = storage.NewMem()
	m.Steps().Fail(n, storage.Before, syscall.EPERM)
	err := commit(t.Context(), m, "d/f", storage.Exclusive)
	if !errors.Is(err, errors.ErrUnsupported) || errors.Is(err, storage.ErrUnknown) || !strings.Contains(err.Error(), "hard links") {
		t.Errorf("exclusive create without hard links: %v", err)
	}
	if steps := m.Steps().Ops(); steps[len(steps)-1] != "remove d/(temp)" {
		t.Errorf("the temp file is left:\n%s", m.Steps().Log())
	}
}
