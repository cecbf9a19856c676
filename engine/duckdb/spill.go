package duckdb

import (
	"fmt"
	"os"
	"path/filepath"
)

// spillDir is the engine's own directory among those of other engines:
//
//	SPILL/tarn-spill-123/lock          locked while the engine lives
//	SPILL/tarn-spill-123/instance-456/ rows that an instance moved out of memory
//	SPILL/tarn-spill-123/write-789/    files on their way to a bucket
type spillDir struct {
	path string // without symbolic links, as DuckDB's checks want it
	lock *os.File
}

const (
	spillPattern = "tarn-spill-*"
	spillLock    = "lock"
)

// makeSpill makes the directory in parent, or among the system's temporary files, and removes what engines
// of killed processes left there.
func makeSpill(parent string) (*spillDir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	fail := func(err error) (*spillDir, error) { return nil, fmt.Errorf("duckdb: spill directory: %w", err) }
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return fail(err)
	}
	parent, err := filepath.Abs(parent)
	if err != nil {
		return fail(err)
	}
	sweepSpills(parent)
	dir, err := os.MkdirTemp(parent, spillPattern)
	if err != nil {
		return fail(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return fail(err)
	}
	lock, err := os.Create(filepath.Join(dir, spillLock))
	if err != nil {
		return fail(err)
	}
	ours, err := tryLock(lock)
	if err != nil {
		return fail(err)
	}
	if canLock && !(ours && stands(lock)) { // another engine took it for a dead one just now
		lock.Close()
		return makeSpill(parent)
	}
	return &spillDir{dir, lock}, nil
}

// stands reports whether an open file is still the one of its name.
func stands(f *os.File) bool {
	there, err := os.Stat(f.Name())
	if err != nil {
		return false
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(there, open)
}

// remove deletes the directory.
func (s *spillDir) remove() error {
	s.lock.Close()
	return os.RemoveAll(s.path)
}

// sweepSpills removes the directories whose lock nobody holds. One without a lock file is being made.
func sweepSpills(parent string) {
	dirs, err := filepath.Glob(filepath.Join(escapeGlob(parent), spillPattern))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		f, err := os.OpenFile(filepath.Join(dir, spillLock), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if free, err := tryLock(f); free && err == nil {
			_ = os.RemoveAll(dir)
		}
		f.Close()
	}
}

// escapeGlob makes the wildcards of a directory's name stand for themselves.
func escapeGlob(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := s[i]; c == '*' || c == '?' || c == '[' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, s[i])
	}
	return string(out)
}
