package tarn_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi"
	"github.com/tarn-lake/tarn/storage"
)

// ask is what a statement about the table in b answers.
func (d *serviceDB) ask(b storage.Bucket, sql string) string {
	d.current = b
	return strings.TrimSpace(say(d.s, sql))
}

// healthy fails when the check of the table finds damage.
func (d *serviceDB) healthy(t *testing.T, b storage.Bucket) {
	t.Helper()
	findings, err := hudi.Check(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Severity == lake.Damage {
			t.Error(f)
		}
	}
	if differ := d.ask(b, "CALL validate_metadata_table_files(path => '/t')"); differ != "" && !strings.Contains(differ, "has no metadata table") {
		t.Errorf("the metadata table differs: %s", differ)
	}
}

// eachTable runs f with a table of four commits, of each version and type.
func eachTable(t *testing.T, f func(t *testing.T, d *serviceDB, b *storage.Mem)) {
	for _, version := range []string{"5", "6", "8", "9"} {
		for _, kind := range []string{"cow", "mor"} {
			t.Run(kind+version, func(t *testing.T) {
				d := newServiceDB(t)
				f(t, d, d.table(kind, version))
			})
		}
	}
}

// instants are the times of the commits, newest first.
func (d *serviceDB) instants(b storage.Bucket) []string {
	var out []string
	for _, row := range strings.Split(d.ask(b, "CALL show_commits(path => '/t', limit => 1000)"), "\n") {
		out = append(out, strings.Trim(strings.Fields(row)[0], "[]"))
	}
	return out
}

// TestHudiRollbackToInstant undoes the last commit, and no other.
func TestHudiRollbackToInstant(t *testing.T) {
	eachTable(t, func(t *testing.T, d *serviceDB, b *storage.Mem) {
		times := d.instants(b)
		if err := d.do(b, "CALL rollback_to_instant(path => '/t', instant_time => '"+times[1]+"')"); err == nil {
			t.Error("a commit that is not the last one was undone")
		}
		d.must(b, "CALL rollback_to_instant(path => '/t', instant_time => '"+times[0]+"')")
		if got, want := strings.Join(d.rows(b), ""), "[1 e eu][2 e us][3 c eu]"; got != want {
			t.Errorf("the table holds %s, not %s", got, want)
		}
		d.healthy(t, b)
		d.must(b, "UPDATE hudi.`/t` SET name = 'g', ts = 5 WHERE id = 3")
		if got, want := strings.Join(d.rows(b), ""), "[1 e eu][2 e us][3 g eu]"; got != want {
			t.Errorf("after a write the table holds %s, not %s", got, want)
		}
		d.healthy(t, b)
	})
}

// TestHudiClean cleans by commits, by hours and by file versions, and reads states of the past that are kept.
func TestHudiClean(t *testing.T) {
	for _, how := range []struct {
		args    string
		deletes bool // of copy-on-write tables
	}{
		{"retain_commits => 1", true},
		{"clean_policy => 'KEEP_LATEST_BY_HOURS', hours_retained => 1", false},
		{"clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1", true},
	} {
		t.Run(how.args, func(t *testing.T) {
			eachTable(t, func(t *testing.T, d *serviceDB, b *storage.Mem) {
				d.must(b, "CALL delete_savepoint(path => '/t')")
				before := d.rows(b)
				times := d.instants(b)
				got := d.ask(b, "CALL run_clean(path => '/t', "+how.args+")")
				if cow := strings.Contains(t.Name(), "/cow"); (got != "") != (cow && how.deletes) {
					t.Errorf("the clean answered %q", got)
				}
				if after := d.rows(b); strings.Join(before, "") != strings.Join(after, "") {
					t.Errorf("the table holds %s, not %s", after, before)
				}
				if at := d.ask(b, "SELECT count(*) FROM hudi.`/t` TIMESTAMP AS OF '"+times[0]+"'"); at != "[3]" {
					t.Errorf("as of the last commit there are %s rows", at)
				}
				d.healthy(t, b)
				d.must(b, "UPDATE hudi.`/t` SET name = 'g', ts = 5 WHERE id = 3")
				d.healthy(t, b)
			})
		})
	}
}

