package timeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// A FileGroup names a file group: no two writers may change one at a time.
type FileGroup struct{ Partition, FileID string }

func (g FileGroup) String() string {
	if g.Partition == "" {
		return g.FileID
	}
	return g.Partition + "/" + g.FileID
}

// Groups returns the file groups that a commit has changed or taken out, sorted.
func (m *CommitMetadata) Groups() []FileGroup {
	var out []FileGroup
	for p, stats := range m.PartitionToWriteStats {
		for i := range stats {
			if stats[i].FileID != "" {
				out = append(out, FileGroup{p, stats[i].FileID})
			}
		}
	}
	for p, ids := range m.PartitionToReplaceFileIDs {
		for _, id := range ids {
			out = append(out, FileGroup{p, id})
		}
	}
	return sortedGroups(out)
}

// onlyLogs says whether a commit has written log files alone, and replaced nothing.
func (m *CommitMetadata) onlyLogs() bool {
	for _, stats := range m.PartitionToWriteStats {
		for i := range stats {
			if !stats[i].IsLog() {
				return false
			}
		}
	}
	return len(m.PartitionToReplaceFileIDs) == 0
}

// Groups returns the file groups that a compaction is to rewrite, sorted.
func (p *CompactionPlan) Groups() []FileGroup {
	var out []FileGroup
	for i := range p.Operations {
		out = append(out, FileGroup{p.Operations[i].PartitionPath, p.Operations[i].FileID})
	}
	return sortedGroups(out)
}

// Groups returns the file groups that a clustering is to replace, sorted. An
// insert overwrite names none before it is done.
func (p *ReplacePlan) Groups() []FileGroup {
	var out []FileGroup
	if p.ClusteringPlan != nil {
		for _, g := range p.ClusteringPlan.InputGroups {
			for i := range g.Slices {
				out = append(out, FileGroup{g.Slices[i].PartitionPath, g.Slices[i].FileID})
			}
		}
	}
	return sortedGroups(out)
}

func sortedGroups(groups []FileGroup) []FileGroup {
	slices.SortFunc(groups, compareGroups)
	return slices.Compact(groups)
}

func compareGroups(a, b FileGroup) int {
	return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.FileID, b.FileID))
}

// A Rival is an action beside one's own, with the file groups it has changed or
// is to change.
type Rival struct {
	Instant   Instant
	Operation string // CommitMetadata.OperationType, "" of a pending action
	Groups    []FileGroup
	Below     bool // a compaction whose base files the logs of the write lie on
	Logs      bool // all that it has written are log files
}

// Compacts says whether the rival is a compaction or a log compaction, done or
// pending: it leaves every row as it was.
func (r Rival) Compacts() bool {
	return r.Operation == "COMPACT" || r.Operation == "LOG_COMPACT" || r.Instant.Action == Compaction || r.Instant.Action == LogCompaction
}

// A ConflictError says that two writers have changed one file group.
type ConflictError struct {
	Mine    Instant
	Winner  Instant
	Group   FileGroup
	Columns bool // it is about the columns of the table, not about a file group
}

func (e *ConflictError) Error() string {
	if e.Columns {
		return fmt.Sprintf("commit %s conflicts with %s: one of them changes the columns of the table", e.Mine.Time, e.Winner)
	}
	return fmt.Sprintf("commit %s conflicts with %s, which changes file group %s too", e.Mine.Time, e.Winner, e.Group)
}

// Conflict decides whether a write may commit: it returns a *ConflictError if a
// rival changes a file group that the write has changed, and nil otherwise. The
// rule is Hudi's for optimistic concurrency (SimpleConcurrentFileWrites): a
// compaction is no rival where the write's log files come after it.
func Conflict(mine Instant, groups []FileGroup, rivals []Rival) error {
	touched := make(map[FileGroup]bool, len(groups))
	for _, g := range groups {
		touched[g] = true
	}
	for _, r := range rivals {
		if r.Below {
			continue
		}
		for _, g := range r.Groups {
			if touched[g] {
				return &ConflictError{Mine: mine, Winner: r.Instant, Group: g}
			}
		}
	}
	return nil
}

// Rivals reads the actions beside mine since a timeline was loaded: those that
// have been completed meanwhile, and compactions and clusterings that were
// requested after mine or after since and are pending. Call it on a timeline
// that was loaded under the lock. An action that is gone when it is read is none.
//
// In layout 1 a log names the base file that it lies on, so it comes after a
// compaction only if its writer knew the plan; in layout 2 the time of its
// completion decides.
func (t *Timeline) Rivals(ctx context.Context, mine Instant, since *Timeline) ([]Rival, error) {
	var out []Rival
	for _, i := range t.instants {
		r, err := Rival{}, error(nil)
		known := len(since.at(i.Time)) > 0
		switch before, was := since.InState(i, Completed); {
		case i.key() == mine.key() || was && before.Time == i.Time:
			continue
		case i.State == Completed && i.Action.Writes():
			r, err = t.rivalCommit(ctx, i)
		case i.State != Completed && (i.Time > mine.Time || !known) && (i.Action.Completes() != i.Action || i.Action == ReplaceCommit):
			r, err = t.rivalPlan(ctx, i)
		default:
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r.Below = r.Compacts() && i.Time < mine.Time && (known || t.Layout > 1)
		out = append(out, r)
	}
	return out, nil
}

func (t *Timeline) rivalCommit(ctx context.Context, i Instant) (Rival, error) {
	m, err := t.ReadCommit(ctx, i)
	if err != nil {
		return Rival{}, err
	}
	return Rival{Instant: i, Operation: m.OperationType, Groups: m.Groups(), Logs: m.onlyLogs()}, nil
}

func (t *Timeline) rivalPlan(ctx context.Context, i Instant) (Rival, error) {
	asked, ok := t.InState(i, Requested)
	if !ok {
		return Rival{}, fs.ErrNotExist
	}
	if i.Action == Compaction || i.Action == LogCompaction {
		var p CompactionPlan
		err := t.Read(ctx, asked, &p)
		return Rival{Instant: i, Groups: p.Groups()}, err
	}
	var p ReplacePlan
	err := t.Read(ctx, asked, &p)
	return Rival{Instant: i, Groups: p.Groups()}, err
}
