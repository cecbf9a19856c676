package tarn

import (
	"context"
	"errors"
	"testing"
)

// TestOverflowNamesColumn stores values that do not fit, in a second column of the same kind of cast too.
func TestOverflowNamesColumn(t *testing.T) {
	s, ctx := openTest(t).Session(), context.Background()
	for _, q := range []string{
		"CREATE TABLE d (id TINYINT, n SMALLINT, m SMALLINT, c DECIMAL(4, 1))", "INSERT INTO d VALUES (1, 2, 3, 4)",
		"CREATE TABLE p (id TINYINT, n SMALLINT) USING parquet",
	} {
		if _, err := s.Exec(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ q, class, column, from, to string }{
		{"INSERT INTO d SELECT 1000, 1, 2, 1", "CAST_OVERFLOW_IN_TABLE_INSERT", "`id`", `"INT"`, `"TINYINT"`},
		{"INSERT INTO d SELECT 1, id, 2, 1 FROM range(40000)", "CAST_OVERFLOW_IN_TABLE_INSERT", "`n`", `"BIGINT"`, `"SMALLINT"`},
		{"INSERT INTO d SELECT 1, id, id, 1 FROM range(40000)", "CAST_OVERFLOW_IN_TABLE_INSERT", "`n` or `m`", `"BIGINT"`, `"SMALLINT"`},
		{"INSERT INTO d SELECT 1, 1, 1, id FROM range(2000)", "CAST_OVERFLOW_IN_TABLE_INSERT", "`c`", `"BIGINT"`, `"DECIMAL(4,1)"`},
		{"INSERT INTO p SELECT 1000, 1", "CAST_OVERFLOW_IN_TABLE_INSERT", "`id`", `"INT"`, `"TINYINT"`},
		{"UPDATE d SET n = n + 100000", "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE", "`n`", `"INT"`, `"SMALLINT"`},
		{"INSERT INTO d SELECT 1, CAST(id AS SMALLINT), 2, 1 FROM range(40000)", "CAST_OVERFLOW", "", `"BIGINT"`, `"SMALLINT"`},
	} {
		_, err := s.Exec(ctx, c.q)
		var e *Error
		if !errors.As(err, &e) || e.Class != c.class || e.Params["columnName"] != c.column || e.Params["sourceType"] != c.from || e.Params["targetType"] != c.to {
			t.Errorf("%s:\n got %v", c.q, err)
		}
	}
}
