package duckdb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// expansion is one call on its way from a template of the function table to SQL.
type expansion struct {
	e      *emitter
	name   string
	args   []rel.Expr
	sql    []string // of args; empty for lambdas until they are asked for
	result types.Type
	zone   string
	mode   rel.Mode

	// of aggregates and window functions
	distinct bool
	order    []rel.Order
	filter   string // " FILTER (WHERE …)"
	over     string // " OVER (…)"
	ignore   bool   // IGNORE NULLS
}

// call emits a function call by its template.
func (e *emitter) call(c *rel.Call) (string, error) {
	if c.Error != "" {
		return cast("error("+literal(raised+c.Error)+")", c.T)
	}
	return e.expand(&expansion{e: e, name: c.Name, args: c.Args, result: c.T, zone: c.Zone, mode: c.Mode})
}

// aggregateCall emits an aggregate function; filter and over stand behind the innermost aggregate.
func (e *emitter) aggregateCall(a *rel.Agg, filter, over string, ignore bool) (string, error) {
	return e.expand(&expansion{e: e, name: a.Name, args: a.Args, result: a.T, zone: a.Zone, mode: a.Mode,
		distinct: a.Distinct, order: a.OrderBy, filter: filter, over: over, ignore: ignore || a.IgnoreNulls})
}

// windowCall emits a function that only windows have.
func (e *emitter) windowCall(c *rel.Call, ignore bool, over string) (string, error) {
	return e.expand(&expansion{e: e, name: c.Name, args: c.Args, result: c.T, zone: c.Zone, mode: c.Mode, over: over, ignore: ignore})
}

// expand emits x as an expression of exactly the type of its result.
func (e *emitter) expand(x *expansion) (string, error) {
	f := rel.FindFunction(x.name)
	if f == nil {
		return "", unsupported("the function %s", x.name)
	}
	if f.Unsupported != "" {
		return "", unsupported("the function %s (%s)", x.name, f.Unsupported)
	}
	x.sql = make([]string, len(x.args))
	for i, a := range x.args {
		if _, ok := a.(*rel.Lambda); ok {
			continue
		}
		s, err := e.expr(a)
		if err != nil {
			return "", err
		}
		x.sql[i] = s
	}
	t := f.Template(x.args, x.mode)
	if t == "" {
		return "", unsupported("the function %s with these arguments", x.name)
	}
	s, err := x.template(t)
	if err != nil {
		return "", err
	}
	return cast(s, x.result)
}

// template expands t, which rel/functions/README.md describes.
func (x *expansion) template(t string) (string, error) {
	if name, ok := strings.CutPrefix(t, "@"); ok {
		name, param, _ := strings.Cut(name, " ")
		emit := emitterNamed(name)
		if emit == nil {
			return "", fmt.Errorf("duckdb: no emitter is named %q", name)
		}
		return emit(x, param)
	}
	var b strings.Builder
	for len(t) > 0 {
		i := strings.IndexAny(t, "${")
		if i < 0 {
			b.WriteString(t)
			break
		}
		b.WriteString(t[:i])
		s, rest, err := x.token(t[i:])
		if err != nil {
			return "", err
		}
		b.WriteString(s)
		t = rest
	}
	return b.String(), nil
}

