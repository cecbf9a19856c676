package rel

import (
	"context"
	"fmt"
)

// Bind puts the scans that tables answer with in the place of each [Table] of n, subqueries included. Each
// table is asked only for the columns that the tree reads and is told the conditions that stand directly
// above it, which stay where they are.
func Bind(ctx context.Context, n Node) (Node, error) {
	b := binder{ctx: ctx, used: map[ID]bool{}, where: map[*Table]Expr{}, done: map[Node]Node{}}
	for _, c := range n.Columns() {
		b.used[c.ID] = true
	}
	b.note(n, nil)
	return b.bind(n)
}

type binder struct {
	ctx   context.Context
	used  map[ID]bool
	where map[*Table]Expr
	seen  map[Node]bool
	done  map[Node]Node
}

// note collects which columns are read, and carries conds down to the tables they speak of.
func (b *binder) note(n Node, conds []Expr) {
	for _, e := range Exprs(n) {
		b.noteExpr(e)
	}
	switch n := n.(type) {
	case *Table:
		b.noteTable(n, conds)
		return
	case *Filter:
		b.note(n.In, append(Conjuncts(n.Cond), conds...))
		return
	case *Sort:
		b.note(n.In, conds)
		return
	case *Project:
		b.note(n.In, throughProject(n, conds))
		return
	case *Join:
		b.noteJoin(n, conds)
		return
	case *SetOp:
		for _, in := range n.Inputs() {
			for _, c := range in.Columns() {
				b.used[c.ID] = true
			}
		}
	case *Recursive:
		for _, in := range n.Inputs() {
			for _, c := range in.Columns() {
				b.used[c.ID] = true
			}
		}
	case *Shared:
		if b.seen == nil {
			b.seen = map[Node]bool{}
		}
		if b.seen[n] {
			return
		}
		b.seen[n] = true
	}
	for _, in := range n.Inputs() {
		b.note(in, nil)
	}
}

func (b *binder) noteExpr(e Expr) {
	WalkExpr(e, func(x Expr) bool {
		if c, ok := x.(*Col); ok {
			b.used[c.ID] = true
		}
		return true
	})
	for _, q := range Subqueries(e) {
		for _, c := range q.Columns() {
			b.used[c.ID] = true
		}
		b.note(q, nil)
	}
}

// noteTable keeps the conditions over t alone. A table read twice by one tree keeps none.
func (b *binder) noteTable(t *Table, conds []Expr) {
	own := map[ID]bool{}
	for _, c := range t.Cols {
		own[c.ID] = true
	}
	where := t.Where
	for _, c := range conds {
		if onlyReads(c, own) {
			where = And(where, c)
		}
	}
	if _, twice := b.where[t]; twice {
		where = t.Where
	}
	b.where[t] = where
}

// noteJoin passes conditions to the sides whose rows they can remove without changing the result.
func (b *binder) noteJoin(n *Join, conds []Expr) {
	on := Conjuncts(n.On)
	var left, right []Expr
	switch n.Kind {
	case Inner:
		left, right = append(on, conds...), append(on, conds...)
	case LeftOuter:
		left, right = conds, on
	case RightOuter:
		left, right = on, conds
	case Semi:
		left, right = append(on, conds...), on
	case Anti:
		left, right = conds, on
	}
	b.note(n.Left, left)
	b.note(n.Right, right)
}

// throughProject gives the conditions that hold below p: those over columns that p passes on unchanged,
// spoken in the names of its input.
func throughProject(p *Project, conds []Expr) []Expr {
	below := map[ID]Expr{}
	for _, c := range p.Cols {
		if col, ok := c.Expr.(*Col); ok {
			below[c.ID] = col
		}
	}
	var out []Expr
	for _, c := range conds {
		ok := len(Subqueries(c)) == 0
		moved := RewriteExpr(c, func(x Expr) Expr {
			col, is := x.(*Col)
			if !is {
				return x
			}
			if e, known := below[col.ID]; known {
				return e
			}
			ok = false
			return x
		})
		if ok {
			out = append(out, moved)
		}
	}
	return out
}

func onlyReads(e Expr, own map[ID]bool) bool {
	ok := len(Subqueries(e)) == 0
	WalkExpr(e, func(x Expr) bool {
		if c, is := x.(*Col); is && !own[c.ID] {
			ok = false
		}
		return ok
	})
	return ok
}

func (b *binder) bind(n Node) (Node, error) {
	return rewriter{b.leaf, b.done}.node(n)
}

// leaf binds the subqueries of n's expressions, and n itself when it is a table.
func (b *binder) leaf(n Node) (Node, error) {
	if t, ok := n.(*Table); ok {
		return b.table(t)
	}
	var failed error
	has := false
	for _, e := range Exprs(n) {
		has = has || len(Subqueries(e)) > 0
	}
	if !has {
		return n, nil
	}
	m := MapExprs(n, func(e Expr) Expr {
		out, err := MapSubqueries(e, b.bind)
		if err != nil && failed == nil {
			failed = err
		}
		return out
	})
	return m, failed
}

func (b *binder) table(t *Table) (Node, error) {
	w := Want{RowID: t.RowID, Where: b.where[t]}
	for _, c := range t.Cols {
		if b.used[c.ID] {
			w.Columns = append(w.Columns, c)
		}
	}
	for _, x := range Conjuncts(w.Where) { // Where may speak only of delivered columns
		WalkExpr(x, func(x Expr) bool {
			if c, ok := x.(*Col); ok && !b.used[c.ID] {
				b.used[c.ID] = true
				w.Columns = append(w.Columns, c.Column)
			}
			return true
		})
	}
	m, err := t.Of.Scan(b.ctx, w)
	if err != nil {
		return nil, fmt.Errorf("scan %s: %w", t.Name, err)
	}
	return m, nil
}
