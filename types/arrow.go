package types

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// Arrow is the Arrow type that carries values of t between engines and users.
//
//	timestamp → timestamp[us, UTC]    timestamp_ntz → timestamp[us]    time → time64[us]
//	interval year to month → month_interval    interval day to second → duration[us]    interval → month_day_nano
//	variant → struct<metadata: binary, value: binary>
func Arrow(t Type) arrow.DataType {
	switch t := t.(type) {
	case Basic:
		return basicArrow[t]
	case Decimal:
		return &arrow.Decimal128Type{Precision: int32(t.P), Scale: int32(t.S)}
	case Char, Varchar, Collated:
		return arrow.BinaryTypes.String
	case Time:
		return arrow.FixedWidthTypes.Time64us
	case YearMonth:
		return arrow.FixedWidthTypes.MonthInterval
	case DayTime:
		return arrow.FixedWidthTypes.Duration_us
	case Array:
		return arrow.ListOfField(arrow.Field{Name: "element", Type: Arrow(t.Elem), Nullable: true})
	case Map:
		return arrow.MapOfFields(arrow.Field{Name: "key", Type: Arrow(t.Key)}, arrow.Field{Name: "value", Type: Arrow(t.Value), Nullable: true})
	case Struct:
		return arrow.StructOf(ArrowFields(t)...)
	}
	panic(fmt.Sprintf("types: no Arrow type for %v", t))
}

var basicArrow = map[Basic]arrow.DataType{
	Void:             arrow.Null,
	Boolean:          arrow.FixedWidthTypes.Boolean,
	Byte:             arrow.PrimitiveTypes.Int8,
	Short:            arrow.PrimitiveTypes.Int16,
	Int:              arrow.PrimitiveTypes.Int32,
	Long:             arrow.PrimitiveTypes.Int64,
	Float:            arrow.PrimitiveTypes.Float32,
	Double:           arrow.PrimitiveTypes.Float64,
	String:           arrow.BinaryTypes.String,
	Binary:           arrow.BinaryTypes.Binary,
	Date:             arrow.FixedWidthTypes.Date32,
	Timestamp:        &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	TimestampNTZ:     &arrow.TimestampType{Unit: arrow.Microsecond},
	CalendarInterval: arrow.FixedWidthTypes.MonthDayNanoInterval,
	Variant: arrow.StructOf(
		arrow.Field{Name: "metadata", Type: arrow.BinaryTypes.Binary},
		arrow.Field{Name: "value", Type: arrow.BinaryTypes.Binary}),
}

// ArrowFields are the fields of s for Arrow, all nullable: engines do not promise more.
func ArrowFields(s Struct) []arrow.Field {
	out := make([]arrow.Field, len(s.Fields))
	for i, f := range s.Fields {
		out[i] = arrow.Field{Name: f.Name, Type: Arrow(f.Type), Nullable: true}
	}
	return out
}

// FromArrow is the Spark type of Arrow data that comes from users. It is an error for Arrow types that Spark
// has no equal for.
func FromArrow(t arrow.DataType) (Type, error) {
	switch t := t.(type) {
	case *arrow.Decimal128Type:
		return Decimal{int(t.Precision), int(t.Scale)}, nil
	case *arrow.TimestampType:
		if t.TimeZone == "" {
			return TimestampNTZ, nil
		}
		return Timestamp, nil
	case *arrow.DictionaryType:
		return FromArrow(t.ValueType)
	case *arrow.MapType:
		key, err := FromArrow(t.KeyType())
		if err != nil {
			return nil, err
		}
		value, err := FromArrow(t.ItemType())
		return Map{key, value, t.ItemField().Nullable}, err
	case arrow.ListLikeType:
		elem, err := FromArrow(t.Elem())
		return Array{elem, t.ElemField().Nullable}, err
	case *arrow.StructType:
		return SchemaFromArrow(t.Fields())
	}
	if b, ok := leafFromArrow[t.ID()]; ok {
		return b, nil
	}
	return nil, fmt.Errorf("no Spark type for the Arrow type %s", t)
}

var leafFromArrow = map[arrow.Type]Type{
	arrow.NULL: Void, arrow.BOOL: Boolean, arrow.INT8: Byte, arrow.INT16: Short, arrow.INT32: Int, arrow.INT64: Long,
	arrow.UINT8: Short, arrow.UINT16: Int, arrow.UINT32: Long,
	arrow.FLOAT16: Float, arrow.FLOAT32: Float, arrow.FLOAT64: Double,
	arrow.STRING: String, arrow.LARGE_STRING: String, arrow.STRING_VIEW: String,
	arrow.BINARY: Binary, arrow.LARGE_BINARY: Binary, arrow.BINARY_VIEW: Binary, arrow.FIXED_SIZE_BINARY: Binary,
	arrow.DATE32: Date, arrow.DATE64: Date, arrow.TIME32: Time{6}, arrow.TIME64: Time{6},
	arrow.INTERVAL_MONTHS: YearMonth{Year, Month}, arrow.DURATION: DayTime{Day, Second}, arrow.INTERVAL_MONTH_DAY_NANO: CalendarInterval,
}

// SchemaFromArrow is FromArrow for the fields of a record.
func SchemaFromArrow(fields []arrow.Field) (Struct, error) {
	var s Struct
	for _, f := range fields {
		t, err := FromArrow(f.Type)
		if err != nil {
			return Struct{}, fmt.Errorf("column %s: %w", f.Name, err)
		}
		s.Fields = append(s.Fields, Field{Name: f.Name, Type: t, Nullable: f.Nullable})
	}
	return s, nil
}
