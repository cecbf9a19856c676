package duckdb

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// expr emits x as an expression of exactly the DuckDB type of x, in parentheses where it needs them.
func (e *emitter) expr(x rel.Expr) (string, error) {
	switch x := x.(type) {
	case *rel.Col:
		return name(x.ID), nil
	case *rel.Lit:
		return constant(x.T, x.Value)
	case *rel.Call:
		if x.Error != "" {
			return raiseExpr(x)
		}
		return e.call(x)
	case *rel.Cast:
		return e.castExpr(x)
	case *rel.Case:
		return e.caseExpr(x)
	case *rel.Field:
		return e.field(x)
	case *rel.Apply:
		return e.apply(x)
	case *rel.Lambda:
		return e.lambda(x)
	case *rel.Scalar:
		return e.scalarQuery(x)
	case *rel.Exists:
		q, err := e.node(x.Query)
		return "EXISTS (" + q + ")", err
	case *rel.InQuery:
		return e.inQuery(x)
	case *rel.Agg:
		return e.agg(x)
	case *rel.Over:
		return e.over(x)
	}
	return "", unsupported("a %T expression", x)
}

// raiseExpr emits a call that fails with the error that it carries.
func raiseExpr(x *rel.Call) (string, error) {
	return cast("error("+literal(raised+x.Error)+")", x.T)
}

