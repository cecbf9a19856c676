//go:build unix

package storage_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

// TestRemoveAllStaysInside removes a tree with links out of it, as a narrowed
// bucket's whole and through a link.
func TestRemoveAllStaysInside(t *testing.T) {
	root, b := world(t)
	dir, err := storage.Sub(b, "dir")
	if err != nil {
		t.Fatal(err)
	}
	if err := storage.RemoveAll(t.Context(), dir, ""); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(root, "in/dir")); err == nil {
		t.Error("the directory is left, empty")
	}
	if err := storage.RemoveAll(t.Context(), b, "up/in-evil"); err == nil {
		t.Error("RemoveAll goes through a link that leads out")
	}
	if err := storage.RemoveAll(t.Context(), b, ""); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(filepath.Join(root, "in")); len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
	for _, name := range []string{"secret", "in-evil/secret"} {
		if got, err := os.ReadFile(filepath.Join(root, name)); string(got) != name {
			t.Errorf("%s outside now holds %q, %v", name, got, err)
		}
	}
}
