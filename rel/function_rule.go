package rel

import (
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// findRule is the resolver that the table calls name, for functions that signatures alone do not describe.
func findRule(name string) resolver {
	switch name {
	case "arithmetic":
		return arithmetic
	case "comparison":
		return comparison
	case "logical":
		return logical
	case "bitwise":
		return bitwise
	case "not-equal":
		return notEqual
	case "in":
		return resolveIn
	case "if":
		return resolveIf
	case "when":
		return resolveWhen
	case "nullif":
		return resolveNullif
	case "nvl2":
		return resolveNvl2
	case "common":
		return resolveCommon
	case "try":
		return resolveTry
	case "as":
		return resolveAs
	case "cast":
		return resolveCast
	case "concat":
		return resolveConcat
	case "element":
		return resolveElement
	case "struct":
		return resolveStruct
	case "named_struct":
		return resolveNamedStruct
	case "map":
		return resolveMap
	case "generator":
		return resolveGenerator
	case "stack":
		return resolveStack
	case "tuple":
		return resolveTuple
	case "make_timestamp":
		return resolveMakeTimestamp
	case "to_date":
		return resolveToDate
	case "to_timestamp":
		return resolveToTimestamp
	case "to_time":
		return resolveToTime
	case "from_unixtime":
		return resolveFromUnixtime
	case "unix_timestamp":
		return resolveUnixTimestamp
	case "convert_timezone":
		return resolveConvertTimezone
	case "decode":
		return resolveDecode
	case "to_char":
		return resolveToChar
	case "size":
		return resolveSize
	case "with-zero":
		return resolveWithZero
	case "uniform":
		return resolveUniform
	case "sequence":
		return resolveSequence
	}
	return nil
}

// notEqual is NOT (a = b).
func notEqual(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	e, err := FindFunction("=").Resolve(args, s)
	if err != nil {
		return nil, err
	}
	return FindFunction("not").Resolve([]Expr{e}, s)
}

// resolveIn is x IN (a, b, …): all values as one type.
func resolveIn(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	t, ok := inType(args, s)
	if !ok {
		return nil, dataDiff("in", argTypes(args), true)
	}
	if holdsMap(t) {
		return nil, &ArgError{"DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
			map[string]string{"sqlExpr": "$0", "functionName": "`in`", "dataType": sqlType(t)}}
	}
	return f.call(castAll(args, t, s), types.Boolean, s), nil
}

func inType(args []Expr, s Settings) (types.Type, bool) {
	ts := argTypes(args)
	if s.Mode != Legacy {
		return CommonType(ts, s)
	}
	for i, t := range ts[1:] { // without ANSI, text beside a number or time is compared as the first type
		if types.Text(t) != types.Text(ts[0]) && types.Atomic(t) && types.Atomic(ts[0]) {
			l, _ := meetComparedLegacy(args[0], args[i+1], s)
			return l.Type(), true
		}
	}
	return CommonType(ts, s)
}

func castAll(args []Expr, t types.Type, s Settings) []Expr {
	out := make([]Expr, len(args))
	for i, a := range args {
		out[i] = convert(a, t, s)
	}
	return out
}

// condition is e as a BOOLEAN condition; at is its position.
func condition(e Expr, at int, s Settings) (Expr, error) {
	if e.Type() == types.Void || types.Text(e.Type()) {
		return convert(e, types.Boolean, s), nil
	}
	if e.Type() != types.Boolean {
		return nil, unexpectedType(at, `"BOOLEAN"`, e.Type())
	}
	return e, nil
}

func resolveIf(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) != 3 {
		return nil, wrongCount(f.Name, "3", len(args))
	}
	cond, err := condition(args[0], 0, s)
	if err != nil {
		return nil, err
	}
	t, ok := CommonType(argTypes(args[1:]), s)
	if !ok {
		return nil, dataDiff("if", argTypes(args[1:]), true)
	}
	return &Case{Whens: []When{{cond, convert(args[1], t, s)}}, Else: convert(args[2], t, s), T: t}, nil
}

