package duckdb

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// benchColumns are those of the rows that the benchmarks load and scan.
var benchColumns = []types.Field{
	{Name: "id", Type: types.Long}, {Name: "k", Type: types.Int}, {Name: "q", Type: types.Int}, {Name: "price", Type: types.Double},
	{Name: "amount", Type: types.Double}, {Name: "s", Type: types.String}, {Name: "c", Type: types.String}, {Name: "ts", Type: types.Timestamp},
}

const benchRows = `i AS id, (hash(i) % 1000)::INT AS k, (hash(i+7) % 100)::INT AS q, (hash(i+11) % 1000000)/100.0 AS price,
 (hash(i+13) % 1000000)/1000.0 AS amount, 'customer-' || lpad((hash(i+17) % 100000000)::VARCHAR, 9, '0') AS s,
 'city-' || (hash(i+19) % 32)::VARCHAR AS c, (TIMESTAMP '2024-01-01' + to_seconds((hash(i+23) % 31536000)::BIGINT)) AT TIME ZONE 'UTC' AS ts`

// bench is an engine, a connection of its instance for plain SQL, and input files of 5 million rows.
type bench struct {
	x     *Engine
	plain *conn
	in    storage.Bucket
	dir   string
	files []rel.File
}

func newBench(b *testing.B) *bench {
	dir := b.TempDir()
	x, err := Open(Options{Threads: 2, Spill: b.TempDir(), Memory: 2 << 30})
	must(b, err)
	b.Cleanup(func() { x.Close() })
	in, err := storage.OpenLocal(dir)
	must(b, err)
	slot, err := x.enter([]string{dir}, nil)
	must(b, err)
	c, err := slot.db.acquire()
	must(b, err)
	b.Cleanup(func() { slot.db.release(c); x.leave(slot) })
	w := &bench{x: x, plain: c, in: in, dir: dir}
	for i := range 5 {
		name := fmt.Sprintf("in%d.parquet", i)
		must(b, c.exec(b.Context(), fmt.Sprintf("COPY (SELECT %s FROM range(%d, %d) t(i)) TO %s", benchRows, i*1e6, (i+1)*1e6, literal(filepath.Join(dir, name)))))
		w.files = append(w.files, rel.File{Bucket: in, Path: name, ID: int64(i), Rows: 1e6})
	}
	return w
}

func (w *bench) scan() *rel.Scan {
	s := &rel.Scan{Format: "parquet", Files: w.files}
	for _, f := range benchColumns {
		s.Cols = append(s.Cols, rel.ScanColumn{Column: rel.NewColumn(f.Name, f.Type), File: f})
	}
	return s
}

// cpu reports the processor time of f beside its wall time.
func cpu(b *testing.B, f func()) {
	var from, to syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &from)
	at := time.Now()
	for b.Loop() {
		f()
	}
	wall := time.Since(at)
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &to)
	used := time.Duration(to.Utime.Nano()-from.Utime.Nano()) + time.Duration(to.Stime.Nano()-from.Stime.Nano())
	b.ReportMetric(used.Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(wall.Seconds()/float64(b.N), "s/op")
}

// BenchmarkLoad writes the rows through the engine, and BenchmarkLoadPlain by a bare COPY.
func BenchmarkLoad(b *testing.B) {
	w := newBench(b)
	s := w.scan()
	to := engine.Dest{Bucket: w.in, Dir: "out", Prefix: "p-", Suffix: ".parquet"}
	for _, c := range s.Columns() {
		to.Columns = append(to.Columns, engine.DestColumn{ID: c.ID, Field: c.Field(), Stats: true})
	}
	cpu(b, func() {
		_, err := w.x.Write(b.Context(), s, to)
		must(b, err)
	})
}

func BenchmarkLoadPlain(b *testing.B) {
	w := newBench(b)
	n := 0
	cpu(b, func() {
		n++
		must(b, w.plain.exec(b.Context(), fmt.Sprintf("COPY (FROM read_parquet(%s)) TO %s (FORMAT parquet, COMPRESSION snappy)",
			literal(w.dir+"/in*.parquet"), literal(fmt.Sprintf("%s/plain%d.parquet", w.dir, n)))))
	})
}

