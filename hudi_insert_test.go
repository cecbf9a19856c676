package tarn_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn"
)

// TestHudiInsertOptions tries the options of inserts: what becomes of keys that are there or come twice, and into which files rows go.
func TestHudiInsertOptions(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	db := tarn.Opened(t, tarn.Options{Warehouse: dir, Memory: 512 << 20})
	many := "SELECT CAST(id + 100 AS INT), sha2(CAST(id AS STRING), 256), 1 FROM range(20000)"
	for i, c := range []struct {
		options string // of the second INSERT
		rows    string
		fails   string
		want    string // rows with ids below 100
		ignored int64
		files   int // that have rows; 0: not asked
	}{
		{"", "VALUES (1, 'new', 2), (3, 'c', 2)", "", "1 a,1 new,2 b,3 c", 0, 1},
		{"hoodie.parquet.small.file.limit=0", "VALUES (1, 'new', 2), (3, 'c', 2)", "", "1 a,1 new,2 b,3 c", 0, 2},
		{"hoodie.parquet.small.file.limit=100 hoodie.copyonwrite.record.size.estimate=10", "VALUES (3, 'c', 2)", "", "1 a,2 b,3 c", 0, 2},
		{"hoodie.parquet.max.file.size=1000 hoodie.parquet.small.file.limit=900", "VALUES (3, 'c', 2)", "", "1 a,2 b,3 c", 0, 2},
		{"hoodie.parquet.max.file.size=400000 hoodie.parquet.small.file.limit=0", many, "", "1 a,2 b", 0, -3},
		{"hoodie.datasource.insert.dup.policy=none", "VALUES (1, 'new', 2), (3, 'c', 2)", "", "1 a,1 new,2 b,3 c", 0, 0},
		{"hoodie.datasource.insert.dup.policy=drop", "VALUES (1, 'new', 2), (3, 'c', 2)", "", "1 a,2 b,3 c", 1, 1},
		{"hoodie.datasource.insert.dup.policy=drop hoodie.parquet.small.file.limit=0", "VALUES (1, 'new', 2), (3, 'c', 2)", "", "1 a,2 b,3 c", 1, 2},
		{"hoodie.datasource.insert.dup.policy=DROP", "VALUES (1, 'new', 2), (2, 'new', 2)", "", "1 a,2 b", 2, 1},
		{"hoodie.datasource.write.insert.drop.duplicates=true", "VALUES (1, 'new', 2), (3, 'c', 2)", "", "1 a,2 b,3 c", 1, 0},
		{"hoodie.datasource.insert.dup.policy=fail", "VALUES (1, 'new', 2), (3, 'c', 2)", "HUDI_DUPLICATE_KEY", "1 a,2 b", 0, 1},
		{"hoodie.datasource.insert.dup.policy=fail", "VALUES (4, 'd', 2), (3, 'c', 2)", "", "1 a,2 b,3 c,4 d", 0, 1},
		{"hoodie.sql.insert.mode=strict", "VALUES (1, 'new', 2)", "HUDI_DUPLICATE_KEY", "1 a,2 b", 0, 1},
		{"hoodie.datasource.insert.dup.policy=other", "VALUES (3, 'c', 2)", "is not one of none, drop, fail", "1 a,2 b", 0, 1},
		{"hoodie.combine.before.insert=false", "VALUES (3, 'c', 2), (3, 'cc', 1)", "", "1 a,2 b,3 c,3 cc", 0, 0},
		{"hoodie.combine.before.insert=true", "VALUES (3, 'c', 2), (3, 'cc', 1)", "", "1 a,2 b,3 c", 0, 0},
		{"hoodie.datasource.write.operation=upsert hoodie.combine.before.upsert=true", "VALUES (1, 'new', 3), (1, 'old', 2)", "", "1 new,2 b", 0, 0},
		{"hoodie.datasource.write.operation=upsert hoodie.combine.before.upsert=false", "VALUES (1, 'new', 3), (1, 'old', 2)", "", "1 new,2 b", 0, 0}, // no key comes twice
		{"hoodie.datasource.write.operation=delete hoodie.combine.before.delete=false", "VALUES (1, '', 3), (1, '', 2), (9, '', 1)", "", "2 b", 0, 0},
	} {
		for _, kind := range []string{"cow", "mor"} {
			t.Run(fmt.Sprint(kind, " ", c.options), func(t *testing.T) {
				s, name := db.Session(), fmt.Sprintf("t%d_%s", i, kind)
				insert := func(options, rows string) (*tarn.Receipt, error) {
					w := s.Write("SELECT * FROM ("+rows+") AS v(id, name, ts)").Format("hudi").Mode(tarn.Append).
						Option("hoodie.table.name", "t").Option("hoodie.datasource.write.recordkey.field", "id").Option("hoodie.datasource.write.precombine.field", "ts").
						Option("hoodie.datasource.write.operation", "insert").Option("hoodie.write.table.version", "9").
						Option("hoodie.datasource.write.table.type", map[string]string{"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}[kind])
					for o := range strings.FieldsSeq(options) {
						k, v, _ := strings.Cut(o, "=")
						w = w.Option(k, v)
					}
					return w.Save(ctx, filepath.Join(dir, name))
				}
				if _, err := insert("", "VALUES (1, 'a', 1), (2, 'b', 1)"); err != nil {
					t.Fatal(err)
				}
				r, err := insert(c.options, c.rows)
				if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("the write gives %v, want %q", err, c.fails)
				}
				if err == nil && r.Ignored != c.ignored {
					t.Errorf("%d rows ignored, want %d", r.Ignored, c.ignored)
				}
				from := " FROM hudi.`" + filepath.Join(dir, name) + "`"
				got := texts(t, s, "SELECT id, name"+from+" WHERE id < 100")
				slices.Sort(got)
				if text := strings.NewReplacer("[", "", "]", "").Replace(strings.Join(got, ",")); text != c.want {
					t.Errorf("rows %s, want %s", text, c.want)
				}
				files := len(texts(t, s, "SELECT DISTINCT _hoodie_file_name"+from))
				if c.files > 0 && files != c.files || c.files < 0 && files < -c.files {
					t.Errorf("%d files, want %d", files, c.files)
				}
			})
		}
	}
}
