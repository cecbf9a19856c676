package hudi

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/internal/bitmap"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Codes of operations in the first column of changed rows.
const (
	noOp int32 = iota
	insertOp
	updateOp
	deleteOp
	ignoredOp // a row that lost against a newer one, or that was to be dropped as the table has its key
)

// freshRows is the rows of a change: what is to be done to which row, and the new values.
type freshRows struct {
	rows      rel.Node
	code      rel.Column  // int: one of the codes of operations
	file, pos rel.Column  // the row id; NULL for inserts, but see bucket
	key, path rel.Column  // record key, and the partition path of inserts
	bucket    rel.Column  // long: the bucket of a row, of which inserts have the slice in file; without ID in tables without buckets
	own       []rel.ID    // per column of the table
	stored    []rel.ID    // per column of the table, the value that the row at file and pos has, where rows bring it along; 0, or nil, where they do not
	passed    int64       // how many rows were left out, which are counted as ignored
	stays     bool        // a row stays in its partition, whatever its new values say
	folded    *foldedRows // what the rows of a key add up to, where the write folds
	changed   []bool      // per column of the table, whether logs have it of changed rows: of the others readers keep the value; nil: all
}

// edits is what a change does with the file slices of the snapshot.
type edits struct {
	slices                              map[int64]*sliceEdit
	inserted, updated, deleted, ignored int64
	lastID                              int64
	last                                *sliceEdit
}

// sliceEdit is what a change does with one slice.
type sliceEdit struct {
	slice    *fileSlice
	gone     positions // rows that are changed or deleted
	idle     positions // rows that matched only
	seen     uint64    // row ids, repeated ones counted each time
	updated  int64
	deleted  int64
	inserted int64
}

// positions gathers numbers in chunks, so that memory stays small.
type positions struct {
	set   bitmap.Set
	chunk []uint64
}

const positionChunk = 1 << 14

func (p *positions) add(pos uint64) {
	p.chunk = append(p.chunk, pos)
	if len(p.chunk) == positionChunk {
		p.flush()
	}
}

func (p *positions) flush() {
	slices.Sort(p.chunk)
	p.set.AddMany(p.chunk)
	p.chunk = p.chunk[:0]
}

// collect runs a change once, and sorts its row ids into slices.
func (x *tx) collect(ctx context.Context, f *freshRows) (*edits, error) {
	r, err := x.engine.Query(ctx, &rel.Project{In: f.rows, Cols: []rel.Computed{
		{Column: rel.NewColumn("file", types.Long), Expr: f.file.Ref()},
		{Column: rel.NewColumn("pos", types.Long), Expr: f.pos.Ref()},
		{Column: rel.NewColumn("op", types.Int), Expr: f.code.Ref()},
	}})
	if err != nil {
		return nil, err
	}
	defer r.Release()
	e := &edits{slices: map[int64]*sliceEdit{}, lastID: -1, ignored: f.passed}
	for r.Next() {
		if err := e.take(x.slices(), r.RecordBatch()); err != nil {
			return nil, err
		}
	}
	for _, s := range e.slices {
		s.gone.flush()
		s.idle.flush()
	}
	return e, r.Err()
}

func (e *edits) take(all []*fileSlice, b arrow.RecordBatch) error {
	file, ok1 := b.Column(0).(*array.Int64)
	pos, ok2 := b.Column(1).(*array.Int64)
	op, ok3 := b.Column(2).(*array.Int32)
	if !ok1 || !ok2 || !ok3 {
		return errors.New("the engine gave row ids of another type")
	}
	for i := range int(b.NumRows()) {
		code := op.Value(i)
		if op.IsNull(i) {
			code = noOp
		}
		if file.IsNull(i) {
			switch code {
			case updateOp, deleteOp:
				return errors.New("a row to be changed has no row id")
			case insertOp:
				e.inserted++
			case ignoredOp:
				e.ignored++
			}
			continue
		}
		s, err := e.slice(all, file.Value(i))
		if err != nil {
			return err
		}
		if code == insertOp {
			s.inserted++
			e.inserted++
			continue
		}
		s.take(e, code, pos.Value(i))
	}
	return nil
}

func (s *sliceEdit) take(e *edits, code int32, pos int64) {
	s.seen++
	p := &s.gone
	switch code {
	case updateOp:
		s.updated++
		e.updated++
	case deleteOp:
		s.deleted++
		e.deleted++
	case ignoredOp:
		e.ignored++
		p = &s.idle
	default:
		p = &s.idle
	}
	p.add(uint64(pos)) // positions of merged rows are negative: they become great numbers, which are as unique
}

// slice is the entry of slice number id.
func (e *edits) slice(all []*fileSlice, id int64) (*sliceEdit, error) {
	if id == e.lastID {
		return e.last, nil
	}
	s := e.slices[id]
	if s == nil {
		if id < 0 || id >= int64(len(all)) {
			return nil, fmt.Errorf("row id of the unknown file slice %d", id)
		}
		s = &sliceEdit{slice: all[id]}
		e.slices[id] = s
	}
	e.lastID, e.last = id, s
	return s, nil
}

// check is twice when a row id came more than once. Without it, repeated deletes of a row count once.
func (e *edits) check(twice error) error {
	for _, s := range e.slices {
		if !s.repeated() && !s.gone.set.Intersects(&s.idle.set) {
			continue
		}
		if twice != nil {
			return twice
		}
		if repeated := s.updated + s.deleted - int64(s.gone.set.Len()); s.updated == 0 {
			s.deleted -= repeated
			e.deleted -= repeated
		}
	}
	return nil
}

// repeated reports whether the row id of any row came more than once.
func (e *edits) repeated() bool {
	for _, s := range e.slices {
		if s.repeated() || s.gone.set.Intersects(&s.idle.set) {
			return true
		}
	}
	return false
}

// repeated reports whether a row is changed more than once.
func (s *sliceEdit) repeated() bool { return s.gone.set.Len()+s.idle.set.Len() < s.seen }

// touched are the slices with changed rows, in order.
func (e *edits) touched() []*sliceEdit {
	var out []*sliceEdit
	for _, s := range e.slices {
		if s.updated+s.deleted+s.inserted > 0 {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *sliceEdit) int { return int(a.slice.Number - b.slice.Number) })
	return out
}
