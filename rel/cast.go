package rel

import (
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// CastTo is CAST(e AS to). The error is an *[ArgError] when Spark has no such cast. s.Mode may be Try.
func CastTo(e Expr, to types.Type, s Settings) (Expr, error) {
	from := e.Type()
	legal := castable
	if s.Mode == Legacy {
		legal = castableLegacy
	}
	if legal(from, to) {
		if types.Same(from, to) {
			return e, nil
		}
		return &Cast{X: e, To: to, Mode: s.Mode, Zone: s.Zone}, nil
	}
	params := map[string]string{"srcType": sqlType(from), "targetType": sqlType(to)}
	if s.Mode == ANSI && castableLegacy(from, to) {
		params["sqlExpr"] = "$0"
		params["config"], params["configVal"] = `"spark.sql.ansi.enabled"`, "'false'"
		return nil, &ArgError{"DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION", params}
	}
	params["sqlExpr"] = "$1"
	return nil, &ArgError{"DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", params}
}

// StoreAssign is e as Spark stores it in a column of type to by INSERT, UPDATE or MERGE: an ANSI cast where
// the types allow it, with the length of char and varchar checked. The parameters of its *[ArgError] lack
// tableName and colName, which the caller knows.
func StoreAssign(e Expr, to types.Type, s Settings) (Expr, error) {
	from, base := e.Type(), unsized(to)
	if !storable(from, base) {
		return nil, &ArgError{"INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
			map[string]string{"srcType": sqlType(from), "targetType": sqlType(to)}}
	}
	s.Mode = ANSI
	return sized(convert(e, base, s), to), nil
}

// unsized is t with char and varchar, at any depth, as string.
func unsized(t types.Type) types.Type {
	switch t := t.(type) {
	case types.Char, types.Varchar:
		return types.String
	case types.Array:
		t.Elem = unsized(t.Elem)
		return t
	case types.Map:
		t.Key, t.Value = unsized(t.Key), unsized(t.Value)
		return t
	case types.Struct:
		fields := make([]types.Field, len(t.Fields))
		for i, f := range t.Fields {
			f.Type = unsized(f.Type)
			fields[i] = f
		}
		return types.Struct{Fields: fields}
	}
	return t
}

// sized checks the length of text that goes to a char or varchar column; char text is padded.
func sized(e Expr, to types.Type) Expr {
	check := func(name string, n int) Expr {
		size := &Lit{T: types.Int, Value: int64(n)}
		return &Call{Name: name, Args: []Expr{e, size}, T: types.String, Null: e.Nullable()}
	}
	switch t := to.(type) {
	case types.Char:
		return check("char_type_write_side_check", t.N)
	case types.Varchar:
		return check("varchar_type_write_side_check", t.N)
	}
	return e
}

// castable is Spark's table of ANSI casts.
func castable(from, to types.Type) bool {
	if ok, nested := castableNested(from, to, castable); nested {
		return ok
	}
	switch to {
	case types.Boolean:
		return types.Numeric(from) || types.Text(from)
	case types.Timestamp:
		return isDatetime(from) || types.Numeric(from) || types.Text(from)
	case types.TimestampNTZ, types.Date:
		return isDatetime(from) || types.Text(from)
	case types.Binary, types.CalendarInterval:
		return types.Text(from)
	}
	switch to.(type) {
	case types.Time:
		_, ok := from.(types.Time)
		return ok || types.Text(from) || from == types.TimestampNTZ
	case types.YearMonth:
		_, ok := from.(types.YearMonth)
		return ok || types.Text(from) || countable(from)
	case types.DayTime:
		_, ok := from.(types.DayTime)
		return ok || types.Text(from) || countable(from)
	}
	if types.Numeric(to) {
		return types.Numeric(from) || types.Text(from) || from == types.Boolean || from == types.Timestamp ||
			countable(to) && countedBy(from)
	}
	return false
}

// countable reports whether t can count the units of an interval.
func countable(t types.Type) bool { return types.Integral(t) || types.IsDecimal(t) }

// countedBy reports whether t is an interval or a time of day.
func countedBy(t types.Type) bool {
	switch t.(type) {
	case types.YearMonth, types.DayTime, types.Time:
		return true
	}
	return false
}

// castableNested answers for equal types, void, text and variant, and for types with parts by their parts.
func castableNested(from, to types.Type, part func(from, to types.Type) bool) (ok, nested bool) {
	if types.Equal(from, to) || from == types.Void {
		return true, true
	}
	if types.Text(to) || from == types.Variant || to == types.Variant {
		return to != types.Variant || from != types.CalendarInterval, true
	}
	switch t := to.(type) {
	case types.Array:
		f, is := from.(types.Array)
		return is && part(f.Elem, t.Elem), true
	case types.Map:
		f, is := from.(types.Map)
		return is && part(f.Key, t.Key) && part(f.Value, t.Value), true
	case types.Struct:
		f, is := from.(types.Struct)
		if !is || len(f.Fields) != len(t.Fields) {
			return false, true
		}
		for i := range f.Fields {
			if !part(f.Fields[i].Type, t.Fields[i].Type) {
				return false, true
			}
		}
		return true, true
	}
	return false, false
}

// castableLegacy is Spark's table of casts with ANSI off.
func castableLegacy(from, to types.Type) bool {
	if ok, nested := castableNested(from, to, castableLegacy); nested {
		return ok
	}
	switch {
	case castable(from, to):
		return true
	case to == types.Binary:
		return types.Integral(from)
	case to == types.Boolean:
		return isDatetime(from) && from != types.TimestampNTZ
	case to == types.Timestamp:
		return from == types.Boolean
	case types.Numeric(to):
		return from == types.Date
	}
	return false
}

// sqlType is t as error parameters spell it.
func sqlType(t types.Type) string { return `"` + types.SQL(t) + `"` }

func sameName(a, b string, s Settings) bool {
	return a == b || !s.CaseSensitive && strings.EqualFold(a, b)
}
