package plan

import (
	"slices"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

var joinKinds = map[string]rel.JoinKind{"INNER": rel.Inner, "CROSS": rel.Inner, "LEFT": rel.LeftOuter, "RIGHT": rel.RightOuter,
	"FULL": rel.FullOuter, "SEMI": rel.Semi, "ANTI": rel.Anti}

func (a *analyzer) join(j *syntax.Join, outer *frame) (relation, error) {
	left, err := a.relation(j.Left, outer)
	if err != nil {
		return relation{}, err
	}
	return a.joined(left, j, outer)
}

// joined joins left with the right side of j.
func (a *analyzer) joined(left relation, j *syntax.Join, outer *frame) (relation, error) {
	if j.Nearest != nil {
		return relation{}, unsupported("NEAREST joins", j)
	}
	right, lateral, err := a.rightSide(left, j.Right, outer)
	if err != nil {
		return relation{}, err
	}
	switch {
	case lateral && j.Natural:
		return relation{}, fail("INCOMPATIBLE_JOIN_TYPES", j, "joinType1", "LATERAL", "joinType2", "NATURAL")
	case lateral && len(j.Using) > 0:
		return relation{}, fail("UNSUPPORTED_FEATURE.LATERAL_JOIN_USING", j)
	}
	kind := joinKinds[j.Kind]
	node := &rel.Join{Kind: kind, Left: left.node, Right: right.node, Lateral: lateral}
	if j.Natural || len(j.Using) > 0 {
		return a.using(node, left, right, j)
	}
	out := relation{node: node, cols: left.cols, hidden: left.hidden}
	both := append(slices.Clone(left.cols), right.cols...)
	hidden := append(slices.Clone(left.hidden), right.hidden...)
	if j.On != nil {
		if node.On, err = a.onCondition(j.On, &frame{outer: outer, cols: both, hidden: hidden}); err != nil {
			return relation{}, err
		}
	}
	if kind != rel.Semi && kind != rel.Anti {
		out.cols, out.hidden = both, hidden
	}
	out.cols = nullableSides(out.cols, node)
	return out, nil
}

func (a *analyzer) onCondition(e syntax.Expr, f *frame) (rel.Expr, error) {
	t, err := a.expr(e, f)
	if err != nil {
		return nil, err
	}
	if holdsAggregate(t.x) || holdsWindow(t.x) {
		return nil, fail("UNSUPPORTED_EXPR_FOR_OPERATOR", e, "invalidExprSqls", quoteSQL(t.text))
	}
	if t.x.Type() != types.Boolean && t.x.Type() != types.Void {
		return nil, fail("JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE", e, "joinCondition", quoteSQL(t.text), "conditionType", typeSQL(t.x.Type()))
	}
	return a.to(t.x, types.Boolean), nil
}

// nullableSides takes over from the node which columns may be NULL.
func nullableSides(cols []column, n rel.Node) []column {
	null := map[rel.ID]bool{}
	for _, c := range n.Columns() {
		null[c.ID] = c.Nullable
	}
	out := slices.Clone(cols)
	for i := range out {
		if v, ok := null[out[i].ID]; ok {
			out[i].Nullable = v
		}
	}
	return out
}

// using joins by equal columns of the same name, which come first in the result and once.
func (a *analyzer) using(node *rel.Join, left, right relation, j *syntax.Join) (relation, error) {
	names, err := a.usingNames(left, right, j)
	if err != nil {
		return relation{}, err
	}
	var lkeys, rkeys []column
	for _, n := range names {
		l, err := a.usingKey(left.cols, n, "left", j)
		if err != nil {
			return relation{}, err
		}
		r, err := a.usingKey(right.cols, n, "right", j)
		if err != nil {
			return relation{}, err
		}
		eq, err := a.compare("=", term{x: l.Ref(), text: n}, term{x: r.Ref(), text: n}, j)
		if err != nil {
			return relation{}, err
		}
		node.On = rel.And(node.On, eq.x)
		lkeys, rkeys = append(lkeys, l), append(rkeys, r)
	}
	out := relation{node: node, hidden: append(slices.Clone(left.hidden), right.hidden...)}
	switch node.Kind {
	case rel.Semi, rel.Anti:
		out.cols = append(slices.Clone(lkeys), without(left.cols, lkeys)...)
		return out, nil
	case rel.FullOuter:
		return a.fullKeys(out, left, right, lkeys, rkeys)
	case rel.RightOuter:
		out.cols, out.hidden = slices.Clone(rkeys), append(lkeys, out.hidden...)
	default:
		out.cols, out.hidden = slices.Clone(lkeys), append(rkeys, out.hidden...)
	}
	out.cols = append(append(out.cols, without(left.cols, lkeys)...), without(right.cols, rkeys)...)
	out.cols = nullableSides(out.cols, node)
	return out, nil
}

func (a *analyzer) usingNames(left, right relation, j *syntax.Join) ([]string, error) {
	if !j.Natural {
		return a.names(j.Using)
	}
	var out []string
	for _, l := range left.cols {
		if slices.ContainsFunc(right.cols, func(r column) bool { return a.sameName(l.Name, r.Name) }) {
			out = append(out, l.Name)
		}
	}
	return out, nil
}

func (a *analyzer) usingKey(cols []column, name, side string, j *syntax.Join) (column, error) {
	found, _ := a.lookup(cols, []string{name})
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		names := columnNames(cols)
		slices.Sort(names)
		for i := range names {
			names[i] = types.Quote(names[i])
		}
		list := ""
		for i, n := range names {
			if i > 0 {
				list += ", "
			}
			list += n
		}
		return column{}, fail("UNRESOLVED_USING_COLUMN_FOR_JOIN", j, "colName", types.Quote(name), "side", side, "suggestion", "["+list+"]")
	}
	return column{}, ambiguous([]string{name}, found, j)
}

// without is cols without some of them.
func without(cols, some []column) []column {
	var out []column
	for _, c := range cols {
		if !slices.ContainsFunc(some, func(o column) bool { return o.ID == c.ID }) {
			out = append(out, c)
		}
	}
	return out
}

// fullKeys computes the key columns of a full join, where either side may be missing.
func (a *analyzer) fullKeys(out relation, left, right relation, lkeys, rkeys []column) (relation, error) {
	p := &rel.Project{In: out.node}
	for i, l := range lkeys {
		t, err := a.apply("coalesce", "", nil, term{x: l.Ref()}, term{x: rkeys[i].Ref()})
		if err != nil {
			return relation{}, err
		}
		key := rel.NewColumn(l.Name, t.x.Type())
		p.Cols = append(p.Cols, rel.Computed{Column: key, Expr: t.x})
		out.cols = append(out.cols, column{key, nil})
	}
	for _, c := range out.node.Columns() {
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	out.cols = append(append(out.cols, without(left.cols, lkeys)...), without(right.cols, rkeys)...)
	out.cols = nullableSides(out.cols, out.node)
	out.hidden = append(append(slices.Clone(lkeys), rkeys...), out.hidden...)
	out.node = p
	return out, nil
}
