package tarn

import (
	"context"
	"strings"
	"testing"
)

// TestExplainWrites shows what statements would write; none of them changes anything.
func TestExplainWrites(t *testing.T) {
	s, ctx := openTest(t).Session(), context.Background()
	for _, q := range []string{"CREATE TABLE t PARTITIONED BY (p) AS SELECT id, id % 4 AS p FROM range(100)", "CREATE TABLE f USING parquet AS SELECT 1L AS id"} {
		if _, err := s.Exec(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	for q, parts := range map[string][]string{
		"INSERT INTO t SELECT id, 1L FROM f":                           {"INSERT into spark_catalog.default.t (delta ", "Scan parquet [", ", 1 files, "},
		"INSERT OVERWRITE t SELECT 1L, 2L":                             {"INSERT into", "Values"},
		"INSERT INTO f SELECT id FROM t":                               {"INSERT into spark_catalog.default.f (parquet ", "4 files"},
		"UPDATE t SET id = 0 WHERE p = 1":                              {"UPDATE into", ", 1 files, "},
		"DELETE FROM t WHERE p = 1 AND id > 7":                         {"DELETE into", "Condition: and(=(p#1, "},
		"MERGE INTO t USING f ON t.id = f.id WHEN MATCHED THEN DELETE": {"MERGE into", "Join"},
		"CREATE TABLE u AS SELECT id FROM t":                           {"CREATE TABLE AS SELECT into spark_catalog.default.u", "4 files"},
		"CREATE TABLE IF NOT EXISTS t AS SELECT 1":                     {"nothing is done"},
	} {
		text := explained(t, s, "EXPLAIN "+q)
		for _, part := range append(parts, "== Write ==") {
			if !strings.Contains(text, part) {
				t.Errorf("%s: there is no %q in\n%s", q, part, text)
			}
		}
	}
	if text := explained(t, s, "EXPLAIN EXTENDED SELECT count(*) FROM t WHERE p = 1"); !strings.Contains(text, "== SQL of the engine ==\n") || !strings.Contains(text, "SELECT") {
		t.Errorf("there is no SQL in\n%s", text)
	}
	rows, err := s.Query(ctx, "SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM f)")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var inT, inF int
	if !rows.Next() || rows.Scan(&inT, &inF) != nil || inT != 100 || inF != 1 {
		t.Errorf("there are %d and %d rows after it, %v", inT, inF, rows.Err())
	}
	if _, err := s.Exec(ctx, "DESCRIBE TABLE u"); err == nil {
		t.Error("EXPLAIN made a table")
	}
}

func explained(t *testing.T, s *Session, q string) string {
	t.Helper()
	rows, err := s.Query(context.Background(), q)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	defer rows.Close()
	var text string
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	if err := rows.Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}
