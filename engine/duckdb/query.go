package duckdb

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// arrowSchema is the schema of batches of cols: under the names of users, or under those of statements.
func arrowSchema(cols []rel.Column, numbers bool) *arrow.Schema {
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = arrow.Field{Name: c.Name, Type: types.Arrow(c.Type), Nullable: true}
		if numbers {
			fields[i].Name = plain(c.ID)
		}
	}
	return arrow.NewSchema(fields, nil)
}

// Query streams the rows of q.
func (e *Engine) Query(ctx context.Context, q rel.Node) (array.RecordReader, error) {
	var r *reader
	err := e.attempt(ctx, q, nil, func(em *emitter) (string, error) { return em.statement(q) }, func(k *task) error {
		schema := arrowSchema(q.Columns(), false)
		st := statement{sql: k.sql, schema: schema}
		if schema.NumFields() == 0 { // one column that nobody asked for keeps the rows
			st.schema = nil
		}
		s, err := k.conn.start(ctx, st)
		if err != nil {
			return err
		}
		r = &reader{engine: e, task: k, stream: s, schema: schema, stop: watchProgress(ctx, k.conn)}
		r.refs.Store(1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// SQL is the statement in DuckDB's dialect that gives the rows of q. The names of functions and of rows that Go gives hold
// only inside the engine.
func (e *Engine) SQL(ctx context.Context, q rel.Node) (string, error) {
	k, err := e.begin(ctx, q, nil, func(em *emitter) (string, error) { return em.statement(q) })
	if err != nil {
		return "", err
	}
	defer e.finish(k)
	return k.sql, nil
}

// reader hands out the batches of a stream; the last Release ends its statement.
type reader struct {
	engine *Engine
	task   *task
	stream *stream
	schema *arrow.Schema
	stop   func()
	refs   atomic.Int64
	cur    arrow.RecordBatch
	err    error
	done   bool
}

func (r *reader) Schema() *arrow.Schema          { return r.schema }
func (r *reader) RecordBatch() arrow.RecordBatch { return r.cur }
func (r *reader) Record() arrow.RecordBatch      { return r.cur }
func (r *reader) Err() error                     { return r.err }
func (r *reader) Retain()                        { r.refs.Add(1) }

func (r *reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.end()
	}
}

func (r *reader) drop() {
	if r.cur != nil {
		r.cur.Release()
		r.cur = nil
	}
}

// end frees the statement as soon as its rows are out, also before Release.
func (r *reader) end() {
	if !r.done {
		r.done = true
		r.stop()
		r.stream.close()
		r.engine.finish(r.task)
	}
}

// Next moves to the next batch. It is false at the end and after an error, which Err tells.
func (r *reader) Next() bool {
	r.drop()
	if r.done {
		return false
	}
	b, err := r.stream.next()
	if err != nil {
		if err != io.EOF {
			r.err = r.task.explain(err)
			var de *Error
			if errors.As(err, &de) && de.fatal() {
				r.engine.distrust(r.task.slot)
			}
		}
		r.end()
		return false
	}
	if len(r.schema.Fields()) == 0 {
		rows := b.NumRows()
		b.Release()
		b = array.NewRecordBatch(r.schema, nil, rows)
	}
	r.cur = b
	return true
}
