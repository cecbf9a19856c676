package duckdb

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/rel"
)

// held is a relation that was evaluated once: a table of an instance, which spills when memory is short.
type held struct {
	slot  *slot
	table string
	cols  []rel.Column
}

// stream emits Go rows as a call of go_rows, and a held relation of this instance as its table.
func (e *emitter) stream(n *rel.Stream) (string, error) {
	if h := e.engine.heldBy(n); h != nil && h.slot == e.slot {
		return "SELECT * FROM " + h.table, nil
	}
	if len(n.Cols) == 0 {
		return "", unsupported("a stream without columns")
	}
	use := streamUse{lastSource.Add(1), n}
	e.streams = append(e.streams, use)
	return fmt.Sprintf("SELECT * FROM %s(%d)", sourceFunction, use.id), nil
}

func (e *Engine) heldBy(n *rel.Stream) *held {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.held[n]
}

// Hold evaluates q into a table of the current instance. A statement on another instance reads it as a
// stream of rows.
func (e *Engine) Hold(ctx context.Context, q rel.Node) (rel.Node, func() error, error) {
	h := &held{table: fmt.Sprintf(`"held%d"`, lastSource.Add(1)), cols: q.Columns()}
	rows := int64(-1)
	err := e.attempt(ctx, q, nil, func(em *emitter) (string, error) {
		sql, err := em.statement(q)
		return "CREATE TABLE " + h.table + " AS " + sql, err
	}, func(k *task) error {
		n, err := k.conn.count(ctx, k.sql)
		if err != nil {
			return err
		}
		rows, h.slot = n, k.slot
		e.mu.Lock()
		k.slot.users++
		e.mu.Unlock()
		e.finish(k)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	n := &rel.Stream{Cols: h.cols, Rows: rows, Open: func(ctx context.Context, columns []int) (array.RecordReader, error) {
		return e.readHeld(ctx, h, columns)
	}}
	e.mu.Lock()
	e.held[n] = h
	e.mu.Unlock()
	return n, sync.OnceValue(func() error { return e.release(n, h) }), nil
}

// release drops the table. A closed engine has dropped it already.
func (e *Engine) release(n *rel.Stream, h *held) error {
	e.mu.Lock()
	_, known := e.held[n]
	delete(e.held, n)
	e.mu.Unlock()
	if !known {
		return nil
	}
	defer e.leave(h.slot)
	c, err := h.slot.db.acquire()
	if err != nil {
		return err
	}
	defer h.slot.db.release(c)
	return c.exec(context.Background(), "DROP TABLE "+h.table)
}

// readHeld streams columns of a held relation out of its instance.
func (e *Engine) readHeld(ctx context.Context, h *held, columns []int) (array.RecordReader, error) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, errClosed
	}
	h.slot.users++
	e.mu.Unlock()
	k := &task{slot: h.slot}
	cols := make([]rel.Column, len(columns))
	for i, c := range columns {
		cols[i] = h.cols[c]
	}
	k.sql = "SELECT " + list(cols) + " FROM " + h.table
	var err error
	if k.conn, err = h.slot.db.acquire(); err != nil {
		e.finish(k)
		return nil, err
	}
	st := statement{sql: k.sql, schema: arrowSchema(cols, true)}
	if len(cols) == 0 {
		st.schema = nil
	}
	s, err := k.conn.start(ctx, st)
	if err != nil {
		e.finish(k)
		return nil, k.explain(err)
	}
	r := &reader{engine: e, task: k, stream: s, schema: arrowSchema(cols, true), stop: func() {}}
	r.refs.Store(1)
	return r, nil
}

// count runs a statement that answers with the number of rows it made.
func (c *conn) count(ctx context.Context, sql string) (int64, error) {
	s, err := c.start(ctx, statement{sql: sql})
	if err != nil {
		return 0, err
	}
	defer s.close()
	rows := int64(-1)
	for {
		b, err := s.next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return 0, err
		}
		if a, ok := b.Column(0).(*array.Int64); ok && a.Len() > 0 {
			rows = a.Value(0)
		}
		b.Release()
	}
}
