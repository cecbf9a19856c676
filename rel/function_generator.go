package rel

import (
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// GeneratorColumns are the columns that the generator call c makes, named as Spark names them without an alias.
func GeneratorColumns(c *Call) []types.Field {
	if s, ok := c.T.(types.Struct); ok {
		return s.Fields
	}
	return nil
}

// resolveGenerator resolves explode, posexplode and inline, and their outer forms, which are the same calls:
// the node around them says that they are outer. A generator's type is the struct of its columns.
func resolveGenerator(f *Function, param string, args []Expr, s Settings) (Expr, error) {
	if len(args) != 1 {
		return nil, wrongCount(f.Name, "1", len(args))
	}
	var fields []types.Field
	col := func(name string, t types.Type, null bool) {
		fields = append(fields, types.Field{Name: name, Type: t, Nullable: null})
	}
	if param == "posexplode" {
		col("pos", types.Int, false)
	}
	switch t := args[0].Type().(type) {
	case types.Array:
		if param != "inline" {
			col("col", t.Elem, t.Nullable)
			break
		}
		st, ok := t.Elem.(types.Struct)
		if !ok {
			return nil, unexpectedType(0, `"ARRAY<STRUCT>"`, t)
		}
		fields = st.Fields
	case types.Map:
		if param == "inline" {
			return nil, unexpectedType(0, `"ARRAY<STRUCT>"`, t)
		}
		col("key", t.Key, false)
		col("value", t.Value, t.Nullable)
	default:
		want := `("ARRAY" or "MAP")`
		if param == "inline" {
			want = `"ARRAY<STRUCT>"`
		}
		return nil, unexpectedType(0, want, t)
	}
	return &Call{Name: param, Args: args, T: types.Struct{Fields: fields}, Mode: s.Mode, Zone: s.Zone}, nil
}

// resolveStack is stack(n, v, …): the values in n rows.
func resolveStack(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) < 2 {
		return nil, wrongCount(f.Name, "> 1", len(args))
	}
	n, ok := constInt(args[0])
	if !ok {
		return nil, &ArgError{"DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", map[string]string{
			"sqlExpr": "$0", "inputName": "`n`", "inputType": `"INT"`, "inputExpr": "$1"}}
	}
	if n < 1 {
		return nil, &ArgError{"DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", map[string]string{
			"sqlExpr": "$0", "exprName": "`n`", "valueRange": "(0, 2147483647]", "currentValue": strconv.FormatInt(n, 10)}}
	}
	values := args[1:]
	width := (len(values) + int(n) - 1) / int(n)
	fields := make([]types.Field, width)
	out := append([]Expr{convert(args[0], types.Int, s)}, values...)
	for c := range fields {
		var column []types.Type
		for i := c; i < len(values); i += width {
			column = append(column, values[i].Type())
		}
		t, ok := CommonType(column, s)
		if !ok {
			return nil, &ArgError{"DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES", map[string]string{
				"sqlExpr": "$0", "columnIndex": strconv.Itoa(c), "leftParamIndex": strconv.Itoa(c + 1),
				"leftType": sqlType(column[0]), "rightParamIndex": strconv.Itoa(c + 1 + width), "rightType": sqlType(column[len(column)-1])}}
		}
		for i := c; i < len(values); i += width {
			out[i+1] = convert(values[i], t, s)
		}
		fields[c] = types.Field{Name: "col" + strconv.Itoa(c), Type: t, Nullable: true}
	}
	return &Call{Name: "stack", Args: out, T: types.Struct{Fields: fields}, Mode: s.Mode, Zone: s.Zone}, nil
}

// resolveTuple is json_tuple(json, key, …): columns c0, c1, … of text.
func resolveTuple(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) < 2 {
		return nil, wrongCount(f.Name, "> 1", len(args))
	}
	var fields []types.Field
	for i, a := range args {
		if !types.Text(a.Type()) && a.Type() != types.Void {
			return nil, &ArgError{"DATATYPE_MISMATCH.NON_STRING_TYPE", map[string]string{"sqlExpr": "$0", "funcName": "`" + f.Name + "`"}}
		}
		if i > 0 {
			fields = append(fields, types.Field{Name: "c" + strconv.Itoa(i-1), Type: types.String, Nullable: true})
		}
	}
	return &Call{Name: f.Name, Args: castAll(args, types.String, s), T: types.Struct{Fields: fields}, Mode: s.Mode, Zone: s.Zone}, nil
}

// schemaResult is the type that a constant argument spells in SQL, as from_json takes it; param is its number.
func schemaResult(f *Function, param string, args []Expr, s Settings) (types.Type, error) {
	i, _ := strconv.Atoi(param)
	ddl, ok := constText(args[i])
	if !ok || s.Type == nil {
		return nil, &ArgError{"INVALID_SCHEMA.NON_STRING_LITERAL", map[string]string{"inputSchema": "$" + strconv.Itoa(i+1)}}
	}
	t, err := s.Type(ddl)
	if err != nil {
		return nil, &ArgError{"INVALID_SCHEMA.PARSE_ERROR", map[string]string{
			"inputSchema": `"` + strings.ReplaceAll(ddl, `"`, `\"`) + `"`, "reason": err.Error()}}
	}
	return t, nil
}