// token expands what stands at the start of t, "$…" or "{…}".
func (x *expansion) token(t string) (sql, rest string, err error) {
	if t[0] == '{' {
		return x.braces(t)
	}
	n := 1
	for n < len(t) && t[n] >= '0' && t[n] <= '9' {
		n++
	}
	if n > 1 {
		i, _ := strconv.Atoi(t[1:n])
		if strings.HasPrefix(t[n:], "*") {
			return strings.Join(x.sql[min(i-1, len(x.sql)):], ", "), t[n+1:], nil
		}
		s, err := x.arg(i)
		return s, t[n:], err
	}
	if len(t) < 2 {
		return t, "", nil
	}
	rest = t[2:]
	switch t[1] {
	case '$':
		return "$", rest, nil
	case '*':
		return strings.Join(x.sql, ", "), rest, nil
	case 'T':
		if len(rest) > 0 && rest[0] >= '1' && rest[0] <= '9' {
			s, err := typeName(x.args[rest[0]-'1'].Type())
			return s, rest[1:], err
		}
		s, err := typeName(x.result)
		return s, rest, err
	case 'Z':
		return literal(x.zone), rest, nil
	case 'D':
		return map[bool]string{true: "DISTINCT "}[x.distinct], rest, nil
	case 'O':
		s, err := x.orderBy()
		return s, rest, err
	case 'I':
		return map[bool]string{true: " IGNORE NULLS"}[x.ignore && x.over != ""], rest, nil
	case 'F':
		return x.behind(""), rest, nil
	case 'N':
		return x.behind("(" + x.sql[0] + ") IS NOT NULL"), rest, nil
	}
	return t[:1], t[1:], nil
}

// arg is the SQL of argument i, from 1.
func (x *expansion) arg(i int) (string, error) {
	if i > len(x.args) {
		return "", fmt.Errorf("duckdb: function %s has no argument %d", x.name, i)
	}
	if l, ok := x.args[i-1].(*rel.Lambda); ok {
		return x.e.expr(l)
	}
	return x.sql[i-1], nil
}

func (x *expansion) orderBy() (string, error) {
	if len(x.order) == 0 {
		return "", nil
	}
	s, err := x.e.orders(x.order)
	return " ORDER BY " + s, err
}

// behind is what follows the parentheses of an aggregate: its filter, with one more condition, and window.
func (x *expansion) behind(more string) string {
	if more == "" {
		return x.filter + x.over
	}
	if x.filter == "" {
		return " FILTER (WHERE " + more + ")" + x.over
	}
	return strings.TrimSuffix(x.filter, ")") + " AND " + more + ")" + x.over
}

// braces expands {udf NAME}, {raise CLASS k=SQL; …} and {bits n}. Other braces stay as they are.
func (x *expansion) braces(t string) (sql, rest string, err error) {
	end := closing(t)
	if end < 0 {
		return t[:1], t[1:], nil
	}
	body, rest := t[1:end], t[end+1:]
	word, param, _ := strings.Cut(body, " ")
	switch word {
	case "udf":
		name, param, _ := strings.Cut(param, " ")
		s, err := x.udf(name, param)
		return s, rest, err
	case "raise":
		s, err := x.raise(param)
		return s, rest, err
	case "bits":
		i, _ := strconv.Atoi(param)
		return strconv.Itoa(8 * intWidth(x.args[i-1].Type())), rest, nil
	}
	return t[:1], t[1:], nil
}

// closing is the position of the brace that closes the one at the start of t.
func closing(t string) int {
	depth := 0
	for i := range len(t) {
		switch t[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// udf is the name of the function in Go for the types of this call.
func (x *expansion) udf(name, param string) (string, error) {
	u := use{result: x.result, zone: x.zone, mode: x.mode, param: param}
	for _, a := range x.args {
		u.args = append(u.args, a.Type())
	}
	return x.e.udf(name, u)
}

// raise is an expression that raises an error; the values of its parameters are computed by SQL.
func (x *expansion) raise(t string) (string, error) {
	class, params, _ := strings.Cut(t, " ")
	head := raised + `{"class":"` + class + `","params":{`
	if params == "" {
		return "error(" + literal(head+"}}") + ")", nil
	}
	sql := literal(head)
	for i, p := range strings.Split(params, ";") {
		k, v, _ := strings.Cut(strings.TrimSpace(p), "=")
		v, err := x.template(v)
		if err != nil {
			return "", err
		}
		sep := ""
		if i > 0 {
			sep = ","
		}
		sql += " || " + literal(sep+`"`+k+`":`) + " || to_json(CAST(" + v + " AS VARCHAR))"
	}
	return "error(CAST(" + sql + " || '}}' AS VARCHAR))", nil
}
