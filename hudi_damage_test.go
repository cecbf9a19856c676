package tarn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi"
	"github.com/tarn-lake/tarn/storage"
)

// TestHudiDamagedMetadata damages the metadata table of tables in several ways. The table is whole, and must be read as before.
func TestHudiDamagedMetadata(t *testing.T) {
	corpus, db := filepath.Join(shared(t), "corpus", "hudi", "generated"), utcDB(t)
	for _, name := range []string{"v5_mor_part_multi", "v6_cow_services", "v8_mor_indexes", "v9_cow_services", "v9_mor_part_multi", "v9_mor_compaction"} {
		dir := hudiCorpus(t, filepath.Join(corpus, name+".zip"))
		want, err := hudiRows(db, dir, hudiModes[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range hudiDamages {
			t.Run(name+"/"+d.name, func(t *testing.T) {
				dir := hudiCorpus(t, filepath.Join(corpus, name+".zip"))
				files := metadataFiles(t, dir, d.suffixes)
				if len(files) == 0 {
					t.Skip("there is no such file")
				}
				d.do(t, files)
				got, err := hudiRows(db, dir, hudiModes[1])
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%d rows, want %d: %s", len(got), len(want), difference(got, want))
				}
			})
		}
	}
}

// TestHudiDamagedMetadataWrites damages files that a write to the metadata table begins with. The write drops that table, and goes on.
func TestHudiDamagedMetadataWrites(t *testing.T) {
	db := utcDB(t)
	const properties, indexes = ".hoodie/metadata/.hoodie/hoodie.properties", ".hoodie/.index_defs/index.json"
	half := func(b []byte) []byte { return b[:len(b)/2] }
	for _, c := range []struct {
		name, file string
		how        func([]byte) []byte
	}{
		{"empty properties", properties, func([]byte) []byte { return nil }},
		{"properties cut short", properties, half},
		{"properties of an unknown version", properties, func(b []byte) []byte {
			return []byte(strings.Replace(string(b), "hoodie.table.version=8", "hoodie.table.version=80", 1))
		}},
		{"index definitions cut short", indexes, half},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := hudiCorpus(t, filepath.Join(shared(t), "corpus", "hudi", "generated", "v8_mor_indexes.zip"))
			change(t, []string{filepath.Join(dir, c.file)}, c.how)
			rows, err := db.Session().Query(t.Context(), "UPDATE hudi.`"+dir+"` SET rider = 'new', ts = ts + 1")
			if err != nil {
				t.Fatal(err)
			}
			rows.Close()
			if got := plainRows(db.Session(), "SELECT id, rider FROM hudi.`"+dir+"` ORDER BY id"); got != "k1 new\nk3 new\n" {
				t.Errorf("the table holds %s", got)
			}
			if _, err := os.Stat(filepath.Join(dir, ".hoodie", "metadata")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the metadata table is still there: %v", err)
			}
			b, err := storage.OpenLocal(dir)
			if err != nil {
				t.Fatal(err)
			}
			if found, err := hudi.Check(t.Context(), b); err != nil || slices.ContainsFunc(found, func(f lake.Finding) bool { return f.Severity == lake.Damage }) {
				t.Errorf("%v, %v", found, err)
			}
			rows, err = db.Session().Query(t.Context(), "CALL create_metadata_table(path => '"+dir+"')")
			if err != nil {
				t.Fatal(err)
			}
			rows.Close()
		})
	}
}

// TestHudiDamagedInstants cuts off each file of the timeline of tables. What cannot be answered then fails, and the error names the file.
func TestHudiDamagedInstants(t *testing.T) {
	corpus, db := filepath.Join(shared(t), "corpus", "hudi", "generated"), utcDB(t)
	for _, name := range []string{"v6_cow_services", "v9_mor_compaction"} {
		dir := hudiCorpus(t, filepath.Join(corpus, name+".zip"))
		files, err := filepath.Glob(filepath.Join(dir, ".hoodie", map[bool]string{true: "timeline"}[strings.HasPrefix(name, "v9")], "2*commit"))
		if err != nil || len(files) == 0 {
			t.Fatal("no commits", err)
		}
		failed := 0
		for _, file := range files {
			whole, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			change(t, []string{file}, func(b []byte) []byte { return b[:len(b)/2] })
			_, err = db.Session().Query(t.Context(), "SELECT count(*) FROM hudi_table_changes('"+dir+"', 'latest_state', 'earliest')")
			change(t, []string{file}, func([]byte) []byte { return whole })
			var e *Error
			if !errors.As(err, &e) {
				continue
			}
			failed++
			if e.Class != "HUDI_FILE_DAMAGED" || e.Params["file"] != file || e.Hint == "" {
				t.Errorf("%s: %s\n%s", file, e, e.Hint)
			}
		}
		if failed == 0 {
			t.Errorf("%s: no query fails", name)
		}
	}
}

