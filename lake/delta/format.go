package delta

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// Format opens Delta tables. The zero value is ready; it must not be copied after its first use. It keeps the states of
// the tables used last, and lists the log before it believes one of them.
type Format struct {
	// AllowedRoots are absolute folders that data files of any table may lie in beside the table's own, as shallow
	// clones need. None by default: a log is not trusted to name files elsewhere.
	AllowedRoots []string

	// Zone is of timestamps without a zone among partition values, which old writers left; nil is UTC.
	Zone *time.Location

	cache cache
	roots struct {
		sync.Mutex
		open map[string]storage.Bucket // of AllowedRoots
	}
}

// Table is a Delta table in one folder.
type Table struct {
	format *Format
	entry  lake.Entry
	bucket storage.Bucket
	path   string // for people
}

// Open is the table in e's folder. It is fs.ErrNotExist when the folder has no log.
func (f *Format) Open(ctx context.Context, e lake.Entry) (lake.Table, error) {
	t := f.table(e)
	found, err := t.exists(ctx)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, t.missing()
	}
	return t, nil
}

// table is the table of e, which may not exist.
func (f *Format) table(e lake.Entry) *Table {
	path := e.Location
	if path == "" {
		path = e.Name.String()
	}
	return &Table{format: f, entry: e, bucket: e.Bucket, path: path}
}

// exists reports whether the log has a commit or a checkpoint.
func (t *Table) exists(ctx context.Context) (bool, error) {
	for info, err := range t.bucket.List(ctx, logDir, "") {
		if err != nil {
			return false, t.fail("list", logDir, err)
		}
		n, ok := parseLogName(info.Name)
		if ok && n.kind != checksumFile && n.kind != stagedCommit {
			return true, nil
		}
	}
	return false, nil
}

func (t *Table) missing() error {
	return &lake.Error{Op: "open", Path: t.path, Class: "DELTA_TABLE_NOT_FOUND", Params: map[string]string{"tableName": t.path}, Err: fs.ErrNotExist,
		Hint: "the folder has no _delta_log with a commit"}
}

// fail says that an operation on a file of t failed.
func (t *Table) fail(op, name string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var known *lake.Error
	if errors.As(err, &known) {
		return err
	}
	path := t.path
	if name != "" {
		path += "/" + name
	}
	return &lake.Error{Op: op, Path: path, Err: err}
}
