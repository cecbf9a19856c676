package duckdb

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// numberFunctions compute on whole numbers and doubles as Java does.
var numberFunctions = map[string]udf{
	"int_add":            intUDF(intAdd),
	"int_sub":            intUDF(intSub),
	"int_mul":            intUDF(intMul),
	"int_div":            intUDF(intDiv),
	"int_rem":            intUDF(intRem),
	"int_pmod":           intUDF(intPmod),
	"int_neg":            intUDF(intNeg),
	"int_abs":            intUDF(intAbs),
	"double_div":         floatUDF(doubleDiv),
	"double_rem":         floatUDF(doubleRem),
	"double_pmod":        floatUDF(doublePmod),
	"shiftleft":          intUDF(shiftLeft),
	"shiftrightunsigned": intUDF(shiftRightUnsigned),
	"bit_get":            intUDF(bitGet),
	"bit_count":          intUDF(func(_ use, r *row) (int64, error) { return int64(bits.OnesCount64(uint64(r.int(0)))), nil }),
	"round_int":          intUDF(func(u use, r *row) (int64, error) { return roundInt(u, r, divHalfUp) }),
	"bround_int":         intUDF(func(u use, r *row) (int64, error) { return roundInt(u, r, divHalfEven) }),
	"round_float":        floatUDF(func(u use, r *row) (float64, error) { return roundFloat(u, r, divHalfUp) }),
	"bround_float":       floatUDF(func(u use, r *row) (float64, error) { return roundFloat(u, r, divHalfEven) }),
	"ceil_float":         intUDF(func(u use, r *row) (int64, error) { return saturate(math.Ceil(r.float(0)), types.Long), nil }),
	"floor_float":        intUDF(func(u use, r *row) (int64, error) { return saturate(math.Floor(r.float(0)), types.Long), nil }),
	"unary":              floatUDF(unary),
	"atan2":              floatUDF(func(_ use, r *row) (float64, error) { return math.Atan2(r.float(0)+0, r.float(1)+0), nil }),
	"hypot":              floatUDF(func(_ use, r *row) (float64, error) { return math.Hypot(r.float(0), r.float(1)), nil }),
	"pow":                floatUDF(func(_ use, r *row) (float64, error) { return javaPow(r.float(0), r.float(1)), nil }),
	"log":                floatUDF(logBase),
	"factorial":          intUDF(factorial),
	"width_bucket":       intUDF(widthBucket),
	"conv":               textUDF(conv),
	"bin":                textUDF(func(_ use, r *row) ([]byte, error) { return strconv.AppendUint(nil, uint64(r.int(0)), 2), nil }),
	"hex_int": textUDF(func(_ use, r *row) ([]byte, error) {
		return []byte(upperHex(strconv.FormatUint(uint64(r.int(0)), 16))), nil
	}),
}

var overflowWords = map[types.Type]string{types.Int: "integer overflow", types.Long: "long overflow"}

// intOverflow is what becomes of n, a result of op that may not fit the result type.
func intOverflow(u use, r *row, n int64, fits bool, sign, try string) (int64, error) {
	lo, hi := bounds(u.result)
	if fits && n >= lo && n <= hi || u.mode == rel.Legacy {
		return n, nil
	}
	if word, ok := overflowWords[u.result]; ok {
		return 0, u.arithmeticOverflow(word, try)
	}
	if u.mode != rel.ANSI {
		return 0, errNull
	}
	return 0, raiseError("BINARY_ARITHMETIC_OVERFLOW", "value1", intSQL(r.int(0), u.args[0]), "symbol", sign,
		"value2", intSQL(r.int(1), u.args[1]), "functionName", "`"+try+"`")
}

func intAdd(u use, r *row) (int64, error) {
	a, b := r.int(0), r.int(1)
	n := a + b
	return intOverflow(u, r, n, (n > a) == (b > 0), "+", "try_add")
}

func intSub(u use, r *row) (int64, error) {
	a, b := r.int(0), r.int(1)
	n := a - b
	return intOverflow(u, r, n, (n < a) == (b > 0), "-", "try_subtract")
}

func intMul(u use, r *row) (int64, error) {
	n, fits := mul64(r.int(0), r.int(1))
	return intOverflow(u, r, n, fits, "*", "try_multiply")
}

// mul64 is a·b, and whether it fits.
func mul64(a, b int64) (int64, bool) {
	n := a * b
	fits := a == 0 || n/a == b && !(a == -1 && b == math.MinInt64)
	return n, fits
}

func intDiv(u use, r *row) (int64, error) {
	a, b := r.int(0), r.int(1)
	if b == 0 {
		return 0, u.divisionByZero("DIVIDE_BY_ZERO")
	}
	if a == math.MinInt64 && b == -1 && u.mode != rel.Legacy {
		return 0, u.arithmeticOverflow("Overflow in integral divide", "try_divide")
	}
	return a / b, nil
}

func intRem(u use, r *row) (int64, error) {
	if r.int(1) == 0 {
		return 0, u.divisionByZero("REMAINDER_BY_ZERO")
	}
	if r.int(1) == -1 {
		return 0, nil
	}
	return r.int(0) % r.int(1), nil
}

