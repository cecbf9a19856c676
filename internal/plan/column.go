package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

func itoa(n int) string { return strconv.Itoa(n) }

// names gives the parts of a name, with IDENTIFIER(expr) in it replaced by what the expression says.
func (a *analyzer) names(parts []*syntax.Ident) ([]string, error) {
	var out []string
	for _, p := range parts {
		if p.Expr == nil {
			out = append(out, p.Name)
			continue
		}
		more, err := a.identifier(p)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// identifier is the name that the argument of IDENTIFIER spells.
func (a *analyzer) identifier(p *syntax.Ident) ([]string, error) {
	t, err := a.scalar(p.Expr, &frame{}, "IDENTIFIER")
	if err != nil {
		return nil, err
	}
	if !foldable(t.x) {
		return nil, fail("NOT_A_CONSTANT_STRING.NOT_CONSTANT", p, "name", "IDENTIFIER", "expr", t.text)
	}
	if !types.Text(t.x.Type()) {
		return nil, fail("NOT_A_CONSTANT_STRING.WRONG_TYPE", p, "name", "IDENTIFIER", "expr", t.text, "dataType", t.x.Type().String())
	}
	v, err := a.constant(t.x)
	if err != nil {
		return nil, err
	}
	s, ok := v.(string)
	if !ok {
		return nil, fail("NOT_A_CONSTANT_STRING.NULL", p, "name", "IDENTIFIER", "expr", t.text)
	}
	n, err := syntax.ParseMultipartIdentifier(s)
	if err != nil {
		return nil, err
	}
	return n.Strings(), nil
}

// foldable reports whether e is the same for every row.
func foldable(e rel.Expr) bool {
	ok := len(rel.Subqueries(e)) == 0
	rel.WalkExpr(e, func(x rel.Expr) bool {
		switch x := x.(type) {
		case *rel.Col, *rel.Agg, *rel.Over:
			ok = false
		case *rel.Call:
			if fn := rel.FindFunction(x.Name); fn != nil && (fn.Nondeterministic || fn.Kind != rel.ScalarKind) {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// constant is the value of a foldable expression.
func (a *analyzer) constant(e rel.Expr) (types.Value, error) {
	if l, ok := e.(*rel.Lit); ok {
		return l.Value, nil
	}
	return a.scope.Constant(a.ctx, e)
}

// columnRef finds what a name means: a parameter of a lambda function, a column, a name given earlier in
// the SELECT list, the same of the queries around, a session variable.
func (a *analyzer) columnRef(e *syntax.ColumnRef, f *frame) (term, error) {
	parts, err := a.names(e.Parts)
	if err != nil {
		return term{}, err
	}
	for level, borders := f, 0; level != nil && borders < 2; level = level.outer {
		if level.subquery { // a query reads the query around it, not those further out
			borders++
		}
		t, ok, err := a.atLevel(level, parts, e)
		if err != nil {
			return term{}, err
		}
		if ok {
			return a.crossing(t, f, level), nil
		}
	}
	if t, ok, err := a.variable(parts, e); ok || err != nil {
		return t, err
	}
	return term{}, a.unresolved(parts, f, e)
}

// crossing marks a column of an outer query in the frames between, and in its text.
func (a *analyzer) crossing(t term, from, level *frame) term {
	crossed := false
	for g := from; g != level; g = g.outer {
		if g.subquery {
			g.note(t)
			crossed = true
		}
	}
	if crossed {
		t.text, t.name = "outer("+t.full()+")", t.label()
	}
	return t
}

// atLevel looks for a name in one frame.
func (a *analyzer) atLevel(f *frame, parts []string, at syntax.Node) (term, bool, error) {
	for i := len(f.params) - 1; i >= 0; i-- {
		if a.sameName(f.params[i].Name, parts[0]) {
			t, err := a.nested(term{x: f.params[i].Ref(), text: "namedlambdavariable()", name: f.params[i].Name}, parts[1:], at)
			return t, true, err
		}
	}
	if t, ok, err := a.fromItems(f.items, parts, at); ok {
		return t, ok, err
	} else if err != nil {
		if t, ok, rowErr := a.atLevel(f.outer, parts, at); ok && rowErr == nil {
			return t, true, nil
		}
		return term{}, false, err
	}
	for _, cols := range [][]column{f.cols, f.hidden} {
		found, rest := a.lookup(cols, parts)
		if len(found) > 1 {
			return term{}, false, ambiguous(parts, found, at)
		}
		if len(found) == 1 {
			t, err := a.columnTerm(found[0], parts, rest, at)
			return t, true, err
		}
	}
	return a.lateralAlias(f, parts, at)
}

// lookup finds the columns that parts can mean; the longest qualifier that fits decides. rest are the parts
// behind the column's name.
func (a *analyzer) lookup(cols []column, parts []string) (found []column, rest []string) {
	for k := min(3, len(parts)-1); k >= 0; k-- {
		for _, c := range cols {
			if !a.sameName(c.Name, parts[k]) || !c.matches(parts[:k], a.sameName) {
				continue
			}
			if !slices.ContainsFunc(found, func(o column) bool { return o.ID == c.ID }) {
				found = append(found, c)
			}
		}
		if len(found) > 0 {
			return found, parts[k+1:]
		}
	}
	return nil, nil
}

func ambiguous(parts []string, found []column, at syntax.Node) error {
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = c.fullName()
	}
	slices.Sort(names)
	return fail("AMBIGUOUS_REFERENCE", at, "name", quoteName(parts...), "referenceNames", "["+strings.Join(names, ", ")+"]")
}

// columnTerm reads a column under the name that the user wrote, and the struct fields behind it.
func (a *analyzer) columnTerm(c column, parts, rest []string, at syntax.Node) (term, error) {
	col := c.Column
	col.Name = parts[len(parts)-len(rest)-1]
	t := term{x: col.Ref(), text: col.Name, qual: c.qual}
	return a.nested(t, rest, at)
}

func (a *analyzer) lateralAlias(f *frame, parts []string, at syntax.Node) (term, bool, error) {
	var found []alias
	for _, al := range f.aliases {
		if a.sameName(al.name, parts[0]) {
			found = append(found, al)
		}
	}
	switch len(found) {
	case 0:
		return term{}, false, nil
	case 1:
		t := found[0].term
		if volatile(t.x) && found[0].once != nil {
			t.x = found[0].once()
		}
		t.text, t.name, t.qual = "lateralAliasReference("+parts[0]+")", parts[0], nil
		t, err := a.nested(t, parts[1:], at)
		return t, true, err
	}
	return term{}, false, fail("AMBIGUOUS_LATERAL_COLUMN_ALIAS", at, "name", quoteName(parts...), "n", itoa(len(found)))
}

// volatile reports whether computing e twice may give two values.
func volatile(e rel.Expr) bool {
	found := false
	rel.WalkExpr(e, func(x rel.Expr) bool {
		if c, ok := x.(*rel.Call); ok {
			fn := rel.FindFunction(c.Name)
			found = found || fn != nil && fn.Nondeterministic
		}
		return !found
	})
	return found
}

// fromItems looks for a name among the columns of the SELECT list.
func (a *analyzer) fromItems(items []item, parts []string, at syntax.Node) (term, bool, error) {
	for k := min(3, len(parts)-1); k >= 0; k-- {
		var found []item
		for _, it := range items {
			c := column{qual: it.qual}
			if !a.sameName(it.name, parts[k]) || !c.matches(parts[:k], a.sameName) {
				continue
			}
			if !slices.ContainsFunc(found, func(o item) bool { return rel.Key(o.x) == rel.Key(it.x) }) {
				found = append(found, it)
			}
		}
		if len(found) > 1 {
			names := make([]string, len(found))
			for i, it := range found {
				names[i] = quoteName(append(slices.Clone(it.qual), it.name)...)
			}
			slices.Sort(names)
			return term{}, false, fail("AMBIGUOUS_REFERENCE", at, "name", quoteName(parts...),
				"referenceNames", "["+strings.Join(names, ", ")+"]")
		}
		if len(found) == 1 {
			t, err := a.nested(term{x: found[0].x, text: parts[k], qual: found[0].qual}, parts[k+1:], at)
			return t, true, err
		}
	}
	return term{}, false, nil
}

func (a *analyzer) variable(parts []string, at syntax.Node) (term, bool, error) {
	for n := len(parts); n > 0; n-- {
		if x, ok := a.scope.Variable(parts[:n]); ok {
			value := a.valueTerm(x).text
			if l, ok := x.(*rel.Lit); ok && l.Value == nil && l.T != types.Void {
				value = "CAST(NULL AS " + types.SQL(l.T) + ")"
			}
			name := strings.ToLower(parts[n-1])
			t, err := a.nested(term{x: x, text: "variablereference(system.session." + name + "=" + value + ")", name: parts[n-1]}, parts[n:], at)
			return t, true, err
		}
	}
	return term{}, false, nil
}
