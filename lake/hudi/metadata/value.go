package metadata

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// Wrapper says how a bound is stored: the records that wrap values in the union of bounds, in its order.
type Wrapper uint8

// The wrappers. NoValue is null.
const (
	NoValue Wrapper = iota
	BooleanWrapper
	IntWrapper
	LongWrapper
	FloatWrapper
	DoubleWrapper
	BytesWrapper
	StringWrapper
	DateWrapper
	DecimalWrapper // unscaled bytes at scale 15
	TimeMicrosWrapper
	TimestampMicrosWrapper
	LocalDateWrapper
	ArrayWrapper // not read
)

var wrapperNames = [...]string{"null", "BooleanWrapper", "IntWrapper", "LongWrapper", "FloatWrapper", "DoubleWrapper", "BytesWrapper",
	"StringWrapper", "DateWrapper", "DecimalWrapper", "TimeMicrosWrapper", "TimestampMicrosWrapper", "LocalDateWrapper", "ArrayWrapper"}

// Value is a bound as it is stored.
type Value struct {
	Wrapper Wrapper
	Int     int64 // also Boolean, 0 or 1
	Float   float64
	Bytes   string
}

// ValueType says, since table version 9, what a value is that a wrapper holds plainly: decimals as unscaled bytes, dates and
// timestamps as numbers. The numbers are those of ValueType of apache/hudi.
type ValueType struct {
	Ordinal int32 // 0 is the old form, in which the wrapper says it
	Info    string
}

const (
	typeNull            = 1
	typeBoolean         = 2
	typeInt             = 3
	typeLong            = 4
	typeFloat           = 5
	typeDouble          = 6
	typeString          = 7
	typeDecimal         = 10
	typeDate            = 12
	typeTimestampMillis = 15
	typeTimestampMicros = 16
	typeLocalMillis     = 18
	typeLocalMicros     = 19
)

// oldScale is that of all decimals in wrappers of their own.
const (
	oldScale     = 15
	oldPrecision = 30
)

// As is the bound as a value of a column of type t, when it can be read as one: bounds of columns whose type has changed, and of
// types that are not known, cannot. kind is that of the stats that the bound is from.
func (v Value) As(t types.Type, kind ValueType) (types.Value, bool) {
	switch t {
	case types.Boolean:
		return v.Int != 0, v.Wrapper == BooleanWrapper
	case types.Byte, types.Short, types.Int, types.Long:
		return v.Int, v.Wrapper == IntWrapper || v.Wrapper == LongWrapper
	case types.Float:
		return float32(v.Float), v.Wrapper == FloatWrapper
	case types.Double:
		return v.Float, v.Wrapper == DoubleWrapper || v.Wrapper == FloatWrapper
	case types.Date:
		return int32(v.Int), v.Wrapper == DateWrapper || v.Wrapper == LocalDateWrapper || v.Wrapper == IntWrapper
	case types.Timestamp, types.TimestampNTZ:
		return v.micros(kind)
	}
	if d, ok := t.(types.Decimal); ok {
		return v.decimal(d, kind)
	}
	return v.Bytes, types.Text(t) && v.Wrapper == StringWrapper && utf8.ValidString(v.Bytes)
}

func (v Value) micros(kind ValueType) (types.Value, bool) {
	switch {
	case v.Wrapper == TimestampMicrosWrapper:
		return v.Int, true
	case v.Wrapper != LongWrapper:
		return nil, false
	case kind.Ordinal == typeTimestampMillis || kind.Ordinal == typeLocalMillis:
		return v.Int * 1000, v.Int*1000/1000 == v.Int
	}
	return v.Int, kind.Ordinal == typeTimestampMicros || kind.Ordinal == typeLocalMicros
}

func (v Value) decimal(d types.Decimal, kind ValueType) (types.Value, bool) {
	scale := oldScale
	switch {
	case v.Wrapper == BytesWrapper && kind.Ordinal == typeDecimal:
		_, s, ok := decimalInfo(kind.Info)
		if !ok {
			return nil, false
		}
		scale = s
	case v.Wrapper != DecimalWrapper:
		return nil, false
	}
	n, ok := rescale(signed(v.Bytes), scale, d.S)
	if !ok || n.BitLen() > 126 {
		return nil, false
	}
	return decimal128.FromBigInt(n), true
}

// rescale changes the scale of an unscaled number if that loses nothing.
func rescale(n *big.Int, from, to int) (*big.Int, bool) {
	if from == to {
		return n, true
	}
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(from-to, to-from))), nil)
	if to > from {
		return n.Mul(n, ten), true
	}
	q, r := new(big.Int).QuoRem(n, ten, new(big.Int))
	return q, r.Sign() == 0
}

