package catalog_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/catalog/catalogtest"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// helper is set in the processes that TestProcesses and TestKilled start: the warehouse to write to.
const helper = "TARN_CATALOG_TEST"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helper); dir != "" {
		os.Exit(work(dir, os.Getenv(helper+"_NAME")))
	}
	os.Exit(m.Run())
}

// work makes tables until its input ends, and says the name of each once it is there.
func work(dir, name string) int {
	c, err := catalog.NewWarehouse(dir, nil)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for i := range 25 {
		entry := catalogtest.Table("default", fmt.Sprintf("%s_%02d", name, i))
		if err := c.Update(context.Background(), catalog.PutTable{Entry: entry}); err != nil {
			fmt.Println(err)
			return 1
		}
		shared := catalogtest.Table("default", fmt.Sprintf("shared_%02d", i))
		switch err := c.Update(context.Background(), catalog.PutTable{Entry: shared}); {
		case err == nil:
			fmt.Println("won", i)
		case !errors.Is(err, fs.ErrExist):
			fmt.Println(err)
			return 1
		}
		fmt.Println("made", entry.Name[1])
	}
	return 0
}

func TestMemory(t *testing.T) {
	catalogtest.Run(t, func(t *testing.T) catalog.Catalog { return catalog.NewMemory(t.TempDir()) })
}

func TestWarehouse(t *testing.T) {
	catalogtest.Run(t, func(t *testing.T) catalog.Catalog { return open(t, filepath.Join(t.TempDir(), "odd %41 #?é")) })
}

