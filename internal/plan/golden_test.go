package plan

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

var showMisses = flag.String("misses", "", "print the golden queries that fail and whose file, text or answer match this")

// atLeast is the share of Spark's golden queries whose schema or analysis error must be met.
const atLeast = 0.86

// TestGolden analyses the queries of Spark's golden files over tables without rows. A query passes when it gets the
// schema that Spark gave it, or, where Spark's analyzer refused it, the class and parameters of the error.
func TestGolden(t *testing.T) {
	dir := os.Getenv("TARN_SHARED")
	if dir == "" {
		dir = "../../../shared"
	}
	root := filepath.Join(dir, "corpus/spark-sql")
	if _, err := os.Stat(root); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no corpus here")
	}
	var g golden
	err := filepath.WalkDir(filepath.Join(root, "results"), func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".sql.out") {
			name, _ := filepath.Rel(filepath.Join(root, "results"), path)
			g.file(t, root, strings.TrimSuffix(name, ".out"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	g.report(t)
	if got := float64(g.pass) / float64(g.total); got < atLeast {
		t.Errorf("%.1f%% of the golden queries pass, want %.1f%%", 100*got, 100*atLeast)
	}
}

type golden struct {
	total, pass int
	files       map[string][2]int
	misses      map[string]int
}

// answer is what Spark said of a query.
type answer struct {
	schema string
	class  string
	params map[string]string
}

var skipped = regexp.MustCompile(`^(udf|udtf|udaf)/|sketch|xml|transform|script`)

func (g *golden) file(t *testing.T, root, name string) {
	if skipped.MatchString(name) {
		return
	}
	b, err := os.ReadFile(filepath.Join(root, "results", name+".out"))
	if err != nil {
		t.Fatal(err)
	}
	w := worldOf(t, root, name)
	for _, block := range strings.Split("\n"+string(b), "\n-- !query\n")[1:] {
		sql, rest, _ := strings.Cut(block, "\n-- !query schema\n")
		schema, output, _ := strings.Cut(rest, "\n-- !query output\n")
		g.query(w, name, sql, readAnswer(schema, output))
	}
}

// worldOf is the session that the queries of a file run in.
func worldOf(t *testing.T, root, name string) *world {
	w := newWorld()
	switch {
	case strings.HasPrefix(name, "nonansi"):
		w.settings["spark.sql.ansi.enabled"] = "false"
	case strings.HasPrefix(name, "timestampNTZ"):
		w.settings["spark.sql.timestampType"] = "TIMESTAMP_NTZ"
	case strings.HasPrefix(name, "postgreSQL"):
		w.settings["spark.sql.legacy.interval.enabled"] = "true"
	}
	input, _ := os.ReadFile(filepath.Join(root, "inputs", name))
	for _, line := range strings.Split(string(input), "\n") {
		if sets, ok := strings.CutPrefix(line, "--SET "); ok {
			for _, kv := range strings.Split(sets, ",") {
				k, v, _ := strings.Cut(kv, "=")
				w.settings[strings.TrimSpace(k)] = strings.TrimSpace(v)
			}
		}
	}
	tenk := "unique1 int, unique2 int, two int, four int, ten int, twenty int, hundred int, thousand int, twothousand int, " +
		"fivethous int, tenthous int, odd int, even int, stringu1 string, stringu2 string, string4 string"
	for table, ddl := range map[string]string{"testdata": "key int, value string", "aggtest": "a int, b float", "onek": tenk,
		"tenk1": tenk, "arraydata": "arraycol array<int>, nestedarraycol array<array<int>>", "mapdata": "mapcol map<int,string>"} {
		fields, err := syntax.ParseTableSchema(ddl)
		if err != nil {
			t.Fatal(err)
		}
		schema, err := Schema(fields, w)
		if err != nil {
			t.Fatal(err)
		}
		w.add(lake.Ident{table}, schema)
	}
	return w
}

func readAnswer(schema, output string) answer {
	a := answer{schema: schema}
	if i := strings.IndexByte(output, '{'); strings.Contains(output, `"errorClass"`) && i >= 0 {
		var e struct {
			ErrorClass        string
			MessageParameters map[string]string
		}
		if json.NewDecoder(strings.NewReader(output[i:])).Decode(&e) == nil {
			a.class, a.params = e.ErrorClass, e.MessageParameters
		}
	} else if strings.HasPrefix(output, "org.apache.") || strings.HasPrefix(output, "java.") {
		a.class = "?"
	}
	return a
}

// atRunTime matches the classes of errors that rows cause, and of those that the parser raises.
var atRunTime = regexp.MustCompile(`^(CAST_|ARITHMETIC|DIVIDE|CANNOT_PARSE|PARSE_|\?|_LEGACY_ERROR_TEMP_00|INVALID_PARAMETER_VALUE|` +
	`INTERVAL_|CONVERSION|DATETIME_FIELD|NUMERIC_VALUE|INCONSISTENT|SCALAR_SUBQUERY_TOO|INVALID_ARRAY_INDEX|INVALID_INDEX|` +
	`INVALID_DATETIME|RECURSION_|DUPLICATED_MAP|PATH_|ROW_SUB|USER_RAISED|ILLEGAL|INVALID_FRACTION|MALFORMED|UNCLOSED)`)

func (g *golden) query(w *world, file, sql string, want answer) {
	s, err := syntax.ParseStatement(sql)
	if err != nil {
		return
	}
	q, ok := s.(*syntax.Query)
	if !ok {
		w.apply(s)
		return
	}
	if atRunTime.MatchString(want.class) {
		return
	}
	g.total++
	got := answer{}
	n, err := queryNoPanic(q, w)
	var e *Error
	switch {
	case err == nil:
		got.schema = schemaText(n)
	case errors.As(err, &e):
		got.class, got.params = e.Class, e.Params
	default:
		got.class = err.Error()
	}
	g.grade(file, sql, want, got)
}

// queryNoPanic makes one query's panic a miss of that query alone.
func queryNoPanic(q *syntax.Query, w *world) (n rel.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return Query(context.Background(), q, w)
}

func (g *golden) grade(file, sql string, want, got answer) {
	if g.files == nil {
		g.files, g.misses = map[string][2]int{}, map[string]int{}
	}
	ok := want.class == got.class && fmt.Sprint(want.params) == fmt.Sprint(got.params)
	if want.class == "" {
		ok = ok && want.schema == got.schema
	}
	n := g.files[file]
	n[1]++
	if ok {
		g.pass++
		n[0]++
	}
	g.files[file] = n
	if ok {
		return
	}
	g.misses[want.class+" | "+got.class]++
	text := fmt.Sprintf("%s\n%s\n  want %s %s %v\n  got  %s %s %v\n", file, sql, want.schema, want.class, want.params, got.schema, got.class, got.params)
	if *showMisses != "" && regexp.MustCompile(*showMisses).MatchString(text) {
		fmt.Println(text)
	}
}

func (g *golden) report(t *testing.T) {
	t.Logf("%d of %d (%.1f%%)", g.pass, g.total, 100*float64(g.pass)/float64(g.total))
	for _, m := range []struct {
		title string
		lines []string
	}{{"misses: wanted | got", counts(g.misses)}, {"files", g.fileLines()}} {
		t.Log(m.title + "\n" + strings.Join(m.lines, "\n"))
	}
}

func counts(m map[string]int) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return m[keys[i]] > m[keys[j]] })
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%5d %s", m[k], k)
	}
	return keys[:min(len(keys), 60)]
}

