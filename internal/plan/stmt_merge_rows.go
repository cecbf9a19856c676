package plan

import (
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// write joins table and source and computes one row per affected row of the table and per new row.
func (m *merging) write() (Write, error) {
	if m.appends() {
		fit, _, err := m.rows()
		return Write{Change: lake.Append{Rows: fit.node, Columns: ids(fit.columns)}}, err
	}
	if !m.t.hudi() {
		e, err := m.edit()
		return Write{Change: e}, err
	}
	sought, keys, err := m.sought()
	if err != nil {
		return Write{}, err
	}
	e, err := m.edit(keys...)
	if err != nil {
		return Write{}, err
	}
	e.Merge, err = m.merge()
	e.Merge.Sought = sought
	return Write{Change: e}, err
}

// rows are the rows of the change, which columns of the table have them, and the clause of each.
func (m *merging) rows(keep ...rel.Computed) (fitted, rel.Column, error) {
	which := rel.Column{ID: rel.NewID(), Name: "clause", Type: types.Int, Nullable: true}
	joined, err := m.join()
	if err != nil {
		return fitted{}, which, err
	}
	fired, err := m.fired()
	if err != nil {
		return fitted{}, which, err
	}
	with := &rel.Project{In: joined, Cols: append([]rel.Computed{{Column: which, Expr: fired}}, keep...)}
	for _, c := range joined.Columns() {
		with.Cols = append(with.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	in, err := m.affected(with, which)
	if err != nil {
		return fitted{}, which, err
	}
	kept := []rel.Column{which}
	for _, c := range keep {
		kept = append(kept, c.Column)
	}
	if !m.appends() {
		kept = append(kept, *m.table.RowID)
	}
	values, err := m.values(which)
	if err != nil {
		return fitted{}, which, err
	}
	writes, err := m.writes(which)
	if err != nil {
		return fitted{}, which, err
	}
	fit, err := m.fit(in, values, kept, writes)
	return fit, which, err
}

// appends reports whether rows can only be added. Hudi's tables are told also of the source rows that add nothing.
func (m *merging) appends() bool { return m.insertOnly() && !m.t.hudi() }

func (m *merging) insertOnly() bool { return len(m.kinds) == 1 && m.kinds[unmatched] }

// join is the join of the table with the source that the kinds of clauses need.
func (m *merging) join() (rel.Node, error) {
	j := &rel.Join{Left: m.table, Right: m.numbered(), On: m.on}
	all := m.kinds[unmatched] || m.t.hudi() // of the source
	switch {
	case m.appends():
		m.table.RowID = nil
		return &rel.Join{Kind: rel.Anti, Left: m.source, Right: m.table, On: m.on}, nil
	case m.kinds[bySource] && all:
		j.Kind = rel.FullOuter
	case m.kinds[bySource]:
		j.Kind = rel.LeftOuter
	case all:
		j.Kind = rel.RightOuter
	default:
		j.Kind = rel.Inner
	}
	m.table.RowID.Nullable = true
	return j, nil
}

// fired is the number of the clause that is the first true one for a row; NULL when none is.
func (m *merging) fired() (rel.Expr, error) {
	out := &rel.Case{T: types.Int}
	for i, c := range m.clauses {
		when, err := m.applies(c)
		if err != nil {
			return nil, err
		}
		if when == nil {
			when = trueLit
		}
		out.Whens = append(out.Whens, rel.When{If: when, Then: &rel.Lit{T: types.Int, Value: int64(i)}})
	}
	return out, nil
}

// applies is the condition under which c is looked at and true.
func (m *merging) applies(c clause) (rel.Expr, error) {
	var side rel.Expr
	var err error
	switch {
	case m.appends():
	case c.kind == matched && len(m.kinds) == 1 && !m.t.hudi():
	case c.kind == matched:
		side, err = m.isMatch()
	case c.kind == unmatched:
		side, err = call(m.set, "isnull", m.table.RowID.Ref())
	default:
		side, err = call(m.set, "isnull", m.nullablePresent())
	}
	return rel.And(side, c.cond), err
}

func (m *merging) nullablePresent() rel.Expr {
	c := m.present
	c.Nullable = true
	return c.Ref()
}

// isMatch is whether a row has both sides.
func (m *merging) isMatch() (rel.Expr, error) {
	t, err := call(m.set, "isnotnull", m.table.RowID.Ref())
	if err != nil {
		return nil, err
	}
	s, err := call(m.set, "isnotnull", m.nullablePresent())
	return rel.And(t, s), err
}

// affected drops the rows for which no clause fires, except those that must be counted as matches.
func (m *merging) affected(in rel.Node, which rel.Column) (rel.Node, error) {
	keep, err := call(m.set, "isnotnull", which.Ref())
	if err != nil {
		return nil, err
	}
	if m.t.hudi() { // rows of the source that change nothing are counted
		from, err := call(m.set, "isnotnull", m.nullablePresent())
		if err != nil {
			return nil, err
		}
		keep, err = call(m.set, "or", keep, from)
		return &rel.Filter{In: in, Cond: keep}, err
	}
	if m.kinds[matched] {
		if len(m.kinds) == 1 {
			return in, nil
		}
		match, err := m.isMatch()
		if err != nil {
			return nil, err
		}
		if keep, err = call(m.set, "or", keep, match); err != nil {
			return nil, err
		}
	}
	return &rel.Filter{In: in, Cond: keep}, nil
}

// is compares the number of the clause that fired.
func (m *merging) is(which rel.Column, n int) (rel.Expr, error) {
	return call(m.set, "=", which.Ref(), &rel.Lit{T: types.Int, Value: int64(n)})
}

// values gives each column's value by the clause that fired. A generated column is nil when no clause gives it.
func (m *merging) values(which rel.Column) ([]rel.Expr, error) {
	out := make([]rel.Expr, len(m.schema.Fields))
	for i, f := range m.schema.Fields {
		_, made := f.Metadata.Text(GeneratedKey)
		c := &rel.Case{T: f.Type}
		for n, cl := range m.clauses {
			if cl.values == nil || cl.values[i] == nil {
				continue
			}
			is, err := m.is(which, n)
			if err != nil {
				return nil, err
			}
			c.Whens = append(c.Whens, rel.When{If: is, Then: cl.values[i]})
		}
		switch {
		case len(c.Whens) > 0:
			out[i] = c
		case !made:
			out[i] = &rel.Lit{T: f.Type}
		}
	}
	return out, nil
}

// writes is whether a row is written, so that the table's constraints hold for it.
func (m *merging) writes(which rel.Column) (rel.Expr, error) {
	out := &rel.Case{T: types.Boolean, Else: &rel.Lit{T: types.Boolean, Value: false}}
	for n, c := range m.clauses {
		if c.action == "DELETE" {
			continue
		}
		is, err := m.is(which, n)
		if err != nil {
			return nil, err
		}
		out.Whens = append(out.Whens, rel.When{If: is, Then: trueLit})
	}
	if len(out.Whens) == 0 {
		return out.Else, nil
	}
	return out, nil
}

// edit is the Edit of the rows. The columns more are computed beside them.
func (m *merging) edit(more ...rel.Computed) (lake.Edit, error) {
	e := edit(m.table)
	stored, beside := m.t.stored(m.table.Cols)
	e.Stored, more = stored, append(beside, more...)
	fit, which, err := m.rows(more...)
	if err != nil {
		return e, err
	}
	e.Columns, e.Kept = ids(fit.columns), m.kept()
	op := &rel.Case{T: types.String}
	for n, c := range m.clauses {
		is, err := m.is(which, n)
		if err != nil {
			return e, err
		}
		op.Whens = append(op.Whens, rel.When{If: is, Then: opLit(c.action[:1])})
	}
	out := &rel.Project{In: fit.node, Cols: []rel.Computed{
		{Column: opColumn(e), Expr: op}, {Column: rowColumn(e, m.table), Expr: m.table.RowID.Ref()}}}
	for _, c := range more {
		out.Cols = append(out.Cols, rel.Computed{Column: c.Column, Expr: c.Ref()})
	}
	for _, c := range fit.columns {
		out.Cols = append(out.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	e.Rows = out
	if !m.kinds[bySource] {
		e.Where = over(m.on, m.table.Cols)
	}
	if !m.soleDelete() {
		e.Twice = errTwice
	}
	return e, nil
}

// kept is, per column, whether no UPDATE clause changes it.
func (m *merging) kept() []bool {
	out := make([]bool, len(m.schema.Fields))
	for i := range out {
		out[i] = i < len(m.target.Columns)
		for _, c := range m.clauses {
			if out[i] && c.action == "UPDATE" {
				own, ok := c.values[i].(*rel.Col)
				out[i] = ok && own.ID == m.target.Columns[i].ID
			}
		}
	}
	return out
}

// soleDelete reports whether repeated matches are harmless: the only clause is an unconditional DELETE.
func (m *merging) soleDelete() bool {
	deletes := true
	n := 0
	for _, c := range m.clauses {
		if c.kind != unmatched {
			deletes = deletes && c.action == "DELETE" && (c.kind == bySource || c.cond == nil)
			n++
		}
	}
	return deletes && n > 0 && m.kinds[matched]
}
