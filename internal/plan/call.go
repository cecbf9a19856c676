package plan

import (
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// call analyses a call of a function by name.
func (a *analyzer) call(e *syntax.Call, f *frame) (term, error) {
	parts, err := a.names(e.Func.Parts)
	if err != nil {
		return term{}, err
	}
	if e.NoParens {
		if t, ok, err := a.columnNamed(parts, e, f); ok || err != nil {
			return t, err
		}
	}
	name, ok := builtin(parts)
	if !ok {
		return term{}, a.unresolvedRoutine(parts, e)
	}
	args, err := a.argsOf(name, e, f)
	if err != nil {
		return term{}, err
	}
	if to, ok := castFunctions[name]; ok && len(args) == 1 {
		return a.castCall(args[0], to, e)
	}
	if t, ok, err := a.special(name, args, e); ok || err != nil {
		return t, err
	}
	fn := rel.FindFunction(name)
	if fn == nil || fn.Operator {
		return term{}, a.unresolvedRoutine(parts, e)
	}
	if name == "input_file_name" && len(f.cols) > 0 {
		return term{}, unsupported("input_file_name() of rows that are read", e)
	}
	return a.resolved(fn, name, args, e, f)
}

// argsOf analyses arguments. Those of an aggregate function in HAVING or ORDER BY speak first of the rows.
func (a *analyzer) argsOf(name string, e *syntax.Call, f *frame) ([]term, error) {
	if fn := rel.FindFunction(name); f.rows != nil && fn != nil && fn.Kind == rel.AggregateKind && e.Over == nil {
		if args, err := a.args(name, e.Args, e.Distinct, f.rows); err == nil || !isUnresolved(err) {
			return args, err
		}
	}
	return a.args(name, e.Args, e.Distinct, f)
}

// columnNamed looks for a column that is called as a function without parentheses is.
func (a *analyzer) columnNamed(parts []string, at syntax.Node, f *frame) (term, bool, error) {
	for level := f; level != nil; level = level.outer {
		if t, ok, err := a.atLevel(level, parts, at); ok || err != nil {
			return a.crossing(t, f, level), ok, err
		}
	}
	return term{}, false, nil
}

// builtin is the name of a function of the table: qualified by nothing or by system.builtin.
func builtin(parts []string) (string, bool) {
	name := strings.ToLower(parts[len(parts)-1])
	for i, p := range parts[:len(parts)-1] {
		if want := []string{"system", "builtin"}[max(0, i+3-len(parts)):]; len(want) == 0 || !strings.EqualFold(p, want[0]) {
			return "", false
		}
	}
	return name, len(parts) <= 3
}

func (a *analyzer) unresolvedRoutine(parts []string, at syntax.Node) error {
	path := []string{quoteName("system", "builtin"), quoteName("system", "session"), quoteName(a.scope.Current()...)}
	return fail("UNRESOLVED_ROUTINE", at, "routineName", quoteName(parts...), "searchPath", "["+strings.Join(path, ", ")+"]")
}

// castFunctions are the types whose names are functions that cast.
var castFunctions = map[string]types.Type{"boolean": types.Boolean, "tinyint": types.Byte, "smallint": types.Short,
	"int": types.Int, "bigint": types.Long, "float": types.Float, "double": types.Double, "string": types.String,
	"binary": types.Binary, "date": types.Date, "timestamp": types.Timestamp, "decimal": types.Decimal{P: 10}}

// castCall is int(x) and its like, which column names do not show.
func (a *analyzer) castCall(x term, to types.Type, at syntax.Node) (term, error) {
	if to == types.Timestamp && a.set.NTZ {
		to = types.TimestampNTZ
	}
	t, err := a.castTo(x, to, false, at)
	t.text, t.name = x.text, ""
	return t, err
}

// args analyses the arguments of a call. Lambdas are analysed last, when the types of the others are known.
func (a *analyzer) args(name string, es []syntax.Expr, distinct bool, f *frame) ([]term, error) {
	var out []term
	for _, e := range es {
		switch e := e.(type) {
		case *syntax.Star:
			if name == "count" && !distinct && len(es) == 1 && len(e.Qualifier) == 0 && len(e.Except) == 0 {
				return []term{{x: intLit(1), text: "1"}}, nil
			}
			cols, err := a.star(e, f)
			if err != nil {
				return nil, err
			}
			out = append(out, cols...)
			continue
		case *syntax.Lambda:
			out = append(out, term{})
			continue
		case *syntax.NamedArg:
			t, err := a.expr(e.Value, f)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
			continue
		}
		t, err := a.expr(e, f)
		if err != nil {
			return nil, err
		}
		if n, ok := e.(*syntax.NamedExpr); ok && len(n.Aliases) == 1 {
			t.name = n.Aliases[0].Name
			t.alias = true
		}
		out = append(out, t)
	}
	if len(out) != len(es) { // a star stood among them
		return out, nil
	}
	return out, a.lambdas(name, es, out, f)
}

// function analyses a construct with a syntax of its own that is computed, and named, as a call of name.
func (a *analyzer) function(name string, at syntax.Node, f *frame, es ...syntax.Expr) (term, error) {
	args, err := a.exprs(es, f)
	if err != nil {
		return term{}, err
	}
	return a.apply(name, callText(name, args), at, args...)
}

// resolved is the call of a function of the table.
func (a *analyzer) resolved(fn *rel.Function, name string, args []term, e *syntax.Call, f *frame) (term, error) {
	text := callText(name, args)
	switch fn.Kind {
	case rel.AggregateKind:
		return a.aggregateCall(fn, name, args, e, f)
	case rel.WindowKind:
		return a.windowCall(fn, name, args, e, f)
	}
	if err := a.onlyAggregate(name, e); err != nil {
		return term{}, err
	}
	if err := noGenerator(args, text, e); err != nil {
		return term{}, err
	}
	x, err := fn.Resolve(exprsOf(args), a.set)
	if err != nil {
		return term{}, argError(a.countError(err, name), e, text, args)
	}
	if fn.Kind == rel.GeneratorKind {
		return term{x: x, text: text, outer: strings.HasSuffix(name, "_outer")}, nil
	}
	return term{x: x, text: text}, nil
}

// countError names a function in the error about its argument count as it was called.
func (a *analyzer) countError(err error, name string) error {
	e, ok := err.(*rel.ArgError)
	if !ok || !strings.HasPrefix(e.Class, "WRONG_NUM_ARGS") {
		return err
	}
	params := map[string]string{}
	for k, v := range e.Params {
		params[k] = v
	}
	params["functionName"] = types.Quote(strings.ToLower(name))
	return &rel.ArgError{Class: e.Class, Params: params}
}

// onlyAggregate refuses DISTINCT, FILTER and the like on a function that is no aggregate.
func (a *analyzer) onlyAggregate(name string, e *syntax.Call) error {
	syntaxOf := ""
	switch {
	case e.Distinct:
		syntaxOf = "DISTINCT"
	case e.Filter != nil:
		syntaxOf = "FILTER CLAUSE"
	case e.Nulls == "IGNORE":
		syntaxOf = "IGNORE NULLS"
	case e.Within != nil:
		syntaxOf = "WITHIN GROUP (ORDER BY ...)"
	case e.Over != nil:
		return fail("UNSUPPORTED_EXPR_FOR_WINDOW", e, "sqlExpr", quoteSQL(name+"()"))
	default:
		return nil
	}
	return fail("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX", e, "prettyName", types.Quote(name), "syntax", types.Quote(syntaxOf))
}

// special resolves the functions whose meaning hangs on names, on the session or on the text of arguments.
func (a *analyzer) special(name string, args []term, e *syntax.Call) (term, bool, error) {
	switch name {
	case "struct":
		t, err := a.structOf(args, e)
		t.text = callText(name, args)
		return t, true, err
	case "grouping", "grouping_id":
		x := &rel.Call{Name: name, Args: exprsOf(args), T: types.Long}
		if name == "grouping" {
			x.T = types.Byte
		}
		return term{x: x, text: callText(name, args)}, true, nil
	case "typeof":
		if len(args) == 1 {
			return term{x: stringLit(args[0].x.Type().String()), text: callText(name, args)}, true, nil
		}
	case "current_catalog", "current_database", "current_schema", "current_user", "user", "session_user", "current_timezone":
		if len(args) == 0 {
			return term{x: stringLit(a.sessionFact(name)), text: callText(name, nil)}, true, nil
		}
	}
	return term{}, false, nil
}

func (a *analyzer) sessionFact(name string) string {
	current := a.scope.Current()
	switch name {
	case "current_catalog":
		return current[0]
	case "current_database", "current_schema":
		return strings.Join(current[1:], ".")
	case "current_timezone":
		return a.set.Zone
	}
	return a.scope.Setting("spark.tarn.user")
}

// row is (a, b): a struct that is shown by the names of its fields.
func (a *analyzer) row(e *syntax.Row, f *frame) (term, error) {
	args, err := a.args("struct", e.Elems, false, f)
	if err != nil {
		return term{}, err
	}
	return a.structOf(args, e)
}

// structOf makes a struct whose fields are named by the columns and aliases among args.
func (a *analyzer) structOf(args []term, at syntax.Node) (term, error) {
	var pairs, shown []term
	for i, t := range args {
		name := fieldName(t, i)
		key := term{x: stringLit(name), text: name}
		pairs = append(pairs, key, t)
		shown = append(shown, key, term{text: t.text})
	}
	return a.apply("named_struct", "named_struct("+texts(shown)+")", at, pairs...)
}

func fieldName(t term, i int) string {
	_, column := t.x.(*rel.Col)
	_, field := t.x.(*rel.Field)
	switch {
	case t.alias || field && t.name != "":
		return t.name
	case column:
		return t.label()
	}
	return "col" + itoa(i+1)
}

// unitCall is TIMESTAMPADD and TIMESTAMPDIFF by all their names.
func (a *analyzer) unitCall(e *syntax.UnitCall, f *frame) (term, error) {
	args, err := a.exprs(e.Args, f)
	if err != nil {
		return term{}, err
	}
	name := "timestampadd"
	if strings.Contains(strings.ToLower(e.Func), "diff") {
		name = "timestampdiff"
	}
	unit := term{x: stringLit(e.Unit), text: e.Unit}
	return a.apply(name, name+"("+e.Unit+", "+texts(args)+")", e, append([]term{unit}, args...)...)
}

// extract is date_part by another spelling; it is shown as it was written.
func (a *analyzer) extract(e *syntax.Extract, f *frame) (term, error) {
	x, err := a.expr(e.X, f)
	if err != nil {
		return term{}, err
	}
	part := term{x: stringLit(e.Part), text: e.Part}
	return a.apply("extract", "extract("+e.Part+" FROM "+x.text+")", e, part, x)
}

func (a *analyzer) substring(e *syntax.Substring, f *frame) (term, error) {
	es := []syntax.Expr{e.X, e.Start}
	if e.Length != nil {
		es = append(es, e.Length)
	}
	return a.function("substring", e, f, es...)
}

func (a *analyzer) trim(e *syntax.Trim, f *frame) (term, error) {
	name := map[string]string{"": "trim", "BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}[e.Side]
	x, err := a.expr(e.X, f)
	if err != nil || e.Chars == nil {
		return a.applied(err, name, e, x)
	}
	chars, err := a.expr(e.Chars, f)
	return a.applied(err, name, e, chars, x)
}

// applied is the call of name unless an argument failed.
func (a *analyzer) applied(err error, name string, at syntax.Node, args ...term) (term, error) {
	if err != nil {
		return term{}, err
	}
	return a.apply(name, callText(name, args), at, args...)
}

// lambdas analyses the lambda functions among the arguments of a call. An argument that is no lambda where the
// function wants one is a constant function.
func (a *analyzer) lambdas(name string, es []syntax.Expr, args []term, f *frame) error {
	fn := rel.FindFunction(name)
	for i, e := range es {
		l, ok := e.(*syntax.Lambda)
		if !ok {
			a.constantLambda(fn, name, args, i)
			continue
		}
		if fn == nil {
			return a.unresolvedRoutine([]string{name}, es[0])
		}
		fields, ok := fn.LambdaParams(exprsOf(args), i, len(l.Params), a.set)
		if !ok {
			return fail("INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", l, "class", name)
		}
		t, err := a.lambda(l, fields, f)
		if err != nil {
			return err
		}
		if fold := i == 2 && (name == "aggregate" || name == "reduce"); fold { // a row takes the place of the row before
			body := t.x.(*rel.Lambda)
			t.x = &rel.Lambda{Params: body.Params, Body: a.sameFields(args[1], term{x: body.Body}).x}
		}
		args[i] = t
	}
	return nil
}

// constantLambda makes argument i a function that ignores its parameters, where fn wants a function.
func (a *analyzer) constantLambda(fn *rel.Function, name string, args []term, i int) {
	if fn == nil || args[i].x == nil {
		return
	}
	most := 3
	switch name {
	case "transform", "filter", "exists", "any_match", "forall", "all_match":
		most = 1 // the index is optional
	}
	known := exprsOf(args)
	known[i] = nil
	for n := most; n > 0; n-- {
		fields, ok := fn.LambdaParams(known, i, n, a.set)
		if !ok {
			continue
		}
		l := &rel.Lambda{Body: args[i].x}
		text := "lambdafunction(" + args[i].text
		for _, f := range fields {
			l.Params = append(l.Params, rel.Column{ID: rel.NewID(), Name: "x", Type: f.Type, Nullable: f.Nullable})
			text += ", namedlambdavariable()"
		}
		args[i] = term{x: l, text: text + ")"}
		return
	}
}

func (a *analyzer) lambda(l *syntax.Lambda, fields []types.Field, f *frame) (term, error) {
	inner := &frame{outer: f}
	params := make([]rel.Column, len(fields))
	for i, p := range l.Params {
		if slices.ContainsFunc(params[:i], func(c rel.Column) bool { return a.sameName(c.Name, p.Name) }) {
			return term{}, fail("INVALID_LAMBDA_FUNCTION_CALL.DUPLICATE_ARG_NAMES", l, "args", p.Name)
		}
		params[i] = rel.Column{ID: rel.NewID(), Name: p.Name, Type: fields[i].Type, Nullable: fields[i].Nullable}
		inner.params = append(inner.params, column{params[i], nil})
	}
	body, err := a.expr(l.Body, inner)
	if err != nil {
		return term{}, err
	}
	text := "lambdafunction(" + body.text
	for range params {
		text += ", namedlambdavariable()"
	}
	return term{x: &rel.Lambda{Params: params, Body: body.x}, text: text + ")"}, nil
}