func intPmod(u use, r *row) (int64, error) {
	a, b := r.int(0), r.int(1)
	if b == 0 {
		return 0, u.divisionByZero("REMAINDER_BY_ZERO")
	}
	if b == -1 {
		return 0, nil
	}
	m := a % b
	if m < 0 {
		m = (m + b) % b
	}
	return m, nil
}

func intNeg(u use, r *row) (int64, error) {
	n := r.int(0)
	if lo, _ := bounds(u.result); n == lo && u.mode != rel.Legacy {
		return 0, u.arithmeticOverflow(overflowWord(u.result), "")
	}
	return -n, nil
}

func overflowWord(t types.Type) string {
	if w, ok := overflowWords[t]; ok {
		return w
	}
	return "- causes overflow"
}

func intAbs(u use, r *row) (int64, error) {
	if r.int(0) < 0 {
		return intNeg(u, r)
	}
	return r.int(0), nil
}

func doubleDiv(u use, r *row) (float64, error) {
	if r.float(1) == 0 {
		return 0, u.divisionByZero("DIVIDE_BY_ZERO")
	}
	return r.float(0) / r.float(1), nil
}

func doubleRem(u use, r *row) (float64, error) {
	if r.float(1) == 0 {
		return 0, u.divisionByZero("REMAINDER_BY_ZERO")
	}
	return math.Mod(r.float(0), r.float(1)), nil
}

func doublePmod(u use, r *row) (float64, error) {
	if r.float(1) == 0 {
		return 0, u.divisionByZero("REMAINDER_BY_ZERO")
	}
	m := math.Mod(r.float(0), r.float(1))
	if m < 0 {
		m = math.Mod(m+r.float(1), r.float(1))
	}
	return m, nil
}

func shiftLeft(u use, r *row) (int64, error) {
	if u.result == types.Int {
		return int64(int32(r.int(0)) << (uint(r.int(1)) & 31)), nil
	}
	return r.int(0) << (uint(r.int(1)) & 63), nil
}

func shiftRightUnsigned(u use, r *row) (int64, error) {
	if u.result == types.Int {
		return int64(int32(uint32(r.int(0)) >> (uint(r.int(1)) & 31))), nil
	}
	return int64(uint64(r.int(0)) >> (uint(r.int(1)) & 63)), nil
}

func bitGet(u use, r *row) (int64, error) {
	size := int64(8 * intWidth(u.args[0]))
	pos := r.int(1)
	if pos < 0 || pos >= size {
		if pos < 0 {
			return 0, raiseError("INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE", "functionName", "`getbit`", "parameter", "`pos`",
				"upper", strconv.FormatInt(size, 10), "invalidValue", strconv.FormatInt(pos, 10))
		}
		return 0, raiseError("INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE", "functionName", "`getbit`", "parameter", "`pos`",
			"upper", strconv.FormatInt(size, 10), "invalidValue", strconv.FormatInt(pos, 10))
	}
	return r.int(0) >> uint(pos) & 1, nil
}

// roundInt rounds a whole number to tens, hundreds, … for a negative second argument.
func roundInt(u use, r *row, div func(a, b *big.Int) *big.Int) (int64, error) {
	if len(u.args) < 2 || r.int(1) >= 0 {
		return r.int(0), nil
	}
	k := int(min(-r.int(1), 40))
	n := div(big.NewInt(r.int(0)), pow10(k))
	n.Mul(n, pow10(k))
	lo, hi := bounds(u.result)
	if !n.IsInt64() || n.Int64() < lo || n.Int64() > hi {
		if u.mode == rel.Legacy {
			return new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Int64(), nil
		}
		return 0, u.arithmeticOverflow("Overflow", "")
	}
	return n.Int64(), nil
}

// roundFloat rounds the shortest decimal form of a double, as Java's BigDecimal of it.
func roundFloat(u use, r *row, div func(a, b *big.Int) *big.Int) (float64, error) {
	f := r.float(0)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return f, nil
	}
	digits := 0
	if len(u.args) > 1 {
		digits = int(max(min(r.int(1), 400), -400))
	}
	width := 64
	if u.result == types.Float {
		width = 32
	}
	x, ok := parseNumber(strconv.FormatFloat(f, 'e', -1, width))
	if !ok || digits >= x.scale {
		return f, nil
	}
	n := div(x.n, pow10(x.scale-digits))
	out, err := strconv.ParseFloat(n.String()+"e"+strconv.Itoa(-digits), width)
	return out, err
}

