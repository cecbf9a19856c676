package tarn

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func openTest(t *testing.T) *DB {
	t.Helper()
	return Opened(t, Options{Warehouse: t.TempDir(), Conf: map[string]string{"spark.sql.session.timeZone": "UTC"}})
}

// TestCloseEarly gives up a result after its first row; statements after it that need functions of Go must not notice.
func TestCloseEarly(t *testing.T) {
	s := openTest(t).Session()
	ctx := context.Background()
	for range 20 { // as many as to meet every connection of the engine
		rows, err := s.Query(ctx, "SELECT id FROM range(1000000)")
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []string{"SELECT CAST('12' AS INT)", "SELECT CAST('12.5' AS DOUBLE)", "SELECT ascii('a')", "SELECT CAST(1.5 AS INT)"} {
		for range 10 {
			if _, err := s.Exec(ctx, q); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
	}
}

// TestCancel ends a statement that would run for long.
func TestCancel(t *testing.T) {
	s := openTest(t).Session()
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	started := time.Now()
	_, err := s.Exec(ctx, "SELECT count(*) FROM range(1000000000) a JOIN range(1000) b ON a.id % 7 = b.id % 11")
	var e *Error
	if !errors.As(err, &e) || e.Class != "TARN_CANCELED" {
		t.Fatalf("got %v, want TARN_CANCELED", err)
	}
	if d := time.Since(started); d > 2*time.Second {
		t.Errorf("it took %v to end", d)
	}
}

// TestIgnoredMode writes nothing where there is a table, and says so.
func TestIgnoredMode(t *testing.T) {
	db := openTest(t)
	s, ctx := db.Session(), context.Background()
	w := s.Write("SELECT 1 AS id").Mode(Ignore)
	first, err := w.SaveAsTable(ctx, "t")
	if err != nil || first == nil {
		t.Fatal(first, err)
	}
	at := filepath.Join(t.TempDir(), "t")
	for _, format := range []string{"delta", "parquet"} {
		if r, err := w.Format(format).Save(ctx, at+format); err != nil || r == nil || r.Operation == "" {
			t.Errorf("%s: the first write gives %v, %v", format, r, err)
		}
		r, err := w.Format(format).Save(ctx, at+format)
		if err != nil || r == nil || r.Operation != "" || r.Table != at+format {
			t.Errorf("%s: the second write gives %v, %v", format, r, err)
		}
	}
	second, err := w.SaveAsTable(ctx, "t")
	if err != nil || second == nil || second.Operation != "" || second.Table != first.Table {
		t.Fatalf("got %v, %v, want nothing done on %s", second, err, first.Table)
	}
}

func TestReceiptText(t *testing.T) {
	zero := int64(0)
	for want, r := range map[string]Receipt{
		"committed version 1 · +2 files −1 file · 118 updated, 7 inserted · 0.4 s · read version 0, serializable": {Version: 1, ReadVersion: &zero,
			FilesAdded: 2, FilesRemoved: 1, Updated: 118, Inserted: 7, Seconds: 0.4, Isolation: "Serializable"},
		"committed version 0 · 5 ms":                                          {Seconds: 0.005},
		"nothing done: the table is there · 1.0 s":                            {Version: -1, Seconds: 1},
		"written · +1 file · 3 inserted · 1.0 s":                              {Operation: "WRITE", Version: -1, FilesAdded: 1, Inserted: 3, Seconds: 1},
		"committed version 2 · 1 deleted · 120 s · read version 0, 2 retries": {Version: 2, ReadVersion: &zero, Deleted: 1, Seconds: 120, Retries: 2},
	} {
		if got := r.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{{"*", "any", true}, {"a*", "abc", true}, {"*c", "abc", true}, {"a*c", "abd", false}, {"abc", "abc", true}, {"", "", true}, {"**", "x", true}} {
		if got := globMatch(c.pattern, c.name); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.name, got)
		}
	}
}

// TestConf: a setting that SET would refuse is refused by Open too, so that no session works with another value unsaid.
func TestConf(t *testing.T) {
	for key, value := range map[string]string{"spark.sql.session.timeZone": "Mars/Base", "spark.sql.ansi.enabled": "maybe"} {
		db, err := Open(context.Background(), Options{Warehouse: t.TempDir(), Conf: map[string]string{key: value}})
		if err == nil {
			db.Close()
			t.Errorf("%s=%s is taken", key, value)
		}
	}
}

// TestExplain: a plan shows what is kept and how much of the table is read.
func TestExplain(t *testing.T) {
	s := openTest(t).Session()
	ctx := context.Background()
	if _, err := s.Exec(ctx, "CREATE TABLE t PARTITIONED BY (p) AS SELECT id, id % 4 AS p FROM range(100)"); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Query(ctx, "EXPLAIN SELECT id FROM t WHERE p = 1 AND id > 7")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var text string
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	if err := rows.Scan(&text); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Filter and(=(p#2, ", ">(id#1, cast(7 as bigint))", ", 1 files, "} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q in\n%s", part, text)
		}
	}
}

// TestDeletePlain: rows of plain files cannot be deleted, all of them neither, but the table can be emptied.
func TestDeletePlain(t *testing.T) {
	s := openTest(t).Session()
	ctx := context.Background()
	for _, q := range []string{"CREATE TABLE t (a INT) USING parquet", "INSERT INTO t VALUES (1), (2)"} {
		if _, err := s.Exec(ctx, q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	for _, q := range []string{"DELETE FROM t", "DELETE FROM t WHERE a = 1"} {
		_, err := s.Exec(ctx, q)
		var e *Error
		if !errors.As(err, &e) || e.Class != "UNSUPPORTED_FEATURE.TABLE_OPERATION" || e.Params["operation"] != "DELETE" {
			t.Errorf("%s: got %v", q, err)
		}
	}
	if _, err := s.Exec(ctx, "TRUNCATE TABLE t"); err != nil {
		t.Error(err)
	}
}

// TestInputFile: the file of a row is refused, not told wrongly.
func TestInputFile(t *testing.T) {
	s := openTest(t).Session()
	if _, err := s.Exec(context.Background(), "SELECT input_file_name() FROM range(2)"); err == nil {
		t.Error("rows have a file that is not known")
	}
	if _, err := s.Exec(context.Background(), "SELECT input_file_name()"); err != nil {
		t.Error(err)
	}
}

// TestTravelFromNow reads the versions of times that are counted from the start of the statement.
func TestTravelFromNow(t *testing.T) {
	s := openTest(t).Session()
	ctx := context.Background()
	if _, err := s.Exec(ctx, "CREATE TABLE t AS SELECT 1 AS a"); err != nil {
		t.Fatal(err)
	}
	for at, class := range map[string]string{
		"current_timestamp() - INTERVAL 1 HOUR": "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
		"date_sub(current_date(), 1)":           "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
		"now() + INTERVAL 1 HOUR":               "DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
		"CAST(rand() AS STRING)":                "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.NON_DETERMINISTIC",
	} {
		_, err := s.Exec(ctx, "SELECT * FROM t TIMESTAMP AS OF "+at)
		var e *Error
		if !errors.As(err, &e) || e.Class != class || e.SQLState == "" {
			t.Errorf("%s: got %v, want %s", at, err, class)
		}
	}
}

// TestLongUnion joins more queries than statements of the engine may nest, and sees that what nests too deeply is told.
func TestLongUnion(t *testing.T) {
	s := openTest(t).Session()
	q := "SELECT count(*) AS n, sum(a) AS s, max(b) AS b FROM (SELECT 1 AS a, 'x' AS b" + strings.Repeat(" UNION ALL SELECT 2, 'y'", 1500) + ")"
	rows, err := s.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var n, sum int64
	var b string
	for rows.Next() {
		if err := rows.Scan(&n, &sum, &b); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Close(); err != nil || n != 1501 || sum != 3001 || b != "y" {
		t.Error(n, sum, b, err)
	}
	var e *Error
	_, err = s.Exec(t.Context(), "SELECT 1 AS a"+strings.Repeat(" UNION SELECT 2", 1500))
	if !errors.As(err, &e) || e.Class != "FAILED_TO_PARSE_TOO_COMPLEX" {
		t.Errorf("%.300v", err)
	}
}
