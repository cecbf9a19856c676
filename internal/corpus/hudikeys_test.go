package corpus

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/files"
	"github.com/tarn-lake/tarn/lake/hudi/keygen"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
)

// keySettings are what writers of tables were told and the tables do not keep.
var keySettings = map[string]map[string]string{
	"v6_cow_tskeygen_millis":              {"hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS"},
	"v6_mor_tskeygen_millis":              {"hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS"},
	"v6_cow_tskeygen_string":              {"hoodie.keygen.timebased.timestamp.type": "DATE_STRING"},
	"cow_v6_timebasedkeygen_nonhivestyle": {"hoodie.keygen.timebased.timestamp.type": "DATE_STRING"},
	"v6_cow_customkeygen":                 customSettings,
	"v6_mor_customkeygen":                 customSettings,
	"v9_cow_customkeygen":                 customSettings,
	"v9_mor_customkeygen":                 customSettings,
}

var customSettings = map[string]string{"hoodie.table.partition.fields": "region:SIMPLE,ev:TIMESTAMP",
	"hoodie.keygen.timebased.timestamp.type": "UNIX_TIMESTAMP", "hoodie.keygen.timebased.output.dateformat": "yyyyMM"}

// TestHudiKeys makes the key and the partition path of every row in the base files of every table, and compares them with
// those that Hudi stored.
func TestHudiKeys(t *testing.T) {
	dir, x := filepath.Join(root(t), "hudi"), newEngine(t)
	rows := 0
	for _, set := range []string{"generated", "tables"} {
		for _, e := range entries(t, filepath.Join(dir, set)) {
			name, ok := strings.CutSuffix(e, ".zip")
			if !ok {
				continue
			}
			t.Run(name, func(t *testing.T) {
				work := t.TempDir()
				unzip(t, filepath.Join(dir, set, e), work)
				rows += checkKeys(t, x, name, work)
			})
		}
	}
	if rows < 500 {
		t.Errorf("%d keys were compared only", rows)
	}
}

// checkKeys compares the keys of the table below a folder, and says how many.
func checkKeys(t *testing.T, x engine.Engine, name, dir string) (n int) {
	dir, p := hudiProperties(t, dir)
	for k, v := range keySettings[name] {
		p[k] = v
	}
	if p["hoodie.populate.meta.fields"] == "false" || p["hoodie.table.recordkey.fields"] == "" {
		t.Skip("rows hold no keys, or generated ones")
	}
	version, err := strconv.Atoi(p["hoodie.table.version"])
	if err != nil {
		t.Fatal(err)
	}
	c := keygen.Config{Type: keygen.TypeOf(p["hoodie.table.keygenerator.class"]), Keys: splitList(p["hoodie.table.recordkey.fields"]),
		Partition: splitList(p["hoodie.table.partition.fields"]), HiveStyle: p["hoodie.datasource.write.hive_style_partitioning"] == "true",
		Encode: p["hoodie.datasource.write.partitionpath.urlencode"] == "true", Prefixed: keygen.PrefixedBy(version), Properties: p}
	if kind := p["hoodie.table.keygenerator.type"]; kind != "" {
		c.Type = kind
	}
	g, err := keygen.New(c)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), ".") && path != dir {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".parquet") && !strings.HasPrefix(e.Name(), ".") {
			n += checkFileKeys(t, x, g, path, p["hoodie.datasource.write.drop.partition.columns"] == "true")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func checkFileKeys(t *testing.T, x engine.Engine, g *keygen.Generator, path string, dropped bool) int {
	ctx := context.Background()
	b, err := storage.OpenLocal(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	e := lake.Entry{Format: "parquet", Location: filepath.Dir(path), Bucket: b, Options: map[string]string{files.Pattern: filepath.Base(path)}}
	table, err := files.Formats()["parquet"].Open(ctx, e)
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.Snapshot(ctx, lake.At{})
	if err != nil {
		t.Fatal(err)
	}
	w := wantAll(s)
	w.RowID = nil
	in, err := s.Scan(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	var out []rel.Computed
	add := func(name string, e rel.Expr, err error) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rel.Computed{Column: rel.NewColumn(name, e.Type()), Expr: e})
	}
	key, err := g.Key(w.Columns)
	add("key", key, err)
	if !dropped {
		place, err := g.Partition(w.Columns)
		add("place", place, err)
	}
	computed := len(out)
	for _, c := range w.Columns {
		if c.Name == "_hoodie_record_key" || c.Name == "_hoodie_partition_path" && !dropped {
			add(c.Name, c.Ref(), nil)
		}
	}
	r, err := x.Query(ctx, &rel.Project{In: in, Cols: out})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	n := 0
	for r.Next() {
		batch := r.RecordBatch()
		for i := range int(batch.NumRows()) {
			n++
			for c := range computed {
				if got, want := batch.Column(c).ValueStr(i), batch.Column(c+computed).ValueStr(i); got != want {
					t.Errorf("%s: %s is %q, not %q", path, out[c].Name, got, want)
				}
			}
		}
	}
	if err := r.Err(); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return n
}

// hudiProperties finds the table below a folder and reads its properties.
func hudiProperties(t *testing.T, dir string) (string, map[string]string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", ".hoodie", "hoodie.properties"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d tables in %s: %v", len(found), dir, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	p := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			p[k] = strings.ReplaceAll(v, `\`, "")
		}
	}
	return filepath.Dir(filepath.Dir(found[0])), p
}

func splitList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}
