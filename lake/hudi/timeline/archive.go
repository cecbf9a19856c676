package timeline

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/tarn-lake/tarn/storage"
)

// Archival says how much of a timeline stays active.
type Archival struct {
	// Min and Max are hoodie.keep.min.commits and hoodie.keep.max.commits: when
	// there are more than Max completed commits, all but the last Min are
	// archived. Zero is 20 and 30.
	Min, Max int

	// DeltaCommits is hoodie.compact.inline.max.delta.commits of a merge-on-read
	// table: that many since the last compaction stay, to start the next. Zero is
	// no such bound.
	DeltaCommits int

	// Retain bounds what is archived: nothing requested at or after it. "" is no
	// bound. With a metadata table it is the first commit that its last compaction
	// does not cover; of a metadata table, the first commit of its table.
	Retain string
}

// ArchiveOld moves completed actions of old from the active timeline to the
// archive, as Hudi does: commits that are not needed any more, and the cleans and
// rollbacks among them. It returns how many. Never archived is what comes after
// a pending action or a savepoint, and a replacecommit whose replaced files may
// still be there. Hold the table's lock. A crash in between loses nothing, and
// the next call ends what was begun.
func (t *Timeline) ArchiveOld(ctx context.Context, a Archival) (int, error) {
	old, err := t.archivable(ctx, a)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	if t.Layout >= 2 {
		err = t.writeHistory(ctx, old)
	} else {
		err = t.writeArchiveLog(ctx, old)
	}
	if err == nil {
		err = t.removeArchived(ctx, old)
	}
	if err != nil {
		return 0, fmt.Errorf("archive timeline: %w", err)
	}
	return len(old), nil
}

// removeArchived removes the files of archived actions. Where a timeline starts is
// told by the first commit that has its request, so requests go first, and for
// good; then a power loss may bring back some of the completed files and not
// others, and the timeline has no hole.
func (t *Timeline) removeArchived(ctx context.Context, old []Instant) error {
	var pending, completed []string
	for _, i := range old {
		if err := RemoveMarkers(ctx, t.b, i.Time); err != nil {
			return err
		}
		for _, p := range t.states[i.key()] {
			if p.State == Completed {
				completed = append(completed, t.Path(p.Instant))
			} else {
				pending = append(pending, t.Path(p.Instant))
			}
		}
	}
	if err := t.b.Remove(ctx, pending...); err != nil {
		return err
	}
	barrier := path.Join(t.Dir, ".archived_"+old[len(old)-1].Time)
	if err := storage.WriteFile(ctx, t.b, barrier, storage.Replace, nil); err != nil {
		return err
	}
	for _, name := range completed { // in their order: readers that load meanwhile see no hole
		if err := t.b.Remove(ctx, name); err != nil {
			return err
		}
	}
	return t.b.Remove(ctx, barrier)
}

// archivable are the actions to archive, by the time of their requests.
func (t *Timeline) archivable(ctx context.Context, a Archival) ([]Instant, error) {
	if a.Max <= 0 {
		a.Min, a.Max = 20, 30
	}
	a.Min = max(1, min(a.Min, a.Max))
	commits, err := t.archivableCommits(ctx, a)
	if err != nil {
		return nil, err
	}
	out := commits
	for _, action := range []Action{Clean, Rollback} {
		out = append(out, t.archivableServices(action, commits, a)...)
	}
	slices.SortStableFunc(out, func(x, y Instant) int { return cmpTime(x, y) })
	return out, nil
}

func cmpTime(a, b Instant) int {
	switch {
	case a.Time < b.Time:
		return -1
	case a.Time > b.Time:
		return 1
	}
	return 0
}

