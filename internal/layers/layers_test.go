package layers

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tarn-lake/tarn"

// A rule says which packages of the module those that match pkg may import. A
// pattern is a package, or all packages below one: "lake/*". The root is ".".
type rule struct {
	pkg string
	may []string
	why string
}

// The first rule that matches a package holds. A package without one may import
// anything, and no package with one may import it.
var rules = []rule{
	{"types", nil, "types are the words that every other package speaks"},
	{"storage", nil, "storage knows names and bytes only"},
	{"storage/*", []string{"storage"}, "a store implements storage.Bucket and knows nothing above it"},
	{"rel", []string{"types", "storage"}, "trees are values that know neither engines nor formats"},
	{"engine", []string{"rel", "types", "storage"}, "an engine runs trees and never learns what a table is"},
	{"engine/*", []string{"engine", "rel", "types", "storage", codecs}, "engines know formats only as trees, and never each other"},
	{"lake", []string{"engine", "rel", "types", "storage"}, "formats are below the catalog and the planner"},
	{"lake/*", []string{"lake", "engine", "rel", "types", "storage", codecs}, "formats know engines only through the interface, and never each other"},
	{"catalog", []string{"lake", "engine", "rel", "types", "storage"}, "a catalog names tables and does not open them"},
	{"catalog/*", []string{"catalog", "lake", "engine", "rel", "types", "storage", codecs}, "a catalog's client knows no engine, no format and no other client"},
	{"internal/syntax", nil, "syntax knows no meaning"},
	{"internal/plan", []string{"internal/syntax", "lake", "engine", "rel", "types", "storage", codecs}, "the planner knows tables as snapshots, not which format or engine they have"},
	{"internal/script", []string{".", everything}, "scripts drive the product from outside, in tests"},
	{"internal/conform", []string{".", everything}, "the grader drives the product from outside"},
	{"internal/corpus", []string{".", everything}, "the corpus is read through everything, in tests"},
	{"internal/*", []string{"types", codecs}, "a codec knows types at most, and no table"},
	{".", []string{"types", "storage", "storage/*", "rel", "engine", "engine/*", "lake", "lake/*", "catalog", "catalog/*", "internal/*"}, "the product does not know its front doors"},
	{"driver", []string{".", "types"}, "a front door reaches the product through its root package"},
	{"server", []string{".", "types", "internal/*"}, "a front door reaches the product through its root package"},
}

const (
	everything = "*"
	codecs     = "internal/(codec)" // internal packages without a rule of their own
)

// stdOnly import nothing else from outside the module.
var stdOnly = []string{"storage", "storage/storagetest", "internal/syntax"}

// cgo is the one package that may use C and the DuckDB driver.
const cgo = "engine/duckdb"

// formats build without a C compiler, so that their crash, fuzz and interleaving
// tests are fast and their users free.
var formats = []string{"types", "storage", "rel", "lake", "catalog", "internal/syntax", "internal/plan"}

func TestLayers(t *testing.T) {
	pkgs := list(t)
	if len(pkgs) < 5 {
		t.Fatalf("go list tells of %d packages only", len(pkgs))
	}
	for _, p := range pkgs {
		for _, imported := range p.Imports {
			from, why := short(p.ImportPath), ""
			if own(imported) {
				why = broken(from, short(imported))
			} else {
				why = brokenOut(from, imported)
			}
			if why != "" {
				t.Errorf("broken arrow: %s imports %s: %s", from, short(imported), why)
			}
		}
	}
}

