package tarn_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn"
)

// TestHudiWidenedColumns writes rows of wider types and new columns to tables whose files hold the narrower ones.
func TestHudiWidenedColumns(t *testing.T) {
	ctx := context.Background()
	dir := os.Getenv("TARN_KEEP_TABLES") // to look at them with Hudi
	if dir == "" {
		dir = t.TempDir()
	}
	db := tarn.Opened(t, tarn.Options{Warehouse: dir, Memory: 512 << 20})
	s := db.Session()
	for _, version := range []string{"5", "6", "8", "9"} {
		for _, kind := range []string{"cow", "mor"} {
			t.Run(kind+version, func(t *testing.T) {
				name := "w_" + kind + version
				exec := func(q string) {
					t.Helper()
					if _, err := s.Exec(ctx, strings.ReplaceAll(q, "{t}", name)); err != nil {
						t.Fatalf("%s: %v", q, err)
					}
				}
				rows := func(want string) {
					t.Helper()
					if got := strings.Join(texts(t, s, "SELECT id, n, f, k, ts, extra FROM "+name+" ORDER BY id"), " "); got != want {
						t.Errorf("rows %s\nwant %s", got, want)
					}
				}
				exec("CREATE TABLE {t} (id INT, n INT, f FLOAT, k INT, ts BIGINT, part STRING) USING hudi PARTITIONED BY (part) LOCATION '" + filepath.Join(dir, name) +
					"' TBLPROPERTIES (type='" + kind + "', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='" + version + "')")
				exec("INSERT INTO {t} VALUES (1, 10, 1.5, 100, 10, 'eu'), (2, 20, 2.5, 200, 10, 'eu'), (3, 30, 3.5, 300, 10, 'us')")
				exec("UPDATE {t} SET n = 21, ts = 15 WHERE id = 2")
				exec("INSERT WITH SCHEMA EVOLUTION INTO {t} BY NAME SELECT 1 AS id, 10000000000L AS n, 1.25D AS f, 0.5D AS k, 20L AS ts, 'eu' AS part, 'new' AS extra")
				rows("[1 10000000000 1.25 0.5 20 new] [2 21 2.5 200 15 <nil>] [3 30 3.5 300 10 <nil>]")
				if _, err := s.Write("SELECT 3 AS id, 2.5D AS n, 3.25D AS f, 1L AS k, 30L AS ts, 'x' AS extra, 'us' AS part").Format("hudi").Mode("append").
					Option("mergeSchema", "true").Save(ctx, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
				rows("[1 1e+10 1.25 0.5 20 new] [2 21 2.5 200 15 <nil>] [3 2.5 3.25 1 30 x]")
				if kind == "mor" {
					exec("CALL run_compaction(op => 'run', table => '{t}')")
				}
				exec("UPDATE {t} SET n = n + 1, ts = 40")
				rows("[1 1.0000000001e+10 1.25 0.5 40 new] [2 22 2.5 200 40 <nil>] [3 3.5 3.25 1 40 x]")
				if _, err := s.Exec(ctx, strings.ReplaceAll("INSERT WITH SCHEMA EVOLUTION INTO {t} BY NAME SELECT 5D AS id, 50L AS ts, 'us' AS part", "{t}", name)); err == nil ||
					!strings.Contains(err.Error(), "the type of column id") {
					t.Errorf("a key of another type: %v", err)
				}
			})
		}
	}
}
