package duckdb

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// constant spells v, a value of type t, as an expression of exactly the DuckDB type of t. DuckDB folds all
// of them, so that filters on them reach the files.
func constant(t types.Type, v types.Value) (string, error) {
	name, err := typeName(t)
	if err != nil {
		return "", err
	}
	if v == nil {
		return "CAST(NULL AS " + name + ")", nil
	}
	sql, ok := "", false
	switch t := t.(type) {
	case types.Array:
		return arrayConstant(t, v, name)
	case types.Map:
		return mapConstant(t, v, name)
	case types.Struct:
		return structConstant(t, v)
	case types.Decimal:
		if d, is := v.(decimal128.Num); is {
			sql, ok = "CAST('"+d.ToString(int32(t.S))+"' AS "+name+")", true
		}
	default:
		sql, ok = leafConstant(v, t, name)
	}
	if !ok {
		return "", fmt.Errorf("duckdb: a %T is not a value of type %v", v, t)
	}
	return sql, nil
}

func leafConstant(v types.Value, t types.Type, name string) (string, bool) {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v), t == types.Boolean
	case string:
		return "CAST(" + literal(v) + " AS VARCHAR)", types.Text(t)
	case []byte:
		return "from_hex('" + hex.EncodeToString(v) + "')", t == types.Binary
	case float32:
		return "CAST('" + floatText(float64(v), 32) + "' AS FLOAT)", t == types.Float
	case float64:
		return "CAST('" + floatText(v, 64) + "' AS DOUBLE)", t == types.Double
	case types.Interval:
		return fmt.Sprintf("(to_months(CAST(%d AS INTEGER)) + to_days(CAST(%d AS INTEGER)) + to_microseconds(CAST(%s AS BIGINT)))",
			v.Months, v.Days, quoted(v.Micros)), t == types.CalendarInterval
	case int32:
		if t == types.Date {
			return fmt.Sprintf("(DATE '1970-01-01' + CAST(%s AS INTEGER))", quoted(int64(v))), true
		}
		_, ok := t.(types.YearMonth)
		return "CAST(" + quoted(int64(v)) + " AS INTEGER)", ok
	case int64:
		return longConstant(v, t, name)
	}
	return "", false
}

func longConstant(v int64, t types.Type, name string) (string, bool) {
	n := "CAST(" + quoted(v) + " AS BIGINT)"
	switch t := t.(type) {
	case types.Time:
		return "(TIME '00:00:00' + to_microseconds(" + n + "))", true
	case types.DayTime:
		return n, true
	default:
		switch {
		case types.Integral(t):
			return "CAST(" + quoted(v) + " AS " + name + ")", true
		case t == types.Timestamp:
			return "make_timestamptz(" + n + ")", true
		case t == types.TimestampNTZ:
			return "make_timestamp(" + n + ")", true
		}
	}
	return "", false
}

// quoted spells n in quotes where DuckDB would read it as minus applied to a number of a wider type.
func quoted(n int64) string {
	if n < 0 {
		return "'" + strconv.FormatInt(n, 10) + "'"
	}
	return strconv.FormatInt(n, 10)
}

func floatText(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

func arrayConstant(t types.Array, v types.Value, name string) (string, error) {
	vs, ok := v.([]types.Value)
	if !ok {
		return "", fmt.Errorf("duckdb: a %T is not a value of type %v", v, t)
	}
	parts := make([]string, len(vs))
	for i, x := range vs {
		p, err := constant(t.Elem, x)
		if err != nil {
			return "", err
		}
		parts[i] = p
	}
	return "CAST([" + strings.Join(parts, ", ") + "] AS " + name + ")", nil
}

func mapConstant(t types.Map, v types.Value, name string) (string, error) {
	ps, ok := v.([]types.Pair)
	if !ok {
		return "", fmt.Errorf("duckdb: a %T is not a value of type %v", v, t)
	}
	keys, values := make([]types.Value, len(ps)), make([]types.Value, len(ps))
	for i, p := range ps {
		keys[i], values[i] = p.Key, p.Value
	}
	k, err := constant(types.Array{Elem: t.Key}, keys)
	if err != nil {
		return "", err
	}
	x, err := constant(types.Array{Elem: t.Value}, values)
	if err != nil {
		return "", err
	}
	return "CAST(map(" + k + ", " + x + ") AS " + name + ")", nil
}

func structConstant(t types.Struct, v types.Value) (string, error) {
	vs, ok := v.([]types.Value)
	if !ok || len(vs) != len(t.Fields) {
		return "", fmt.Errorf("duckdb: a %T is not a value of type %v", v, t)
	}
	parts := make([]string, len(vs))
	for i, x := range vs {
		p, err := constant(t.Fields[i].Type, x)
		if err != nil {
			return "", err
		}
		parts[i] = ident(t.Fields[i].Name) + " := " + p
	}
	return "struct_pack(" + strings.Join(parts, ", ") + ")", nil
}
