package config

import (
	"errors"
	"fmt"
)

// ErrChecksum is in the [Error] of properties whose checksum is not that of their names: [Mend] writes it anew.
var ErrChecksum = errors.New("checksum does not fit the name")

// DamagedError is a properties file that is not whole, where no backup is: empty, cut off, or no properties at all.
type DamagedError struct {
	Path   string // of the file
	Reason string // "is empty"
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s %s and there is no usable %s: write it anew, or restore it from a copy", e.Path, e.Reason, Backup)
}

// Error is a property that cannot be used as it is.
type Error struct {
	Path  string // the file; "" where properties came from elsewhere
	Key   string
	Value string
	Hint  string
	Err   error
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s=%q: %v", e.Key, e.Value, e.Err)
	if e.Path != "" {
		s = e.Path + ": " + s
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }
