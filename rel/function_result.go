package rel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// resultRule computes a result type from cast arguments; param is what stands behind its name in the table.
type resultRule func(f *Function, param string, args []Expr, s Settings) (types.Type, error)

// resultRules are the rules of the form "=name" in signatures.
var resultRules = map[string]resultRule{
	"same":        sameResult,
	"sum":         sumResult,
	"avg":         avgResult,
	"ceil":        ceilResult,
	"round":       roundResult,
	"elem":        elemResult,
	"wider-ym":    func(*Function, string, []Expr, Settings) (types.Type, error) { return exactNames["ym"], nil },
	"abs":         sameResult,
	"map-entries": mapEntriesResult,
	"from-entries": func(f *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
		return fromEntries(f, args)
	},
	"zip":       zipResult,
	"flatten":   flattenResult,
	"time":      func(*Function, string, []Expr, Settings) (types.Type, error) { return types.Time{P: 6}, nil },
	"datefield": dateFieldResult,
	"default-timestamp": func(_ *Function, _ string, _ []Expr, s Settings) (types.Type, error) {
		if s.NTZ {
			return types.TimestampNTZ, nil
		}
		return types.Timestamp, nil
	},
	"array-of":   arrayOfResult,
	"schema":     schemaResult,
	"window":     windowResult,
	"histogram":  histogramResult,
	"aggregate":  aggregateResult,
	"percentile": percentileResult,
	"wider":      sameResult,
}

// sameResult is the type of argument number param, the first one without it.
func sameResult(_ *Function, param string, args []Expr, _ Settings) (types.Type, error) {
	i, _ := strconv.Atoi(param)
	return args[i].Type(), nil
}

func sumResult(_ *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	switch t := args[0].Type().(type) {
	case types.Decimal:
		return bounded(t.P+10, t.S), nil
	case types.YearMonth, types.DayTime:
		return t, nil
	default:
		if types.Integral(t) {
			return types.Long, nil
		}
		return types.Double, nil
	}
}

func avgResult(_ *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	switch t := args[0].Type().(type) {
	case types.Decimal:
		return bounded(t.P+4, t.S+4), nil
	case types.YearMonth:
		return exactNames["ym"], nil
	case types.DayTime:
		return exactNames["dt"], nil
	}
	return types.Double, nil
}

// ceilResult is BIGINT, or for decimals one without fractional digits.
func ceilResult(_ *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	if d, ok := args[0].Type().(types.Decimal); ok {
		return bounded(d.P-d.S+1, 0), nil
	}
	return types.Long, nil
}

// roundResult is the type of round(x, n): decimals keep at most n fractional digits and may gain one digit.
func roundResult(_ *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	d, ok := args[0].Type().(types.Decimal)
	if !ok {
		return args[0].Type(), nil
	}
	n := int64(0)
	if len(args) > 1 {
		n, _ = constInt(args[1])
	}
	return roundedDecimal(d, int(n)), nil
}

func roundedDecimal(d types.Decimal, n int) types.Decimal {
	whole := d.P - d.S + 1
	if n < 0 {
		return types.Decimal{P: min(max(whole, -n+1), MaxPrecision), S: 0}
	}
	s := min(d.S, n)
	return types.Decimal{P: min(whole+s, MaxPrecision), S: s}
}

// constInt is the value of a whole-number constant, also under casts.
func constInt(e Expr) (int64, bool) {
	switch e := e.(type) {
	case *Lit:
		n, ok := e.Value.(int64)
		return n, ok
	case *Cast:
		return constInt(e.X)
	case *Call:
		if e.Name == "negative" && len(e.Args) == 1 {
			n, ok := constInt(e.Args[0])
			return -n, ok
		}
	}
	return 0, false
}

// constText is the value of a text constant.
func constText(e Expr) (string, bool) {
	l, ok := e.(*Lit)
	if !ok {
		return "", false
	}
	s, ok := l.Value.(string)
	return s, ok
}

func elemResult(f *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	switch t := args[0].Type().(type) {
	case types.Array:
		return t.Elem, nil
	case types.Map:
		return t.Value, nil
	}
	return nil, f.unexpected(0, args[0].Type())
}

func mapEntriesResult(f *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	m, ok := args[0].Type().(types.Map)
	if !ok {
		return nil, f.unexpected(0, args[0].Type())
	}
	return types.Array{Elem: types.Struct{Fields: []types.Field{
		{Name: "key", Type: m.Key}, {Name: "value", Type: m.Value, Nullable: m.Nullable}}}}, nil
}

