package delta

import (
	"context"
	"math"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// The files of one statement are rewritten in runs in the order of their names, so that rows that lay together stay together
// and statistics stay narrow: at most so many, and small files together.
const (
	maxRuns = 16
	minRun  = 32 << 20 // bytes
)

// freshRows are the new values of an edit's rows.
type freshRows struct {
	rows    rel.Node
	op, id  rel.ID
	columns []rel.ID // per column of the schema
}

func newFresh(held rel.Node, c lake.Edit) *freshRows {
	return &freshRows{rows: held, op: c.Op, id: c.RowID, columns: c.Columns}
}

func (f *freshRows) ids() []rel.ID { return f.columns }

// all are the rows that are changed or added.
func (f *freshRows) all() rel.Node {
	op := columnOf(f.rows, f.op).Ref()
	return &rel.Filter{In: f.rows, Cond: comparison("or", equals(op, text("U")), equals(op, text("I")))}
}

// updated are the rows that replace some of the files numbered from to to; with inserted also those that are added.
func (f *freshRows) updated(from, to int64, inserted bool) rel.Node {
	op := columnOf(f.rows, f.op).Ref()
	file, _ := idParts(f.rows, f.id)
	cond := rel.And(equals(op, text("U")), comparison(">=", file, long(from)), comparison("<=", file, long(to)))
	if inserted {
		cond = comparison("or", cond, equals(op, text("I")))
	}
	return &rel.Filter{In: f.rows, Cond: cond}
}

func long(n int64) rel.Expr { return &rel.Lit{T: types.Long, Value: n} }

// rewrite writes the live rows of files anew, with the fresh rows among them, and removes the files.
func (x *tx) rewrite(ctx context.Context, changes []*change, fresh *freshRows) (lake.Metrics, error) {
	if len(changes) == 0 {
		if fresh == nil {
			return lake.Metrics{}, nil
		}
		adds, _, err := x.write(ctx, fresh.all(), fresh.ids(), 0)
		return x.added(adds), err
	}
	apart := fresh != nil && x.apart(changes)
	mixed := fresh
	if apart {
		mixed = nil
	}
	var m lake.Metrics
	groups := runs(changes)
	for i, group := range groups { // one after the other: the engine uses all processors for each
		adds, kept, err := x.rewriteGroup(ctx, groups, i, mixed)
		if err != nil {
			return m, err
		}
		for _, c := range group {
			one, err := x.remove(c.add)
			if err != nil {
				return m, err
			}
			m = sum(m, one)
		}
		m = sum(m, x.added(adds))
		m.Copied += kept
	}
	if !apart {
		return m, nil
	}
	adds, _, err := x.write(ctx, fresh.all(), fresh.ids(), 0)
	return sum(m, x.added(adds)), err
}

// apart reports whether the fresh rows get files of their own. That is faster, but one more file: not where the files are small,
// or where each partition would get one.
func (x *tx) apart(changes []*change) bool {
	var size int64
	for _, c := range changes {
		size += c.add.Size
	}
	return len(x.layout.partition) == 0 && size >= x.layout.fileSize/2
}

// rewriteGroup writes what becomes of the rows of group i. New rows go with the last group.
func (x *tx) rewriteGroup(ctx context.Context, groups [][]*change, i int, fresh *freshRows) (adds []*Add, kept int64, err error) {
	group := groups[i]
	live, err := x.live(ctx, group)
	if err != nil {
		return nil, 0, err
	}
	columns := make([]rel.ID, len(live.Columns()))
	for k, c := range live.Columns() {
		columns[k] = c.ID
	}
	if fresh == nil {
		adds, kept, err = x.write(ctx, live, columns, 0)
		return adds, kept, err
	}
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if i > 0 {
		from = group[0].number
	}
	last := i == len(groups)-1
	if !last {
		to = groups[i+1][0].number - 1
	}
	rows := union(live, fresh.updated(from, to, last), fresh.columns)
	for k, c := range rows.Columns() {
		columns[k] = c.ID
	}
	adds, _, err = x.write(ctx, rows, columns, 0)
	for _, c := range group {
		if c.rows >= 0 {
			kept += c.rows - int64(c.hidden.Len())
		}
	}
	return adds, kept, err
}

// union is the rows of two trees: all columns of a, and those of b with the given numbers.
func union(a, b rel.Node, columns []rel.ID) rel.Node {
	cols := make([]rel.Column, len(a.Columns()))
	picked := make([]rel.Computed, len(cols))
	for i, c := range a.Columns() {
		from := columnOf(b, columns[i])
		picked[i] = rel.Computed{Column: rel.NewColumn(c.Name, from.Type), Expr: from.Ref()}
		cols[i] = rel.NewColumn(c.Name, c.Type)
	}
	return &rel.SetOp{Kind: rel.Union, All: true, Left: a, Right: &rel.Project{In: b, Cols: picked}, Cols: cols}
}

// runs splits changes into runs of about the same number of bytes.
func runs(changes []*change) [][]*change {
	var total int64
	for _, c := range changes {
		total += c.add.Size
	}
	limit := max(total/maxRuns+1, minRun)
	var out [][]*change
	size := limit
	for _, c := range changes {
		if size >= limit {
			out, size = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], c)
		size += c.add.Size
	}
	return out
}

// live is a tree of the rows that stay in files after their change, with all columns of the schema.
func (x *tx) live(ctx context.Context, changes []*change) (rel.Node, error) {
	w := rel.Want{}
	for _, f := range x.view.schema.Fields {
		w.Columns = append(w.Columns, rel.Column{ID: rel.NewID(), Name: f.Name, Type: f.Type, Nullable: f.Nullable, Metadata: f.Metadata})
	}
	byNumber := map[int64]*change{}
	for _, c := range changes {
		byNumber[c.number] = c
	}
	return x.view.scanFiles(ctx, w, byNumber)
}
