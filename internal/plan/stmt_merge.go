package plan

import (
	"context"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// The kinds of MERGE clauses.
const (
	matched   = "MATCHED"
	unmatched = "NOT MATCHED"
	bySource  = "NOT MATCHED BY SOURCE"
)

// merging is one MERGE while it is planned.
//
//	target ─┐
//	        ├─ join ─▶ clause (which one is true first) ─▶ values, guards ─▶ op, row id, columns
//	source ─┘
type merging struct {
	*fitter
	st      *syntax.Merge
	table   *rel.Table
	target  Input
	source  rel.Node
	inputs  []Input    // of the source
	present rel.Column // true in rows that the source gave
	number  rel.Column // of a source row, where rivals are planned; else without ID
	on      rel.Expr
	kinds   map[string]bool
	clauses []clause
}

// clause is one WHEN clause.
type clause struct {
	kind   string
	action string // UPDATE, DELETE or INSERT
	cond   rel.Expr
	values []rel.Expr // of UPDATE and INSERT; nil for generated columns
}

// Merge plans MERGE INTO. Spark's rule for several source rows that match one row of the table is kept by the format
// through Edit.Twice.
func Merge(ctx context.Context, st *syntax.Merge, t Target, s Scope) (Write, error) {
	m := &merging{fitter: newFitter(ctx, s, t, t.Meta.Schema, true), st: st, kinds: map[string]bool{}}
	m.explicit = m.explicit || t.hudi()
	if err := refuseIdentity(t.Meta); err != nil {
		return Write{}, err
	}
	if err := m.bind(); err != nil {
		return Write{}, err
	}
	if err := m.evolve(); err != nil {
		return Write{}, err
	}
	for _, c := range st.Clauses {
		if err := m.clause(c); err != nil {
			return Write{}, err
		}
	}
	w, err := m.write()
	if err != nil {
		return w, err
	}
	if !types.Same(m.schema, t.Meta.Schema) {
		w.Define = withSchema(t.Meta, m.schema)
	}
	w.Narrowing = m.narrowing
	w.Operation, err = m.operation()
	return w, err
}

// bind analyses the target, the source and the ON condition.
func (m *merging) bind() error {
	m.table = m.t.read(true)
	m.target = Input{m.t.qualifier(m.st.Alias), m.table.Cols}
	if aliased(m.st.Source) {
		return fail("COLUMN_ALIASES_NOT_ALLOWED", m.st.Source, "op", "MERGE")
	}
	source, inputs, err := From(m.ctx, m.st.Source, m.scope)
	if err != nil {
		return err
	}
	m.present = rel.Column{ID: rel.NewID(), Name: "_source", Type: types.Boolean}
	p := &rel.Project{In: source, Cols: []rel.Computed{{Column: m.present, Expr: trueLit}}}
	for _, c := range source.Columns() {
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	m.source, m.inputs = p, inputs
	if m.on, err = Condition(m.ctx, m.st.On, m.both(), m.scope); err != nil {
		return err
	}
	return m.checkCondition(m.st.On, m.on, "MERGE")
}

// both are the columns of the table and of the source.
func (m *merging) both() []Input { return append([]Input{m.target}, m.inputs...) }

func aliased(r syntax.Relation) bool {
	switch r := r.(type) {
	case *syntax.Table:
		return r.Alias != nil && len(r.Alias.Columns) > 0
	case *syntax.Subquery:
		return r.Alias != nil && len(r.Alias.Columns) > 0
	}
	return false
}

// checkCondition refuses what Delta refuses in conditions of MERGE.
func (m *merging) checkCondition(e syntax.Expr, x rel.Expr, where string) error {
	switch {
	case len(rel.Subqueries(x)) > 0:
		return fail("DELTA_UNSUPPORTED_SUBQUERY", e, "operation", "MERGE", "cond", where)
	case isRandom(x):
		return fail("DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED", e, "operation", "MERGE", "expression", where)
	}
	return nil
}

// evolve adds the columns of the source that a clause covers, where the statement or the session allows it.
func (m *merging) evolve() error {
	if !m.st.Evolve && !isTrue(m.scope.Setting("spark.databricks.delta.schema.autoMerge.enabled")) {
		return nil
	}
	var add types.Struct
	for _, c := range m.st.Clauses {
		if c.When == bySource || c.Action == "DELETE" {
			continue
		}
		for _, in := range m.inputs {
			for _, col := range in.Columns {
				if c.Star || names(c, col.Name) {
					add.Fields = append(add.Fields, col.Field())
				}
			}
		}
	}
	merged, err := mergeSchemas(m.schema, add, widens(m.t.Meta))
	if err != nil {
		return nil // the casts of the clauses tell what is wrong
	}
	m.schema = merged
	return checkNames(merged, m.t.Meta, m.t.Format, "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE")
}

// names reports whether clause c assigns to a column of that name.
func names(c *syntax.MergeClause, column string) bool {
	for _, a := range c.Set {
		if strings.EqualFold(a.Target.Last(), column) {
			return true
		}
	}
	for _, n := range c.Columns {
		if strings.EqualFold(n.Last(), column) {
			return true
		}
	}
	return false
}

func (m *merging) clause(c *syntax.MergeClause) error {
	if c.Action != "INSERT" && isTrue(m.t.Meta.Properties["delta.appendOnly"]) {
		return appendOnly(m.t)
	}
	m.kinds[c.When] = true
	in := map[string][]Input{matched: m.both(), unmatched: m.inputs, bySource: {m.target}}[c.When]
	out := clause{kind: c.When, action: c.Action}
	var err error
	if c.Cond != nil {
		if out.cond, err = Condition(m.ctx, c.Cond, in, m.scope); err != nil {
			return m.clauseError(err, c)
		}
		if err := m.checkCondition(c.Cond, out.cond, c.When); err != nil {
			return err
		}
	}
	switch {
	case c.Action == "UPDATE" && c.Star:
		out.values, err = m.star(c, true)
	case c.Action == "UPDATE":
		out.values, err = m.update(c, in)
	case c.Action == "INSERT" && c.Star:
		out.values, err = m.star(c, false)
	case c.Action == "INSERT":
		out.values, err = m.insert(c, in)
	}
	if err != nil {
		return m.clauseError(err, c)
	}
	m.clauses = append(m.clauses, out)
	return nil
}

// clauseError is the class that Delta means for a name that a clause cannot resolve.
func (m *merging) clauseError(err error, c *syntax.MergeClause) error {
	e, ok := err.(*Error)
	if !ok || !strings.HasPrefix(e.Class, "UNRESOLVED_COLUMN") {
		return err
	}
	what := c.Action
	if c.Action != "INSERT" {
		what += " clause"
	}
	return &Error{Class: "DELTA_MERGE_UNRESOLVED_EXPRESSION", Span: e.Span, Params: map[string]string{
		"sqlExpr": e.Params["objectName"], "clause": what, "cols": e.Params["proposal"]}}
}

// star gives the values of UPDATE SET * or INSERT *: columns of the source by name.
func (m *merging) star(c *syntax.MergeClause, keep bool) ([]rel.Expr, error) {
	out := make([]rel.Expr, len(m.schema.Fields))
	for i, f := range m.schema.Fields {
		col, ok := m.sourceColumn(f.Name)
		_, made := f.Metadata.Text(GeneratedKey)
		var err error
		switch {
		case ok:
			out[i], err = m.fromSource(col, i, keep)
		case made:
		case m.evolves() && keep && i < len(m.target.Columns):
			out[i] = m.target.Columns[i].Ref()
		case m.evolves():
			out[i], err = m.defaultOf(f)
		default:
			var have types.Struct
			for _, in := range m.inputs {
				have.Fields = append(have.Fields, schemaOf(in.Columns).Fields...)
			}
			err = unresolved(f.Name, have, c)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fromSource is a column of the source as column i of the table. Where the schema may grow, UPDATE SET * keeps the
// fields of a struct that the source lacks.
func (m *merging) fromSource(col rel.Column, i int, keep bool) (rel.Expr, error) {
	f := m.schema.Fields[i]
	var x rel.Expr = col.Ref()
	if keep && m.evolves() && i < len(m.target.Columns) {
		var err error
		if x, err = m.align(x, f.Type, m.target.Columns[i].Ref()); err != nil {
			return nil, err
		}
	}
	return m.cast(x, f.Name, f.Type, f.Name)
}

func (m *merging) evolves() bool {
	return m.st.Evolve || isTrue(m.scope.Setting("spark.databricks.delta.schema.autoMerge.enabled"))
}

func (m *merging) sourceColumn(name string) (rel.Column, bool) {
	for _, in := range m.inputs {
		for _, c := range in.Columns {
			if strings.EqualFold(c.Name, name) {
				return c, true
			}
		}
	}
	return rel.Column{}, false
}

// update gives the values of UPDATE SET a = …: columns that it does not name keep theirs.
func (m *merging) update(c *syntax.MergeClause, in []Input) ([]rel.Expr, error) {
	target := m.target
	for i := len(target.Columns); i < len(m.schema.Fields); i++ { // columns that the statement adds
		target.Columns = append(target.Columns[:len(target.Columns):len(target.Columns)], rel.Column{})
	}
	set, err := m.assignments(c.Set, in, target, "MERGE")
	if err != nil {
		return nil, err
	}
	return m.recompute(set, m.target.Columns), nil
}

// insert gives the values of INSERT (a, …) VALUES (…): columns that it does not name get their defaults.
func (m *merging) insert(c *syntax.MergeClause, in []Input) ([]rel.Expr, error) {
	out := make([]rel.Expr, len(m.schema.Fields))
	if len(c.Columns) != len(c.Values) {
		return nil, fail("MERGE_INSERT_VALUE_COUNT_MISMATCH", c, "columns", strconv.Itoa(len(c.Columns)), "values", strconv.Itoa(len(c.Values)))
	}
	for k, n := range c.Columns {
		i := m.schema.Index(n.Last())
		if i < 0 {
			return nil, unresolved(n.Last(), m.schema, n)
		}
		if out[i] != nil {
			return nil, fail("DELTA_CONFLICT_SET_COLUMN", n, "columnList", quoteName(n.Strings()...))
		}
		x, err := m.assigned(c.Values[k], m.schema.Fields[i], in)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, m.fillDefaults(out)
}

// operation describes the MERGE for the history.
func (m *merging) operation() (lake.Operation, error) {
	op := lake.Operation{Name: "MERGE"}
	text, err := predicates(m.ctx, m.st.On, m.both(), m.scope)
	if err != nil {
		return op, err
	}
	op.Parameters = []lake.Parameter{{Key: "predicate", Value: text}}
	for _, k := range []struct{ kind, key string }{{matched, "matchedPredicates"}, {unmatched, "notMatchedPredicates"},
		{bySource, "notMatchedBySourcePredicates"}} {
		type entry struct {
			Predicate string `json:"predicate,omitempty"`
			Action    string `json:"actionType"`
		}
		list := []entry{}
		for _, c := range m.st.Clauses {
			if c.When != k.kind {
				continue
			}
			e := entry{Action: strings.ToLower(c.Action)}
			if c.Cond != nil {
				if e.Predicate, err = Text(m.ctx, c.Cond, m.both(), m.scope); err != nil {
					e.Predicate, err = "", nil
				}
			}
			list = append(list, e)
		}
		op.Parameters = append(op.Parameters, lake.Parameter{Key: k.key, Value: jsonText(list)})
	}
	return op, nil
}
