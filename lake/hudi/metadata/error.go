package metadata

import "errors"

// ErrNone says that a table has no metadata table, or not the part that was asked for.
var ErrNone = errors.New("the table has no such metadata")

// StaleError says that the metadata table cannot be relied upon: it lacks a write to the table, or a file of it is damaged.
// The table itself is whole; its folder can be listed instead.
type StaleError struct {
	Path   string // of the file at fault, relative to the metadata table; "" when it is none in particular
	Reason string
	Err    error
}

func (e *StaleError) Error() string {
	s := "the metadata table cannot be relied upon: " + e.Reason
	if e.Path != "" {
		s += " in .hoodie/metadata/" + e.Path
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *StaleError) Unwrap() error { return e.Err }
