package tarn_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/storage"
)

// changeSchemas are the schemas of change records that Hudi 0.15.0 wrote for a table t (id INT, name STRING).
var changeSchemas = map[string]string{
	"op_key_only": `{"type":"record","name":"Record","fields":[{"name":"op","type":["string","null"]},{"name":"record_key","type":["string","null"]}]}`,
	"data_before": `{"type":"record","name":"CDC","namespace":"hoodie.t","fields":[{"name":"op","type":["null","string"],"doc":"","default":null},` +
		`{"name":"record_key","type":["null","string"],"doc":"","default":null},{"name":"before","type":["null",{"type":"record","name":"t_record","fields":[` +
		`{"name":"id","type":["null","int"],"default":null},{"name":"name","type":["null","string"],"default":null}]}],"doc":"","default":null}]}`,
	"data_before_after": `{"type":"record","name":"CDC","namespace":"hoodie.t","fields":[{"name":"op","type":["null","string"],"doc":"","default":null},` +
		`{"name":"ts_ms","type":["null","string"],"doc":"","default":null},{"name":"before","type":["null",{"type":"record","name":"t_record","fields":[` +
		`{"name":"id","type":["null","int"],"default":null},{"name":"name","type":["null","string"],"default":null}]}],"doc":"","default":null},` +
		`{"name":"after","type":["null","t_record"],"doc":"","default":null}]}`,
}

// changeBytes are the records that Hudi writes for the change of (1, a) to (1, b), with the instant in the place of @.
var changeBytes = map[string]string{
	"op_key_only":       "\x00\x02u\x00\x021",
	"data_before":       "\x02\x02u\x02\x021\x02\x02\x02\x02\x02a",
	"data_before_after": "\x02\x02u\x02\x22@\x02\x02\x02\x02\x02a\x02\x02\x02\x02\x02b",
}

// TestHudiChangeRecords compares change records with those of Hudi, and follows their files through rollback and clean.
func TestHudiChangeRecords(t *testing.T) {
	for _, version := range []string{"6", "8", "9"} {
		for mode, schema := range changeSchemas {
			t.Run(mode+version, func(t *testing.T) {
				d, b := newServiceDB(t), storage.NewMem()
				d.must(b, "CREATE TABLE t (id INT, name STRING) USING hudi LOCATION '/t' TBLPROPERTIES (type='cow', primaryKey='id', 'hoodie.write.table.version'='"+version+
					"', 'hoodie.table.cdc.enabled'='true', 'hoodie.table.cdc.supplemental.logging.mode'='"+mode+"')",
					"INSERT INTO hudi.`/t` VALUES (1, 'a')")
				if files := changeFiles(t, b); len(files) != 0 {
					t.Fatalf("a new file group has change records: %q", files)
				}
				d.must(b, "UPDATE hudi.`/t` SET name = 'b' WHERE id = 1")
				files := changeFiles(t, b)
				if len(files) != 1 {
					t.Fatalf("files of change records: %q", files)
				}
				text, record := changeRecord(t, b, files[0])
				if text = strings.ReplaceAll(text, `"name":"t_record","namespace":"hoodie.t"`, `"name":"t_record"`); text != schema {
					t.Errorf("schema %s\nwant %s", text, schema)
				}
				if want := strings.ReplaceAll(changeBytes[mode], "@", d.instants(b)[0]); record != want {
					t.Errorf("record %q, want %q", record, want)
				}
				d.healthy(t, b)
				d.must(b, "DELETE FROM hudi.`/t` WHERE id = 1")
				if n := len(changeFiles(t, b)); n != 2 {
					t.Errorf("%d files of change records", n)
				}
				d.must(b, fmt.Sprintf("CALL rollback_to_instant(path => '/t', instant_time => '%s')", d.instants(b)[0]))
				if left := changeFiles(t, b); !slices.Equal(left, files) {
					t.Errorf("behind a rollback there are %q", left)
				}
				d.must(b, "UPDATE hudi.`/t` SET name = 'c' WHERE id = 1", "UPDATE hudi.`/t` SET name = 'd' WHERE id = 1", "CALL run_clean(path => '/t', retain_commits => 1)")
				if left := changeFiles(t, b); slices.Contains(left, files[0]) || len(left) == 0 {
					t.Errorf("behind a clean there are %q", left)
				}
				d.healthy(t, b)
			})
		}
	}
}

// TestHudiChangeRecordsRefused creates tables that cannot record changes.
func TestHudiChangeRecordsRefused(t *testing.T) {
	d, b := newServiceDB(t), storage.NewMem()
	for properties, failure := range map[string]string{
		"'hoodie.table.cdc.supplemental.logging.mode'='all'": "OP_KEY_ONLY, DATA_BEFORE or DATA_BEFORE_AFTER is expected",
		"'hoodie.write.table.version'='5'":                   "from version 6 on",
	} {
		d.wants(b, "CREATE TABLE t (id INT) USING hudi LOCATION '/t' TBLPROPERTIES (primaryKey='id', 'hoodie.table.cdc.enabled'='true', "+properties+")", failure)
	}
}

// changeFiles are the files of change records in b.
func changeFiles(t *testing.T, b storage.Bucket) (out []string) {
	t.Helper()
	for info, err := range b.List(context.Background(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(info.Name, ".cdc") {
			out = append(out, info.Name)
		}
	}
	return out
}

// changeRecord is the one record of a file, and its schema.
func changeRecord(t *testing.T, b storage.Bucket, name string) (schema, record string) {
	t.Helper()
	f, err := b.Open(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r := logfile.NewReader(f, info.Size)
	block, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	records, err := block.Records()
	if err != nil || block.Type != logfile.CDCData || len(records) != 1 {
		t.Fatalf("a block of type %v with %d records: %v", block.Type, len(records), err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("more than one block: %v", err)
	}
	return block.Header.Get(logfile.Schema), string(records[0])
}
