package duckdb

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

const (
	fileSetBytes = 192 << 20 // held by the files under way together, about
	fileSetOpen  = 100       // files open at a time
)

// fileSet are the files that rows are written to, one under way per key.
//
//	batch --split--> runs of one key each --columns in parallel--> dataFile … --complete--> done
type fileSet struct {
	st      *staging
	to      engine.Dest
	options parquet.WriterOptions
	fields  []types.Field
	source  []int // by column: its place in the batches, -1 for FileName
	workers int

	files  map[string]*dataFile
	count  map[string]int // completed files of a key
	made   texts
	held   int64 // bytes in memory, about
	opened atomic.Int64
	begun  int
	done   []stagedFile
}

func newFileSet(st *staging, codec *parquet.Codec, workers int) *fileSet {
	p := st.to.Physical
	s := &fileSet{st: st, to: st.to, workers: workers, files: map[string]*dataFile{}, count: map[string]int{}}
	s.options = parquet.WriterOptions{
		Codec: codec, FixedDecimals: p.FixedDecimals, Int96: p.Int96, TwoLevelLists: p.TwoLevelLists, Required: p.Required,
		Root: p.Schema, FieldID: rel.FieldIDKey, Workers: workers,
	}
	n := 0
	for i, d := range s.to.Columns {
		if slices.Contains(s.to.Partition, i) {
			continue
		}
		s.fields = append(s.fields, d.Field)
		if d.Made == engine.FileName {
			s.source = append(s.source, -1)
			continue
		}
		s.source = append(s.source, n)
		n++
	}
	return s
}

// write spreads the rows of a batch over the files of their keys.
func (s *fileSet) write(ctx context.Context, b arrow.RecordBatch) error {
	runs, err := s.split(b)
	if err != nil {
		return err
	}
	defer func() {
		for _, r := range runs {
			r.release()
		}
	}()
	s.made.reset()
	for i := range runs {
		if err := s.fill(&runs[i]); err != nil {
			return err
		}
	}
	if err := s.encode(ctx, runs, int(b.NumRows())); err != nil {
		return err
	}
	for i := range runs {
		if err := s.advance(&runs[i]); err != nil {
			return err
		}
	}
	return s.relieve()
}

// encode appends the runs to their files, column by column, and shows them to the observers.
func (s *fileSet) encode(ctx context.Context, runs []run, rows int) error {
	workers := s.workers
	if rows < vectorSize {
		workers = 1
	}
	return parallel(workers, 1+len(s.source), func(i int) error {
		for k := range runs {
			r := &runs[k]
			var err error
			switch {
			case i > 0:
				err = r.file.column(i-1, r.columns[i-1])
			case r.file.watch != nil:
				err = r.file.watch.Rows(r.columns)
			}
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		return nil
	})
}

// advance counts the rows of a run and ends its file when that is large enough. All runs of a file in a batch are in its columns
// already: a row group may end behind the last of them only.
func (s *fileSet) advance(r *run) error {
	f := r.file
	f.ahead += r.n
	if r.more {
		return nil
	}
	if err := f.w.Advance(f.ahead); err != nil {
		return err
	}
	f.ahead = 0
	held := f.w.Buffered()
	s.held += held - f.held
	f.held = held
	if s.to.FileSize > 0 && f.w.Size() >= s.to.FileSize {
		return s.complete(f)
	}
	if s.opened.Load() > fileSetOpen {
		return f.rest()
	}
	return nil
}

// begin starts the next file of a key.
func (s *fileSet) begin(k key) (*dataFile, error) {
	f := &dataFile{set: s, key: k, from: filepath.Join(s.st.dir, "f"+strconv.Itoa(s.begun))}
	s.begun++
	if s.to.Name != nil {
		f.name = s.to.Name(k.id, s.count[k.id])
	} else {
		f.name = s.st.name(rel.File{Partition: k.partition})
	}
	var err error
	if f.w, err = parquet.NewWriter(f, s.fields, s.options); err != nil {
		return nil, err
	}
	if s.to.Observe != nil {
		f.watch = s.to.Observe(f.name)
	}
	if s.to.Sequence != nil {
		f.sequence = s.to.Sequence(f.name)
	}
	s.files[k.id] = f
	return f, nil
}

// relieve writes out row groups, of the largest files first, when too much is held.
func (s *fileSet) relieve() error {
	if s.held <= fileSetBytes {
		return nil
	}
	var all []*dataFile
	for _, f := range s.files {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *dataFile) int { return cmp.Compare(b.held, a.held) })
	for _, f := range all {
		if s.held <= fileSetBytes/2 {
			break
		}
		if err := f.w.Release(); err != nil {
			return err
		}
		s.held -= f.held
		f.held = 0
		if err := f.rest(); err != nil {
			return err
		}
	}
	return nil
}

// complete ends a file. The next rows of its key begin another.
func (s *fileSet) complete(f *dataFile) error {
	r, err := f.end()
	if err != nil {
		return err
	}
	s.held -= f.held
	s.count[f.key.id]++
	delete(s.files, f.key.id)
	s.done = append(s.done, r)
	return nil
}

// finish completes all files, in the order of their keys.
func (s *fileSet) finish(ctx context.Context) error {
	var all []*dataFile
	for _, f := range s.files {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *dataFile) int { return strings.Compare(a.key.id, b.key.id) })
	for _, f := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.complete(f); err != nil {
			return err
		}
	}
	return nil
}

// close frees what an error has left open.
func (s *fileSet) close() {
	for _, f := range s.files {
		_ = f.rest()
	}
}

// run are rows of a batch that go to one file.
type run struct {
	file    *dataFile
	batch   arrow.RecordBatch
	from, n int
	more    bool // the file gets another run of the batch
	columns []arrow.Array
	base    int64 // number of its first row in the file
}

func (r *run) release() {
	for _, c := range r.columns {
		c.Release()
	}
	r.batch.Release()
}

// fill makes the columns of a run as the file stores them.
func (s *fileSet) fill(r *run) error {
	k := 0
	for i, d := range s.to.Columns {
		if slices.Contains(s.to.Partition, i) {
			continue
		}
		at := s.source[k]
		k++
		if at < 0 {
			r.columns = append(r.columns, r.file.nameColumn(r.n))
			continue
		}
		c := array.NewSlice(r.batch.Column(at), int64(r.from), int64(r.from+r.n))
		if d.Made == engine.Sequence {
			text := c.(*array.String)
			c = s.made.numbered(text, r.file.sequence, r.base)
			text.Release()
		}
		r.columns = append(r.columns, c)
	}
	return nil
}
