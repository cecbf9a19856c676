package duckdb

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// lambdaArg is argument i, which must be a lambda.
func (x *expansion) lambdaArg(i int) (*rel.Lambda, error) {
	l, ok := x.args[i].(*rel.Lambda)
	if !ok {
		return nil, unsupported("the function %s without a lambda", x.name)
	}
	return l, nil
}

// emitIndexed is a DuckDB list function over a lambda whose second parameter, if any, is the position of the
// element: from 0 in Spark, from 1 in DuckDB.
func emitIndexed(x *expansion, name string) (string, error) {
	l, err := x.lambdaArg(1)
	if err != nil {
		return "", err
	}
	if len(l.Params) == 2 {
		l = shiftIndex(l)
	}
	body, err := x.e.expr(l)
	if err != nil {
		return "", err
	}
	return name + "(" + x.sql[0] + ", " + body + ")", nil
}

// shiftIndex reads the second parameter as a BIGINT one higher.
func shiftIndex(l *rel.Lambda) *rel.Lambda {
	i := rel.NewColumn("i", types.Long)
	from0 := &rel.Cast{X: &rel.Call{Name: "-", Args: []rel.Expr{i.Ref(), &rel.Lit{T: types.Long, Value: int64(1)}}, T: types.Long}, To: types.Int}
	return &rel.Lambda{Params: []rel.Column{l.Params[0], i}, Body: replaceCols(l.Body, map[rel.ID]rel.Expr{l.Params[1].ID: from0})}
}

func replaceCols(e rel.Expr, by map[rel.ID]rel.Expr) rel.Expr {
	return rel.RewriteExpr(e, func(x rel.Expr) rel.Expr {
		if c, ok := x.(*rel.Col); ok {
			if y, known := by[c.ID]; known {
				return y
			}
		}
		return x
	})
}

// emitQuantifier is exists or forall: three-valued over the results for all elements.
func emitQuantifier(x *expansion, name string) (string, error) {
	list, err := emitIndexed(x, "list_transform")
	if err != nil {
		return "", err
	}
	f, err := x.e.udf(name, use{args: []types.Type{types.Array{Elem: types.Boolean}}, result: types.Boolean})
	return f + "(" + list + ")", err
}

// emitAggregate is aggregate(list, start, merge[, finish]).
func emitAggregate(x *expansion, _ string) (string, error) {
	merge, err := x.lambdaArg(2)
	if err != nil {
		return "", err
	}
	acc := x.args[1].Type()
	if !types.Equal(merge.Body.Type(), acc) {
		merge = &rel.Lambda{Params: merge.Params, Body: &rel.Cast{X: merge.Body, To: acc}}
	}
	out, err := x.reduce(merge, acc)
	if err != nil {
		return "", err
	}
	if len(x.args) < 4 {
		return out, nil
	}
	finish, err := x.arg(4)
	return "(CASE WHEN " + x.sql[0] + " IS NOT NULL THEN list_extract(list_transform([" + out + "], " + finish + "), 1) END)", err
}

// reduce is DuckDB's list_reduce. It wants the start value and the elements to be of one type, and it mixes up
// the rows of values from outside once lists differ in length: both are packed into one struct, field 0 the
// accumulated value, field 1 the element, the rest what merge reads from outside.
func (x *expansion) reduce(merge *rel.Lambda, acc types.Type) (string, error) {
	elem := merge.Params[1].Type
	free := freeCols(merge)
	if len(free) == 0 && types.Equal(acc, elem) {
		m, err := x.e.expr(merge)
		return "list_reduce(" + x.sql[0] + ", " + m + ", " + x.sql[1] + ")", err
	}
	st := types.Struct{Fields: []types.Field{{Name: "a", Type: acc, Nullable: true}, {Name: "e", Type: elem, Nullable: true}}}
	left, right := rel.NewColumn("left", nil), rel.NewColumn("right", nil)
	by := map[rel.ID]int{merge.Params[1].ID: 1}
	v := x.e.local("x")
	item, start, next := "a := NULL, e := "+v, "a := "+x.sql[1]+", e := NULL", ", e := NULL"
	for i, c := range free {
		f := fmt.Sprintf("c%d", i)
		st.Fields = append(st.Fields, types.Field{Name: f, Type: c.Column.Type, Nullable: true})
		item += ", " + f + " := " + name(c.ID)
		start += ", " + f + " := NULL"
		next += ", " + f + " := NULL"
		by[c.ID] = i + 2
	}
	left.Type, right.Type = st, st
	fields := map[rel.ID]rel.Expr{merge.Params[0].ID: &rel.Field{X: left.Ref(), Index: 0}}
	for id, i := range by {
		fields[id] = &rel.Field{X: right.Ref(), Index: i}
	}
	body, err := x.e.expr(replaceCols(merge.Body, fields))
	if err != nil {
		return "", err
	}
	packed := func(s string) string {
		p, castErr := cast("struct_pack("+s+")", st)
		if castErr != nil {
			err = castErr
		}
		return p
	}
	list := "list_transform(" + x.sql[0] + ", lambda " + v + ": " + packed(item) + ")"
	step := "lambda " + name(left.ID) + ", " + name(right.ID) + ": " + packed("a := "+body+next)
	return "struct_extract_at(list_reduce(" + list + ", " + step + ", " + packed(start) + "), 1)", err
}

