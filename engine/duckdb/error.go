package duckdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/engine"
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
		if strings.HasPrefix(rest, "{") {
			return newError(rest)
		}
		e.Type, e.Message = kind, rest
	}
	return e
}

// raised marks, in a message, an error that has a class of Spark's: JSON of class and parameters follows.
const raised = "tarn!"

// raise is the message of an error with a class, for error() in SQL and for Go functions. [Engine] turns it
// into an *engine.Error.
func raise(class string, params map[string]string) string {
	b, err := json.Marshal(raisedError{class, params})
	if err != nil {
		return class
	}
	return raised + string(b)
}

type raisedError struct {
	Class  string            `json:"class"`
	Params map[string]string `json:"params,omitempty"`
}

// classed gives err Spark's class, where DuckDB's words carry one or have one of their own.
func classed(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	if _, text, ok := strings.Cut(e.Message, raised); ok {
		var r raisedError
		if json.NewDecoder(strings.NewReader(text)).Decode(&r) == nil {
			return &engine.Error{Class: r.Class, Params: r.Params, Err: err}
		}
	}
	if class, params := nativeClass(e.Message); class != "" {
		return &engine.Error{Class: class, Params: params, Err: err}
	}
	for _, k := range known {
		m := k.words.FindStringSubmatch(e.Message)
		if m == nil || !slices.Contains(strings.Split(k.kind, "|"), e.Type) {
			continue
		}
		c := &engine.Error{Class: k.class, Msg: e.Message, Reason: k.reason, Hint: k.hint, Err: err}
		if strings.Contains(k.reason, "%s") {
			c.Reason = fmt.Sprintf(k.reason, m[len(m)-1])
		}
		if k.param != "" {
			c.Params = map[string]string{k.param: m[1]}
		}
		return c
	}
	return err
}

// known are messages of DuckDB that have a class in Spark, or that are not a fault of the program. The first that fits counts.
var known = []struct {
	kind   string // DuckDB's exception types
	words  *regexp.Regexp
	class  string
	param  string // parameter that holds the first group
	reason string // for people; %s is the first group, or the message where there is none
	hint   string
}{
	{"Invalid Input", regexp.MustCompile(`^More than one row returned by a subquery`), "SCALAR_SUBQUERY_TOO_MANY_ROWS", "", "", ""},
	{"IO", regexp.MustCompile(`^No files found that match the pattern "(.*)"`), notThere, "path", "There is no file %s.", doctor},
	{"IO", regexp.MustCompile(`^Cannot open file "(.*)": No such file`), notThere, "path", "There is no file %s.", doctor},
	{"IO", regexp.MustCompile(`^Cannot open file "(.*)": Permission denied`), unreadable, "path", "The file %s may not be read.", "Check the owner and mode of the file."},
	{"Permission", regexp.MustCompile(`^Cannot access file "(.*)" - file system`), unreadable, "path", "The file %s leads to a place that the table may not reach.", "Symbolic links out of the folder of a table are not followed."},
	{"Invalid Input|IO|Conversion|Invalid", regexp.MustCompile(`(?i)(?:reading|failed to read|in|of|length error in|the|^) ?file ['"](.+?)['"]`), unreadable, "path", "The file %s cannot be read: it is damaged, no Parquet file, or has other types than the table.", doctor},
	{"Invalid", regexp.MustCompile(`^[^\n]*`), unreadable, "", "A file cannot be read, it is damaged: %s", ""}, // of the decoder of Parquet's metadata
	{"Out of Memory", regexp.MustCompile(`max_temp_directory_size`), "UNABLE_TO_ACQUIRE_MEMORY", "", "The rows that do not fit into memory need more room than the folder for them has.", "Free some space there, or give a folder with more of it."},
	{"Out of Memory", regexp.MustCompile(`^[^\n]*`), "UNABLE_TO_ACQUIRE_MEMORY", "", "The statement needs more memory than it may use: %s.", "Allow more memory, or use fewer threads: each has its own buffers."},
	{"IO", regexp.MustCompile(`^[^\n]*`), "TARN_IO", "", "%s.", ""},
	{"Parser", regexp.MustCompile(`^Max expression depth limit|^memory exhausted at`), "FAILED_TO_PARSE_TOO_COMPLEX", "", "The statement is too complex: its expressions or joins are nested too deeply.", "Split the statement, with temporary views or tables for its parts."},
}

const (
	notThere   = "FAILED_READ_FILE.FILE_NOT_EXIST"
	unreadable = "FAILED_READ_FILE.NO_HINT"
	doctor     = "Restore it from a backup. tarn doctor tells which files of a Delta or Hudi table are missing or have the wrong size."
)
