package duckdb

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

func openEngine(t *testing.T) *Engine {
	t.Helper()
	x, err := Open(Options{Threads: 2, Memory: 512 << 20, Spill: t.TempDir()})
	must(t, err)
	t.Cleanup(func() { x.Close() })
	return x
}

// A statement that DuckDB failed internally is tried once more, on a fresh instance.
func TestRetryOnFreshInstance(t *testing.T) {
	x := openEngine(t)
	q := ints("a", 1)
	form := func(em *emitter) (string, error) { return em.statement(q) }
	for fails, want := range map[int]bool{1: true, 2: false} {
		var slots []*slot
		err := x.attempt(t.Context(), q, nil, form, func(k *task) error {
			slots = append(slots, k.slot)
			if len(slots) <= fails {
				return &Error{Type: "INTERNAL", Message: "made up"}
			}
			x.finish(k)
			return nil
		})
		if (err == nil) != want || len(slots) != 2 || slots[0] == slots[1] {
			t.Errorf("%d failures: %v after %d tries", fails, err, len(slots))
		}
	}
	if len(x.slots) > 1 {
		t.Errorf("%d instances are open", len(x.slots))
	}
}

// An instance that lacks a directory is replaced, and goes when its last reader does.
func TestInstancesDrain(t *testing.T) {
	x := openEngine(t)
	n := &rel.TableFunc{Name: "range", Cols: []rel.Column{rel.NewColumn("i", types.Long)},
		Args: []rel.Expr{&rel.Lit{T: types.Long, Value: int64(0)}, &rel.Lit{T: types.Long, Value: int64(500_000)}}}
	r, err := x.Query(t.Context(), n)
	must(t, err)
	first := x.cur
	b, err := storage.OpenLocal(t.TempDir())
	must(t, err)
	q := ints("a", 1)
	_, err = x.Write(t.Context(), q, engine.Dest{Bucket: b, Columns: []engine.DestColumn{{ID: q.Cols[0].ID, Field: q.Cols[0].Field()}}})
	must(t, err)
	if x.cur == first || len(x.slots) != 2 {
		t.Errorf("%d instances", len(x.slots))
	}
	rows := int64(0)
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	must(t, r.Err())
	r.Release()
	if rows != 500_000 || len(x.slots) != 1 {
		t.Errorf("%d rows, %d instances", rows, len(x.slots))
	}
}

// After Close nothing is left in the spill directory, also of what was held and of what a bucket without a
// directory was given.
func TestCloseLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	x, err := Open(Options{Spill: dir})
	must(t, err)
	q := ints("a", 1)
	_, release, err := x.Hold(t.Context(), q)
	must(t, err)
	m := storage.NewMem()
	files, err := x.Write(t.Context(), q, engine.Dest{Bucket: m, Columns: []engine.DestColumn{{ID: q.Cols[0].ID, Field: q.Cols[0].Field()}}})
	must(t, err)
	r, err := x.Query(t.Context(), &rel.Scan{Format: "parquet", Files: files, Cols: []rel.ScanColumn{{Column: rel.NewColumn("a", types.Long), File: q.Cols[0].Field()}}})
	must(t, err)
	must(t, x.Close())
	for r.Next() { // an open reader ends undisturbed
	}
	must(t, r.Err())
	r.Release()
	must(t, release())
	left, err := os.ReadDir(dir)
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// What a killed process left goes; what a living engine has stays.
func TestSpillSweep(t *testing.T) {
	dir := t.TempDir()
	x, err := Open(Options{Spill: dir})
	must(t, err)
	defer x.Close()
	dead := filepath.Join(dir, "tarn-spill-dead")
	must(t, os.MkdirAll(filepath.Join(dead, "instance-1"), 0o700))
	must(t, os.WriteFile(filepath.Join(dead, spillLock), nil, 0o600))
	y, err := Open(Options{Spill: dir})
	must(t, err)
	defer y.Close()
	if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the dead directory: %v", err)
	}
	if _, err := os.Stat(x.spill); err != nil {
		t.Error(err)
	}
}

func TestProgress(t *testing.T) {
	x := openEngine(t)
	calls, last := 0, 0.0
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a, b := ints("a"), &rel.TableFunc{Name: "range", Cols: []rel.Column{rel.NewColumn("i", types.Long)},
		Args: []rel.Expr{&rel.Lit{T: types.Long, Value: int64(0)}, &rel.Lit{T: types.Long, Value: int64(3_000_000)}}}
	for i := range 400 {
		a.Rows = append(a.Rows, []rel.Expr{&rel.Lit{T: types.Long, Value: int64(i)}})
	}
	sum := &rel.Call{Name: "-", Args: []rel.Expr{a.Cols[0].Ref(), b.Cols[0].Ref()}, T: types.Long}
	ctx = engine.WithProgress(ctx, func(p engine.Progress) {
		if calls, last = calls+1, p.Percent; calls == 3 {
			cancel()
		}
	})
	_, _, err := x.Hold(ctx, &rel.Aggregate{In: &rel.Join{Left: a, Right: b}, Aggs: []rel.Computed{
		{Column: rel.NewColumn("m", types.Long), Expr: &rel.Agg{Name: "max", Args: []rel.Expr{sum}, T: types.Long}}}})
	if calls < 3 && err != nil || last < 0 || last > 100 {
		t.Errorf("%d calls, last %v: %v", calls, last, err)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What a statement may hold is bounded, and the bound is an error of the statement alone.
func TestMemoryCap(t *testing.T) {
	x, err := Open(Options{Threads: 2, Memory: 100 << 20, Spill: t.TempDir(), SpillQuota: 1 << 20})
	must(t, err)
	defer x.Close()
	n := &rel.TableFunc{Name: "range", Cols: []rel.Column{rel.NewColumn("i", types.Long)},
		Args: []rel.Expr{&rel.Lit{T: types.Long, Value: int64(0)}, &rel.Lit{T: types.Long, Value: int64(20_000_000)}}}
	_, _, err = x.Hold(t.Context(), &rel.Project{In: n, Cols: []rel.Computed{{Column: rel.NewColumn("x", types.Long),
		Expr: &rel.Call{Name: "-", Args: []rel.Expr{n.Cols[0].Ref(), n.Cols[0].Ref()}, T: types.Long}}, {Column: rel.NewColumn("y", types.Long), Expr: n.Cols[0].Ref()}}})
	var e *Error
	if !errors.As(err, &e) || e.Type != "Out of Memory" {
		t.Errorf("%v", err)
	}
	r, err := x.Query(t.Context(), ints("a", 1))
	must(t, err)
	r.Release()
}
