package storage

import (
	"errors"
	"fmt"
)

var (
	// ErrUnknown marks an outcome that is not known: what was asked for may
	// have happened, or may still happen. Nothing may be cleaned up on its
	// account; reading the name back may settle it.
	ErrUnknown = errors.New("outcome unknown")

	// ErrNotDurable is the kind of ErrUnknown that reading back cannot settle:
	// the file is visible, but the disk did not confirm it, so that a power loss
	// may still undo it.
	ErrNotDurable = fmt.Errorf("%w: written, but not confirmed by the disk", ErrUnknown)
)

// An Error tells which operation failed on which file.
type Error struct {
	Op   string // open, create, write, commit, list, remove, sync
	Path string // the file or directory, as its bucket spells it for people
	Err  error  // the cause
	Hint string // what the user can do about it, or ""
}

func (e *Error) Error() string {
	s := e.Op + " " + e.Path + ": " + e.Err.Error()
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }
