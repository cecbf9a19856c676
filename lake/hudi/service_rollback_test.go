package hudi

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

var someTime = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// undoing is what rolls back actions of the table in b.
func undoing(t *testing.T, b storage.Bucket) *undo {
	t.Helper()
	table := opened(t, b)
	line, err := table.timeline(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &undo{Table: table, line: line}
}

// slicesOf names the files of the table's state, or of its state at an instant.
func slicesOf(t *testing.T, b storage.Bucket, instant string) string {
	t.Helper()
	var at lake.At
	if instant != "" {
		version, err := strconv.ParseInt(instant, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		at.Version = &version
	}
	s, err := opened(t, b).Snapshot(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range s.(*Snapshot).slices {
		line := f.Partition + "/" + f.FileID
		if f.Base != nil {
			line += " " + f.Base.Path
		}
		for _, l := range f.Logs {
			line += " " + l.Path
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func names(t *testing.T, b storage.Bucket, dir string) (out []string) {
	t.Helper()
	for info, err := range b.List(context.Background(), dir, "") {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, info.Name)
	}
	return out
}

// dataFiles are the files of the table itself.
func dataFiles(t *testing.T, b storage.Bucket) []string {
	return slices.DeleteFunc(names(t, b, ""), func(n string) bool { return strings.HasPrefix(n, ".hoodie/") })
}

// committed names the files of the table's state less those of a write that is not done: blocks of log files are told apart only when
// they are read, so that old tables list them.
func committed(t *testing.T, b storage.Bucket, failed timeline.Instant) string {
	t.Helper()
	markers, err := timeline.Markers(t.Context(), b, failed.Time)
	if err != nil {
		t.Fatal(err)
	}
	out := slicesOf(t, b, "")
	for _, m := range markers {
		out = strings.ReplaceAll(out, " "+m.Path, "")
	}
	return out
}

// checkUndone checks that nothing is left of a failed write.
func checkUndone(t *testing.T, b storage.Bucket, failed timeline.Instant) {
	t.Helper()
	u := undoing(t, b)
	for _, i := range u.line.Instants() {
		if i.Time == failed.Time || i.State != timeline.Completed && i.Action == timeline.Rollback {
			t.Errorf("left: %s", i)
		}
	}
	for _, n := range dataFiles(t, b) {
		if strings.Contains(n, failed.Time) && u.config.Version >= 8 || strings.HasSuffix(n, failed.Time+".parquet") {
			t.Errorf("left: %s", n)
		}
	}
	done := u.line.Completed(timeline.Rollback)
	if len(done) == 0 {
		t.Fatal("no rollback on the timeline")
	}
	var m timeline.RollbackMetadata
	if err := u.line.Read(t.Context(), done[len(done)-1], &m); err != nil {
		t.Fatal(err)
	}
	if len(m.CommitsRollback) != 1 || m.CommitsRollback[0] != failed.Time || m.InstantsRollback[0].Action != string(failed.Action) {
		t.Errorf("rollback says %+v", m)
	}
}

// TestRollbackOfFailedWrites rolls back the writes that real Hudi failed to finish: by their markers, and without them.
func TestRollbackOfFailedWrites(t *testing.T) {
	corpusTables(t, "v*_failed_write", func(t *testing.T, name string, b storage.Bucket) {
		m := b.(*storage.Mem)
		for _, marked := range []bool{true, false} {
			b := m.Clone()
			u := undoing(t, b)
			pending := u.line.Pending()
			if len(pending) != 1 {
				t.Fatalf("pending %v", pending)
			}
			files, before := dataFiles(t, b), committed(t, b, pending[0])
			if !marked {
				if err := timeline.RemoveMarkers(t.Context(), b, pending[0].Time); err != nil {
					t.Fatal(err)
				}
			}
			if n, err := u.rollbackFailed(t.Context()); err != nil || n != 1 {
				t.Fatalf("%d rolled back, %v", n, err)
			}
			checkUndone(t, b, pending[0])
			if left := names(t, b, ".hoodie/.temp"); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if after := slicesOf(t, b, ""); after != before {
				t.Errorf("marked %v: files are\n%s, were\n%s", marked, after, before)
			}
			if gone := len(files) - len(dataFiles(t, b)); gone == 0 {
				t.Errorf("marked %v: no file is gone", marked)
			}
			if n, err := undoing(t, b).rollbackFailed(t.Context()); err != nil || n != 0 {
				t.Errorf("again %d rolled back, %v", n, err)
			}
		}
	})
}

// TestRollbackCrashes stops a rollback at each of its operations. Who comes next ends it.
func TestRollbackCrashes(t *testing.T) {
	corpusTables(t, "v[69]_mor_failed_write", func(t *testing.T, name string, b storage.Bucket) {
		m := b.(*storage.Mem)
		failed := undoing(t, b).line.Pending()[0]
		before := committed(t, b, failed)
		for n := 1; ; n++ {
			b := m.Clone()
			u := undoing(t, b)
			b.Steps().Fail(n, storage.Stop, nil)
			_, err := u.rollbackFailed(t.Context())
			if !b.Steps().Hit() {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			for seed, keep := range []float64{0, 1, 0.5} {
				crashed := b.Crash(keep, uint64(seed+n))
				if _, err := undoing(t, crashed).rollbackFailed(t.Context()); err != nil {
					t.Fatalf("stop at %d, keep %v: %v", n, keep, err)
				}
				checkUndone(t, crashed, failed)
				if after := slicesOf(t, crashed, ""); after != before {
					t.Errorf("stop at %d, keep %v: files are\n%s, were\n%s", n, keep, after, before)
				}
			}
		}
	})
}

// TestRollbackSpares: the writes of the living, and plans of table services, are not rolled back.
func TestRollbackSpares(t *testing.T) {
	corpusTables(t, "v9_cow_failed_write", func(t *testing.T, name string, b storage.Bucket) {
		u := undoing(t, b)
		failed := u.line.Pending()[0]
		h, err := timeline.StartHeartbeat(t.Context(), b, failed.Time, timeline.Pulse{})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := u.rollbackFailed(t.Context()); err != nil || n != 0 {
			t.Errorf("%d rolled back, %v", n, err)
		}
		if err := h.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n, err := u.rollbackFailed(t.Context()); err != nil || n != 1 {
			t.Errorf("%d rolled back, %v", n, err)
		}
	})
	corpusTables(t, "v5_cow_clustering", func(t *testing.T, name string, b storage.Bucket) {
		u := undoing(t, b)
		if n, err := u.rollbackFailed(t.Context()); err != nil || n != 0 || len(u.line.Pending()) != 1 {
			t.Errorf("%d rolled back, %v, pending %v", n, err, u.line.Pending())
		}
	})
}

// TestRollbackOfCommits rolls back the newest commit of tables: their files are those of the time before.
func TestRollbackOfCommits(t *testing.T) {
	corpusTables(t, "v[5689]_*_types", func(t *testing.T, name string, b storage.Bucket) {
		u := undoing(t, b)
		commits := u.line.Commits()
		if len(commits) < 2 {
			t.Skip("one commit")
		}
		last, previous := commits[len(commits)-1], commits[len(commits)-2]
		want := slicesOf(t, b, previous.Time)
		m, err := u.line.ReadCommit(t.Context(), last)
		if err != nil {
			t.Fatal(err)
		}
		for _, stats := range m.PartitionToWriteStats {
			for _, s := range stats { // log files of old tables, of which only the blocks tell
				want = strings.ReplaceAll(want, " "+s.Path, "")
			}
		}
		if _, err := u.rollback(t.Context(), last); err != nil {
			t.Fatal(err)
		}
		checkUndone(t, b, last)
		if got := slicesOf(t, b, ""); got != want {
			t.Errorf("files are\n%s, want\n%s", got, want)
		}
	})
}

// TestRollbackOfSharedLog: a log file of an old table that holds blocks of another write stays; those of the failed one become void.
func TestRollbackOfSharedLog(t *testing.T) {
	corpusTables(t, "v6_mor_failed_write", func(t *testing.T, name string, b storage.Bucket) {
		failed := undoing(t, b).line.Pending()[0]
		logs := slices.DeleteFunc(dataFiles(t, b), func(n string) bool { return !strings.Contains(n, ".log.") })
		markers, err := timeline.Markers(t.Context(), b, failed.Time)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(markers, func(m timeline.Marker) bool { return m.Type == timeline.AppendMarker })
		mine, err := storage.ReadFile(t.Context(), b, markers[at].Path, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		other := strings.NewReplacer(failed.Time, "20200101000000000").Replace(string(mine))
		if err := storage.WriteFile(t.Context(), b, markers[at].Path, storage.Replace, append([]byte(other), mine...)); err != nil {
			t.Fatal(err)
		}
		if n, err := undoing(t, b).rollbackFailed(t.Context()); err != nil || n != 1 {
			t.Fatalf("%d rolled back, %v", n, err)
		}
		after := slices.DeleteFunc(dataFiles(t, b), func(n string) bool { return !strings.Contains(n, ".log.") || slices.Contains(logs, n) })
		if len(after) != 1 || !slices.Contains(dataFiles(t, b), markers[at].Path) {
			t.Fatalf("new log files %v", after)
		}
		n, err := parseLogName(path.Base(after[0]))
		shared, _ := parseLogName(path.Base(markers[at].Path))
		if err != nil || n.Version <= shared.Version || n.FileID != shared.FileID || n.Instant != shared.Instant {
			t.Errorf("the void is %v, after %v", n, shared)
		}
		checkVoid(t, b, after[0], failed.Time)
	})
}

func checkVoid(t *testing.T, b storage.Bucket, name, target string) {
	t.Helper()
	f, err := b.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	block, err := logfile.NewReader(f, info.Size).Next()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := block.Rollback(); err != nil || got != target {
		t.Errorf("voids %q, %v", got, err)
	}
}

// TestRollbackBeforeCompletion: a write that is being rolled back cannot be completed any more.
func TestRollbackBeforeCompletion(t *testing.T) {
	corpusTables(t, "v9_cow_failed_write", func(t *testing.T, name string, b storage.Bucket) {
		u := undoing(t, b)
		failed := u.line.Pending()[0]
		plan := &timeline.RollbackPlan{InstantToRollback: &timeline.InstantInfo{CommitTime: failed.Time, Action: string(failed.Action)}, Version: 1}
		if _, err := u.line.Request(t.Context(), timeline.Rollback, someTime, plan); err != nil {
			t.Fatal(err)
		}
		var gone *timeline.GoneError
		if _, err := u.line.Complete(t.Context(), failed, someTime, &timeline.CommitMetadata{}); !errors.As(err, &gone) {
			t.Error(fmt.Errorf("completed: %w", err))
		}
	})
}

// TestRollbackOfService: undoing a clustering that was begun removes what it wrote, and its plan can be carried out again; a restore takes
// the plan as well.
func TestRollbackOfService(t *testing.T) {
	corpusTables(t, "v5_cow_clustering", func(t *testing.T, name string, b storage.Bucket) {
		for _, plans := range []bool{false, true} {
			b := b.(*storage.Mem).Clone()
			u := undoing(t, b)
			i, err := u.line.Begin(t.Context(), u.line.Pending()[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			file := "0000-0_0-0-0_" + i.Time + ".parquet"
			err = errors.Join(timeline.Mark(t.Context(), b, i.Time, timeline.Marker{Path: file, Type: timeline.CreateMarker}),
				storage.WriteFile(t.Context(), b, file, storage.Exclusive, []byte("torn")), u.reload(t.Context()))
			if err != nil {
				t.Fatal(err)
			}
			u.plans = plans
			if _, err := u.rollback(t.Context(), i); err != nil {
				t.Fatal(err)
			}
			left := undoing(t, b).line.Pending()
			if slices.Contains(names(t, b, ""), file) || plans && len(left) != 0 || !plans && (len(left) != 1 || left[0].State != timeline.Requested) {
				t.Errorf("plans %v: left %v", plans, left)
			}
		}
	})
}
