package tarn

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

var setColumns = []Column{text("key"), text("value")}

// set runs SET: one setting, or the list of them.
func (r *run) set(st *syntax.Set) (*Rows, error) {
	switch {
	case st.Key == "" && st.Verbose:
		return r.documentedSettings()
	case st.Key == "":
		var rows [][]string
		for _, k := range slices.Sorted(maps.Keys(r.conf)) {
			rows = append(rows, []string{k, r.conf[k]})
		}
		return texts(setColumns, rows)
	case !st.HasValue:
		v := r.setting(st.Key)
		if _, known := r.conf[st.Key]; !known && v == "" {
			v = "<undefined>"
		}
		return texts(setColumns, [][]string{{st.Key, v}})
	}
	name := strings.Split(st.Key, ".")
	if _, known := r.Variable(name); known {
		return nil, fail("UNSUPPORTED_FEATURE.SET_VARIABLE_USING_SET", nil, "variableName", quoted(name))
	}
	if err := checkSetting(st.Key, st.Value, st); err != nil {
		return nil, err
	}
	r.conf[st.Key] = st.Value
	return texts(setColumns, [][]string{{st.Key, st.Value}})
}

func (r *run) documentedSettings() (*Rows, error) {
	var rows [][]string
	for _, k := range slices.Sorted(maps.Keys(defaults)) {
		rows = append(rows, []string{k, r.setting(k), "", ""})
	}
	return texts([]Column{text("key"), text("value"), text("meaning"), text("Since version")}, rows)
}

// checkSetting refuses values that could only fail later.
func checkSetting(key, value string, at syntax.Node) error {
	bad := func(name string) error {
		return fail("INVALID_CONF_VALUE."+name, nil, "confName", key, "confValue", value)
	}
	switch {
	case key == "spark.sql.session.timeZone" && !knownZone(value):
		return bad("TIME_ZONE")
	case defaults[key] == "true" || defaults[key] == "false":
		if v := strings.ToLower(strings.TrimSpace(value)); v != "true" && v != "false" {
			return fail("INVALID_CONF_VALUE.TYPE_MISMATCH", nil, "confName", key, "confValue", value, "confType", "boolean")
		}
	case strings.HasPrefix(key, "spark.sql.warehouse.dir"), strings.HasPrefix(key, "spark.sql.catalogImplementation"):
		return fail("CANNOT_MODIFY_CONFIG", nil, "key", `"`+key+`"`, "docroot", "https://spark.apache.org/docs/latest")
	}
	return nil
}

// knownZone reports whether name is a time zone of Spark's: a region, an offset, UTC or a short name.
func knownZone(name string) bool {
	if _, err := time.LoadLocation(name); err == nil && name != "" && !strings.EqualFold(name, "local") {
		return true
	}
	rest := name
	for _, p := range []string{"UTC", "GMT", "UT"} {
		rest = strings.TrimPrefix(rest, p)
	}
	if rest == "" || rest == "Z" {
		return true
	}
	for _, layout := range []string{"-7", "-07", "-7:04", "-07:04", "-0704", "-07:04:05"} {
		if _, err := time.Parse(layout, rest); err == nil {
			return true
		}
	}
	return shortZones[name]
}

// shortZones are the three-letter names that Java knows.
var shortZones = map[string]bool{"ACT": true, "AET": true, "AGT": true, "ART": true, "AST": true, "BET": true, "BST": true,
	"CAT": true, "CNT": true, "CST": true, "CTT": true, "EAT": true, "ECT": true, "IET": true, "IST": true, "JST": true,
	"MIT": true, "NET": true, "NST": true, "PLT": true, "PNT": true, "PRT": true, "PST": true, "SST": true, "VST": true}

func (r *run) reset(st *syntax.Reset) (*Rows, error) {
	if st.Key == "" {
		clear(r.conf)
		maps.Copy(r.conf, r.db.opts.Conf)
		return nothing(), nil
	}
	delete(r.conf, st.Key)
	if v, ok := r.db.opts.Conf[st.Key]; ok {
		r.conf[st.Key] = v
	}
	return nothing(), nil
}

func (r *run) setTimeZone(ctx context.Context, st *syntax.SetTimeZone) (*Rows, error) {
	const key = "spark.sql.session.timeZone"
	zone := localZone()
	switch z := st.Zone.(type) {
	case nil:
	case *syntax.StringLit:
		zone = z.Value
	default:
		x, err := plan.Expr(ctx, st.Zone, nil, r)
		if err != nil {
			return nil, err
		}
		v, err := r.Constant(ctx, x)
		if err != nil {
			return nil, err
		}
		micros, ok := v.(int64)
		if limit := int64(18 * 3600 * 1_000_000); !ok || micros > limit || micros < -limit || micros%1_000_000 != 0 {
			return nil, fail("INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE", st.Zone, "input", "")
		}
		zone = offsetZone(micros / 1_000_000)
	}
	if !knownZone(zone) {
		return nil, fail("INVALID_CONF_VALUE.TIME_ZONE", nil, "confName", key, "confValue", zone)
	}
	r.conf[key] = zone
	return texts(setColumns, [][]string{{key, zone}})
}

