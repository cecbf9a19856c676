package tarn

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/engine/duckdb"
	"github.com/tarn-lake/tarn/types"
)

// shared is the folder with recorded answers of real systems. Tests that need it are skipped where it is absent, and
// fail there when CI is set.
func shared(t testing.TB) string {
	dir := os.Getenv("TARN_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "shared")
	}
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the corpus is missing: %v", err)
		}
		t.Skipf("no corpus: %v", err)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// oracleCase is one case of sql_dml.json or df_write.json.
type oracleCase struct {
	Name  string
	Group string
	Setup json.RawMessage
	SQL   string
	Conf  map[string]string
	DF    string
	Write *struct {
		Via         string
		Mode        *string
		PartitionBy []string
		Options     map[string]string
		Arg         string
	}
	Result *struct {
		Columns [][]string
		Rows    []map[string]any
	}
	Error *struct {
		Class    string
		SQLState string
		Message  string
	}
	Table            json.RawMessage
	Rows             []map[string]any
	Versions         []*int64
	Actions          map[string]int
	PartitionColumns []string
	Properties       map[string]string
	Commit           *struct {
		Operation           string
		OperationParameters map[string]any
		IsBlindAppend       *bool
	}
	Schema json.RawMessage
}

// oracle replays cases on one engine.
type oracle struct {
	engine *duckdb.Engine
	file   string
}

// place is where one case runs.
type place struct {
	s         *Session
	dir       string
	warehouse string // folder of the schema db
}

