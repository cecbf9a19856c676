package timeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// NewTime returns an instant for now, 17 digits in a zone, that is greater than
// after: at least the next millisecond after it. Clocks that go back, also a
// zone's at the end of summer time, do not bring an instant back.
func NewTime(now time.Time, zone *time.Location, after string) string {
	t := FormatTime(now, zone)
	if t > after {
		return t
	}
	return next(after)
}

// next is the least instant of 17 digits that is greater than one.
func next(instant string) string {
	const width = len(layoutTime) + 3
	if at, err := ParseTime(instant, time.UTC); err == nil && len(instant) >= width {
		return FormatTime(at.Add(time.Millisecond), time.UTC)
	}
	for len(instant) < width { // 14 digits: the end of their second is greater
		instant += "9"
	}
	n, _ := strconv.ParseUint(instant[:width], 10, 64)
	return fmt.Sprintf("%0*d", width, n+1)
}

// A GoneError says that an action is not in the state that a step needs: another
// writer has rolled it back or done it.
type GoneError struct {
	Instant Instant
	Reason  string
}

func (e *GoneError) Error() string { return fmt.Sprintf("instant %s: %s", e.Instant, e.Reason) }

// Request puts a new action on the timeline, at a time greater than all of t, and
// says what it is to do: plan, or nothing if that is nil. If another writer has
// taken the time, the next one is tried. Hold the table's lock, so that no two
// writers take one time for different actions.
func (t *Timeline) Request(ctx context.Context, a Action, now time.Time, plan Record) (Instant, error) {
	const tries = 100
	after := t.LastTime()
	for range tries {
		i := Instant{Time: NewTime(now, t.Zone, after), Action: a, State: Requested}
		err := t.create(ctx, i, plan)
		if !errors.Is(err, fs.ErrExist) {
			return i, err
		}
		after = i.Time
	}
	return Instant{}, fmt.Errorf("request %s: %d instants after %s are taken: %w", a, tries, after, fs.ErrExist)
}

// RequestAt is Request at a given time: of a metadata table, whose instants are
// those of its table. It is fs.ErrExist if the time is taken.
func (t *Timeline) RequestAt(ctx context.Context, a Action, time string, plan Record) (Instant, error) {
	i := Instant{Time: time, Action: a, State: Requested}
	return i, t.create(ctx, i, plan)
}

// Begin makes a requested action inflight. What it says, m, may be nil; a commit
// does not say yet what it replaces. It is fs.ErrExist if the action is inflight
// already.
func (t *Timeline) Begin(ctx context.Context, i Instant, m Record) (Instant, error) {
	i.State, i.Completion = Inflight, ""
	if c, ok := m.(*CommitMetadata); ok {
		expected := *c
		expected.PartitionToReplaceFileIDs = nil
		m = &expected
	}
	return i, t.create(ctx, i, m)
}

// Complete makes an action done, with what it says. Hold the table's lock: the
// timeline is loaded anew to give a completion time greater than all others.
//
// The outcome is one of three: nil, the action is done; an error that is
// storage.ErrUnknown, it may be done; any other error, it is not done. A
// *GoneError says that the action is no longer on the timeline.
func (t *Timeline) Complete(ctx context.Context, i Instant, now time.Time, m Record) (Instant, error) {
	fresh, err := Load(ctx, t.b, t.Config)
	if err != nil {
		return Instant{}, err
	}
	if done, ok := fresh.InState(i, Completed); ok {
		return done, &GoneError{done, "is completed already"}
	}
	if len(fresh.states[i.key()]) == 0 {
		return Instant{}, &GoneError{i, "is no longer on the timeline: another writer has rolled it back"}
	}
	if _, begun := fresh.InState(i, Inflight); i.State == Inflight && !begun {
		return Instant{}, &GoneError{i, "is no longer inflight: another writer has taken back what was done of it"}
	}
	if err := fresh.checkKept(ctx, i); err != nil {
		return Instant{}, err
	}
	done := Instant{Time: i.Time, Action: i.Action.Completes(), State: Completed}
	if done.Completion = NewTime(now, t.Zone, max(i.Time, fresh.LastTime())); t.Layout < 2 {
		done.Completion = FormatTime(now, t.Zone) // of the file, more or less
	}
	if t.Guard != nil {
		if err := t.Guard(ctx); err != nil {
			return Instant{}, fmt.Errorf("complete instant %s: %w", i, err)
		}
	}
	if err := t.create(ctx, done, m); err != nil {
		return done, err
	}
	if err := fresh.confirm(context.WithoutCancel(ctx), i, done); err != nil {
		return done, err
	}
	return done, t.stillGuarded(context.WithoutCancel(ctx), i)
}