func open(t *testing.T, dir string) *catalog.Warehouse {
	t.Helper()
	c, err := catalog.NewWarehouse(dir, func(_ context.Context, location string) (storage.Bucket, error) {
		return storage.OpenLocal(location)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestReadMakesNothing: a warehouse that is only read stays as it is.
func TestReadMakesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wh")
	if got := names(t, open(t, dir)); got != "" {
		t.Errorf("tables %s", got)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the warehouse is there: %v", err)
	}
}

// TestShared: what one opener changes another sees at once, also one that looked before there was a file.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	names(t, b)
	for i := range 3 {
		if err := a.Update(t.Context(), catalog.PutTable{Entry: catalogtest.Table("default", fmt.Sprint("t", i))}); err != nil {
			t.Fatal(err)
		}
		if got, want := names(t, b), "t0 t1 t2"[:2+3*i]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if got := names(t, b); got != "" {
		t.Errorf("a removed warehouse still has %q", got)
	}
	if err := b.Update(t.Context(), catalog.PutTable{Entry: catalogtest.Table("default", "new")}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, a); got != "new" {
		t.Errorf("got %q of the warehouse made anew", got)
	}
}

// TestMoved: managed tables go with the folder, and get their buckets there.
func TestMoved(t *testing.T) {
	dir := t.TempDir()
	old, moved := filepath.Join(dir, "old"), filepath.Join(dir, "moved")
	a := open(t, old)
	for name, location := range map[string]string{"in": filepath.Join(old, "s.db", "in"), "out": filepath.Join(dir, "out")} {
		e := lake.Entry{Name: lake.Ident{"default", name}, Format: "delta", Location: location}
		if err := a.Update(t.Context(), catalog.PutTable{Entry: e}); err != nil {
			t.Fatal(err)
		}
	}
	a.Close()
	if err := os.Rename(old, moved); err != nil {
		t.Fatal(err)
	}
	b := open(t, moved)
	for name, want := range map[string]string{"in": filepath.Join(moved, "s.db", "in"), "out": filepath.Join(dir, "out")} {
		e, err := b.Lookup(t.Context(), lake.Ident{"default", name})
		if err != nil || e.Location != want {
			t.Errorf("%s is at %q, %v; want %q", name, e.Location, err, want)
		}
		if path, err := e.Bucket.(storage.Local).Path("f"); err != nil || path != filepath.Join(want, "f") {
			t.Errorf("the bucket of %s has %s, %v", name, path, err)
		}
	}
}

func TestOwnFolder(t *testing.T) {
	dir := t.TempDir()
	e := catalogtest.Table("default", "t")
	e.Location = filepath.Join(dir, catalog.Folder, "t")
	if err := open(t, dir).Update(t.Context(), catalog.PutTable{Entry: e}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a table in the catalog's folder: %v", err)
	}
}

// TestBadFile: a file that is not a catalog of this layout is refused with the reason and the way out, and stays.
func TestBadFile(t *testing.T) {
	whole := func(t *testing.T) []byte {
		dir := t.TempDir()
		c := open(t, dir)
		for i := range 50 {
			if err := c.Update(t.Context(), catalog.PutTable{Entry: catalogtest.Table("default", fmt.Sprint("t", i))}); err != nil {
				t.Fatal(err)
			}
		}
		c.Close()
		b, err := os.ReadFile(filepath.Join(dir, catalog.Folder, "catalog.db"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	const versionAt, markAt = 60, 68 // https://www.sqlite.org/fileformat2.html#the_database_header
	for name, test := range map[string]struct {
		file func(b []byte) []byte
		want string
	}{
		"text":      {func([]byte) []byte { return []byte(strings.Repeat("not a database\n", 100)) }, "not a database"},
		"newer":     {func(b []byte) []byte { b[versionAt+3] = 9; return b }, "a newer tarn wrote it: it has layout 9"},
		"other":     {func(b []byte) []byte { b[markAt] = 0; return b }, "SQLite file of another program"},
		"damaged":   {func(b []byte) []byte { clear(b[4096:]); return b }, "malformed"},
		"truncated": {func(b []byte) []byte { return b[:5000] }, "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, catalog.Folder, "catalog.db")
			content := test.file(whole(t))
			if err := os.Mkdir(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, content, 0o666); err != nil {
				t.Fatal(err)
			}
			c := open(t, dir)
			_, lookup := c.Lookup(t.Context(), lake.Ident{"default", "t1"})
			update := c.Update(t.Context(), catalog.PutTable{Entry: catalogtest.Table("default", "t99")})
			for _, err := range []error{lookup, update} {
				var told *lake.Error
				if !errors.As(err, &told) || told.Path != file || told.Hint == "" || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v (%+v), want %q", err, told, test.want)
				}
			}
			c.Close()
			if now, err := os.ReadFile(file); err != nil || string(now) != string(content) {
				t.Errorf("the file changed: %v", err)
			}
		})
	}
}

// TestEmptyFile: a process that died right after it made the file leaves an empty one.
func TestEmptyFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, catalog.Folder), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, catalog.Folder, "catalog.db"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c := open(t, dir)
	if got := names(t, c); got != "" {
		t.Errorf("tables %s", got)
	}
	if err := c.Update(t.Context(), catalog.PutTable{Entry: catalogtest.Table("default", "t")}); err != nil {
		t.Fatal(err)
	}
}

// TestCancelled: waiting for another process's change ends with the context.
func TestCancelled(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	if err := c.Update(t.Context(), catalog.PutTable{Entry: catalogtest.Table("default", "t")}); err != nil {
		t.Fatal(err)
	}
	release := catalog.Lock(t, dir)
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	err := c.Update(ctx, catalog.PutTable{Entry: catalogtest.Table("default", "u")})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
}

// TestProcesses: processes that make the catalog and write to it at the same time lose nothing, and one name is
// given once.
func TestProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wh")
	var running []*exec.Cmd
	var outputs []*strings.Builder
	for _, name := range []string{"a", "b", "c"} {
		cmd, out := process(t, dir, name), &strings.Builder{}
		cmd.Stdout = out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running, outputs = append(running, cmd), append(outputs, out)
	}
	won := 0
	for i, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, outputs[i])
		}
		won += strings.Count(outputs[i].String(), "won")
	}
	if n := len(strings.Fields(names(t, open(t, dir)))); n != 4*25 || won != 25 {
		t.Errorf("%d tables, %d shared names won", n, won)
	}
}

// TestKilled: a process that is killed while it writes leaves every table that it reported, and a catalog that works.
func TestKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wh")
	for _, after := range []int{1, 7, 13} {
		cmd := process(t, dir, fmt.Sprint("k", after))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		made := []string{}
		for scanner := bufio.NewScanner(out); scanner.Scan() && len(made) < after; {
			if name, ok := strings.CutPrefix(scanner.Text(), "made "); ok {
				made = append(made, name)
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		c := open(t, dir)
		for _, name := range made {
			if _, err := c.Lookup(t.Context(), lake.Ident{"default", name}); err != nil {
				t.Error(err)
			}
		}
		if err := c.Update(t.Context(), catalog.PutTable{Entry: catalogtest.Table("default", fmt.Sprint("after", after))}); err != nil {
			t.Error(err)
		}
	}
}

func process(t *testing.T, dir, name string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), helper+"="+dir, helper+"_NAME="+name)
	return cmd
}

func names(t *testing.T, c catalog.Catalog) string {
	t.Helper()
	var out []string
	for n, err := range c.List(t.Context(), lake.Ident{"default"}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n[1])
	}
	return strings.Join(out, " ")
}
