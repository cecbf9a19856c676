// Package types holds Spark's data types, the Go form of their values, and the spellings of both. Types are
// spelled as DDL text (`array<struct<a:int>>`), as the JSON of Spark and Delta schemas, and in Arrow; values
// as the text of a cast to string ([AppendTimestamp] and its like), and in Arrow ([ValueAt], [AppendValue]).
//
// A [Type] is a small immutable value. Leaf types are comparable with ==; nested ones are compared
// with [Equal], which ignores nullability and metadata, or [Same], which does not.
//
//	Boolean Byte Short Int Long Float Double Decimal{P,S}        numbers, widest last
//	String Char{N} Varchar{N} Binary                             text and bytes
//	Date Time{P} Timestamp TimestampNTZ                          days, micros of day, micros since 1970 UTC, micros of wall clock
//	YearMonth{From,To} DayTime{From,To} CalendarInterval         months, micros, (months, days, micros)
//	Array Map Struct Variant Void
//
// A value ([Value]) is nil for NULL, otherwise the Go type that its Spark type names in value.go.
package types
