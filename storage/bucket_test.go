package storage_test

import (
	"path/filepath"
	"testing"

	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/storage/storagetest"
)

func openLocal(t *testing.T, dir string) storage.Bucket {
	t.Helper()
	b, err := storage.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLocal(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Bucket { return openLocal(t, filepath.Join(t.TempDir(), "made", "late")) })
}

func TestMem(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Bucket { return storage.NewMem() })
}

func TestFaulty(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Bucket { return storage.Faulty(storage.NewMem(), new(storage.Faults)) })
}

// TestSub runs the suite on the narrowed form of a bucket that has none itself.
func TestSub(t *testing.T) {
	type plain struct{ storage.Bucket }
	storagetest.Run(t, func(t *testing.T) storage.Bucket {
		b, err := storage.Sub(plain{storage.NewMem()}, "some/dir")
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}