// signed reads a number in two's complement, the highest byte first.
func signed(b string) *big.Int {
	n := new(big.Int).SetBytes([]byte(b))
	if len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// unsigned writes a number in the fewest bytes of two's complement.
func unsigned(n *big.Int) string {
	bits := n.BitLen()
	if n.Sign() < 0 {
		bits = new(big.Int).Not(n).BitLen()
	}
	size := bits/8 + 1
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	return string(n.FillBytes(make([]byte, size)))
}

// newValue is the bound x of a column of type t as the releases of a table version store it. ok is false when they store none
// of this type.
func newValue(x types.Value, t types.Type, version int) (v Value, kind ValueType, ok bool) {
	kind, ok = valueType(t)
	if version < 9 {
		kind = ValueType{}
	}
	if x == nil || !ok {
		return Value{}, kind, ok
	}
	switch x := x.(type) {
	case bool:
		v = Value{Wrapper: BooleanWrapper}
		if x {
			v.Int = 1
		}
	case int64:
		v = Value{Wrapper: LongWrapper, Int: x}
		switch {
		case t == types.Byte || t == types.Short || t == types.Int:
			v.Wrapper = IntWrapper
		case t != types.Long && version < 9:
			v.Wrapper = TimestampMicrosWrapper
		}
	case int32:
		v = Value{Wrapper: IntWrapper, Int: int64(x)}
		if version < 9 {
			v.Wrapper = DateWrapper
		}
	case float32:
		v = Value{Wrapper: FloatWrapper, Float: float64(x)}
	case float64:
		v = Value{Wrapper: DoubleWrapper, Float: x}
	case string:
		v = Value{Wrapper: StringWrapper, Bytes: x}
	case decimal128.Num:
		return decimalValue(x.BigInt(), t.(types.Decimal), kind, version)
	default:
		return Value{}, kind, false
	}
	return v, kind, true
}

func decimalValue(n *big.Int, d types.Decimal, kind ValueType, version int) (Value, ValueType, bool) {
	if version >= 9 {
		return Value{Wrapper: BytesWrapper, Bytes: unsigned(n)}, kind, true
	}
	if d.S > oldScale || d.P-d.S > oldPrecision-oldScale {
		return Value{}, kind, false
	}
	n, _ = rescale(n, d.S, oldScale)
	return Value{Wrapper: DecimalWrapper, Bytes: unsigned(n)}, kind, true
}

// valueType is how version 9 names a type; not ok when no bounds of it are kept.
func valueType(t types.Type) (ValueType, bool) {
	if d, ok := t.(types.Decimal); ok {
		return ValueType{typeDecimal, decimalText(d)}, true
	}
	switch t {
	case types.Boolean:
		return ValueType{Ordinal: typeBoolean}, true
	case types.Byte, types.Short, types.Int:
		return ValueType{Ordinal: typeInt}, true
	case types.Long:
		return ValueType{Ordinal: typeLong}, true
	case types.Float:
		return ValueType{Ordinal: typeFloat}, true
	case types.Double:
		return ValueType{Ordinal: typeDouble}, true
	case types.Date:
		return ValueType{Ordinal: typeDate}, true
	case types.Timestamp:
		return ValueType{Ordinal: typeTimestampMicros}, true
	case types.TimestampNTZ:
		return ValueType{Ordinal: typeLocalMicros}, true
	}
	return ValueType{Ordinal: typeString}, types.Text(t)
}

// less orders two bounds of a column; ok is false when they cannot be compared.
func less(a, b Value, kind ValueType) (result, ok bool) {
	if a.Wrapper != b.Wrapper {
		return false, false
	}
	switch a.Wrapper {
	case FloatWrapper, DoubleWrapper:
		return a.Float < b.Float, a.Float == a.Float && b.Float == b.Float
	case StringWrapper:
		return a.Bytes < b.Bytes, true
	case BytesWrapper, DecimalWrapper:
		return signed(a.Bytes).Cmp(signed(b.Bytes)) < 0, a.Wrapper == DecimalWrapper || kind.Ordinal == typeDecimal
	case ArrayWrapper, NoValue:
		return false, false
	}
	return a.Int < b.Int, true
}

func decimalText(d types.Decimal) string { return strconv.Itoa(d.P) + "," + strconv.Itoa(d.S) }

func decimalInfo(s string) (precision, scale int, ok bool) {
	p, q, ok := strings.Cut(s, ",")
	precision, err := strconv.Atoi(p)
	scale, err2 := strconv.Atoi(q)
	return precision, scale, ok && err == nil && err2 == nil && precision > 0 && precision <= 1000 && scale >= 0 && scale <= precision
}
