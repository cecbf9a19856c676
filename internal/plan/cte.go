package plan

import (
	"strconv"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// cte is a table of a WITH clause; outer are those that were defined before it.
type cte struct {
	name    string
	outer   *cte
	shared  *rel.Shared
	cols    []rel.Column
	working *rel.Working // inside its own definition: the rows of the round before
	used    bool         // working was read
}

func (a *analyzer) findCTE(name string) *cte {
	for c := a.ctes; c != nil; c = c.outer {
		if a.sameName(c.name, name) {
			return c
		}
	}
	return nil
}

// readCTE reads a WITH table as columns with new numbers.
func (a *analyzer) readCTE(c *cte, at syntax.Node) (relation, error) {
	p := &rel.Project{In: c.shared}
	if c.working != nil {
		c.used = true
		p.In = c.working
	} else if c.shared == nil {
		return relation{}, fail("INVALID_RECURSIVE_CTE", at)
	}
	for _, col := range c.cols {
		out := col
		out.ID = rel.NewID()
		p.Cols = append(p.Cols, rel.Computed{Column: out, Expr: col.Ref()})
	}
	return relation{node: p, cols: plain(p.Columns())}, nil
}

// with is a in a query below w.
func (a *analyzer) with(w *syntax.With, outer *frame) (*analyzer, error) {
	inside := *a
	for i, t := range w.Tables {
		for _, before := range w.Tables[:i] {
			if a.sameName(before.Name.Name, t.Name.Name) {
				return nil, fail("DUPLICATED_CTE_NAMES", w, "duplicateNames", types.Quote(t.Name.Name))
			}
		}
	}
	for _, t := range w.Tables {
		c, err := inside.define(t, w.Recursive, outer)
		if err != nil {
			return nil, err
		}
		c.outer = inside.ctes
		inside.ctes = c
	}
	return &inside, nil
}

func (a *analyzer) define(t *syntax.CommonTable, recursive bool, outer *frame) (*cte, error) {
	if recursive {
		c, err := a.recursive(t, outer)
		if c != nil || err != nil {
			return c, err
		}
	}
	r, err := a.query(t.Query, outer)
	if err == nil && len(t.Columns) > 0 {
		r, err = a.renamed(r, t.Columns, t)
	}
	if err != nil {
		return nil, err
	}
	return newCTE(t.Name.Name, r), nil
}

func newCTE(name string, r relation) *cte {
	c := &cte{name: name, shared: &rel.Shared{Name: name, In: onlyColumns(r)}}
	for i, col := range c.shared.Columns() {
		col.Name = r.cols[i].Name
		c.cols = append(c.cols, col)
	}
	return c
}

// recursive defines a table that reads itself: a first query, UNION ALL, a query over the rows of the round before.
// It gives nil when the table does not read itself.
func (a *analyzer) recursive(t *syntax.CommonTable, outer *frame) (*cte, error) {
	body, inside := t.Query.Body, a
	if t.Query.With != nil {
		var err error
		if inside, err = a.with(t.Query.With, outer); err != nil {
			return nil, nil
		}
	}
	s, ok := body.(*syntax.SetOp)
	if !ok || s.Op != "UNION" {
		return nil, inside.refuseSelf(t, outer)
	}
	blind := *inside
	blind.ctes = &cte{name: t.Name.Name, outer: inside.ctes}
	seed, err := blind.body(s.Left, outer)
	if err == nil && len(t.Columns) > 0 {
		seed, err = a.renamed(seed, t.Columns, t)
	}
	if err != nil {
		return nil, err
	}
	self := workingTable(t.Name.Name, seed)
	self.outer = inside.ctes
	blind.ctes = self
	step, err := blind.body(s.Right, outer)
	if err != nil {
		return nil, err
	}
	if !self.used {
		return nil, nil
	}
	return a.rounds(t, s, seed, step, self)
}

// refuseSelf is an error when the table reads itself although it is no union.
func (a *analyzer) refuseSelf(t *syntax.CommonTable, outer *frame) error {
	blind := *a
	blind.ctes = &cte{name: t.Name.Name, outer: a.ctes}
	_, err := blind.query(t.Query, outer)
	if e, ok := err.(*Error); ok && e.Class == "INVALID_RECURSIVE_CTE" {
		return fail("INVALID_RECURSIVE_CTE", nil)
	}
	return nil
}

func workingTable(name string, seed relation) *cte {
	c := &cte{name: name, working: &rel.Working{}}
	for _, col := range seed.cols {
		col.ID, col.Nullable = rel.NewID(), true
		c.working.Cols = append(c.working.Cols, col.Column)
	}
	c.cols = c.working.Cols
	return c
}

// rounds puts the two queries of a recursive table together.
func (a *analyzer) rounds(t *syntax.CommonTable, s *syntax.SetOp, seed, step relation, self *cte) (*cte, error) {
	if s.Quantifier != "ALL" {
		return nil, fail("UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE", s)
	}
	if misplaced(step.node, self.working) {
		return nil, fail("INVALID_RECURSIVE_REFERENCE.PLACE", nil)
	}
	if len(seed.cols) != len(step.cols) {
		return nil, fail("NUM_COLUMNS_MISMATCH", s, "operator", "UNION", "firstNumColumns", itoa(len(seed.cols)),
			"invalidOrdinalNum", "second", "invalidNumColumns", itoa(len(step.cols)))
	}
	node := &rel.Recursive{Self: self.working, All: true, MaxLevel: a.maxLevel(t)}
	to := make([]types.Type, len(seed.cols))
	for i, c := range seed.cols {
		if !types.Equal(c.Type, step.cols[i].Type) && !storedAs(step.cols[i].Type, c.Type) {
			return nil, fail("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE", nil, "left", typeSQL(c.Type), "right", typeSQL(step.cols[i].Type))
		}
		to[i] = c.Type
		node.Cols = append(node.Cols, rel.NewColumn(c.Name, c.Type))
	}
	node.Seed, node.Step = onlyColumns(seed), a.widened(step, to)
	return newCTE(t.Name.Name, relation{node: node, cols: plain(node.Cols)}), nil
}

// storedAs reports whether the rounds may give a narrower type than the first query.
func storedAs(from, to types.Type) bool {
	t, ok := rel.CommonType([]types.Type{from, to}, rel.Settings{})
	return ok && types.Equal(t, to)
}

func (a *analyzer) maxLevel(t *syntax.CommonTable) int {
	if t.MaxLevel != nil {
		if n, ok := position(t.MaxLevel); ok {
			return n
		}
	}
	if n, err := strconv.Atoi(a.scope.Setting("spark.sql.cteRecursionLevelLimit")); err == nil {
		return n
	}
	return 100
}

// unshare puts a shared input that one node reads in the place of the node that shares it.
func unshare(n rel.Node) (rel.Node, error) {
	readers := map[*rel.Shared]int{}
	countShared(n, readers)
	var inline func(rel.Node) (rel.Node, error)
	inline = func(m rel.Node) (rel.Node, error) {
		return rel.Rewrite(m, func(x rel.Node) (rel.Node, error) {
			if s, ok := x.(*rel.Shared); ok && readers[s] == 1 {
				return s.In, nil
			}
			return mapQueries(x, inline)
		})
	}
	return inline(n)
}

func countShared(n rel.Node, readers map[*rel.Shared]int) {
	rel.Walk(n, func(m rel.Node) bool {
		if s, ok := m.(*rel.Shared); ok {
			readers[s]++
			if readers[s] > 1 {
				return false
			}
		}
		for _, e := range rel.Exprs(m) {
			for _, q := range rel.Subqueries(e) {
				countShared(q, readers)
			}
		}
		return true
	})
}

// mapQueries is n with f applied to the subqueries of its expressions.
func mapQueries(n rel.Node, f func(rel.Node) (rel.Node, error)) (rel.Node, error) {
	has := false
	for _, e := range rel.Exprs(n) {
		has = has || len(rel.Subqueries(e)) > 0
	}
	if !has {
		return n, nil
	}
	var failed error
	m := rel.MapExprs(n, func(e rel.Expr) rel.Expr {
		out, err := rel.MapSubqueries(e, f)
		failed = firstError(failed, err)
		return out
	})
	return m, failed
}

// misplaced reports whether the rows of the round before are read where the rounds cannot be cut apart: below a
// grouping, a window, an order, the far side of an outer join, or in a subquery.
func misplaced(n rel.Node, self *rel.Working) bool {
	for _, e := range rel.Exprs(n) {
		for _, q := range rel.Subqueries(e) {
			if readsSelf(q, self) {
				return true
			}
		}
	}
	switch n := n.(type) {
	case *rel.Aggregate, *rel.Window, *rel.Sort:
		return readsSelf(n, self)
	case *rel.Join:
		left, right := readsSelf(n.Left, self), readsSelf(n.Right, self)
		switch n.Kind {
		case rel.LeftOuter, rel.Semi, rel.Anti:
			left = false
		case rel.RightOuter:
			right = false
		case rel.Inner:
			left, right = false, false
		}
		if left || right {
			return true
		}
	case *rel.SetOp:
		if n.Kind != rel.Union || !n.All {
			return readsSelf(n, self)
		}
	}
	for _, in := range n.Inputs() {
		if misplaced(in, self) {
			return true
		}
	}
	return false
}

func readsSelf(n rel.Node, self *rel.Working) bool {
	found := false
	rel.Walk(n, func(m rel.Node) bool {
		w, ok := m.(*rel.Working)
		found = found || ok && w == self
		for _, e := range rel.Exprs(m) {
			for _, q := range rel.Subqueries(e) {
				found = found || readsSelf(q, self)
			}
		}
		return !found
	})
	return found
}
