package timeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// act does a whole action of any kind.
func act(t testing.TB, b storage.Bucket, version int, a Action, plan, outcome Record) Instant {
	t.Helper()
	tl := load(t, b, version)
	i, err := tl.Request(t.Context(), a, someDay, plan)
	if err == nil {
		i, err = tl.Begin(t.Context(), i, nil)
	}
	if err == nil {
		i, err = tl.Complete(t.Context(), i, someDay, outcome)
	}
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// commits does n commits, and after every third of them a clean.
func commits(t testing.TB, b storage.Bucket, version, n int) (out []string) {
	t.Helper()
	for k := range n {
		i, err := commit(t.Context(), b, version, someDay)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, i.Time)
		if k%3 == 2 {
			plan := &CleanPlan{Policy: "KEEP_LATEST_COMMITS", Version: 2}
			act(t, b, version, Clean, plan, &CleanMetadata{StartCleanTime: i.Time, EarliestCommitToRetain: i.Time, PartitionMetadata: map[string]CleanPartitionMetadata{}, Version: 2})
		}
	}
	return out
}

// everywhere checks that all commits are active or archived, each once, and
// visible.
func everywhere(t *testing.T, b storage.Bucket, version int, want []string) (active int) {
	t.Helper()
	tl := load(t, b, version)
	archived, err := tl.ReadArchive(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range archived {
		if a.Action != Commit {
			continue
		}
		m, err := a.Commit()
		if err != nil || len(m.PartitionToWriteStats["p"]) != 1 || m.PartitionToWriteStats["p"][0].Path != "p/f" || m.Schema() != "{}" {
			t.Errorf("%s says %+v, %v", a.Instant, m, err)
		}
		got = append(got, a.Time)
	}
	active = len(tl.Commits())
	got = append(got, times(tl.Commits())...)
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("version %d: commits are %v, want %v", version, got, want)
	}
	for _, time := range want {
		if _, ok := tl.CompletionOf(time); !ok {
			t.Errorf("version %d: %s is not visible; the timeline is %v from %s", version, time, tl.Instants(), tl.Start())
		}
	}
	return active
}

func archiveOld(ctx context.Context, b storage.Bucket, version int, a Archival) (int, error) {
	tl, err := Load(ctx, b, DefaultConfig(version))
	if err != nil {
		return 0, err
	}
	return tl.ArchiveOld(ctx, a)
}

func TestArchive(t *testing.T) {
	for _, version := range []int{5, 6, 8, 9} {
		b := storage.NewMem()
		made := commits(t, b, version, 30)
		if n, err := archiveOld(t.Context(), b, version, Archival{}); err != nil || n != 0 {
			t.Fatalf("version %d: %d archived of 30 commits, %v", version, n, err)
		}
		made = append(made, commits(t, b, version, 1)...)
		n, err := archiveOld(t.Context(), b, version, Archival{})
		if err != nil || n < 11 {
			t.Fatalf("version %d: %d archived of 31 commits, %v", version, n, err)
		}
		if active := everywhere(t, b, version, made); active != 20 {
			t.Errorf("version %d: %d commits are active", version, active)
		}
		if n, err := archiveOld(t.Context(), b, version, Archival{}); err != nil || n != 0 {
			t.Errorf("version %d: %d archived again, %v", version, n, err)
		}
		names, err := list(t.Context(), b, DefaultConfig(version).Dir)
		if err != nil || slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, made[0]) && !strings.Contains(n, "/history/") }) {
			t.Errorf("version %d: left %v, %v", version, names, err)
		}
	}
}

// TestArchiveOften archives so often that files of the history become one, and
// manifests go.
func TestArchiveOften(t *testing.T) {
	b := storage.NewMem()
	var made []string
	for range 25 {
		made = append(made, commits(t, b, 8, 2)...)
		if _, err := archiveOld(t.Context(), b, 8, Archival{Min: 2, Max: 3}); err != nil {
			t.Fatal(err)
		}
		everywhere(t, b, 8, made)
	}
	names, err := list(t.Context(), b, ".hoodie/timeline/history")
	if err != nil || len(names) > 20 || !slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "_1.parquet") }) {
		t.Errorf("history is %q, %v", names, err)
	}
}

