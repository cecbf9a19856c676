package timeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

var someDay = time.Date(2026, 1, 2, 3, 4, 5, 67e6, time.UTC)

func TestNewTime(t *testing.T) {
	for _, c := range []struct{ after, want string }{
		{"", "20260102030405067"},
		{"20260102030405066", "20260102030405067"},
		{"20260102030405067", "20260102030405068"},
		{"20260102030459999", "20260102030500000"},
		{"20261231235959999", "20270101000000000"},
		{"20260102030405067006", "20260102030405068"},
		{"20260102030405", "20260102030405067"},
		{"20260102030406", "20260102030407000"},
		{"00000000000000007", "20260102030405067"},
		{"99999999999999998", "99999999999999999"},
	} {
		if got := NewTime(someDay, nil, c.after); got != c.want || got <= c.after {
			t.Errorf("after %q: %s, want %s", c.after, got, c.want)
		}
	}
}

func load(t testing.TB, b storage.Bucket, version int) *Timeline {
	t.Helper()
	tl, err := Load(context.Background(), b, DefaultConfig(version))
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// metadata is what a commit of one file says.
func metadata(file string) *CommitMetadata {
	return &CommitMetadata{
		PartitionToWriteStats: map[string][]WriteStat{"p": {{FileID: file, Path: "p/" + file, PrevCommit: NoCommit, Partition: "p", NumWrites: 1}}},
		ExtraMetadata:         map[string]string{SchemaKey: "{}"},
		OperationType:         "INSERT",
	}
}

// commit does a whole commit.
func commit(ctx context.Context, b storage.Bucket, version int, now time.Time) (Instant, error) {
	tl, err := Load(ctx, b, DefaultConfig(version))
	if err != nil {
		return Instant{}, err
	}
	i, err := tl.Request(ctx, Commit, now, nil)
	if err != nil {
		return i, err
	}
	if i, err = tl.Begin(ctx, i, &CommitMetadata{OperationType: "INSERT"}); err != nil {
		return i, err
	}
	return tl.Complete(ctx, i, now, metadata("f"))
}

func TestCommit(t *testing.T) {
	for _, version := range []int{5, 6, 8, 9} {
		m := storage.NewMem()
		for n := range 3 {
			i, err := commit(t.Context(), m, version, someDay)
			if err != nil {
				t.Fatal(err)
			}
			tl := load(t, m, version)
			last, ok := tl.Last()
			if !ok || last.Time != i.Time || len(tl.Commits()) != n+1 || version >= 8 && (last != i || i.Completion <= i.Time) {
				t.Fatalf("version %d: %v, last %v of %v", version, i, last, tl.Instants())
			}
			if got, err := tl.ReadCommit(t.Context(), last); err != nil || got.PartitionToWriteStats["p"][0].FileID != "f" {
				t.Errorf("version %d: says %+v, %v", version, got, err)
			}
			if _, err := tl.Complete(t.Context(), last, someDay, metadata("g")); !isGone(err) {
				t.Errorf("version %d: completed twice: %v", version, err)
			}
			if err := tl.Remove(t.Context(), last); !isGone(err) {
				t.Errorf("version %d: removed a completed one: %v", version, err)
			}
		}
	}
}

// TestReplace: an inflight replacecommit is written as a commit, a completed one
// as what it is, also if it replaces nothing.
func TestReplace(t *testing.T) {
	for _, version := range []int{6, 8} {
		m := storage.NewMem()
		outcome := metadata("f")
		outcome.PartitionToReplaceFileIDs = map[string][]string{}
		tl := load(t, m, version)
		i, err := tl.Request(t.Context(), ReplaceCommit, someDay, new(ReplacePlan))
		if err != nil {
			t.Fatal(err)
		}
		begun, err := tl.Begin(t.Context(), i, outcome)
		if err != nil {
			t.Fatal(err)
		}
		done, err := tl.Complete(t.Context(), i, someDay, outcome)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []Instant{begun, done} {
			if got, err := tl.ReadCommit(t.Context(), i); err != nil || (got.PartitionToReplaceFileIDs != nil) != (i.State == Completed) {
				t.Errorf("version %d: %s says %+v, %v", version, i, got, err)
			}
		}
	}
}

func isGone(err error) bool {
	var gone *GoneError
	return errors.As(err, &gone)
}

func TestRemovePending(t *testing.T) {
	for _, version := range []int{6, 8} {
		m := storage.NewMem()
		tl := load(t, m, version)
		i, err := tl.Request(t.Context(), DeltaCommit, someDay, nil)
		if err != nil {
			t.Fatal(err)
		}
		if i, err = tl.Begin(t.Context(), i, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := tl.Begin(t.Context(), i, nil); !errors.Is(err, fs.ErrExist) {
			t.Errorf("begun twice: %v", err)
		}
		if err := load(t, m, version).Remove(t.Context(), i); err != nil {
			t.Fatal(err)
		}
		if left := load(t, m, version).Instants(); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
		if _, err := tl.Complete(t.Context(), i, someDay, metadata("f")); !isGone(err) {
			t.Errorf("completed what was rolled back: %v", err)
		}
	}
}

// TestCrash stops a commit at each of its operations. What is found afterwards is
// a timeline with one commit more or not, never one that cannot be read.
func TestCrash(t *testing.T) {
	for _, version := range []int{6, 8} {
		for n := 1; ; n++ {
			m := storage.NewMem()
			if _, err := commit(t.Context(), m, version, someDay); err != nil {
				t.Fatal(err)
			}
			m.Steps().Fail(n, storage.Stop, nil)
			_, err := commit(t.Context(), m, version, someDay)
			hit := m.Steps().Hit()
			for seed, keep := range []float64{0, 1, 0.5, 0.5} {
				tl := load(t, m.Crash(keep, uint64(seed)), version)
				done := len(tl.Commits())
				if done < 1 || done > 2 || done == 1 && err == nil {
					t.Fatalf("version %d, stop at %d, keep %v: %v after %v", version, n, keep, tl.Instants(), err)
				}
				for _, i := range tl.Commits() {
					if _, err := tl.ReadCommit(t.Context(), i); err != nil {
						t.Errorf("version %d, stop at %d: %v", version, n, err)
					}
				}
				if next := NewTime(someDay, nil, tl.LastTime()); next <= tl.LastTime() {
					t.Errorf("next is %s after %s", next, tl.LastTime())
				}
			}
			if !hit {
				break
			}
		}
	}
}

// TestLostAnswer: a completed file whose writing was not confirmed is found to be
// the writer's own, or the outcome is unknown; it is never called not done.
func TestLostAnswer(t *testing.T) {
	m := storage.NewMem()
	tl := load(t, m, 8)
	i, err := tl.Request(t.Context(), Commit, someDay, nil)
	if err == nil {
		i, err = tl.Begin(t.Context(), i, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, when := range []storage.When{storage.Before, storage.After} {
		settled := 0
		for n := 1; ; n++ {
			var faults storage.Faults
			b := storage.Faulty(m.Clone(), &faults)
			tl := load(t, b, 8)
			faults.Fail(n, when, storage.ErrUnknown)
			_, err := tl.Complete(t.Context(), i, someDay, metadata("f"))
			hit := faults.Hit()
			faults.Clear()
			done := len(load(t, b, 8).Commits()) == 1
			if done && err != nil && !errors.Is(err, storage.ErrUnknown) || !done && err == nil {
				t.Errorf("fault %d of %v: done %v, error %v", n, when, done, err)
			}
			if !hit {
				break
			}
			if done && err == nil {
				settled++
			}
		}
		if settled == 0 && when == storage.After {
			t.Error("reading back has settled nothing")
		}
	}
}

// TestWriters: writers that take the lock to request and to complete never share
// a time, and complete in the order of their completion times.
func TestWriters(t *testing.T) {
	m := storage.NewMem()
	var wg sync.WaitGroup
	errs := make(chan error, 100)
	for range 4 {
		wg.Go(func() {
			l := &FileLock{Bucket: m, Patience: Patience{Poll: time.Millisecond}}
			for range 5 {
				errs <- lockedCommit(t.Context(), m, l)
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	tl := load(t, m, 8)
	var times []string
	for _, i := range tl.ByCompletion() {
		times = append(times, i.Time, i.Completion)
	}
	slices.Sort(times)
	if n := len(times); n != 40 || len(slices.Compact(times)) != n {
		t.Errorf("%d times, not 40 different ones", n)
	}
}

func lockedCommit(ctx context.Context, b storage.Bucket, l Locker) error {
	lock, err := l.Lock(ctx)
	if err != nil {
		return err
	}
	tl, err := Load(ctx, b, DefaultConfig(8))
	if err != nil {
		return err
	}
	i, err := tl.Request(ctx, Commit, time.Now(), nil)
	if err := errors.Join(err, lock.Unlock(ctx)); err != nil {
		return err
	}
	if i, err = tl.Begin(ctx, i, nil); err != nil {
		return err
	}
	if lock, err = l.Lock(ctx); err != nil {
		return err
	}
	if err := lock.Check(ctx); err != nil {
		return err
	}
	_, err = tl.Complete(ctx, i, time.Now(), metadata("f"))
	return errors.Join(err, lock.Unlock(ctx))
}

func TestMarkers(t *testing.T) {
	m := storage.NewMem()
	want := []Marker{{".f_1.log.1_0-1-2", AppendMarker}, {"p=1/q/a.parquet", CreateMarker}, {"p=1/q/b.parquet", MergeMarker}}
	for _, mark := range want {
		for range 2 {
			if err := Mark(t.Context(), m, "1", mark); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, err := Markers(t.Context(), m, "1"); err != nil || !slices.Equal(got, want) {
		t.Errorf("found %v, %v", got, err)
	}
	// Hudi's timeline server.
	for name, text := range map[string]string{"MARKERS.type": "TIMELINE_SERVER_BASED", "MARKERS0": want[0].name() + "\n" + want[1].name() + "\n", "MARKERS12": want[2].name() + "\n"} {
		if err := storage.WriteFile(t.Context(), m, ".hoodie/.temp/2/"+name, storage.Exclusive, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Markers(t.Context(), m, "2"); err != nil || !slices.Equal(got, want) {
		t.Errorf("found %v, %v", got, err)
	}
	for _, bad := range []string{"../../up.parquet.marker.CREATE", "a.parquet", "a.parquet.marker.DROP", "/a.marker.CREATE"} {
		if err := storage.WriteFile(t.Context(), m, ".hoodie/.temp/3/MARKERS0", storage.Replace, []byte(bad)); err != nil {
			t.Fatal(err)
		}
		if got, err := Markers(t.Context(), m, "3"); err == nil {
			t.Errorf("%s is %v", bad, got)
		}
	}
	for _, i := range []string{"1", "2", "4"} {
		if err := RemoveMarkers(t.Context(), m, i); err != nil {
			t.Fatal(err)
		}
		if got, err := Markers(t.Context(), m, i); err != nil || len(got) != 0 {
			t.Errorf("left %v, %v", got, err)
		}
	}
}

func TestConflict(t *testing.T) {
	mine := Instant{Time: "5", Action: DeltaCommit, State: Inflight}
	a, b := FileGroup{"p", "a"}, FileGroup{"p", "b"}
	for _, c := range []struct {
		name   string
		rival  Rival
		winner bool
	}{
		{"other group", Rival{Instant{Time: "6", Action: Commit}, "UPSERT", []FileGroup{b}, false, false}, false},
		{"same group", Rival{Instant{Time: "6", Action: Commit}, "UPSERT", []FileGroup{b, a}, false, false}, true},
		{"same group, requested earlier", Rival{Instant{Time: "4", Action: DeltaCommit}, "UPSERT", []FileGroup{a}, false, false}, true},
		{"same id elsewhere", Rival{Instant{Time: "6", Action: Commit}, "UPSERT", []FileGroup{{"q", "a"}}, false, false}, false},
		{"compacted below", Rival{Instant{Time: "4", Action: Commit}, "COMPACT", []FileGroup{a}, true, false}, false},
		{"compacted, not known", Rival{Instant{Time: "4", Action: Commit}, "COMPACT", []FileGroup{a}, false, false}, true},
		{"compacted, requested later", Rival{Instant{Time: "6", Action: Commit}, "COMPACT", []FileGroup{a}, false, false}, true},
		{"compaction pending later", Rival{Instant{Time: "6", Action: Compaction}, "", []FileGroup{a}, false, false}, true},
		{"clustered", Rival{Instant{Time: "4", Action: ReplaceCommit}, "CLUSTER", []FileGroup{a}, false, false}, true},
	} {
		err := Conflict(mine, []FileGroup{a}, []Rival{c.rival})
		var conflict *ConflictError
		if errors.As(err, &conflict) != c.winner || c.winner && (conflict.Winner != c.rival.Instant || conflict.Group != a) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestRivals(t *testing.T) {
	m := storage.NewMem()
	if _, err := commit(t.Context(), m, 8, someDay); err != nil {
		t.Fatal(err)
	}
	since := load(t, m, 8)
	mine, err := since.Request(t.Context(), DeltaCommit, someDay, nil)
	if err != nil {
		t.Fatal(err)
	}
	later, err := commit(t.Context(), m, 8, someDay)
	if err != nil {
		t.Fatal(err)
	}
	plan := &CompactionPlan{Operations: []CompactionOperation{{FileID: "c", PartitionPath: "p"}}, Version: 2}
	pending, err := load(t, m, 8).Request(t.Context(), Compaction, someDay, plan)
	if err != nil {
		t.Fatal(err)
	}
	rivals, err := load(t, m, 8).Rivals(t.Context(), mine, since)
	if err != nil {
		t.Fatal(err)
	}
	want := []Rival{{later, "INSERT", []FileGroup{{"p", "f"}}, false, false}, {pending, "", []FileGroup{{"p", "c"}}, false, false}}
	if fmt.Sprint(rivals) != fmt.Sprint(want) {
		t.Errorf("rivals %v, want %v", rivals, want)
	}
}

// TestRivalPlans: of a compaction that was planned after a write has read the table, but before its instant, the write knows nothing. In
// layout 1 its logs then lie on the base files before the compaction, which would lose them.
func TestRivalPlans(t *testing.T) {
	for version, rival := range map[int]bool{6: true, 8: false} {
		m := storage.NewMem()
		if _, err := commit(t.Context(), m, version, someDay); err != nil {
			t.Fatal(err)
		}
		since := load(t, m, version)
		plan := &CompactionPlan{Operations: []CompactionOperation{{FileID: "c", PartitionPath: "p"}}, Version: 2}
		if _, err := load(t, m, version).Request(t.Context(), Compaction, someDay, plan); err != nil {
			t.Fatal(err)
		}
		mine, err := load(t, m, version).Request(t.Context(), DeltaCommit, someDay, nil)
		if err != nil {
			t.Fatal(err)
		}
		for known, at := range map[bool]*Timeline{false: since, true: load(t, m, version)} {
			rivals, err := load(t, m, version).Rivals(t.Context(), mine, at)
			if err != nil {
				t.Fatal(err)
			}
			err = Conflict(mine, []FileGroup{{"p", "c"}}, rivals)
			if (err != nil) != (rival && !known) {
				t.Errorf("version %d, plan known: %v: %v", version, known, err)
			}
		}
	}
}