// freeCols are the columns that l reads besides its own parameters and those of lambdas inside it.
func freeCols(l *rel.Lambda) []*rel.Col {
	own := map[rel.ID]bool{}
	for _, p := range l.Params {
		own[p.ID] = true
	}
	rel.WalkExpr(l.Body, func(e rel.Expr) bool {
		if in, ok := e.(*rel.Lambda); ok {
			for _, p := range in.Params {
				own[p.ID] = true
			}
		}
		return true
	})
	var out []*rel.Col
	rel.WalkExpr(l.Body, func(e rel.Expr) bool {
		if c, ok := e.(*rel.Col); ok && !own[c.ID] {
			own[c.ID] = true
			out = append(out, c)
		}
		return true
	})
	return out
}

// entryLambda is l as a lambda over one struct whose fields are l's parameters.
func entryLambda(l *rel.Lambda, ts []types.Type) (*rel.Lambda, rel.Column) {
	st := types.Struct{}
	for i, t := range ts {
		st.Fields = append(st.Fields, types.Field{Name: fmt.Sprintf("f%d", i), Type: t, Nullable: true})
	}
	entry := rel.NewColumn("entry", st)
	by := map[rel.ID]rel.Expr{}
	for i, p := range l.Params {
		by[p.ID] = &rel.Field{X: entry.Ref(), Index: i}
	}
	return &rel.Lambda{Params: []rel.Column{entry}, Body: replaceCols(l.Body, by)}, entry
}

// emitMapLambda is a function of a map's entries: zip_with, map_filter, transform_keys, transform_values and
// map_zip_with.
func emitMapLambda(x *expansion, kind string) (string, error) {
	l, err := x.lambdaArg(len(x.args) - 1)
	if err != nil {
		return "", err
	}
	list, ts, err := x.entries(kind)
	if err != nil {
		return "", err
	}
	fn, entry := entryLambda(l, ts)
	body, err := x.e.expr(fn.Body)
	if err != nil {
		return "", err
	}
	v := name(entry.ID)
	over := func(name, body string) string { return name + "(" + list + ", lambda " + v + ": " + body + ")" }
	key, value := "struct_extract_at("+v+", 1)", "struct_extract_at("+v+", 2)"
	switch kind {
	case "zip":
		return "(CASE WHEN " + strings.Join(x.sql[:2], " IS NOT NULL AND ") + " IS NOT NULL THEN " + over("list_transform", body) + " END)", nil
	case "filter":
		return "map_from_entries(" + over("list_filter", body) + ")", nil
	case "keys":
		key = body
	default:
		value = body
	}
	return x.mapOf(over("list_transform", "struct_pack(k := "+key+", v := "+value+")"))
}

// mapOf is a map of a list of entries; keys may not be equal or NULL.
func (x *expansion) mapOf(entries string) (string, error) {
	m := x.result.(types.Map)
	st := types.Struct{Fields: []types.Field{{Name: "k", Type: m.Key}, {Name: "v", Type: m.Value}}}
	f, err := x.e.udf("map_from_entries", use{args: []types.Type{types.Array{Elem: st}}, result: x.result, mode: x.mode})
	if err != nil {
		return "", err
	}
	list, err := cast(entries, types.Array{Elem: st})
	return f + "(" + list + ")", err
}

