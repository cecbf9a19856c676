package hudi

import (
	"context"
	"runtime"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// logRows is the folded logs of slices: one row for each slice and key that some log speaks of.
//
//	file      number of the slice
//	key       record key
//	pos       the row of the base file that has the key, or a negative number
//	deleted   the key is deleted
//	always    the row goes before that of the base file, whatever their ordering values
//	ordering  a column for each ordering column that base files are compared by
//	values    a column for each wanted one
//	has       for each wanted column, whether the logs have a value; only where they may lack one
//
// Logs that are small together are folded once and kept; of others, each scan folds one slice after another.
type logRows struct {
	snapshot *Snapshot
	rule     *mergeRule
	fields   []types.Field // wanted columns
	ordering []types.Field // none where the logs always win
	lacking  bool          // has columns are there
}

const (
	logFileNumber = iota
	logKey
	logPosition
	logDeleted
	logAlways
	logFirst // of the ordering columns
)

// columns are fresh columns of the rows.
func (l *logRows) columns() []rel.Column {
	out := []rel.Column{rel.NewColumn("file", types.Long), rel.NewColumn("key", types.String), rel.NewColumn("pos", types.Long),
		rel.NewColumn("deleted", types.Boolean), rel.NewColumn("always", types.Boolean)}
	for _, f := range l.ordering {
		out = append(out, rel.NewColumn("ordering of "+f.Name, f.Type))
	}
	for _, f := range l.fields {
		out = append(out, rel.NewColumn(f.Name, f.Type))
	}
	if l.lacking {
		for _, f := range l.fields {
			out = append(out, rel.NewColumn("has "+f.Name, types.Boolean))
		}
	}
	return out
}

// valueColumn is the number of the column with the values of wanted column i.
func (l *logRows) valueColumn(i int) int { return logFirst + len(l.ordering) + i }

// hasColumn is the number of the column that says whether there is a value of wanted column i.
func (l *logRows) hasColumn(i int) int { return l.valueColumn(len(l.fields)) + i }

// fold folds the logs of one slice.
func (l *logRows) fold(ctx context.Context, slice *fileSlice) (*fold, error) {
	logs, err := l.snapshot.openLogs(ctx, slice)
	if err != nil {
		return nil, err
	}
	defer logs.close()
	f := l.snapshot.newFold(l.rule, l.fields)
	return f, f.run(ctx, l.snapshot, logs)
}

// foldAll folds the logs of slices, some at a time.
func (l *logRows) foldAll(ctx context.Context, slices []*fileSlice) ([]*fold, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([]*fold, len(slices))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(slices)) {
		workers.Go(func() {
			for i := range next {
				f, err := l.fold(ctx, slices[i])
				if err != nil {
					cancel(err)
					continue
				}
				out[i] = f
			}
		})
	}
	for i := range slices {
		next <- i
	}
	close(next)
	workers.Wait()
	return out, context.Cause(ctx)
}

// batch is the given columns of the rows of a folded slice.
func (l *logRows) batch(slice *fileSlice, f *fold, columns []int) arrow.RecordBatch {
	n := len(f.entries)
	arrays := make([]arrow.Array, len(columns))
	fields := make([]arrow.Field, len(columns))
	values := map[int][2]arrow.Array{}
	for i, c := range columns {
		w := c - l.valueColumn(0)
		if w < 0 {
			arrays[i] = l.fixed(slice, f, c)
		} else {
			at := w % len(l.fields)
			pair, ok := values[at]
			if !ok {
				v, has := f.column(at)
				pair = [2]arrow.Array{v, has}
				values[at] = pair
			}
			arrays[i] = pair[w/len(l.fields)]
		}
		fields[i] = arrow.Field{Name: "c", Type: arrays[i].DataType(), Nullable: true}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(n))
}

// fixed is one of the columns before the values.
func (l *logRows) fixed(slice *fileSlice, f *fold, c int) arrow.Array {
	numbers := func(at func(i int) int64) arrow.Array {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for i := range f.entries {
			b.Append(at(i))
		}
		return b.NewArray()
	}
	truths := func(at func(e *entry) bool) arrow.Array {
		b := array.NewBooleanBuilder(memory.DefaultAllocator)
		for i := range f.entries {
			b.Append(at(&f.entries[i]))
		}
		return b.NewArray()
	}
	switch c {
	case logFileNumber:
		return numbers(func(int) int64 { return slice.Number })
	case logPosition:
		return numbers(func(i int) int64 {
			if at := f.entries[i].base; at != unknown {
				return at
			}
			return -1 - int64(i)
		})
	case logDeleted:
		return truths(func(e *entry) bool { return e.deletion })
	case logAlways:
		return truths(f.always)
	case logKey:
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for i := range f.entries {
			b.Append(f.entries[i].key)
		}
		return b.NewArray()
	}
	return f.orderings(c - logFirst)
}

// stream is the rows of slices. Folds, where given, are those of the slices.
func (l *logRows) stream(slices []*fileSlice, folds []*fold) *rel.Stream {
	n := &rel.Stream{Cols: l.columns(), Rows: -1}
	if folds != nil {
		n.Rows = 0
		for _, f := range folds {
			n.Rows += int64(len(f.entries))
		}
	}
	n.Open = func(ctx context.Context, columns []int) (array.RecordReader, error) {
		fields := make([]arrow.Field, len(columns))
		for i, c := range columns {
			fields[i] = arrow.Field{Name: "c", Type: types.Arrow(n.Cols[c].Type), Nullable: true}
		}
		return &logReader{ctx: ctx, rows: l, slices: slices, folds: folds, columns: columns, schema: arrow.NewSchema(fields, nil)}, nil
	}
	return n
}

// logReader gives the rows of one slice after another.
type logReader struct {
	ctx     context.Context
	rows    *logRows
	slices  []*fileSlice
	folds   []*fold
	columns []int
	schema  *arrow.Schema
	at      int
	batch   arrow.RecordBatch
	err     error
}

func (r *logReader) Next() bool {
	for r.err == nil && r.at < len(r.slices) {
		slice := r.slices[r.at]
		var f *fold
		if r.folds != nil {
			f = r.folds[r.at]
		} else if f, r.err = r.rows.fold(r.ctx, slice); r.err != nil {
			break
		}
		r.at++
		if len(f.entries) > 0 {
			r.batch = r.rows.batch(slice, f, r.columns)
			return true
		}
	}
	r.batch = nil
	return false
}

func (r *logReader) Schema() *arrow.Schema          { return r.schema }
func (r *logReader) RecordBatch() arrow.RecordBatch { return r.batch }
func (r *logReader) Record() arrow.RecordBatch      { return r.batch }
func (r *logReader) Err() error                     { return r.err }
func (r *logReader) Retain()                        {}
func (r *logReader) Release()                       {}
