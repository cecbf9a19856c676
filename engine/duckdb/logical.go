package duckdb

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	duck "github.com/duckdb/duckdb-go-bindings"
)

// flat are the DuckDB types of Arrow types without parameters. Durations and months are plain numbers in
// DuckDB: its INTERVAL compares and adds by other rules than Spark's two interval types.
var flat = map[arrow.Type]duck.Type{
	arrow.BOOL: duck.TypeBoolean, arrow.INT8: duck.TypeTinyInt, arrow.INT16: duck.TypeSmallInt,
	arrow.INT32: duck.TypeInteger, arrow.INT64: duck.TypeBigInt, arrow.UINT8: duck.TypeUTinyInt,
	arrow.UINT16: duck.TypeUSmallInt, arrow.UINT32: duck.TypeUInteger, arrow.UINT64: duck.TypeUBigInt,
	arrow.FLOAT32: duck.TypeFloat, arrow.FLOAT64: duck.TypeDouble, arrow.DATE32: duck.TypeDate,
	arrow.STRING: duck.TypeVarchar, arrow.BINARY: duck.TypeBlob, arrow.NULL: duck.TypeInteger,
	arrow.INTERVAL_MONTHS: duck.TypeInteger, arrow.INTERVAL_MONTH_DAY_NANO: duck.TypeInterval,
}

func flatType(t arrow.DataType) (duck.Type, error) {
	switch t := t.(type) {
	case *arrow.TimestampType:
		if t.TimeZone == "" {
			return map[arrow.TimeUnit]duck.Type{arrow.Second: duck.TypeTimestampS, arrow.Millisecond: duck.TypeTimestampMS,
				arrow.Microsecond: duck.TypeTimestamp, arrow.Nanosecond: duck.TypeTimestampNS}[t.Unit], nil
		}
		if t.Unit == arrow.Microsecond {
			return duck.TypeTimestampTZ, nil
		}
	case *arrow.DurationType:
		if t.Unit == arrow.Microsecond {
			return duck.TypeBigInt, nil
		}
	case *arrow.Time64Type:
		if t.Unit == arrow.Microsecond {
			return duck.TypeTime, nil
		}
	default:
		if id, ok := flat[t.ID()]; ok {
			return id, nil
		}
	}
	return duck.TypeInvalid, fmt.Errorf("duckdb: Arrow type %v has no DuckDB form here", t)
}

// logicalType is the DuckDB type of an Arrow type; the caller destroys it.
func logicalType(t arrow.DataType) (duck.LogicalType, error) {
	var l duck.LogicalType
	var kids []arrow.DataType
	var names []string
	switch t := t.(type) {
	case *arrow.Decimal128Type:
		return duck.CreateDecimalType(uint8(t.Precision), uint8(t.Scale)), nil
	case *arrow.ListType:
		kids = []arrow.DataType{t.Elem()}
	case *arrow.FixedSizeListType:
		kids = []arrow.DataType{t.Elem()}
	case *arrow.MapType:
		kids = []arrow.DataType{t.KeyType(), t.ItemType()}
	case *arrow.StructType:
		for _, f := range t.Fields() {
			kids, names = append(kids, f.Type), append(names, f.Name)
		}
	default:
		id, err := flatType(t)
		if err != nil {
			return l, err
		}
		return duck.CreateLogicalType(id), nil
	}
	ls, free, err := logicalTypes(kids)
	if err != nil {
		return l, err
	}
	defer free()
	switch t := t.(type) {
	case *arrow.ListType:
		l = duck.CreateListType(ls[0])
	case *arrow.FixedSizeListType:
		l = duck.CreateArrayType(ls[0], duck.IdxT(t.Len()))
	case *arrow.MapType:
		l = duck.CreateMapType(ls[0], ls[1])
	default:
		l = duck.CreateStructType(ls, names)
	}
	return l, nil
}

func logicalTypes(ts []arrow.DataType) (out []duck.LogicalType, free func(), err error) {
	free = func() {
		for i := range out {
			duck.DestroyLogicalType(&out[i])
		}
	}
	for _, t := range ts {
		l, err := logicalType(t)
		if err != nil {
			free()
			return nil, nil, err
		}
		out = append(out, l)
	}
	return out, free, nil
}

// sameShape reports whether values of a and b are laid out alike; names and nullability may differ.
func sameShape(a, b arrow.DataType) bool {
	if a.ID() != b.ID() {
		return false
	}
	switch a := a.(type) {
	case *arrow.StructType:
		b := b.(*arrow.StructType)
		if a.NumFields() != b.NumFields() {
			return false
		}
		for i := range a.NumFields() {
			if !sameShape(a.Field(i).Type, b.Field(i).Type) {
				return false
			}
		}
		return true
	case *arrow.MapType:
		b := b.(*arrow.MapType)
		return sameShape(a.KeyType(), b.KeyType()) && sameShape(a.ItemType(), b.ItemType())
	case *arrow.ListType:
		return sameShape(a.Elem(), b.(*arrow.ListType).Elem())
	case *arrow.TimestampType:
		b := b.(*arrow.TimestampType)
		return a.Unit == b.Unit && (a.TimeZone == "") == (b.TimeZone == "")
	}
	return arrow.TypeEqual(a, b)
}
