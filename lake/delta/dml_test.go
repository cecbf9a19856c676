package delta

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// target is a table as the rows of a statement read it.
type target struct {
	cols []rel.Column // of testSchema
	id   rel.Column
	node *rel.Table
}

func readTarget(tx lake.Tx) target {
	var t target
	for _, f := range testSchema.Fields {
		t.cols = append(t.cols, rel.NewColumn(f.Name, f.Type))
	}
	t.id = rel.NewColumn("row id", rel.RowIDType)
	t.node = &rel.Table{Of: tx, Name: "t", Cols: t.cols, RowID: &t.id}
	return t
}

func num(n int64) rel.Expr { return &rel.Lit{T: types.Long, Value: n} }

func plus(x rel.Expr, n int64) rel.Expr {
	return &rel.Call{Name: "+", Args: []rel.Expr{x, num(n)}, T: types.Long, Null: true}
}

// is is the condition that a column of the target, by name, has a value.
func (t target) is(name string, n int64) rel.Expr {
	return equals(t.cols[testSchema.Index(name)].Ref(), num(n))
}

// where makes a condition over a target; nil is all rows.
type where func(target) rel.Expr

func byID(n int64) where      { return func(t target) rel.Expr { return t.is("id", n) } }
func byP(n int64) where       { return func(t target) rel.Expr { return t.is("p", n) } }
func allRows(target) rel.Expr { return nil }
func idModulo(m, r int64) where {
	return func(t target) rel.Expr {
		rest := &rel.Call{Name: "%", Args: []rel.Expr{t.cols[0].Ref(), num(m)}, T: types.Long, Null: true}
		return equals(rest, num(r))
	}
}

// project computes an edit's rows: operation, row id and the values of the columns.
func project(in rel.Node, t target, op rel.Expr, vals ...rel.Expr) lake.Edit {
	opCol, id := rel.NewColumn("op", types.String), rel.NewColumn("row id", rel.RowIDType)
	p := &rel.Project{In: in, Cols: []rel.Computed{{Column: opCol, Expr: op}, {Column: id, Expr: t.id.Ref()}}}
	e := lake.Edit{Op: opCol.ID, RowID: id.ID, Target: t.cols}
	for i, v := range vals {
		c := rel.NewColumn(testSchema.Fields[i].Name, testSchema.Fields[i].Type)
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: v})
		e.Columns = append(e.Columns, c.ID)
	}
	e.Rows = p
	return e
}

func filtered(t target, cond rel.Expr) rel.Node {
	if cond == nil {
		return t.node
	}
	return &rel.Filter{In: t.node, Cond: cond}
}

// deleteRows is DELETE by row ids.
func deleteRows(w where) func(lake.Tx) (lake.Change, error) {
	return func(tx lake.Tx) (lake.Change, error) {
		t := readTarget(tx)
		cond := w(t)
		e := project(filtered(t, cond), t, text("D"))
		e.Where = cond
		return e, nil
	}
}

// deleteWhere is DELETE by a condition that the format carries out.
func deleteWhere(w where) func(lake.Tx) (lake.Change, error) {
	return func(tx lake.Tx) (lake.Change, error) {
		t := readTarget(tx)
		return lake.Overwrite{Where: w(t), Target: t.cols}, nil
	}
}

var errTwice = errors.New("a row is matched twice")

func updateRows(w where, v string) func(lake.Tx) (lake.Change, error) {
	return func(tx lake.Tx) (lake.Change, error) {
		t := readTarget(tx)
		cond := w(t)
		e := project(filtered(t, cond), t, text("U"), t.cols[0].Ref(), text(v), t.cols[2].Ref())
		e.Where, e.Twice = cond, errTwice
		return e, nil
	}
}

