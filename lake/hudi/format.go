package hudi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// Format opens Hudi tables. The zero value is ready. Every snapshot reads the timeline anew; only what footers of base files say of their
// keys is kept.
type Format struct {
	// Zone is the zone of instants in tables whose writers used that of their machine, and of timestamps that name a state of
	// such a table; nil is UTC.
	Zone *time.Location

	locks   locks
	footers footers
}

// Table is a Hudi table in one folder.
type Table struct {
	format *Format
	entry  lake.Entry
	bucket storage.Bucket
	path   string // for people
	config *config.Table
}

// Open is the table in e's folder. It is fs.ErrNotExist when the folder has no hoodie.properties, and an error for tables that
// cannot be read rightly: of unknown versions, over bootstrapped files, of other base files than Parquet.
func (f *Format) Open(ctx context.Context, e lake.Entry) (lake.Table, error) {
	t, err := f.open(ctx, e, config.Load)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// OpenToMend is Open, but the checksum of the table's properties may be wrong.
func (f *Format) OpenToMend(ctx context.Context, e lake.Entry) (lake.Table, error) {
	t, err := f.open(ctx, e, config.LoadToMend)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (f *Format) open(ctx context.Context, e lake.Entry, load func(context.Context, storage.Bucket) (*config.Table, error)) (*Table, error) {
	t := f.table(e)
	c, err := load(ctx, t.bucket)
	var damaged *config.DamagedError
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.hasTimeline(ctx):
		return nil, t.damaged("is missing", &config.DamagedError{Path: config.File, Reason: "is missing"})
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, &lake.Error{Op: "open", Path: t.path, Err: fs.ErrNotExist, Hint: "the folder has no .hoodie/hoodie.properties"}
	case errors.As(err, &damaged):
		return nil, t.damaged(damaged.Reason, err)
	case errors.Is(err, config.ErrChecksum):
		file := t.path + "/" + config.File
		return nil, &lake.Error{Op: "open", Path: t.path, Err: err, Hint: fmt.Sprintf("Where the name and the rest are right, CALL %s(path => '%s', "+
			"new_props_file_path => '%s') writes the checksum anew. A local file of properties to be changed can be given in the place of the latter.",
			overwriteProperties, t.path, file)}
	case err != nil:
		return nil, t.fail("open", "", err)
	}
	t.config = c
	return t, t.readable()
}

// table is the table of e, which may not exist.
func (f *Format) table(e lake.Entry) *Table {
	path := e.Location
	if path == "" {
		path = e.Name.String()
	}
	e.Bucket = withChecksums(e.Bucket)
	return &Table{format: f, entry: e, bucket: e.Bucket, path: path}
}

// hasTimeline reports whether the folder holds actions of a table: files whose names start with a time.
func (t *Table) hasTimeline(ctx context.Context) bool {
	for _, dir := range []string{".hoodie", ".hoodie/timeline"} {
		for f, err := range t.bucket.List(ctx, dir, dir+"/0") {
			if first := strings.TrimPrefix(f.Name, dir+"/"); err == nil && first != "" && first[0] >= '0' && first[0] <= '9' {
				return true
			}
			break
		}
	}
	return false
}

// damaged says that the properties of the table cannot be read, and no copy of them.
func (t *Table) damaged(reason string, err error) error {
	file := t.path + "/" + config.File
	return &lake.Error{Op: "open", Path: t.path, Class: "HUDI_PROPERTIES_DAMAGED", Err: err, Params: map[string]string{"file": file, "reason": reason},
		Hint: "Put a copy of the file back. Where there is none, make a table with the same CREATE TABLE at another place, and copy its hoodie.properties."}
}

// readable refuses what would be read wrongly.
func (t *Table) readable() error {
	c := t.config
	refuse := func(hint, format string, args ...any) error {
		return &lake.Error{Op: "open", Path: t.path, Hint: hint, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case c.BootstrapBase != "":
		return refuse("Rewrite the table with Hudi, for example by clustering all of it.",
			"the table is bootstrapped over the files of %s, which is not supported", c.BootstrapBase)
	case c.BaseFormat != "PARQUET":
		return refuse("", "base files of the format %s are not supported", c.BaseFormat)
	case c.LogFormat != "HOODIE_LOG":
		return refuse("", "log files of the format %s are not supported", c.LogFormat)
	}
	return nil
}

// fail says that an operation on a file of t failed.
func (t *Table) fail(op, name string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var known *lake.Error
	if errors.As(err, &known) {
		return err
	}
	var option optionError
	if errors.As(err, &option) {
		return t.invalid(op, err)
	}
	path := t.path
	if name != "" {
		path += "/" + name
	}
	var instant *timeline.DamagedError
	switch {
	case errors.As(err, &instant):
		return t.damagedFile(op, instant.Path, instant.Err)
	case name != "" && !storage.Failed(err) && !errors.Is(err, errors.ErrUnsupported):
		return t.damagedFile(op, name, err)
	}
	return &lake.Error{Op: op, Path: path, Err: err}
}

// damagedFile says that a file of the table cannot be understood.
func (t *Table) damagedFile(op, name string, err error) error {
	file := t.path + "/" + name
	return &lake.Error{Op: op, Path: file, Class: "HUDI_FILE_DAMAGED", Err: err, Params: map[string]string{"file": file, "reason": err.Error()}}
}

// invalid says that what was asked for by options or properties cannot be.
func (t *Table) invalid(op string, err error) error {
	return &lake.Error{Op: op, Path: t.path, Class: "HUDI_INVALID_OPTION", Err: err,
		Params: map[string]string{"operation": op, "table": t.path, "reason": err.Error()}}
}

// zone is the zone of the table's instants.
func (t *Table) zone() *time.Location {
	if t.config.UTC || t.format.Zone == nil {
		return time.UTC
	}
	return t.format.Zone
}

// timeline loads the active timeline.
func (t *Table) timeline(ctx context.Context) (*timeline.Timeline, error) {
	line, err := timeline.Load(ctx, t.bucket, t.timelineConfig())
	if err != nil {
		return nil, t.fail("read the timeline of", "", err)
	}
	return line, nil
}

func (t *Table) timelineConfig() timeline.Config {
	c := timeline.Config{Version: t.config.Version, Layout: t.config.Layout, Dir: ".hoodie", Archive: ".hoodie/" + t.config.ArchivePath, Zone: t.zone()}
	if t.config.TimelinePath != "" {
		c.Dir += "/" + t.config.TimelinePath
	}
	return c
}
