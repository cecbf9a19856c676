package config

import (
	"archive/zip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var time0 = time.Unix(0, 0)

func TestRefuses(t *testing.T) {
	tests := []struct{ key, value, want string }{
		{keyVersion, "10", "table version 10 is not supported"},
		{keyVersion, "x", "not a number"},
		{keyLayout, "2", "does not go with"},
		{keyType, "SOMETHING", "COPY_ON_WRITE or MERGE_ON_READ"},
		{keyChecksum, "1", "checksum does not fit"},
		{keyName, "", "missing"},
		{keyZone, "MARS", "LOCAL or UTC"},
		{keyArchive, "../x", "inside .hoodie"},
		{keyMetaFields, "maybe", "true or false"},
		{keyFormat, "iceberg", "not supported"},
		{keyMergeMode, "SOME", "unknown merge mode"},
	}
	for _, c := range tests {
		p, err := New{Name: "t", Version: 6}.Properties()
		if err != nil {
			t.Fatal(err)
		}
		p[c.key] = c.value
		if _, err := NewTable(p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want %q", c.key, c.value, err, c.want)
		}
	}
	for _, version := range []int{0, 4, 7, 10} {
		if _, err := (New{Name: "t", Version: version}).Properties(); err == nil {
			t.Errorf("version %d could be made", version)
		}
	}
	p, _ := New{Name: "t", Version: 6}.Properties()
	p[keyVersion] = "7"
	got, err := NewTable(p)
	if err != nil || got.Writable() == nil {
		t.Errorf("version 7: %v, writable %v", err, got.Writable())
	}
}

// TestCorpus reads the properties of all tables of the corpus, writes them again, and makes those of a new table of the same kind.
func TestCorpus(t *testing.T) {
	n := 0
	for _, set := range []string{"tables", "generated"} {
		zips, err := filepath.Glob(filepath.Join(corpus(t), set, "*.zip"))
		if err != nil {
			t.Fatal(err)
		}
		for _, z := range zips {
			for name, text := range propertiesIn(t, z) {
				n++
				t.Run(filepath.Base(z)+"/"+name, func(t *testing.T) { checkFile(t, text) })
			}
		}
	}
	for _, name := range []string{"table_props_valid", "table_props_valid_minimum"} {
		text, err := os.ReadFile(filepath.Join(corpus(t), name, File))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		delete(p, keyChecksum) // that of table_props_valid is of another name
		if c, err := NewTable(p); err != nil || c.Name != "trips" || c.Version != 6 {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	if n < 100 {
		t.Errorf("only %d tables", n)
	}
}

func checkFile(t *testing.T, text []byte) {
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := body(p.Format("", time0)), body(text); !slices.Equal(got, want) {
		t.Errorf("written anew:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	c, err := NewTable(p)
	if err != nil {
		t.Fatal(err)
	}
	if p[keyChecksum] != Checksum(p[keyDatabase], p[keyName]) {
		t.Error("checksum")
	}
	if c.KeyGenerator != MetadataKeys {
		checkNew(t, c)
	}
}

// body are the lines of a properties file without comments, sorted.
func body(text []byte) []string {
	lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(s string) bool { return s == "" || s[0] == '#' })
	slices.Sort(lines)
	return lines
}

// checkNew makes the properties of a table like c and compares them with what the release wrote, but for keys that come later.
func checkNew(t *testing.T, c *Table) {
	n := New{Name: c.Name, Database: c.Database, Type: c.Type, Version: c.Version, RecordKey: c.RecordKey, Ordering: c.Ordering, Partition: c.Partition,
		KeyGenerator: c.KeyGenerator, HiveStyle: c.HiveStyle, URLEncode: c.URLEncode, DropPartition: c.DropPartitionColumns, VirtualKeys: !c.MetaFields,
		UTC: c.UTC, CreateSchema: c.CreateSchema, CDC: c.CDC, MergeMode: c.MergeMode, Extra: map[string]string{}}
	if c.CDC {
		n.CDCMode = c.CDCMode
	}
	if c.Version != 8 {
		n.Payload = c.Payload
	}
	if _, ok := c.Properties[keyMetaFields]; ok { // the schema was added when a table that the datasource made was registered
		n.CreateSchema = ""
	}
	for k, v := range c.Properties {
		if strings.HasPrefix(k, keygenPrefix) || k == keyMetadata || k == keyMetadataInflight || k == keyIndexDefs || k == keyCreateSchema {
			n.Extra[k] = v
		}
	}
	got, err := n.Properties()
	if err != nil {
		t.Fatal(err)
	}
	if !has(c.Properties, keyZone) { // a procedure of Hudi loses it
		delete(got, keyZone)
	}
	if !reflect.DeepEqual(got, c.Properties) {
		for k := range merged(got, c.Properties) {
			if g, w := got[k], c.Properties[k]; g != w || has(got, k) != has(c.Properties, k) {
				t.Errorf("new table: %s=%q, want %q", k, g, w)
			}
		}
	}
}

func merged(a, b Properties) Properties {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

func propertiesIn(t *testing.T, path string) map[string][]byte {
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := map[string][]byte{}
	for _, f := range r.File {
		if !strings.HasSuffix(f.Name, "/"+File) || strings.Contains(f.Name, "__MACOSX") {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if out[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	return out
}

// corpus is the folder of Hudi's part of the corpus.
func corpus(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TARN_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "corpus", "hudi")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no corpus: %v", err)
		}
		t.Skip("no corpus")
	}
	return dir
}

func has(p Properties, k string) bool {
	_, ok := p[k]
	return ok
}
