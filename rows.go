package tarn

import (
	"errors"
	"io"
	"iter"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/types"
)

// Column is one column of a result.
type Column struct {
	Name     string
	Type     types.Type
	Nullable bool
	Metadata types.Metadata
}

// Rows is the result of one statement. Its rows stream: they are computed while they are read, and an error
// may come after some of them. Close ends the computation early and is needed unless the rows were read to
// their end. A Rows serves one goroutine.
type Rows struct {
	cols    []Column
	src     array.RecordReader // nil when there are no rows
	receipt *Receipt
	fail    func(error) error // makes an *Error of an engine's
	done    func()            // called once, at the end
	once    sync.Once

	err   error
	ended bool
	batch arrow.RecordBatch // of Next
	at    int               // row of batch that Next stands on
}

// Columns describes the result; nil when the statement gives none.
func (r *Rows) Columns() []Column { return r.cols }

// Receipt tells what the statement wrote; nil when it wrote no table.
func (r *Rows) Receipt() *Receipt { return r.receipt }

// NextBatch gives the next rows as an Arrow batch, and io.EOF after the last. The batch is valid until the
// next call; Retain it to keep it.
func (r *Rows) NextBatch() (arrow.RecordBatch, error) {
	switch {
	case r.err != nil:
		return nil, r.err
	case r.ended || r.src == nil:
		r.end(nil)
		return nil, io.EOF
	case r.src.Next():
		return r.src.RecordBatch(), nil
	}
	r.end(r.src.Err())
	if r.err != nil {
		return nil, r.err
	}
	return nil, io.EOF
}

// Next steps to the next row for Scan and Values. It is false after the last row and after an error; see Err.
func (r *Rows) Next() bool {
	r.at++
	for r.batch == nil || r.at >= int(r.batch.NumRows()) {
		b, err := r.NextBatch()
		if err != nil {
			r.batch = nil
			return false
		}
		r.batch, r.at = b, 0
	}
	return true
}

// Values are the values of the row that Next stepped to, as [types.Value] describes them. They are the
// caller's to keep.
func (r *Rows) Values() ([]types.Value, error) {
	if r.batch == nil {
		return nil, errors.New("tarn: Values without a row: Next comes first")
	}
	out := make([]types.Value, len(r.cols))
	for i, c := range r.cols {
		v, err := types.ValueAt(r.batch.Column(i), r.at, c.Type)
		if err != nil {
			return nil, r.failed(err)
		}
		out[i] = v
	}
	return out, nil
}

// All gives the rows that are left, as Values does, and closes r. An error ends it.
func (r *Rows) All() iter.Seq2[[]types.Value, error] {
	return func(yield func([]types.Value, error) bool) {
		defer r.Close()
		for r.Next() {
			row, err := r.Values()
			if !yield(row, err) || err != nil {
				return
			}
		}
		if r.err != nil {
			yield(nil, r.err)
		}
	}
}

// Err is the error that ended the rows; nil while there is none.
func (r *Rows) Err() error { return r.err }

// Close ends the statement. It may be called more than once, and gives the error of Err.
func (r *Rows) Close() error {
	r.end(nil)
	return r.err
}

func (r *Rows) failed(err error) error {
	if err != nil && r.fail != nil {
		return r.fail(err)
	}
	return err
}

func (r *Rows) end(err error) {
	r.once.Do(func() {
		r.err = r.failed(err)
		r.ended = true
		if r.src != nil {
			r.src.Release()
		}
		if r.done != nil {
			r.done()
		}
	})
}
