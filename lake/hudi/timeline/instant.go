package timeline

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An Action is what was done to a table, spelled as the ending of a file name.
type Action string

// The actions of Hudi 0.12 to 1.1.
const (
	Commit        Action = "commit"        // base files written; what compaction completes as
	DeltaCommit   Action = "deltacommit"   // log files written; what log compaction completes as
	ReplaceCommit Action = "replacecommit" // file groups replaced; what clustering completes as
	Compaction    Action = "compaction"    // pending only
	LogCompaction Action = "logcompaction" // pending only
	Clustering    Action = "clustering"    // pending only, layout 2; layout 1 says replacecommit
	Clean         Action = "clean"
	Rollback      Action = "rollback"
	Savepoint     Action = "savepoint"
	Restore       Action = "restore"
	Indexing      Action = "indexing"
	SchemaCommit  Action = "schemacommit"
)

var actions = [...]Action{Commit, DeltaCommit, ReplaceCommit, Compaction, LogCompaction, Clustering, Clean, Rollback, Savepoint, Restore, Indexing, SchemaCommit}

// Completes returns the action that the completed file of a has.
func (a Action) Completes() Action {
	switch a {
	case Compaction:
		return Commit
	case LogCompaction:
		return DeltaCommit
	case Clustering:
		return ReplaceCommit
	}
	return a
}

// Writes says whether a completed action of this name changes which data files a
// table has by adding some: a commit, deltacommit or replacecommit.
func (a Action) Writes() bool { return a == Commit || a == DeltaCommit || a == ReplaceCommit }

// A State is how far an action has come.
type State uint8

// The states, in the order in which an action goes through them.
const (
	Requested State = iota // planned; nothing is written yet
	Inflight               // files are being written
	Completed              // what was written counts
)

func (s State) String() string {
	switch s {
	case Requested:
		return "REQUESTED"
	case Inflight:
		return "INFLIGHT"
	case Completed:
		return "COMPLETED"
	}
	return "invalid state"
}

// An Instant is an action on the timeline, in the state it has reached.
type Instant struct {
	Time   string // when it was requested; its identity
	Action Action
	State  State

	// Completion is when it was completed, "" while it is pending. Layout 1 keeps
	// no such time: there it is the modification time of the completed file, as
	// Hudi's upgrade to layout 2 takes it, and a copied table has lost it.
	Completion string
}

func (i Instant) String() string {
	s := i.Time
	if i.State == Completed && i.Completion != "" {
		s += "_" + i.Completion
	}
	return s + "." + string(i.Action) + "[" + i.State.String() + "]"
}

// Name returns the file name of the instant in a layout, without its folder.
func (i Instant) Name(layout int) string {
	switch {
	case i.State == Completed && layout >= 2:
		return i.Time + "_" + i.Completion + "." + string(i.Action)
	case i.State == Completed:
		return i.Time + "." + string(i.Action)
	case i.State == Inflight && i.Action == Commit:
		return i.Time + ".inflight"
	case i.State == Inflight:
		return i.Time + "." + string(i.Action) + ".inflight"
	}
	return i.Time + "." + string(i.Action) + ".requested"
}

// parseName parses a file name of a timeline in a layout. Names that are no
// instant's are not ok. An error tells of a name that has the form of an instant
// and cannot be one of this layout, so that passing it over could hide rows.
func parseName(layout int, name string) (i Instant, ok bool, err error) {
	stem, rest, found := strings.Cut(name, ".")
	begin, completion, completed := strings.Cut(stem, "_")
	if !found || !digits(begin) || completed && !digits(completion) {
		return Instant{}, false, nil
	}
	i = Instant{Time: begin, Completion: completion, State: Completed}
	action := rest
	switch {
	case rest == "inflight":
		i.State, action = Inflight, string(Commit)
	case strings.HasSuffix(rest, ".inflight"):
		i.State, action = Inflight, strings.TrimSuffix(rest, ".inflight")
	case strings.HasSuffix(rest, ".requested"):
		i.State, action = Requested, strings.TrimSuffix(rest, ".requested")
	}
	if !word(action) {
		return Instant{}, false, nil
	}
	i.Action = Action(action)
	if reason := i.fault(layout, completed, rest != "inflight"); reason != "" {
		return Instant{}, false, fmt.Errorf("instant %q: %s", name, reason)
	}
	return i, true, nil
}

// fault says why an instant cannot be one of a layout.
func (i Instant) fault(layout int, completed, named bool) string {
	known := false
	for _, a := range actions {
		known = known || a == i.Action
	}
	switch {
	case !known:
		return "unknown action " + strconv.Quote(string(i.Action))
	case i.State == Inflight && i.Action == Commit && named:
		return "inflight commits are named without their action"
	case completed && i.State != Completed:
		return "a pending action has no completion time"
	case completed && layout < 2:
		return "timelines of layout 1 have no completion times in names"
	case i.State == Completed && !completed && layout >= 2:
		return "timelines of layout 2 have the completion time in the name"
	case i.State == Completed && i.Action.Completes() != i.Action:
		return "this action completes as " + string(i.Action.Completes())
	}
	return ""
}

// maxDigits bounds instants; the longest known are those of services of a
// metadata table, 20 digits.
const maxDigits = 24

// digits says whether s can be the time of an instant.
func digits(s string) bool {
	if s == "" || len(s) > maxDigits {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func word(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return s != ""
}

// layoutTime is an instant in the words of package time, less the milliseconds.
const layoutTime = "20060102150405"

// FormatTime returns the instant of a point in time in a zone, 17 digits.
func FormatTime(t time.Time, zone *time.Location) string {
	t = t.In(orUTC(zone))
	return t.Format(layoutTime) + fmt.Sprintf("%03d", t.Nanosecond()/1e6)
}

// ParseTime returns the point in time of an instant of a zone. Of more than 17
// digits the first 17 count; 14 digits mean the last millisecond of their
// second, as in Hudi.
func ParseTime(instant string, zone *time.Location) (time.Time, error) {
	text := instant
	if len(text) == len(layoutTime) {
		text += "999"
	}
	if !digits(instant) || len(text) < len(layoutTime)+3 {
		return time.Time{}, fmt.Errorf("instant %q is not a time of 14 or 17 digits", instant)
	}
	t, err := time.ParseInLocation(layoutTime, text[:len(layoutTime)], orUTC(zone))
	if err != nil {
		return time.Time{}, fmt.Errorf("instant %q is not a time", instant)
	}
	ms, err := strconv.Atoi(text[len(layoutTime) : len(layoutTime)+3])
	return t.Add(time.Duration(ms) * time.Millisecond), err
}

func orUTC(zone *time.Location) *time.Location {
	if zone == nil {
		return time.UTC
	}
	return zone
}