// offsetZone is an offset from UTC in seconds as the name of a zone.
func offsetZone(s int64) string {
	t := time.Unix(0, 0).In(time.FixedZone("", int(s)))
	if s%60 != 0 {
		return t.Format("-07:00:00")
	}
	return t.Format("-07:00")
}

// variable is a session variable.
type variable struct {
	name  string
	typ   types.Type
	value types.Value
	first rel.Expr // what DEFAULT stands for
}

// Variable finds a session variable.
func (r *run) Variable(name []string) (rel.Expr, bool) {
	key, ok := variableKey(name)
	v, found := r.variables[key]
	if !ok || !found {
		return nil, false
	}
	return &rel.Lit{T: v.typ, Value: v.value}, true
}

// variableKey is the key of a variable, which may be qualified by session or system.session.
func variableKey(name []string) (string, bool) {
	n := len(name)
	switch {
	case n == 0 || n > 3,
		n >= 2 && !strings.EqualFold(name[n-2], "session"),
		n == 3 && !strings.EqualFold(name[0], "system"):
		return "", false
	}
	return strings.ToLower(name[n-1]), true
}

func (r *run) declare(ctx context.Context, st *syntax.DeclareVariable) (*Rows, error) {
	v := variable{typ: types.Void}
	var x rel.Expr = &rel.Lit{T: types.Void}
	var err error
	if st.Default != nil {
		if x, err = plan.Expr(ctx, st.Default, nil, r); err != nil {
			return nil, err
		}
		if len(rel.Subqueries(x)) > 0 {
			return nil, fail("INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION", nil, "statement", "DECLARE VARIABLE",
				"colName", "`system`.`session`.`"+strings.ToLower(st.Names[0].Last())+"`",
				"defaultValue", syntax.Span{From: st.Default.Pos(), To: st.Default.End()}.Text(r.text))
		}
		v.typ = x.Type()
	}
	if st.Type != nil {
		if v.typ, err = plan.Type(st.Type, r); err != nil {
			return nil, err
		}
	}
	v.first = x
	if v.value, err = r.assign(ctx, x, v.typ); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, n := range st.Names {
		name, err := r.identOf(ctx, n)
		if err != nil {
			return nil, err
		}
		key, ok := variableKey(name)
		switch {
		case !ok:
			return nil, fail("UNRESOLVED_VARIABLE", n, "variableName", quoted(name), "searchPath", "`system`.`session`")
		case seen[key]:
			return nil, fail("DUPLICATE_VARIABLE_NAME_INSIDE_DECLARE", n, "variableName", "`system`.`session`.`"+key+"`")
		}
		if _, taken := r.variables[key]; taken && !st.Replace {
			return nil, fail("VARIABLE_ALREADY_EXISTS", n, "variableName", "`system`.`session`.`"+key+"`")
		}
		seen[key] = true
		v.name = name[len(name)-1]
		r.variables[key] = v
	}
	return nothing(), nil
}

// assign computes x as a value of type t.
func (r *run) assign(ctx context.Context, x rel.Expr, t types.Type) (types.Value, error) {
	y, err := rel.CastTo(x, t, plan.Settings(r))
	if err != nil {
		return nil, err
	}
	return r.Constant(ctx, y)
}

func (r *run) setVariable(ctx context.Context, st *syntax.SetVariable) (*Rows, error) {
	if st.Query != nil {
		return r.setFromQuery(ctx, st)
	}
	next := map[string]variable{}
	for _, a := range st.Set {
		key, v, err := r.findVariable(ctx, a.Target)
		if err != nil {
			return nil, err
		}
		if _, twice := next[key]; twice {
			return nil, fail("DUPLICATE_ASSIGNMENTS", nil, "nameList", "`"+key+"`")
		}
		x := v.first
		if !plan.IsDefault(a.Value) {
			if x, err = plan.Expr(ctx, a.Value, nil, r); err != nil {
				return nil, err
			}
		}
		if v.value, err = r.assign(ctx, x, v.typ); err != nil {
			return nil, err
		}
		next[key] = v
	}
	maps.Copy(r.variables, next)
	return nothing(), nil
}

