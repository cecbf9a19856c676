package tarn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/internal/seed"
)

// foldWriter writes rows into a table whose payload class adds them up.
func foldWriter(t *testing.T, s *Session, dir string, version int, kind, rows, columns string, options map[string]string) error {
	t.Helper()
	w := s.Write("SELECT * FROM VALUES "+rows+" AS t("+columns+")").Format("hudi").Mode("append").
		Option("hoodie.table.name", "t").Option("hoodie.datasource.write.recordkey.field", "id").
		Option("hoodie.datasource.write.table.type", kind).Option("hoodie.write.table.version", fmt.Sprint(version))
	for k, v := range options {
		w = w.Option(k, v)
	}
	_, err := w.Save(t.Context(), dir)
	return err
}

var sumOptions = map[string]string{"hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.AvroSummationPayload",
	"hoodie.summation.payload.input.fields": "col2", "hoodie.summation.payload.output.fields": "sum_col2"}

// TestHudiSummation writes what Hudi's summing payload was given, on tables of each version and type. The rows are those of Hudi on copy-on-write
// tables: on merge-on-read ones its reads fail.
func TestHudiSummation(t *testing.T) {
	var recorded struct {
		Columns string
		Answers map[string]map[string][]struct {
			In   []string `json:"rows_in"`
			Rows [][]any
		}
	}
	text, err := os.ReadFile(filepath.Join(shared(t), "corpus", "hudi", "oracle", "custom_payload.json"))
	if err == nil {
		err = json.Unmarshal(text, &recorded)
	}
	if err != nil {
		t.Fatal(err)
	}
	steps := recorded.Answers["0.15.0"]["COPY_ON_WRITE"]
	if len(steps) == 0 {
		t.Fatal("no answers")
	}
	s := utcDB(t).Session()
	for _, version := range []int{5, 6, 8, 9} {
		for _, kind := range []string{"COPY_ON_WRITE", "MERGE_ON_READ"} {
			dir := filepath.Join(t.TempDir(), "t")
			for i, step := range steps {
				if err := foldWriter(t, s, dir, version, kind, strings.Join(step.In, ","), recorded.Columns, sumOptions); err != nil {
					t.Fatalf("%d %s: %v", version, kind, err)
				}
				want := ""
				for _, row := range step.Rows {
					want += fmt.Sprintf("%v %v %v %v %v\n", row...)
				}
				if got := plainRows(s, "SELECT "+recorded.Columns+" FROM hudi.`"+dir+"` ORDER BY id"); got != want {
					t.Errorf("%d %s step %d: %q, want %q", version, kind, i+1, got, want)
				}
			}
		}
	}
}

// plainRows are the rows of a query, values separated by blanks, or an error.
func plainRows(s *Session, sql string) string {
	rows, err := s.Query(context.Background(), sql)
	if err != nil {
		return err.Error()
	}
	text, err := rowsText(rows)
	if err != nil {
		return err.Error()
	}
	_, text, _ = strings.Cut(text, "\n")
	return strings.NewReplacer(" | ", " ", `"`, "").Replace(text)
}

// foldRow is a row that is written: v is taken in, total and mean start a new key where they are not NULL.
type foldRow struct {
	id, v, total int
	ts           int
	name         string
	noV, noTotal bool
	gone         bool
}

// foldState is what a table has of a key.
type foldState struct {
	total, sum, n int // n rows with sum of the values that are taken in
	hasTotal      bool
	ts            int
	name          string
}

// foldModel is what the rows of a batch make of a table, row by row.
func foldModel(table map[int]foldState, batch []foldRow, ordered bool) {
	byKey := map[int][]foldRow{}
	for _, r := range batch {
		byKey[r.id] = append(byKey[r.id], r)
	}
	for id, rows := range byKey {
		if ordered {
			slices.SortStableFunc(rows, func(a, b foldRow) int { return cmp.Compare(a.ts, b.ts) })
		}
		for _, r := range rows {
			old, there := table[id]
			switch {
			case r.gone:
				delete(table, id)
				continue
			case !there:
				old = foldState{total: r.total, hasTotal: !r.noTotal, ts: r.ts, name: r.name}
				if r.noTotal {
					old.total, old.hasTotal = 0, !r.noV
				}
				if r.noTotal && !r.noV {
					old.total = r.v
				}
			default:
				if !r.noV {
					old.total, old.hasTotal = old.total+r.v, true
				}
				if !ordered || r.ts >= old.ts {
					old.ts, old.name = r.ts, r.name
				}
			}
			if !r.noV {
				old.sum, old.n = old.sum+r.v, old.n+1
			}
			table[id] = old
		}
	}
}