// TestArchiveCrashes stops an archival at each of its operations, and cuts the
// power as well. All commits stay visible, and the next archival ends it.
func TestArchiveCrashes(t *testing.T) {
	keep := Archival{Min: 2, Max: 4}
	for _, version := range []int{6, 8} {
		m := storage.NewMem()
		made := commits(t, m, version, 5)
		if _, err := archiveOld(t.Context(), m, version, keep); err != nil {
			t.Fatal(err)
		}
		made = append(made, commits(t, m, version, 4)...)
		for n := 1; ; n++ {
			b := m.Clone()
			b.Steps().Fail(n, storage.Stop, nil)
			_, err := archiveOld(t.Context(), b, version, keep)
			hit := b.Steps().Hit()
			if !hit && err != nil {
				t.Fatal(err)
			}
			for seed, kept := range []float64{0, 1, 0.5, 0.5} {
				crashed := b.Crash(kept, uint64(seed+4*n))
				everywhere(t, crashed, version, made)
				if _, err := archiveOld(t.Context(), crashed, version, keep); err != nil {
					t.Fatalf("version %d, stop at %d: archiving again: %v", version, n, err)
				}
				if active := everywhere(t, crashed, version, made); active > 4 {
					t.Errorf("version %d, stop at %d: %d commits are active", version, n, active)
				}
				if t.Failed() {
					t.Fatalf("version %d, stop at %d, kept %v: %s", version, n, kept, b.Steps().Log())
				}
			}
			if !hit {
				break
			}
		}
	}
}

// TestArchiveBounds: what must stay does.
func TestArchiveBounds(t *testing.T) {
	keep := Archival{Min: 1, Max: 3}
	for _, c := range []struct {
		name string
		make func(t *testing.T, b storage.Bucket, version int) Archival
		want int // commits left of 2, what make does, and 6
	}{
		{"nothing", func(*testing.T, storage.Bucket, int) Archival { return keep }, 1},
		{"pending write", func(t *testing.T, b storage.Bucket, version int) Archival {
			if _, err := load(t, b, version).Request(t.Context(), Commit, someDay, nil); err != nil {
				t.Fatal(err)
			}
			return keep
		}, 7},
		{"savepoint", func(t *testing.T, b storage.Bucket, version int) Archival {
			tl := load(t, b, version)
			last, _ := tl.Last()
			i, err := tl.Begin(t.Context(), Instant{Time: last.Time, Action: Savepoint}, nil)
			if err == nil {
				_, err = tl.Complete(t.Context(), i, someDay, &SavepointMetadata{PartitionMetadata: map[string]SavepointPartitionMetadata{}, Version: 1})
			}
			if err != nil {
				t.Fatal(err)
			}
			return keep
		}, 7},
		{"retain", func(t *testing.T, b storage.Bucket, version int) Archival {
			last, _ := load(t, b, version).Last()
			return Archival{Min: 1, Max: 3, Retain: last.Time}
		}, 7},
		{"replaced, not cleaned", func(t *testing.T, b storage.Bucket, version int) Archival {
			m := metadata("f")
			m.PartitionToReplaceFileIDs = map[string][]string{"p": {"g"}}
			act(t, b, version, ReplaceCommit, new(ReplacePlan), m)
			return keep
		}, 7},
		{"counted for compaction", func(t *testing.T, b storage.Bucket, version int) Archival {
			return Archival{Min: 1, Max: 3, DeltaCommits: 5}
		}, 1},
	} {
		for _, version := range []int{6, 8} {
			b := storage.NewMem()
			for range 2 {
				act(t, b, version, Commit, nil, metadata("f"))
			}
			a := c.make(t, b, version)
			for range 6 {
				act(t, b, version, Commit, nil, metadata("f"))
			}
			if _, err := archiveOld(t.Context(), b, version, a); err != nil {
				t.Fatal(err)
			}
			if left := len(load(t, b, version).Commits()); left != c.want {
				t.Errorf("%s, version %d: %d commits left, want %d", c.name, version, left, c.want)
			}
		}
	}
	deltas := storage.NewMem()
	for range 8 {
		act(t, deltas, 8, DeltaCommit, nil, metadata("f"))
	}
	if _, err := archiveOld(t.Context(), deltas, 8, Archival{Min: 1, Max: 3, DeltaCommits: 5}); err != nil {
		t.Fatal(err)
	}
	if left := len(load(t, deltas, 8).Commits()); left != 5 {
		t.Errorf("%d deltacommits left, want 5", left)
	}
}

// TestCorpusArchivesAgain archives actions of real tables, and compares with what
// real Hudi has archived of the same: every field that it keeps.
func TestCorpusArchivesAgain(t *testing.T) {
	began := time.Now()
	corpusTables(t, "*_cow_services.zip", func(t *testing.T, name string, files map[string][]byte) {
		b := bucketOf(t, files, "")
		version := configOf(t, files, "").Version
		before := load(t, b, version)
		old, err := before.ReadArchive(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		n, err := archiveOld(t.Context(), b, version, Archival{Min: 1, Max: 1})
		if err != nil {
			t.Fatal(err)
		}
		all, err := load(t, b, version).ReadArchive(t.Context(), "", "")
		if err != nil || len(all) != len(old)+n {
			t.Fatalf("%d archived, were %d and %d more, %v", len(all), len(old), n, err)
		}
		if fmt.Sprint(all[:len(old)]) != fmt.Sprint(old) {
			t.Error("what was archived has changed")
		}
	})
	t.Log(time.Since(began))
}
