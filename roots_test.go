package tarn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAllowedRoots reads a shallow clone, whose log names the files of another table by their absolute paths.
func TestAllowedRoots(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	source, clone := filepath.Join(dir, "source"), filepath.Join(dir, "clone")
	if _, err := openTest(t).Session().Write("SELECT id FROM range(3)").Save(ctx, source); err != nil {
		t.Fatal(err)
	}
	const commit = "_delta_log/00000000000000000000.json"
	log, err := os.ReadFile(filepath.Join(source, commit))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(clone, "_delta_log"), 0o777); err != nil {
		t.Fatal(err)
	}
	cloned := strings.Replace(string(log), `"path":"`, `"path":"file://`+source+`/`, 1)
	if err := os.WriteFile(filepath.Join(clone, commit), []byte(cloned), 0o666); err != nil {
		t.Fatal(err)
	}
	count := func(roots ...string) (int64, error) {
		db, err := Open(ctx, Options{Warehouse: t.TempDir(), AllowedRoots: roots})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		rows, err := db.Session().Query(ctx, "SELECT sum(id) FROM delta.`"+clone+"`")
		if err != nil {
			return 0, err
		}
		defer rows.Close()
		var n int64
		if !rows.Next() {
			return 0, rows.Err()
		}
		return n, rows.Scan(&n)
	}
	for _, root := range []string{source, source + "/", dir, "file://" + source} {
		if n, err := count(root); err != nil || n != 3 {
			t.Errorf("with the root %s: %d, %v", root, n, err)
		}
	}
	for _, roots := range [][]string{nil, {filepath.Join(dir, "sour")}, {clone}} {
		_, err := count(roots...)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Detail(), "Options.AllowedRoots") {
			t.Errorf("with the roots %q: %v, want a hint", roots, err)
		}
	}
	for _, root := range []string{"relative", "/", ""} {
		if err := (Options{AllowedRoots: []string{root}}).Validate(); err == nil {
			t.Errorf("the root %q is allowed", root)
		}
	}
}
