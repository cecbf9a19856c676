package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"modernc.org/sqlite"

	"github.com/tarn-lake/tarn/lake"
)

// Folder is the folder in a warehouse that holds the catalog. No table can be there.
const Folder = "_tarn"

const (
	fileName = "catalog.db"
	layout   = 1          // PRAGMA user_version of the files that this code reads and writes
	fileMark = 0x7461726e // PRAGMA application_id: "tarn"
	// A rollback journal is used, and not a write-ahead log: it also works on network file systems, and the file is
	// written seldom. EXTRA makes the removal of the journal durable, which is what commits.
	connection = "?mode=rw&_busy_timeout=30000&_synchronous=EXTRA&_foreign_keys=1&_defensive=1&_dqs=0&_txlock=immediate"
)

// Result codes of SQLite: https://www.sqlite.org/rescode.html
const (
	codeBusy     = 5
	codeReadOnly = 8
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotDB    = 26
)

// Warehouse is the catalog that is kept in the folder of a warehouse, in one SQLite file, for any number of
// processes at once. The file is made by the first change; without it the catalog has the empty default schema.
// Locations inside the warehouse are kept relative to it, so that it may be moved.
type Warehouse struct {
	dir  string
	open Opener

	mu   sync.Mutex
	db   *sql.DB // nil until the file is there
	file os.FileInfo
}

var _ Catalog = (*Warehouse)(nil)

// NewWarehouse is the catalog of the folder dir. It reads and makes nothing yet. open gives the entries their
// buckets; without it they have none.
func NewWarehouse(dir string, open Opener) (*Warehouse, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return &Warehouse{dir: abs, open: open}, nil
}

// Close gives back the file. The catalog opens it again when it is used again.
func (c *Warehouse) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.release()
}

func (c *Warehouse) release() error {
	if c.db == nil {
		return nil
	}
	db := c.db
	c.db, c.file = nil, nil
	return db.Close()
}

func (c *Warehouse) path() string { return filepath.Join(c.dir, Folder, fileName) }

// read runs f on the tables of the catalog; not at all when there are none yet. The error says which file.
func (c *Warehouse) read(ctx context.Context, f func(*sql.Tx) error) error {
	db, err := c.connect()
	if err != nil || db == nil {
		return c.explain("read", err)
	}
	return c.explain("read", within(ctx, db, &sql.TxOptions{ReadOnly: true}, func(tx *sql.Tx) error {
		if exists, err := checkLayout(ctx, tx); err != nil || !exists {
			return err
		}
		return f(tx)
	}))
}

// write runs f as one transaction, after those of all others, and makes the file and its tables where missing.
func (c *Warehouse) write(ctx context.Context, f func(*sql.Tx) error) error {
	if err := c.create(); err != nil {
		return c.explain("create", err)
	}
	db, err := c.connect()
	if err != nil {
		return c.explain("change", err)
	}
	return c.explain("change", within(ctx, db, nil, func(tx *sql.Tx) error {
		exists, err := checkLayout(ctx, tx)
		if err == nil && !exists {
			_, err = tx.ExecContext(ctx, tables)
		}
		if err != nil {
			return err
		}
		return f(tx)
	}))
}

func within(ctx context.Context, db *sql.DB, opts *sql.TxOptions, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, opts)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// create makes the file, empty, where it is missing.
func (c *Warehouse) create() error {
	if err := os.MkdirAll(filepath.Dir(c.path()), 0o777); err != nil {
		return err
	}
	// An open catalog file is never opened a second time: closing that would drop SQLite's locks.
	f, err := os.OpenFile(c.path(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// connect is the database in the file, nil when there is no file. A file that took the place of the one that was
// open, as when a warehouse was removed and made again, is opened anew.
func (c *Warehouse) connect() (*sql.DB, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, err := os.Stat(c.path())
	if c.db != nil && (err != nil || !os.SameFile(now, c.file)) {
		c.release()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || c.db != nil {
		return c.db, err
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(c.path())}
	connector, err := sqlite.NewConnector(u.String() + connection)
	if err != nil {
		return nil, err
	}
	c.db, c.file = sql.OpenDB(connector), now
	c.db.SetMaxOpenConns(4)
	return c.db, nil
}

// checkLayout refuses files that are not this code's. exists is false for an empty file.
func checkLayout(ctx context.Context, tx *sql.Tx) (exists bool, err error) {
	var mark, version, objects int64
	row := tx.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)")
	if err := row.Scan(&mark, &version, &objects); err != nil {
		return false, err
	}
	switch {
	case objects == 0 && mark == 0 && version == 0:
		return false, nil
	case mark != fileMark:
		return false, errForeign
	case version > layout:
		return false, fmt.Errorf("%w: it has layout %d, this program knows up to %d", errNewer, version, layout)
	}
	return true, nil
}

var (
	errForeign = errors.New("it is a SQLite file of another program")
	errNewer   = errors.New("a newer tarn wrote it")
)

// explain makes failures of the file errors that name it and say what can be done. Errors about names pass.
func (c *Warehouse) explain(op string, err error) error {
	var failed *sqlite.Error
	hint := ""
	switch {
	case errors.Is(err, errNewer):
		hint = "Use a tarn at least as new as the one that wrote this warehouse last."
	case errors.Is(err, errForeign):
		hint = "Move the file away, or name another folder as the warehouse."
	case errors.As(err, &failed):
		hint = hints[failed.Code()&0xff]
	case errors.As(err, new(*fs.PathError)):
	default:
		return err
	}
	return &lake.Error{Op: op + " the catalog", Path: c.path(), Err: err, Hint: hint}
}

// hints say what can be done about a result code.
var hints = map[int]string{
	codeBusy:     "Another process has kept the catalog locked for 30 seconds. Try again, or end that process.",
	codeReadOnly: "The file or its folder cannot be written. Check their permissions.",
	codeCorrupt:  "The file is damaged. Tables are not: move it away, and create them again with CREATE TABLE … LOCATION.",
	codeNotDB:    "The file is damaged or not a catalog. Tables are not: move it away, and create them again with CREATE TABLE … LOCATION.",
	codeFull:     "The disk is full.",
	codeCantOpen: "The file or its folder cannot be opened. Check their permissions.",
}

// stored is a location as it is kept: relative where it is in the warehouse. A relative one has no slash in front.
func (c *Warehouse) stored(location string) string {
	if rel, err := filepath.Rel(c.dir, location); err == nil && filepath.IsAbs(location) && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return location
}

// shown is the location that stored kept.
func (c *Warehouse) shown(location string) string {
	if location == "" || strings.Contains(location, ":") || !filepath.IsLocal(filepath.FromSlash(location)) {
		return location
	}
	return filepath.Join(c.dir, filepath.FromSlash(location))
}