// TestHudiRepairs takes away what the repairs give back.
func TestHudiRepairs(t *testing.T) {
	ctx := context.Background()
	d := newServiceDB(t)
	b := d.table("cow", "6")
	if err := b.Remove(ctx, "part=eu/.hoodie_partition_metadata"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ args, want string }{
		{"", "[part=eu No None]\n[part=us Yes None]"},
		{", dry_run => false", "[part=eu No Repaired]\n[part=us Yes None]"},
		{"", "[part=eu Yes None]\n[part=us Yes None]"},
	} {
		if got := d.ask(b, "CALL repair_add_partition_meta(path => '/t'"+step.args+")"); got != step.want {
			t.Errorf("repair_add_partition_meta%s gave %s, not %s", step.args, got, step.want)
		}
	}
	props := filepath.Join(t.TempDir(), "new.properties")
	if err := os.WriteFile(props, []byte("hoodie.keep.max.commits=77\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := d.ask(b, "CALL repair_overwrite_hoodie_props(path => '/t', new_props_file_path => '"+props+"')"); !strings.Contains(got, "[hoodie.keep.max.commits  77]") {
		t.Errorf("repair_overwrite_hoodie_props gave %s", got)
	}
	for _, pending := range []string{"20300101000000000.clean.requested", "20300101000000000.clean.inflight"} {
		if err := storage.WriteFile(ctx, b, ".hoodie/"+pending, storage.Exclusive, nil); err != nil {
			t.Fatal(err)
		}
	}
	d.must(b, "CALL repair_corrupted_clean_files(path => '/t')")
	if _, err := storage.ReadFile(ctx, b, ".hoodie/20300101000000000.clean.requested", 1); err == nil {
		t.Error("a clean without a plan is still there")
	}
	d.healthy(t, b)
}

// TestHudiExportInstants writes the instants of tables of both layouts to a folder.
func TestHudiExportInstants(t *testing.T) {
	for _, version := range []string{"6", "9"} {
		d := newServiceDB(t)
		b := d.table("cow", version)
		dir := t.TempDir()
		if got := d.ask(b, "CALL export_instants(path => '/t', local_folder => '"+dir+"', limit => 2, actions => 'commit', desc => true)"); !strings.Contains(got, "Exported 2 Instants") {
			t.Errorf("export_instants gave %s", got)
		}
		for _, at := range d.instants(b)[:2] {
			text, err := os.ReadFile(filepath.Join(dir, at+".commit"))
			if err != nil || !strings.Contains(string(text), "partitionToWriteStats") {
				t.Errorf("%s: %v: %.60s", at, err, text)
			}
		}
	}
}

// TestHudiDeleteMarker removes the markers of an instant that is done, not those of one that is pending.
func TestHudiDeleteMarker(t *testing.T) {
	ctx := context.Background()
	d := newServiceDB(t)
	b := d.table("cow", "6")
	at := d.instants(b)[0]
	marker := ".hoodie/.temp/" + at + "/part=eu/a.parquet.marker.CREATE"
	if err := storage.WriteFile(ctx, b, marker, storage.Exclusive, nil); err != nil {
		t.Fatal(err)
	}
	d.must(b, "CALL delete_marker(path => '/t', instant_time => '"+at+"')")
	if _, err := storage.ReadFile(ctx, b, marker, 1); err == nil {
		t.Error("the marker is still there")
	}
	if err := storage.WriteFile(ctx, b, ".hoodie/20300101000000000.commit.requested", storage.Exclusive, nil); err != nil {
		t.Fatal(err)
	}
	if err := d.do(b, "CALL delete_marker(path => '/t', instant_time => '20300101000000000')"); err == nil {
		t.Error("the markers of a pending instant were removed")
	}
}

// TestHudiVersions brings a table from version 5 up to 9 and back.
func TestHudiVersions(t *testing.T) {
	for _, kind := range []string{"cow", "mor"} {
		t.Run(kind, func(t *testing.T) {
			d := newServiceDB(t)
			b := d.table(kind, "5")
			want := d.rows(b)
			for _, step := range []struct{ call, to string }{{"upgrade", "SIX"}, {"upgrade", "EIGHT"}, {"upgrade", "NINE"}, {"downgrade", "EIGHT"}, {"downgrade", "SIX"}, {"downgrade", "FIVE"}} {
				d.must(b, "CALL "+step.call+"_table(path => '/t', to_version => '"+step.to+"')")
				if got := d.rows(b); strings.Join(got, "") != strings.Join(want, "") {
					t.Fatalf("%s to %s: the table holds %s, not %s", step.call, step.to, got, want)
				}
				d.healthy(t, b)
				d.must(b, "UPDATE hudi.`/t` SET ts = ts + 10 WHERE id = 1")
				d.healthy(t, b)
			}
		})
	}
}

// manyCommits is how many commits TestHudiManyCommits makes: more than are kept on the timeline.
const manyCommits = 40

// TestHudiManyCommits lets the services run by themselves: the timeline stays bounded, the rows right, and the metadata table in step.
func TestHudiManyCommits(t *testing.T) {
	versions := []string{"6", "9"}
	if testing.Short() {
		versions = versions[1:]
	}
	for _, version := range versions {
		for _, kind := range []string{"cow", "mor"} {
			t.Run(kind+version, func(t *testing.T) {
				d := newServiceDB(t)
				b := d.table(kind, version)
				d.must(b, "CALL delete_savepoint(path => '/t')")
				for n := range manyCommits {
					d.must(b, fmt.Sprintf("INSERT INTO hudi.`/t` VALUES (%d, 'n%d', %d, 'eu')", n%7+1, n, n+10))
				}
				rows := d.rows(b)
				slices.Sort(rows)
				if got, want := strings.Join(rows, ""), "[1 n35 eu][2 e us][2 n36 eu][3 n37 eu][4 n38 eu][5 n39 eu][6 n33 eu][7 n34 eu]"; got != want {
					t.Errorf("the table holds %s, not %s", got, want)
				}
				if n := len(d.instants(b)); n > 31 {
					t.Errorf("there are %d commits on the timeline", n)
				}
				if n := strings.Count(d.ask(b, "CALL show_archived_commits(path => '/t', limit => 1000)"), "\n") + 1; n < 10 {
					t.Errorf("there are %d archived commits", n)
				}
				d.healthy(t, b)
				keep(t, b)
			})
		}
	}
}

// keep writes the table into the folder that TARN_KEEP names, for other readers.
func keep(t *testing.T, b storage.Bucket) {
	dir := os.Getenv("TARN_KEEP")
	if dir == "" {
		return
	}
	to := filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_"))
	for info, err := range b.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := storage.ReadFile(t.Context(), b, info.Name, 1<<30)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(to, info.Name)), fs.ModePerm)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, info.Name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestHudiDeduplicate repairs a copy-on-write table into which rows were loaded twice.
