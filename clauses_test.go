package tarn

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestRefusedClauses refuses clauses of CREATE TABLE that would be promises that nothing keeps.
func TestRefusedClauses(t *testing.T) {
	s, ctx := openTest(t).Session(), context.Background()
	for q, want := range map[string]string{
		"CREATE TABLE b (id INT, s STRING) USING parquet CLUSTERED BY (id) INTO 4 BUCKETS":                    "UNSUPPORTED_FEATURE.TARN",
		"CREATE TABLE b USING csv CLUSTERED BY (id) SORTED BY (s) INTO 4 BUCKETS AS SELECT 1 AS id, 'x' AS s": "UNSUPPORTED_FEATURE.TARN",
		"CREATE TABLE b (id INT, s STRING) USING delta CLUSTERED BY (id) INTO 4 BUCKETS":                      "DELTA_OPERATION_NOT_ALLOWED",
		"CREATE TABLE b (id INT, s STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY '|'":                     "UNSUPPORTED_FEATURE.TARN",
		"CREATE TABLE b (id INT, s STRING) USING parquet DEFAULT COLLATION UTF8_LCASE":                        "UNSUPPORTED_FEATURE.TARN",
	} {
		_, err := s.Exec(ctx, q)
		var e *Error
		if !errors.As(err, &e) || e.Class != want || strings.Contains(e.Message, "<") {
			t.Errorf("%s:\n got %v, want %s", q, err, want)
		}
		if _, err := s.Exec(ctx, "DESCRIBE TABLE b"); err == nil {
			t.Fatalf("%s made a table", q)
		}
	}
}
