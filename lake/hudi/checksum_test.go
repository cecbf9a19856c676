package hudi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

// TestChecksums: a file that is replaced or removed loses the checksum that Hadoop gave it.
func TestChecksums(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	local, err := storage.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := storage.Sub(withChecksums(local), ".hoodie")
	if err != nil {
		t.Fatal(err)
	}
	crc := filepath.Join(dir, ".hoodie", ".a.crc")
	for step, change := range map[string]func() error{
		"replace": func() error { return storage.WriteFile(ctx, b, "a", storage.Replace, []byte("new")) },
		"remove":  func() error { return b.Remove(ctx, "a") },
	} {
		if err := storage.WriteFile(ctx, b, "a", storage.Replace, []byte("old")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(crc, []byte("crc"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(step, err)
		}
		if _, err := os.Stat(crc); !os.IsNotExist(err) {
			t.Errorf("%s: the checksum is still there: %v", step, err)
		}
	}
	if _, ok := storage.As[storage.Local](b); !ok {
		t.Error("the bucket is no longer known to be local")
	}
}
