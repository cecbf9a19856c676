// Command conform grades tarn against Spark's recorded answers.
//
//	go run ./cmd/conform -suite spark|functions|parse -dir DIR [-match RE] [-json] [-v] [-ledger FILE [-update]]
//
// With -json it prints one object a case: file, n, grade. With -ledger it fails when a case in the ledger is not exact
// any more; with -update it writes the ledger anew.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"

	"github.com/tarn-lake/tarn/internal/conform"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "conform:", err)
		os.Exit(1)
	}
}

func run() error {
	suite := flag.String("suite", "spark", "spark, functions or parse")
	dir := flag.String("dir", "", "folder of the suite (default: below $TARN_SHARED or ../shared)")
	match := flag.String("match", "", "run only files whose names match this regular expression")
	asJSON := flag.Bool("json", false, "print one JSON object a case")
	verbose := flag.Bool("v", false, "print what was wanted and given for each case that is not exact")
	ledger := flag.String("ledger", "", "fail on a loss against this list of exact cases")
	update := flag.Bool("update", false, "write the ledger anew")
	timeout := flag.Duration("timeout", 20*time.Second, "time for one query")
	memory := flag.Int64("memory", 1<<30, "bytes of memory for the engine")
	flag.Parse()

	r := &conform.Runner{Timeout: *timeout, Memory: *memory, Dir: *dir}
	if *dir == "" {
		r.Dir = defaultDir(*suite)
	}
	if *match != "" {
		re, err := regexp.Compile(*match)
		if err != nil {
			return err
		}
		r.Match = re
	}
	t := &tally{json: *asJSON, verbose: *verbose, exact: conform.Ledger{}, counts: map[conform.Grade]int{}, files: map[string]bool{}}
	r.Report = t.add
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := runSuite(ctx, r, *suite); err != nil {
		return err
	}
	t.print()
	return t.settle(*ledger, *update)
}

func defaultDir(suite string) string {
	shared := os.Getenv("TARN_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "shared")
	}
	if suite == "functions" {
		return filepath.Join(shared, "corpus", "spark-functions")
	}
	return filepath.Join(shared, "corpus", "spark-sql")
}

func runSuite(ctx context.Context, r *conform.Runner, suite string) error {
	if suite == "parse" {
		return r.Parse()
	}
	if err := r.Open(); err != nil {
		return err
	}
	defer r.Close()
	switch suite {
	case "spark":
		files, err := conform.Golden(r.Dir)
		if err != nil {
			return err
		}
		return r.Spark(ctx, files)
	case "functions":
		return r.Functions(ctx)
	}
	return fmt.Errorf("unknown suite %q", suite)
}

// tally counts grades and prints cases.
type tally struct {
	json, verbose bool
	exact         conform.Ledger
	counts        map[conform.Grade]int
	total         int
	files         map[string]bool
}

func (t *tally) add(r conform.Result) {
	t.total++
	t.counts[r.Grade]++
	t.files[r.File] = true
	if r.Grade == conform.Exact {
		t.exact.Add(r.File, r.N)
	}
	switch {
	case t.json:
		b, _ := json.Marshal(r)
		fmt.Println(string(b))
	case t.verbose && r.Grade != conform.Exact:
		fmt.Printf("=== %s#%d %s\n%s\n--- want\n%s\n--- got\n%s\n", r.File, r.N, r.Grade, r.SQL, r.Want, r.Got)
	}
}

func (t *tally) print() {
	out := os.Stdout
	if t.json {
		out = os.Stderr
	}
	share := func(g conform.Grade) string {
		return fmt.Sprintf("%s %d (%.1f %%)", g, t.counts[g], 100*float64(t.counts[g])/float64(max(1, t.total)))
	}
	fmt.Fprintf(out, "%d cases: %s, %s, %s, %s\n", t.total, share(conform.Exact), share(conform.RowsEqual), share(conform.SameClass), share(conform.Failed))
}

// settle compares with the ledger, or writes it.
func (t *tally) settle(path string, update bool) error {
	if path == "" {
		return nil
	}
	old, err := conform.ReadLedger(path)
	if err != nil && !(update && os.IsNotExist(err)) {
		return err
	}
	if update {
		for name, ns := range old { // files that did not run keep theirs
			if !t.files[name] {
				t.exact[name] = ns
			}
		}
		return t.exact.Write(path)
	}
	if lost := t.exact.Losses(old, func(f string) bool { return t.files[f] }); len(lost) > 0 {
		return fmt.Errorf("%d cases of %s are not exact any more: %v", len(lost), path, lost[:min(20, len(lost))])
	}
	return nil
}
