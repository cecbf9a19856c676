package script

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/internal/conform"
	"github.com/tarn-lake/tarn/types"
)

// Run runs one file in a fresh warehouse.
func Run(t *testing.T, path string) {
	dir := t.TempDir()
	db, err := tarn.Open(context.Background(), tarn.Options{Warehouse: dir,
		Conf: map[string]string{"spark.sql.session.timeZone": "UTC"}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r := &runner{dir: dir, s: db.Session()}
	datadriven.RunTest(t, path, r.command)
}

type runner struct {
	dir string
	s   *tarn.Session
}

func (r *runner) command(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "exec":
		return r.exec(d.Input)
	case "query":
		return r.query(d.Input)
	case "fail":
		return r.fail(d.Input)
	case "log":
		var table string
		var version int
		d.ScanArgs(t, "table", &table)
		d.ScanArgs(t, "version", &version)
		return r.log(table, version)
	}
	t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	return ""
}

// text is s without the folder of the warehouse and the instants of Hudi tables.
func (r *runner) text(s string) string {
	lines := strings.Split(s, "\n")
	for i := 1; i < len(lines); i++ { // marks below a statement are as long as it is shown
		more := strings.Count(lines[i-1], r.dir) * (len(r.dir) - len("{warehouse}"))
		if n := len(lines[i]); more > 0 && n > more && strings.Trim(lines[i], " ^") == "" {
			lines[i] = lines[i][:n-more]
		}
	}
	return instant.ReplaceAllString(strings.ReplaceAll(strings.Join(lines, "\n"), r.dir, "{warehouse}"), "{instant}")
}

var instant = regexp.MustCompile(`\b20\d{15}\b`)

func (r *runner) exec(script string) string {
	var out strings.Builder
	for st, err := range r.s.Run(context.Background(), strings.ReplaceAll(script, "{warehouse}", r.dir)) {
		if err != nil {
			return out.String() + r.text(err.Error()) + "\n"
		}
		rows, err := r.rows(st.Rows)
		if err != nil {
			return out.String() + r.text(err.Error()) + "\n"
		}
		if receipt := st.Rows.Receipt(); receipt != nil {
			parts := strings.Split(receipt.String(), " · ")
			parts = slices.DeleteFunc(parts, func(p string) bool { return strings.HasSuffix(p, " s") || strings.HasSuffix(p, " ms") })
			out.WriteString(r.text(receipt.Operation+": "+strings.Join(parts, " · ")) + "\n")
			for _, w := range receipt.Warnings {
				out.WriteString(r.text("warning: "+w) + "\n")
			}
		}
		out.WriteString(rows)
	}
	return out.String()
}

// rows are the rows of a result, a line each.
func (r *runner) rows(rows *tarn.Rows) (string, error) {
	text := conform.NewText(time.UTC)
	var ts []types.Type
	for _, c := range rows.Columns() {
		ts = append(ts, c.Type)
	}
	var out strings.Builder
	for row, err := range rows.All() {
		if err != nil {
			return "", err
		}
		out.WriteString(r.text(text.Line(row, ts)) + "\n")
	}
	return out.String(), nil
}

func (r *runner) query(sql string) string {
	rows, err := r.s.Query(context.Background(), strings.ReplaceAll(sql, "{warehouse}", r.dir))
	if err != nil {
		return r.text(err.Error()) + "\n"
	}
	var cols []string
	for _, c := range rows.Columns() {
		cols = append(cols, c.Name+" "+c.Type.String())
	}
	body, err := r.rows(rows)
	if err != nil {
		return r.text(err.Error()) + "\n"
	}
	return strings.Join(cols, ", ") + "\n" + body
}

func (r *runner) fail(sql string) string {
	_, err := r.s.Exec(context.Background(), strings.ReplaceAll(sql, "{warehouse}", r.dir))
	var e *tarn.Error
	switch {
	case err == nil:
		return "no error\n"
	case errors.As(err, &e):
		return r.text(e.Detail()) + "\n"
	}
	return r.text(err.Error()) + "\n"
}

// log draws one commit of a table of the default schema.
func (r *runner) log(table string, version int) string {
	f, err := os.Open(filepath.Join(r.dir, table, "_delta_log", fmt.Sprintf("%020d.json", version)))
	if err != nil {
		return r.text(err.Error()) + "\n"
	}
	defer f.Close()
	counts := map[string]int{}
	var info struct {
		Operation           string         `json:"operation"`
		OperationParameters map[string]any `json:"operationParameters"`
		IsBlindAppend       bool           `json:"isBlindAppend"`
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var action map[string]json.RawMessage
		if err := json.Unmarshal(sc.Bytes(), &action); err != nil {
			return err.Error() + "\n"
		}
		for k, v := range action {
			counts[k]++
			if k == "commitInfo" {
				json.Unmarshal(v, &info)
			}
		}
	}
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", k, counts[k]))
	}
	params, _ := json.Marshal(info.OperationParameters)
	return fmt.Sprintf("%s\n%s %s blind=%t\n", strings.Join(kinds, ", "), info.Operation, params, info.IsBlindAppend)
}
