package storage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// ErrStopped is what everything fails with after a planned stop: to the code
// under test the machine is gone.
var ErrStopped = errors.New("stopped by the test")

// Faults counts and logs operations, and makes one of them fail as planned. The
// zero value plans nothing. It may be used from several goroutines.
type Faults struct {
	mu   sync.Mutex
	n    int      // operations so far
	log  []string // the first of them
	at   int      // number of the operation to fail, from 1; 0 is none
	when When
	err  error
}

// When says how a planned fault hits.
type When uint8

const (
	Before When = iota // the operation is not applied, and fails
	After              // it is applied, and fails all the same: a lost answer
	Stop               // it is not applied, and it and all that follow fail
	Skip               // of Steps only: it is not applied, but reported done, as a left-out sync
)

// Fail plans a fault: the n-th operation from now on, counting from 1, fails
// with err, or with ErrStopped if err is nil. It replaces what was planned before.
func (f *Faults) Fail(n int, when When, err error) {
	switch {
	case when == Skip:
		err = nil
	case err == nil:
		err = ErrStopped
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at, f.when, f.err = f.n+n, when, err
}

// Clear plans nothing any more.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = 0
}

// Hit says whether the planned fault has happened.
func (f *Faults) Hit() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hit()
}

func (f *Faults) hit() bool { return f.at > 0 && f.n >= f.at }

// Count returns the number of operations so far.
func (f *Faults) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// Log returns the first 10,000 operations, one a line with its number, the one
// that failed as planned marked.
func (f *Faults) Log() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	for i, op := range f.log {
		fmt.Fprintf(&b, "%d %s\n", i+1, op)
	}
	return b.String()
}

// Ops returns the first 10,000 operations, such as "link t/_delta_log/0.json".
func (f *Faults) Ops() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.log)
}

// do counts an operation, and runs it unless its fault is planned. Operations
// that a stop has cut off are not counted.
func (f *Faults) do(op string, run func() error) error {
	hit, when, err := f.count(op)
	if hit && when != After {
		return err // nil to Skip
	}
	if e := run(); e != nil {
		return e
	}
	return err
}

func (f *Faults) count(op string) (hit bool, when When, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.when == Stop && f.hit() {
		return true, Stop, f.err
	}
	f.n++
	if f.n != f.at {
		f.note(op)
		return false, 0, nil
	}
	f.note(op + " <- " + [...]string{"fails", "fails after being done", "stops", "is skipped"}[f.when])
	return true, f.when, f.err
}

// note logs an operation. A test's log is short; a Mem in long use keeps no more
// than the start of it.
func (f *Faults) note(op string) {
	const most = 10_000
	if len(f.log) < most {
		f.log = append(f.log, op)
	}
}

// down returns the error of a stop that has happened, for operations that are
// not counted.
func (f *Faults) down() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.when == Stop && f.hit() {
		return f.err
	}
	return nil
}