// stillGuarded fails when the guard of an action was lost while it was completed: another writer may have completed one beside it that
// neither has seen.
func (t *Timeline) stillGuarded(ctx context.Context, i Instant) error {
	if t.Guard == nil {
		return nil
	}
	if err := t.Guard(ctx); err != nil {
		return fmt.Errorf("%w: instant %s was completed, but its writer had lost the table by then: %w", storage.ErrUnknown, i, err)
	}
	return nil
}

// Standing fails with a *GoneError if an action that t has as pending was taken
// off the timeline since, or is not on t at all.
func (t *Timeline) Standing(ctx context.Context, i Instant) error {
	asked, ok := t.InState(i, Requested)
	if ok {
		there, err := t.stored(ctx, asked)
		if there || err != nil {
			return err
		}
	}
	return &GoneError{i, "is no longer on the timeline: another writer has rolled it back"}
}

// stored says whether the file of an instant is there now.
func (t *Timeline) stored(ctx context.Context, i Instant) (bool, error) {
	f, err := t.b.Open(ctx, t.Path(i))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// confirm takes an action back that was rolled back while it was completed: by
// a writer that has taken the lock of one which was held up for so long between
// its last look and this. Its files are gone, and its request.
func (t *Timeline) confirm(ctx context.Context, i, done Instant) error {
	asked, ok := t.InState(i, Requested)
	if !ok {
		return nil
	}
	there, err := t.stored(ctx, asked)
	if there {
		return err
	}
	if err != nil {
		return nil // it is done, as far as is known
	}
	if err := t.b.Remove(ctx, t.Path(done)); err != nil {
		return fmt.Errorf("%w: instant %s was rolled back while it was completed: %w", storage.ErrUnknown, i, err)
	}
	return &GoneError{i, "was rolled back by another writer while it was completed"}
}

// checkKept fails if a rollback of an action is under way: one that was
// interrupted has a plan, and will be resumed.
func (t *Timeline) checkKept(ctx context.Context, i Instant) error {
	for _, r := range t.Pending(Rollback) {
		var plan RollbackPlan
		if asked, ok := t.InState(r, Requested); ok {
			if err := t.Read(ctx, asked, &plan); err != nil {
				return err
			}
		}
		if plan.InstantToRollback != nil && plan.InstantToRollback.CommitTime == i.Time {
			return &GoneError{i, "is being rolled back by " + r.Time}
		}
	}
	return nil
}

// create writes the file of an instant. An unknown outcome is settled by reading
// the file back where that can settle it.
func (t *Timeline) create(ctx context.Context, i Instant, m Record) error {
	var data []byte
	if m != nil {
		var err error
		if data, err = Encode(m, t.Version); err != nil {
			return fmt.Errorf("write instant %s: %w", i, err)
		}
	}
	err := storage.WriteFile(ctx, t.b, t.Path(i), storage.Exclusive, data)
	if errors.Is(err, storage.ErrUnknown) && !errors.Is(err, storage.ErrNotDurable) {
		if found, e := t.ReadRaw(context.WithoutCancel(ctx), i); e == nil {
			if len(data) > 0 && bytes.Equal(found, data) {
				return nil
			}
			if len(data) > 0 {
				err = fs.ErrExist
			}
		}
	}
	if err != nil {
		return fmt.Errorf("write instant %s: %w", i, err)
	}
	return nil
}

// Remove takes a pending action off the timeline: first what makes it inflight,
// then the request, so that a crash leaves it pending still. Completed actions
// are refused; see Unpublish.
func (t *Timeline) Remove(ctx context.Context, i Instant) error {
	if _, ok := t.InState(i, Completed); ok {
		return &GoneError{i, "is completed, and is not removed"}
	}
	for _, s := range []State{Inflight, Requested} {
		for _, p := range t.states[i.key()] {
			if p.State != s {
				continue
			}
			if err := t.b.Remove(ctx, t.Path(p.Instant)); err != nil {
				return fmt.Errorf("remove instant %s: %w", p.Instant, err)
			}
		}
	}
	return nil
}

// Unpublish takes back that an action is completed: it is pending afterwards, if
// its other files are there. It is the first step of rolling back a commit.
func (t *Timeline) Unpublish(ctx context.Context, i Instant) error {
	done, ok := t.InState(i, Completed)
	if !ok {
		return nil
	}
	// A file written after it makes the removal last: were the instant back after a power loss, it would name files that are gone.
	barrier := path.Join(t.Dir, ".unpublished_"+i.Time)
	err := t.b.Remove(ctx, t.Path(done))
	if err == nil {
		err = storage.WriteFile(ctx, t.b, barrier, storage.Replace, nil)
	}
	if err == nil {
		err = t.b.Remove(ctx, barrier)
	}
	if err != nil {
		return fmt.Errorf("take back instant %s: %w", done, err)
	}
	return nil
}
