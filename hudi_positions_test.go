package tarn_test

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// TestHudiRecordPositions changes rows of merge-on-read tables. Each block says which rows of the base file its records and deletions
// stand for; by positions and by keys the rows are the same.
func TestHudiRecordPositions(t *testing.T) {
	for _, version := range []string{"6", "8", "9"} {
		t.Run(version, func(t *testing.T) {
			d, m := newServiceDB(t), storage.NewMem()
			d.must(m, fmt.Sprintf("CREATE TABLE t (id INT, name STRING, ts BIGINT, part STRING) USING hudi LOCATION '/t' TBLPROPERTIES "+
				"(type='mor', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='%s')", version),
				"INSERT INTO hudi.`/t` SELECT CAST(id AS INT), 'n', 1L, 'p' FROM range(100)",
				"UPDATE hudi.`/t` SET name = 'updated', ts = 2 WHERE id % 7 = 0",
				"INSERT INTO hudi.`/t` SELECT CAST(id AS INT), 'again', 3L, 'p' FROM range(0, 100, 10)",
				"DELETE FROM hudi.`/t` WHERE id % 5 = 0 AND id > 40",
				"MERGE INTO hudi.`/t` t USING (SELECT explode(sequence(0, 99, 3)) AS id) s ON t.id = s.id "+
					"WHEN MATCHED AND t.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'merged', ts = 4")
			by := map[string][]string{}
			for _, use := range []string{"true", "false"} {
				d.must(m, "SET hoodie.merge.use.record.positions="+use)
				by[use] = d.rows(m)
			}
			if len(by["true"]) != 74 || !slices.Equal(by["true"], by["false"]) {
				t.Errorf("%d rows by positions, %d by keys", len(by["true"]), len(by["false"]))
			}
			placed, blocks := placedBlocks(t, m)
			if want := version != "6"; placed > 0 != want || want && placed < blocks-1 {
				t.Errorf("%d of %d blocks have positions", placed, blocks)
			}
			d.must(m, "SET hoodie.write.record.positions=false", "UPDATE hudi.`/t` SET name = 'last', ts = 5 WHERE id = 1")
			if now, all := placedBlocks(t, m); now != placed || all != blocks+1 {
				t.Errorf("%d of %d blocks have positions, where the last write was to make none", now, all)
			}
		})
	}
}

// placedBlocks counts the blocks of logs, and those with positions, whose keys must be those of the base file at these rows.
func placedBlocks(t *testing.T, m *storage.Mem) (placed, all int) {
	t.Helper()
	base := map[string][]string{} // keys, by file id and instant
	for e, err := range m.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		if path.Ext(e.Name) == ".parquet" && !strings.HasPrefix(e.Name, ".hoodie") {
			parts := strings.Split(strings.TrimSuffix(path.Base(e.Name), ".parquet"), "_")
			base[parts[0]+parts[2]] = storedKeys(t, m, e.Name)
		}
	}
	for e := range m.List(t.Context(), "", "") {
		name := path.Base(e.Name)
		if !strings.Contains(name, ".log.") || strings.HasPrefix(e.Name, ".hoodie") {
			continue
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(name, "."), "_")
		f, err := m.Open(t.Context(), e.Name)
		if err != nil {
			t.Fatal(err)
		}
		for r := logfile.NewReader(f, e.Size); ; all++ {
			b, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			instant := b.Header.Get(logfile.BaseInstantOfPositions)
			set, err := b.Positions(instant)
			if err != nil {
				t.Fatal(err)
			}
			if set == nil {
				continue
			}
			placed++
			var want []string
			for at := range set.All() {
				want = append(want, base[id+instant][at])
			}
			if got := blockKeys(t, b); !slices.Equal(got, want) {
				t.Errorf("%s: records of %v at the rows of %v", name, got, want)
			}
		}
	}
	return placed, all
}

func storedKeys(t *testing.T, m *storage.Mem, name string) (out []string) {
	f, err := m.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := parquet.Open(f, info.Size, parquet.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	columns, err := p.Arrow([]types.Field{{Name: "_hoodie_record_key", Type: types.String, Nullable: true}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range columns[0].Len() {
		out = append(out, columns[0].ValueStr(i))
	}
	return out
}

// blockKeys is the record keys of a block.
func blockKeys(t *testing.T, b *logfile.Block) (out []string) {
	if b.Type == logfile.DeleteKeys {
		deletions, err := b.Deletions()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range deletions {
			out = append(out, d.Key)
		}
		return out
	}
	schema, err := avro.Parse(b.Header.Get(logfile.Schema))
	if err != nil {
		t.Fatal(err)
	}
	d, err := avro.NewDecoder(schema, []types.Field{{Name: "_hoodie_record_key", Type: types.String, Nullable: true}})
	if err != nil {
		t.Fatal(err)
	}
	records, err := b.Records()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := d.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	keys := d.Batch().Column(0).(*array.String)
	for i := range keys.Len() {
		out = append(out, keys.Value(i))
	}
	return out
}