// unary is the function of one double that a template names.
func unary(u use, r *row) (float64, error) {
	f := r.float(0)
	switch u.param {
	case "acos":
		return math.Acos(f), nil
	case "asin":
		return math.Asin(f), nil
	case "atan":
		return math.Atan(f), nil
	case "acosh":
		return math.Log(f + math.Sqrt(f*f-1)), nil
	case "asinh":
		if math.IsInf(f, -1) {
			return f, nil
		}
		return math.Copysign(math.Log(math.Abs(f)+math.Sqrt(f*f+1)), f), nil
	case "atanh":
		return 0.5 * (math.Log1p(f) - math.Log1p(-f)), nil
	case "cbrt":
		return math.Cbrt(f), nil
	case "sqrt":
		return math.Sqrt(f), nil
	case "sin":
		return math.Sin(f), nil
	case "cos":
		return math.Cos(f), nil
	case "tan":
		return math.Tan(f), nil
	case "sinh":
		return math.Sinh(f), nil
	case "cosh":
		return math.Cosh(f), nil
	case "tanh":
		return math.Tanh(f), nil
	case "cot":
		return 1 / math.Tan(f), nil
	case "sec":
		return 1 / math.Cos(f), nil
	case "csc":
		return 1 / math.Sin(f), nil
	case "exp":
		return math.Exp(f), nil
	case "expm1":
		return math.Expm1(f), nil
	case "rint":
		return math.RoundToEven(f), nil
	case "signum":
		if f == 0 || math.IsNaN(f) {
			return f, nil
		}
		return math.Copysign(1, f), nil
	case "degrees":
		return f * (180 / math.Pi), nil
	case "radians":
		return f * (math.Pi / 180), nil
	case "log1p":
		return logOf(math.Log1p, f, -1)
	case "ln":
		return logOf(math.Log, f, 0)
	case "log2":
		return logOf(func(f float64) float64 { return math.Log(f) / math.Ln2 }, f, 0)
	case "log10":
		return logOf(math.Log10, f, 0)
	}
	return 0, errNull
}

// logOf is NULL at and below the bound.
func logOf(log func(float64) float64, f, bound float64) (float64, error) {
	if f <= bound {
		return 0, errNull
	}
	return log(f), nil
}

func logBase(_ use, r *row) (float64, error) {
	b, f := r.float(0), r.float(1)
	if b <= 0 || f <= 0 {
		return 0, errNull
	}
	return math.Log(f) / math.Log(b), nil
}

// javaPow differs from C where the base is 1 or -1 and the exponent is not finite.
func javaPow(a, b float64) float64 {
	if b == 0 {
		return 1
	}
	if math.IsNaN(b) || math.Abs(a) == 1 && math.IsInf(b, 0) {
		return math.NaN()
	}
	return math.Pow(a, b)
}

func factorial(_ use, r *row) (int64, error) {
	n := r.int(0)
	if n < 0 || n > 20 {
		return 0, errNull
	}
	f := int64(1)
	for i := int64(2); i <= n; i++ {
		f *= i
	}
	return f, nil
}

func widthBucket(u use, r *row) (int64, error) {
	v, lo, hi, n := r.float(0), r.float(1), r.float(2), r.int(3)
	if n <= 0 || n == math.MaxInt64 || math.IsNaN(v) || lo == hi || math.IsNaN(lo) || math.IsInf(lo, 0) || math.IsNaN(hi) || math.IsInf(hi, 0) {
		return 0, errNull
	}
	if lo < hi {
		switch {
		case v < lo:
			return 0, nil
		case v >= hi:
			return n + 1, nil
		}
		return int64(float64(n)*(v-lo)/(hi-lo)) + 1, nil
	}
	switch {
	case v > lo:
		return 0, nil
	case v <= hi:
		return n + 1, nil
	}
	return int64(float64(n)*(lo-v)/(lo-hi)) + 1, nil
}

// conv writes a number, given as text in one base, in another. A negative target base shows a sign.
func conv(u use, r *row) ([]byte, error) {
	s, from, to := r.text(0), r.int(1), r.int(2)
	abs := to
	if to < 0 {
		abs = -to
	}
	if from < 2 || from > 36 || abs < 2 || abs > 36 {
		return nil, errNull
	}
	s = trimSpaces(s)
	if s == "" {
		return nil, errNull
	}
	neg := s[0] == '-'
	if neg {
		s = s[1:]
	}
	n, fits := digitsIn(s, uint64(from))
	if !fits {
		if u.mode == rel.ANSI {
			return nil, u.arithmeticOverflow("Overflow in function conv()", "")
		}
		n = math.MaxUint64
	}
	if neg && to > 0 {
		if fits && int64(n) >= 0 {
			n = -n
		} else {
			n = math.MaxUint64
		}
	}
	if to < 0 && int64(n) < 0 {
		n, neg = -n, true
	}
	out := strconv.FormatUint(n, int(abs))
	if neg && to < 0 {
		out = "-" + out
	}
	return []byte(upperHex(out)), nil
}

// digitsIn reads the leading digits of s in a base.
func digitsIn(s string, base uint64) (uint64, bool) {
	n := uint64(0)
	for _, c := range []byte(s) {
		d := uint64(99)
		switch {
		case c >= '0' && c <= '9':
			d = uint64(c - '0')
		case c >= 'a' && c <= 'z':
			d = uint64(c-'a') + 10
		case c >= 'A' && c <= 'Z':
			d = uint64(c-'A') + 10
		}
		if d >= base {
			break
		}
		hi, lo := bits.Mul64(n, base)
		sum, carry := bits.Add64(lo, d, 0)
		if hi != 0 || carry != 0 {
			return 0, false
		}
		n = sum
	}
	return n, true
}
