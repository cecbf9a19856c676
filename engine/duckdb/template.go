package duckdb

import (
	"strings"

	"github.com/tarn-lake/tarn/rel"
)

// operators are the functions that trees are held together by.
var operators = map[string]string{
	"and": "($1 AND $2)", "or": "($1 OR $2)", "not": "(NOT $1)",
	"=": "($1 = $2)", "<=>": "($1 IS NOT DISTINCT FROM $2)", "<": "($1 < $2)", "<=": "($1 <= $2)", ">": "($1 > $2)", ">=": "($1 >= $2)",
	"isnull": "($1 IS NULL)", "isnotnull": "($1 IS NOT NULL)",
	"+": "($1 + $2)", "-": "($1 - $2)",
}

// call emits a function call by its template.
func (e *emitter) call(x *rel.Call) (string, error) {
	args, err := e.exprs(x.Args)
	if err != nil {
		return "", err
	}
	t, ok := operators[x.Name]
	if !ok {
		return "", unsupported("the function %s", x.Name)
	}
	return cast(fillTemplate(t, args), x.T)
}

// fillTemplate puts arguments in the places $1, $2, … of a template.
func fillTemplate(t string, args []string) string {
	for i := len(args); i > 0; i-- {
		t = strings.ReplaceAll(t, "$"+string(rune('0'+i)), args[i-1])
	}
	return t
}

// aggregateCall emits an aggregate function; filter and over stand behind the innermost aggregate.
func (e *emitter) aggregateCall(x *rel.Agg, filter, over string) (string, error) {
	args, err := e.exprs(x.Args)
	if err != nil {
		return "", err
	}
	distinct := ""
	if x.Distinct {
		distinct = "DISTINCT "
	}
	switch x.Name {
	case "count", "sum", "min", "max":
		if len(args) == 0 {
			args = []string{"*"}
		}
		return cast(x.Name+"("+distinct+strings.Join(args, ", ")+")"+filter+over, x.T)
	}
	return "", unsupported("the aggregate function %s", x.Name)
}

// windowCall emits a function that only windows have.
func (e *emitter) windowCall(x *rel.Call, ignoreNulls bool, over string) (string, error) {
	switch x.Name {
	case "row_number", "rank", "dense_rank":
		return cast(x.Name+"()"+over, x.T)
	}
	return "", unsupported("the window function %s", x.Name)
}
