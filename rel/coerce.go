package rel

import "github.com/tarn-lake/tarn/types"

// ladder orders the number types without decimals by width.
var ladder = []types.Type{types.Byte, types.Short, types.Int, types.Long, types.Float, types.Double}

func rung(t types.Type) int {
	for i, n := range ladder {
		if n == t {
			return i
		}
	}
	return -1
}

// CommonType is the type to which Spark casts values that must be of one type: the branches of CASE,
// COALESCE, IN, UNION, array(). It is false when there is none.
func CommonType(ts []types.Type, s Settings) (types.Type, bool) {
	return foldTypes(ts, s, widerType)
}

// commonUnpromoted is CommonType where text and other types do not go together.
func commonUnpromoted(ts []types.Type, s Settings) (types.Type, bool) {
	return foldTypes(ts, s, widerUnpromoted)
}

func foldTypes(ts []types.Type, s Settings, f func(a, b types.Type, s Settings) (types.Type, bool)) (types.Type, bool) {
	var out types.Type = types.Void
	for _, t := range ts {
		var ok bool
		if out, ok = f(out, t, s); !ok {
			return nil, false
		}
	}
	return out, true
}

func widerType(a, b types.Type, s Settings) (types.Type, bool) {
	if t, ok := widerUnpromoted(a, b, s); ok {
		return t, true
	}
	if t, ok := promoted(a, b, s); ok {
		return t, true
	}
	return widerNested(a, b, s, widerType)
}

func widerUnpromoted(a, b types.Type, s Settings) (types.Type, bool) {
	if t, ok := tightestType(a, b, s); ok {
		return t, true
	}
	if t, ok := withDecimal(a, b); ok {
		return t, true
	}
	return widerNested(a, b, s, widerUnpromoted)
}

// withDecimal is the wider type of two numbers of which one is a decimal.
func withDecimal(a, b types.Type) (types.Type, bool) {
	da, isA := a.(types.Decimal)
	db, isB := b.(types.Decimal)
	switch {
	case isA && isB:
		return widerDecimal(da, db), true
	case isB:
		return withDecimal(b, a)
	case !isA:
		return nil, false
	case types.Integral(b):
		n, _ := DecimalFor(b)
		return widerDecimal(da, n), true
	case b == types.Float || b == types.Double:
		return types.Double, true
	}
	return nil, false
}

// tightestType is the narrower of two types that loses nothing of either.
func tightestType(a, b types.Type, s Settings) (types.Type, bool) {
	if types.Same(a, b) || b == types.Void {
		return a, true
	}
	if a == types.Void {
		return b, true
	}
	da, isA := a.(types.Decimal)
	db, isB := b.(types.Decimal)
	switch {
	case isA && isB:
		return nil, false
	case isB:
		return b, types.Integral(a) && holdsAll(db, a)
	case isA:
		return a, types.Integral(b) && holdsAll(da, b)
	}
	if i, j := rung(a), rung(b); i >= 0 && j >= 0 {
		return widerNumber(i, j, s), true
	}
	if t, ok := widerDatetime(a, b, s); ok {
		return t, true
	}
	if t, ok := widerInterval(a, b); ok {
		return t, true
	}
	if types.Text(a) && types.Text(b) {
		return types.String, !collated(a) && !collated(b)
	}
	return widerNested(a, b, s, tightestType)
}

func collated(t types.Type) bool { _, ok := t.(types.Collated); return ok }

// widerNumber is the wider of two rungs; ANSI widens whole numbers beside FLOAT to DOUBLE.
func widerNumber(i, j int, s Settings) types.Type {
	t := ladder[max(i, j)]
	if t == types.Float && i != j && s.Mode == ANSI {
		return types.Double
	}
	return t
}

func widerDatetime(a, b types.Type, s Settings) (types.Type, bool) {
	rank := func(t types.Type) int {
		switch t {
		case types.Date:
			return 1
		case types.TimestampNTZ:
			return 2
		case types.Timestamp:
			return 3
		}
		return 0
	}
	if ta, ok := a.(types.Time); ok {
		tb, ok := b.(types.Time)
		return types.Time{P: max(ta.P, tb.P)}, ok
	}
	ra, rb := rank(a), rank(b)
	if ra == 0 || rb == 0 {
		return nil, false
	}
	if ra > rb {
		return a, true
	}
	return b, true
}

func widerInterval(a, b types.Type) (types.Type, bool) {
	switch a := a.(type) {
	case types.YearMonth:
		if b, ok := b.(types.YearMonth); ok {
			return types.YearMonth{From: min(a.From, b.From), To: max(a.To, b.To)}, true
		}
	case types.DayTime:
		if b, ok := b.(types.DayTime); ok {
			return types.DayTime{From: min(a.From, b.From), To: max(a.To, b.To)}, true
		}
	}
	return nil, false
}