func fromEntries(f *Function, args []Expr) (types.Type, error) {
	if a, ok := args[0].Type().(types.Array); ok {
		if st, ok := a.Elem.(types.Struct); ok && len(st.Fields) == 2 {
			return types.Map{Key: st.Fields[0].Type, Value: st.Fields[1].Type, Nullable: st.Fields[1].Nullable}, nil
		}
	}
	return nil, unexpectedType(0, `"ARRAY" of pair "STRUCT"`, args[0].Type())
}

// zipResult is an array of structs with the elements of the arguments, named by column, else by position.
func zipResult(f *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	var fields []types.Field
	for i, a := range args {
		t, ok := a.Type().(types.Array)
		if !ok {
			return nil, f.unexpected(i, a.Type())
		}
		name := strconv.Itoa(i)
		if c, ok := a.(*Col); ok {
			name = c.Name
		}
		fields = append(fields, types.Field{Name: name, Type: t.Elem, Nullable: true})
	}
	return types.Array{Elem: types.Struct{Fields: fields}}, nil
}

func flattenResult(f *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	if a, ok := args[0].Type().(types.Array); ok {
		if b, ok := a.Elem.(types.Array); ok {
			return types.Array{Elem: b.Elem, Nullable: b.Nullable}, nil
		}
	}
	return nil, unexpectedType(0, `"ARRAY" of "ARRAY"`, args[0].Type())
}

// extractFields are the names of the fields that a value of type t has.
func extractFields(t types.Type) []string {
	ym := []string{"YEAR", "Y", "YEARS", "YR", "YRS", "MONTH", "MON", "MONS", "MONTHS"}
	clock := []string{"HOUR", "H", "HOURS", "HR", "HRS", "MINUTE", "M", "MIN", "MINS", "MINUTES", "SECOND", "S", "SEC", "SECONDS", "SECS"}
	day := []string{"DAY", "D", "DAYS"}
	switch t.(type) {
	case types.YearMonth:
		return ym
	case types.DayTime:
		return append(day, clock...)
	case types.Time:
		return clock
	}
	if t == types.CalendarInterval {
		return append(append(ym, day...), clock...)
	}
	more := []string{"YEAROFWEEK", "QUARTER", "QTR", "WEEK", "W", "WEEKS", "DAYOFWEEK", "DOW", "DAYOFWEEK_ISO", "DOW_ISO", "DOY"}
	return append(append(append(more, ym...), day...), clock...)
}

// dateFieldResult is the type of extract(field FROM x): a second has its fraction.
func dateFieldResult(f *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	l, ok := args[0].(*Lit)
	if !ok {
		return nil, &ArgError{"NON_FOLDABLE_ARGUMENT", map[string]string{"funcName": "`" + f.Name + "`", "paramName": "`field`", "paramType": `"STRING"`}}
	}
	field, _ := l.Value.(string)
	part := strings.ToUpper(field)
	unknown := &ArgError{"INVALID_EXTRACT_FIELD", map[string]string{"expr": "$2", "field": "`" + field + "`"}}
	if !slices.Contains(extractFields(args[1].Type()), part) {
		if l.Value == nil {
			return types.Double, nil
		}
		return nil, unknown
	}
	if slices.Contains([]string{"SECOND", "S", "SEC", "SECONDS", "SECS"}, part) {
		return types.Decimal{P: 8, S: 6}, nil
	}
	if isInterval(args[1].Type()) && !slices.Contains([]string{"YEAR", "Y", "YEARS", "YR", "YRS", "DAY", "D", "DAYS"}, part) {
		return types.Byte, nil
	}
	return types.Int, nil
}

func arrayOfResult(_ *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	return types.Array{Elem: args[0].Type()}, nil
}

// windowResult is the struct of a time window.
func windowResult(_ *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	t := args[0].Type()
	return types.Struct{Fields: []types.Field{{Name: "start", Type: t, Nullable: true}, {Name: "end", Type: t, Nullable: true}}}, nil
}

func histogramResult(_ *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	return types.Array{Elem: types.Struct{Fields: []types.Field{
		{Name: "x", Type: args[0].Type(), Nullable: true}, {Name: "y", Type: types.Double, Nullable: true}}}, Nullable: true}, nil
}

// aggregateResult is the type of the last function's result, or of the start value.
func aggregateResult(_ *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	if len(args) > 3 {
		return args[3].Type(), nil
	}
	return args[1].Type(), nil
}

// percentileResult is DOUBLE, or the widest interval type; an array for an array of percentages.
func percentileResult(_ *Function, _ string, args []Expr, _ Settings) (types.Type, error) {
	var t types.Type = types.Double
	switch args[0].Type().(type) {
	case types.YearMonth:
		t = exactNames["ym"]
	case types.DayTime:
		t = exactNames["dt"]
	}
	if len(args) > 1 {
		if _, ok := args[1].Type().(types.Array); ok {
			return types.Array{Elem: t}, nil
		}
	}
	return t, nil
}
