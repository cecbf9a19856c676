package duckdb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	duck "github.com/duckdb/duckdb-go-bindings"
)

// sourceFunction is the table function that reads a source: go_rows(number).
const sourceFunction = "go_rows"

// source is a relation of Arrow batches that statements read as a table.
type source struct {
	ctx    context.Context // of the statement: DuckDB cannot interrupt a reader that blocks
	schema *arrow.Schema
	rows   int64 // estimate, negative when unknown
	// open is called once per scan; its batches hold exactly the given columns of schema, in this order.
	open func(ctx context.Context, columns []int) (array.RecordReader, error)

	failed atomic.Pointer[error] // the first error of open or a reader: DuckDB passes on its text only
}

// note keeps err, which the statement will fail with.
func (s *source) note(err error) error {
	if err != nil {
		s.failed.CompareAndSwap(nil, &err)
	}
	return err
}

// lastSource numbers the sources of the process, so that a statement can be made before its instance is known.
var lastSource atomic.Int64

// addSource makes s readable under the number id, which comes from lastSource, until dropSource.
func (d *instance) addSource(id int64, s *source) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sources[id] = s
}

func (d *instance) dropSource(id int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sources, id)
}

func (d *instance) source(id int64) *source {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sources[id]
}

// registerSource registers go_rows: projection is pushed down, filters stay above it.
func (c *conn) registerSource() error {
	f := duck.CreateTableFunction()
	defer duck.DestroyTableFunction(&f)
	id := duck.CreateLogicalType(duck.TypeBigInt)
	defer duck.DestroyLogicalType(&id)
	duck.TableFunctionSetName(f, sourceFunction)
	duck.TableFunctionAddParameter(f, id)
	duck.TableFunctionSetExtraInfo(f, box(c.db), fnFree())
	duck.TableFunctionSetBind(f, fnBind())
	duck.TableFunctionSetInit(f, fnInit())
	duck.TableFunctionSetLocalInit(f, fnLocal())
	duck.TableFunctionSetFunction(f, fnScan())
	duck.TableFunctionSupportsProjectionPushdown(f, true)
	if duck.RegisterTableFunction(c.h, f) == duck.StateError {
		return errors.New("cannot register " + sourceFunction)
	}
	return nil
}

// bindSource tells DuckDB the columns of a source.
func bindSource(info duck.BindInfo) error {
	db := unbox[*instance](duck.BindGetExtraInfo(info))
	v := duck.BindGetParameter(info, 0)
	id := duck.GetInt64(v)
	duck.DestroyValue(&v)
	s := db.source(id)
	if s == nil {
		return fmt.Errorf("%s: no source %d", sourceFunction, id)
	}
	for _, f := range s.schema.Fields() {
		t, err := logicalType(f.Type)
		if err != nil {
			return fmt.Errorf("column %s: %w", f.Name, err)
		}
		duck.BindAddResultColumn(info, f.Name, t)
		duck.DestroyLogicalType(&t)
	}
	if s.rows >= 0 {
		duck.BindSetCardinality(info, duck.IdxT(s.rows), false)
	}
	duck.BindSetBindData(info, box(s), fnFree())
	return nil
}

// scan is the state of one scan, shared by its threads.
type scan struct {
	src    *source
	cancel context.CancelFunc
	want   []int // per column of the chunk: column of a batch, or -1 for a virtual one

	mu   sync.Mutex
	rd   array.RecordReader
	done bool
}

func (s *scan) release() {
	s.cancel()
	s.rd.Release()
}

// initScan opens the source with the columns that the statement needs.
func initScan(info duck.InitInfo) error {
	s := &scan{src: unbox[*source](duck.InitGetBindData(info))}
	var need []int
	for i := range duck.InitGetColumnCount(info) {
		c := uint64(duck.InitGetColumnIndex(info, i))
		if c >= uint64(s.src.schema.NumFields()) { // count(*) asks for a virtual column only
			s.want = append(s.want, -1)
			continue
		}
		s.want = append(s.want, int(c))
		need = append(need, int(c))
	}
	ctx, cancel := context.WithCancel(s.src.ctx)
	rd, err := s.src.open(ctx, need)
	if err != nil {
		cancel()
		return s.src.note(err)
	}
	s.rd, s.cancel = rd, cancel
	if err := s.match(); err != nil {
		s.release()
		return err
	}
	duck.InitSetMaxThreads(info, 64)
	duck.InitSetInitData(info, box(s), fnFree())
	return nil
}

// match gives each column of the chunk its place in the reader's batches, which hold the wanted columns in
// order, and checks their types: a wrong one would be read as garbage.
func (s *scan) match() error {
	got := s.rd.Schema().Fields()
	at := 0
	for i, w := range s.want {
		if w < 0 {
			continue
		}
		f := s.src.schema.Field(w)
		if at >= len(got) || !sameShape(got[at].Type, f.Type) {
			return fmt.Errorf("%s: column %s is not what its schema says", sourceFunction, f.Name)
		}
		s.want[i] = at
		at++
	}
	return nil
}

// next gives the following batch, which the caller releases; nil means the end.
func (s *scan) next() (arrow.RecordBatch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.src.ctx.Err(); err != nil {
		return nil, err
	}
	if s.done || !s.rd.Next() {
		s.done = true
		return nil, s.src.note(s.rd.Err())
	}
	b := s.rd.RecordBatch()
	b.Retain()
	return b, nil
}

// scanPart is the state of one thread of a scan: the batch it works through.
type scanPart struct {
	cur arrow.RecordBatch
	off int
}

func (p *scanPart) release() {
	if p.cur != nil {
		p.cur.Release()
		p.cur = nil
	}
}

// scanChunk fills out with up to vectorSize rows; none means the end.
func scanChunk(info duck.FunctionInfo, out duck.DataChunk) error {
	s := unbox[*scan](duck.FunctionGetInitData(info))
	p := unbox[*scanPart](duck.FunctionGetLocalInitData(info))
	for p.cur == nil || p.off >= int(p.cur.NumRows()) {
		p.release()
		b, err := s.next()
		if err != nil {
			return err
		}
		if b == nil {
			duck.DataChunkSetSize(out, 0)
			return nil
		}
		p.cur, p.off = b, 0
	}
	n := min(vectorSize, int(p.cur.NumRows())-p.off)
	for i, c := range s.want {
		if c < 0 {
			continue
		}
		if err := fill(duck.DataChunkGetVector(out, duck.IdxT(i)), p.cur.Column(c), p.off, n); err != nil {
			return err
		}
	}
	p.off += n
	duck.DataChunkSetSize(out, duck.IdxT(n))
	return nil
}
