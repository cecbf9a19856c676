package syntax

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite expected files")

// sharedDir returns the directory of the shared corpora, or skips the test.
func sharedDir(t testing.TB) string {
	if !hasCorpus() {
		if os.Getenv("CI") == "true" {
			t.Fatal("the corpus is missing")
		}
		t.Skip("no corpus here")
	}
	return sharedPath()
}

func sharedPath() string {
	if dir := os.Getenv("TARN_SHARED"); dir != "" {
		return dir
	}
	return "../../../shared"
}

func hasCorpus() bool {
	_, err := os.Stat(filepath.Join(sharedPath(), "corpus"))
	return err == nil
}

// goldenQuery is a query of Spark's golden files with what Spark answered.
type goldenQuery struct {
	file   string // relative to the results
	n      int    // number within the file, from 1
	text   string
	output string
}

// goldenQueries reads all queries of Spark's golden files.
func goldenQueries(t testing.TB) []goldenQuery {
	root := filepath.Join(sharedDir(t), "corpus/spark-sql/results")
	var files []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".sql.out") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(files)
	var out []goldenQuery
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(root, f)
		blocks := strings.Split("\n"+string(b), "\n-- !query\n")
		for i, block := range blocks[1:] {
			text, rest, _ := strings.Cut(block, "\n-- !query schema\n")
			_, output, _ := strings.Cut(rest, "\n-- !query output\n")
			out = append(out, goldenQuery{strings.TrimSuffix(rel, ".out"), i + 1, text, output})
		}
	}
	return out
}

// parseError returns the class and the parameters if Spark's parser refused
// the query, and whether it did.
func (q goldenQuery) parseError() (class string, params map[string]string, ok bool) {
	first, rest, _ := strings.Cut(q.output, "\n")
	if !strings.HasSuffix(first, ".ParseException") {
		return "", nil, false
	}
	var e goldenError
	if err := json.Unmarshal([]byte(rest), &e); err != nil {
		return "", nil, false
	}
	return e.ErrorClass, e.MessageParameters, true
}

// goldenError is the error of a golden query.
type goldenError struct {
	ErrorClass        string
	MessageParameters map[string]string
	QueryContext      []struct{ Fragment string }
}

// fragment returns the part of the text that Spark points at, if it does.
func (q goldenQuery) fragment() string {
	_, rest, _ := strings.Cut(q.output, "\n")
	var e goldenError
	if json.Unmarshal([]byte(rest), &e) != nil || len(e.QueryContext) != 1 {
		return ""
	}
	return e.QueryContext[0].Fragment
}

// raises reports whether Spark, too, ends the query with err's class, though
// in a later step than parsing.
func (q goldenQuery) raises(err error) bool {
	var e *Error
	return errors.As(err, &e) && strings.Contains(q.output, `"errorClass" : "`+e.Class+`"`)
}

// dialects keeps what SET statements and file names say about the dialect.
type dialects struct{ Dialect }

func (d *dialects) file(name string) {
	d.Dialect = Dialect{}
	switch {
	case strings.HasPrefix(name, "postgreSQL/"):
		d.LegacyInterval = true
	case name == "double-quoted-identifiers-enabled.sql":
		d.DoubleQuotedIdentifiers = true
	case name == "identifier-clause-legacy.sql":
		d.LegacyIdentifierClause = true
	case name == "keywords-enforced.sql":
		d.ReservedKeywords = true
	}
}

func (d *dialects) set(text string) {
	key, value, ok := strings.Cut(strings.TrimPrefix(strings.ToLower(text), "set "), "=")
	if !ok {
		return
	}
	on := strings.TrimSpace(value) == "true"
	switch strings.TrimSpace(key) {
	case "spark.sql.legacy.setopsprecedence.enabled":
		d.FlatSetOps = on
	case "spark.sql.legacy.bangequalsnot":
		d.BangEqualsNot = on
	case "spark.sql.legacy.consecutivestringliterals.enabled":
		d.JoinDoubledQuotes = on
	}
}

// parseQuery parses a query, and the literal text of EXECUTE IMMEDIATE, which
// Spark parses within the same query.
func (d *dialects) parseQuery(text string) error {
	s, err := d.ParseStatement(text)
	if e, ok := s.(*ExecuteImmediate); ok && err == nil {
		if lit, ok := e.Text.(*StringLit); ok && lit.Parts == nil && lit.Value != "" {
			_, err = d.ParseStatement(lit.Value)
		}
	}
	return err
}