// TestBroken checks the rules themselves.
func TestBroken(t *testing.T) {
	type arrow struct{ from, to string }
	for a, want := range map[arrow]bool{
		{"rel", "types"}:                      false,
		{"types", "rel"}:                      true,
		{"storage", "types"}:                  true,
		{"storage/s3", "storage/gcs"}:         true,
		{"engine/duckdb", "engine"}:           false,
		{"engine/duckdb", "lake"}:             true,
		{"engine/duckdb", "engine/spark"}:     true,
		{"engine/duckdb", "internal/parquet"}: false,
		{"lake/delta", "engine"}:              false,
		{"lake/delta", "engine/duckdb"}:       true,
		{"lake/delta", "lake/hudi"}:           true,
		{"lake/delta", "lake/delta/log"}:      false,
		{"lake/delta", "internal/bitmap"}:     false,
		{"lake/delta", "internal/plan"}:       true,
		{"lake/delta", "internal/script"}:     true,
		{"lake/delta", "bench"}:               true,
		{"internal/bitmap", "lake"}:           true,
		{"internal/plan", "lake"}:             false,
		{"internal/plan", "lake/delta"}:       true,
		{"internal/plan", "."}:                true,
		{"internal/script", "."}:              false,
		{".", "engine/duckdb"}:                false,
		{".", "server"}:                       true,
		{".", "cmd/tarn"}:                     true,
		{"server", "."}:                       false,
		{"server", "lake/delta"}:              true,
		{"cmd/tarn", "."}:                     false,
		{"cmd/tarn", "catalog/hms"}:           false,
	} {
		if why := broken(a.from, a.to); (why != "") != want {
			t.Errorf("%s imports %s: broken is %q, want %v", a.from, a.to, why, want)
		}
	}
	for a, want := range map[arrow]bool{
		{"engine/duckdb", "C"}: false,
		{"lake", "C"}:          true,
		{".", "github.com/duckdb/duckdb-go-bindings"}: true,
		{"cmd/tarn", "C"}:                              true,
		{"storage", "io/fs"}:                           false,
		{"storage", "golang.org/x/sys/unix"}:           true,
		{"storage/s3", "github.com/aws/aws-sdk-go-v2"}: false,
		{"internal/syntax", "github.com/google/uuid"}:  true,
	} {
		if why := brokenOut(a.from, a.to); (why != "") != want {
			t.Errorf("%s imports %s: broken is %q, want %v", a.from, a.to, why, want)
		}
	}
}

func TestFormatsBuildWithoutCgo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds most of the tree once more")
	}
	args := []string{"build"}
	for _, p := range list(t) {
		name := short(p.ImportPath)
		if slices.ContainsFunc(formats, func(f string) bool { return name == f || strings.HasPrefix(name, f+"/") }) {
			args = append(args, p.ImportPath)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("CGO_ENABLED=0 go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// broken returns why a package must not import another of the module, "" if it
// may.
func broken(from, to string) string {
	i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.pkg, from) })
	if i < 0 || family(from) == family(to) {
		return ""
	}
	if slices.ContainsFunc(rules[i].may, func(pattern string) bool { return matches(pattern, to) }) {
		return ""
	}
	return rules[i].why
}

// brokenOut returns why a package must not import one from outside the module.
func brokenOut(from, path string) string {
	switch first, _, _ := strings.Cut(path, "/"); {
	case (path == "C" || strings.HasPrefix(path, "github.com/duckdb/")) && from != cgo:
		return "only " + cgo + " may use cgo and DuckDB"
	case slices.Contains(stdOnly, from) && strings.Contains(first, "."):
		return "it imports the standard library alone"
	}
	return ""
}

func matches(pattern, pkg string) bool {
	below, wild := strings.CutSuffix(pattern, "*")
	switch {
	case pattern == codecs:
		return strings.HasPrefix(pkg, "internal/") && !slices.ContainsFunc(rules, func(r rule) bool { return r.pkg == pkg })
	case wild:
		return strings.HasPrefix(pkg, below)
	}
	return pkg == pattern
}

// family is the implementation that a package belongs to, such as lake/delta for
// lake/delta/log. Its packages may import each other.
func family(pkg string) string {
	parts := strings.SplitN(pkg, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// short drops the module from the path of one of its own packages.
func short(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

func own(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

type pkg struct {
	ImportPath string
	Imports    []string
}

// list returns the packages of the module.
func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports", module+"/...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1") // without it go list leaves files with cgo out
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		if own(p.ImportPath) {
			pkgs = append(pkgs, p)
		}
	}
}
