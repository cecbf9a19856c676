package storage_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

// mount mounts a small file system, or skips the test where that is not allowed.
func mount(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tarn-test", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func TestDiskFull(t *testing.T) {
	dir := mount(t)
	b := openLocal(t, dir)
	if err := storage.WriteFile(t.Context(), b, "d/f", storage.Exclusive, make([]byte, 100<<10)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := storage.WriteFile(t.Context(), b, "d/g", storage.Exclusive, make([]byte, 300<<10))
		if !errors.Is(err, syscall.ENOSPC) || errors.Is(err, storage.ErrUnknown) {
			t.Fatalf("write to a full disk: %v", err)
		}
		for _, part := range []string{filepath.Join(dir, "d/g"), "free some space"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not say %q", err, part)
			}
		}
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "d")); len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if err := b.Remove(t.Context(), "d/f"); err != nil {
		t.Fatal(err)
	}
	if err := storage.WriteFile(t.Context(), b, "d/g", storage.Exclusive, make([]byte, 150<<10)); err != nil {
		t.Errorf("write after space was freed: %v", err)
	}
}

func TestReadOnlyFileSystem(t *testing.T) {
	dir := mount(t)
	b := openLocal(t, dir)
	if err := storage.WriteFile(t.Context(), b, "f", storage.Exclusive, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tarn-test", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("cannot mount read-only: %v", err)
	}
	if got, err := storage.ReadFile(t.Context(), b, "f", 10); string(got) != "x" {
		t.Errorf("read %q, %v", got, err)
	}
	for op, err := range map[string]error{
		"create": storage.WriteFile(t.Context(), b, "d/g", storage.Exclusive, nil),
		"remove": b.Remove(t.Context(), "f"),
	} {
		if !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("%s on a read-only file system: %v", op, err)
		}
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write to any directory")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	err := storage.WriteFile(t.Context(), openLocal(t, dir), "f", storage.Exclusive, nil)
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) {
		t.Errorf("create in a read-only directory: %v", err)
	}
}
