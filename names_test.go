package tarn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStoredNames refuses, before anything is made, names that would become folders outside of the warehouse.
func TestStoredNames(t *testing.T) {
	top := t.TempDir()
	db, err := Open(context.Background(), Options{Warehouse: filepath.Join(top, "w")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := db.Session()
	for _, q := range []string{
		"CREATE TABLE ok (a INT)", "CREATE VIEW v AS SELECT 1 AS a", "CREATE TEMPORARY VIEW `any / name` AS SELECT 1 AS a",
	} {
		if _, err := s.Exec(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	for _, name := range []string{"..", ".", "../x", "a/b", `a\b`, "_tarn", "_TARN", "a b", "größe", "a\nb"} {
		for _, q := range []string{
			"CREATE TABLE `%` (a INT)", "CREATE TABLE default.`%` AS SELECT 1 AS a", "CREATE OR REPLACE TABLE `%` USING parquet AS SELECT 1 AS a",
			"CREATE SCHEMA `%`", "CREATE VIEW `%` AS SELECT 1 AS a", "ALTER TABLE ok RENAME TO `%`", "ALTER VIEW v RENAME TO `%`",
		} {
			q := strings.ReplaceAll(q, "%", name)
			var e *Error
			if _, err := s.Exec(t.Context(), q); !errors.As(err, &e) || e.Class != "INVALID_SCHEMA_OR_RELATION_NAME" {
				t.Errorf("%s gives %v", q, err)
			}
		}
		var e *Error
		if _, err := s.Write("SELECT 1 AS a").SaveAsTable(t.Context(), "`"+name+"`"); !errors.As(err, &e) || e.Class != "INVALID_SCHEMA_OR_RELATION_NAME" {
			t.Errorf("SaveAsTable %q gives %v", name, err)
		}
	}
	entries, err := os.ReadDir(top)
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the warehouse there are %v, %v", entries, err)
	}
}

// TestEmptyNames sees that an empty name is no internal error, and that an empty path is not the current folder.
func TestEmptyNames(t *testing.T) {
	s := openTest(t).Session()
	for q, class := range map[string]string{
		"SELECT * FROM delta.``":          "INVALID_EMPTY_LOCATION",
		"SELECT * FROM csv.``":            "INVALID_EMPTY_LOCATION",
		"CREATE TABLE delta.`` (a INT)":   "INVALID_EMPTY_LOCATION",
		"INSERT INTO delta.`` VALUES (1)": "INVALID_EMPTY_LOCATION",
		"SELECT * FROM ``":                "TABLE_OR_VIEW_NOT_FOUND",
		"DROP TABLE ``.a":                 "TABLE_OR_VIEW_NOT_FOUND",
		"CREATE TABLE `` (a INT)":         "INVALID_SCHEMA_OR_RELATION_NAME",
	} {
		var e *Error
		if _, err := s.Exec(t.Context(), q); !errors.As(err, &e) || e.Class != class {
			t.Errorf("%s gives %v", q, err)
		}
	}
}

// TestRenamedFolder sees that a new table does not get the folder that a renamed one has kept.
func TestRenamedFolder(t *testing.T) {
	s := openTest(t).Session()
	for _, q := range []string{
		"CREATE TABLE t (k INT)", "INSERT INTO t VALUES (1)", "ALTER TABLE t RENAME TO u", "CREATE TABLE t (k INT)", "DROP TABLE t",
		"SELECT assert_true(count(*) = 1) FROM u",
	} {
		if _, err := s.Exec(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}