func (g *golden) fileLines() []string {
	lost := map[string]int{}
	for f, n := range g.files {
		lost[fmt.Sprintf("%s (%d of %d)", f, n[0], n[1])] = n[1] - n[0]
	}
	return counts(lost)
}

// apply carries out the statements that change what names mean.
func (w *world) apply(s syntax.Statement) {
	switch s := s.(type) {
	case *syntax.CreateView:
		w.createView(s)
	case *syntax.CreateTable:
		w.createTable(s)
	case *syntax.DropTable:
		delete(w.tables, w.full(s.Name.Strings()).String())
	case *syntax.DropView:
		delete(w.views, strings.ToLower(lake.Ident(s.Name.Strings()).String()))
		delete(w.views, w.full(s.Name.Strings()).String())
	case *syntax.Use:
		w.schema = strings.ToLower(s.Name.Last())
	case *syntax.Set:
		w.settings[s.Key] = s.Value
	}
}

func (w *world) createView(s *syntax.CreateView) {
	if s.Query == nil {
		return
	}
	v := &View{Name: lake.Ident{s.Name.Last()}, Query: s.Query}
	if !s.Temporary {
		v.Name = w.full(s.Name.Strings())
	}
	n, err := queryNoPanic(s.Query, w)
	if err != nil {
		return
	}
	for i, c := range n.Columns() {
		f := c.Field()
		if len(s.Columns) > 0 && i < len(s.Columns) {
			f.Name = s.Columns[i].Name.Name
		}
		v.Columns = append(v.Columns, f)
	}
	if s.Temporary {
		w.views[strings.ToLower(s.Name.Last())] = v
		return
	}
	w.views[v.Name.String()] = v
}

func (w *world) createTable(s *syntax.CreateTable) {
	var schema types.Struct
	var err error
	if s.Query != nil {
		var n rel.Node
		if n, err = queryNoPanic(s.Query, w); err == nil {
			for _, c := range n.Columns() {
				schema.Fields = append(schema.Fields, c.Field())
			}
		}
	} else {
		for _, c := range s.Columns {
			var t types.Type
			if t, err = Type(c.Type, w); err != nil {
				return
			}
			schema.Fields = append(schema.Fields, types.Field{Name: c.Name.Last(), Type: t, Nullable: true})
		}
	}
	if err == nil {
		w.add(s.Name.Strings(), schema)
	}
}
