package plan

import (
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// inKeyOrder is x with the entries of every map in it in the order of their keys: maps with the same entries are then
// equal wherever values are compared whole, as in groups.
func (a *analyzer) inKeyOrder(x rel.Expr) (rel.Expr, error) {
	if !holdsMap(x.Type()) {
		return x, nil
	}
	switch t := x.Type().(type) {
	case types.Array:
		each, err := a.eachInKeyOrder(t.Elem)
		if err != nil {
			return nil, err
		}
		return a.resolve("transform", x, each)
	case types.Map:
		return a.mapInKeyOrder(x, t)
	case types.Struct:
		return a.structInKeyOrder(x, t)
	}
	return x, nil
}

func (a *analyzer) eachInKeyOrder(elem types.Type) (rel.Expr, error) {
	p := rel.NewColumn("x", elem)
	body, err := a.inKeyOrder(p.Ref())
	return &rel.Lambda{Params: []rel.Column{p}, Body: body}, err
}

func (a *analyzer) mapInKeyOrder(x rel.Expr, t types.Map) (rel.Expr, error) {
	keys, err := a.resolve("map_keys", x)
	if err == nil {
		keys, err = a.resolve("sort_array", keys)
	}
	if err != nil {
		return nil, err
	}
	key := rel.NewColumn("k", t.Key)
	value, err := a.resolve("element", x, key.Ref())
	if err == nil {
		value, err = a.inKeyOrder(value)
	}
	if err != nil {
		return nil, err
	}
	values, err := a.resolve("transform", keys, &rel.Lambda{Params: []rel.Column{key}, Body: value})
	if err != nil {
		return nil, err
	}
	return a.resolve("map_from_arrays", keys, values)
}

func (a *analyzer) structInKeyOrder(x rel.Expr, t types.Struct) (rel.Expr, error) {
	var pairs []rel.Expr
	for i, f := range t.Fields {
		field, err := a.inKeyOrder(&rel.Field{X: x, Index: i})
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, stringLit(f.Name), field)
	}
	whole, err := a.resolve("named_struct", pairs...)
	if err != nil {
		return nil, err
	}
	null, err := a.resolve("isnull", x)
	if err != nil {
		return nil, err
	}
	return &rel.Case{Whens: []rel.When{{If: null, Then: &rel.Lit{T: whole.Type()}}}, Else: whole, T: whole.Type()}, nil
}

// resolve is a call that the analyzer itself makes.
func (a *analyzer) resolve(name string, args ...rel.Expr) (rel.Expr, error) {
	terms := make([]term, len(args))
	for i, x := range args {
		terms[i] = term{x: x}
	}
	t, err := a.apply(name, name, nil, terms...)
	return t.x, err
}
