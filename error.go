package tarn

import (
	"fmt"
	"strings"
)

// Error is why a statement failed: Spark's error class and SQLSTATE, and where in the text the fault is.
type Error struct {
	Class    string            // such as TABLE_OR_VIEW_NOT_FOUND or DELTA_CONCURRENT_APPEND.WITHOUT_HINT
	SQLState string            // five characters
	Message  string            // what is wrong, in one or two sentences
	Params   map[string]string // of the class, by Spark's names
	Hint     string            // what can be done about it, or ""

	Statement string // the text that failed, or "" where there is none
	Start     int    // the offending part is Statement[Start:Stop]; both are 0 when it is not known
	Stop      int
	Line      int    // of Start, from 1; 0 when not known
	Column    int    // of Start, in characters from 0, as Spark counts
	Fragment  string // the offending part

	Err error // the cause
}

// Error is one line: class, message, SQLSTATE and position.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Class != "" {
		b.WriteString("[" + e.Class + "] ")
	}
	b.WriteString(e.Message)
	if e.SQLState != "" {
		b.WriteString(" SQLSTATE: " + e.SQLState)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "; line %d pos %d", e.Line, e.Column)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Detail is the error for a person at a terminal: Error, the line of the statement with a caret under the
// offending part, and the hint.
func (e *Error) Detail() string {
	var b strings.Builder
	b.WriteString(e.Error())
	if line, ok := e.sourceLine(); ok {
		carets := max(1, min(len([]rune(e.Fragment)), len([]rune(line))-e.Column))
		if i := strings.IndexByte(e.Fragment, '\n'); i >= 0 {
			carets = max(1, len([]rune(line))-e.Column)
		}
		fmt.Fprintf(&b, "\n  %s\n  %s%s", line, pad(line, e.Column), strings.Repeat("^", carets))
	}
	if e.Hint != "" {
		b.WriteString("\nHint: " + e.Hint)
	}
	return b.String()
}

func (e *Error) sourceLine() (string, bool) {
	lines := strings.Split(e.Statement, "\n")
	if e.Line < 1 || e.Line > len(lines) {
		return "", false
	}
	return strings.TrimRight(lines[e.Line-1], "\r"), true
}

// pad is as wide as the first n characters of line, with its tabs kept.
func pad(line string, n int) string {
	var b strings.Builder
	for i, r := range []rune(line) {
		if i == n {
			break
		}
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