// TestGolden parses the queries of Spark's golden files and compares what is
// refused, and with which error class and parameters.
func TestGolden(t *testing.T) {
	led := newLedger("testdata/ledger_golden.txt")
	var d dialects
	file := ""
	refused, classes, params, fragments, sameFragments := 0, 0, 0, 0, 0
	for _, q := range goldenQueries(t) {
		if q.file != file {
			file = q.file
			d.file(file)
		}
		d.set(q.text)
		wantClass, wantParams, wantErr := q.parseError()
		err := d.parseQuery(q.text)
		name := fmt.Sprintf("%s:%d", q.file, q.n)
		switch {
		case wantErr && err == nil:
			led.add(name, "accepted, Spark refuses: "+wantClass)
		case !wantErr && err != nil && !q.raises(err):
			led.add(name, "refused: "+oneLine(err.Error()))
		default:
			led.pass()
		}
		if wantErr && err != nil {
			refused++
			var e *Error
			errors.As(err, &e)
			if e.Class != wantClass {
				led.note(name, "class "+e.Class+", Spark: "+wantClass)
				continue
			}
			classes++
			if want := q.fragment(); want != "" && !strings.Contains(q.text, "EXECUTE IMMEDIATE") {
				fragments++
				if got := e.Text(q.text); got != want {
					led.note(name, fmt.Sprintf("%s at %q, Spark: %q", e.Class, oneLine(got), oneLine(want)))
				} else {
					sameFragments++
				}
			}
			if !sameParams(e.Params, wantParams) {
				led.note(name, fmt.Sprintf("%s %v, Spark: %v", e.Class, e.Params, wantParams))
				continue
			}
			params++
		}
	}
	t.Logf("golden: %s; of %d refusals %d with Spark's class, %d with its parameters; %d of %d fragments as Spark's",
		led, refused, classes, params, sameFragments, fragments)
	led.check(t)
}

func sameParams(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 160 {
		s = s[:160]
	}
	return s
}

// parserCase is a case of the expression, plan and type files. A case with an
// exception is one that Spark refuses.
type parserCase struct {
	Input     string
	Exception string
}

// TestParserCases parses Spark's own parser tests.
func TestParserCases(t *testing.T) {
	dir := filepath.Join(sharedDir(t), "corpus/spark-functions")
	led := newLedger("testdata/ledger_cases.txt")
	d := Dialect{LegacyInterval: true} // as Spark's suites have it
	parseAny := map[string]func(string) error{
		"expression": func(s string) error { _, err := d.ParseExpr(s); return err },
		"plan":       func(s string) error { _, err := d.ParseStatement(s); return err },
		"data_type":  func(s string) error { _, err := ParseType(s); return err },
		"table_schema": func(s string) error {
			_, err := ParseTableSchema(s)
			return err
		},
	}
	files, _ := filepath.Glob(dir + "/*.json")
	for _, sub := range []string{"expression", "plan"} {
		more, _ := filepath.Glob(dir + "/" + sub + "/*.json")
		files = append(files, more...)
	}
	for _, f := range files {
		rel, _ := filepath.Rel(dir, f)
		parse := parseAny[strings.TrimSuffix(strings.SplitN(rel, "/", 2)[0], ".json")]
		for i, c := range readCases(t, f) {
			err := parse(c.Input)
			name := fmt.Sprintf("%s:%d", strings.TrimSuffix(rel, ".json"), i+1)
			switch {
			case c.Exception != "" && err == nil:
				led.add(name, "accepted, Spark refuses: "+oneLine(c.Exception)+" | "+oneLine(c.Input))
			case c.Exception == "" && err != nil:
				led.add(name, "refused: "+oneLine(err.Error())+" | "+oneLine(c.Input))
			default:
				led.pass()
			}
		}
	}
	t.Logf("parser cases: %s", led)
	led.check(t)
}

func readCases(t *testing.T, file string) []parserCase {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases struct{ Tests []parserCase }
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return cases.Tests
}

// ledger compares disagreements with those in a committed file, so that each
// loss fails the test and each gain must be written down.
type ledger struct {
	file   string
	lines  []string
	passed int
	failed int
}

func newLedger(file string) *ledger { return &ledger{file: file} }

func (l *ledger) pass() { l.passed++ }

func (l *ledger) add(name, what string) {
	l.failed++
	l.note(name, what)
}

// note writes down a difference that is no disagreement about acceptance.
func (l *ledger) note(name, what string) { l.lines = append(l.lines, name+"\t"+what) }

func (l *ledger) String() string {
	n := l.passed + l.failed
	return fmt.Sprintf("%d of %d agree (%.2f %%)", l.passed, n, 100*float64(l.passed)/float64(max(n, 1)))
}

func (l *ledger) check(t *testing.T) {
	got := strings.Join(l.lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(l.file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(l.file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	known := map[string]bool{}
	for _, line := range strings.Split(string(want), "\n") {
		known[line] = true
	}
	for _, line := range l.lines {
		if !known[line] {
			t.Errorf("new disagreement: %s", line)
		}
	}
	if !t.Failed() {
		t.Errorf("%s lists disagreements that are gone; run the test with -update", l.file)
	}
}
