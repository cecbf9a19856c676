package config

import "fmt"

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
