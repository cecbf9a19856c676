package tarn

import (
	"context"

	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
)

// sqler is an engine that computes rows by statements of its own, which EXPLAIN EXTENDED shows.
type sqler interface {
	SQL(ctx context.Context, q rel.Node) (string, error)
}

// explain shows the plan of a query or of a statement that writes, and runs neither.
func (r *run) explain(ctx context.Context, st *syntax.Explain) (*Rows, error) {
	head, n, err := r.planned(ctx, st.Stmt)
	if err != nil {
		return nil, err
	}
	shown := head
	if n != nil {
		bound, err := rel.Bind(ctx, n)
		if err != nil {
			return nil, err
		}
		shown += "== Plan ==\n" + rel.Print(bound)
		if e, ok := r.db.engine.(sqler); ok && st.Mode == "EXTENDED" {
			sql, err := e.SQL(ctx, bound)
			if err != nil {
				return nil, err
			}
			shown += "== SQL of the engine ==\n" + sql + "\n"
		}
	}
	return texts([]Column{text("plan")}, [][]string{{shown}})
}

// planned is the tree of the rows that a statement gives or writes, under a heading that names what it writes. The tree is
// nil for a statement that writes without reading rows.
func (r *run) planned(ctx context.Context, st syntax.Statement) (string, rel.Node, error) {
	switch st := st.(type) {
	case *syntax.Query:
		n, err := plan.Query(ctx, st, r)
		return "", n, err
	case *syntax.Insert:
		return r.plannedWrite(ctx, st.Table, "INSERT", func(w *writing) (plan.Write, error) { return w.planInsert(ctx, st) })
	case *syntax.Update:
		return r.plannedWrite(ctx, st.Table, "UPDATE", func(w *writing) (plan.Write, error) { return plan.Update(ctx, st, w.target(), r) })
	case *syntax.Delete:
		return r.plannedWrite(ctx, st.Table, "DELETE", func(w *writing) (plan.Write, error) {
			return plan.Delete(ctx, st.Where, st.Alias, w.target(), r)
		})
	case *syntax.Merge:
		if st.With != nil {
			st = withTables(st)
		}
		return r.plannedWrite(ctx, st.Table, "MERGE", func(w *writing) (plan.Write, error) { return plan.Merge(ctx, st, w.target(), r) })
	case *syntax.CreateTable:
		if st.Query != nil {
			return r.plannedTable(ctx, st)
		}
	}
	return "", nil, unsupported("EXPLAIN of "+nameOf(st), st)
}

// plannedWrite plans a write in a transaction that is given up.
func (r *run) plannedWrite(ctx context.Context, name *syntax.Name, statement string, do func(*writing) (plan.Write, error)) (string, rel.Node, error) {
	w, err := r.begin(ctx, name, statement)
	if err != nil {
		return "", nil, err
	}
	defer w.tx.Rollback()
	p, err := do(w)
	if err != nil {
		return "", nil, err
	}
	rows, where := rowsOf(p.Change)
	head := writeHeading(statement, w.entry, w.name)
	if where != nil {
		head += "Condition: " + rel.PrintExpr(where) + "\n"
	}
	return head, rows, nil
}

// plannedTable plans the rows of CREATE TABLE … AS.
func (r *run) plannedTable(ctx context.Context, st *syntax.CreateTable) (string, rel.Node, error) {
	m := &making{run: r, st: st}
	done, err := m.name(ctx)
	if err != nil {
		return "", nil, err
	}
	head := writeHeading("CREATE TABLE AS SELECT", m.entry, m.full)
	if done {
		return head + "The table is there already: nothing is done.\n", nil, nil
	}
	err = m.query(ctx)
	return head, m.rows, err
}

func writeHeading(statement string, e lake.Entry, name lake.Ident) string {
	target := e.Format + " " + e.Location
	if name != nil {
		target = name.String() + " (" + target + ")"
	}
	return "== Write ==\n" + statement + " into " + target + "\n"
}

// rowsOf are the rows that a change takes in, and the condition on the rows of the table that it may take out.
func rowsOf(c lake.Change) (rel.Node, rel.Expr) {
	switch c := c.(type) {
	case lake.Append:
		return c.Rows, nil
	case lake.Overwrite:
		return c.Rows, c.Where
	case lake.Edit:
		return c.Rows, c.Where
	}
	return nil, nil
}