// resolveWhen is CASE over arguments in order: condition, value, condition, value, … and the value of ELSE.
func resolveWhen(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) < 2 {
		return nil, wrongCount(f.Name, "> 1", len(args))
	}
	var values []Expr
	for i := 1; i < len(args); i += 2 {
		values = append(values, args[i])
	}
	if len(args)%2 == 1 {
		values = append(values, args[len(args)-1])
	}
	t, ok := CommonType(argTypes(values), s)
	if !ok {
		return nil, dataDiff("casewhen", argTypes(values), true)
	}
	c := &Case{T: t}
	for i := 0; i+1 < len(args); i += 2 {
		cond, err := condition(args[i], i, s)
		if err != nil {
			return nil, err
		}
		c.Whens = append(c.Whens, When{cond, convert(args[i+1], t, s)})
	}
	if len(args)%2 == 1 {
		c.Else = convert(args[len(args)-1], t, s)
	}
	return c, nil
}

// resolveNullif is NULL where both are equal, else the first.
func resolveNullif(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) != 2 {
		return nil, wrongCount(f.Name, "2", len(args))
	}
	eq, err := FindFunction("=").Resolve(args, s)
	if err != nil {
		return nil, err
	}
	return &Case{Whens: []When{{eq, &Lit{T: args[0].Type()}}}, Else: args[0], T: args[0].Type()}, nil
}

func resolveNvl2(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) != 3 {
		return nil, wrongCount(f.Name, "3", len(args))
	}
	cond, err := FindFunction("isnotnull").Resolve(args[:1], s)
	if err != nil {
		return nil, err
	}
	return FindFunction("if").Resolve([]Expr{cond, args[1], args[2]}, s)
}

// resolveCommon is a function of values of one type that gives one of them, or an array of them.
func resolveCommon(f *Function, param string, args []Expr, s Settings) (Expr, error) {
	least, _ := strconv.Atoi(strings.TrimPrefix(param, "array "))
	if len(args) < least {
		return nil, wrongCount(f.Name, "> "+strconv.Itoa(least-1), len(args))
	}
	t, ok := CommonType(argTypes(args), s)
	if !ok {
		return nil, dataDiff(f.Name, argTypes(args), false)
	}
	result := t
	if strings.HasPrefix(param, "array") {
		hasNull := false
		for _, a := range args {
			hasNull = hasNull || a.Nullable()
		}
		result = types.Array{Elem: t, Nullable: hasNull}
	} else if f.Name != "coalesce" && !orderable(t) {
		return nil, &ArgError{"DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
			map[string]string{"sqlExpr": "$0", "functionName": "`" + f.Name + "`", "dataType": sqlType(t)}}
	}
	return f.call(castAll(args, t, s), result, s), nil
}

// resolveTry resolves as another function whose failures are NULL.
func resolveTry(f *Function, param string, args []Expr, s Settings) (Expr, error) {
	e, err := FindFunction(param).Resolve(args, s)
	if err != nil {
		return nil, err
	}
	return tried(e), nil
}

// tried is e with the mode Try at its top.
func tried(e Expr) Expr {
	switch e := e.(type) {
	case *Call:
		c := *e
		c.Mode, c.Null = Try, true
		return &c
	case *Agg:
		c := *e
		c.Mode, c.Null = Try, true
		return &c
	case *Cast:
		c := *e
		c.Mode = Try
		return &c
	}
	return e
}

// resolveAs resolves as another function with further constant arguments: "as regexp_extract 0".
func resolveAs(f *Function, param string, args []Expr, s Settings) (Expr, error) {
	parts := strings.Fields(param)
	all := append([]Expr(nil), args...)
	for _, p := range parts[1:] {
		if n, err := strconv.ParseInt(p, 10, 32); err == nil {
			all = append(all, &Lit{T: types.Int, Value: n})
		} else {
			all = append(all, &Lit{T: types.String, Value: strings.Trim(p, "'")})
		}
	}
	return FindFunction(parts[0]).Resolve(all, s)
}

