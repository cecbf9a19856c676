package tarn

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi"
	"github.com/tarn-lake/tarn/storage"
)

// TestHudiCheckRowsCorpus finds neither damage nor rows that it cannot compare in tables that Hudi made, of all key generators.
func TestHudiCheckRowsCorpus(t *testing.T) {
	zips, err := filepath.Glob(filepath.Join(shared(t), "corpus", "hudi", "generated", "*.zip"))
	if err != nil || len(zips) == 0 {
		t.Fatal("no tables", err)
	}
	db := utcDB(t)
	for _, z := range zips {
		name := strings.TrimSuffix(filepath.Base(z), ".zip")
		for _, f := range rowFindings(t, db, hudiCorpus(t, z)) {
			if strings.Contains(f.What, "stores no keys") && strings.HasSuffix(name, "virtual_keys") {
				continue
			}
			t.Errorf("%s: %s", name, f)
		}
	}
}

// TestHudiCheckRowsFinds tells why rows cannot be read or compared, instead of failing.
func TestHudiCheckRowsFinds(t *testing.T) {
	db := utcDB(t)
	corpus := filepath.Join(shared(t), "corpus", "hudi", "generated")
	property := func(key, value string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			change(t, []string{filepath.Join(dir, ".hoodie", "hoodie.properties")}, func(b []byte) []byte {
				lines := strings.Split(string(b), "\n")
				i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, key+"=") })
				lines[i] = key + "=" + value
				return []byte(strings.Join(lines, "\n"))
			})
		}
	}
	noBase := func(t *testing.T, dir string) {
		files, err := filepath.Glob(filepath.Join(dir, "city=sf", "*.parquet"))
		if err != nil || len(files) == 0 {
			t.Fatal("no base file", err)
		}
		remove(t, files)
	}
	for _, c := range []struct {
		table    string
		damage   func(*testing.T, string)
		severity lake.Severity
		what     string
	}{
		{"v6_mor_part_plain", property("hoodie.compaction.payload.class", "com.acme.Payload"), lake.Damage, "rows are merged by the class com.acme.Payload"},
		{"v8_mor_indexes", noBase, lake.Damage, "rows cannot be read: "},
		{"v6_cow_part_plain", property("hoodie.table.keygenerator.class", "com.acme.Keys"), lake.Note, `the key generator "com.acme.Keys" is not known`},
	} {
		dir := hudiCorpus(t, filepath.Join(corpus, c.table+".zip"))
		c.damage(t, dir)
		got := rowFindings(t, db, dir)
		if len(got) != 1 || got[0].Severity != c.severity || !strings.Contains(got[0].What, c.what) {
			t.Errorf("%s: %v, not one that says %q", c.table, got, c.what)
		}
	}
}

// rowFindings are those of the check of the rows of the table in dir.
func rowFindings(t *testing.T, db *DB, dir string) []lake.Finding {
	t.Helper()
	b, err := storage.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	table, err := (&hudi.Format{}).Open(t.Context(), lake.Entry{Bucket: b, Location: dir})
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	found, err := table.(*hudi.Table).CheckRows(t.Context(), db.engine)
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	return found
}

// TestHudiCheckUnopened has a finding where the table cannot be opened.
func TestHudiCheckUnopened(t *testing.T) {
	dir := hudiCorpus(t, filepath.Join(shared(t), "corpus", "hudi", "generated", "v6_cow_part_plain.zip"))
	if err := os.WriteFile(filepath.Join(dir, ".hoodie", "hoodie.properties"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := storage.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := hudi.Check(t.Context(), b)
	if err != nil || len(got) != 1 || got[0].Severity != lake.Damage || !strings.Contains(got[0].What, "is empty") || got[0].Remedy == "" {
		t.Errorf("%v, %v", got, err)
	}
}