// hudiDamages are ways to damage files of a metadata table whose names end in certain ways.
var hudiDamages = []struct {
	name     string
	suffixes []string
	do       func(t *testing.T, files []string)
}{
	{"the last write is missing", []string{".deltacommit"}, func(t *testing.T, files []string) { remove(t, files[len(files)-1:]) }},
	{"no properties", []string{"hoodie.properties"}, remove},
	{"no logs", []string{".log.1_0-0-0", ".log."}, remove},
	{"no base files", []string{".hfile"}, remove},
	{"base files cut short", []string{".hfile"}, func(t *testing.T, files []string) { change(t, files, func(b []byte) []byte { return b[:len(b)/2] }) }},
	{"logs cut short", []string{".log."}, func(t *testing.T, files []string) { change(t, files, func(b []byte) []byte { return b[:len(b)/2] }) }},
	{"base files with other bytes", []string{".hfile"}, func(t *testing.T, files []string) { change(t, files, scramble) }},
	{"logs with other bytes", []string{".log."}, func(t *testing.T, files []string) { change(t, files, scramble) }},
	{"empty logs", []string{".log."}, func(t *testing.T, files []string) { change(t, files, func([]byte) []byte { return nil }) }},
	{"an empty log before the last one", []string{".files-0000-0_"}, func(t *testing.T, files []string) {
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".crc") })
		change(t, files[max(0, len(files)-3):max(1, len(files)-1)], func([]byte) []byte { return nil })
	}},
	{"empty base files", []string{".hfile"}, func(t *testing.T, files []string) { change(t, files, func([]byte) []byte { return nil }) }},
}

// scramble changes bytes here and there.
func scramble(b []byte) []byte {
	for i := 40; i < len(b); i += 97 {
		b[i] ^= 0x55
	}
	return b
}

// metadataFiles are files of the metadata table whose names contain one of parts, sorted by name.
func metadataFiles(t *testing.T, dir string, parts []string) (out []string) {
	t.Helper()
	root := filepath.Join(dir, ".hoodie", "metadata")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for _, p := range parts {
			if strings.Contains(d.Name(), p) {
				out = append(out, path)
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", root, err))
	}
	sort.Slice(out, func(i, j int) bool { return filepath.Base(out[i]) < filepath.Base(out[j]) })
	return out
}

func remove(t *testing.T, files []string) {
	t.Helper()
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
}

func change(t *testing.T, files []string, how func([]byte) []byte) {
	t.Helper()
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil {
			err = os.WriteFile(f, how(b), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestHudiWrongChecksum mends a table that no statement opens with the procedure that the error names.
func TestHudiWrongChecksum(t *testing.T) {
	db := utcDB(t)
	dir := hudiCorpus(t, filepath.Join(shared(t), "corpus", "hudi", "generated", "v9_mor_part_plain.zip"))
	want, err := hudiRows(db, dir, hudiModes[0])
	if err != nil {
		t.Fatal(err)
	}
	change(t, []string{filepath.Join(dir, ".hoodie", "hoodie.properties")}, func(b []byte) []byte {
		return []byte(strings.Replace(string(b), "checksum=", "checksum=9", 1))
	})
	_, err = hudiRows(db, dir, hudiModes[0])
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("the table is read: %v", err)
	}
	call := "CALL repair_overwrite_hoodie_props(path => '" + dir + "', new_props_file_path => '" + dir + "/.hoodie/hoodie.properties')"
	if !strings.Contains(e.Hint, call) {
		t.Errorf("the hint is %q", e.Hint)
	}
	refused(t, db, "CALL show_commits(path => '"+dir+"')", "checksum does not fit")
	rows, err := db.Session().Query(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	rows.Close()
	got, err := hudiRows(db, dir, hudiModes[0])
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %s", err, difference(got, want))
	}
}

// TestHudiMissingBaseFile names a base file that is gone, and where to look for others.
func TestHudiMissingBaseFile(t *testing.T) {
	dir := hudiCorpus(t, filepath.Join(shared(t), "corpus", "hudi", "generated", "v8_mor_indexes.zip"))
	files, err := filepath.Glob(filepath.Join(dir, "city=sf", "*.parquet"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	remove(t, files)
	_, err = hudiRows(utcDB(t), dir, hudiModes[1])
	var e *Error
	if !errors.As(err, &e) || e.Class != "FAILED_READ_FILE.FILE_NOT_EXIST" || e.Params["path"] != files[0] || !strings.Contains(e.Hint, "Hudi") {
		t.Errorf("%v", err)
	}
}
