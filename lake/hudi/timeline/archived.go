package timeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// An Archived is a completed action of old, which has left the active timeline.
type Archived struct {
	Instant

	// Metadata is what the completed action said, and Plan what its request did if
	// that is kept (nil if not), both for Decode. Layout 1 keeps less of a commit
	// than it had: nothing of log files and change files.
	Metadata, Plan []byte
}

// Commit returns what an archived commit, deltacommit or replacecommit said.
func (a *Archived) Commit() (*CommitMetadata, error) {
	m := new(CommitMetadata)
	if err := Decode(a.Metadata, m); err != nil {
		return nil, fmt.Errorf("archived instant %s: %w", a.Instant, err)
	}
	return m, nil
}

// ReadArchive reads the completed actions that were requested from one time to
// another, both included, and are archived, by the time of their requests. An
// empty to has no end. An action that a crash has left on the active timeline as
// well is among them.
func (t *Timeline) ReadArchive(ctx context.Context, from, to string) ([]Archived, error) {
	var (
		out []Archived
		err error
	)
	if t.Layout >= 2 {
		out, err = t.readHistory(ctx, from, to)
	} else {
		out, err = t.readArchiveLog(ctx, from, to)
	}
	if err != nil {
		return nil, fmt.Errorf("read archived timeline: %w", err)
	}
	slices.SortStableFunc(out, func(a, b Archived) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Action, b.Action)) })
	return slices.CompactFunc(out, func(a, b Archived) bool { return a.key() == b.key() }), nil
}

// inRange says whether a time lies in a range of which an empty end is open.
func inRange(time, from, to string) bool { return time >= from && (to == "" || time <= to) }
