package rel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// Resolve is the call of f with args: a *[Call] or *[Agg], or what the function stands for (IF is a *[Case]),
// with its arguments cast as Spark casts them unasked and its result type set. Arguments that do not fit give
// an *[ArgError]. Lambdas among args have bodies typed over the parameters that [Function.LambdaParams] gives.
func (f *Function) Resolve(args []Expr, s Settings) (Expr, error) {
	if f.rule != "" {
		name, param, _ := strings.Cut(f.rule, " ")
		r := findRule(name)
		if r == nil {
			return nil, fmt.Errorf("rel: function %s: no rule %q", f.Name, name)
		}
		return r(f, param, args, s)
	}
	return f.bySignature(args, s)
}

// bySignature takes the first signature that args fit as they are, else the first that they can be cast to.
func (f *Function) bySignature(args []Expr, s Settings) (Expr, error) {
	var last error
	for _, sig := range f.sigs {
		if !sig.takes(len(args)) || !sig.fits(args) {
			continue
		}
		if e, err := f.apply(sig, args, s); err == nil {
			return e, nil
		}
	}
	for _, sig := range f.sigs {
		if !sig.takes(len(args)) {
			continue
		}
		e, err := f.apply(sig, args, s)
		if err == nil {
			return e, nil
		}
		if last == nil {
			last = err
		}
	}
	if last == nil {
		return nil, f.wrongCount(len(args))
	}
	return nil, last
}

// apply resolves a call by one signature.
func (f *Function) apply(sig signature, args []Expr, s Settings) (Expr, error) {
	args = sig.wrapLambdas(args)
	b, err := f.bind(sig, args, s)
	if err != nil {
		return nil, err
	}
	cast := slices.Clone(args)
	for i, a := range args {
		p := sig.param(i)
		if _, ok := a.(*Lambda); ok {
			if err := f.checkLambda(p, i, a, b); err != nil {
				return nil, err
			}
			continue
		}
		to, ok := p.target(a.Type(), b, s)
		if !ok {
			return nil, f.unexpected(i, a.Type())
		}
		cast[i] = convert(a, to, s)
	}
	t, err := sig.resultType(f, cast, b, s)
	if err != nil {
		return nil, err
	}
	return f.call(cast, t, s), nil
}

// call is the resolved call of type t.
func (f *Function) call(args []Expr, t types.Type, s Settings) Expr {
	null := f.nullable(args)
	if f.Kind == AggregateKind {
		return &Agg{Name: f.Name, Args: args, T: t, Null: null, Mode: s.Mode, Zone: s.Zone}
	}
	return &Call{Name: f.Name, Args: args, T: t, Null: null, Mode: s.Mode, Zone: s.Zone}
}

func (f *Function) nullable(args []Expr) bool {
	switch f.null {
	case "always":
		return true
	case "never":
		return false
	case "all":
		return !slices.ContainsFunc(args, func(a Expr) bool { return !a.Nullable() })
	}
	if f.Kind == AggregateKind {
		return true
	}
	return slices.ContainsFunc(args, func(a Expr) bool {
		_, lambda := a.(*Lambda)
		return !lambda && a.Nullable()
	})
}

// bind finds the types of sig's variables.
func (f *Function) bind(sig signature, args []Expr, s Settings) (bindings, error) {
	seen := map[string][]types.Type{}
	var order []string
	nested := false
	for i, a := range args {
		p := sig.param(i)
		if p.kind == lambdaType {
			continue
		}
		nested = nested || p.kind == arrayType || p.kind == mapType
		p.collect(a.Type(), seen)
	}
	for v := range seen {
		order = append(order, v)
	}
	slices.Sort(order)
	common := CommonType
	if nested {
		common = commonUnpromoted
	}
	b := bindings{}
	for _, v := range order {
		t, ok := common(seen[v], s)
		if !ok {
			return nil, f.different(sig, args)
		}
		b[v] = t
	}
	f.bindResults(sig, args, b)
	return b, nil
}

