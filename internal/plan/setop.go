package plan

import (
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

var setKinds = map[string]rel.SetKind{"UNION": rel.Union, "INTERSECT": rel.Intersect, "EXCEPT": rel.Except, "MINUS": rel.Except}

func (a *analyzer) setOp(s *syntax.SetOp, outer *frame) (relation, error) {
	left, err := a.body(s.Left, outer)
	if err != nil {
		return relation{}, err
	}
	return a.setWith(left, s, outer)
}

// setWith combines left with the right side of s.
func (a *analyzer) setWith(left relation, s *syntax.SetOp, outer *frame) (relation, error) {
	right, err := a.body(s.Right, outer)
	if err != nil {
		return relation{}, err
	}
	if s.ByName {
		if right, err = a.byName(left, right, s); err != nil {
			return relation{}, err
		}
	}
	return a.combine(left, right, s)
}

// setName is an operator as errors name it.
func setName(s *syntax.SetOp) string {
	name := s.Op
	if name == "MINUS" {
		name = "EXCEPT"
	}
	if s.Quantifier == "ALL" && name != "UNION" {
		name += " ALL"
	}
	return name
}

func (a *analyzer) combine(left, right relation, s *syntax.SetOp) (relation, error) {
	if len(left.cols) != len(right.cols) {
		return relation{}, fail("NUM_COLUMNS_MISMATCH", s, "operator", setName(s), "firstNumColumns", itoa(len(left.cols)),
			"invalidOrdinalNum", "second", "invalidNumColumns", itoa(len(right.cols)))
	}
	node := &rel.SetOp{Kind: setKinds[s.Op], All: s.Quantifier == "ALL"}
	common := make([]types.Type, len(left.cols))
	for i, l := range left.cols {
		r := right.cols[i]
		t, ok := rel.CommonType([]types.Type{l.Type, r.Type}, a.set)
		if !ok {
			return relation{}, fail("INCOMPATIBLE_COLUMN_TYPE", s, "operator", setName(s), "columnOrdinalNumber", ordinal(i+1),
				"tableOrdinalNumber", "second", "dataType1", typeSQL(r.Type), "dataType2", typeSQL(l.Type), "hint", "")
		}
		if !node.All && holdsMap(t) {
			return relation{}, fail("UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE", s, "colName", types.Quote(l.Name), "dataType", typeSQL(t))
		}
		common[i] = t
		node.Cols = append(node.Cols, rel.Column{ID: rel.NewID(), Name: l.Name, Type: t, Nullable: l.Nullable || r.Nullable})
	}
	node.Left, node.Right = a.widened(left, common), a.widened(right, common)
	return relation{node: node, cols: plain(node.Cols)}, nil
}

func holdsMap(t types.Type) bool {
	switch t := t.(type) {
	case types.Map:
		return true
	case types.Array:
		return holdsMap(t.Elem)
	case types.Struct:
		for _, f := range t.Fields {
			if holdsMap(f.Type) {
				return true
			}
		}
	}
	return false
}

// widened is r with its columns cast to the given types.
func (a *analyzer) widened(r relation, to []types.Type) rel.Node {
	p := &rel.Project{In: onlyColumns(r)}
	changed := false
	for i, c := range p.In.Columns() {
		p.Cols = append(p.Cols, a.recast(c, to[i]))
		changed = changed || !types.Equal(c.Type, to[i])
	}
	if !changed {
		return p.In
	}
	return p
}

// byName puts the columns of right in the order of left's names.
func (a *analyzer) byName(left, right relation, s *syntax.SetOp) (relation, error) {
	out := relation{node: right.node}
	for _, l := range left.cols {
		found, _ := a.lookup(right.cols, []string{l.Name})
		if len(found) != 1 {
			return relation{}, a.unresolved([]string{l.Name}, &frame{cols: right.cols}, s)
		}
		out.cols = append(out.cols, found[0])
	}
	return out, nil
}