// TestHudiFoldings writes random batches into tables whose payload adds values up, and compares with a model that goes row by row: numbers of
// every type, several rows of a key, deletions among them, NULLs, late rows.
func TestHudiFoldings(t *testing.T) {
	s := utcDB(t).Session()
	for _, c := range []struct {
		version    int
		kind, mean string
		number     string
		ordered    bool
	}{
		{5, "COPY_ON_WRITE", "", "INT", true}, {5, "MERGE_ON_READ", "", "BIGINT", false},
		{6, "COPY_ON_WRITE", "", "DECIMAL(12,2)", false}, {6, "MERGE_ON_READ", "", "SMALLINT", true},
		{8, "COPY_ON_WRITE", "DOUBLE", "INT", false}, {8, "MERGE_ON_READ", "", "DOUBLE", false},
		{9, "COPY_ON_WRITE", "", "FLOAT", false}, {9, "MERGE_ON_READ", "DECIMAL(20,9)", "BIGINT", false}, {6, "MERGE_ON_READ", "FLOAT", "DECIMAL(12,2)", true},
	} {
		name := fmt.Sprintf("%d %s %s %s", c.version, c.kind, c.number, c.mean)
		t.Run(name, func(t *testing.T) {
			rnd := seed.Rand(t)
			dir := filepath.Join(t.TempDir(), "t")
			options := map[string]string{"hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.AvroSummationPayload",
				"hoodie.summation.payload.input.fields": "v", "hoodie.summation.payload.output.fields": "total", "hoodie.compact.inline.max.delta.commits": "3"}
			if c.mean != "" {
				options = map[string]string{"hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.AvroAveragePayload", "hoodie.average.payload.input.fields": "v",
					"hoodie.average.payload.output.fields.value": "mean", "hoodie.average.payload.output.fields.count": "n"}
			}
			if c.ordered {
				options["hoodie.datasource.write.precombine.field"] = "ts"
			}
			table := map[int]foldState{}
			for b := range 6 {
				var batch []foldRow
				for range 25 {
					r := foldRow{id: rnd.IntN(9), v: rnd.IntN(40) - 10, total: rnd.IntN(9), ts: 10*b + rnd.IntN(30), name: fmt.Sprint("n", rnd.IntN(99)), noV: rnd.IntN(9) == 0,
						noTotal: rnd.IntN(3) == 0, gone: rnd.IntN(9) == 0}
					batch = append(batch, r)
				}
				foldModel(table, batch, c.ordered)
				var rows []string
				for _, r := range batch {
					rows = append(rows, fmt.Sprintf("(%d, CAST(%s AS %s), CAST(%s AS %s), CAST(NULL AS %s), CAST(NULL AS INT), %dL, '%s', %v)", r.id, nullOr(r.noV, r.v), c.number, nullOr(r.noTotal, r.total), c.number,
						cmp.Or(c.mean, "DOUBLE"), r.ts, r.name, r.gone))
				}
				if err := foldWriter(t, s, dir, c.version, c.kind, strings.Join(rows, ", "), "id, v, total, mean, n, ts, name, _hoodie_is_deleted", options); err != nil {
					t.Fatal(err)
				}
				want := ""
				for _, id := range slices.Sorted(maps.Keys(table)) {
					st := table[id]
					value := nullOr(!st.hasTotal, st.total)
					if c.mean != "" {
						value = nullOr(st.n == 0, st.n)
						if st.n > 0 {
							value += fmt.Sprintf(" %.4f", float64(st.sum)/float64(st.n))
						}
					}
					want += fmt.Sprintf("%d %s %d %s\n", id, value, st.ts, st.name)
				}
				value := "CAST(CAST(total AS DOUBLE) AS INT)"
				if c.mean != "" {
					value = "CASE WHEN n > 0 THEN concat(n, ' ', CAST(CAST(mean AS DECIMAL(20,4)) AS STRING)) ELSE NULL END"
				}
				got := strings.ReplaceAll(plainRows(s, "SELECT id, "+value+", ts, name FROM hudi.`"+dir+"` ORDER BY id"), "null", "NULL")
				if got != want {
					t.Fatalf("batch %d:\n%s\ngot\n%swant\n%s", b, strings.Join(rows, "\n"), got, want)
				}
			}
		})
	}
}

func nullOr(null bool, n int) string {
	if null {
		return "NULL"
	}
	return fmt.Sprint(n)
}

// TestPayloadsPage runs the statements of docs/payloads.md: their last one gives the rows that stand below.
func TestPayloadsPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "payloads.md"))
	if err != nil {
		t.Fatal(err)
	}
	s, n := utcDB(t).Session(), 0
	for rest := string(text); ; n++ {
		_, after, ok := strings.Cut(rest, "```sql\n")
		if !ok {
			break
		}
		script, after, _ := strings.Cut(after, "```\n\n```text\n")
		want, after, _ := strings.Cut(after, "```\n")
		rest = after
		statements := strings.Split(strings.TrimSuffix(strings.TrimSpace(script), ";"), ";\n")
		for _, sql := range statements[:len(statements)-1] {
			runs(t, s, sql)
		}
		if got := plainRows(s, statements[len(statements)-1]); got != want {
			t.Errorf("%s\ngives\n%swant\n%s", script, got, want)
		}
	}
	if n < 2 {
		t.Fatalf("%d examples", n)
	}
}