func TestHudiDeduplicate(t *testing.T) {
	for _, version := range []string{"5", "6", "8", "9"} {
		d := newServiceDB(t)
		b := d.table("cow", version)
		want := strings.Join(d.rows(b), "")
		d.must(b, "SET hoodie.spark.sql.insert.into.operation = bulk_insert", "INSERT INTO hudi.`/t` VALUES (1, 'new', 9, 'eu'), (4, 'x', 9, 'us')",
			"SET hoodie.spark.sql.insert.into.operation = upsert")
		if n := len(d.rows(b)); n != 5 {
			t.Fatalf("version %s: there are %d rows after loading", version, n)
		}
		for _, step := range []struct{ args, want string }{{"", "[Found 1 rows too many]"}, {", dry_run => false", "[Deleted 1 rows]"}, {"", "[Found 0 rows too many]"}} {
			if got := d.ask(b, "CALL repair_deduplicate(path => '/t'"+step.args+")"); got != step.want {
				t.Errorf("version %s: repair_deduplicate%s gave %s, not %s", version, step.args, got, step.want)
			}
		}
		if got, want := strings.Join(d.rows(b), ""), strings.Replace(want, "1 e", "1 new", 1)+"[4 x us]"; got != want {
			t.Errorf("version %s: the table holds %s, not %s", version, got, want)
		}
		d.healthy(t, b)
	}
}

// TestHudiFilter asks procedures for some rows of their answers.
func TestHudiFilter(t *testing.T) {
	d := newServiceDB(t)
	b := d.table("cow", "9")
	at := d.instants(b)[1]
	if got := d.ask(b, "CALL show_commits(path => '/t', filter => 'commit_time = \\'"+at+"\\' AND total_files_updated > 0')"); strings.Count(got, "[") != 1 || !strings.HasPrefix(got, "["+at) {
		t.Errorf("show_commits with a filter gave %s", got)
	}
	if got := d.ask(b, "CALL show_commits(path => '/t', filter => 'nothing = 1')"); !strings.Contains(got, "UNRESOLVED_COLUMN") {
		t.Errorf("show_commits with a filter of an unknown column gave %s", got)
	}
}

