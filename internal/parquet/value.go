package parquet

import (
	"encoding/binary"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tarn-lake/tarn/types"
)

// SparkType is the type that Spark reads a leaf as; nil when there is none or it is not known here.
func (l Leaf) SparkType() types.Type {
	switch t := logical(l.Type).(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		return types.String
	case *format.DecimalType:
		return types.Decimal{P: int(t.Precision), S: int(t.Scale)}
	case *format.DateType:
		return types.Date
	case *format.TimestampType:
		if t.IsAdjustedToUTC {
			return types.Timestamp
		}
		return types.TimestampNTZ
	case *format.IntType:
		if t.IsSigned && t.BitWidth <= 16 {
			return map[bool]types.Type{true: types.Byte, false: types.Short}[t.BitWidth == 8]
		}
	}
	return physicalTypes[l.Type.Kind()]
}

var physicalTypes = map[pq.Kind]types.Type{
	pq.Boolean: types.Boolean, pq.Int32: types.Int, pq.Int64: types.Long, pq.Int96: types.Timestamp, pq.Float: types.Float, pq.Double: types.Double,
	pq.ByteArray: types.Binary,
}

func logical(t pq.Type) format.LogicalTypeValue {
	if l := t.LogicalType(); l != nil {
		return l.Value
	}
	return nil
}

// Value is cell i as a value of the leaf's SparkType; nil for NULL and for what does not fit.
func (v *Vector) Value(i int) types.Value {
	if !v.Set(i) {
		return nil
	}
	switch t := v.SparkType().(type) {
	case types.Decimal:
		return v.decimal(i)
	case types.Basic:
		switch t {
		case types.Boolean:
			return v.Bools[i]
		case types.Byte, types.Short, types.Int, types.Long:
			return v.Ints[i]
		case types.Float:
			return float32(v.Reals[i])
		case types.Double:
			return v.Reals[i]
		case types.Date:
			return int32(v.Ints[i])
		case types.Timestamp, types.TimestampNTZ:
			return v.micros(i)
		case types.String:
			return v.Texts[i]
		case types.Binary:
			return []byte(v.Texts[i])
		}
	}
	return nil
}

func (v *Vector) decimal(i int) types.Value {
	if v.Ints != nil {
		return decimal128.FromI64(v.Ints[i])
	}
	b := []byte(v.Texts[i])
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if n.BitLen() > 127 {
		return nil
	}
	return decimal128.FromBigInt(n)
}

// micros is an instant in microseconds, rounded down.
func (v *Vector) micros(i int) types.Value {
	if v.Texts != nil { // INT96: nanoseconds of the day, Julian day
		const epoch, day = 2440588, 86400 * 1_000_000
		b := []byte(v.Texts[i])
		nanos, days := int64(binary.LittleEndian.Uint64(b)), int64(int32(binary.LittleEndian.Uint32(b[8:])))
		return (days-epoch)*day + floorDiv(nanos, 1000)
	}
	t, ok := logical(v.Type).(*format.TimestampType)
	if !ok {
		return nil
	}
	switch t.Unit.Value.(type) {
	case *format.MilliSeconds:
		return v.Ints[i] * 1000
	case *format.NanoSeconds:
		return floorDiv(v.Ints[i], 1000)
	}
	return v.Ints[i]
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