// apply emits a call of a function that the tree brings along.
func (e *emitter) apply(x *rel.Apply) (string, error) {
	in, err := e.expr(x.X)
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	h.Write([]byte(x.Name))
	s := &Scalar{Name: fmt.Sprintf("tarn_apply_%x", h.Sum64()), Args: []arrow.DataType{arrow.BinaryTypes.String}, Result: arrow.PrimitiveTypes.Int64}
	s.Eval = func(n int, in []Vec, out *Out) error {
		texts, results := in[0].Texts(), Results[int64](out)
		for i := range n {
			if !out.Valid(i) {
				continue
			}
			var err error
			if results[i], err = x.Of(texts.At(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return e.use(s) + "(" + in + ")", nil
}

func (e *emitter) exprs(xs []rel.Expr) ([]string, error) {
	out := make([]string, len(xs))
	for i, x := range xs {
		s, err := e.expr(x)
		if err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

func (e *emitter) caseExpr(x *rel.Case) (string, error) {
	var b strings.Builder
	b.WriteString("CASE")
	for _, w := range x.Whens {
		cond, err := e.expr(w.If)
		if err != nil {
			return "", err
		}
		then, err := e.expr(w.Then)
		if err != nil {
			return "", err
		}
		b.WriteString(" WHEN " + cond + " THEN " + then)
	}
	if x.Else != nil {
		els, err := e.expr(x.Else)
		if err != nil {
			return "", err
		}
		b.WriteString(" ELSE " + els)
	}
	return cast(b.String()+" END", x.T)
}

// field reads a struct by position: DuckDB's names inside structs ignore case.
func (e *emitter) field(x *rel.Field) (string, error) {
	s, err := e.expr(x.X)
	return fmt.Sprintf("struct_extract_at(%s, %d)", s, x.Index+1), err
}

// lambda emits a function argument. Its parameters are named as columns are.
func (e *emitter) lambda(x *rel.Lambda) (string, error) {
	body, err := e.expr(x.Body)
	if err != nil {
		return "", err
	}
	names := make([]string, len(x.Params))
	for i, p := range x.Params {
		names[i] = name(p.ID)
	}
	return "(lambda " + strings.Join(names, ", ") + ": " + body + ")", nil
}

// scalarQuery is an error when the query has several rows, as scalar_subquery_error_on_multiple_rows keeps it.
func (e *emitter) scalarQuery(x *rel.Scalar) (string, error) {
	q, err := e.node(x.Query)
	if err != nil {
		return "", err
	}
	return "(SELECT " + list(x.Query.Columns()) + " FROM (" + q + "))", nil
}

func (e *emitter) inQuery(x *rel.InQuery) (string, error) {
	if len(x.X) > 1 {
		return e.inRows(x)
	}
	left, err := e.exprs(x.X)
	if err != nil {
		return "", err
	}
	q, err := e.node(x.Query)
	if err != nil {
		return "", err
	}
	return "(" + left[0] + " IN (SELECT " + list(x.Query.Columns()) + " FROM (" + q + ")))", nil
}

// inRows compares several columns one by one: DuckDB compares them as structs, in which NULL is a value.
func (e *emitter) inRows(x *rel.InQuery) (string, error) {
	found, err := e.existsRow(x, "")
	if err != nil {
		return "", err
	}
	perhaps, err := e.existsRow(x, " IS NOT FALSE")
	return "(CASE WHEN " + found + " THEN true WHEN " + perhaps + " THEN CAST(NULL AS BOOLEAN) ELSE false END)", err
}

// existsRow is whether the query has a row whose comparison with X passes test, column by column.
func (e *emitter) existsRow(x *rel.InQuery, test string) (string, error) {
	left, err := e.exprs(x.X)
	if err != nil {
		return "", err
	}
	q, err := e.node(x.Query)
	if err != nil {
		return "", err
	}
	conds := make([]string, len(left))
	for i, c := range x.Query.Columns() {
		conds[i] = "((" + left[i] + " = " + name(c.ID) + ")" + test + ")"
	}
	return "EXISTS (SELECT 1 FROM (" + q + ") WHERE " + strings.Join(conds, " AND ") + ")", nil
}

// condition emits x where NULL counts as false.
func (e *emitter) condition(x rel.Expr) (string, error) {
	var parts []string
	for _, c := range rel.Conjuncts(x) {
		emit := e.expr
		if in, ok := c.(*rel.InQuery); ok && len(in.X) > 1 {
			emit = func(rel.Expr) (string, error) { return e.existsRow(in, "") }
		}
		s, err := emit(c)
		if err != nil {
			return "", err
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " AND "), nil
}

// agg emits an aggregate call with its modifiers; the function's own form comes from the function table.
func (e *emitter) agg(x *rel.Agg) (string, error) {
	filter := ""
	if x.Filter != nil {
		f, err := e.expr(x.Filter)
		if err != nil {
			return "", err
		}
		filter = " FILTER (WHERE " + f + ")"
	}
	return e.aggregateCall(x, filter, "", false)
}

// over emits a window function with its window.
func (e *emitter) over(x *rel.Over) (string, error) {
	spec, err := e.windowSpec(x)
	if err != nil {
		return "", err
	}
	over := " OVER (" + spec + ")"
	switch fn := x.Fn.(type) {
	case *rel.Agg:
		filter := ""
		if fn.Filter != nil {
			f, err := e.expr(fn.Filter)
			if err != nil {
				return "", err
			}
			filter = " FILTER (WHERE " + f + ")"
		}
		return e.aggregateCall(fn, filter, over, x.IgnoreNulls)
	case *rel.Call:
		return e.windowCall(fn, x.IgnoreNulls, over)
	}
	return "", unsupported("a %T over a window", x.Fn)
}

func (e *emitter) windowSpec(x *rel.Over) (string, error) {
	var parts []string
	if len(x.Partition) > 0 {
		p, err := e.exprs(x.Partition)
		if err != nil {
			return "", err
		}
		parts = append(parts, "PARTITION BY "+strings.Join(p, ", "))
	}
	by, err := e.rowOrders(x.Order)
	if err != nil {
		return "", err
	}
	if by != "" {
		parts = append(parts, "ORDER BY "+by)
	}
	if x.Frame != nil {
		f, err := e.frame(x)
		if err != nil {
			return "", err
		}
		parts = append(parts, f)
	}
	return strings.Join(parts, " "), nil
}

func (e *emitter) frame(x *rel.Over) (string, error) {
	unit := "RANGE"
	if x.Frame.Rows {
		unit = "ROWS"
	}
	from, err := e.bound(x, x.Frame.From)
	if err != nil {
		return "", err
	}
	to, err := e.bound(x, x.Frame.To)
	return unit + " BETWEEN " + from + " AND " + to, err
}

func (e *emitter) bound(x *rel.Over, b rel.Bound) (string, error) {
	switch b.Kind {
	case rel.UnboundedPreceding:
		return "UNBOUNDED PRECEDING", nil
	case rel.UnboundedFollowing:
		return "UNBOUNDED FOLLOWING", nil
	case rel.CurrentRow:
		return "CURRENT ROW", nil
	}
	word := " PRECEDING"
	if b.Kind == rel.Following {
		word = " FOLLOWING"
	}
	s, err := e.expr(b.Offset)
	if err != nil {
		return "", err
	}
	if !x.Frame.Rows && len(x.Order) == 1 {
		s = rangeOffset(s, x.Order[0].Expr.Type(), b.Offset.Type())
	}
	return s + word, nil
}

// rangeOffset brings an offset of numbers that stand for an interval to what DuckDB adds to a date or time.
func rangeOffset(s string, key, offset types.Type) string {
	if key != types.Date && key != types.Timestamp && key != types.TimestampNTZ {
		return s
	}
	switch offset.(type) {
	case types.YearMonth:
		return "to_months(" + s + ")"
	case types.DayTime:
		return "to_microseconds(" + s + ")"
	}
	if key == types.Date && types.Integral(offset) {
		return "to_days(CAST(" + s + " AS INTEGER))"
	}
	return s
}
