package duckdb

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Error is an error that DuckDB reported.
type Error struct {
	Type     string // DuckDB's exception type, such as "Out of Memory" or "Conversion"; may be empty
	Subtype  string // a finer word such as "COLUMN_NOT_FOUND"; usually empty
	Position int    // byte offset in the statement sent, or -1
	Message  string
}

func (e *Error) Error() string {
	if e.Type == "" {
		return "duckdb: " + e.Message
	}
	return "duckdb: " + e.Type + ": " + e.Message
}

// fatal reports whether the instance that gave e can no longer be trusted.
func (e *Error) fatal() bool {
	return e.Type == "INTERNAL" || e.Type == "FATAL" || strings.Contains(e.Message, "database has been invalidated")
}

// newError reads a message of DuckDB, which is JSON where errors_as_json reaches and text elsewhere.
func newError(msg string) *Error {
	var j struct {
		Type     string `json:"exception_type"`
		Message  string `json:"exception_message"`
		Subtype  string `json:"error_subtype"`
		Position string `json:"position"`
	}
	if strings.HasPrefix(msg, "{") && json.Unmarshal([]byte(msg), &j) == nil && j.Message != "" {
		e := &Error{Type: j.Type, Subtype: j.Subtype, Message: j.Message, Position: -1}
		if n, err := strconv.Atoi(j.Position); err == nil {
			e.Position = n
		}
		return e
	}
	e := &Error{Message: msg, Position: -1}
	if kind, rest, ok := strings.Cut(msg, " Error: "); ok && len(kind) < 40 {
		e.Type, e.Message = kind, rest
	}
	return e
}
