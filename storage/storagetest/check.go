package storagetest

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

func pattern(size int) []byte {
	p := make([]byte, size)
	for i := range p {
		p[i] = byte(i*7 + i>>8)
	}
	return p
}

func sub(t *testing.T, b storage.Bucket, dirs ...string) storage.Bucket {
	t.Helper()
	for _, dir := range dirs {
		var err error
		if b, err = storage.Sub(b, dir); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func put(t *testing.T, b storage.Bucket, name string, m storage.Mode, data []byte) {
	t.Helper()
	if err := storage.WriteFile(t.Context(), b, name, m, data); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, b storage.Bucket, name string) string {
	t.Helper()
	data, err := storage.ReadFile(t.Context(), b, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func stat(t *testing.T, b storage.Bucket, name string) storage.Info {
	t.Helper()
	f, err := b.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func wantMissing(t *testing.T, b storage.Bucket, name string) {
	t.Helper()
	if _, err := b.Open(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open(%q): %v, want fs.ErrNotExist", name, err)
	}
}

func wantNames(t *testing.T, b storage.Bucket, dir, after string, want ...string) {
	t.Helper()
	var got []string
	for info, err := range b.List(t.Context(), dir, after) {
		if err != nil {
			t.Errorf("List(%q, %q): %v", dir, after, err)
		}
		got = append(got, info.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("List(%q, %q) = %q, want %q", dir, after, got, want)
	}
}
