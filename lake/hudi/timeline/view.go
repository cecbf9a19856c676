package timeline

import (
	"cmp"
	"slices"
	"sort"
)

// Instants returns all actions in the last state that each has reached, by the
// time of their requests. The slice is the caller's.
func (t *Timeline) Instants() []Instant { return slices.Clone(t.instants) }

// Completed returns the completed actions of the given kinds, of all if none is
// given, by the time of their requests.
func (t *Timeline) Completed(of ...Action) []Instant {
	return t.filter(func(i Instant) bool { return i.State == Completed && isOneOf(i.Action, of) })
}

// Pending returns the actions that are requested or inflight, of the given kinds
// or of all, by the time of their requests. Pending clusterings of layout 1 are
// replacecommits as insert overwrites are; their plans tell them apart.
func (t *Timeline) Pending(of ...Action) []Instant {
	return t.filter(func(i Instant) bool { return i.State != Completed && isOneOf(i.Action, of) })
}

func isOneOf(a Action, of []Action) bool { return len(of) == 0 || slices.Contains(of, a) }

func (t *Timeline) filter(keep func(Instant) bool) (out []Instant) {
	for _, i := range t.instants {
		if keep(i) {
			out = append(out, i)
		}
	}
	return out
}

// Commits returns the completed commits, deltacommits and replacecommits, by the
// time of their requests.
func (t *Timeline) Commits() []Instant { return t.Completed(Commit, DeltaCommit, ReplaceCommit) }

// ByCompletion returns the completed commits, deltacommits and replacecommits in
// the order in which they became visible: by completion time in layout 2, by the
// time of their requests in layout 1.
func (t *Timeline) ByCompletion() []Instant {
	out := t.Commits()
	if t.Layout >= 2 {
		slices.SortStableFunc(out, func(a, b Instant) int { return cmp.Compare(a.Completion, b.Completion) })
	}
	return out
}

// Last returns the newest completed commit, deltacommit or replacecommit by the
// time of its request: the instant that names the table's state.
func (t *Timeline) Last() (Instant, bool) { return last(t.Commits()) }

func last(list []Instant) (Instant, bool) {
	if len(list) == 0 {
		return Instant{}, false
	}
	return list[len(list)-1], true
}

// AsOf returns the commits of the table's state at a time: those requested at or
// before it. It is what time travel and savepoints mean by a time.
func (t *Timeline) AsOf(time string) []Instant {
	list := t.Commits()
	return list[:sort.Search(len(list), func(i int) bool { return list[i].Time > time })]
}

// Find returns the action at a time, in its last state. Savepoints and indexing
// may share the time of a commit, which is then the one returned.
func (t *Timeline) Find(time string) (found Instant, ok bool) {
	for _, i := range t.at(time) {
		if !ok || i.Action.Completes().Writes() {
			found, ok = i, true
		}
	}
	return found, ok
}

// At returns the action of a kind at a time, in its last state.
func (t *Timeline) At(time string, a Action) (Instant, bool) {
	for _, i := range t.at(time) {
		if i.Action == a {
			return i, true
		}
	}
	return Instant{}, false
}

// at are the actions at a time.
func (t *Timeline) at(time string) []Instant {
	from := sort.Search(len(t.instants), func(i int) bool { return t.instants[i].Time >= time })
	to := from
	for to < len(t.instants) && t.instants[to].Time == time {
		to++
	}
	return t.instants[from:to]
}

// Start returns the time at which the active timeline begins, "" if it has no
// commit: what is older is completed and archived, or was never there.
// Savepointed commits, which archival leaves behind, do not count.
func (t *Timeline) Start() string { return t.start }

// Archived says whether an instant lies before the active timeline.
func (t *Timeline) Archived(time string) bool { return t.start != "" && time < t.start }

// CompletionOf returns when a commit became visible: files of it are part of the
// table. Of archived ones it is the
// time of the request, before everything that is active; of layout 1 as well, in
// which that time orders everything. It is not ok of one that is pending, rolled
// back or unknown.
func (t *Timeline) CompletionOf(time string) (string, bool) {
	for _, i := range t.at(time) {
		switch {
		case i.State != Completed || !i.Action.Writes():
		case t.Layout >= 2:
			return i.Completion, true
		default:
			return i.Time, true
		}
	}
	if t.Archived(time) {
		return time, true
	}
	return "", false
}

// LastTime returns the greatest time of the timeline, of requests and of
// completions (of layout 2). A new instant must be greater.
func (t *Timeline) LastTime() string {
	greatest := ""
	for _, i := range t.instants {
		greatest = max(greatest, i.Time)
		if t.Layout >= 2 {
			greatest = max(greatest, i.Completion)
		}
	}
	return greatest
}