func (o *oracle) place(t *testing.T, c oracleCase) place {
	root := t.TempDir()
	p := place{dir: filepath.Join(root, "dir"), warehouse: filepath.Join(root, "db.db")}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	conf := map[string]string{"spark.sql.session.timeZone": "UTC"}
	db, err := Open(context.Background(), Options{Warehouse: root, Engine: o.engine, Conf: conf,
		Catalogs: map[string]catalog.Catalog{DefaultCatalog: catalog.NewMemory(root)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	p.s = db.Session()
	p.exec(t, "CREATE DATABASE db")
	p.exec(t, "USE db")
	return p
}

func (p place) text(s string) string {
	return strings.NewReplacer("{dir}", p.dir, "{warehouse}", p.warehouse).Replace(s)
}

func (p place) exec(t *testing.T, sql string) {
	t.Helper()
	if _, err := p.s.Exec(context.Background(), p.text(sql)); err != nil {
		t.Fatalf("set up %s: %v", sql, err)
	}
}

// setUp runs the statements before the case.
func (p place) setUp(t *testing.T, c oracleCase) error {
	var word string
	if json.Unmarshal(c.Setup, &word) == nil {
		if err := os.MkdirAll(filepath.Join(p.warehouse, "t"), 0o755); err != nil {
			t.Fatal(err)
		}
		if word == "parquet" {
			p.write(t, "SELECT 1 AS id, 'a' AS v, 1 AS p")
		}
		return nil
	}
	var steps []any
	if err := json.Unmarshal(c.Setup, &steps); err != nil {
		t.Fatal(err)
	}
	for _, st := range steps {
		if sql, ok := st.(string); ok {
			if _, err := p.s.Exec(context.Background(), p.text(sql)); err != nil {
				return fmt.Errorf("set up %s: %w", sql, err)
			}
			continue
		}
		touch := st.(map[string]any)["touch"].(map[string]any)
		for v, at := range touch["times"].(map[string]any) {
			n, _ := strconv.Atoi(v)
			when, err := time.Parse("2006-01-02 15:04:05", at.(string))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(filepath.Join(p.warehouse, touch["table"].(string), "_delta_log", fmt.Sprintf("%020d.json", n)), when, when); err != nil {
				t.Fatal(err)
			}
		}
	}
	return nil
}

func (p place) write(t *testing.T, query string) {
	if _, err := p.s.Write(query).Format("parquet").Mode(Append).Save(context.Background(), filepath.Join(p.warehouse, "t")); err != nil {
		t.Fatal(err)
	}
}

// run runs the case's own statement or write.
func (p place) run(c oracleCase) ([]Column, [][]types.Value, error) {
	ctx := context.Background()
	if c.Write != nil {
		return nil, nil, p.save(ctx, c)
	}
	for k, v := range c.Conf {
		if _, err := p.s.Exec(ctx, "SET "+k+"="+v); err != nil {
			return nil, nil, err
		}
	}
	rows, err := p.s.Query(ctx, p.text(c.SQL))
	if err != nil {
		return nil, nil, err
	}
	var out [][]types.Value
	for row, err := range rows.All() {
		if err != nil {
			return nil, nil, err
		}
		out = append(out, row)
	}
	return rows.Columns(), out, nil
}

func (p place) save(ctx context.Context, c oracleCase) error {
	w := p.s.Write(c.DF).Format("delta")
	if c.Write.Mode != nil {
		w = w.Mode(SaveMode(*c.Write.Mode))
	}
	if c.Write.PartitionBy != nil {
		w = w.PartitionBy(c.Write.PartitionBy...)
	}
	for k, v := range c.Write.Options {
		w = w.Option(k, v)
	}
	var err error
	switch c.Write.Via {
	case "save":
		_, err = w.Save(ctx, filepath.Join(p.warehouse, "t"))
	case "saveAsTable":
		_, err = w.SaveAsTable(ctx, "t")
	case "insertInto":
		_, err = w.InsertInto(ctx, "t")
	default:
		err = p.v2(ctx, c)
	}
	return err
}

// v2 is a DataFrameWriterV2 call as the SQL that means the same.
func (p place) v2(ctx context.Context, c oracleCase) error {
	with := ""
	for k, v := range c.Write.Options {
		with = fmt.Sprintf(" WITH ('%s' = '%s')", k, v)
	}
	part := ""
	if c.Write.PartitionBy != nil {
		part = " PARTITIONED BY (" + strings.Join(c.Write.PartitionBy, ", ") + ")"
	}
	sql := map[string]string{
		"v2.append":              "INSERT INTO t" + with + " BY NAME " + c.DF,
		"v2.overwrite":           "INSERT INTO t REPLACE WHERE " + c.Write.Arg + " " + c.DF,
		"v2.overwritePartitions": "INSERT OVERWRITE t WITH ('partitionOverwriteMode' = 'dynamic') BY NAME " + c.DF,
		"v2.create":              "CREATE TABLE t USING delta" + part + " AS " + c.DF,
		"v2.replace":             "REPLACE TABLE t USING delta" + part + " AS " + c.DF,
		"v2.createOrReplace":     "CREATE OR REPLACE TABLE t USING delta" + part + " AS " + c.DF,
	}[c.Write.Via]
	_, err := p.s.Exec(ctx, sql)
	return err
}

// differences compares what happened with what Spark did: the outcome, the rows, the commit.
func (o *oracle) differences(t *testing.T, c oracleCase) []string {
	p := o.place(t, c)
	if err := p.setUp(t, c); err != nil {
		return []string{err.Error()}
	}
	cols, rows, err := p.run(c)
	var out []string
	diff := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			out = append(out, fmt.Sprintf("%s: got %v, want %v", what, got, want))
		}
	}
	if c.Error != nil {
		return append(out, errorDifference(c, err)...)
	}
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	if c.Result != nil && len(c.Result.Columns) > 0 {
		diff("columns", columnTexts(cols), c.Result.Columns)
		got := jsonRows(cols, rows)
		for i := range got {
			got[i] = strings.NewReplacer(p.dir, "{dir}", p.warehouse, "{warehouse}").Replace(got[i])
		}
		diff("result", got, normal(c.Result.Rows))
	}
	table := c.Rows
	if c.Write == nil {
		json.Unmarshal(c.Table, &table)
	}
	if table != nil {
		got, err := p.table()
		if err != nil {
			return append(out, "read the table: "+err.Error())
		}
		diff("table", got, normal(table))
	}
	if c.Commit != nil {
		out = append(out, p.commitDifferences(c)...)
	}
	return out
}

func errorDifference(c oracleCase, err error) []string {
	want := c.Error.Class
	if err == nil {
		return []string{"no error, want " + want + ": " + c.Error.Message}
	}
	if strings.Contains(c.Error.Message, "DELTA_MERGE_UNRESOLVED_EXPRESSION") {
		want = "DELTA_MERGE_UNRESOLVED_EXPRESSION"
	}
	var e *Error
	if !errors.As(err, &e) {
		return []string{"not an *Error: " + err.Error()}
	}
	if want != "" && e.Class != want {
		return []string{"error: got " + e.Error() + ", want " + want + ": " + c.Error.Message}
	}
	return nil
}

func columnTexts(cols []Column) [][]string {
	var out [][]string
	for _, c := range cols {
		out = append(out, []string{c.Name, c.Type.String()})
	}
	return out
}

// table reads t, by path where the catalog does not have it.
func (p place) table() ([]string, error) {
	rows, err := p.s.Query(context.Background(), "SELECT * FROM t")
	if err != nil {
		rows, err = p.s.Query(context.Background(), "SELECT * FROM delta.`"+filepath.Join(p.warehouse, "t")+"`")
	}
	if err != nil {
		return nil, err
	}
	var out [][]types.Value
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return jsonRows(rows.Columns(), out), nil
}

// jsonRows are rows as sorted JSON objects.
func jsonRows(cols []Column, rows [][]types.Value) []string {
	out := []string{}
	for _, row := range rows {
		m := map[string]any{}
		for i, v := range row {
			m[cols[i].Name] = plainJSON(v, cols[i].Type)
		}
		b, _ := json.Marshal(m)
		out = append(out, string(b))
	}
	slices.Sort(out)
	return out
}

func plainJSON(v types.Value, t types.Type) any {
	switch v := v.(type) {
	case decimal128.Num:
		return v.ToString(int32(t.(types.Decimal).S))
	case int32:
		return time.Unix(int64(v)*86400, 0).UTC().Format("2006-01-02")
	case []types.Value:
		switch t := t.(type) {
		case types.Array:
			out := []any{}
			for _, e := range v {
				out = append(out, plainJSON(e, t.Elem))
			}
			return out
		case types.Struct:
			out := map[string]any{}
			for i, e := range v {
				out[t.Fields[i].Name] = plainJSON(e, t.Fields[i].Type)
			}
			return out
		}
	}
	return v
}

func normal(rows []map[string]any) []string {
	out := []string{}
	for _, r := range rows {
		b, _ := json.Marshal(r)
		out = append(out, string(b))
	}
	slices.Sort(out)
	return out
}

var exprID = regexp.MustCompile(`#\d+`)

// commitDifferences compares the last commit's operation, parameters and kinds of actions.
func (p place) commitDifferences(c oracleCase) []string {
	var out []string
	logs, _ := filepath.Glob(filepath.Join(p.warehouse, "t", "_delta_log", "*.json"))
	if len(logs) == 0 {
		return []string{"no commit"}
	}
	slices.Sort(logs)
	f, err := os.Open(logs[len(logs)-1])
	if err != nil {
		return []string{err.Error()}
	}
	defer f.Close()
	counts := map[string]int{}
	var info struct {
		Operation           string
		OperationParameters map[string]any
		IsBlindAppend       *bool
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var line map[string]json.RawMessage
		if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
			return []string{err.Error()}
		}
		for k, v := range line {
			counts[k]++
			if k == "commitInfo" {
				json.Unmarshal(v, &info)
			}
		}
	}
	if v := fmt.Sprintf("%020d.json", *c.Versions[1]); filepath.Base(logs[len(logs)-1]) != v {
		out = append(out, "version: got "+filepath.Base(logs[len(logs)-1])+", want "+v)
	}
	if info.Operation != c.Commit.Operation {
		out = append(out, "operation: got "+info.Operation+", want "+c.Commit.Operation)
	}
	got, want := parameters(info.OperationParameters), parameters(c.Commit.OperationParameters)
	if !maps.Equal(got, want) {
		out = append(out, fmt.Sprintf("parameters: got %v, want %v", got, want))
	}
	if c.Commit.IsBlindAppend != nil && info.IsBlindAppend != nil && *info.IsBlindAppend != *c.Commit.IsBlindAppend {
		out = append(out, fmt.Sprintf("isBlindAppend: got %v", *info.IsBlindAppend))
	}
	for _, k := range []string{"metaData", "protocol", "txn", "cdc"} {
		if counts[k] != c.Actions[k] {
			out = append(out, fmt.Sprintf("actions %s: got %d, want %d", k, counts[k], c.Actions[k]))
		}
	}
	return out
}

