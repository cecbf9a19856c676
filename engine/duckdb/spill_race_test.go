//go:build unix

package duckdb

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestSpillsSideBySide makes directories of many engines at once, each of which removes those of dead ones first: none takes another for one.
func TestSpillsSideBySide(t *testing.T) {
	parent := t.TempDir()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 100 {
				s, err := makeSpill(parent)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := os.Stat(filepath.Join(s.path, spillLock)); err != nil {
					t.Error(err)
				}
				if err := s.remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
