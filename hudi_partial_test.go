package tarn_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/storage"
)

// TestHudiPartialUpdates merges changes of some columns into merge-on-read tables. The logs have these columns alone, under Hudi's
// conditions, and the rows are right with whole records below and above them, after a compaction, and in slices without base file.
func TestHudiPartialUpdates(t *testing.T) {
	for _, version := range []string{"6", "8", "9"} {
		for _, buckets := range []bool{false, true} {
			t.Run(fmt.Sprint(version, buckets), func(t *testing.T) {
				d, m := newServiceDB(t), storage.NewMem()
				more := ""
				if buckets {
					more = ", 'hoodie.index.type'='BUCKET', 'hoodie.bucket.index.num.buckets'='2'"
				}
				d.must(m, "CREATE TABLE t (id INT, name STRING, price DOUBLE, ts BIGINT, part STRING) USING hudi LOCATION '/t' TBLPROPERTIES "+
					"(type='mor', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='"+version+"'"+more+")",
					"SET hoodie.compact.inline=false",
					"INSERT INTO hudi.`/t` VALUES (1, 'a', 1.5, 10, 'p'), (2, 'b', 2.5, 10, 'q'), (3, 'c', 3.5, 10, 'r'), (4, NULL, 4.5, 10, 's')")
				partial := func(columns string) {
					t.Helper()
					if version == "6" {
						columns = ""
					}
					if got := lastPartial(t, m); got != columns {
						t.Errorf("partial columns %q, want %q", got, columns)
					}
				}
				merge := "MERGE INTO hudi.`/t` t USING (SELECT explode(sequence(1, 3)) AS id, 20L AS now) s ON t.id = s.id "
				d.must(m, merge+"WHEN MATCHED AND t.id = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET price = t.price + 100, ts = now")
				partial("price ts")
				d.must(m, "UPDATE hudi.`/t` SET name = 'updated' WHERE id = 2")
				d.must(m, merge+"WHEN MATCHED AND t.id = 1 THEN UPDATE SET name = NULL WHEN MATCHED THEN UPDATE SET part = 'new'")
				partial("name ts part")
				d.must(m, "MERGE INTO hudi.`/t` t USING (SELECT 4 AS id UNION ALL SELECT 5) s ON t.id = s.id "+
					"WHEN MATCHED THEN UPDATE SET price = 0 WHEN NOT MATCHED THEN INSERT (id, name, price, ts, part) VALUES (s.id, 'e', 5.5, 5, 'w')")
				d.must(m, "MERGE INTO hudi.`/t` t USING (SELECT 5 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'five'")
				partial("name ts")
				d.must(m, "MERGE INTO hudi.`/t` t USING (SELECT 1 AS id, 7L AS ts) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'stale', ts = s.ts")
				if version == "6" {
					d.must(m, "UPDATE hudi.`/t` SET name = NULL, ts = 20 WHERE id = 1")
				}
				want := []string{"[1 <nil> 101.5 20 p]", "[2 updated 102.5 20 new]", "[4 <nil> 0 10 s]", "[5 five 5.5 5 w]"}
				for _, use := range []string{"true", "false"} {
					d.must(m, "SET hoodie.merge.use.record.positions="+use)
					if got := wholeRows(d, m); !slices.Equal(got, want) {
						t.Errorf("rows %v, want %v", got, want)
					}
				}
				d.must(m, "CALL run_compaction(op => 'run', path => '/t')")
				if got := wholeRows(d, m); !slices.Equal(got, want) {
					t.Errorf("rows %v after a compaction, want %v", got, want)
				}
				for _, set := range []string{"hoodie.spark.sql.merge.into.partial.updates=false", "hoodie.index.type=GLOBAL_SIMPLE"} {
					if buckets && strings.Contains(set, "index") {
						continue
					}
					key, _, _ := strings.Cut(set, "=")
					d.must(m, "SET "+set, "MERGE INTO hudi.`/t` t USING (SELECT 2 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET price = price + 1", "RESET "+key)
					partial("")
				}
				d.must(m, "MERGE INTO hudi.`/t` t USING (SELECT 2 AS id, 'all' AS name, 1D AS price, 50L AS ts, 'z' AS part) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *")
				partial("")
			})
		}
	}
}

func wholeRows(d *serviceDB, m *storage.Mem) []string {
	d.current = m
	return strings.Split(strings.TrimSpace(say(d.s, "SELECT id, name, price, ts, part FROM hudi.`/t` ORDER BY id")), "\n")
}

// lastPartial is the columns of the partial records in the log that was written last, "" when it has none.
func lastPartial(t *testing.T, m *storage.Mem) (columns string) {
	t.Helper()
	last := ""
	for e, err := range m.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(e.Name, ".log.") || strings.HasPrefix(e.Name, ".hoodie") {
			continue
		}
		f, err := m.Open(t.Context(), e.Name)
		if err != nil {
			t.Fatal(err)
		}
		for r := logfile.NewReader(f, e.Size); ; {
			b, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(path.Base(e.Name), err)
			}
			if b.Instant() > last {
				last, columns = b.Instant(), ""
			}
			if b.Instant() == last && b.Partial() {
				columns = ownFields(t, b.Header.Get(logfile.Schema))
			}
		}
	}
	return columns
}

func ownFields(t *testing.T, schema string) string {
	var s struct{ Fields []struct{ Name string } }
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range s.Fields {
		if !strings.HasPrefix(f.Name, "_hoodie_") {
			out = append(out, f.Name)
		}
	}
	return strings.Join(out, " ")
}