func parameters(m map[string]any) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = exprID.ReplaceAllString(fmt.Sprint(v), "")
	}
	return out
}

// TestOracle replays the recorded statements and DataFrame writes of Spark with Delta. What tarn does otherwise is
// listed with its reason in testdata/delta/oracle.txt.
func TestOracle(t *testing.T) {
	dir := filepath.Join(shared(t), "corpus", "delta", "oracle")
	known := deviations(t, filepath.Join("testdata", "delta", "oracle.txt"))
	e, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, file := range []string{"df_write", "sql_dml"} {
		text, err := os.ReadFile(filepath.Join(dir, file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var in struct{ Cases []oracleCase }
		if err := json.Unmarshal(text, &in); err != nil {
			t.Fatal(err)
		}
		o := &oracle{engine: e, file: file}
		for _, c := range in.Cases {
			t.Run(file+"/"+c.Name, func(t *testing.T) {
				reason, listed := known[file+" | "+c.Name]
				if strings.HasPrefix(reason, "skip") {
					t.Skip(reason)
				}
				diffs := o.differences(t, c)
				switch {
				case len(diffs) > 0 && !listed:
					t.Errorf("%s%s\n%s", c.SQL, c.DF, strings.Join(diffs, "\n"))
				case len(diffs) == 0 && listed:
					t.Errorf("agrees with Spark now: take it out of testdata/delta/oracle.txt")
				}
			})
		}
	}
}

// deviations reads a list of what tarn does otherwise: a line is `file | case | reason`.
func deviations(t *testing.T, path string) map[string]string {
	out := map[string]string{}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.SplitN(line, " | ", 3)
		if len(parts) != 3 {
			t.Fatalf("a line without a reason: %s", line)
		}
		out[parts[0]+" | "+parts[1]] = parts[2]
	}
	return out
}
