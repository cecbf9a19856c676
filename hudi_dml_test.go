package tarn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

var update = flag.Bool("update", false, "write the answers of tarn into testdata/hudi/dml.txt")

// dmlRuns is oracle/merge_into.json of the corpus and testdata/hudi/dml.json: what statements of Hudi made of tables, by release and type of table
// ("1.1.1 mor").
type dmlRuns struct {
	Targets map[string]dmlTarget
	Cases   map[string]dmlCase
}

type dmlTarget struct {
	Columns, Rows string
	PartitionedBy string `json:"partitioned_by"`
	Properties    map[string]string
}

type dmlCase struct {
	Target, Source, Statement string
	Set                       map[string]string // settings of the session
	Answers                   map[string]dmlAnswer
}

// dmlAnswer is the rows of the target after a statement, or the error.
type dmlAnswer struct {
	Rows  [][]any
	Error *struct{ Class, Message string }
}

const dmlLedger = "testdata/hudi/dml.txt"

// TestHudiDML runs the statements that Hudi was given, each on a table of the version and type that Hudi had it on.
// testdata/hudi/dml.txt has a line for each answer: "equal", or "otherwise" with the reason, a line of docs/hudi.md, and what tarn answers.
// With -update it is written anew; reasons stay, and where one is missing the test goes on failing.
func TestHudiDML(t *testing.T) {
	var in dmlRuns
	text, err := os.ReadFile(filepath.Join(shared(t), "corpus", "hudi", "oracle", "merge_into.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &in); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile("testdata/hudi/dml.json"); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &in); err != nil { // adds to the cases
		t.Fatal(err)
	}
	var m storage.Bucket
	db := Opened(t, Options{Warehouse: t.TempDir(), Bucket: func(context.Context, string) (storage.Bucket, error) { return m, nil }})
	old, reasons := ledgerLines(t), documented(t, "| Hudi | tarn |")
	maps.Copy(reasons, documented(t, "| Hudi refuses | tarn |"))
	var ledger []string
	counts := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(in.Cases)) {
		c := in.Cases[name]
		for _, of := range slices.Sorted(maps.Keys(c.Answers)) {
			key := of + " | " + name
			m = storage.NewMem()
			answer, equal := in.answer(t, db.Session(), c, of)
			line := "equal | " + answer
			if !equal {
				reason, _, _ := strings.Cut(strings.TrimPrefix(old[key], "otherwise: "), " | ")
				if _, ok := reasons[reason]; !ok || strings.HasPrefix(old[key], "equal") {
					reason = ""
					t.Errorf("%s: tarn answers otherwise, for a reason that docs/hudi.md does not have:\n%s\nHudi: %s", key, answer, c.Answers[of].text())
				}
				line = "otherwise: " + reason + " | " + answer
			}
			verdict, _, _ := strings.Cut(line, " | ")
			counts[verdict]++
			ledger = append(ledger, key+" | "+line)
			if line != old[key] && !*update {
				t.Errorf("%s: %s\nthe ledger has %s", key, line, old[key])
			}
		}
	}
	for _, verdict := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%4d %s", counts[verdict], verdict)
	}
	if len(old) != len(ledger) && !*update {
		t.Errorf("the ledger has %d lines, not %d", len(old), len(ledger))
	}
	if *update {
		head := "# What tarn answers to the statements of TestHudiDML: release and type, case, whether as Hudi (or for which line of docs/hudi.md otherwise), rows or error.\n"
		if err := os.WriteFile(dmlLedger, []byte(head+strings.Join(ledger, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// ledgerLines are the lines of the ledger by release, type and case.
func ledgerLines(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(dmlLedger)
	if err != nil && !(*update && errors.Is(err, os.ErrNotExist)) {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if parts := strings.SplitN(strings.TrimSpace(line), " | ", 3); len(parts) == 3 {
			out[parts[0]+" | "+parts[1]] = parts[2]
		}
	}
	return out
}

// answer is what tarn makes of a case, in one line, and whether it is what Hudi made of it: the same rows, or a refusal that leaves the
// table as it was, with the class of Spark's error where Hudi names one.
func (in *dmlRuns) answer(t *testing.T, s *Session, c dmlCase, of string) (string, bool) {
	t.Helper()
	release, kind, _ := strings.Cut(of, " ")
	in.Targets[c.Target].make(t, s, hudiVersions[release], kind)
	before := targetRows(t, s)
	for k, v := range c.Set {
		if _, err := s.Exec(t.Context(), "SET "+k+"="+v); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Exec(t.Context(), strings.NewReplacer("{t}", "t", "{s}", c.Source).Replace(c.Statement))
	after, want := targetRows(t, s), c.Answers[of]
	var failed *Error
	if !errors.As(err, &failed) {
		if err != nil {
			t.Fatal(err)
		}
		return cmp.Or(strings.Join(after, " "), "no rows"), want.Error == nil && slices.Equal(after, sortedJSON(want.Rows))
	}
	if !slices.Equal(before, after) {
		t.Errorf("%s: a statement that fails changes rows: %v", c.Statement, err)
	}
	answer := "[" + failed.Class + "] " + failed.Message
	return answer, want.Error != nil && (want.class() == "" || want.class() == failed.Class)
}

// hudiVersions are the versions of the tables that releases of Hudi make.
var hudiVersions = map[string]string{"0.12.2": "5", "0.15.0": "6", "1.0.2": "8", "1.1.1": "9"}

// make makes the target, as Hudi made it.
func (m dmlTarget) make(t *testing.T, s *Session, version, kind string) {
	t.Helper()
	props := []string{"type = '" + kind + "'", "'hoodie.write.table.version' = '" + version + "'"}
	for k, v := range m.Properties {
		if k == "ordering" {
			k = "preCombineField"
		}
		props = append(props, k+" = '"+v+"'")
	}
	by := ""
	if m.PartitionedBy != "" {
		by = " PARTITIONED BY (" + m.PartitionedBy + ")"
	}
	for _, sql := range []string{"DROP TABLE IF EXISTS t", "CREATE TABLE t (" + m.Columns + ") USING hudi" + by + " LOCATION '/t' TBLPROPERTIES (" + strings.Join(props, ", ") + ")", "INSERT INTO t VALUES " + m.Rows} {
		if _, err := s.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// targetRows are the rows of the target, sorted, as JSON.
func targetRows(t *testing.T, s *Session) []string {
	t.Helper()
	rows, err := s.Query(t.Context(), "SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	var out [][]any
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		var plain []any
		for i, v := range row {
			if c := rows.Columns()[i]; !strings.HasPrefix(c.Name, "_hoodie_") {
				plain = append(plain, plainJSON(v, c.Type))
			}
		}
		out = append(out, plain)
	}
	return sortedJSON(out)
}

// class is the error class of Spark in a message of Hudi; "" where it names none, or fails to look its own class up.
func (a dmlAnswer) class() string {
	rest, ok := strings.CutPrefix(a.Error.Message, "[")
	class, _, ended := strings.Cut(rest, "]")
	if !ok || !ended || class == "INTERNAL_ERROR" {
		return ""
	}
	return class
}

func (a dmlAnswer) text() string {
	if a.Error != nil {
		return fmt.Sprintf("%s: %.300s", a.Error.Class, a.Error.Message)
	}
	return strings.Join(sortedJSON(a.Rows), " ")
}

// TestHudiCreateAsSelect makes tables of rows with a key twice, under each operation. The rows are those of Hudi 0.15 and 1.1, which has them alike
// wherever 0.15 does not fail.
func TestHudiCreateAsSelect(t *testing.T) {
	hudiKinds(t, func(t *testing.T, version, kind string) {
		for _, c := range []struct{ properties, operation, want string }{
			{"primaryKey = 'id'", "", "1 a 2, 1 b 1, 2 c 1"},
			{"primaryKey = 'id'", "insert", "1 a 2, 1 b 1, 2 c 1"},
			{"primaryKey = 'id'", "upsert", "1 b 1, 2 c 1"},
			{"primaryKey = 'id', preCombineField = 'ts'", "", "1 a 2, 1 b 1, 2 c 1"},
			{"primaryKey = 'id', preCombineField = 'ts'", "insert", "1 a 2, 1 b 1, 2 c 1"},
			{"primaryKey = 'id', preCombineField = 'ts'", "upsert", "1 a 2, 2 c 1"},
		} {
			s, dir := openTest(t).Session(), filepath.Join(t.TempDir(), "t")
			if c.operation != "" {
				if _, err := s.Exec(t.Context(), "SET hoodie.spark.sql.insert.into.operation="+c.operation); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Exec(t.Context(), "CREATE TABLE c USING hudi LOCATION '"+dir+"' TBLPROPERTIES (type = '"+kind+"', 'hoodie.write.table.version' = '"+version+"', "+c.properties+
				") AS SELECT * FROM VALUES (1, 'a', 2L), (1, 'b', 1L), (2, 'c', 1L) AS v(id, name, ts)"); err != nil {
				t.Fatal(err)
			}
			if got := heldRows(s, dir, "concat_ws(' ', id, name, ts)"); got != c.want {
				t.Errorf("%s, %s: the table holds %s, not %s", c.properties, c.operation, got, c.want)
			}
		}
	})
}
