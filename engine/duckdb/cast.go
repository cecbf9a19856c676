package duckdb

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// castExpr emits a cast by Spark's rules.
func (e *emitter) castExpr(x *rel.Cast) (string, error) {
	s, err := e.expr(x.X)
	if err != nil {
		return "", err
	}
	return e.sparkCast(s, x.X.Type(), x)
}

// sparkCast converts s, of type from, as x says.
func (e *emitter) sparkCast(s string, from types.Type, x *rel.Cast) (string, error) {
	return caster{e, x.Mode, x.Zone}.cast(s, from, x.To)
}

// convert changes the form of s from one type to a wider one, or to one that differs only in names inside
// structs. No value is lost.
func (e *emitter) convert(s string, from, to types.Type) (string, error) {
	return caster{e, rel.ANSI, "UTC"}.cast(s, from, to)
}

// caster emits the casts of one mode and zone.
type caster struct {
	e    *emitter
	mode rel.Mode
	zone string
}

func (c caster) cast(s string, from, to types.Type) (string, error) {
	switch {
	case types.Equal(from, to) || types.Text(from) && types.Text(to):
		return s, nil
	case from == types.Void:
		return cast(s, to)
	case types.Text(to):
		return c.toText(s, from)
	case from == types.Variant || to == types.Variant:
		return "", unsupported("a cast between variant and %v", to)
	}
	switch t := to.(type) {
	case types.Array:
		if f, ok := from.(types.Array); ok {
			return c.array(s, f, t)
		}
	case types.Map:
		if f, ok := from.(types.Map); ok {
			return c.mapping(s, f, t)
		}
	case types.Struct:
		if f, ok := from.(types.Struct); ok {
			return c.structure(s, f, t)
		}
	}
	if native(from, to) {
		return cast(s, to)
	}
	return c.function(s, from, to)
}

// native reports whether DuckDB's cast is Spark's and cannot fail.
func native(from, to types.Type) bool {
	d, toDecimal := to.(types.Decimal)
	n, known := rel.DecimalFor(from)
	switch {
	case from == types.Boolean && types.Numeric(to) && !toDecimal, from == types.Date && to == types.TimestampNTZ,
		from == types.TimestampNTZ && to == types.Date, types.Integral(from) && (to == types.Float || to == types.Double),
		types.Integral(from) && to == types.Boolean, from == types.Float && to == types.Double:
		return true
	case types.Integral(from) && types.Integral(to):
		return intWidth(from) <= intWidth(to)
	case toDecimal && known && (types.Integral(from) || types.IsDecimal(from)):
		return d.S >= n.S && d.P-d.S >= n.P-n.S
	}
	return false
}

// function emits a cast that a function in Go does.
func (c caster) function(s string, from, to types.Type) (string, error) {
	switch {
	case from == types.Timestamp && to == types.Date:
		local, err := c.e.wallClock(s, from, c.zone)
		if err != nil {
			return "", err
		}
		return "CAST(" + local + " AS DATE)", nil
	case from == types.Timestamp && to == types.TimestampNTZ:
		return c.e.wallClock(s, from, c.zone)
	case from == types.TimestampNTZ && to == types.Timestamp:
		return c.e.instant(s, c.zone)
	case from == types.Date && to == types.Timestamp:
		return c.e.instant("CAST("+s+" AS TIMESTAMP)", c.zone)
	}
	if name := castName(from, to); name != "" {
		f, err := c.e.udf(name, use{args: []types.Type{from}, result: to, zone: c.zone, mode: c.mode})
		return f + "(" + s + ")", err
	}
	return "", unsupported("a cast from %v to %v", from, to)
}

// castName is the function in Go that casts between two types.
func castName(from, to types.Type) string {
	f, t := family(from), family(to)
	if f == "" || t == "" {
		return ""
	}
	if _, ok := castFunctions[f+"_to_"+t]; !ok {
		return ""
	}
	return f + "_to_" + t
}