// bindResults takes variables from the results of lambdas, and void for those that nothing tells.
func (f *Function) bindResults(sig signature, args []Expr, b bindings) {
	for i, a := range args {
		p := sig.param(i)
		if p.kind != lambdaType {
			continue
		}
		r := p.kids[len(p.kids)-1]
		if l, ok := a.(*Lambda); ok && r.kind == varType && b[r.name] == nil {
			b[r.name] = l.Body.Type()
		}
	}
	for i := range args {
		for _, v := range sig.param(i).variables() {
			if b[v] == nil {
				b[v] = types.Void
			}
		}
	}
}

func (p pattern) variables() []string {
	if p.kind == varType {
		return []string{p.name}
	}
	var out []string
	for _, k := range p.kids {
		out = append(out, k.variables()...)
	}
	return out
}

// wrapLambdas makes a lambda of each value that stands where sig wants one: it ignores its parameters.
func (sig signature) wrapLambdas(args []Expr) []Expr {
	out := args
	for i, a := range args {
		p := sig.param(i)
		if _, ok := a.(*Lambda); ok || p.kind != lambdaType {
			continue
		}
		if &out[0] == &args[0] {
			out = slices.Clone(args)
		}
		l := &Lambda{Body: a}
		for range p.kids[1:] {
			l.Params = append(l.Params, NewColumn("_", types.Void))
		}
		out[i] = l
	}
	return out
}

// sameShape is types.Equal but for the names of struct fields.
func sameShape(a, b types.Type) bool {
	switch a := a.(type) {
	case types.Array:
		b, ok := b.(types.Array)
		return ok && sameShape(a.Elem, b.Elem)
	case types.Map:
		b, ok := b.(types.Map)
		return ok && sameShape(a.Key, b.Key) && sameShape(a.Value, b.Value)
	case types.Struct:
		b, ok := b.(types.Struct)
		return ok && slices.EqualFunc(a.Fields, b.Fields, func(f, g types.Field) bool { return sameShape(f.Type, g.Type) })
	}
	return types.Equal(a, b)
}

// checkLambda reports a lambda whose result is not what the function asks for.
func (f *Function) checkLambda(p pattern, i int, a Expr, b bindings) error {
	if p.kind != lambdaType {
		return f.unexpected(i, a.Type())
	}
	want, ok := p.kids[len(p.kids)-1].build(b)
	if !ok || sameShape(want, a.Type()) || a.Type() == types.Void {
		return nil
	}
	return &ArgError{"DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", map[string]string{
		"sqlExpr": "$0", "paramIndex": ordinal(i), "requiredType": sqlType(want),
		"inputSql": "$" + strconv.Itoa(i+1), "inputType": sqlType(a.Type())}}
}

// LambdaParams are the parameters of the lambda at position arg of a call of f, at most n of them, named by
// the caller. Lambdas before it stand resolved in args, it and those after it may be nil. False when f takes no
// lambda there or not one of n parameters.
func (f *Function) LambdaParams(args []Expr, arg, n int, s Settings) ([]types.Field, bool) {
	for _, sig := range f.sigs {
		if !sig.takes(len(args)) || sig.param(arg).kind != lambdaType {
			continue
		}
		known := slices.Clone(args)
		for i, a := range known {
			if a == nil {
				known[i] = &Lambda{Body: &Lit{T: types.Void}}
			}
		}
		b, err := f.bind(sig, known, s)
		if err != nil {
			continue
		}
		p := sig.param(arg)
		if n > len(p.kids)-1 {
			return nil, false
		}
		fields := make([]types.Field, n)
		for i := range fields {
			t, ok := p.kids[i].build(b)
			if !ok {
				t = types.Void
			}
			fields[i] = types.Field{Type: t, Nullable: true}
		}
		return fields, true
	}
	return nil, false
}

// resultType is the type of a call by sig.
func (sig signature) resultType(f *Function, args []Expr, b bindings, s Settings) (types.Type, error) {
	if rule, ok := strings.CutPrefix(sig.result, "="); ok {
		name, param, _ := strings.Cut(rule, " ")
		return resultRules[name](f, param, args, s)
	}
	t, ok := sig.pattern.build(b)
	if !ok {
		return nil, fmt.Errorf("rel: function %s: result %s is not bound", f.Name, sig.result)
	}
	return t, nil
}