// resolveCast is the function form of a cast: int(x), string(x), date(x).
func resolveCast(f *Function, param string, args []Expr, s Settings) (Expr, error) {
	if len(args) != 1 {
		return nil, wrongCount(f.Name, "1", len(args))
	}
	to := exactNames[param]
	if param == "decimal" {
		to = types.Decimal{P: 10}
	}
	if param == "timestamp" && s.NTZ {
		to = types.TimestampNTZ
	}
	return CastTo(args[0], to, s)
}

// resolveConcat joins texts, binaries or arrays.
func resolveConcat(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	t := types.Type(types.String)
	arrays, binaries := 0, 0
	for _, a := range args {
		if _, ok := a.Type().(types.Array); ok {
			arrays++
		} else if a.Type() == types.Binary {
			binaries++
		}
	}
	switch {
	case arrays > 0:
		var ok bool
		if t, ok = CommonType(argTypes(args), s); !ok {
			return nil, dataDiff(f.Name, argTypes(args), false)
		}
	case binaries > 0 && binaries == len(args):
		t = types.Binary
	}
	out := make([]Expr, len(args))
	for i, a := range args {
		e, ok := ImplicitCast(a, t, s)
		if !ok {
			return nil, unexpectedType(i, `("STRING" or "BINARY" or "ARRAY")`, a.Type())
		}
		out[i] = e
	}
	return FindFunction("concat").call(out, t, s), nil
}

// resolveElement is x[i] of an array or a map.
func resolveElement(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	switch t := args[0].Type().(type) {
	case types.Array:
		i := args[1]
		if !types.Integral(i.Type()) {
			e, ok := ImplicitCast(i, types.Int, s)
			if !ok || !types.Text(i.Type()) && i.Type() != types.Void {
				return nil, unexpectedType(1, `"INTEGRAL"`, i.Type())
			}
			i = e
		}
		c := f.call([]Expr{args[0], i}, t.Elem, s).(*Call)
		c.Null = true
		return c, nil
	case types.Map:
		k, ok := ImplicitCast(args[1], t.Key, s)
		if !ok {
			return nil, unexpectedType(1, sqlType(t.Key), args[1].Type())
		}
		c := f.call([]Expr{args[0], k}, t.Value, s).(*Call)
		c.Null = true
		return c, nil
	}
	return nil, &ArgError{"INVALID_EXTRACT_BASE_FIELD_TYPE", map[string]string{"base": "$1", "other": sqlType(args[0].Type())}}
}

// resolveStruct is struct(a, b): fields col1, col2. The analyzer renames those that have names.
func resolveStruct(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	var fields []types.Field
	for i, a := range args {
		fields = append(fields, types.Field{Name: "col" + strconv.Itoa(i+1), Type: a.Type(), Nullable: a.Nullable()})
	}
	return &Call{Name: "struct", Args: args, T: types.Struct{Fields: fields}}, nil
}

// NewStruct is a struct of values with the given names, as many.
func NewStruct(names []string, values []Expr) Expr {
	fields := make([]types.Field, len(values))
	for i, v := range values {
		fields[i] = types.Field{Name: names[i], Type: v.Type(), Nullable: v.Nullable()}
	}
	return &Call{Name: "struct", Args: values, T: types.Struct{Fields: fields}}
}

func resolveNamedStruct(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args)%2 == 1 || len(args) == 0 {
		return nil, wrongCount(f.Name, "2n (n > 0)", len(args))
	}
	var names []string
	var values []Expr
	for i := 0; i < len(args); i += 2 {
		l, ok := args[i].(*Lit)
		if !ok || !types.Text(l.T) {
			return nil, &ArgError{"DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING",
				map[string]string{"sqlExpr": "$0", "inputExprs": "[$" + strconv.Itoa(i+1) + "]"}}
		}
		name, _ := l.Value.(string)
		names, values = append(names, name), append(values, args[i+1])
	}
	return NewStruct(names, values), nil
}

