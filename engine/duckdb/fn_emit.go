package duckdb

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// emitterNamed is the Go function behind a template "@name": for functions whose SQL depends on types in
// ways that a template cannot say.
func emitterNamed(name string) func(x *expansion, param string) (string, error) {
	switch name {
	case "plus":
		return emitPlus
	case "minus":
		return emitMinus
	case "times":
		return emitTimes
	case "divide":
		return emitDivide
	case "remainder", "pmod":
		return emitRemainder
	case "quotient":
		return emitQuotient
	case "negative":
		return emitNegative
	case "abs":
		return emitAbs
	case "like":
		return emitLike
	case "element":
		return emitElement
	case "concat":
		return emitConcat
	case "concat_ws":
		return emitConcatWs
	case "struct":
		return emitStruct
	case "map":
		return emitMap
	case "count":
		return emitCount
	case "sum":
		return emitSum
	case "avg":
		return emitAvg
	case "first":
		return emitFirst
	case "last":
		return emitLast
	case "variance":
		return emitVariance
	case "moment":
		return emitMoment
	case "listagg":
		return emitListagg
	case "percentile":
		return emitPercentile
	case "percentile_disc":
		return emitPercentileDisc
	case "percentile_approx":
		return emitPercentileApprox
	case "mode":
		return emitMode
	case "neighbour":
		return emitNeighbour
	case "local":
		return emitLocal
	case "instant":
		return emitInstant
	case "field":
		return emitDateField
	case "indexed":
		return emitIndexed
	case "aggregate":
		return emitAggregate
	case "map_lambda":
		return emitMapLambda
	case "arrays_zip":
		return emitArraysZip
	case "cast_same":
		return emitCastSame
	case "quantifier":
		return emitQuantifier
	case "part":
		return emitPart
	case "unsupported":
		return func(_ *expansion, what string) (string, error) { return "", unsupported("%s", what) }
	case "uniform":
		return emitUniform
	case "typeof":
		return emitTypeof
	case "round":
		return emitRound
	}
	return nil
}

// local is the wall clock of a timestamp with zone, as a DuckDB TIMESTAMP.
func (x *expansion) local(s string, t types.Type) (string, error) {
	return x.e.wallClock(s, t, x.zone)
}

func (e *emitter) wallClock(s string, t types.Type, zone string) (string, error) {
	if t != types.Timestamp {
		return s, nil
	}
	f, err := e.udf("local", use{args: []types.Type{t}, result: types.TimestampNTZ, zone: zone})
	return f + "(" + s + ")", err
}

// instant is the inverse of local.
func (e *emitter) instant(s, zone string) (string, error) {
	f, err := e.udf("instant", use{args: []types.Type{types.TimestampNTZ}, result: types.Timestamp, zone: zone})
	return f + "(" + s + ")", err
}

// emitLocal emits a template over a timestamp whose wall clock "%" stands for.
func emitLocal(x *expansion, param string) (string, error) {
	for i, a := range x.args {
		s, err := x.local(x.sql[i], a.Type())
		if err != nil {
			return "", err
		}
		x.sql[i] = s
	}
	return x.template(param)
}

// emitInstant emits a template that gives a wall clock, as the type of the result.
func emitInstant(x *expansion, param string) (string, error) {
	s, err := emitLocal(x, param)
	if err != nil || x.result != types.Timestamp {
		return s, err
	}
	return x.e.instant("CAST("+s+" AS TIMESTAMP)", x.zone)
}

// emitPlus is $1 + $2 for numbers, intervals, and times moved by intervals.
func emitPlus(x *expansion, _ string) (string, error) { return emitSum2(x, "+") }

// emitMinus is $1 - $2 likewise, and the distance of two times.
func emitMinus(x *expansion, _ string) (string, error) {
	switch x.args[0].Type() {
	case types.Date:
		if x.args[1].Type() == types.Date {
			if x.result == types.CalendarInterval {
				return x.template("{udf date_period}($1, $2)")
			}
			return x.template("(CAST($1 - $2 AS BIGINT) * 86400000000)")
		}
	case types.Timestamp, types.TimestampNTZ:
		if x.args[1].Type() == x.args[0].Type() {
			if x.result == types.CalendarInterval {
				return x.template("to_microseconds(epoch_us($1) - epoch_us($2))")
			}
			return x.template("{udf minus_timestamps}($1, $2)")
		}
	}
	return emitSum2(x, "-")
}

