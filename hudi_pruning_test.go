package tarn

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHudiPartitionStatistics asks a merge-on-read table whose partitions have logs: the bounds of partitions tell which hold no wanted row, so
// that neither their base files nor their logs are opened. They are those of the last state, and say nothing of earlier ones.
func TestHudiPartitionStatistics(t *testing.T) {
	s, dir := utcDB(t).Session(), filepath.Join(t.TempDir(), "t")
	runs(t, s, "CREATE TABLE t (id INT, v INT, n STRING, p STRING) USING hudi PARTITIONED BY (p) LOCATION '"+dir+"' TBLPROPERTIES (type = 'mor', primaryKey = 'id', "+
		"preCombineField = 'v', 'hoodie.write.table.version' = '9')")
	runs(t, s, "INSERT INTO t VALUES (1, 10, 'a', 'x'), (2, 20, NULL, 'x'), (3, 30, 'c', 'y'), (4, 40, 'd', 'z')")
	runs(t, s, "UPDATE t SET v = v + 1, n = upper(n)")
	if got := idsWhere(s, dir, "v = 31"); got != "3" {
		t.Fatalf("got %q", got)
	}
	for _, p := range []string{"p=y", "p=z"} {
		if err := os.RemoveAll(filepath.Join(dir, p)); err != nil {
			t.Fatal(err)
		}
	}
	for cond, want := range map[string]string{
		"v = 21": "2", "v IN (11, 12)": "1", "n = 'A'": "1", "v < 25 AND n <=> NULL": "2", "n > 'AA' AND v = 12": "",
		"v = 31": "error", "n IS NULL": "error", "v = 30": "error", "n = 'c'": "error", "v < 12 OR n > 'C'": "error",
	} {
		got := idsWhere(s, dir, cond)
		if got[:min(1, len(got))] == "[" {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", cond, got, want)
		}
	}
}

// TestHudiBloomFilters asks for rows by their keys: files whose Bloom filters in the metadata table have none of them are not opened.
func TestHudiBloomFilters(t *testing.T) {
	s, dir := utcDB(t).Session(), filepath.Join(t.TempDir(), "t")
	runs(t, s, "CREATE TABLE t (id STRING, v INT, p STRING) USING hudi PARTITIONED BY (p) LOCATION '"+dir+"' TBLPROPERTIES (type = 'cow', primaryKey = 'id')")
	runs(t, s, "INSERT INTO t VALUES ('a', 1, 'x'), ('m', 2, 'x'), ('c', 3, 'y'), ('q', 4, 'y'), ('b', 5, 'z'), ('r', 6, 'z')")
	runs(t, s, "CREATE INDEX bloom_filters ON t USING bloom_filters (id)")
	for _, p := range []string{"p=y", "p=z"} {
		if err := os.RemoveAll(filepath.Join(dir, p)); err != nil {
			t.Fatal(err)
		}
	}
	for cond, found := range map[string]bool{"id = 'm'": true, "id IN ('a', 'm')": true, "_hoodie_record_key = 'a' AND v = 1": true,
		"id = 'c'": false, "id IN ('a', 'q')": false, "v = 1": false, "id > 'l' AND id < 'n'": false} {
		got := statementText(s, "SELECT v FROM hudi.`"+dir+"` WHERE "+cond, dir)
		if answered := got[:1] != "["; answered != found {
			t.Errorf("%s: %q", cond, got)
		}
	}
}

// runs carries out a statement that must not fail.
func runs(t *testing.T, s *Session, sql string) {
	t.Helper()
	if _, err := s.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
