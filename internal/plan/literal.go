package plan

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// literal is the constant that e spells; ok is false when e is no literal.
func (a *analyzer) literal(e syntax.Expr) (lit *rel.Lit, ok bool, err error) {
	switch e := e.(type) {
	case *syntax.NullLit:
		return &rel.Lit{T: types.Void}, true, nil
	case *syntax.BoolLit:
		return &rel.Lit{T: types.Boolean, Value: e.Value}, true, nil
	case *syntax.StringLit:
		return stringLit(e.Value), true, nil
	case *syntax.BinaryLit:
		return &rel.Lit{T: types.Binary, Value: append([]byte{}, e.Value...)}, true, nil
	case *syntax.NumberLit:
		lit, err = number(e)
		return lit, true, err
	case *syntax.TypedLit:
		lit, err = a.typedLit(e)
		return lit, true, err
	case *syntax.IntervalLit:
		lit, err = a.intervalLit(e)
		return lit, true, err
	}
	return nil, false, nil
}

func stringLit(s string) *rel.Lit { return &rel.Lit{T: types.String, Value: s} }

func intLit(n int64) *rel.Lit { return &rel.Lit{T: types.Int, Value: n} }

func number(e *syntax.NumberLit) (*rel.Lit, error) {
	text := e.Text
	if e.Neg {
		text = "-" + text
	}
	switch e.Suffix {
	case "Y":
		return integer(text, 8, types.Byte, e)
	case "S":
		return integer(text, 16, types.Short, e)
	case "L":
		return integer(text, 64, types.Long, e)
	case "D":
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, outOfRange(text, "double", "-1.7976931348623157E+308", "1.7976931348623157E+308", e)
		}
		return &rel.Lit{T: types.Double, Value: v}, nil
	case "F":
		v, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return nil, outOfRange(text, "float", "-3.4028234663852886E+38", "3.4028234663852886E+38", e)
		}
		return &rel.Lit{T: types.Float, Value: float32(v)}, nil
	case "BD":
		return decimalLit(text, e)
	}
	if strings.ContainsAny(text, "eE") {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, outOfRange(text, "double", "-1.7976931348623157E+308", "1.7976931348623157E+308", e)
		}
		return &rel.Lit{T: types.Double, Value: v}, nil
	}
	if strings.Contains(text, ".") {
		return decimalLit(text, e)
	}
	if v, err := strconv.ParseInt(text, 10, 32); err == nil {
		return intLit(v), nil
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return &rel.Lit{T: types.Long, Value: v}, nil
	}
	return decimalLit(text, e)
}

func integer(text string, bits int, t types.Type, at syntax.Node) (*rel.Lit, error) {
	v, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		limit := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
		return nil, outOfRange(text, t.String(), "-"+limit.String(), limit.Sub(limit, big.NewInt(1)).String(), at)
	}
	return &rel.Lit{T: t, Value: v}, nil
}

func outOfRange(text, typeName, low, high string, at syntax.Node) error {
	return fail("INVALID_NUMERIC_LITERAL_RANGE", at, "rawStrippedQualifier", text, "minValue", low, "maxValue", high,
		"typeName", typeName)
}

// decimalLit reads digits with a point or an exponent as the narrowest decimal that holds them.
func decimalLit(text string, at syntax.Node) (*rel.Lit, error) {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		exponent, _ = strconv.Atoi(text[i+1:])
	}
	scale := 0
	if i := strings.IndexByte(mantissa, '.'); i >= 0 {
		scale = len(mantissa) - i - 1
		mantissa = mantissa[:i] + mantissa[i+1:]
	}
	scale -= exponent
	n, ok := new(big.Int).SetString(mantissa, 10)
	if !ok || exponent > 100 || exponent < -100 {
		return nil, fail("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", at, "precision", strconv.Itoa(len(mantissa)+abs(exponent)), "maxPrecision", "38")
	}
	if scale < 0 {
		n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-scale)), nil))
		scale = 0
	}
	precision := max(len(new(big.Int).Abs(n).String()), scale)
	if precision > 38 {
		return nil, fail("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", at, "precision", strconv.Itoa(precision), "maxPrecision", "38")
	}
	return &rel.Lit{T: types.Decimal{P: precision, S: scale}, Value: decimal128.FromBigInt(n)}, nil
}

func abs(n int) int { return max(n, -n) }

func (a *analyzer) typedLit(e *syntax.TypedLit) (*rel.Lit, error) {
	bad := func(t string) error {
		return fail("INVALID_TYPED_LITERAL", e, "valueType", quoteSQL(t), "value", "'"+e.Value+"'")
	}
	switch e.Type {
	case "DATE":
		if d, ok := a.date(e.Value); ok {
			return &rel.Lit{T: types.Date, Value: d}, nil
		}
		return nil, bad("DATE")
	case "TIME":
		if us, p, ok := clock(strings.TrimSpace(e.Value)); ok {
			return &rel.Lit{T: types.Time{P: max(p, 6)}, Value: us}, nil
		}
		return nil, bad("TIME")
	case "INTERVAL":
		return a.intervalText(e)
	}
	w, ok := a.moment(e.Value)
	if !ok {
		return nil, bad(e.Type)
	}
	ltz := e.Type == "TIMESTAMP_LTZ" || e.Type == "TIMESTAMP" && (!a.set.NTZ || w.zoned)
	if !ltz {
		return &rel.Lit{T: types.TimestampNTZ, Value: w.local}, nil
	}
	return &rel.Lit{T: types.Timestamp, Value: a.instant(w)}, nil
}
