package delta

import (
	"context"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// rewriteGroups is the most parts that the files of one statement are rewritten in. Each part is a run of files in order
// of their names, so that rows that lay together stay together and statistics stay narrow.
const rewriteGroups = 16

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
	groups := runs(changes, rewriteGroups)
	adds := make([][]*Add, len(groups))
	kept := make([]int64, len(groups))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, runtime.GOMAXPROCS(0)))
	for i, group := range groups {
		g.Go(func() (err error) {
			adds[i], kept[i], err = x.rewriteGroup(ctx, groups, i, group, fresh)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return lake.Metrics{}, err
	}
	var m lake.Metrics
	for i, group := range groups {
		for _, c := range group {
			one, err := x.remove(c.add)
			if err != nil {
				return m, err
			}
			m = sum(m, one)
		}
		m = sum(m, x.added(adds[i]))
		m.Copied += kept[i]
	}
	return m, nil
}

// rewriteGroup writes what becomes of the rows of group i. New rows go with the last group.
func (x *tx) rewriteGroup(ctx context.Context, groups [][]*change, i int, group []*change, fresh *freshRows) (adds []*Add, kept int64, err error) {
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

// runs splits changes into at most n runs of about the same number of bytes.
func runs(changes []*change, n int) [][]*change {
	var total int64
	for _, c := range changes {
		total += c.add.Size
	}
	limit := total/int64(n) + 1
	var out [][]*change
	var size int64
	for _, c := range changes {
		if len(out) == 0 || len(changes) > n && size >= limit || len(changes) <= n {
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
