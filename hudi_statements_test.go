package tarn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// numbersOfRuns are the instants and file names that differ from run to run.
var numbersOfRuns = []struct {
	find *regexp.Regexp
	put  string
}{
	{regexp.MustCompile(`\b2\d{16}\b`), "<instant>"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d+_\d+-\d+-\d+`), "<file>"},
	{regexp.MustCompile(`[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d UTC \d{4}`), "<time>"},
}

// TestHudiStatements runs the statements of testdata/hudi/statements.txt and errors.txt one after the other, and shows what the last one of
// each gives: rows, or class, message and hint of an error. {w} is the warehouse. Nothing that is said of a Hudi table speaks of Delta.
func TestHudiStatements(t *testing.T) {
	for _, file := range []string{"statements.txt", "errors.txt"} {
		t.Run(file, func(t *testing.T) {
			db := utcDB(t)
			s, dir := db.Session(), db.opts.Warehouse
			datadriven.RunTest(t, filepath.Join("testdata", "hudi", file), func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd == "damage" {
					damageFile(t, filepath.Join(dir, d.CmdArgs[0].Key), d.Input)
					return ""
				}
				out := ""
				for sql := range strings.SplitSeq(d.Input, ";\n") {
					out = statementAnswer(s, strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(sql), ";"), "{w}", dir))
				}
				out = strings.ReplaceAll(out, dir, "{w}")
				for _, n := range numbersOfRuns {
					out = n.find.ReplaceAllString(out, n.put)
				}
				said := strings.ReplaceAll(out, "A table by path is written delta.`/path` or hudi.`/path`.", "")
				if strings.Contains(strings.ToLower(said), "delta") && !strings.Contains(d.Input, "delta") {
					t.Errorf("%s\nspeaks of Delta: %s", d.Input, out)
				}
				return out
			})
		})
	}
}

// damageFile makes a file what how says: gone, empty, or cut to its first lines.
func damageFile(t *testing.T, file, how string) {
	t.Helper()
	var err error
	switch how {
	case "gone":
		err = os.Remove(file)
	case "empty":
		err = os.WriteFile(file, nil, 0o644)
	case "cut":
		var text []byte
		if text, err = os.ReadFile(file); err == nil {
			err = os.WriteFile(file, text[:len(text)/3], 0o644)
		}
	default:
		t.Fatalf("no such damage: %s", how)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// statementAnswer is what a statement gives, or everything that its error says.
func statementAnswer(s *Session, sql string) string {
	rows, err := s.Query(context.Background(), sql)
	out := ""
	if err == nil {
		out, err = rowsText(rows)
	}
	if err == nil {
		return out
	}
	var e *Error
	if !errors.As(err, &e) {
		return err.Error() + "\n"
	}
	out = "[" + e.Class + "] " + e.Message + "\n"
	if e.Hint != "" {
		out += "hint: " + e.Hint + "\n"
	}
	return out
}

// TestHudiTables reads the tables of Hudi's Rust library in every mode and compares them with the rows that Hudi 1.1.1 reads.
func TestHudiTables(t *testing.T) {
	corpus, db := filepath.Join(shared(t), "corpus", "hudi", "tables"), utcDB(t)
	files, err := filepath.Glob(filepath.Join("testdata", "hudi", "tables", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			dir, want := hudiCorpus(t, filepath.Join(corpus, name+".zip")), expectedHudiRows(t, file)
			for _, mode := range hudiModes {
				got, err := hudiRows(db, dir, mode)
				if err != nil {
					t.Fatal(err)
				}
				if d := difference(got, want); d != "equal" {
					t.Errorf("%v: %s", mode, d)
				}
			}
		})
	}
}
