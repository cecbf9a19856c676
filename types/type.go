package types

import (
	"fmt"
	"strconv"
	"strings"
)

// Type is one of Spark's data types. String gives its simple string as DESCRIBE prints it
// (`bigint`, `decimal(10,2)`, `array<int>`, `struct<a:int,b:string>`).
type Type interface {
	String() string
	isType()
}

// Basic is a type without parameters.
type Basic uint8

// The types without parameters.
const (
	Void Basic = iota // the type of NULL
	Boolean
	Byte
	Short
	Int
	Long
	Float
	Double
	String
	Binary
	Date         // days since 1970-01-01, proleptic Gregorian
	Timestamp    // an instant: microseconds since 1970-01-01T00:00:00Z
	TimestampNTZ // a wall clock reading: microseconds since 1970-01-01T00:00:00
	CalendarInterval
	Variant
)

var basicNames = [...]string{"void", "boolean", "tinyint", "smallint", "int", "bigint", "float", "double",
	"string", "binary", "date", "timestamp", "timestamp_ntz", "interval", "variant"}

func (b Basic) String() string { return basicNames[b] }

// Decimal has P digits in all (1 to 38), S of them after the point (0 to P).
type Decimal struct{ P, S int }

func (d Decimal) String() string { return fmt.Sprintf("decimal(%d,%d)", d.P, d.S) }

// Char is text padded with blanks to N characters when read and compared.
type Char struct{ N int }

func (c Char) String() string { return "char(" + strconv.Itoa(c.N) + ")" }

// Varchar is text of at most N characters.
type Varchar struct{ N int }

func (v Varchar) String() string { return "varchar(" + strconv.Itoa(v.N) + ")" }

// Collated is text that compares by the named collation. Plain String is UTF8_BINARY.
type Collated struct{ Name string }

func (c Collated) String() string { return "string collate " + c.Name }

// Time is the time of day with P digits of a second (0 to 6).
type Time struct{ P int }

func (t Time) String() string { return "time(" + strconv.Itoa(t.P) + ")" }

// Unit is a field of an interval type.
type Unit uint8

// The fields of intervals, from the largest to the smallest. Year and Month bound a [YearMonth], the rest a [DayTime].
const (
	Year Unit = iota
	Month
	Day
	Hour
	Minute
	Second
)

var unitNames = [...]string{"year", "month", "day", "hour", "minute", "second"}

func (u Unit) String() string { return unitNames[u] }

// YearMonth is a number of months, shown with the fields From to To.
type YearMonth struct{ From, To Unit }

func (y YearMonth) String() string { return intervalName(y.From, y.To) }

// DayTime is a number of microseconds, shown with the fields From to To.
type DayTime struct{ From, To Unit }

func (d DayTime) String() string { return intervalName(d.From, d.To) }

func intervalName(from, to Unit) string {
	if from == to {
		return "interval " + from.String()
	}
	return "interval " + from.String() + " to " + to.String()
}

// Array is a list of Elem.
type Array struct {
	Elem     Type
	Nullable bool // an element may be NULL
}

func (a Array) String() string { return "array<" + a.Elem.String() + ">" }

// Map has unordered pairs with unique keys that are not NULL.
type Map struct {
	Key, Value Type
	Nullable   bool // a value may be NULL
}

func (m Map) String() string { return "map<" + m.Key.String() + "," + m.Value.String() + ">" }

// Struct is a sequence of named fields. A table's schema is a Struct.
type Struct struct{ Fields []Field }

// Field is one field of a struct or one column of a table.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
	Metadata Metadata // nil when there is none
}

func (s Struct) String() string {
	var b strings.Builder
	b.WriteString("struct<")
	for i, f := range s.Fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(f.Name + ":" + f.Type.String())
	}
	return b.String() + ">"
}

// Index is the position of the field named name, first exactly, then ignoring case; -1 when there is none.
func (s Struct) Index(name string) int {
	for i, f := range s.Fields {
		if f.Name == name {
			return i
		}
	}
	for i, f := range s.Fields {
		if strings.EqualFold(f.Name, name) {
			return i
		}
	}
	return -1
}

func (Basic) isType()     {}
func (Decimal) isType()   {}
func (Char) isType()      {}
func (Varchar) isType()   {}
func (Collated) isType()  {}
func (Time) isType()      {}
func (YearMonth) isType() {}
func (DayTime) isType()   {}
func (Array) isType()     {}
func (Map) isType()       {}
func (Struct) isType()    {}

// Equal reports whether a and b have the same values, ignoring nullability and metadata. Field names
// are compared exactly.
func Equal(a, b Type) bool { return same(a, b, false) }

// Same is Equal with nullability and metadata compared too.
func Same(a, b Type) bool { return same(a, b, true) }

func same(a, b Type, strict bool) bool {
	switch a := a.(type) {
	case Array:
		b, ok := b.(Array)
		return ok && same(a.Elem, b.Elem, strict) && (!strict || a.Nullable == b.Nullable)
	case Map:
		b, ok := b.(Map)
		return ok && same(a.Key, b.Key, strict) && same(a.Value, b.Value, strict) && (!strict || a.Nullable == b.Nullable)
	case Struct:
		b, ok := b.(Struct)
		if !ok || len(a.Fields) != len(b.Fields) {
			return false
		}
		for i, f := range a.Fields {
			g := b.Fields[i]
			if f.Name != g.Name || !same(f.Type, g.Type, strict) {
				return false
			}
			if strict && (f.Nullable != g.Nullable || !f.Metadata.Equal(g.Metadata)) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case Array, Map, Struct:
		return false
	}
	return a == b
}

// Numeric reports whether t is one of Spark's number types.
func Numeric(t Type) bool { return Integral(t) || t == Float || t == Double || IsDecimal(t) }

// Integral reports whether t is tinyint, smallint, int or bigint.
func Integral(t Type) bool { return t == Byte || t == Short || t == Int || t == Long }

// IsDecimal reports whether t is a decimal.
func IsDecimal(t Type) bool { _, ok := t.(Decimal); return ok }

// Text reports whether t is string, char, varchar or a collated string.
func Text(t Type) bool {
	switch t.(type) {
	case Char, Varchar, Collated:
		return true
	}
	return t == String
}

// Atomic reports whether t has no parts and is not void.
func Atomic(t Type) bool {
	switch t.(type) {
	case Array, Map, Struct:
		return false
	}
	return t != Void
}
