package rel

import (
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// timestampNamed is the timestamp type that a rule's parameter names; "=default" is the session's.
func timestampNamed(param string, s Settings) types.Type {
	if param == "ntz" || param != "timestamp" && s.NTZ {
		return types.TimestampNTZ
	}
	return types.Timestamp
}

// resolveMakeTimestamp is make_timestamp of six fields[, zone], or of a date and a time[, zone].
func resolveMakeTimestamp(f *Function, param string, args []Expr, s Settings) (Expr, error) {
	t := timestampNamed(param, s)
	name := "timestamp_of_fields"
	switch len(args) {
	case 1:
		args = []Expr{args[0], &Lit{T: exactNames["time"], Value: int64(0)}}
		name = "timestamp_of_date"
	case 2, 3:
		name = "timestamp_of_date"
		if len(args) == 3 && param == "default" {
			t = types.Timestamp // a date and a time in a zone are an instant, whatever the session's kind of timestamp
		}
	case 6, 7:
	default:
		return nil, wrongCount(f.Name, "[2, 3, 6, 7]", len(args))
	}
	e, err := FindFunction(name).Resolve(args, s)
	if err != nil {
		return nil, err
	}
	c := *e.(*Call)
	c.T = t
	return &c, nil
}

// resolveToDate is to_date(x[, pattern]); with "try", failures are NULL.
func resolveToDate(f *Function, param string, args []Expr, s Settings) (Expr, error) {
	if len(args) < 1 || len(args) > 2 {
		return nil, wrongCount(f.Name, "[1, 2]", len(args))
	}
	return byPattern("date_by_pattern", param, args, types.Date, s)
}

// resolveToTimestamp is to_timestamp(x[, pattern]) of the type that param names.
func resolveToTimestamp(f *Function, param string, args []Expr, s Settings) (Expr, error) {
	if len(args) < 1 || len(args) > 2 {
		return nil, wrongCount(f.Name, "[1, 2]", len(args))
	}
	return byPattern("timestamp_by_pattern", param, args, timestampNamed(param, s), s)
}

func resolveToTime(f *Function, param string, args []Expr, s Settings) (Expr, error) {
	if len(args) < 1 || len(args) > 2 {
		return nil, wrongCount(f.Name, "[1, 2]", len(args))
	}
	return byPattern("time_by_pattern", param, args, exactNames["time"], s)
}

// byPattern reads text by a pattern, and casts where there is none or the value is no text.
func byPattern(name, param string, args []Expr, t types.Type, s Settings) (Expr, error) {
	mode := s
	if param == "try" {
		mode.Mode = Try
	}
	from := args[0].Type()
	if len(args) == 1 || !types.Text(from) && from != types.Void {
		if types.Numeric(from) && t == types.Date {
			return nil, unexpectedType(0, `("STRING" or "DATE" or "TIMESTAMP" or "TIMESTAMP_NTZ")`, from)
		}
		return CastTo(args[0], t, mode)
	}
	e, err := FindFunction(name).Resolve(args, s)
	if err != nil {
		return nil, err
	}
	c := *e.(*Call)
	c.T, c.Mode = t, mode.Mode
	c.Null = c.Null || mode.Mode != ANSI
	return &c, nil
}

// defaultPattern is how Spark writes and reads seconds as text.
var defaultPattern = &Lit{T: types.String, Value: "yyyy-MM-dd HH:mm:ss"}

func resolveFromUnixtime(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) == 1 {
		args = append(args[:1:1], defaultPattern)
	}
	return f.bySignature(args, s)
}

// resolveUnixTimestamp is the seconds since 1970 of a time, or of text in a pattern.
func resolveUnixTimestamp(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) > 2 {
		return nil, wrongCount(f.Name, "[0, 2]", len(args))
	}
	if len(args) == 0 {
		now, err := FindFunction("current_timestamp").Resolve(nil, s)
		if err != nil {
			return nil, err
		}
		return FindFunction("unix_seconds").Resolve([]Expr{now}, s)
	}
	switch t := args[0].Type(); {
	case t == types.Date || t == types.Timestamp || t == types.TimestampNTZ:
		return FindFunction("unix_seconds").Resolve([]Expr{convert(args[0], types.Timestamp, s)}, s)
	case !types.Text(t) && t != types.Void:
		return nil, unexpectedType(0, `("STRING" or "DATE" or "TIMESTAMP" or "TIMESTAMP_NTZ")`, t)
	}
	if len(args) == 1 {
		args = append(args[:1:1], defaultPattern)
	}
	return FindFunction("seconds_by_pattern").Resolve(args, s)
}

