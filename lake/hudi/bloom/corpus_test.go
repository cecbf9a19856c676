package bloom

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
)

// tables are the zipped tables of the corpus.
func tables(t *testing.T) (out []string) {
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

// TestFooters builds the filters of all base files of the corpus anew from their keys.
func TestFooters(t *testing.T) {
	checked := 0
	for _, name := range tables(t) {
		z, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			if !strings.HasSuffix(f.Name, ".parquet") || strings.Contains(f.Name, "/.") || strings.Contains(f.Name, "__MACOSX") {
				continue
			}
			if r, err := f.Open(); err != nil {
				t.Fatal(err)
			} else if b, err := io.ReadAll(r); err != nil {
				t.Fatal(err)
			} else if checkFooter(t, filepath.Base(name)+"/"+f.Name, b) {
				checked++
			}
		}
		z.Close()
	}
	t.Logf("%d files", checked)
	if checked < 200 {
		t.Errorf("only %d files had filters", checked)
	}
}

func checkFooter(t *testing.T, name string, b []byte) bool {
	t.Helper()
	file, err := pq.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return false
	}
	text, ok := file.Lookup("org.apache.hudi.bloomfilter")
	if !ok {
		return false
	}
	kind, _ := file.Lookup("hoodie_bloom_filter_type_code")
	f, err := Parse(kind, text)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return false
	}
	built := New(f.perRow, DefaultRate, DefaultMaxEntries)
	if f.Kind() == Simple {
		built = newSimple(DefaultEntries, DefaultRate)
	}
	for _, k := range recordKeys(t, file) {
		if !f.Contains(k) {
			t.Errorf("%s: %s is missing", name, k)
		}
		built.Add(k)
	}
	if f.Text() != text {
		t.Errorf("%s: written anew, the filter differs", name)
	}
	if built.Text() != text {
		t.Errorf("%s: built from its keys, the filter differs", name)
	}
	return true
}

func recordKeys(t *testing.T, file *pq.File) (out [][]byte) {
	t.Helper()
	leaf, ok := file.Schema().Lookup("_hoodie_record_key")
	if !ok {
		t.Fatal("no keys")
	}
	for _, g := range file.RowGroups() {
		pages := g.ColumnChunks()[leaf.ColumnIndex].Pages()
		for {
			p, err := pages.ReadPage()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			values := make([]pq.Value, p.NumValues())
			if n, err := p.Values().ReadValues(values); err != nil && err != io.EOF {
				t.Fatal(n, err)
			}
			for _, v := range values {
				out = append(out, bytes.Clone(v.ByteArray()))
			}
		}
		pages.Close()
	}
	return out
}
