//go:build unix

package duckdb

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tarn-lake/tarn/engine"
)

func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	if !special(pipe) || !special(link) || special(dir) || special(filepath.Join(dir, "gone")) {
		t.Error("a pipe would be opened, or what is none would be refused")
	}
}

func TestClassed(t *testing.T) {
	for _, c := range []struct{ kind, message, class, reason string }{
		{"IO", `No files found that match the pattern "/t/a"`, "FAILED_READ_FILE.FILE_NOT_EXIST", "There is no file /t/a."},
		{"Invalid Input", `File '/t/a' too small to be a Parquet file`, "FAILED_READ_FILE.NO_HINT", "The file /t/a cannot be read: it is damaged, no Parquet file, or has other types than the table."},
		{"Invalid", "don't know what type: \x0f", "FAILED_READ_FILE.NO_HINT", "A file cannot be read, it is damaged: don't know what type: \x0f"},
		{"Permission", `Cannot access file "/t/l" - file system operations are disabled by configuration`, "FAILED_READ_FILE.NO_HINT", "The file /t/l leads to a place that the table may not reach."},
		{"Out of Memory", "failed to pin block\n\nPossible solutions:\n* SET", "UNABLE_TO_ACQUIRE_MEMORY", "The statement needs more memory than it may use: failed to pin block."},
		{"IO", "Could not write file \"/t\": No space left on device", "TARN_IO", `Could not write file "/t": No space left on device.`},
		{"Parser", "Max expression depth limit of 1000 exceeded.", "FAILED_TO_PARSE_TOO_COMPLEX", "The statement is too complex: its expressions or joins are nested too deeply."},
		{"Binder", "anything", "", ""},
	} {
		var e *engine.Error
		errors.As(classed(&Error{Type: c.kind, Message: c.message}), &e)
		if e == nil {
			e = &engine.Error{}
		}
		if e.Class != c.class || e.Reason != c.reason {
			t.Errorf("%s: %s gives %s %q", c.kind, c.message, e.Class, e.Reason)
		}
	}
}
