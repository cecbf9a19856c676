package script

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is answered into the scripts")

func TestMain(m *testing.M) {
	flag.Parse()
	if *update {
		flag.Set("rewrite", "true")
	}
	os.Exit(m.Run())
}

// TestScripts runs the scripts of testdata/sql, testdata/delta and testdata/hudi.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/*/*.test")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, p := range paths {
		t.Run(strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(p, "../../testdata/")), ".test"), func(t *testing.T) { Run(t, p) })
	}
}