func emitSum2(x *expansion, op string) (string, error) {
	a, b := x.args[0].Type(), x.args[1].Type()
	name := map[string]string{"+": "add", "-": "sub"}[op]
	switch {
	case types.IsDecimal(a):
		return decimalOp(x, op, name)
	case types.Integral(a):
		return integerOp(x, op, name)
	case types.Numeric(a) || a == types.CalendarInterval:
		return x.template("($1 " + op + " $2)")
	case a == types.Date:
		return shiftDate(x, op, b)
	case a == types.Timestamp || a == types.TimestampNTZ:
		return x.template("{udf shift_timestamp " + name + "}($1, $2)")
	}
	if _, ok := a.(types.Time); ok {
		if _, ok := b.(types.Time); ok {
			return x.template("(epoch_us($1) - epoch_us($2))")
		}
		return x.template("{udf shift_time " + name + "}($1, $2)")
	}
	return x.template("{udf interval_" + name + "}($1, $2)")
}

func shiftDate(x *expansion, op string, by types.Type) (string, error) {
	switch by.(type) {
	case types.YearMonth:
		return x.template("CAST($1 " + op + " to_months($2) AS DATE)")
	case types.DayTime:
		return x.template("($1 " + op + " CAST($2 // 86400000000 AS INTEGER))")
	}
	return x.template("{udf shift_date " + map[string]string{"+": "add", "-": "sub"}[op] + "}($1, $2)")
}

// integerOp is an operation on whole numbers: DuckDB's own raises on overflow, as ANSI does.
func integerOp(x *expansion, op, name string) (string, error) {
	if x.mode == rel.ANSI && x.args[0].Type() != types.Byte && x.args[0].Type() != types.Short {
		return x.template("($1 " + op + " $2)")
	}
	return x.template("{udf int_" + name + "}($1, $2)")
}

// decimalOp is an operation on decimals: DuckDB's own where no digit is given up, else ours.
func decimalOp(x *expansion, op, name string) (string, error) {
	a, b, t := x.args[0].Type().(types.Decimal), x.args[1].Type().(types.Decimal), x.result.(types.Decimal)
	exact := t.S == max(a.S, b.S) && t.P < rel.MaxPrecision
	if op == "*" {
		exact = a.P+b.P <= 18 && t.S == a.S+b.S
	}
	if !exact {
		return x.template("{udf decimal_" + name + "}($1, $2)")
	}
	if op == "*" {
		return x.template("($1 * $2)")
	}
	return x.template("(CAST($1 AS $T) " + op + " CAST($2 AS $T))")
}

func emitTimes(x *expansion, _ string) (string, error) {
	switch a := x.args[0].Type(); {
	case types.IsDecimal(a):
		return decimalOp(x, "*", "mul")
	case types.Integral(a):
		return integerOp(x, "*", "mul")
	case types.Numeric(a):
		return x.template("($1 * $2)")
	}
	return x.template("{udf interval_mul}($1, $2)")
}

func emitDivide(x *expansion, _ string) (string, error) {
	switch a := x.args[0].Type(); {
	case types.IsDecimal(a):
		return x.template("{udf decimal_div}($1, $2)")
	case types.Numeric(a):
		return x.template("{udf double_div}($1, $2)")
	}
	return x.template("{udf interval_div div}($1, $2)")
}

func emitRemainder(x *expansion, _ string) (string, error) {
	name := map[string]string{"%": "rem", "pmod": "pmod"}[x.name]
	switch a := x.args[0].Type(); {
	case types.IsDecimal(a):
		return x.template("{udf decimal_" + name + "}($1, $2)")
	case types.Integral(a):
		return x.template("{udf int_" + name + "}($1, $2)")
	}
	return x.template("{udf double_" + name + "}($1, $2)")
}