// entries is the list that a map function runs over, and the types of its entries' fields.
func (x *expansion) entries(kind string) (string, []types.Type, error) {
	switch kind {
	case "zip":
		a, b := x.args[0].Type().(types.Array), x.args[1].Type().(types.Array)
		return "list_zip(" + x.sql[0] + ", " + x.sql[1] + ")", []types.Type{a.Elem, b.Elem}, nil
	case "both":
		a, b := x.args[0].Type().(types.Map), x.args[1].Type().(types.Map)
		st := types.Struct{Fields: []types.Field{{Name: "k", Type: a.Key}, {Name: "a", Type: a.Value}, {Name: "b", Type: b.Value}}}
		f, err := x.e.udf("map_zip_with_pairs", use{args: []types.Type{a, b}, result: types.Array{Elem: st}})
		return f + "(" + x.sql[0] + ", " + x.sql[1] + ")", []types.Type{a.Key, a.Value, b.Value}, err
	}
	m := x.args[0].Type().(types.Map)
	return "map_entries(" + x.sql[0] + ")", []types.Type{m.Key, m.Value}, nil
}

// emitArraysZip makes structs of the elements at equal positions; shorter arrays end in NULLs.
func emitArraysZip(x *expansion, _ string) (string, error) {
	if len(x.args) == 0 {
		return "[]", nil
	}
	st := x.result.(types.Array).Elem.(types.Struct)
	v := x.e.local("z")
	parts := make([]string, len(st.Fields))
	for i, f := range st.Fields {
		parts[i] = ident(f.Name) + " := " + fmt.Sprintf("struct_extract_at(%s, %d)", v, i+1)
	}
	return "(CASE WHEN " + strings.Join(x.sql, " IS NOT NULL AND ") + " IS NOT NULL THEN list_transform(list_zip(" + strings.Join(x.sql, ", ") +
		"), lambda " + v + ": struct_pack(" + strings.Join(parts, ", ") + ")) END)", nil
}

// emitDateField is extract(field FROM x), date_part(field, x): the field is a constant.
func emitDateField(x *expansion, _ string) (string, error) {
	name, _ := constantText(x.args[0])
	part, ok := partNames[strings.ToUpper(name)]
	if !ok {
		return "", unsupported("the field %s of a date", name)
	}
	t := x.args[1].Type()
	s, err := x.local(x.sql[1], t)
	if err != nil {
		return "", err
	}
	if t == types.Timestamp {
		t = types.TimestampNTZ
	}
	if t == types.CalendarInterval {
		return "", unsupported("fields of the old interval type")
	}
	fn := "date_part"
	if types.IsDecimal(x.result) {
		fn = "date_part_seconds"
	}
	f, err := x.e.udf(fn, use{args: []types.Type{t}, result: x.result, param: part})
	return f + "(" + s + ")", err
}

// emitPart is year(x), hour(x), …: one field of a date, timestamp or interval.
func emitPart(x *expansion, part string) (string, error) {
	t := x.args[0].Type()
	s, err := x.local(x.sql[0], t)
	if err != nil {
		return "", err
	}
	if t == types.Timestamp {
		t = types.TimestampNTZ
	}
	f, err := x.e.udf("date_part", use{args: []types.Type{t}, result: x.result, param: part})
	return f + "(" + s + ")", err
}

// emitCastSame computes over arguments cast to the type of the result.
func emitCastSame(x *expansion, t string) (string, error) {
	for i := range x.sql {
		s, err := cast(x.sql[i], x.result)
		if err != nil {
			return "", err
		}
		x.sql[i] = s
	}
	return x.template(t)
}

// emitTypeof is the name of a type.
func emitTypeof(x *expansion, _ string) (string, error) {
	return literal(x.args[0].Type().String()), nil
}

// emitRound rounds by the function in Go for the family of the argument.
func emitRound(x *expansion, name string) (string, error) {
	switch t := x.args[0].Type(); {
	case types.IsDecimal(t):
		return x.template("{udf " + name + "}($*)")
	case types.Integral(t):
		return x.template("{udf " + name + "_int}($*)")
	}
	return x.template("{udf " + name + "_float}($*)")
}

// emitUniform spreads a random number over a range and casts it to the result.
func emitUniform(x *expansion, _ string) (string, error) {
	u := use{args: []types.Type{types.Double, types.Double}, result: types.Double}
	for _, a := range x.args[2:] {
		u.args = append(u.args, a.Type())
	}
	f, err := x.e.udf("uniform", u)
	if err != nil {
		return "", err
	}
	return caster{x.e, x.mode, x.zone}.cast(f+"("+strings.Join(x.sql, ", ")+")", types.Double, x.result)
}
