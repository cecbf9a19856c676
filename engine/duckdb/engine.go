package duckdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/rel"
)

var _ engine.Engine = (*Engine)(nil)

// Engine is an engine.Engine over embedded DuckDB.
type Engine struct {
	opts    Options
	dir     *spillDir
	spill   string // its path
	live    *liveRows
	perFile *perFile

	mu     sync.Mutex
	closed bool
	cur    *slot                 // new statements run here; nil until the first one
	slots  map[*slot]bool        // all that are open
	held   map[*rel.Stream]*held // by the node that Hold gave
	codecs map[string]*parquet.Codec
}

// slot is an instance and who uses it. It is closed when it is retired and nobody does.
type slot struct {
	db      *instance
	roots   []string // directories granted
	users   int      // statements running and relations held
	retired bool
}

// errClosed is the error of a closed engine.
var errClosed = errors.New("duckdb: the engine is closed")

// Open makes an engine. The first statement starts an instance.
func Open(o Options) (*Engine, error) {
	o = o.withDefaults()
	dir, err := makeSpill(o.Spill)
	if err != nil {
		return nil, err
	}
	return &Engine{opts: o, dir: dir, spill: dir.path, live: newLiveRows(), perFile: newPerFile(), slots: map[*slot]bool{}, held: map[*rel.Stream]*held{}, codecs: map[string]*parquet.Codec{}}, nil
}

// Close ends the engine and what it holds. Statements that still run end undisturbed; new ones fail.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	e.cur = nil
	for n, h := range e.held {
		delete(e.held, n)
		h.slot.users--
	}
	for s := range e.slots {
		s.retired = true
		e.sweep(s)
	}
	return e.sweepSpill()
}

// sweep closes s when it is retired and idle. e.mu is held.
func (e *Engine) sweep(s *slot) {
	if s.retired && s.users == 0 && e.slots[s] {
		delete(e.slots, s)
		s.db.close()
	}
}

// sweepSpill removes the spill directory of a closed engine that nothing runs in. e.mu is held.
func (e *Engine) sweepSpill() error {
	if e.closed && len(e.slots) == 0 {
		return e.dir.remove()
	}
	return nil
}

// enter finds an instance that may touch roots, prefers those that hold a relation of the statement, and
// counts the caller as its user until leave. The allowed directories of an instance cannot change, so when
// none fits a new one is opened, for all directories granted so far and roots, and takes over.
func (e *Engine) enter(roots []string, hold []*held) (*slot, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errClosed
	}
	for _, h := range hold {
		if h.slot != nil && h.slot.grants(roots) {
			h.slot.users++
			return h.slot, nil
		}
	}
	if e.cur == nil || !e.cur.grants(roots) {
		if err := e.renew(roots); err != nil {
			return nil, err
		}
	}
	e.cur.users++
	return e.cur, nil
}

func (s *slot) grants(roots []string) bool {
	for _, r := range roots {
		if !slices.Contains(s.roots, r) {
			return false
		}
	}
	return true
}

// renew opens an instance in the place of the current one. e.mu is held.
func (e *Engine) renew(roots []string) error {
	var all []string
	if e.cur != nil {
		all = append(all, e.cur.roots...)
	}
	for _, r := range roots {
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	l, err := e.opts.limits(e.spill, all)
	if err != nil {
		return err
	}
	db, err := openInstance(l)
	if err != nil {
		return err
	}
	if old := e.cur; old != nil {
		old.retired = true
		e.sweep(old)
	}
	e.cur = &slot{db: db, roots: all}
	e.slots[e.cur] = true
	return nil
}

// leave ends what enter began.
func (e *Engine) leave(s *slot) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.users--
	e.sweep(s)
	_ = e.sweepSpill()
}

// distrust retires s after an internal error, so that the next statement gets a fresh instance.
func (e *Engine) distrust(s *slot) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.retired = true
	if e.cur == s {
		e.cur = nil
	}
}

// task is a statement made for one instance.
type task struct {
	slot    *slot
	survey  *survey
	conn    *conn
	sql     string
	sources map[int64]*source
	live    []int64
	perFile []int64
}

// begin emits a statement for q by form, on an instance that may touch the files of q and dirs, and readies
// what it needs there. finish must be called.
func (e *Engine) begin(ctx context.Context, q rel.Node, dirs []string, form func(em *emitter) (string, error)) (*task, error) {
	t, err := e.look(ctx, q, dirs)
	if err != nil {
		return nil, err
	}
	s, err := e.enter(t.roots, t.held)
	if err != nil {
		t.done()
		return nil, err
	}
	k := &task{slot: s, survey: t, sources: map[int64]*source{}}
	if err := e.ready(ctx, k, t, form); err != nil {
		e.finish(k)
		return nil, err
	}
	return k, nil
}

func (e *Engine) ready(ctx context.Context, k *task, t *survey, form func(em *emitter) (string, error)) error {
	em := newEmitter()
	em.survey, em.engine, em.slot = t, e, k.slot
	sql, err := form(em)
	k.live, k.perFile = em.live, em.perFile
	if err != nil {
		return err
	}
	k.sql = sql
	if k.conn, err = k.slot.db.acquire(); err != nil {
		return err
	}
	for _, s := range em.streams {
		src := &source{ctx: ctx, schema: arrowSchema(s.node.Cols, true), rows: s.node.Rows, open: s.node.Open}
		k.sources[s.id] = src
		k.slot.db.addSource(s.id, src)
	}
	fns := make([]*Scalar, 0, len(em.scalars))
	for _, f := range em.scalars {
		fns = append(fns, f)
	}
	return k.conn.need(fns)
}

// finish gives back what a statement used.
func (e *Engine) finish(k *task) {
	for id := range k.sources {
		k.slot.db.dropSource(id)
	}
	e.live.drop(k.live)
	e.perFile.drop(k.perFile)
	if k.conn != nil {
		k.slot.db.release(k.conn)
	}
	if k.survey != nil {
		k.survey.done()
	}
	e.leave(k.slot)
}

// attempt runs f, and once more on a fresh instance when DuckDB failed internally.
func (e *Engine) attempt(ctx context.Context, q rel.Node, dirs []string, form func(*emitter) (string, error), f func(*task) error) error {
	for try := 0; ; try++ {
		k, err := e.begin(ctx, q, dirs, form)
		if err != nil {
			return err
		}
		stop := watchProgress(ctx, k.conn)
		err = f(k)
		stop()
		if err == nil {
			return nil
		}
		var de *Error
		internal := errors.As(err, &de) && de.fatal()
		if internal {
			e.distrust(k.slot)
		}
		e.finish(k)
		if !internal || try > 0 || ctx.Err() != nil {
			return k.explain(err)
		}
	}
}

// explain gives err the cause that a source had, or Spark's class when it carries one, and names the
// statement when it is our mistake.
func (k *task) explain(err error) error {
	var de *Error
	if !errors.As(err, &de) {
		return err
	}
	for _, s := range k.sources {
		if cause := s.failed.Load(); cause != nil && strings.Contains(de.Message, (*cause).Error()) {
			return *cause
		}
	}
	if e := classed(err); e != err {
		return e
	}
	if de.Type == "Binder" || de.Type == "Parser" || de.Type == "Catalog" || de.fatal() {
		sql := k.sql
		if len(sql) > 2000 {
			sql = sql[:2000] + "…"
		}
		return fmt.Errorf("%w\nin the statement %s", err, strings.TrimSpace(sql))
	}
	return err
}