// family names the types that one function casts.
func family(t types.Type) string {
	switch t := t.(type) {
	case types.Decimal:
		return "decimal"
	case types.YearMonth:
		return "ym"
	case types.DayTime:
		return "dt"
	case types.Time:
		return "time"
	case types.Basic:
		switch t {
		case types.Byte, types.Short, types.Int, types.Long:
			return "int"
		case types.Float, types.Double:
			return "float"
		case types.Boolean, types.Binary, types.Date, types.Timestamp:
			return t.String()
		case types.TimestampNTZ:
			return "ntz"
		case types.CalendarInterval:
			return "interval"
		}
	}
	if types.Text(t) {
		return "text"
	}
	return ""
}

// toText is the cast to text: nested values in Spark's notation.
func (c caster) toText(s string, from types.Type) (string, error) {
	switch from := from.(type) {
	case types.Array:
		return c.listText(s, from.Elem)
	case types.Map:
		return c.mapText(s, from)
	case types.Struct:
		return c.structText(s, from)
	case types.Decimal:
		return "CAST(" + s + " AS VARCHAR)", nil
	}
	if types.Integral(from) || from == types.Boolean {
		return "CAST(" + s + " AS VARCHAR)", nil
	}
	return c.function(s, from, types.String)
}

// orNull is the text of x inside a nested value, where NULL is written out.
func (c caster) orNull(x string, from types.Type) (string, error) {
	s, err := c.cast(x, from, types.String)
	return "coalesce(" + s + ", 'null')", err
}

func (c caster) listText(s string, elem types.Type) (string, error) {
	v := c.e.local("x")
	body, err := c.orNull(v, elem)
	return "('[' || array_to_string(list_transform(" + s + ", lambda " + v + ": " + body + "), ', ') || ']')", err
}

func (c caster) mapText(s string, from types.Map) (string, error) {
	v := c.e.local("x")
	key, err := c.orNull("struct_extract_at("+v+", 1)", from.Key)
	if err != nil {
		return "", err
	}
	value, err := c.orNull("struct_extract_at("+v+", 2)", from.Value)
	return "('{' || array_to_string(list_transform(map_entries(" + s + "), lambda " + v + ": " + key + " || ' -> ' || " + value + "), ', ') || '}')", err
}

func (c caster) structText(s string, from types.Struct) (string, error) {
	parts := make([]string, len(from.Fields))
	for i, f := range from.Fields {
		p, err := c.orNull(fmt.Sprintf("struct_extract_at(%s, %d)", s, i+1), f.Type)
		if err != nil {
			return "", err
		}
		parts[i] = p
	}
	return "(CASE WHEN " + s + " IS NULL THEN NULL ELSE '{' || " + strings.Join(parts, " || ', ' || ") + " || '}' END)", nil
}

// structure rebuilds a struct field by field: a cast of DuckDB's would match fields by name.
func (c caster) structure(s string, from, to types.Struct) (string, error) {
	if len(from.Fields) != len(to.Fields) {
		return "", fmt.Errorf("duckdb: cannot convert %v to %v", from, to)
	}
	args := make([]string, len(to.Fields))
	for i, f := range to.Fields {
		x, err := c.cast(fmt.Sprintf("struct_extract_at(%s, %d)", s, i+1), from.Fields[i].Type, f.Type)
		if err != nil {
			return "", err
		}
		args[i] = ident(f.Name) + " := " + x
	}
	null, err := constant(to, nil)
	return "CASE WHEN " + s + " IS NULL THEN " + null + " ELSE struct_pack(" + strings.Join(args, ", ") + ") END", err
}

func (c caster) array(s string, from, to types.Array) (string, error) {
	v := c.e.local("x")
	body, err := c.cast(v, from.Elem, to.Elem)
	if err != nil || body == v {
		return s, err
	}
	return "list_transform(" + s + ", lambda " + v + ": " + body + ")", nil
}

func (c caster) mapping(s string, from, to types.Map) (string, error) {
	keys, err := c.array("map_keys("+s+")", types.Array{Elem: from.Key}, types.Array{Elem: to.Key})
	if err != nil {
		return "", err
	}
	values, err := c.array("map_values("+s+")", types.Array{Elem: from.Value}, types.Array{Elem: to.Value})
	if err != nil {
		return "", err
	}
	null, err := constant(to, nil)
	return "CASE WHEN " + s + " IS NULL THEN " + null + " ELSE map(" + keys + ", " + values + ") END", err
}
