package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	duck "github.com/duckdb/duckdb-go-bindings"
)

// maxBatch is the number of rows a batch grows to.
const maxBatch = 16 * vectorSize

// statement is what a connection runs.
type statement struct {
	sql    string
	schema *arrow.Schema        // of the result; nil takes what DuckDB gives
	kinds  []duck.StatementType // allowed beside the emitted kinds
}

// stream is a running statement whose rows are fetched as they are produced.
type stream struct {
	ctx    context.Context
	stop   func()
	st     duck.PreparedStatement
	pend   duck.PendingResult
	res    duck.Result
	schema *arrow.Schema
	cols   []*column
	rows   int // wanted in the next batch: doubles up to maxBatch
	end    bool
	pool   pool
}

// start runs q until its first rows are ready. Cancelling ctx interrupts it, also between two batches.
// One statement is all that DuckDB accepts here.
func (c *conn) start(ctx context.Context, q statement) (*stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	s := &stream{ctx: ctx, rows: vectorSize, stop: c.watch(ctx)}
	if err := s.open(c, q); err != nil {
		s.close()
		return nil, s.cause(err)
	}
	return s, nil
}

func (s *stream) open(c *conn, q statement) error {
	if strings.IndexByte(q.sql, 0) >= 0 { // C would take it for the end
		return errors.New("duckdb: a name holds a NUL byte")
	}
	if duck.Prepare(c.h, q.sql, &s.st) == duck.StateError {
		return newError(duck.PrepareError(s.st))
	}
	if kind := duck.PreparedStatementType(s.st); !allowed(kind, q.kinds) {
		return fmt.Errorf("%w: type %d", errKind, kind)
	}
	if duck.PendingPreparedStreaming(s.st, &s.pend) == duck.StateError {
		return newError(duck.PendingError(s.pend))
	}
	if duck.ExecutePending(s.pend, &s.res) == duck.StateError {
		return newError(duck.ResultError(&s.res))
	}
	return s.columns(q.schema)
}

// columns makes a collector per result column.
func (s *stream) columns(want *arrow.Schema) error {
	n := int(duck.ColumnCount(&s.res))
	if want != nil && want.NumFields() != n {
		return fmt.Errorf("duckdb: the engine gives %d columns where the plan says %d", n, want.NumFields())
	}
	fields := make([]arrow.Field, n)
	for i := range fields {
		var w arrow.DataType
		if want != nil {
			w = want.Field(i).Type
		}
		name := duck.ColumnName(&s.res, duck.IdxT(i))
		k, err := child(duck.ColumnLogicalType(&s.res, duck.IdxT(i)), w)
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
		s.cols = append(s.cols, k)
		fields[i] = arrow.Field{Name: name, Type: k.typ, Nullable: true}
	}
	if s.schema = want; want == nil {
		s.schema = arrow.NewSchema(fields, nil)
	}
	return nil
}

// cause puts the reason of a cancel before the error that the interrupt made.
func (s *stream) cause(err error) error {
	if s.ctx.Err() != nil {
		return fmt.Errorf("%w (%w)", context.Cause(s.ctx), err)
	}
	return err
}

// close ends the statement, also one that still produces rows, and frees it. It may be called again.
func (s *stream) close() {
	s.stop()
	duck.DestroyResult(&s.res)
	duck.DestroyPending(&s.pend)
	duck.DestroyPrepare(&s.st)
}

// chunk returns io.EOF after the last chunk. DuckDB gives no chunk at the end and after an error alike:
// only the result's error text tells which.
func (s *stream) chunk() (duck.DataChunk, error) {
	ch := duck.FetchChunk(s.res)
	if ch.Ptr != nil {
		return ch, nil
	}
	if msg := duck.ResultError(&s.res); msg != "" {
		return ch, s.cause(s.reason(newError(msg)))
	}
	if err := s.ctx.Err(); err != nil {
		return ch, context.Cause(s.ctx)
	}
	return ch, io.EOF
}

// reason finds the error that DuckDB hides now and then: one thread of a query fails, the others are interrupted, and the
// interrupt is what the stream tells. The query, which changes nothing, is then run again, without its rows, until it says more.
func (s *stream) reason(err *Error) error {
	for range 5 {
		if err.Type != "INTERRUPT" || s.ctx.Err() != nil || duck.PreparedStatementType(s.st) != duck.StatementTypeSelect {
			break
		}
		again := s.rerun()
		if again == nil {
			break
		}
		err = again
	}
	return err
}

// rerun executes the statement once more, drops its rows, and gives the error that it ends with.
func (s *stream) rerun() *Error {
	var pend duck.PendingResult
	var res duck.Result
	defer duck.DestroyPending(&pend)
	defer duck.DestroyResult(&res)
	if duck.PendingPreparedStreaming(s.st, &pend) == duck.StateError {
		return newError(duck.PendingError(pend))
	}
	if duck.ExecutePending(pend, &res) == duck.StateError {
		return newError(duck.ResultError(&res))
	}
	for {
		ch := duck.FetchChunk(res)
		if ch.Ptr == nil {
			break
		}
		duck.DestroyDataChunk(&ch)
	}
	if msg := duck.ResultError(&res); msg != "" {
		return newError(msg)
	}
	return nil
}

// drain reads to the end and drops the rows.
func (s *stream) drain() error {
	for {
		ch, err := s.chunk()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		duck.DestroyDataChunk(&ch)
	}
}

// next returns the next batch, which owns its memory, or io.EOF. The first batch is one chunk, so that it
// comes at once; later ones grow.
func (s *stream) next() (arrow.RecordBatch, error) {
	if s.end {
		return nil, io.EOF
	}
	for _, c := range s.cols {
		c.reset(&s.pool, s.rows)
	}
	n := 0
	for n+vectorSize <= s.rows {
		k, err := s.take()
		if err == io.EOF {
			s.end = true
			break
		}
		if err != nil {
			return nil, err
		}
		n += k
	}
	if n == 0 {
		return nil, io.EOF
	}
	s.rows = min(2*s.rows, maxBatch)
	arrs := make([]arrow.Array, len(s.cols))
	for i, c := range s.cols {
		d := c.finish()
		arrs[i] = array.MakeFromData(d)
		d.Release()
	}
	b := array.NewRecordBatch(s.schema, arrs, int64(n))
	for _, a := range arrs {
		a.Release()
	}
	return b, nil
}

// take moves the next chunk into the columns.
func (s *stream) take() (int, error) {
	ch, err := s.chunk()
	if err != nil {
		return 0, err
	}
	defer duck.DestroyDataChunk(&ch)
	n := int(duck.DataChunkGetSize(ch))
	for i, c := range s.cols {
		if err := c.append(duck.DataChunkGetVector(ch, duck.IdxT(i)), 0, n); err != nil {
			return 0, fmt.Errorf("column %s: %w", s.schema.Field(i).Name, err)
		}
	}
	return n, nil
}
