package hudi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/bucket"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/keygen"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// tx is a transaction on a table: the snapshot that it reads, and the action on the timeline that it will complete.
//
//	Apply ──▶ requested, inflight ──▶ markers, data files ──▶ Commit ──▶ [lock: conflicts, metadata table, completed] ──▶ markers removed
//
// Its methods are for one goroutine, but for Scan.
type tx struct {
	table   *Table
	engine  engine.Engine
	base    *Snapshot         // what is read and changed; of a table to be made, one without files
	view    *Snapshot         // base with the columns that Define gave it
	made    config.Properties // of a table to be made
	exists  bool              // made was written
	changed config.Properties // properties that Define set: "" removes one
	evolved bool              // Define changed the columns
	marked  []types.Field     // the columns that Define gave a table with schema-on-read, with their ids; nil when they stay
	widened string            // a column to which Define gave a wider type
	started time.Time

	compacting, clustering map[timeline.FileGroup]string // instants of services that are pending

	options     options
	nonBlocking bool              // others may log to the same file groups
	buckets     *bucket.Index     // once made, of a table that has one
	begun       []*fileSlice      // of groups that begin with a log of this write
	keys        *keygen.Generator // once made
	layout      *layout           // once made
	act         *action           // begun by the first Apply that changes rows
	counts      lake.Metrics
	warnings    []string // of options that are given
	foldings    []folding

	closed bool
	broken error // of an Apply that was only half carried out
}

// Begin starts a transaction on the latest state.
func (t *Table) Begin(ctx context.Context, x engine.Engine) (lake.Tx, error) {
	if err := t.config.Writable(); err != nil {
		return nil, t.fail("write to", "", err)
	}
	if err := t.ready(ctx, x); err != nil {
		return nil, err
	}
	s, err := t.snapshot(ctx, "", reading{}, nil)
	if err != nil {
		return nil, err
	}
	b := &tx{table: t, engine: x, base: s, view: s, started: time.Now()}
	if err := b.readPending(ctx); err != nil {
		return nil, t.fail("write to", "", err)
	}
	return b, nil
}

// Meta describes the table as Define left it. Its columns are the table's own: no statement writes the meta columns.
func (x *tx) Meta() *lake.Meta {
	m := *x.view.Meta()
	m.Schema = ownColumns(m.Schema)
	return &m
}

// ownColumns are the columns of a schema without the meta columns.
func ownColumns(s types.Struct) types.Struct {
	out := types.Struct{}
	for _, f := range s.Fields {
		if !isMeta(f.Name) {
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

func isMeta(name string) bool {
	for _, m := range metaColumns {
		if name == m {
			return true
		}
	}
	return false
}

// Version is the instant that is read, -1 when the table is being made.
func (x *tx) Version() int64 {
	if x.made != nil {
		return -1
	}
	return x.base.Version()
}

// Detail is that of the state that is read.
func (x *tx) Detail() lake.Detail { return x.base.Detail() }

// RowIDType is the type of the row ids that Scan gives.
func (x *tx) RowIDType() types.Struct { return x.view.RowIDType() }

// Scan reads the snapshot.
func (x *tx) Scan(ctx context.Context, w rel.Want) (rel.Node, error) { return x.view.Scan(ctx, w) }

// Apply carries out c.
func (x *tx) Apply(ctx context.Context, c lake.Change) (lake.Metrics, error) {
	if x.closed {
		return lake.Metrics{}, errors.New("the transaction is over")
	}
	var m lake.Metrics
	var err error
	switch c := c.(type) {
	case lake.Append:
		if err = x.takeOptions(c.Options); err == nil {
			m, err = x.append(ctx, c)
		}
	case lake.Overwrite:
		if err = x.takeOptions(c.Options); err == nil {
			m, err = x.overwrite(ctx, c)
		}
	case lake.Edit:
		if err = x.takeOptions(c.Options); err == nil {
			m, err = x.edit(ctx, c)
		}
	case lake.Define:
		err = x.define(c.Meta, c.Options)
	default:
		err = fmt.Errorf("a %T is not known to Hudi tables: %w", c, errors.ErrUnsupported)
	}
	x.counts = sum(x.counts, m)
	if err != nil {
		x.broken = err
		return m, x.table.fail("write to", "", err)
	}
	return m, nil
}

func sum(a, b lake.Metrics) lake.Metrics {
	a.Inserted += b.Inserted
	a.Updated += b.Updated
	a.Deleted += b.Deleted
	a.Ignored += b.Ignored
	a.Copied += b.Copied
	a.FilesAdded += b.FilesAdded
	a.FilesRemoved += b.FilesRemoved
	a.BytesAdded += b.BytesAdded
	a.BytesRemoved += b.BytesRemoved
	return a
}

// config is what the table's properties say.
func (x *tx) config() *config.Table { return x.view.config }

// merges reports whether changes of rows go to log files.
func (x *tx) merges() bool { return x.config().Type == config.MergeOnRead }

// generator makes the keys of new rows.
func (x *tx) generator() (*keygen.Generator, error) {
	if x.keys != nil {
		return x.keys, nil
	}
	g, err := keygen.New(x.keyConfig())
	if err != nil {
		return nil, err
	}
	if err := g.Check(ownColumns(x.view.schema)); err != nil {
		return nil, err
	}
	x.keys = g
	return g, nil
}

// Rollback gives up: it removes the files that Apply wrote, and the action from the timeline.
func (x *tx) Rollback() error {
	if x.closed {
		return nil
	}
	x.closed = true
	if x.act == nil {
		return nil
	}
	return x.act.abandon()
}
