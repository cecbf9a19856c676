package duckdb

import (
	"fmt"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// castExpr emits a cast by Spark's rules.
func (e *emitter) castExpr(x *rel.Cast) (string, error) {
	s, err := e.expr(x.X)
	if err != nil {
		return "", err
	}
	if types.Equal(x.X.Type(), x.To) {
		return s, nil
	}
	return e.sparkCast(s, x.X.Type(), x)
}

// sparkCast converts s, of type from, as x says.
func (e *emitter) sparkCast(s string, from types.Type, x *rel.Cast) (string, error) {
	return e.convert(s, from, x.To)
}

// convert changes the form of s from one type to a wider one, or to one that differs only in names inside
// structs. No value is lost.
func (e *emitter) convert(s string, from, to types.Type) (string, error) {
	if types.Equal(from, to) {
		return s, nil
	}
	switch to := to.(type) {
	case types.Struct:
		if f, ok := from.(types.Struct); ok {
			return e.convertStruct(s, f, to)
		}
	case types.Array:
		if f, ok := from.(types.Array); ok {
			return e.convertArray(s, f, to)
		}
	case types.Map:
		if f, ok := from.(types.Map); ok {
			return e.convertMap(s, f, to)
		}
	}
	return cast(s, to)
}

// convertStruct rebuilds a struct field by field: a cast of DuckDB's would match fields by name.
func (e *emitter) convertStruct(s string, from, to types.Struct) (string, error) {
	if len(from.Fields) != len(to.Fields) {
		return "", fmt.Errorf("duckdb: cannot convert %v to %v", from, to)
	}
	args := ""
	for i, f := range to.Fields {
		x, err := e.convert(fmt.Sprintf("struct_extract_at(%s, %d)", s, i+1), from.Fields[i].Type, f.Type)
		if err != nil {
			return "", err
		}
		if i > 0 {
			args += ", "
		}
		args += ident(f.Name) + " := " + x
	}
	null, err := constant(to, nil)
	return "CASE WHEN " + s + " IS NULL THEN " + null + " ELSE struct_pack(" + args + ") END", err
}

func (e *emitter) convertArray(s string, from, to types.Array) (string, error) {
	v := e.local("x")
	body, err := e.convert(v, from.Elem, to.Elem)
	return "list_transform(" + s + ", lambda " + v + ": " + body + ")", err
}

func (e *emitter) convertMap(s string, from, to types.Map) (string, error) {
	keys, err := e.convertArray("map_keys("+s+")", types.Array{Elem: from.Key}, types.Array{Elem: to.Key})
	if err != nil {
		return "", err
	}
	values, err := e.convertArray("map_values("+s+")", types.Array{Elem: from.Value}, types.Array{Elem: to.Value})
	if err != nil {
		return "", err
	}
	null, err := constant(to, nil)
	return "CASE WHEN " + s + " IS NULL THEN " + null + " ELSE map(" + keys + ", " + values + ") END", err
}
