package plan

import (
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// item is one column of the SELECT list, before its name is final.
type item struct {
	term
	name  string
	names []string // of a generator: AS (a, b)
}

// list analyses the SELECT list. Each alias can be used by the items behind it.
func (b *block) list(items []*syntax.NamedExpr) error {
	for _, n := range items {
		if s, ok := n.X.(*syntax.Star); ok {
			b.starred = true
			cols, err := b.a.star(s, b.frame)
			if err != nil {
				return err
			}
			for _, t := range cols {
				b.items = append(b.items, item{term: t, name: t.label()})
			}
			continue
		}
		t, err := b.a.expr(n.X, b.frame)
		if err != nil {
			return err
		}
		it := item{term: t, name: t.label()}
		switch {
		case len(n.Aliases) == 1 && !n.Parens:
			if it.name, err = b.a.aliasName(n.Aliases[0]); err != nil {
				return err
			}
			it.names = []string{it.name}
			it.qual = nil
			i := len(b.items)
			b.frame.aliases = append(b.frame.aliases, alias{it.name, t, func() rel.Expr { return b.computeOnce(i) }})
		case len(n.Aliases) > 0:
			for _, id := range n.Aliases {
				it.names = append(it.names, id.Name)
			}
		case t.name != "" && len(t.qual) == 0: // a field's name serves as an alias
			b.frame.aliases = append(b.frame.aliases, alias{name: t.name, term: t})
		}
		b.items = append(b.items, it)
	}
	return nil
}

// computeOnce moves the value of an item below the SELECT list, where other items can read it too.
func (b *block) computeOnce(i int) rel.Expr {
	x := b.items[i].x
	if _, done := x.(*rel.Col); done || holdsAggregate(x) || holdsWindow(x) || generatorIn(x) != nil {
		return x
	}
	c := rel.Column{ID: rel.NewID(), Name: b.items[i].name, Type: x.Type(), Nullable: x.Nullable()}
	p := &rel.Project{In: b.node}
	for _, own := range b.node.Columns() {
		p.Cols = append(p.Cols, rel.Computed{Column: own, Expr: own.Ref()})
	}
	p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: x})
	b.node = p
	b.items[i].x = c.Ref()
	return b.items[i].x
}

// aliasName is the name of an alias, which may be IDENTIFIER('…') of one part.
func (a *analyzer) aliasName(id *syntax.Ident) (string, error) {
	parts, err := a.names([]*syntax.Ident{id})
	if err != nil {
		return "", err
	}
	if len(parts) > 1 {
		return "", fail("IDENTIFIER_TOO_MANY_NAME_PARTS", id, "identifier", quoteName(parts...), "limit", "1")
	}
	return parts[0], nil
}

// star is the columns that * or t.* or s.* stands for.
func (a *analyzer) star(s *syntax.Star, f *frame) ([]term, error) {
	qualifier, err := a.names(s.Qualifier)
	if err != nil {
		return nil, err
	}
	var out []term
	for g := f; g != nil && len(out) == 0; g = g.outer {
		cols := g.cols
		if len(qualifier) > 0 {
			cols = slices.Concat(g.hidden, g.cols)
		}
		for _, c := range cols {
			if c.matches(qualifier, a.sameName) {
				t := term{x: c.Ref(), text: c.Name, qual: c.qual}
				out = append(out, a.crossing(t, f, g))
			}
		}
		if len(qualifier) == 0 && (g.items == nil && g.params == nil) {
			break
		}
	}
	if len(out) == 0 && len(qualifier) > 0 {
		if out, err = a.structStar(s, qualifier, f); err != nil {
			return nil, err
		}
	}
	return a.except(out, s, f)
}

