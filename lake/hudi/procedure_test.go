package hudi

import (
	"archive/zip"
	"context"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// corpusTables calls f with every table of the corpus, unpacked into memory.
func corpusTables(t *testing.T, pattern string, f func(t *testing.T, name string, b storage.Bucket)) {
	dir := os.Getenv("TARN_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "corpus", "hudi")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no corpus: %v", err)
		}
		t.Skip("no corpus")
	}
	for _, set := range []string{"tables", "generated"} {
		zips, err := filepath.Glob(filepath.Join(dir, set, pattern+".zip"))
		if err != nil {
			t.Fatal(err)
		}
		for _, z := range zips {
			name := strings.TrimSuffix(filepath.Base(z), ".zip")
			t.Run(name, func(t *testing.T) { f(t, name, unzipped(t, z)) })
		}
	}
}

// unzipped is a bucket with the table in a zip.
func unzipped(t *testing.T, zipped string) storage.Bucket {
	t.Helper()
	r, err := zip.OpenReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b := storage.NewMem()
	for _, f := range r.File {
		_, name, ok := strings.Cut(f.Name, "/")
		if !ok || name == "" || strings.HasSuffix(name, "/") || strings.HasPrefix(f.Name, "__MACOSX") || strings.HasPrefix(path.Base(name), "._") {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		in.Close()
		if err == nil {
			err = storage.WriteFile(context.Background(), b, name, storage.Exclusive, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// opened is the table in a bucket.
func opened(t *testing.T, b storage.Bucket) *Table {
	t.Helper()
	table, err := (&Format{}).Open(context.Background(), lake.Entry{Bucket: b, Location: "/t"})
	if err != nil {
		t.Fatal(err)
	}
	return table.(*Table)
}

// called runs a procedure with the defaults of its parameters where args have none.
func called(t *testing.T, table *Table, name string, args map[string]types.Value) lake.Answer {
	t.Helper()
	all := map[string]types.Value{}
	for _, p := range procedures() {
		if p.name == name {
			for _, q := range p.parameters() {
				all[q.Name] = q.Default
			}
		}
	}
	maps.Copy(all, args)
	answer, err := table.Call(context.Background(), nil, name, all)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, row := range answer.Rows {
		if len(row) != len(answer.Columns) {
			t.Fatalf("%s gave a row of %d values for %d columns", name, len(row), len(answer.Columns))
		}
	}
	return answer
}

// all asks for every row.
var all = map[string]types.Value{"limit": int64(-1)}

// TestShowProcedures holds the procedures that tell of a table against the table's timeline and snapshot.
func TestShowProcedures(t *testing.T) {
	ctx := context.Background()
	corpusTables(t, "*", func(t *testing.T, name string, b storage.Bucket) {
		table := opened(t, b)
		line, err := table.Timeline(ctx)
		if err != nil {
			t.Fatal(err)
		}
		commits := called(t, table, "show_commits", all)
		if got, want := len(commits.Rows), len(line.Commits()); got != want {
			t.Errorf("show_commits gave %d commits, the timeline has %d", got, want)
		}
		files := 0
		for _, row := range commits.Rows {
			instant := map[string]types.Value{"limit": int64(-1), "instant_time": row[0]}
			files += len(called(t, table, "show_commit_files", instant).Rows)
			called(t, table, "show_commit_partitions", instant)
			called(t, table, "show_commit_write_stats", instant)
			called(t, table, "show_commit_extra_metadata", instant)
		}
		if got := len(called(t, table, "show_commits_metadata", all).Rows); got != files {
			t.Errorf("show_commits_metadata gave %d files, show_commit_files %d", got, files)
		}
		for _, p := range []string{"stats_wa", "stats_file_sizes", "show_rollbacks", "show_compaction", "show_clustering", "show_cleans", "show_cleans_metadata",
			"show_clean_plans", "show_table_properties"} {
			called(t, table, p, all)
		}
		for _, a := range []struct {
			action timeline.Action
			name   string
		}{{timeline.Savepoint, "show_savepoints"}, {timeline.Clean, "show_cleans"}} {
			if got, want := len(called(t, table, a.name, all).Rows), len(line.Completed(a.action)); got != want {
				t.Errorf("%s gave %d rows, the timeline has %d", a.name, got, want)
			}
		}
		for _, i := range line.Completed(timeline.Rollback) {
			called(t, table, "show_rollback_detail", map[string]types.Value{"instant_time": i.Time})
		}
		checkSlices(t, table)
		checkStages(t, table, line)
		checkLogs(t, table)
		checkArchive(t, table, line)
		checkMetadata(t, table)
	})
}

// checkLogs reads the blocks of all log files.
func checkLogs(t *testing.T, table *Table) {
	files, err := listFiles(context.Background(), table.bucket)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range files.sorted() {
		for _, l := range g.logs {
			args := map[string]types.Value{"limit": int64(-1), "log_file_path_pattern": l.Path}
			if blocks := called(t, table, "show_logfile_metadata", args); len(blocks.Rows) == 0 {
				t.Errorf("%s has no blocks", l.Path)
			}
			called(t, table, "show_logfile_records", args)
		}
	}
}

// checkArchive counts the archived commits, and reads all that each says.
func checkArchive(t *testing.T, table *Table, line *timeline.Timeline) {
	actions, err := line.ReadArchive(context.Background(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, a := range actions {
		if a.Action.Writes() {
			want++
		}
		if stages, err := table.Stages(context.Background(), a.Time); err != nil || len(stages) == 0 {
			t.Errorf("%s: %v", a.Instant, err)
		}
	}
	if got := len(called(t, table, "show_archived_commits", all).Rows); got != want {
		t.Errorf("show_archived_commits gave %d rows, the archive has %d commits", got, want)
	}
	called(t, table, "show_archived_commits_metadata", all)
	called(t, table, "show_cleans", map[string]types.Value{"showArchived": true})
}

// checkMetadata compares the metadata table, where there is one, with the folder.
func checkMetadata(t *testing.T, table *Table) {
	if len(table.config.MetadataPartitions) == 0 {
		return
	}
	for _, row := range called(t, table, "validate_metadata_table_files", nil).Rows {
		t.Errorf("the metadata table differs: %v", row)
	}
	if len(called(t, table, "show_metadata_table_stats", nil).Rows) == 0 {
		t.Error("the metadata table has no files")
	}
	for _, row := range called(t, table, "show_metadata_table_partitions", nil).Rows {
		called(t, table, "show_metadata_table_files", map[string]types.Value{"partition": row[0]})
		if slices.Contains(table.config.MetadataPartitions, "column_stats") {
			called(t, table, "show_metadata_table_column_stats", map[string]types.Value{"partition": row[0]})
		}
	}
}

// checkSlices holds the views of files against a snapshot.
func checkSlices(t *testing.T, table *Table) {
	s, err := table.Snapshot(context.Background(), lake.At{})
	if err != nil {
		t.Fatal(err)
	}
	latest := called(t, table, "show_fsview_latest", all).Rows
	every := called(t, table, "show_fsview_all", all).Rows
	want := s.(*Snapshot).slices
	if len(latest) != len(want) {
		t.Fatalf("show_fsview_latest gave %d slices, a snapshot has %d", len(latest), len(want))
	}
	for i, slice := range want {
		if latest[i][1] != slice.FileID || latest[i][2] != slice.Instant() || latest[i][5] != int64(len(slice.Logs)) {
			t.Errorf("slice %d is %v, in the snapshot %v", i, latest[i], slice)
		}
		same := func(row []types.Value) bool { return row[1] == slice.FileID && row[2] == slice.Instant() }
		if !slices.ContainsFunc(every, same) {
			t.Errorf("show_fsview_all lacks %s at %s", slice.FileID, slice.Instant())
		}
	}
}

// checkStages reads all that the instants say.
func checkStages(t *testing.T, table *Table, line *timeline.Timeline) {
	for _, i := range line.Instants() {
		stages, err := table.Stages(context.Background(), i.Time)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range stages {
			if len(s.Raw) > 0 && s.Record == nil && s.Action != timeline.SchemaCommit {
				t.Errorf("%s says what is not understood", s.File)
			}
		}
	}
}
