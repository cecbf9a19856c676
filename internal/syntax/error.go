package syntax

import (
	"fmt"
	"strings"
)

// Error is one thing wrong with the text.
type Error struct {
	Span                         // the offending part; Pos is where a caret belongs
	Class      string            // Spark's error class, such as PARSE_SYNTAX_ERROR
	Params     map[string]string // the class's message parameters
	Msg        string            // what is wrong, for a person
	Incomplete bool              // the text ended too early: more of it may mend it
}

// Error returns the class and the message.
func (e *Error) Error() string { return "[" + e.Class + "] " + e.Msg }

// ErrorList holds the errors of one text, in the order of their positions.
// It is never returned empty.
type ErrorList []*Error

// Error returns the first error, and how many follow it.
func (l ErrorList) Error() string {
	switch len(l) {
	case 0:
		return "no errors"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", l[0].Error(), len(l)-1)
}

// Unwrap gives errors.As access to the single errors.
func (l ErrorList) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// Incomplete reports whether the text failed only because it ended too early.
func (l ErrorList) Incomplete() bool {
	for _, e := range l {
		if !e.Incomplete {
			return false
		}
	}
	return len(l) > 0
}

// LineColumn returns the line, counted from 1, and the column in characters,
// counted from 0 as Spark does, of offset p in src.
func LineColumn(src string, p Pos) (line, col int) {
	before := src[:min(max(int(p), 0), len(src))]
	line = 1 + strings.Count(before, "\n")
	return line, len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
}