// resolveMap is map(k, v, k, v, …).
func resolveMap(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args)%2 == 1 {
		return nil, wrongCount(f.Name, "2n (n > 0)", len(args))
	}
	var keys, values []Expr
	for i := 0; i < len(args); i += 2 {
		keys, values = append(keys, args[i]), append(values, args[i+1])
	}
	k, okKey := CommonType(argTypes(keys), s)
	v, okValue := CommonType(argTypes(values), s)
	if !okKey {
		return nil, createMapDiff("CREATE_MAP_KEY_DIFF_TYPES", argTypes(keys))
	}
	if !okValue {
		return nil, createMapDiff("CREATE_MAP_VALUE_DIFF_TYPES", argTypes(values))
	}
	if holdsMap(k) {
		return nil, &ArgError{"DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE", map[string]string{"sqlExpr": "$0", "keyType": sqlType(k)}}
	}
	hasNull := false
	var out []Expr
	for i := range keys {
		out = append(out, convert(keys[i], k, s), convert(values[i], v, s))
		hasNull = hasNull || values[i].Nullable()
	}
	c := f.call(out, types.Map{Key: k, Value: v, Nullable: hasNull}, s).(*Call)
	c.Null = false
	return c, nil
}

func createMapDiff(class string, ts []types.Type) error {
	spelled := make([]string, len(ts))
	for i, t := range ts {
		spelled[i] = sqlType(t)
	}
	return &ArgError{"DATATYPE_MISMATCH." + class, map[string]string{
		"sqlExpr": "$0", "functionName": "`map`", "dataType": "[" + strings.Join(spelled, ", ") + "]"}}
}

// resolveUniform is uniform(low, high[, seed]): constants, of which the wider type is the result's.
func resolveUniform(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) < 2 || len(args) > 3 {
		return nil, wrongCount(f.Name, "[2, 3]", len(args))
	}
	names := []string{"min", "max", "seed"}
	for i, a := range args {
		t := a.Type()
		want := `integer or floating-point`
		if i == 2 {
			want = `integer`
		}
		if t != types.Void && (!types.Numeric(t) || i == 2 && t != types.Int && t != types.Long) {
			return nil, unexpectedType(i, want, t)
		}
		if !constant(a) {
			return nil, &ArgError{"DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", map[string]string{
				"sqlExpr": "$0", "inputName": "`" + names[i] + "`", "inputType": want, "inputExpr": "$" + strconv.Itoa(i+1)}}
		}
	}
	t, _ := widerUnpromoted(args[0].Type(), args[1].Type(), s)
	out := append([]Expr{convert(args[0], types.Double, s), convert(args[1], types.Double, s)}, castAll(args[2:], types.Long, s)...)
	c := f.call(out, t, s).(*Call)
	return c, nil
}

// constant reports whether e reads no column and calls nothing random.
func constant(e Expr) bool {
	ok := true
	WalkExpr(e, func(x Expr) bool {
		switch x := x.(type) {
		case *Col, *Scalar, *Exists, *InQuery, *Agg, *Over:
			ok = false
		case *Call:
			f := FindFunction(x.Name)
			ok = ok && (f == nil || !f.Nondeterministic)
		}
		return ok
	})
	return ok
}

// resolveWithZero is another function of the argument and 0.
func resolveWithZero(f *Function, param string, args []Expr, s Settings) (Expr, error) {
	if len(args) != 1 {
		return nil, wrongCount(f.Name, "1", len(args))
	}
	return FindFunction(param).Resolve([]Expr{args[0], &Lit{T: types.Int, Value: int64(0)}}, s)
}
