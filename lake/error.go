package lake

import "fmt"

// Error is a failure of a table format: the operation, the file or folder, the cause, and what the user can do. Class
// and Params are Spark's, where one fits ("DELTA_TABLE_NOT_FOUND").
type Error struct {
	Op     string
	Path   string
	Class  string
	Params map[string]string
	Hint   string
	Err    error
}

func (e *Error) Error() string {
	s := e.Op
	if e.Path != "" {
		s += " " + e.Path
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// ConflictError says that another writer's commit makes this one impossible. Nothing was committed; running the
// statement again is safe.
type ConflictError struct {
	Class   string // Spark's error class, such as DELTA_CONCURRENT_APPEND.WITHOUT_HINT
	Params  map[string]string
	Table   string
	Version int64  // of the winning commit
	Winner  string // its operation
	Reason  string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: commit %d (%s) got in between: %s", e.Table, e.Version, e.Winner, e.Reason)
}

// UnknownOutcomeError says that it cannot be known whether the commit was made. Nothing was cleaned up. Reading
// version Version of the table tells: it is this transaction's if its id is TxnID.
type UnknownOutcomeError struct {
	Table   string
	Version int64
	TxnID   string
	Err     error
}

func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("%s: it is not known whether version %d was committed (transaction %s): %v", e.Table, e.Version, e.TxnID, e.Err)
}

func (e *UnknownOutcomeError) Unwrap() error { return e.Err }
