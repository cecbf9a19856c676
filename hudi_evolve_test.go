package tarn

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHudiEvolves changes the columns of tables with schema-on-read between writes and services, for every version and type, and looks for
// the same rows after each.
func TestHudiEvolves(t *testing.T) {
	for i, version := range []int{5, 6, 8, 9} {
		for j, kind := range []string{"cow", "mor"} {
			partition := []string{"", "PARTITIONED BY (p)"}[(i+j)%2]
			t.Run(fmt.Sprintf("%d %s %s", version, kind, partition), func(t *testing.T) {
				db := Opened(t, Options{Warehouse: t.TempDir()})
				evolves(t, db.Session(), version, kind, partition)
			})
		}
	}
}

func evolves(t *testing.T, s *Session, version int, kind, partition string) {
	exec := func(statements ...string) {
		t.Helper()
		for _, q := range statements {
			if _, err := s.Exec(t.Context(), q); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
	}
	rows := func(query string, want ...string) {
		t.Helper()
		if got := textRows(t, s, query); !slices.Equal(got, want) {
			t.Fatalf("%s:\n%s\nand not\n%s", query, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	exec("SET hoodie.schema.on.read.enable = true", "SET hoodie.clean.automatic = false", fmt.Sprintf(
		"CREATE TABLE t (id INT, name STRING, n INT, d DATE, s STRUCT<x: INT, y: STRING>, ts BIGINT, p STRING) USING hudi %s TBLPROPERTIES "+
			"(type = '%s', primaryKey = 'id', preCombineField = 'ts', 'hoodie.write.table.version' = '%d', 'hoodie.parquet.small.file.limit' = '0')", partition, kind, version),
		"INSERT INTO t VALUES (1, 'one', 1, DATE '2024-01-01', named_struct('x', 1, 'y', 'a'), 1, 'a'), (2, 'two', 2, NULL, NULL, 1, 'b')",
		"UPDATE t SET n = 20, ts = 2 WHERE id = 2")
	if kind == "mor" {
		exec("CALL run_compaction(op => 'schedule', table => 't')") // carried out when the columns are others
	}
	exec("ALTER TABLE t RENAME COLUMN name TO title", "ALTER TABLE t ALTER COLUMN n TYPE BIGINT", "ALTER TABLE t RENAME COLUMN s.x TO z",
		"ALTER TABLE t ALTER COLUMN d TYPE STRING")
	all := "SELECT concat_ws(' ', id, title, n, d, s.z, s.y) FROM t ORDER BY id"
	rows(all, "1 one 1 2024-01-01 1 a", "2 two 20")
	exec("INSERT INTO t (id, title, n, ts, p) VALUES (3, 'three', 3000000000, 1, 'a')", "UPDATE t SET title = 'first', ts = 3 WHERE id = 1")
	rows(all, "1 first 1 2024-01-01 1 a", "2 two 20", "3 three 3000000000")
	if kind == "mor" {
		exec("CALL run_compaction(op => 'execute', table => 't')")
		rows(all, "1 first 1 2024-01-01 1 a", "2 two 20", "3 three 3000000000")
		exec("CALL run_compaction(op => 'run', table => 't')")
		rows(all, "1 first 1 2024-01-01 1 a", "2 two 20", "3 three 3000000000")
	}
	exec("ALTER TABLE t DROP COLUMN d", "ALTER TABLE t ADD COLUMNS (d INT)", "DELETE FROM t WHERE id = 3")
	rows("SELECT concat_ws(' ', id, title, n, d, s.z) FROM t ORDER BY id", "1 first 1 1", "2 two 20")
	exec("CALL run_clustering(table => 't')", "UPDATE t SET d = 5, ts = 9 WHERE id = 2")
	rows("SELECT concat_ws(' ', id, title, n, d, s.z) FROM t ORDER BY id", "1 first 1 1", "2 two 20 5")
	exec("SET hoodie.schema.on.read.enable = false", "INSERT OVERWRITE t (id, title, n, ts, p) VALUES (4, 'four', 4, 1, 'a')")
	rows("SELECT concat_ws(' ', id, title, n, d) FROM t WHERE id = 4", "4 four 4")
}

// TestHudiDefaultKeys makes tables whose record keys only hudi-defaults.conf tells; properties of the table stand over it.
func TestHudiDefaultKeys(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HUDI_CONF_DIR", dir)
	text := "hoodie.datasource.write.recordkey.field id\nhoodie.datasource.write.precombine.field ts\nhoodie.datasource.write.table.type MERGE_ON_READ\n"
	if err := os.WriteFile(filepath.Join(dir, "hudi-defaults.conf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	db := Opened(t, Options{Warehouse: t.TempDir()})
	s := db.Session()
	for _, c := range []struct{ properties, keys string }{
		{"", "id ts mor"},
		{"TBLPROPERTIES (primaryKey = 'name', type = 'cow')", "name ts cow"},
	} {
		name := "t" + fmt.Sprint(len(c.properties))
		for _, q := range []string{"CREATE TABLE " + name + " (id INT, name STRING, ts BIGINT) USING hudi " + c.properties,
			"INSERT INTO " + name + " VALUES (1, 'a', 1)", "INSERT INTO " + name + " VALUES (1, 'a', 2)"} {
			if _, err := s.Exec(t.Context(), q); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
		if got := textRows(t, s, "SELECT concat(ts, ' ', _hoodie_record_key) FROM "+name); !slices.Equal(got, []string{"2 " + map[bool]string{true: "1", false: "a"}[c.properties == ""]}) {
			t.Errorf("%q: %q", c.properties, got)
		}
		properties := map[string]string{}
		for _, key := range []string{"primaryKey", "preCombineField", "type"} {
			rows, err := s.Query(t.Context(), "SHOW TBLPROPERTIES "+name+" ('"+key+"')")
			if err != nil {
				t.Fatal(err)
			}
			for row, err := range rows.All() {
				if err != nil {
					t.Fatal(err)
				}
				properties[key] = fmt.Sprint(row[1])
			}
		}
		if got := properties["primaryKey"] + " " + properties["preCombineField"] + " " + properties["type"]; got != c.keys {
			t.Errorf("%q: the table has %s, not %s", c.properties, got, c.keys)
		}
	}
}
