package timeline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

// rivalAction is an action beside a write.
type rivalAction struct {
	name      string
	action    Action
	plan      Record
	said      Record // what it says when it is completed
	v6, v8    string // when the write must not commit: of the cases of TestConflictRules, all those in which it conflicts
	layoutOne bool   // it has another name in layout 1
}

// What actions say of the file group p/f, and of another one.
var (
	ofGroup  = []FileGroup{{"p", "f"}}
	compacts = &CompactionPlan{Operations: []CompactionOperation{{FileID: "f", PartitionPath: "p"}}, Version: 2}
	clusters = &ReplacePlan{OperationType: "CLUSTER", ClusteringPlan: &ClusteringPlan{InputGroups: []ClusteringGroup{{Slices: []SliceInfo{{FileID: "f", PartitionPath: "p"}}}}}}
)

func says(op, file string, replaced ...string) *CommitMetadata {
	m := metadata(file)
	m.OperationType = op
	if replaced != nil {
		m.PartitionToReplaceFileIDs = map[string][]string{"p": replaced}
	}
	return m
}

// TestConflictRules holds every kind of action against a write that has changed the file group p/f: requested before the write, known or
// not known when the write read the table, or after it; pending still, or completed, when the write commits. The rules are those of
// Hudi's SimpleConcurrentFileWritesConflictResolutionStrategy:
//
//	completed meanwhile   a conflict if it has changed the group; but no compaction requested before the write
//	pending               compactions and clusterings of the group requested after the write, or of which it cannot have known
func TestConflictRules(t *testing.T) {
	const everCompleted = "known done, unknown done, after done"
	rules := []rivalAction{
		{"upsert", Commit, nil, says("UPSERT", "f"), everCompleted, everCompleted, false},
		{"upsert of another group", Commit, nil, says("UPSERT", "g"), "", "", false},
		{"insert", Commit, nil, says("INSERT", "new"), "", "", false},
		{"upsert to logs", DeltaCommit, nil, says("UPSERT", "f"), everCompleted, everCompleted, false},
		{"insert overwrite", ReplaceCommit, &ReplacePlan{}, says("INSERT_OVERWRITE", "new", "f"), everCompleted, everCompleted, false},
		{"insert overwrite of another group", ReplaceCommit, &ReplacePlan{}, says("INSERT_OVERWRITE", "new", "g"), "", "", false},
		{"deletion of a partition", ReplaceCommit, &ReplacePlan{}, says("DELETE_PARTITION", "new", "f"), everCompleted, everCompleted, false},
		{"compaction", Compaction, compacts, says("COMPACT", "f"), "unknown pending, unknown done, after pending, after done", "after pending, after done", false},
		{"compaction of another group", Compaction, &CompactionPlan{Version: 2}, says("COMPACT", "g"), "", "", false},
		{"clustering", Clustering, clusters, says("CLUSTER", "new", "f"), "", "unknown pending, after pending, " + everCompleted, false},
		{"clustering", ReplaceCommit, clusters, says("CLUSTER", "new", "f"), "unknown pending, after pending, " + everCompleted, "", true},
		{"clean", Clean, &CleanPlan{Version: 2}, &CleanMetadata{PartitionMetadata: map[string]CleanPartitionMetadata{}, Version: 2}, "", "", false},
		{"rollback of another write", Rollback, &RollbackPlan{InstantToRollback: &InstantInfo{CommitTime: "1", Action: "commit"}, Version: 1},
			&RollbackMetadata{PartitionMetadata: map[string]RollbackPartitionMetadata{}, Version: 1}, "", "", false},
		{"restore", Restore, &RestorePlan{Version: 1}, &RestoreMetadata{Rollbacks: map[string][]RollbackMetadata{}, Version: 1}, "", "", false},
		{"indexing", Indexing, &IndexPlan{Version: 1}, &IndexMetadata{Version: 1}, "", "", false},
	}
	for _, version := range []int{6, 8} {
		for _, r := range rules {
			if r.action == Clustering && version < 8 || r.layoutOne && version >= 8 {
				continue
			}
			want := r.v8
			if version < 8 {
				want = r.v6
			}
			for _, when := range []string{"known", "unknown", "after"} {
				for _, end := range []string{" pending", " done"} {
					err := r.beside(t, version, when, end == " done")
					var c *ConflictError
					if got := errors.As(err, &c); err != nil && !got {
						t.Errorf("version %d, %s, %s: %v", version, r.name, when+end, err)
					} else if got != listed(want, when+end) {
						t.Errorf("version %d, %s, %s: %v", version, r.name, when+end, err)
					}
				}
			}
		}
	}
}

// listed says whether a list of cases has one.
func listed(list, one string) bool { return slices.Contains(strings.Split(list, ", "), one) }

// beside does the action beside a write, and tells what the write finds when it commits.
func (r rivalAction) beside(t *testing.T, version int, when string, done bool) error {
	t.Helper()
	m := storage.NewMem()
	must := func(i Instant, err error) Instant {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		return i
	}
	must(commit(t.Context(), m, version, someDay))
	var rival, mine Instant
	ask := func() { rival = must(load(t, m, version).Request(t.Context(), r.action, someDay, r.plan)) }
	read := load(t, m, version)
	if when != "after" {
		ask()
	}
	if when == "known" {
		read = load(t, m, version)
	}
	mine = must(load(t, m, version).Request(t.Context(), DeltaCommit, someDay, nil))
	if when == "after" {
		ask()
	}
	if done {
		rival = must(load(t, m, version).Begin(t.Context(), rival, nil))
		must(load(t, m, version).Complete(t.Context(), rival, someDay, r.said))
	}
	rivals, err := load(t, m, version).Rivals(t.Context(), mine, read)
	if err != nil {
		return err
	}
	return Conflict(mine, ofGroup, rivals)
}

// TestRolledBack: a write that another has rolled back cannot be completed any more, whenever that was.
func TestRolledBack(t *testing.T) {
	for _, version := range []int{6, 8} {
		for _, when := range []string{"planned", "done", "at the last moment"} {
			m := storage.NewMem()
			line := load(t, m, version)
			mine, err := line.Request(t.Context(), Commit, someDay, nil)
			if err == nil {
				mine, err = line.Begin(t.Context(), mine, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			plan := &RollbackPlan{InstantToRollback: &InstantInfo{CommitTime: mine.Time, Action: "commit"}, Version: 1}
			undo := func() error {
				now := load(t, m, version)
				_, err := now.Request(t.Context(), Rollback, someDay, plan)
				if err == nil && when != "planned" {
					err = now.Remove(t.Context(), mine)
				}
				return err
			}
			line = load(t, m, version)
			if when == "at the last moment" {
				line.Guard = func(ctx context.Context) error { return undo() }
			} else if err := undo(); err != nil {
				t.Fatal(err)
			}
			var gone *GoneError
			if _, err := line.Complete(t.Context(), mine, someDay, metadata("f")); !errors.As(err, &gone) {
				t.Errorf("version %d, %s: %v", version, when, err)
			}
			if got := load(t, m, version).Commits(); len(got) > 0 {
				t.Errorf("version %d, %s: committed %v", version, when, got)
			}
		}
	}
}