// BenchmarkScan aggregates through the engine, with every tenth of some rows hidden too, and
// BenchmarkScanPlain over the bare files.
func BenchmarkScan(b *testing.B) {
	w := newBench(b)
	for _, hidden := range []bool{false, true} {
		b.Run(fmt.Sprintf("hidden=%t", hidden), func(b *testing.B) {
			if hidden {
				for i := range w.files {
					w.files[i].Hidden = everyHundredth{}
				}
			}
			s := w.scan()
			k, c, amount, ts := s.Cols[1], s.Cols[6], s.Cols[4], s.Cols[7]
			agg := func(name string, t types.Type, args ...rel.Expr) rel.Computed {
				return rel.Computed{Column: rel.NewColumn(name, t), Expr: &rel.Agg{Name: name, Args: args, T: t, Null: true}}
			}
			q := &rel.Aggregate{
				In:   &rel.Filter{In: s, Cond: &rel.Call{Name: "<", Args: []rel.Expr{k.Ref(), &rel.Lit{T: types.Int, Value: int64(500)}}, T: types.Boolean}},
				Keys: []rel.Computed{{Column: rel.NewColumn("c", types.String), Expr: c.Ref()}},
				Aggs: []rel.Computed{agg("count", types.Long), agg("sum", types.Double, amount.Ref()), agg("max", types.Timestamp, ts.Ref())},
			}
			cpu(b, func() {
				r, err := w.x.Query(b.Context(), q)
				must(b, err)
				for r.Next() {
				}
				must(b, r.Err())
				r.Release()
			})
		})
	}
}

func BenchmarkScanPlain(b *testing.B) {
	w := newBench(b)
	q := "SELECT c, count(*) AS n, sum(amount) AS a, max(ts) AS m FROM read_parquet(" + literal(w.dir+"/in*.parquet") + ") WHERE k < 500 GROUP BY c"
	cpu(b, func() { must(b, w.plain.exec(b.Context(), q)) })
}

// everyHundredth hides ten thousand rows of a million.
type everyHundredth struct{}

func (everyHundredth) Contains(pos uint64) bool { return pos%100 == 0 && pos < 1e6 }
func (everyHundredth) Len() uint64              { return 10_000 }
func (everyHundredth) All() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for pos := uint64(0); pos < 1e6 && yield(pos); pos += 100 {
		}
	}
}

// BenchmarkEncode writes the rows, after the five columns of a Hudi table's own, by our own writer.
func BenchmarkEncode(b *testing.B) {
	w := newBench(b)
	q, to := w.encoding()
	cpu(b, func() {
		_, err := w.x.Write(b.Context(), q, to)
		must(b, err)
		must(b, os.RemoveAll(filepath.Join(w.dir, "out")))
	})
}

// encoding is a statement that gives the rows as a Hudi table stores them, and where they go.
func (w *bench) encoding() (rel.Node, engine.Dest) {
	s := w.scan()
	id := s.Cols[0]
	text := func(v types.Value) rel.Expr { return &rel.Lit{T: types.String, Value: v} }
	p := &rel.Project{In: s}
	add := func(name string, x rel.Expr) {
		p.Cols = append(p.Cols, rel.Computed{Column: rel.NewColumn(name, types.String), Expr: x})
	}
	add("_hoodie_commit_time", text("20261130120000000"))
	add("_hoodie_commit_seqno", text(nil))
	add("_hoodie_record_key", &rel.Cast{X: id.Ref(), To: types.String, Mode: rel.ANSI})
	add("_hoodie_partition_path", text("c=city-7"))
	for _, c := range s.Cols {
		p.Cols = append(p.Cols, rel.Computed{Column: rel.NewColumn(c.Name, c.Type), Expr: c.Ref()})
	}
	to := engine.Dest{
		Bucket: w.in, Physical: engine.Physical{V1: true, FixedDecimals: true, Required: true},
		Name:     func(key string, n int) string { return fmt.Sprintf("out/f%s-%d.parquet", key, n) },
		Sequence: func(string) string { return "20261130120000000_0_" },
	}
	for i, c := range p.Columns() {
		d := engine.DestColumn{ID: c.ID, Field: c.Field(), Stats: true}
		if i == 1 {
			d.Made = engine.Sequence
		}
		to.Columns = append(to.Columns, d)
	}
	to.Columns = slices.Insert(to.Columns, 4, engine.DestColumn{Made: engine.FileName, Field: types.Field{Name: "_hoodie_file_name", Type: types.String}})
	return p, to
}

