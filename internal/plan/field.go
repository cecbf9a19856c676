package plan

import (
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

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
