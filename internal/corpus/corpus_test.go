package corpus

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is the folder of the corpus.
func root(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TARN_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "corpus")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no corpus: %v", err)
		}
		t.Skip("no corpus")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// table is a table of the corpus.
type table struct {
	set, name string
	dir       string // of its log and data
	expected  string // folder with the rows that it must have
	manifest  *manifest
}

func (t table) String() string { return t.set + "/" + t.name }

// manifest is what the generator tells of a table.
type manifest struct {
	Versions     map[string]struct{ Rows *int64 } `json:"versions"`
	Latest       int64                            `json:"latest"`
	Placeholders []string                         `json:"placeholders"`
	Notes        []string                         `json:"notes"`
}

// deltaTables are all Delta tables of the corpus. Zipped ones are unpacked into a folder of the test.
func deltaTables(t *testing.T) []table {
	t.Helper()
	base := filepath.Join(root(t), "delta")
	var out []table
	for _, set := range []string{"dat", "golden", "kernel", "misc"} {
		for _, e := range entries(t, filepath.Join(base, set)) {
			dir := filepath.Join(base, set, e)
			one := table{set: set, name: e, dir: dir, expected: filepath.Join(dir, "expected")}
			if _, err := os.Stat(filepath.Join(dir, "delta")); err == nil {
				one.dir = filepath.Join(dir, "delta")
			}
			out = append(out, one)
		}
	}
	work := t.TempDir()
	for _, e := range entries(t, filepath.Join(base, "generated")) {
		if name, ok := strings.CutSuffix(e, ".zip"); ok {
			out = append(out, generated(t, filepath.Join(base, "generated", e), filepath.Join(work, name), name))
		}
	}
	return out
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// generated unpacks a table of the generator. The placeholders of absolute paths become the folder that it is in.
func generated(t *testing.T, zipped, work, name string) table {
	t.Helper()
	unzip(t, zipped, filepath.Dir(work))
	out := table{set: "generated", name: name, dir: filepath.Join(work, "delta"), expected: filepath.Join(work, "expected"), manifest: new(manifest)}
	text, err := os.ReadFile(filepath.Join(work, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, out.manifest); err != nil {
		t.Fatal(err)
	}
	for _, p := range out.manifest.Placeholders {
		file := filepath.Join(filepath.Dir(work), p)
		if _, err := os.Stat(file); err != nil {
			file = filepath.Join(work, p)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("file:/TARN_ROOT"), []byte("file:"+filepath.Dir(work)))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(out.dir); err != nil { // the table has a name of its own
		for _, e := range entries(t, work) {
			if _, err := os.Stat(filepath.Join(work, e, "_delta_log")); err == nil {
				out.dir = filepath.Join(work, e)
			}
		}
	}
	return out
}

func unzip(t *testing.T, zipped, to string) {
	t.Helper()
	r, err := zip.OpenReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, f := range r.File {
		path := filepath.Join(to, f.Name)
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, f.Modified, f.Modified); err != nil {
			t.Fatal(err)
		}
	}
}
