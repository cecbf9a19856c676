package tarn

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/engine/duckdb"
)

// movesRun is a run of testdata/hudi/moves.json: batches that Hudi's datasource wrote with an index, and the rows that Hudi read after
// each. Many rows have another partition than the stored row with their key.
type movesRun struct {
	Release, Index, Flag, Value, Type string
	Batches                           []struct {
		Operation string
		Rows      [][]any // id, name, ts, region, and whether the row is a deletion
		After     [][]any // id, name, ts, region, _hoodie_partition_path
	}
}

// TestHudiMovedRows writes what Hudi wrote, on tables of the version that each release makes, with the metadata table and its record index.
func TestHudiMovedRows(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "hudi", "moves.json"))
	if err != nil {
		t.Fatal(err)
	}
	var runs []movesRun
	if err := json.Unmarshal(text, &runs); err != nil {
		t.Fatal(err)
	}
	e, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, r := range runs {
		name := strings.Join([]string{r.Release, r.Index, r.Value, r.Type}, "/")
		t.Run(name, func(t *testing.T) {
			db := Opened(t, Options{Warehouse: t.TempDir(), Engine: e})
			r.write(t, db.Session(), filepath.Join(t.TempDir(), "t"))
		})
	}
}

func (r *movesRun) write(t *testing.T, s *Session, path string) {
	for i, b := range r.Batches {
		var rows []string
		for _, row := range b.Rows {
			deleted := len(row) == 5
			rows = append(rows, fmt.Sprintf("(%v, '%v', CAST(%v AS BIGINT), '%v', %t)", row[0], row[1], row[2], row[3], deleted))
		}
		w := s.Write("SELECT * FROM VALUES " + strings.Join(rows, ", ") + " AS v(id, name, ts, region, _hoodie_is_deleted)").Format("hudi").Mode(Append)
		for k, v := range r.options() {
			w = w.Option(k, v)
		}
		if _, err := w.Option("hoodie.datasource.write.operation", b.Operation).Save(t.Context(), path); err != nil {
			t.Fatalf("batch %d: %v", i, err)
		}
		if i == 0 {
			continue
		}
		got, err := sortedRows(s, []string{"id", "name", "ts", "region", "_hoodie_partition_path"}, path)
		if err != nil {
			t.Fatal(err)
		}
		if want := sortedJSON(r.expected(i)); !slices.Equal(got, want) {
			t.Errorf("batch %d gives\n%s\nand with Hudi\n%s", i, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// expected is the rows after a batch: those of Hudi, but for two points of 0.15.0. There a row that stays in its partition keeps the partition
// column of the incoming one, by which it is not found any more; and on merge-on-read tables OverwriteWithLatest has a stale deletion
// lose against rows of logs, not against those of base files.
func (r *movesRun) expected(batch int) (out [][]any) {
	const id, region, path = 0, 3, 4
	for _, row := range r.Batches[batch].After {
		row = slices.Clone(row)
		if r.Release == "0.15.0" && r.Value == "false" {
			row[region] = row[path]
		}
		if r.Release == "0.15.0" && r.Type == "MERGE_ON_READ" && batch >= 2 && row[id] == 2.0 {
			continue
		}
		out = append(out, row)
	}
	return out
}

func (r *movesRun) options() map[string]string {
	out := map[string]string{"hoodie.table.name": "t", "hoodie.datasource.write.recordkey.field": "id", "hoodie.datasource.write.precombine.field": "ts",
		"hoodie.datasource.write.partitionpath.field": "region", "hoodie.datasource.write.table.type": r.Type, "hoodie.compact.inline": "false",
		"hoodie.parquet.small.file.limit": "0", "hoodie.index.type": r.Index,
		"hoodie.write.table.version": map[string]string{"0.15.0": "6", "1.0.2": "8", "1.1.1": "9"}[r.Release]}
	if r.Flag != "" {
		out[r.Flag] = r.Value
	}
	if r.Index == "RECORD_INDEX" {
		out["hoodie.metadata.record.index.enable"] = "true"
	}
	return out
}
