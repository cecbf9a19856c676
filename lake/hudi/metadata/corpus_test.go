package metadata

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// zips are the zipped tables of the corpus.
func zips(t *testing.T) (out []string) {
	t.Helper()
	dir := os.Getenv("TARN_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	for _, set := range []string{"tables", "generated"} {
		list, err := filepath.Glob(filepath.Join(dir, "corpus", "hudi", set, "*.zip"))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, list...)
	}
	if len(out) == 0 && os.Getenv("CI") == "true" {
		t.Fatal("no corpus in " + dir)
	}
	if len(out) == 0 {
		t.Skip("no corpus")
	}
	return out
}

// unzip puts the table of a zip into memory.
func unzip(t *testing.T, name string) *storage.Mem {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	root := ""
	for _, f := range z.File {
		if i := strings.Index(f.Name, ".hoodie/hoodie.properties"); i >= 0 && !strings.Contains(f.Name, "metadata/.hoodie") && !strings.Contains(f.Name, "__MACOSX") {
			root = f.Name[:i]
		}
	}
	b := storage.NewMem()
	for _, f := range z.File {
		rel, ok := strings.CutPrefix(f.Name, root)
		if !ok || f.FileInfo().IsDir() || strings.HasSuffix(rel, ".crc") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err == nil {
			err = storage.WriteFile(context.Background(), b, rel, storage.Replace, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// open opens the metadata table of a table of the corpus; nil when it has none.
func open(t *testing.T, b storage.Bucket) (*config.Table, *Table) {
	t.Helper()
	ctx := context.Background()
	c, err := config.Load(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	if c.Version < 5 || c.Version > 9 {
		t.Fatalf("version %d", c.Version)
	}
	tl, err := timeline.Load(ctx, b, timelineConfig(c))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Open(ctx, b, c, tl)
	if errors.Is(err, ErrNone) {
		return c, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return c, m
}

// withMetadata runs a test on each table of the corpus that has a metadata table.
func withMetadata(t *testing.T, test func(t *testing.T, b *storage.Mem, c *config.Table, m *Table)) {
	n := 0
	for _, name := range zips(t) {
		z, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(z.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, ".hoodie/metadata/.hoodie/hoodie.properties") })
		z.Close()
		if !has {
			continue
		}
		n++
		t.Run(strings.TrimSuffix(filepath.Base(name), ".zip"), func(t *testing.T) {
			b := unzip(t, name)
			c, m := open(t, b)
			if m == nil {
				t.Fatal("no metadata table")
			}
			test(t, b, c, m)
		})
	}
	if n < 15 {
		t.Errorf("only %d tables have a metadata table", n)
	}
}

// listed are the files of a table by folder, without those of writes that are not part of it.
func listed(t *testing.T, b storage.Bucket) map[string]map[string]int64 {
	t.Helper()
	out := map[string]map[string]int64{}
	for info, err := range b.List(context.Background(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		dir, name := path.Split(info.Name)
		dir = strings.TrimSuffix(dir, "/")
		if strings.HasPrefix(info.Name, ".hoodie") || strings.HasPrefix(name, ".hoodie") {
			continue
		}
		if out[dir] == nil {
			out[dir] = map[string]int64{}
		}
		out[dir][name] = info.Size
	}
	return out
}

func TestFilesAreThoseOfTheFolder(t *testing.T) {
	withMetadata(t, func(t *testing.T, b *storage.Mem, c *config.Table, m *Table) {
		ctx := context.Background()
		partitions, err := m.Partitions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		files, err := m.Files(ctx, partitions...)
		if err != nil {
			t.Fatal(err)
		}
		want := listed(t, b)
		if got := slices.Sorted(maps.Keys(want)); !slices.Equal(got, partitions) {
			t.Errorf("partitions %q, folders %q", partitions, got)
		}
		if got, w := fmt.Sprint(files), fmt.Sprint(want); got != w {
			t.Errorf("files\n%s\nof the folder\n%s", got, w)
		}
	})
}

// TestAllRecordsAreRead reads everything that a metadata table has.
func TestAllRecordsAreRead(t *testing.T) {
	withMetadata(t, func(t *testing.T, b *storage.Mem, c *config.Table, m *Table) {
		for _, p := range m.partitions {
			n := 0
			if err := m.scan(context.Background(), p, "", func(r *Record) error { n++; return nil }); err != nil {
				t.Error(err)
			}
			t.Logf("%s: %d records", p, n)
		}
	})
}
