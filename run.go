package tarn

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// run is one statement while it runs. It is the planner's view of the session ([plan.Scope]): each table is
// opened once, so that a statement sees one state of it.
type run struct {
	*Session
	text    string
	args    []any
	next    map[syntax.Pos]int // numbers of the markers `?` by position
	started time.Time
	stmt    *statementState
}

// statementState is what all views of one statement share.
type statementState struct {
	snapshots map[string]lake.Snapshot // read or being changed, by location and time asked for
	format    string                   // of the table that the statement is about; "" while that is not known
}

// execute runs a parsed statement. text is what its positions count in.
func (s *Session) execute(ctx context.Context, text string, st syntax.Statement, args []any) (*Rows, error) {
	r := newRun(s, text, st, args)
	ctx, cancel := context.WithCancel(ctx)
	rows, err := r.statement(ctx, st)
	if err != nil {
		cancel()
		return nil, r.explained(err)
	}
	rows.fail = r.explained
	rows.done = chain(rows.done, cancel)
	if rows.receipt != nil {
		rows.receipt.Seconds = time.Since(r.started).Seconds()
	}
	return rows, nil
}

func newRun(s *Session, text string, st syntax.Statement, args []any) *run {
	return &run{Session: s, text: text, args: args, next: markers(st), started: time.Now(),
		stmt: &statementState{snapshots: map[string]lake.Snapshot{}}}
}

func chain(first, second func()) func() {
	if first == nil {
		return second
	}
	return func() { first(); second() }
}

// markers numbers the parameter markers `?` of st in the order of the text.
func markers(st syntax.Statement) map[syntax.Pos]int {
	out := map[syntax.Pos]int{}
	if st == nil {
		return out
	}
	syntax.Walk(st, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.Param); ok && p.Name == "" {
			out[p.Pos()] = len(out)
		}
		return true
	})
	return out
}

// Current is the current catalog and schema.
func (r *run) Current() lake.Ident { return lake.Ident{r.catalog, r.schema} }

// Setting is the value of a setting, or its default.
func (r *run) Setting(key string) string { return r.Session.setting(key) }

// Parameter is the value given for a parameter marker.
func (r *run) Parameter(p *syntax.Param) (rel.Expr, bool) {
	n := 0
	for _, a := range r.args {
		named, is := a.(NamedArg)
		switch {
		case is && named.Name == p.Name:
			return argument(named.Value)
		case !is && p.Name == "" && n == r.next[p.Pos()]:
			return argument(a)
		case !is:
			n++
		}
	}
	return nil, false
}

// argument is a Go value of the caller as a constant.
func argument(v any) (rel.Expr, bool) {
	if e, ok := v.(rel.Expr); ok {
		return e, true
	}
	lit := func(t types.Type, v types.Value) (rel.Expr, bool) { return &rel.Lit{T: t, Value: v}, true }
	switch v := v.(type) {
	case nil:
		return lit(types.Void, nil)
	case bool:
		return lit(types.Boolean, v)
	case int8:
		return lit(types.Byte, int64(v))
	case int16:
		return lit(types.Short, int64(v))
	case int32:
		return lit(types.Int, int64(v))
	case int:
		return lit(types.Long, int64(v))
	case int64:
		return lit(types.Long, v)
	case float32:
		return lit(types.Float, v)
	case float64:
		return lit(types.Double, v)
	case string:
		return lit(types.String, v)
	case []byte:
		return lit(types.Binary, v)
	case time.Time:
		return lit(types.Timestamp, v.UnixMicro())
	case time.Duration:
		return lit(types.DayTime{From: types.Day, To: types.Second}, v.Microseconds())
	}
	return nil, false
}

// Constant computes an expression without columns.
func (r *run) Constant(ctx context.Context, e rel.Expr) (types.Value, error) {
	if l, ok := e.(*rel.Lit); ok {
		return l.Value, nil
	}
	col := rel.NewColumn("value", e.Type())
	row := &rel.Values{Rows: [][]rel.Expr{{}}}
	rows, err := r.collect(ctx, &rel.Project{In: row, Cols: []rel.Computed{{Column: col, Expr: e}}})
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("a constant gave %d rows", len(rows))
	}
	return rows[0][0], nil
}

// rows computes a tree.
func (r *run) rows(ctx context.Context, n rel.Node) (*Rows, error) {
	reader, err := r.reader(ctx, n)
	if err != nil {
		return nil, err
	}
	return &Rows{cols: columnsOf(n.Columns()), src: reader}, nil
}

func (r *run) reader(ctx context.Context, n rel.Node) (array.RecordReader, error) {
	bound, err := rel.Bind(ctx, n)
	if err != nil {
		return nil, err
	}
	return r.db.engine.Query(ctx, bound)
}

// collect computes a tree whose rows are few.
func (r *run) collect(ctx context.Context, n rel.Node) ([][]types.Value, error) {
	rows, err := r.rows(ctx, n)
	if err != nil {
		return nil, err
	}
	var out [][]types.Value
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

func columnsOf(cols []rel.Column) []Column {
	out := make([]Column, len(cols))
	for i, c := range cols {
		out[i] = Column{Name: c.Name, Type: c.Type, Nullable: c.Nullable, Metadata: c.Metadata}
	}
	return out
}

// query runs a query.
func (r *run) query(ctx context.Context, q *syntax.Query) (*Rows, error) {
	n, err := plan.Query(ctx, q, r)
	if err != nil {
		return nil, err
	}
	return r.rows(ctx, n)
}
