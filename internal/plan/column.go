package plan

import (
	"cmp"
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

// nested reads field after field; the last one names the column.
func (a *analyzer) nested(t term, fields []string, at syntax.Node) (term, error) {
	for _, name := range fields {
		var err error
		if t, err = a.extractField(t, name, at); err != nil {
			return term{}, err
		}
		t.name = name
	}
	return t, nil
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

// unresolved is the error for a name without meaning, with the five columns whose names are nearest.
func (a *analyzer) unresolved(parts []string, f *frame, at syntax.Node) error {
	var cols []column
	for g := f; g != nil && len(cols) == 0 && !g.subquery; g = g.outer {
		cols = g.cols
		for _, it := range g.items {
			cols = append(cols, column{rel.Column{Name: it.name}, it.qual})
		}
	}
	name := quoteName(parts...)
	if len(cols) == 0 {
		return fail("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", at, "objectName", name)
	}
	return fail("UNRESOLVED_COLUMN.WITH_SUGGESTION", at, "objectName", name, "proposal", strings.Join(nearest(parts, cols), ", "))
}

// nearest orders the names of columns by their distance to a name, as Spark does: a qualifier that all columns
// share is left out when the name has none.
func nearest(parts []string, cols []column) []string {
	cols = slices.Clone(cols)
	slices.SortStableFunc(cols, func(x, y column) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), cmp.Compare(x.ID, y.ID))
	})
	full := make([][]string, 0, len(cols))
	for _, c := range cols {
		full = append(full, append(slices.Clone(c.qual), c.Name))
	}
	switch {
	case len(parts) == 1 && shared(full, 1):
		full = lastParts(full, 1)
	case len(parts) <= 2 && shared(full, 2):
		full = lastParts(full, 2)
	}
	base := make([]string, len(parts))
	for i, p := range parts {
		base[i] = types.QuoteIfNeeded(p)
	}
	names := make([]string, len(full))
	for i, p := range full {
		names[i] = quoteName(p...)
	}
	target := strings.Join(base, ".")
	slices.SortStableFunc(names, func(x, y string) int { return distance(x, target) - distance(y, target) })
	return names[:min(5, len(names))]
}

// shared reports whether all names are equal without their last n parts.
func shared(names [][]string, n int) bool {
	prefix := func(p []string) string { return strings.Join(p[:max(0, len(p)-n)], "\x00") }
	for _, p := range names[1:] {
		if prefix(p) != prefix(names[0]) {
			return false
		}
	}
	return true
}

func lastParts(names [][]string, n int) [][]string {
	out := make([][]string, len(names))
	for i, p := range names {
		out[i] = p[max(0, len(p)-n):]
	}
	return out
}

// distance is the number of letters to add, remove or change to make one name the other.
func distance(x, y string) int {
	a, b := []rune(x), []rune(y)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		last := row[0]
		row[0] = i + 1
		for j := range b {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func (a *analyzer) field(e *syntax.Field, f *frame) (term, error) {
	x, err := a.expr(e.X, f)
	if err != nil {
		return term{}, err
	}
	return a.extractField(x, e.Name.Name, e)
}

// extractField is x.name: a field of a struct, of the structs in an array, or the value under a key of a map.
func (a *analyzer) extractField(x term, name string, at syntax.Node) (term, error) {
	switch t := x.x.Type().(type) {
	case types.Struct:
		i, err := a.fieldIndex(t, name, at)
		if err != nil {
			return term{}, err
		}
		return term{x: &rel.Field{X: x.x, Index: i}, text: x.text + "." + t.Fields[i].Name}, nil
	case types.Array:
		if s, ok := t.Elem.(types.Struct); ok {
			return a.fieldOfEach(x, s, name, at)
		}
	case types.Map:
		key := a.valueTerm(stringLit(name))
		return a.apply("element", x.text+"["+key.text+"]", at, x, key)
	}
	return term{}, fail("INVALID_EXTRACT_BASE_FIELD_TYPE", at, "base", quoteSQL(x.text), "other", typeSQL(x.x.Type()))
}

func (a *analyzer) fieldIndex(s types.Struct, name string, at syntax.Node) (int, error) {
	found, names := -1, make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = types.Quote(f.Name)
		if !a.sameName(f.Name, name) {
			continue
		}
		if found >= 0 {
			return 0, fail("AMBIGUOUS_REFERENCE_TO_FIELDS", at, "field", types.Quote(name), "count", "2")
		}
		found = i
	}
	if found < 0 {
		return 0, fail("FIELD_NOT_FOUND", at, "fieldName", types.Quote(name), "fields", strings.Join(names, ", "))
	}
	return found, nil
}

// fieldOfEach makes an array of structs an array of one of their fields.
func (a *analyzer) fieldOfEach(x term, s types.Struct, name string, at syntax.Node) (term, error) {
	i, err := a.fieldIndex(s, name, at)
	if err != nil {
		return term{}, err
	}
	p := rel.NewColumn("x", s)
	each := term{x: &rel.Lambda{Params: []rel.Column{p}, Body: &rel.Field{X: p.Ref(), Index: i}}}
	return a.apply("transform", x.text+"."+s.Fields[i].Name, at, x, each)
}

func (a *analyzer) index(e *syntax.Index, f *frame) (term, error) {
	x, err := a.expr(e.X, f)
	if err != nil {
		return term{}, err
	}
	i, err := a.expr(e.I, f)
	if err != nil {
		return term{}, err
	}
	if _, ok := x.x.Type().(types.Struct); ok {
		if l, ok := i.x.(*rel.Lit); ok && l.T == types.String && l.Value != nil {
			return a.extractField(x, l.Value.(string), e)
		}
	}
	switch x.x.Type().(type) {
	case types.Array, types.Map:
		return a.apply("element", x.text+"["+i.text+"]", e, x, i)
	}
	return term{}, fail("INVALID_EXTRACT_BASE_FIELD_TYPE", e, "base", quoteSQL(x.text), "other", typeSQL(x.x.Type()))
}

func (a *analyzer) pathAccess(e *syntax.PathAccess, f *frame) (term, error) {
	x, err := a.expr(e.X, f)
	if err != nil {
		return term{}, err
	}
	path := a.valueTerm(stringLit("$." + e.Path))
	return a.apply("variant_get", "variant_get("+x.text+", "+path.text+")", e, x, path, a.valueTerm(stringLit("variant")))
}