func (r *run) findVariable(ctx context.Context, n *syntax.Name) (string, variable, error) {
	name, err := r.identOf(ctx, n)
	if err != nil {
		return "", variable{}, err
	}
	key, ok := variableKey(name)
	v, found := r.variables[key]
	if !ok || !found {
		return "", v, fail("UNRESOLVED_VARIABLE", n, "variableName", quoted(name), "searchPath", "`SYSTEM`.`SESSION`")
	}
	return key, v, nil
}

// setFromQuery assigns the one row of a query; NULLs when it has none.
func (r *run) setFromQuery(ctx context.Context, st *syntax.SetVariable) (*Rows, error) {
	n, err := plan.Query(ctx, st.Query, r)
	if err != nil {
		return nil, err
	}
	return nothing(), r.into(ctx, st.Names, n)
}

// into assigns the one row of n to variables.
func (r *run) into(ctx context.Context, names []*syntax.Name, n rel.Node) error {
	cols := n.Columns()
	if len(cols) != len(names) {
		return fail("ASSIGNMENT_ARITY_MISMATCH", nil, "numTarget", itoa(len(names)), "numExpr", itoa(len(cols)))
	}
	rows, err := r.collect(ctx, &rel.Limit{In: n, Count: 2})
	if err != nil {
		return err
	}
	if len(rows) > 1 {
		return fail("ROW_SUBQUERY_TOO_MANY_ROWS", nil)
	}
	next := map[string]variable{}
	for i, name := range names {
		key, v, err := r.findVariable(ctx, name)
		if err != nil {
			return err
		}
		if _, twice := next[key]; twice {
			return fail("DUPLICATE_ASSIGNMENTS", nil, "nameList", "`"+key+"`")
		}
		v.value = nil
		if len(rows) == 1 {
			if v.value, err = r.assign(ctx, &rel.Lit{T: cols[i].Type, Value: rows[0][i]}, v.typ); err != nil {
				return err
			}
		}
		next[key] = v
	}
	maps.Copy(r.variables, next)
	return nil
}

func (r *run) dropVariable(st *syntax.DropVariable) (*Rows, error) {
	key, ok := variableKey(st.Name.Strings())
	if _, found := r.variables[key]; !ok || !found {
		if st.IfExists && ok {
			return nothing(), nil
		}
		return nil, fail("VARIABLE_NOT_FOUND", nil, "variableName", "`system`.`session`.`"+strings.ToLower(st.Name.Last())+"`")
	}
	delete(r.variables, key)
	return nothing(), nil
}

// executeImmediate runs a statement that is the value of an expression.
func (r *run) executeImmediate(ctx context.Context, st *syntax.ExecuteImmediate) (*Rows, error) {
	x, err := plan.Expr(ctx, st.Text, nil, r)
	if err != nil {
		return nil, err
	}
	v, err := r.Constant(ctx, x)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, fail("NULL_QUERY_STRING_EXECUTE_IMMEDIATE", nil, "varName", "`"+syntax.Span{From: st.Text.Pos(), To: st.Text.End()}.Text(r.text)+"`")
	}
	sql, ok := v.(string)
	if !ok {
		return nil, fail("INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE", nil, "exprType", `"`+types.SQL(x.Type())+`"`)
	}
	inner, err := r.dialect().ParseStatement(sql)
	if err != nil {
		return nil, explain(err, sql)
	}
	args, err := r.immediateArgs(ctx, st.Using)
	if err != nil {
		return nil, err
	}
	in := newRun(r.Session, sql, inner, args)
	if st.Into == nil {
		rows, err := in.statement(ctx, inner)
		return rows, in.explained(err)
	}
	q, ok := inner.(*syntax.Query)
	if !ok {
		return nil, fail("INVALID_STATEMENT_FOR_EXECUTE_INTO", nil, "sqlString", strings.ToUpper(sql))
	}
	n, err := plan.Query(ctx, q, in)
	if err != nil {
		return nil, explain(err, sql)
	}
	return nothing(), r.into(ctx, st.Into, n)
}

func (r *run) immediateArgs(ctx context.Context, using []*syntax.NamedExpr) ([]any, error) {
	var args []any
	for _, u := range using {
		x, err := plan.Expr(ctx, u.X, nil, r)
		if err != nil {
			return nil, err
		}
		v, err := r.Constant(ctx, x)
		if err != nil {
			return nil, err
		}
		var lit any = rel.Expr(&rel.Lit{T: x.Type(), Value: v})
		switch ref, isRef := u.X.(*syntax.ColumnRef); {
		case len(u.Aliases) > 0:
			lit = Named(u.Aliases[0].Name, lit)
		case isRef:
			args = append(args, Named(ref.Parts[len(ref.Parts)-1].Name, lit))
		}
		args = append(args, lit)
	}
	return args, nil
}
