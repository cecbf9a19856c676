package types

import "github.com/apache/arrow-go/v18/arrow/decimal128"

// Value is nil for NULL, otherwise by type:
//
//	Boolean                      bool
//	Byte Short Int Long          int64
//	Float                        float32
//	Double                       float64
//	Decimal                      decimal128.Num, the unscaled number
//	String Char Varchar Collated string
//	Binary                       []byte
//	Date                         int32, days since 1970-01-01
//	Timestamp TimestampNTZ       int64, microseconds
//	Time                         int64, microseconds of the day
//	YearMonth                    int32, months
//	DayTime                      int64, microseconds
//	CalendarInterval             Interval
//	Array                        []Value
//	Map                          []Pair, in any order
//	Struct                       []Value, one per field
type Value any

// Pair is one entry of a map value.
type Pair struct{ Key, Value Value }

// Interval is a value of the type CalendarInterval.
type Interval struct {
	Months, Days int32
	Micros       int64
}

// DecimalValue makes a decimal value of an unscaled whole number.
func DecimalValue(unscaled int64) decimal128.Num { return decimal128.FromI64(unscaled) }

// IsNaN reports whether v is a float or double that is not a number.
func IsNaN(v Value) bool {
	switch v := v.(type) {
	case float32:
		return v != v
	case float64:
		return v != v
	}
	return false
}
