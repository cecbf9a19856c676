package tarn_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarn-lake/tarn"
)

// TestHudiFooterIndexes upserts keys into tables some of whose base files cannot be read: only those that can have the keys are.
func TestHudiFooterIndexes(t *testing.T) {
	dir := t.TempDir()
	db := tarn.Opened(t, tarn.Options{Warehouse: dir, Memory: 512 << 20})
	for _, index := range []string{"SIMPLE", "BLOOM", "GLOBAL_BLOOM"} {
		for _, version := range []string{"6", "9"} {
			for _, kind := range []string{"cow", "mor"} {
				name := strings.ToLower(fmt.Sprintf("%s_%s_%s", index, kind, version))
				t.Run(name, func(t *testing.T) { footerIndex(t, db.Session(), filepath.Join(dir, name), name, index, version, kind) })
			}
		}
	}
}

func footerIndex(t *testing.T, s *tarn.Session, path, name, index, version, kind string) {
	must := func(q string) {
		t.Helper()
		if _, err := s.Exec(context.Background(), strings.ReplaceAll(q, "{t}", name)); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	must("CREATE TABLE {t} (id STRING, n INT, ts INT) USING hudi TBLPROPERTIES (type='" + kind + "', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='" + version +
		"', 'hoodie.index.type'='" + index + "', 'hoodie.parquet.small.file.limit'='0', 'hoodie.compact.inline'='false')")
	must("INSERT INTO {t} VALUES ('a1', 1, 1), ('m5', 1, 1), ('z9', 1, 1) UNION ALL SELECT concat('p', 2 * id), 1, 1 FROM range(40)")
	must("INSERT INTO {t} VALUES ('b1', 1, 1), ('m6', 1, 1), ('y9', 1, 1) UNION ALL SELECT concat('p', 2 * id + 1), 1, 1 FROM range(40)")
	must("INSERT INTO {t} VALUES ('m6', 2, 2)") // to a log of merge-on-read tables
	file := texts(t, s, "SELECT concat(_hoodie_file_name, '') FROM "+name+" WHERE id = 'b1'")[0]
	repair := damagePages(t, filepath.Join(path, strings.Trim(file, "[]")))
	fails := func(values string, want bool) {
		t.Helper()
		_, err := s.Exec(context.Background(), "INSERT INTO "+name+" VALUES "+values)
		if (err != nil) != want {
			t.Errorf("%s: %v", values, err)
		}
	}
	fails("('a1', 3, 3), ('a0', 3, 3)", false) // below all keys of the damaged file
	fails("('m6', 3, 3)", true)
	fails("('m5', 3, 3), ('n0', 3, 3)", index == "SIMPLE") // its range could have them, its filter cannot
	repair()
	must("INSERT INTO {t} VALUES ('m5', 4, 4), ('m6', 4, 4), ('n0', 4, 4), ('c0', 4, 4)")
	want := []string{"[a0 3]", "[a1 3]", "[b1 1]", "[c0 4]", "[m5 4]", "[m6 4]", "[n0 4]", "[y9 1]", "[z9 1]"}
	if got := texts(t, s, "SELECT id, n FROM "+name+" WHERE id NOT LIKE 'p%' ORDER BY id"); !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

// damagePages makes the pages of a Parquet file unreadable, and leaves its footer.
func damagePages(t *testing.T, file string) (repair func()) {
	t.Helper()
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	footer := len(whole) - 8 - int(binary.LittleEndian.Uint32(whole[len(whole)-8:]))
	damaged := slices.Clone(whole)
	for i := 4; i < footer; i++ {
		damaged[i] = 0xFF
	}
	at := time.Now()
	write := func(content []byte) {
		at = at.Add(time.Hour) // the engine knows by it that files have changed
		if err := errors.Join(os.WriteFile(file, content, 0o644), os.Chtimes(file, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	write(damaged)
	return func() { write(whole) }
}
