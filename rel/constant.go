package rel

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// Constant is the value of an expression without columns; false when it is not known before the query runs.
func Constant(e Expr) (types.Value, bool) { return constantValue(e) }

// constantValue is the value of an expression without columns; false when it is not known here.
func constantValue(e Expr) (types.Value, bool) {
	switch e := e.(type) {
	case *Lit:
		return e.Value, true
	case *Cast:
		v, ok := constantValue(e.X)
		if !ok {
			return nil, false
		}
		if text, ok := v.(string); ok && !types.Text(e.To) {
			return readText(text, e.To, e.Zone)
		}
		return widenValue(v, e.X.Type(), e.To)
	}
	return nil, false
}

// readText converts text where all of Spark's forms that are accepted here mean the same.
func readText(text string, to types.Type, zone string) (types.Value, bool) {
	switch to {
	case types.Timestamp:
		if zone != "UTC" && zone != "Etc/UTC" && zone != "Z" {
			return nil, false
		}
	case types.Date, types.TimestampNTZ, types.Byte, types.Short, types.Int, types.Long:
	default:
		return nil, false
	}
	v, err := types.ParseText(text, to, nil)
	return v, err == nil
}

// widening reports whether widenValue converts every value of from, keeping the order.
func widening(from, to types.Type) bool {
	if _, char := from.(types.Varchar); char || types.Equal(from, to) {
		return types.Equal(from, to) || to == types.Type(types.String)
	}
	d, decimal := to.(types.Decimal)
	switch {
	case types.Integral(from):
		digits := map[types.Type]int{types.Byte: 3, types.Short: 5, types.Int: 10, types.Long: 19}[from]
		return to == types.Double || to == types.Float || intRank[from] < rankOf(to) || decimal && d.P-d.S >= digits
	case from == types.Type(types.Float):
		return to == types.Double
	case types.IsDecimal(from) && decimal:
		f := from.(types.Decimal)
		return d.S >= f.S && d.P-d.S >= f.P-f.S
	}
	return false
}

func rankOf(t types.Type) int {
	if !types.Integral(t) {
		return 0
	}
	return intRank[t]
}

// widenValue converts a value where every conversion of a smaller value gives a result that is not larger, and none fails: so that
// it may be applied to bounds too. False for all others.
func widenValue(v types.Value, from, to types.Type) (types.Value, bool) {
	if v == nil || types.Equal(from, to) {
		return v, true
	}
	if _, ok := from.(types.Varchar); ok && to == types.Type(types.String) {
		return v, true
	}
	switch x := v.(type) {
	case int64:
		if types.Integral(from) {
			return widenInt(x, from, to)
		}
	case float32:
		return float64(x), to == types.Double
	case decimal128.Num:
		f, ok1 := from.(types.Decimal)
		t, ok2 := to.(types.Decimal)
		if ok1 && ok2 && t.S >= f.S && t.P-t.S >= f.P-f.S {
			return x.IncreaseScaleBy(int32(t.S - f.S)), true
		}
	}
	return nil, false
}

var intRank = map[types.Type]int{types.Byte: 1, types.Short: 2, types.Int: 3, types.Long: 4}

func widenInt(x int64, from, to types.Type) (types.Value, bool) {
	switch to := to.(type) {
	case types.Decimal:
		limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(to.P-to.S)), nil)
		if limit.CmpAbs(big.NewInt(x)) <= 0 {
			return nil, false
		}
		return decimal128.FromI64(x).IncreaseScaleBy(int32(to.S)), true
	case types.Basic:
		switch {
		case rankOf(to) > intRank[from]:
			return x, true
		case to == types.Double:
			return float64(x), true
		case to == types.Float:
			return float32(x), true
		}
	}
	return nil, false
}

// orderValues orders two values of t that are not NULL, as Spark does: NaN is the largest, text goes by its bytes. False
// when values of t are not ordered here.
func orderValues(a, b types.Value, t types.Type) (int, bool) {
	switch x := a.(type) {
	case int64:
		y, ok := b.(int64)
		return cmp.Compare(x, y), ok
	case int32:
		y, ok := b.(int32)
		return cmp.Compare(x, y), ok
	case float32:
		y, ok := b.(float32)
		return compareFloats(float64(x), float64(y)), ok
	case float64:
		y, ok := b.(float64)
		return compareFloats(x, y), ok
	case string:
		y, ok := b.(string)
		return strings.Compare(x, y), ok && t == types.Type(types.String)
	case []byte:
		y, ok := b.([]byte)
		return bytes.Compare(x, y), ok
	case decimal128.Num:
		y, ok := b.(decimal128.Num)
		return x.Cmp(y), ok
	case bool:
		y, ok := b.(bool)
		return compareBools(x, y), ok
	}
	return 0, false
}

func compareFloats(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	case math.IsNaN(b):
		return -1
	}
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
