package tarn

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

// payloadRun is a run of oracle/payloads.json of the corpus: the rows of a table after each of some batches, as Hudi had them.
type payloadRun struct {
	Hudi, Type, Input string
	Config            map[string]string `json:"table_config"`
	Options           map[string]string
	Steps             []struct {
		Rows  [][]any
		Error any
	}
}

type payloadBatch struct {
	Operation string
	Rows      [][]any
}

// endsOtherwise reports whether a scenario of a run ends otherwise with tarn, on merge-on-read tables, where Hudi's rows depend on when a
// compaction comes. Scenario 13: a row that is older than the deletion of its key is there again, as on copy-on-write tables. Scenario 24: a key
// is deleted and written again, where Hudi shows the row that was deleted.
func (run *payloadRun) endsOtherwise(scenario string) bool {
	return run.Type == "MERGE_ON_READ" && (scenario == "13" && run.Hudi >= "1" || scenario == "24" && run.Input == "mysql" && run.Hudi < "1")
}

// otherRelease is a run of a release on tables of an older version. Those are written as the release of that version does.
const otherRelease = "1.1.1 table version 6: OverwriteWithLatestAvroPayload/mor"

// TestHudiPayloadWrites writes the batches of each payload class and merge mode that Hudi was given, and compares the rows after each.
func TestHudiPayloadWrites(t *testing.T) {
	var p struct {
		Inputs map[string]struct {
			Columns []string
			Batches []payloadBatch
		}
		Runs map[string]payloadRun
	}
	text, err := os.ReadFile(filepath.Join(shared(t), "corpus", "hudi", "oracle", "payloads.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(filepath.Join("testdata", "hudi", "payloads.json")); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &p); err != nil { // adds to the runs
		t.Fatal(err)
	}
	for name, run := range p.Runs {
		if run.Steps[1].Error != nil || name == otherRelease {
			continue
		}
		t.Run(name, func(t *testing.T) {
			in := p.Inputs[run.Input]
			m := storage.NewMem()
			db := Opened(t, Options{Warehouse: t.TempDir(), Bucket: func(context.Context, string) (storage.Bucket, error) { return m, nil }})
			s := db.Session()
			do := func(statements ...string) {
				for _, sql := range statements {
					if _, err := s.Exec(t.Context(), sql); err != nil {
						t.Fatalf("%s: %v", sql, err)
					}
				}
			}
			do(payloadTable(run, in.Columns), "SET hoodie.compact.inline=false")
			for i, b := range in.Batches[:min(len(run.Steps), len(in.Batches))] {
				do("SET hoodie.datasource.write.operation="+b.Operation, "INSERT INTO hudi.`/t` VALUES "+payloadValues(b.Rows, in.Columns))
				want := map[string]string{}
				for _, row := range run.Steps[i].Rows {
					want[fmt.Sprint(row[0])] = fmt.Sprint(row)
				}
				got := payloadRows(t, s, in.Columns)
				for id := range want {
					got[id] += ""
				}
				for id, row := range got {
					if row != want[id] && !run.endsOtherwise(id) {
						t.Errorf("batch %d, scenario %s: %q, Hudi has %q", i+1, id, row, want[id])
					}
				}
			}
		})
	}
}

// payloadTable makes the table of a run.
func payloadTable(run payloadRun, columns []string) string {
	version := hudiVersions[run.Hudi]
	if v := run.Options["hoodie.write.table.version"]; v != "" {
		version = v
	}
	kind := map[string]string{"COPY_ON_WRITE": "cow", "MERGE_ON_READ": "mor"}[run.Type]
	props := []string{"type='" + kind + "'", "primaryKey='id'", "'hoodie.write.table.version'='" + version + "'", "'hoodie.parquet.small.file.limit'='0'"}
	ordering := map[string]string{"ordered": "ord", "dms": "ord", "postgres": "_event_lsn", "mysql": "_event_seq"}[run.Input]
	if by, set := run.Options["hoodie.table.ordering.fields"]; set {
		ordering = by
	}
	if by := run.Config["hoodie.table.ordering.fields"]; by != "" {
		ordering = by
	}
	if ordering != "" {
		props = append(props, "preCombineField='"+ordering+"'")
	}
	for k, v := range run.Options {
		if strings.HasSuffix(k, "payload.class") || k == "hoodie.record.merge.mode" {
			props = append(props, "'"+k+"'='"+v+"'")
		}
	}
	return "CREATE TABLE t (" + strings.Join(columns, ", ") + ") USING hudi LOCATION '/t' TBLPROPERTIES (" + strings.Join(props, ", ") + ")"
}

// payloadValues is rows as SQL has them.
func payloadValues(rows [][]any, columns []string) string {
	var out []string
	for _, row := range rows {
		var values []string
		for i, v := range row {
			_, kind, _ := strings.Cut(columns[i], " ")
			switch v := v.(type) {
			case nil:
				values = append(values, "CAST(NULL AS "+kind+")")
			case string:
				values = append(values, "'"+v+"'")
			default:
				values = append(values, fmt.Sprintf("CAST(%v AS %s)", v, kind))
			}
		}
		out = append(out, "("+strings.Join(values, ", ")+")")
	}
	return strings.Join(out, ", ")
}

// payloadRows is the rows of the table by their ids; rows of one id twice are both there.
func payloadRows(t *testing.T, s *Session, columns []string) map[string]string {
	t.Helper()
	var names []string
	for _, c := range columns {
		name, _, _ := strings.Cut(c, " ")
		names = append(names, name)
	}
	rows, err := s.Query(t.Context(), "SELECT "+strings.Join(names, ", ")+" FROM hudi.`/t`")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		out[fmt.Sprint(row[0])] += fmt.Sprint(row)
	}
	return out
}
