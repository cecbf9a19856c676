package syntax

import (
	"fmt"
	"path/filepath"
	"testing"
)

// roundTrip prints a statement, reads the text and compares the trees.
func roundTrip(s Statement) error {
	text := Print(s)
	again, err := ParseStatement(text)
	if err != nil {
		return fmt.Errorf("printed as %q: %w", text, err)
	}
	if !Equal(s, again) {
		return fmt.Errorf("printed as %q, read back as %q", text, Print(again))
	}
	return nil
}

// TestPrintGolden prints every statement that Spark's golden files hold.
func TestPrintGolden(t *testing.T) {
	var d dialects
	file, n := "", 0
	for _, q := range goldenQueries(t) {
		if q.file != file {
			file = q.file
			d.file(file)
		}
		if d.Dialect != (Dialect{}) {
			continue
		}
		if s, err := ParseStatement(q.text); err == nil {
			n++
			if err := roundTrip(s); err != nil {
				t.Errorf("%s:%d: %v", q.file, q.n, err)
			}
		}
	}
	t.Logf("%d statements printed and read back", n)
}

// TestPrintCases prints the statements of Spark's parser tests.
func TestPrintCases(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(sharedDir(t), "corpus/spark-functions/plan/*.json"))
	for _, f := range files {
		for _, c := range readCases(t, f) {
			if s, err := ParseStatement(c.Input); err == nil {
				if err := roundTrip(s); err != nil {
					t.Errorf("%s: %v", filepath.Base(f), err)
				}
			}
		}
	}
}
