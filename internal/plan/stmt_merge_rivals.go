package plan

import (
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// multipleMatches says what becomes of several source rows for one row of a table: "strict" makes them an error; by default a Hudi table takes
// one of them, as Hudi does.
const multipleMatches = "tarn.merge.multipleMatches"

// errTwice is the error of a row of the table that several source rows match.
var errTwice = &Error{Class: "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"}

// merge is what a table with keys needs to know of the statement.
func (m *merging) merge() (*lake.Merge, error) {
	out := &lake.Merge{InsertsOnly: m.insertOnly(), On: m.inserted(), Twice: errTwice}
	if strings.EqualFold(m.scope.Setting(multipleMatches), "strict") {
		return out, nil
	}
	var err error
	out.Rivals, err = m.rivals()
	return out, err
}

// rivals plans the rows once more, beside the number of the source row and what it brings. They are evaluated only where rivals are met.
func (m *merging) rivals() (*lake.Rivals, error) {
	m.number = rel.Column{ID: rel.NewID(), Name: "number", Type: types.Int, Nullable: true}
	number := rel.Column{ID: rel.NewID(), Name: "number", Type: types.Int, Nullable: true}
	brings, more, err := m.brought(func(types.Field) bool { return true })
	if err != nil {
		return nil, err
	}
	e, err := m.edit(append(more, rel.Computed{Column: number, Expr: m.number.Ref()})...)
	if err != nil {
		return nil, err
	}
	return &lake.Rivals{Rows: e.Rows, Op: e.Op, RowID: e.RowID, Columns: e.Columns, Stored: e.Stored, Number: number.ID, Brings: brings}, nil
}

// sought is what source rows bring for the columns of the key and of partitions, where some of them may neither change a row nor be a new one.
func (m *merging) sought() ([]rel.ID, []rel.Computed, error) {
	conditional := false
	for _, c := range m.clauses {
		if c.kind == unmatched {
			conditional = c.cond != nil
		}
	}
	if !conditional {
		return nil, nil, nil
	}
	keys := append(strings.Split(m.t.Meta.Properties["primaryKey"], ","), m.t.Meta.Partition...)
	return m.brought(func(f types.Field) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return strings.EqualFold(key, f.Name) })
	})
}

// numbered is the source, with numbers where rivals are planned.
func (m *merging) numbered() rel.Node {
	if m.number.ID == 0 {
		return m.source
	}
	number := &rel.Over{Fn: &rel.Call{Name: "row_number", T: types.Int}}
	return &rel.Window{In: m.source, Funcs: []rel.Computed{{Column: m.number, Expr: number}}}
}

// brought gives a column for what a source row brings for each of some columns of the table: the value of the first UPDATE clause that assigns
// one, of a row without match that of the first such INSERT clause, else the source's column of that name. The id is 0 where there is none.
func (m *merging) brought(wanted func(types.Field) bool) ([]rel.ID, []rel.Computed, error) {
	match, err := m.isMatch()
	if err != nil {
		return nil, nil, err
	}
	out, more := make([]rel.ID, len(m.schema.Fields)), []rel.Computed(nil)
	for i, f := range m.schema.Fields {
		if !wanted(f) {
			continue
		}
		update, insert := m.assignedBy("UPDATE", i), m.assignedBy("INSERT", i)
		x := update
		switch {
		case update == nil:
			x = insert
		case insert != nil && rel.Key(insert) != rel.Key(update):
			x = &rel.Case{Whens: []rel.When{{If: match, Then: update}}, Else: insert, T: f.Type}
		}
		if x != nil {
			c := rel.Column{ID: rel.NewID(), Name: "brought", Type: x.Type(), Nullable: true}
			more, out[i] = append(more, rel.Computed{Column: c, Expr: x}), c.ID
		}
	}
	return out, more, nil
}

// assignedBy is what clauses of an action assign to column i, by the first of them that does, else the source's column of that name.
func (m *merging) assignedBy(action string, i int) rel.Expr {
	for _, c := range m.clauses {
		if c.action != action || c.values[i] == nil {
			continue
		}
		if own, ok := c.values[i].(*rel.Col); !ok || i >= len(m.target.Columns) || own.ID != m.target.Columns[i].ID {
			return c.values[i]
		}
	}
	c, ok := m.sourceColumn(m.schema.Fields[i].Name)
	if !ok {
		return nil
	}
	x, err := m.cast(c.Ref(), c.Name, m.schema.Fields[i].Type, c.Name)
	if err != nil {
		return nil
	}
	return x
}

// inserted is, per column, whether ON compares it with what every INSERT gives it; nil where ON says anything else.
func (m *merging) inserted() []bool {
	out := make([]bool, len(m.schema.Fields))
	for _, part := range rel.Conjuncts(m.on) {
		i, value := m.compared(part)
		if value == nil {
			return nil
		}
		out[i] = true
		for _, c := range m.clauses {
			if c.action == "INSERT" && (c.values[i] == nil || rel.Key(c.values[i]) != rel.Key(value)) {
				return nil
			}
		}
	}
	return out
}

// compared takes an equality of a column of the table with something of the source apart; else the expression is nil.
func (m *merging) compared(x rel.Expr) (int, rel.Expr) {
	call, ok := x.(*rel.Call)
	if !ok || call.Name != "=" || len(call.Args) != 2 {
		return 0, nil
	}
	own := map[rel.ID]int{}
	for i, c := range m.target.Columns {
		own[c.ID] = i
	}
	for k, side := range call.Args {
		if c, ok := side.(*rel.Col); ok {
			if i, is := own[c.ID]; is && !readsAny(call.Args[1-k], own) {
				return i, call.Args[1-k]
			}
		}
	}
	return 0, nil
}

// readsAny reports whether an expression reads one of some columns.
func readsAny(x rel.Expr, columns map[rel.ID]int) bool {
	found := false
	rel.WalkExpr(x, func(e rel.Expr) bool {
		if c, ok := e.(*rel.Col); ok {
			_, is := columns[c.ID]
			found = found || is
		}
		return !found
	})
	return found
}