func widerNested(a, b types.Type, s Settings, f func(a, b types.Type, s Settings) (types.Type, bool)) (types.Type, bool) {
	switch a := a.(type) {
	case types.Array:
		b, ok := b.(types.Array)
		if !ok {
			return nil, false
		}
		t, ok := f(a.Elem, b.Elem, s)
		return types.Array{Elem: t, Nullable: a.Nullable || b.Nullable}, ok
	case types.Map:
		b, ok := b.(types.Map)
		if !ok {
			return nil, false
		}
		k, ok := f(a.Key, b.Key, s)
		if !ok {
			return nil, false
		}
		v, ok := f(a.Value, b.Value, s)
		return types.Map{Key: k, Value: v, Nullable: a.Nullable || b.Nullable}, ok
	case types.Struct:
		b, ok := b.(types.Struct)
		if !ok || len(a.Fields) != len(b.Fields) {
			return nil, false
		}
		out := types.Struct{Fields: make([]types.Field, len(a.Fields))}
		for i, x := range a.Fields {
			y := b.Fields[i]
			t, ok := f(x.Type, y.Type, s)
			if !ok || !sameName(x.Name, y.Name, s) {
				return nil, false
			}
			out.Fields[i] = types.Field{Name: x.Name, Type: t, Nullable: x.Nullable || y.Nullable}
		}
		return out, true
	}
	return nil, false
}

// promoted is the common type of text and another type. ANSI turns the text into the other type, with
// whole numbers as BIGINT and the others as DOUBLE; without ANSI all becomes text.
func promoted(a, b types.Type, s Settings) (types.Type, bool) {
	if !types.Text(a) {
		if !types.Text(b) {
			return nil, false
		}
		a, b = b, a
	}
	if s.Mode != ANSI {
		return a, types.Atomic(b) && b != types.Binary && b != types.Boolean && b != types.Variant
	}
	switch b.(type) {
	case types.YearMonth, types.DayTime:
		return nil, false
	}
	switch {
	case types.Text(b):
		return types.String, !collated(a) && !collated(b)
	case types.Integral(b):
		return types.Long, true
	case types.Numeric(b):
		return types.Double, true
	case b == types.Void:
		return a, true
	case b == types.CalendarInterval || b == types.Variant:
		return nil, false
	}
	return b, types.Atomic(b)
}

// ImplicitCast is e as a value of type to when Spark casts it there unasked, as an argument of a function.
func ImplicitCast(e Expr, to types.Type, s Settings) (Expr, bool) {
	from := e.Type()
	if types.Equal(from, to) {
		return e, true
	}
	if !implicit(from, to, s) {
		return nil, false
	}
	return convert(e, to, s), true
}

func implicit(from, to types.Type, s Settings) bool {
	if from == types.Void {
		return true
	}
	if s.Mode != ANSI {
		return implicitLegacy(from, to, s)
	}
	if types.Text(from) {
		switch to.(type) {
		case types.YearMonth, types.DayTime:
			return true
		}
		return types.Atomic(to) && to != types.Variant
	}
	return storable(from, to)
}

// implicitLegacy is the rule of spark.sql.ansi.enabled=false.
func implicitLegacy(from, to types.Type, s Settings) bool {
	switch {
	case types.Numeric(from) && types.Numeric(to):
		return true
	case types.Text(to):
		return types.Atomic(from) && from != types.Variant
	case types.Text(from):
		return types.Numeric(to) || to == types.Date || to == types.Timestamp || to == types.TimestampNTZ || to == types.Binary
	case isDatetime(from) && isDatetime(to):
		return true
	}
	return storable(from, to)
}

func isDatetime(t types.Type) bool {
	return t == types.Date || t == types.Timestamp || t == types.TimestampNTZ
}

// convert is e cast to to, without asking whether it may be. A NULL constant only changes its type.
func convert(e Expr, to types.Type, s Settings) Expr {
	if types.Same(e.Type(), to) {
		return e
	}
	if l, ok := e.(*Lit); ok && l.Value == nil {
		return &Lit{T: to}
	}
	if types.Equal(e.Type(), to) {
		return e
	}
	return &Cast{X: e, To: to, Mode: s.Mode, Zone: s.Zone}
}

// storable is Spark's ANSI rule of store assignment.
func storable(from, to types.Type) bool {
	if types.Equal(from, to) || from == types.Void {
		return true
	}
	switch t := to.(type) {
	case types.Array:
		f, ok := from.(types.Array)
		return ok && storable(f.Elem, t.Elem)
	case types.Map:
		f, ok := from.(types.Map)
		return ok && storable(f.Key, t.Key) && storable(f.Value, t.Value)
	case types.Struct:
		f, ok := from.(types.Struct)
		if !ok || len(f.Fields) != len(t.Fields) {
			return false
		}
		for i := range f.Fields {
			if !storable(f.Fields[i].Type, t.Fields[i].Type) {
				return false
			}
		}
		return true
	case types.YearMonth:
		_, ok := from.(types.YearMonth)
		return ok
	case types.DayTime:
		_, ok := from.(types.DayTime)
		return ok
	case types.Time:
		_, ok := from.(types.Time)
		return ok
	}
	switch {
	case types.Numeric(to):
		return types.Numeric(from)
	case types.Text(to):
		return types.Atomic(from) && from != types.Variant && from != types.Binary || from == types.Binary
	}
	return isDatetime(from) && isDatetime(to)
}
