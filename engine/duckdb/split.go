package duckdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/types"
)

// shortRun is the mean length of runs below which rows are sorted by key before they are encoded.
const shortRun = 256

// stretch are rows [from, to) of a batch, which have one key.
type stretch struct{ file, from, to int }

// split cuts a batch into runs of rows of one key each. When they would be short, its rows are brought in the order of their
// keys first; rows of one key keep theirs.
func (s *fileSet) split(b arrow.RecordBatch) ([]run, error) {
	rows := int(b.NumRows())
	keys, err := s.keys(b)
	if err != nil {
		return nil, err
	}
	var files []*dataFile
	var parts []stretch
	number := map[*dataFile]int{}
	for i := 0; i < rows; {
		from := i
		for i++; i < rows && keys.same(from, i); i++ {
		}
		f, err := s.file(keys, from)
		if err != nil {
			return nil, err
		}
		n, ok := number[f]
		if !ok {
			n = len(files)
			number[f] = n
			files = append(files, f)
		}
		parts = append(parts, stretch{n, from, i})
	}
	b.Retain()
	if len(parts) > len(files) && len(parts) > rows/shortRun {
		sorted, order := sortStretches(parts, len(files), rows)
		columns := make([]arrow.Array, b.NumCols())
		err := parallel(s.workers, len(columns)-len(keys), func(i int) error {
			columns[i] = gather(b.Column(i), order)
			return nil
		})
		for i := len(columns) - len(keys); i < len(columns); i++ {
			columns[i] = array.NewSlice(b.Column(i), 0, int64(rows)) // nobody reads it any more
		}
		if err != nil {
			return nil, err
		}
		by := array.NewRecordBatch(b.Schema(), columns, int64(rows))
		for _, c := range columns {
			c.Release()
		}
		b.Release()
		b, parts = by, sorted
	}
	defer b.Release()
	return runsOf(b, parts, files), nil
}

// runsOf makes a run of each stretch.
func runsOf(b arrow.RecordBatch, parts []stretch, files []*dataFile) []run {
	runs := make([]run, len(parts))
	for i, p := range parts {
		f := files[p.file]
		b.Retain()
		runs[i] = run{file: f, batch: b, from: p.from, n: p.to - p.from, base: f.next}
		f.next += int64(p.to - p.from)
	}
	last := map[*dataFile]bool{}
	for i := len(runs) - 1; i >= 0; i-- {
		runs[i].more = last[runs[i].file]
		last[runs[i].file] = true
	}
	return runs
}

// sortStretches brings rows in the order of their files: one stretch per file, and the place in the batch of each row.
func sortStretches(parts []stretch, files, rows int) ([]stretch, []int32) {
	out := make([]stretch, files)
	for _, p := range parts {
		out[p.file].to += p.to - p.from
	}
	at := 0
	for i := range out {
		out[i] = stretch{i, at, at + out[i].to}
		at = out[i].to
	}
	order := make([]int32, rows)
	next := make([]int, files)
	for _, p := range parts {
		to := out[p.file].from + next[p.file]
		for i := p.from; i < p.to; i++ {
			order[to+i-p.from] = int32(i)
		}
		next[p.file] += p.to - p.from
	}
	return out, order
}

// keyColumns are the last columns of a batch, by which its rows are spread.
type keyColumns []*array.String

// keys are the key columns of a batch.
func (s *fileSet) keys(b arrow.RecordBatch) (keyColumns, error) {
	n := len(s.to.Partition)
	if s.to.Key != 0 {
		n = 1
	}
	var out keyColumns
	for _, c := range b.Columns()[int(b.NumCols())-n:] {
		k, ok := c.(*array.String)
		if !ok {
			return nil, fmt.Errorf("duckdb: a key of %v", c.DataType())
		}
		if s.to.Key != 0 && k.NullN() > 0 {
			return nil, errors.New("duckdb: a row to write has no key")
		}
		out = append(out, k)
	}
	return out, nil
}

// same reports whether two rows have the same key.
func (k keyColumns) same(i, j int) bool {
	for _, c := range k {
		if c.IsNull(i) != c.IsNull(j) || c.Value(i) != c.Value(j) {
			return false
		}
	}
	return true
}

// file is the file under way for the key of row i.
func (s *fileSet) file(k keyColumns, i int) (*dataFile, error) {
	var buf [64]byte
	id := buf[:0]
	if s.to.Key != 0 {
		id = append(id, k[0].Value(i)...)
	} else {
		for _, c := range k {
			if c.IsNull(i) {
				id = append(id, 0)
				continue
			}
			id = binary.AppendUvarint(append(id, 1), uint64(len(c.Value(i))))
			id = append(id, c.Value(i)...)
		}
	}
	if f, ok := s.files[string(id)]; ok {
		return f, nil
	}
	n := key{id: string(id)}
	for j, p := range s.to.Partition {
		var v types.Value
		if k[j].IsValid(i) {
			var err error
			if v, err = partitionValue(strings.Clone(k[j].Value(i)), s.to.Columns[p].Field.Type); err != nil {
				return nil, fmt.Errorf("duckdb: partition value %q: %w", k[j].Value(i), err)
			}
		}
		n.partition = append(n.partition, v)
	}
	return s.begin(n)
}

// parallel calls do for the numbers below n, by several goroutines, until one fails.
func parallel(workers, n int, do func(i int) error) error {
	workers = min(workers, n)
	if workers < 2 {
		for i := range n {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[w] == nil; i = int(next.Add(1)) - 1 {
				errs[w] = do(i)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
