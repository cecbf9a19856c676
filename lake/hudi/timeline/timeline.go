package timeline

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// A Config says where a table keeps its timeline and how it is written. The same
// serves a metadata table, whose bucket is the folder .hoodie/metadata.
type Config struct {
	Version int            // of the table, hoodie.table.version: 5, 6, 8 or 9
	Layout  int            // hoodie.timeline.layout.version: 1 or 2
	Dir     string         // of the instants: ".hoodie", ".hoodie/timeline"
	Archive string         // of the archived: ".hoodie/archived", ".hoodie/timeline/history"
	Zone    *time.Location // of instants, hoodie.table.timeline.timezone; nil is UTC
}

// DefaultConfig returns the configuration of tables of a version, with the
// folders that Hudi gives them if nothing else is said.
func DefaultConfig(version int) Config {
	if version >= 8 {
		return Config{Version: version, Layout: 2, Dir: ".hoodie/timeline", Archive: ".hoodie/timeline/history"}
	}
	return Config{Version: version, Layout: 1, Dir: ".hoodie", Archive: ".hoodie/archived"}
}

// A Timeline is the active timeline of a table at the moment it was loaded. It
// does not change, and may be used from several goroutines.
type Timeline struct {
	Config

	// Guard, where set, is asked right before an action is completed, and may
	// refuse: a writer that has lost its lock or its sign of life must not.
	Guard func(context.Context) error

	b        storage.Bucket
	instants []Instant         // one of each action, in its last state; by Time
	states   map[action][]part // the files of an action
	start    string            // first instant that is no savepointed commit
}

// action names an action whatever its state: a compaction and the commit that it
// completes as are one.
type action struct {
	time string
	as   Action
}

// part is a file of an action.
type part struct {
	Instant
	modified time.Time
}

func (i Instant) key() action { return action{i.Time, i.Action.Completes()} }

// Load reads the active timeline of a table in one listing. Files that are none
// of a timeline are passed over. A folder without any is an empty timeline.
func Load(ctx context.Context, b storage.Bucket, c Config) (*Timeline, error) {
	t := &Timeline{Config: c, b: b, states: make(map[action][]part)}
	// Names that start with a dot sort before digits, folders with other names
	// after them: the listing enters neither.
	for info, err := range b.List(ctx, c.Dir, c.Dir+"//") {
		if err != nil {
			return nil, fmt.Errorf("load timeline: %w", err)
		}
		name := strings.TrimPrefix(info.Name, c.Dir+"/")
		if name[0] > '9' {
			break
		}
		if strings.Contains(name, "/") {
			continue
		}
		i, ok, err := parseName(c.Layout, name)
		if err != nil {
			return nil, fmt.Errorf("load timeline %s: %w", c.Dir, err)
		}
		if !ok {
			continue
		}
		p := part{i, info.ModTime}
		if i.State == Completed && c.Layout < 2 {
			p.Completion = FormatTime(info.ModTime, c.Zone)
		}
		t.states[i.key()] = append(t.states[i.key()], p)
	}
	t.finish()
	return t, nil
}

// finish makes the list of instants from the files of actions.
func (t *Timeline) finish() {
	t.instants = make([]Instant, 0, len(t.states))
	for _, parts := range t.states {
		last := slices.MaxFunc(parts, func(a, b part) int {
			return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(b.Completion, a.Completion))
		})
		t.instants = append(t.instants, last.Instant)
	}
	slices.SortFunc(t.instants, func(a, b Instant) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Action, b.Action))
	})
	t.start = t.firstUnsaved()
}

// firstUnsaved is where the part of the timeline begins that archival has left
// whole. Savepointed commits stay behind when those around them are archived, and
// completed ones without a request when an archival was interrupted.
func (t *Timeline) firstUnsaved() string {
	saved := make(map[string]bool)
	for _, i := range t.instants {
		saved[i.Time] = saved[i.Time] || i.Action == Savepoint
	}
	first := ""
	for _, i := range t.instants {
		if !i.Action.Completes().Writes() || saved[i.Time] {
			continue
		}
		if _, asked := t.InState(i, Requested); asked {
			return i.Time
		}
		if first == "" {
			first = i.Time
		}
	}
	return first
}

// Path returns the name of an instant's file in the bucket.
func (c Config) Path(i Instant) string { return path.Join(c.Dir, i.Name(c.Layout)) }

// InState returns the instant as it is in another state of the same action, as
// far as the timeline has a file of it: the requested compaction of a commit.
func (t *Timeline) InState(i Instant, s State) (Instant, bool) {
	for _, p := range t.states[i.key()] {
		if p.State == s {
			return p.Instant, true
		}
	}
	return Instant{}, false
}

// maxRecord bounds what an instant may say, in bytes.
const maxRecord = 1 << 30

// Read reads the file of an instant and decodes it into m. Inflight files may be
// empty, which leaves m as it was. It is fs.ErrNotExist if the instant is gone
// meanwhile: archived or rolled back.
func (t *Timeline) Read(ctx context.Context, i Instant, m Record) error {
	data, err := t.ReadRaw(ctx, i)
	if err != nil {
		return fmt.Errorf("read instant %s: %w", i, err)
	}
	if err := Decode(data, m); err != nil {
		return fmt.Errorf("read instant %s: %w", i, &DamagedError{Path: t.Path(i), Err: err})
	}
	return nil
}

// A DamagedError is a file of the timeline that cannot be understood.
type DamagedError struct {
	Path string // in the bucket
	Err  error
}

func (e *DamagedError) Error() string { return e.Err.Error() }

func (e *DamagedError) Unwrap() error { return e.Err }

// ReadRaw reads the bytes of the file of an instant.
func (t *Timeline) ReadRaw(ctx context.Context, i Instant) ([]byte, error) {
	return storage.ReadFile(ctx, t.b, t.Path(i), maxRecord)
}

// ReadCommit reads what a commit, deltacommit or replacecommit says, also while
// it is inflight.
func (t *Timeline) ReadCommit(ctx context.Context, i Instant) (*CommitMetadata, error) {
	m := new(CommitMetadata)
	return m, t.Read(ctx, i, m)
}