// BenchmarkEncodeRows reads what BenchmarkEncode writes, and drops it.
func BenchmarkEncodeRows(b *testing.B) {
	w := newBench(b)
	q, _ := w.encoding()
	cpu(b, func() {
		r, err := w.x.Query(b.Context(), q)
		must(b, err)
		for r.Next() {
		}
		must(b, r.Err())
		r.Release()
	})
}

// BenchmarkRewrite writes each file anew with every hundredth row changed, as an upsert into copied files does.
func BenchmarkRewrite(b *testing.B) {
	w := newBench(b)
	cpu(b, func() {
		must(b, w.rewrite(b.Context()))
		must(b, os.RemoveAll(filepath.Join(w.dir, "out")))
	})
}

// rewrite makes one file of each input file: its rows but for every hundredth, and the new forms of those.
func (w *bench) rewrite(ctx context.Context) error {
	q, _ := w.encoding()
	hundredth := &rel.Call{Name: "%", Args: []rel.Expr{q.Columns()[4].Ref(), &rel.Lit{T: types.Long, Value: int64(100)}}, T: types.Long}
	held, release, err := w.x.Hold(ctx, &rel.Filter{In: q, Cond: &rel.Call{Name: "=", Args: []rel.Expr{hundredth, &rel.Lit{T: types.Long, Value: int64(0)}}, T: types.Boolean}})
	if err != nil {
		return err
	}
	defer release()
	all := w.files
	defer func() { w.files = all }()
	for i, f := range all {
		w.files = []rel.File{f}
		old, to := w.encoding()
		u := replaced(old, held, int64(i)*1e6, int64(i+1)*1e6)
		k := 0
		for j := range to.Columns {
			if to.Columns[j].Made != engine.FileName {
				to.Columns[j].ID = u.Cols[k].ID
				k++
			}
		}
		to.Name = func(string, int) string { return fmt.Sprintf("out/f%d.parquet", i) }
		if _, err := w.x.Write(ctx, u, to); err != nil {
			return err
		}
	}
	return nil
}

// replaced is the rows of old without those whose id is in held, and the rows of held with ids in [from, to).
func replaced(old, held rel.Node, from, to int64) *rel.SetOp {
	changes := func() *rel.Project {
		p := &rel.Project{In: held}
		for _, c := range held.Columns() {
			p.Cols = append(p.Cols, rel.Computed{Column: rel.NewColumn(c.Name, c.Type), Expr: c.Ref()})
		}
		return p
	}
	id := func(n rel.Node) rel.Expr { return n.Columns()[4].Ref() }
	gone, again := changes(), changes()
	compare := func(op string, a, b rel.Expr) rel.Expr {
		return &rel.Call{Name: op, Args: []rel.Expr{a, b}, T: types.Boolean}
	}
	kept := &rel.Join{Kind: rel.Anti, Left: old, Right: gone, On: compare("=", id(old), id(gone))}
	here := &rel.Filter{In: &rel.Filter{In: again, Cond: compare(">=", id(again), &rel.Lit{T: types.Long, Value: from})},
		Cond: compare("<", id(again), &rel.Lit{T: types.Long, Value: to})}
	u := &rel.SetOp{Kind: rel.Union, All: true, Left: kept, Right: here}
	for _, c := range kept.Columns() {
		u.Cols = append(u.Cols, rel.NewColumn(c.Name, c.Type))
	}
	return u
}