// mergeRows is a MERGE on id, and on extra if given: matched rows take the source's values when update is set, others are
// inserted when insert is set.
func mergeRows(update, insert bool, extra where, source ...[]types.Value) func(lake.Tx) (lake.Change, error) {
	return func(tx lake.Tx) (lake.Change, error) {
		t := readTarget(tx)
		s, _ := values(source...)
		e := lake.Edit{}
		var only rel.Expr
		if extra != nil {
			only = extra(t)
		}
		kind := rel.Inner
		if insert {
			kind = rel.LeftOuter
		}
		join := &rel.Join{Kind: kind, Left: s, Right: t.node, On: rel.And(equals(t.cols[0].Ref(), s.Cols[0].Ref()), only)}
		op := &rel.Case{T: types.String}
		if insert {
			op.Whens = append(op.Whens, rel.When{If: &rel.Call{Name: "isnull", Args: []rel.Expr{t.id.Ref()}, T: types.Boolean}, Then: text("I")})
		}
		if update {
			op.Whens = append(op.Whens, rel.When{If: &rel.Lit{T: types.Boolean, Value: true}, Then: text("U")})
		}
		e = project(join, t, op, s.Cols[0].Ref(), s.Cols[1].Ref(), s.Cols[2].Ref())
		e.Where, e.Twice = only, errTwice
		return e, nil
	}
}

func overwriteRows(w where, rows ...[]types.Value) func(lake.Tx) (lake.Change, error) {
	return func(tx lake.Tx) (lake.Change, error) {
		n, ids := values(rows...)
		t := readTarget(tx)
		return lake.Overwrite{Rows: n, Columns: ids, Where: w(t), Target: t.cols}, nil
	}
}

func overwritePartitions(rows ...[]types.Value) func(lake.Tx) (lake.Change, error) {
	return func(lake.Tx) (lake.Change, error) {
		n, ids := values(rows...)
		return lake.Overwrite{Rows: n, Columns: ids, Partitions: true}, nil
	}
}

// insertSelect is INSERT INTO t SELECT id + 1000, v, p FROM t WHERE …
func insertSelect(w where) func(lake.Tx) (lake.Change, error) {
	return func(tx lake.Tx) (lake.Change, error) {
		t := readTarget(tx)
		t.node.RowID = nil
		p := &rel.Project{In: filtered(t, w(t))}
		var ids []rel.ID
		for i, c := range t.cols {
			var x rel.Expr = c.Ref()
			if i == 0 {
				x = plus(x, 1000)
			}
			out := rel.NewColumn(c.Name, c.Type)
			p.Cols, ids = append(p.Cols, rel.Computed{Column: out, Expr: x}), append(ids, out.ID)
		}
		return lake.Append{Rows: p, Columns: ids}, nil
	}
}

// define changes the table's description.
func define(change func(*lake.Meta)) func(lake.Tx) (lake.Change, error) {
	return func(tx lake.Tx) (lake.Change, error) {
		m := *tx.Meta()
		m.Properties = maps.Clone(m.Properties)
		m.Schema.Fields = slices.Clone(m.Schema.Fields)
		change(&m)
		return lake.Define{Meta: &m}, nil
	}
}

func setProperty(key, value string) func(lake.Tx) (lake.Change, error) {
	return define(func(m *lake.Meta) { m.Properties[key] = value })
}

// rows are the rows of the table's latest version as texts in order, read through a fresh format.
func (tt *testTable) rows(ctx context.Context) ([]string, error) {
	return readRows(ctx, tt.entry.Bucket)
}

func readRows(ctx context.Context, b storage.Bucket) ([]string, error) {
	table, err := new(Format).Open(ctx, lake.Entry{Location: "/t", Bucket: b})
	if err != nil {
		return nil, err
	}
	s, err := table.Snapshot(ctx, lake.At{})
	if err != nil {
		return nil, err
	}
	var w rel.Want
	for _, f := range testSchema.Fields {
		w.Columns = append(w.Columns, rel.NewColumn(f.Name, f.Type))
	}
	n, err := s.Scan(ctx, w)
	if err != nil {
		return nil, err
	}
	found, err := rowEngine{}.eval(ctx, n)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range found {
		out = append(out, fmt.Sprint(r[w.Columns[0].ID], " ", r[w.Columns[1].ID], " ", r[w.Columns[2].ID]))
	}
	slices.Sort(out)
	return out, nil
}
