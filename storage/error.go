package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
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

// Failed reports whether err came of reading or writing files: of a disk, a file system or a service. Of what is written in the files,
// or was asked for, it does not speak.
func Failed(err error) bool {
	var own *Error
	var path *fs.PathError
	var link *os.LinkError
	var system syscall.Errno
	return errors.As(err, &own) || errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &system) ||
		errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, ErrUnknown)
}