// resolveConvertTimezone is convert_timezone([from,] to, wall clock).
func resolveConvertTimezone(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) == 2 {
		args = []Expr{&Lit{T: types.String, Value: s.Zone}, args[0], args[1]}
	}
	if len(args) != 3 {
		return nil, wrongCount(f.Name, "[2, 3]", len(args))
	}
	out := make([]Expr, 3)
	for i, t := range []types.Type{types.String, types.String, types.TimestampNTZ} {
		e, ok := ImplicitCast(args[i], t, s)
		if !ok {
			return nil, unexpectedType(i, sqlType(t), args[i].Type())
		}
		out[i] = e
	}
	return f.call(out, types.TimestampNTZ, s), nil
}

// resolveDecode is decode(bytes, charset), or decode(x, value, result, …, default), which compares like CASE.
func resolveDecode(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) < 2 {
		return nil, wrongCount(f.Name, "2", len(args))
	}
	if len(args) == 2 {
		return FindFunction("decode_charset").Resolve(args, s)
	}
	var branches []Expr
	for i := 1; i+1 < len(args); i += 2 {
		eq, err := FindFunction("<=>").Resolve([]Expr{args[0], args[i]}, s)
		if err != nil {
			return nil, err
		}
		branches = append(branches, eq, args[i+1])
	}
	if len(args)%2 == 0 {
		branches = append(branches, args[len(args)-1])
	}
	return FindFunction("when").Resolve(branches, s)
}

// resolveToChar is to_char of a date or timestamp, which is date_format, or of bytes.
func resolveToChar(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) != 2 {
		return nil, wrongCount(f.Name, "2", len(args))
	}
	if isDatetime(args[0].Type()) {
		return FindFunction("date_format").Resolve(args, s)
	}
	if args[0].Type() == types.Binary {
		format, _ := constText(args[1])
		name := map[string]string{"hex": "hex", "base64": "base64", "utf-8": "decode_charset"}[strings.ToLower(format)]
		switch name {
		case "decode_charset":
			return FindFunction(name).Resolve(args, s)
		case "":
		default:
			return FindFunction(name).Resolve(args[:1], s)
		}
	}
	return nil, &ArgError{"UNSUPPORTED_FEATURE", map[string]string{"feature": "number formats"}}
}

// resolveSize is size(x): -1 for NULL outside ANSI.
func resolveSize(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	e, err := f.bySignature(args, s)
	if err != nil || s.Mode != Legacy {
		return e, err
	}
	minus := &Lit{T: types.Int, Value: int64(-1)}
	return FindFunction("coalesce").Resolve([]Expr{e, minus}, s)
}

// resolveSequence is sequence(from, to[, step]).
func resolveSequence(f *Function, _ string, args []Expr, s Settings) (Expr, error) {
	if len(args) < 2 || len(args) > 3 {
		return nil, wrongCount(f.Name, "[2, 3]", len(args))
	}
	t, ok := CommonType(argTypes(args[:2]), s)
	whole := len(args) > 2 && types.Integral(t) && types.Integral(args[2].Type())
	if whole {
		t, ok = CommonType(argTypes(args), s)
	}
	if !ok || !types.Integral(t) && !isDatetime(t) {
		return nil, &ArgError{"DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES", map[string]string{"sqlExpr": "$0", "functionName": "`sequence`",
			"startType": `("TIMESTAMP" or "TIMESTAMP_NTZ" or "DATE")`, "stepType": `("INTERVAL" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")`, "otherStartType": `"INTEGRAL"`}}
	}
	out := castAll(args[:2], t, s)
	if len(args) > 2 {
		step := args[2]
		switch {
		case whole:
			step = convert(step, t, s)
		case types.Text(step.Type()) || step.Type() == types.Void:
			step = convert(step, types.CalendarInterval, s)
		}
		out = append(out, step)
	}
	return f.call(out, types.Array{Elem: t}, s), nil
}