// wrongCount is the error for n arguments.
func (f *Function) wrongCount(n int) error {
	lo, hi, open := 1<<30, 0, false
	for _, sig := range f.sigs {
		lo, hi, open = min(lo, sig.required), max(hi, len(sig.params)), open || sig.variadic
	}
	want := fmt.Sprintf("[%d, %d]", lo, hi)
	switch {
	case open:
		want = fmt.Sprintf("> %d", max(lo-1, 0))
	case lo == hi || f.Name == "ceil" || f.Name == "floor":
		want = strconv.Itoa(hi)
	}
	return wrongCount(f.Name, want, n)
}

func wrongCount(name, want string, n int) error {
	return &ArgError{"WRONG_NUM_ARGS.WITHOUT_SUGGESTION", map[string]string{
		"functionName": "`" + name + "`", "expectedNum": want, "actualNum": strconv.Itoa(n),
		"docroot": "https://spark.apache.org/docs/latest"}}
}

func ordinal(i int) string {
	names := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if i < len(names) {
		return names[i]
	}
	return strconv.Itoa(i+1) + "th"
}

// unexpected is the error for argument i of type t, which no signature takes.
func (f *Function) unexpected(i int, t types.Type) error {
	var spelled []string
	for _, sig := range f.sigs {
		if i >= len(sig.params) && !sig.variadic {
			continue
		}
		p := sig.param(i)
		alts := []pattern{p}
		if p.kind == unionType {
			alts = p.kids
		}
		for _, a := range alts {
			if s := a.spell(); !slices.Contains(spelled, s) {
				spelled = append(spelled, s)
			}
		}
	}
	want := strings.Join(spelled, " or ")
	if len(spelled) > 1 {
		want = "(" + want + ")"
	}
	return unexpectedType(i, want, t)
}

func unexpectedType(i int, want string, t types.Type) error {
	return &ArgError{"DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", map[string]string{
		"sqlExpr": "$0", "paramIndex": ordinal(i), "requiredType": want,
		"inputSql": "$" + strconv.Itoa(i+1), "inputType": sqlType(t)}}
}

// different is the error for arguments that have no common type where sig wants one.
func (f *Function) different(sig signature, args []Expr) error {
	name := "`" + f.Name + "`"
	kinds := map[patternKind]int{}
	for i := range args {
		kinds[sig.param(i).kind]++
	}
	if len(args) >= 2 && kinds[arrayType]+kinds[mapType] > 0 {
		params := map[string]string{"sqlExpr": "$0", "functionName": name,
			"leftType": sqlType(args[0].Type()), "rightType": sqlType(args[len(args)-1].Type())}
		for i := 1; i < len(args); i++ {
			if k := sig.param(i).kind; k == varType || k == arrayType || k == mapType {
				params["rightType"] = sqlType(args[i].Type())
			}
		}
		switch {
		case kinds[mapType] > 0:
			params["dataType"] = `"MAP"`
			return &ArgError{"DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES", params}
		case kinds[arrayType] > 1:
			params["arrayType"] = `"ARRAY"`
			return &ArgError{"DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES", params}
		}
		if _, ok := args[0].Type().(types.Array); !ok && args[0].Type() != types.Void {
			return f.unexpected(0, args[0].Type())
		}
		params["dataType"] = `"ARRAY"`
		return &ArgError{"DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES", params}
	}
	return dataDiff(f.Name, argTypes(args), false)
}

// dataDiff is the error for values that have no common type.
func dataDiff(name string, ts []types.Type, list bool) error {
	spelled := make([]string, len(ts))
	for i, t := range ts {
		spelled[i] = sqlType(t)
	}
	text := "(" + strings.Join(spelled, " or ") + ")"
	if list {
		text = "[" + strings.Join(spelled, ", ") + "]"
	}
	return &ArgError{"DATATYPE_MISMATCH.DATA_DIFF_TYPES",
		map[string]string{"sqlExpr": "$0", "functionName": "`" + name + "`", "dataType": text}}
}

func argTypes(args []Expr) []types.Type {
	out := make([]types.Type, len(args))
	for i, a := range args {
		out[i] = a.Type()
	}
	return out
}