// archivableServices are cleans or rollbacks to archive: in layout 2 those before
// the last commit that is archived, in layout 1 by their own number.
func (t *Timeline) archivableServices(action Action, commits []Instant, a Archival) (out []Instant) {
	done := t.Completed(action)
	if t.Layout < 2 {
		if len(done) > a.Max {
			for _, i := range done[:len(done)-a.Min] {
				if a.Retain == "" || i.Time < a.Retain {
					out = append(out, i)
				}
			}
		}
		return out
	}
	for _, i := range done {
		if len(commits) > 0 && i.Time < commits[len(commits)-1].Time {
			out = append(out, i)
		}
	}
	return out
}

func (t *Timeline) archivableCommits(ctx context.Context, a Archival) ([]Instant, error) {
	commits := t.Commits()
	if len(commits) <= a.Max {
		return nil, nil
	}
	bounds := []string{a.Retain, t.boundOfPending(commits), t.boundOfCompaction(a.DeltaCommits)}
	replaced, err := t.boundOfReplaced(ctx)
	if err != nil {
		return nil, err
	}
	bounds = append(bounds, replaced)
	if saved := t.Completed(Savepoint); len(saved) > 0 {
		bounds = append(bounds, saved[0].Time)
	}
	commits = commits[:len(commits)-a.Min]
	for _, bound := range bounds {
		if bound != "" {
			commits = slices.DeleteFunc(commits, func(i Instant) bool { return i.Time >= bound })
		}
	}
	return commits, nil
}

// boundOfPending is the last commit before the first pending write, which stays
// to tell whether files of that write are committed; or that write.
func (t *Timeline) boundOfPending(commits []Instant) string {
	pending := t.Pending(Commit, DeltaCommit, ReplaceCommit, Compaction, LogCompaction, Clustering)
	if len(pending) == 0 {
		return ""
	}
	bound := pending[0].Time
	for _, i := range commits {
		if i.Time < pending[0].Time {
			bound = i.Time
		}
	}
	return bound
}

// boundOfCompaction keeps the deltacommits that are counted towards the next
// compaction: all since the last one if they are few, or the last n.
func (t *Timeline) boundOfCompaction(n int) string {
	if n <= 0 {
		return ""
	}
	since, _ := last(t.Completed(Commit))
	var deltas []Instant
	for _, i := range t.Completed(DeltaCommit) {
		if i.Time > since.Time {
			deltas = append(deltas, i)
		}
	}
	switch {
	case len(deltas) >= n:
		return deltas[len(deltas)-n].Time
	case since.Time != "":
		return since.Time
	case len(deltas) > 0:
		return deltas[0].Time
	}
	return ""
}

// boundOfReplaced is the first replacecommit whose replaced files may still be
// there: not before what the last clean retains. Without it on the timeline, they
// would be taken for files of the table.
func (t *Timeline) boundOfReplaced(ctx context.Context) (string, error) {
	retained := ""
	if clean, ok := last(t.Completed(Clean)); ok {
		var m CleanMetadata
		if err := t.Read(ctx, clean, &m); err != nil {
			return "", err
		}
		if retained = m.EarliestCommitToRetain; retained == "" && byVersions(&m) {
			retained = clean.Time // cleaned by numbers of versions: all that was replaced before
		}
	}
	for _, i := range t.Completed(ReplaceCommit) {
		if i.Time >= retained {
			return i.Time, nil
		}
	}
	return "", nil
}

func byVersions(m *CleanMetadata) bool {
	for _, p := range m.PartitionMetadata {
		return p.Policy == "KEEP_LATEST_FILE_VERSIONS"
	}
	return false
}

// plan returns the bytes of the request of an archived action, where the archive
// of layout 2 keeps them.
func (t *Timeline) plan(ctx context.Context, i Instant) ([]byte, error) {
	asked, ok := t.InState(i, Requested)
	if !ok || i.Action == Rollback || i.Action != Clean && i.Action != ReplaceCommit && asked.Action.Completes() == asked.Action {
		return nil, nil
	}
	data, err := t.ReadRaw(ctx, asked)
	if len(data) == 0 {
		return nil, err
	}
	return data, err
}