func (a *analyzer) structStar(s *syntax.Star, qualifier []string, f *frame) ([]term, error) {
	t, err := a.columnRef(&syntax.ColumnRef{Span: s.Span, Parts: s.Qualifier}, f)
	st, ok := types.Struct{}, false
	if err == nil {
		st, ok = t.x.Type().(types.Struct)
	}
	if !ok {
		names := make([]string, len(f.cols))
		for i, c := range f.cols {
			names[i] = types.Quote(c.Name)
		}
		return nil, fail("CANNOT_RESOLVE_STAR_EXPAND", s, "targetString", quoteName(qualifier...), "columns", strings.Join(names, ", "))
	}
	var out []term
	for i, field := range st.Fields {
		out = append(out, term{x: &rel.Field{X: t.x, Index: i}, text: t.text + "." + field.Name, name: field.Name})
	}
	return out, nil
}

// except leaves out the columns of EXCEPT (…).
func (a *analyzer) except(cols []term, s *syntax.Star, f *frame) ([]term, error) {
	for _, n := range s.Except {
		name := n.Strings()
		at := slices.IndexFunc(cols, func(t term) bool {
			return len(name) > 0 && a.sameName(t.label(), name[len(name)-1]) && column{qual: t.qual}.matches(name[:len(name)-1], a.sameName)
		})
		if at < 0 {
			if i := a.structIn(cols, name); i >= 0 {
				t, err := a.withoutField(cols[i], name[1:], n)
				if err != nil {
					return nil, err
				}
				cols[i] = t
				continue
			}
			return nil, a.unresolved(name, f, n)
		}
		cols = slices.Delete(slices.Clone(cols), at, at+1)
	}
	return cols, nil
}

func (a *analyzer) structIn(cols []term, name []string) int {
	return slices.IndexFunc(cols, func(t term) bool {
		_, ok := t.x.Type().(types.Struct)
		return ok && len(name) > 1 && a.sameName(t.label(), name[0])
	})
}

// withoutField is the struct t without the field that path leads to.
func (a *analyzer) withoutField(t term, path []string, at syntax.Node) (term, error) {
	st, ok := t.x.Type().(types.Struct)
	if !ok {
		return t, fail("EXCEPT_NESTED_COLUMN_INVALID_TYPE", at, "columnName", t.label(), "dataType", t.x.Type().String())
	}
	drop, err := a.fieldIndex(st, path[0], at)
	if err != nil {
		return t, err
	}
	var pairs []term
	for i, f := range st.Fields {
		field := term{x: &rel.Field{X: t.x, Index: i}, text: t.text + "." + f.Name, name: f.Name}
		if i == drop {
			if len(path) == 1 {
				continue
			}
			if field, err = a.withoutField(field, path[1:], at); err != nil {
				return t, err
			}
		}
		pairs = append(pairs, term{x: stringLit(f.Name), text: f.Name}, field)
	}
	out, err := a.apply("named_struct", "named_struct("+texts(pairs)+")", at, pairs...)
	out.name = t.label()
	return out, err
}

// itemNamed is the item of the SELECT list that e, a plain name, names.
func (a *analyzer) itemNamed(e syntax.Expr, b *block) (item, bool) {
	c, ok := e.(*syntax.ColumnRef)
	if !ok || len(c.Parts) != 1 {
		return item{}, false
	}
	parts, err := a.names(c.Parts)
	if err != nil {
		return item{}, false
	}
	for _, it := range b.items {
		if a.sameName(it.name, parts[0]) {
			return it, true
		}
	}
	return item{}, false
}

// computedItem is an item as a column of the projection: a column that passes keeps its number.
func computedItem(it item, own map[rel.ID]bool) rel.Computed {
	c := rel.Column{ID: rel.NewID(), Name: it.name, Type: it.x.Type(), Nullable: it.x.Nullable()}
	if col, ok := it.x.(*rel.Col); ok {
		c.Metadata = col.Metadata
		if own[col.ID] && strings.EqualFold(col.Name, it.name) {
			c.ID = col.ID
			delete(own, col.ID)
		}
	}
	return rel.Computed{Column: c, Expr: it.x}
}
