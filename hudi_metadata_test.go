package tarn_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// TestHudiMetadataTable writes to Hudi tables and compares after each statement what their metadata tables tell with what is there.
func TestHudiMetadataTable(t *testing.T) {
	dir := os.Getenv("TARN_KEEP_TABLES") // to look at them with Hudi
	if dir == "" {
		dir = t.TempDir()
	}
	db := tarn.Opened(t, tarn.Options{Warehouse: dir, Memory: 512 << 20, Conf: map[string]string{"spark.sql.session.timeZone": "UTC"}})
	s := db.Session()
	for _, version := range []int{6, 8, 9} {
		for _, kind := range []string{"cow", "mor"} {
			for _, partitioned := range []string{"", "PARTITIONED BY (region)"} {
				name := fmt.Sprintf("m%d_%s_%d", version, kind, min(1, len(partitioned)))
				t.Run(name, func(t *testing.T) { metadataTable(t, s, filepath.Join(dir, name), name, version, kind, partitioned) })
			}
		}
	}
}

func metadataTable(t *testing.T, s *tarn.Session, dir, name string, version int, kind, partitioned string) {
	want := []string{"files"}
	if version >= 9 {
		want = []string{"column_stats", "files"}
		if partitioned != "" {
			want = append(want, "partition_stats")
		}
	}
	create := fmt.Sprintf(`CREATE TABLE %s (id INT, name STRING, price DOUBLE, amount DECIMAL(10,2), d DATE, at TIMESTAMP, tags ARRAY<STRING>, ts BIGINT, region STRING)
		USING hudi %s TBLPROPERTIES (type='%s', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='%d')`, name, partitioned, kind, version)
	run := func(q string) {
		t.Helper()
		if _, err := s.Exec(context.Background(), strings.ReplaceAll(q, "{t}", name)); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	run(create)
	if version == 6 {
		want = []string{"bloom_filters", "column_stats", "files"}
		for _, option := range []string{"hoodie.metadata.index.column.stats.enable", "hoodie.metadata.index.bloom.filter.enable"} {
			run("SET " + option + "=true")
			defer run("RESET " + option)
		}
	}
	if partitioned != "" {
		run("SET hoodie.metadata.record.index.enable=true")
		defer run("RESET hoodie.metadata.record.index.enable")
		want = append(want, "record_index")
	}
	for _, q := range append([]string{
		`INSERT INTO {t} VALUES (1, 'one', 1.5, 1.25, DATE '2024-01-01', TIMESTAMP '2024-01-01 10:00:00.123456', array('a', 'b'), 10, 'eu'),
			(2, 'two', double('NaN'), -2.25, DATE '2024-01-02', TIMESTAMP '2024-01-02 10:00:00', array(), 10, 'eu'),
			(3, 'drei ÄÖ', NULL, NULL, NULL, NULL, NULL, 10, 'us'), (4, '', 4.5, 99999999.99, DATE '1999-12-31', TIMESTAMP '1999-12-31 23:59:59.999999', array('x'), 10, 'us')`,
		`UPDATE {t} SET price = price + 1, ts = 20, name = 'zzz' WHERE id = 1`,
		`DELETE FROM {t} WHERE id = 4`,
		`INSERT INTO {t} VALUES (9, 'nine', 9.5, 9.25, DATE '2025-01-01', TIMESTAMP '2025-01-01 10:00:00', NULL, 10, 'asia')`,
		`INSERT INTO {t} VALUES (2, 'two again', 2.75, 0.01, DATE '2024-02-02', TIMESTAMP '2024-02-02 00:00:00', array('n'), 30, 'eu'), (5, 'five', 5.5, 5.00, NULL, NULL, array('e'), 20, 'us')`,
	}, many(8)...) {
		run(q)
		if list := texts(t, s, "CALL validate_metadata_table_files(table => '"+name+"')"); len(list) > 0 {
			t.Errorf("%s: the metadata table differs from the folder: %q", q, list)
		}
		if slices.Contains(want, metadata.RecordIndexPartition) {
			checkKeys(t, s, dir, name)
		}
	}
	checkPruning(t, s, name)
	if partitioned != "" {
		run("SET hoodie.index.type=RECORD_INDEX")
		defer run("RESET hoodie.index.type")
		run("INSERT INTO {t} VALUES (5, 'found', 6.5, 6.00, NULL, NULL, NULL, 900, 'us'), (7, 'new', 7.5, 7.00, NULL, NULL, NULL, 900, 'asia')")
		checkKeys(t, s, dir, name)
		if got := texts(t, s, "SELECT name FROM "+name+" WHERE id IN (5, 7) ORDER BY id"); !slices.Equal(got, []string{"[found]", "[new]"}) {
			t.Errorf("rows found by the record index: %q", got)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, ".hoodie", "hoodie.properties"))
	if err != nil || !strings.Contains(string(text), "hoodie.table.metadata.partitions="+strings.Join(want, ",")+"\n") {
		t.Errorf("properties %s: %v", text, err)
	}
}

// many are updates, more than what is merged at once.
func many(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("UPDATE {t} SET price = %d.5, ts = %d WHERE id = %d", i, 100+i, 1+i%3))
	}
	return out
}

// checkPruning compares answers with and without the metadata table.
func checkPruning(t *testing.T, s *tarn.Session, name string) {
	t.Helper()
	for _, where := range []string{"", " WHERE id > 2", " WHERE name < 'o'", " WHERE price > 3", " WHERE amount > 5", " WHERE d < DATE '2024-01-02'",
		" WHERE at >= TIMESTAMP '2024-01-01 10:00:00.123456'", " WHERE region = 'eu'", " WHERE price IS NULL", " WHERE ts = 10"} {
		q := "SELECT id, name, price, ts FROM " + name + where + " ORDER BY id"
		with := texts(t, s, q)
		if _, err := s.Exec(context.Background(), "SET hoodie.metadata.enable=false"); err != nil {
			t.Fatal(err)
		}
		without := texts(t, s, q)
		if _, err := s.Exec(context.Background(), "RESET hoodie.metadata.enable"); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(with, without) {
			t.Errorf("%s: with metadata table %q, without %q", q, with, without)
		}
	}
}

// checkKeys compares the places of keys in the record index with where the rows are.
func checkKeys(t *testing.T, s *tarn.Session, dir, name string) {
	t.Helper()
	ctx := context.Background()
	b, err := storage.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	line, err := timeline.Load(ctx, b, timeline.DefaultConfig(c.Version))
	if err != nil {
		t.Fatal(err)
	}
	m, err := metadata.Open(ctx, b, c, line)
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"1", "2", "3", "4", "5", "7", "9"}
	found, err := m.Locate(ctx, keys)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range keys {
		if l, ok := found[k]; ok {
			got = append(got, fmt.Sprint([]string{k, l.Partition, l.FileID}))
		}
	}
	want := texts(t, s, "SELECT _hoodie_record_key, _hoodie_partition_path, split(_hoodie_file_name, '_')[0] FROM "+name+" ORDER BY 1")
	if !slices.Equal(got, want) {
		t.Errorf("the record index has %q, the rows are in %q", got, want)
	}
}

func texts(t *testing.T, s *tarn.Session, q string) (out []string) {
	t.Helper()
	rows, err := s.Query(context.Background(), q)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		out = append(out, fmt.Sprint(row))
	}
	return out
}