func emitQuotient(x *expansion, _ string) (string, error) {
	if types.IsDecimal(x.args[0].Type()) {
		return x.template("{udf decimal_idiv}($1, $2)")
	}
	return x.template("{udf int_div}($1, $2)")
}

func emitNegative(x *expansion, _ string) (string, error) {
	t := x.args[0].Type()
	switch {
	case types.Integral(t):
		return x.template("{udf int_neg}($1)")
	case types.Numeric(t):
		return x.template("(-$1)")
	case t == types.CalendarInterval:
		return x.template("(-$1)")
	}
	return x.template("{udf interval_neg}($1)")
}

func emitAbs(x *expansion, _ string) (string, error) {
	t := x.args[0].Type()
	if types.Numeric(t) && !types.Integral(t) {
		return x.template("abs($1)")
	}
	return x.template("{udf int_abs}($1)")
}

// emitLike uses DuckDB's LIKE for constant patterns that both read alike, else ours.
func emitLike(x *expansion, _ string) (string, error) {
	op := strings.ToUpper(x.name)
	p, ok := constantText(x.args[1])
	escape := `\`
	if len(x.args) > 2 {
		escape, ok = constantText(x.args[2])
	}
	if ok && escape != "" && !strings.Contains(p, escape) && x.args[0].Type() == types.String && op == "LIKE" {
		return "(" + x.sql[0] + " LIKE " + literal(p) + ")", nil
	}
	return x.template("{udf like " + op + "}($*)")
}

func constantText(e rel.Expr) (string, bool) {
	l, ok := e.(*rel.Lit)
	if !ok {
		return "", false
	}
	s, ok := l.Value.(string)
	return s, ok
}

// emitElement is array[i], from 0, or map[k].
func emitElement(x *expansion, _ string) (string, error) {
	if _, ok := x.args[0].Type().(types.Map); ok {
		return x.template("map_extract_value($1, $2)")
	}
	if x.mode == rel.ANSI {
		return x.template("(CASE WHEN $2 < 0 OR $2 >= len($1) THEN CAST({raise INVALID_ARRAY_INDEX indexValue=$2; arraySize=len($1)} AS $T) ELSE list_extract($1, CAST($2 AS BIGINT) + 1) END)")
	}
	return x.template("(CASE WHEN $2 < 0 THEN NULL ELSE list_extract($1, CAST($2 AS BIGINT) + 1) END)")
}

func emitConcat(x *expansion, _ string) (string, error) {
	if len(x.args) == 0 {
		return "''", nil
	}
	if len(x.args) == 1 {
		return x.sql[0], nil
	}
	if _, ok := x.result.(types.Array); !ok {
		return "(" + strings.Join(x.sql, " || ") + ")", nil
	}
	out := x.sql[0]
	for _, s := range x.sql[1:] {
		out = "list_concat(" + out + ", " + s + ")"
	}
	return "(CASE WHEN " + strings.Join(x.sql, " IS NULL OR ") + " IS NULL THEN NULL ELSE " + out + " END)", nil
}

// emitConcatWs joins texts and arrays of texts; NULLs are left out.
func emitConcatWs(x *expansion, _ string) (string, error) {
	if len(x.args) == 1 {
		return x.template("(CASE WHEN $1 IS NULL THEN NULL ELSE '' END)")
	}
	lists := false
	for _, a := range x.args[1:] {
		_, ok := a.Type().(types.Array)
		lists = lists || ok
	}
	if !lists {
		return x.template("concat_ws($*)")
	}
	return x.template("{udf concat_ws}($*)")
}

func emitStruct(x *expansion, _ string) (string, error) {
	st := x.result.(types.Struct)
	parts := make([]string, len(st.Fields))
	for i, f := range st.Fields {
		s, err := cast(x.sql[i], f.Type)
		if err != nil {
			return "", err
		}
		parts[i] = ident(f.Name) + " := " + s
	}
	return "struct_pack(" + strings.Join(parts, ", ") + ")", nil
}

func emitMap(x *expansion, _ string) (string, error) {
	if len(x.args) == 0 {
		return "MAP {}", nil
	}
	return x.template("{udf map}($*)")
}

func emitCount(x *expansion, _ string) (string, error) {
	if len(x.args) == 0 {
		return x.template("count(*)$F")
	}
	if len(x.args) == 1 {
		if l, ok := x.args[0].(*rel.Lit); ok && l.Value != nil && !x.distinct {
			return x.template("count(*)$F")
		}
		return x.template("count($D$1)$F")
	}
	all := "(" + strings.Join(x.sql, ") IS NOT NULL AND (") + ") IS NOT NULL"
	if x.distinct {
		return "count(DISTINCT row(" + strings.Join(x.sql, ", ") + "))" + x.behind(all), nil
	}
	return "count(*)" + x.behind(all), nil
}

// emitSum sums; a sum that does not fit is an error, or NULL.
func emitSum(x *expansion, _ string) (string, error) {
	switch t := x.args[0].Type().(type) {
	case types.Decimal:
		f, err := x.e.udf("sum_decimal", use{args: []types.Type{types.Decimal{P: 38, S: t.S}}, result: x.result, mode: x.mode})
		if err != nil {
			return "", err
		}
		return x.template(f + fmt.Sprintf("(sum($DCAST($1 AS DECIMAL(38,%d)))$F)", t.S))
	case types.YearMonth, types.DayTime:
		return emitSumWhole(x)
	default:
		if types.Integral(t) {
			return emitSumWhole(x)
		}
	}
	return x.template("sum($D$1)$F")
}

func emitSumWhole(x *expansion) (string, error) {
	f, err := x.e.udf("sum_whole", use{args: []types.Type{types.Decimal{P: 38}}, result: x.result, mode: x.mode})
	if err != nil {
		return "", err
	}
	return x.template(f + "(CAST(sum($D$1)$F AS DECIMAL(38,0)))")
}

func emitAvg(x *expansion, _ string) (string, error) {
	switch t := x.args[0].Type().(type) {
	case types.Decimal:
		d := types.Decimal{P: 38, S: t.S}
		f, err := x.e.udf("avg_decimal", use{args: []types.Type{d, types.Long}, result: x.result, mode: x.mode})
		if err != nil {
			return "", err
		}
		return x.template(f + fmt.Sprintf("(sum($DCAST($1 AS DECIMAL(38,%d)))$F, count($D$1)$F)", t.S))
	case types.YearMonth, types.DayTime:
		f, err := x.e.udf("avg_interval", use{args: []types.Type{types.Decimal{P: 38}, types.Long}, result: x.result, mode: x.mode})
		if err != nil {
			return "", err
		}
		return x.template(f + "(CAST(sum($D$1)$F AS DECIMAL(38,0)), count($D$1)$F)")
	}
	return x.template("avg($DCAST($1 AS DOUBLE))$F")
}

// ignores reports whether the call leaves out NULLs, by IGNORE NULLS or a constant last argument.
func (x *expansion) ignores() bool {
	if len(x.args) > 1 {
		if l, ok := x.args[1].(*rel.Lit); ok && l.Value == true {
			return true
		}
	}
	return x.ignore
}

func emitFirst(x *expansion, _ string) (string, error) {
	switch {
	case x.over != "" && x.filter == "" && x.ignores():
		return x.template("first_value($1 IGNORE NULLS)$F")
	case x.over != "" && x.filter == "":
		return x.template("first_value($1)$F")
	case x.ignores():
		return x.template("any_value($D$1$O)$F")
	}
	return x.template("first($D$1$O)$F")
}

func emitLast(x *expansion, _ string) (string, error) {
	switch {
	case x.over != "" && x.filter == "" && x.ignores():
		return x.template("last_value($1 IGNORE NULLS)$F")
	case x.over != "" && x.filter == "":
		return x.template("last_value($1)$F")
	case x.ignores():
		return x.template("last($D$1$O)$N")
	}
	return x.template("last($D$1$O)$F")
}

// emitVariance is a statistical aggregate: NaN or infinite input makes NaN, where DuckDB raises.
func emitVariance(x *expansion, name string) (string, error) {
	bad := "NOT isfinite($1)"
	if len(x.args) > 1 {
		bad += " OR NOT isfinite($2)"
	}
	safe := name + "($D" + finite(1) + ")$F"
	if len(x.args) > 1 {
		safe = name + "($D" + finite(1) + ", " + finite(2) + ")$F"
	}
	return x.template("(CASE WHEN bool_or(" + bad + ")$F THEN CAST('nan' AS DOUBLE) ELSE " + safe + " END)")
}

func finite(i int) string {
	return fmt.Sprintf("(CASE WHEN isfinite($%d) THEN $%d END)", i, i)
}

// emitMoment is the skewness (3) or excess kurtosis (4) of a population.
func emitMoment(x *expansion, order string) (string, error) {
	if order == "4" {
		return x.template("kurtosis_pop($D$1)$F")
	}
	// DuckDB gives the sample skewness g·sqrt(n(n−1))/(n−2); undo the correction, and count pairs directly
	return x.template("(CASE WHEN count($1)$F < 1 THEN NULL WHEN var_pop($1)$F = 0 THEN CAST('nan' AS DOUBLE) ELSE " +
		"(avg(pow($1, 3))$F - 3 * avg($1)$F * avg(pow($1, 2))$F + 2 * pow(avg($1)$F, 3)) / pow(var_pop($1)$F, 1.5) END)")
}

func emitListagg(x *expansion, _ string) (string, error) {
	if x.result == types.Binary {
		return "", unsupported("listagg of binary values")
	}
	if len(x.args) > 1 {
		return x.template("string_agg($D$1, coalesce($2, '')$O)$F")
	}
	return x.template("string_agg($D$1, ''$O)$F")
}

func emitPercentile(x *expansion, p string) (string, error) {
	if p == "" {
		p = "$2"
	} else {
		p = "CAST(" + p + " AS DOUBLE)"
	}
	if len(x.args) > 2 {
		return "", unsupported("percentile with frequencies")
	}
	if x.descending() {
		p = "1 - " + p
	}
	return x.template("quantile_cont($DCAST($1 AS DOUBLE), " + p + ")$F")
}

// descending reports whether WITHIN GROUP orders downwards.
func (x *expansion) descending() bool { return len(x.order) > 0 && x.order[0].Desc }

// emitPercentileDisc counts from the end, which a negative share means to DuckDB, for a descending order.
func emitPercentileDisc(x *expansion, _ string) (string, error) {
	if x.descending() {
		return x.template("quantile_disc($1, -$2)$F")
	}
	return x.template("quantile_disc($1, $2)$F")
}

func emitPercentileApprox(x *expansion, _ string) (string, error) {
	if _, many := x.result.(types.Array); many {
		return x.template("quantile_disc($D$1, $2)$F")
	}
	return x.template("quantile_disc($D$1, $2)$F")
}

// emitMode takes the first of the most frequent values, in the order of WITHIN GROUP where there is one; a second argument
// that is true asks for the lowest.
func emitMode(x *expansion, _ string) (string, error) {
	if len(x.order) > 0 {
		return x.template("mode($1$O)$F")
	}
	if len(x.args) < 2 {
		return x.template("mode($1)$F")
	}
	lowest, ok := x.args[1].(*rel.Lit)
	if !ok || lowest.Value == nil {
		return "", unsupported("mode with a second argument that is not constant")
	}
	if lowest.Value == true {
		return x.template("mode($1 ORDER BY $1)$F")
	}
	return x.template("mode($1)$F")
}

// emitNeighbour is lag or lead: an offset that may be negative, and a default.
func emitNeighbour(x *expansion, name string) (string, error) {
	args := x.sql[0]
	if len(x.sql) > 1 {
		args += ", CAST(" + x.sql[1] + " AS BIGINT)"
	}
	if len(x.sql) > 2 {
		d, err := cast(x.sql[2], x.result)
		if err != nil {
			return "", err
		}
		args += ", " + d
	}
	return name + "(" + args + map[bool]string{true: " IGNORE NULLS"}[x.ignore] + ")" + x.behind(""), nil
}
