package delta

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
)

// tx is a transaction on a table: the snapshot that it reads, and the actions that it will commit.
//
//	Apply ──▶ files written, adds, removes ──▶ Commit ──▶ version.json, exclusively
//	                                              └─ lost the race: read the winners, check, try the next version
//
// Its methods are for one goroutine, but for Scan.
type tx struct {
	table   *Table
	engine  engine.Engine
	base    *Snapshot // what is read and changed; version -1 for a table to be made
	view    *Snapshot // base under the metadata that Define set
	layout  *layout
	started time.Time

	protocol *Protocol // set by Define, when they change
	metadata *Metadata
	cluster  *DomainMetadata
	adds     []*Add
	removes  []*Remove
	changed  map[string]bool // decoded paths of files of base that were removed or got a new deletion vector
	replaced bool            // all files of base were removed
	tally    tally

	mu     sync.Mutex
	reads  readSet
	wrote  []string // files written, to be removed unless they are committed
	closed bool
	broken error // of an Apply that was only half carried out
}

// readSet says which rows a transaction read: all of the table's, or those that may satisfy one of the conditions.
type readSet struct {
	all   bool
	conds []func(*Add) bool
}

func (r *readSet) any() bool { return r.all || len(r.conds) > 0 }

// has reports whether a file may hold rows that were read, or would have been.
func (r *readSet) has(a *Add) bool {
	return r.all || slices.ContainsFunc(r.conds, func(c func(*Add) bool) bool { return c(a) })
}

// Begin starts a transaction on the latest version.
func (t *Table) Begin(ctx context.Context, x engine.Engine) (lake.Tx, error) {
	s, err := t.latest(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.writable(s.state.Protocol); err != nil {
		return nil, err
	}
	return t.begin(s, x)
}

func (t *Table) begin(s *Snapshot, x engine.Engine) (*tx, error) {
	b := &tx{table: t, engine: x, base: s, view: s, started: time.Now(), changed: map[string]bool{}}
	if s.version < 0 {
		return b, nil
	}
	var err error
	b.layout, err = newLayout(s)
	return b, err
}

// Create starts a transaction that makes the table that e.Meta describes. Of several at the same time one wins.
func (f *Format) Create(ctx context.Context, e lake.Entry, x engine.Engine) (lake.Tx, error) {
	t := f.table(e)
	found, err := t.exists(ctx)
	if err != nil {
		return nil, err
	}
	if found {
		return nil, &lake.Error{Op: "create", Path: t.path, Err: fs.ErrExist, Hint: "the folder holds a Delta table already"}
	}
	b, err := t.begin(t.empty(), x)
	if err != nil {
		return nil, err
	}
	return b, b.define(e.Meta)
}

// Meta describes the table as Define left it.
func (x *tx) Meta() *lake.Meta { return x.view.Meta() }

// Version is the version that is read, -1 when the table is being made.
func (x *tx) Version() int64 { return x.base.version }

// Detail is that of the version that is read.
func (x *tx) Detail() lake.Detail { return x.base.Detail() }

// Scan reads the snapshot. What could be read counts for conflicts.
func (x *tx) Scan(ctx context.Context, w rel.Want) (rel.Node, error) {
	x.note(w.Where, w.Columns)
	return x.view.Scan(ctx, w)
}

// note remembers that the rows for which where may be true were read.
func (x *tx) note(where rel.Expr, columns []rel.Column) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if where == nil {
		x.reads.all = true
		return
	}
	x.reads.conds = append(x.reads.conds, x.view.matcher(where, columns))
}

// Apply carries out c.
func (x *tx) Apply(ctx context.Context, c lake.Change) (lake.Metrics, error) {
	if x.closed {
		return lake.Metrics{}, errors.New("the transaction is over")
	}
	var m lake.Metrics
	var err error
	switch c := c.(type) {
	case lake.Append:
		m, err = x.append(ctx, c.Rows, c.Columns, c.FileSize)
	case lake.Overwrite:
		m, err = x.overwrite(ctx, c)
	case lake.Edit:
		m, err = x.edit(ctx, c)
	case lake.Define:
		err = x.define(c.Meta)
	default:
		err = fmt.Errorf("a %T is not known to Delta tables: %w", c, errors.ErrUnsupported)
	}
	x.tally.add(m)
	if err != nil {
		x.broken = err
	}
	return m, x.fail(err)
}

func (x *tx) fail(err error) error {
	if err == nil {
		return nil
	}
	return x.table.fail("write", "", err)
}

// append adds the rows of a tree.
func (x *tx) append(ctx context.Context, rows rel.Node, columns []rel.ID, fileSize int64) (lake.Metrics, error) {
	if v, ok := rows.(*rel.Values); rows == nil || ok && len(v.Rows) == 0 {
		return lake.Metrics{}, nil
	}
	rows, err := rel.Bind(ctx, rows)
	if err != nil {
		return lake.Metrics{}, err
	}
	adds, n, err := x.write(ctx, rows, columns, fileSize)
	if err != nil {
		return lake.Metrics{}, err
	}
	m := x.added(adds)
	m.Inserted = n
	return m, nil
}

// added takes new files into the transaction.
func (x *tx) added(adds []*Add) lake.Metrics {
	m := lake.Metrics{FilesAdded: len(adds)}
	for _, a := range adds {
		m.BytesAdded += a.Size
	}
	x.adds = append(x.adds, adds...)
	return m
}

// take marks a file of the snapshot as changed by this transaction, which can happen once.
func (x *tx) take(a *Add) error {
	path, err := PathKey(a.Path)
	if err != nil {
		return err
	}
	if x.changed[path] {
		return fmt.Errorf("%s is changed twice by one transaction", a.Path)
	}
	if strings.EqualFold(x.view.meta.Properties["delta.appendOnly"], "true") {
		return &lake.Error{Op: "write", Path: x.table.path, Class: "DELTA_CANNOT_MODIFY_APPEND_ONLY",
			Params: map[string]string{"table_name": x.table.path, "config": "delta.appendOnly"}, Hint: "the table property delta.appendOnly forbids to remove rows"}
	}
	x.changed[path] = true
	return nil
}

// remove takes a file of the snapshot out of the table.
func (x *tx) remove(a *Add) (lake.Metrics, error) {
	m := lake.Metrics{FilesRemoved: 1, BytesRemoved: a.Size}
	if a.DeletionVector != nil {
		m.VectorsRemoved = 1
	}
	if err := x.take(a); err != nil {
		return m, err
	}
	x.removes = append(x.removes, removeOf(a))
	return m, nil
}

func removeOf(a *Add) *Remove {
	extended, size := true, a.Size
	return &Remove{Path: a.Path, DataChange: true, ExtendedFileMetadata: &extended, PartitionValues: a.PartitionValues, Size: &size, Tags: a.Tags,
		DeletionVector: a.DeletionVector, BaseRowID: a.BaseRowID, DefaultRowCommitVersion: a.DefaultRowCommitVersion}
}

// own remembers a file that is nobody's until it is committed.
func (x *tx) own(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.wrote = append(x.wrote, name)
}

// Rollback removes the files that Apply wrote.
func (x *tx) Rollback() error {
	if x.closed {
		return nil
	}
	x.closed = true
	return x.discard()
}

// discard removes the written files, which no log names: also when the statement was cancelled.
func (x *tx) discard() error {
	if len(x.wrote) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := x.table.bucket.Remove(ctx, x.wrote...)
	if err == nil {
		x.wrote = nil
	}
	return err
}
