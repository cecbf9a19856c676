package tarn

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestHudiCreatedMetadata makes the metadata tables of Hudi's tables anew, with all usual indexes: the files they name are those of the
// folders, and rows found by them are those found by listing.
func TestHudiCreatedMetadata(t *testing.T) {
	zips, err := filepath.Glob(filepath.Join(shared(t), "corpus", "hudi", "generated", "*.zip"))
	if err != nil || len(zips) == 0 {
		t.Fatal("no tables: ", err)
	}
	db, made := utcDB(t), 0
	for _, zipped := range zips {
		name := strings.TrimSuffix(filepath.Base(zipped), ".zip")
		t.Run(name, func(t *testing.T) {
			dir, s := hudiCorpus(t, zipped), db.Session()
			want, err := hudiRows(db, dir, hudiModes[0])
			if err != nil {
				t.Skip("the table cannot be read: ", err)
			}
			call := func(sql string) error {
				_, err := s.Exec(context.Background(), strings.ReplaceAll(sql, "{t}", dir))
				return err
			}
			if err := call("CALL delete_metadata_table(path => '{t}')"); err != nil {
				t.Skip(err)
			}
			if err := call("CALL create_metadata_table(path => '{t}')"); err != nil {
				if strings.Contains(err.Error(), "is pending") {
					t.Skip(err)
				}
				t.Fatal(err)
			}
			made++
			if out := statementText(s, "CALL validate_metadata_table_files(path => '{t}')", dir); strings.Count(out, "\n") > 1 {
				t.Errorf("the metadata table differs from the folder: %s", out)
			}
			got, err := hudiRows(db, dir, hudiModes[1])
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d rows, want %d: %s", len(got), len(want), difference(got, want))
			}
		})
	}
	if made < 50 {
		t.Errorf("%d metadata tables were made", made)
	}
}