// TestHudiServices runs each service of tables on each kind of table, and looks at the rows, and for damage.
func TestHudiServices(t *testing.T) {
	const all = "[1 e eu][2 e us][3 f eu]"
	for _, c := range []struct {
		call string
		mor  bool // of merge-on-read tables only
		want string
	}{
		{"CALL run_compaction(op => 'run', path => '/t')", true, all},
		{"CALL run_clustering(path => '/t', order => 'id')", false, all},
		{"CALL archive_commits(path => '/t', min_commits => 2, max_commits => 3, retain_commits => 1)", false, all},
		{"CALL rollback_to_savepoint(path => '/t')", false, "[1 e eu][2 e us][3 c eu]"},
		{"CALL drop_partition(path => '/t', partition => 'part=eu')", false, "[2 e us]"},
		{"CALL truncate_table(path => '/t', partitions => 'part=us')", false, "[1 e eu][3 f eu]"},
		{"CALL truncate_table(path => '/t')", false, ""},
		{"CALL run_ttl(path => '/t', retain_days => 1)", false, all},
	} {
		t.Run(c.call, func(t *testing.T) {
			eachTable(t, func(t *testing.T, d *serviceDB, b *storage.Mem) {
				if c.mor && strings.Contains(t.Name(), "/cow") {
					t.Skip("of merge-on-read tables only")
				}
				d.must(b, c.call)
				if got := strings.Join(d.rows(b), ""); got != c.want {
					t.Errorf("the table holds %s, not %s", got, c.want)
				}
				d.healthy(t, b)
				d.must(b, "INSERT INTO hudi.`/t` VALUES (9, 'g', 9, 'us')")
				if got, want := strings.Join(d.rows(b), ""), c.want+"[9 g us]"; got != want {
					t.Errorf("after a write the table holds %s, not %s", got, want)
				}
				d.healthy(t, b)
			})
		})
	}
}

// TestHudiCallsTellRemedies makes calls that the state of the table does not allow: the error names the procedure, and what to do.
func TestHudiCallsTellRemedies(t *testing.T) {
	d := newServiceDB(t)
	b := d.table("cow", "6")
	calls := []struct{ sql, says, hint string }{
		{"CALL create_metadata_table(path => '/t')", "call create_metadata_table on /t: the table has a metadata table already", "CALL delete_metadata_table first"},
		{"CALL create_savepoint(path => '/t', commit_time => '" + d.instants(b)[1] + "')", "has a savepoint already", "CALL delete_savepoint"},
		{"CALL show_metadata_table_column_stats(path => '/t')", "the metadata table has no statistics of columns", "CREATE INDEX column_stats"},
		{"CALL delete_metadata_table(path => '/t')", "", ""},
		{"CALL show_metadata_table_files(path => '/t')", "call show_metadata_table_files on /t: the table has no metadata table", "CALL create_metadata_table"},
		{"CALL validate_metadata_table_files(path => '/t')", "the table has no metadata table", "CALL create_metadata_table"},
		{"CALL create_metadata_table(path => '/t')", "", ""},
	}
	for _, c := range calls {
		err := d.do(b, c.sql)
		if c.says == "" {
			if err != nil {
				t.Errorf("%s: %v", c.sql, err)
			}
			continue
		}
		var e *tarn.Error
		if !errors.As(err, &e) || e.Class != "TARN_REFUSED" || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %v", c.sql, err)
		}
	}
	if err := storage.WriteFile(context.Background(), b, ".hoodie/metadata/.hoodie/hoodie.properties", storage.Replace, nil); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"CALL show_metadata_table_files(path => '/t')", "SELECT * FROM hudi_metadata('/t')"} {
		var e *tarn.Error
		if err := d.do(b, sql); !errors.As(err, &e) || !strings.Contains(e.Message, "a file is empty in .hoodie/metadata/.hoodie/hoodie.properties") ||
			!strings.Contains(e.Hint, "CALL delete_metadata_table") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
