package duckdb

import (
	"math"
	"math/big"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// decimalFunctions compute on decimals exactly, in as many digits as it takes.
var decimalFunctions = map[string]udf{
	"decimal_add":  decimalUDF(func(u use, r *row) (*big.Int, error) { return decimalSum(u, r, (*big.Int).Add) }),
	"decimal_sub":  decimalUDF(func(u use, r *row) (*big.Int, error) { return decimalSum(u, r, (*big.Int).Sub) }),
	"decimal_mul":  decimalUDF(decimalMul),
	"decimal_div":  decimalUDF(decimalDiv),
	"decimal_rem":  decimalUDF(decimalRem),
	"decimal_pmod": decimalUDF(decimalPmod),
	"decimal_idiv": intUDF(decimalIdiv),
	"sum_decimal":  decimalUDF(sumDecimal),
	"sum_whole":    intUDF(sumWhole),
	"avg_decimal":  decimalUDF(avgDecimal),
	"avg_interval": intUDF(avgInterval),
	"round":        decimalUDF(func(u use, r *row) (*big.Int, error) { return roundDecimal(u, r, divHalfUp) }),
	"bround":       decimalUDF(func(u use, r *row) (*big.Int, error) { return roundDecimal(u, r, divHalfEven) }),
	"ceil":         decimalUDF(func(u use, r *row) (*big.Int, error) { return roundDecimal(u, r, divCeil) }),
	"floor":        decimalUDF(func(u use, r *row) (*big.Int, error) { return roundDecimal(u, r, divFloor) }),
}

// scaleOf is the scale of a decimal or whole-number type.
func scaleOf(t types.Type) int {
	if d, ok := t.(types.Decimal); ok {
		return d.S
	}
	return 0
}

// aligned are both arguments at the larger of their scales.
func aligned(u use, r *row) (a, b *big.Int, scale int) {
	sa, sb := scaleOf(u.args[0]), scaleOf(u.args[1])
	a, b, scale = r.decimal(0), r.decimal(1), max(sa, sb)
	return a.Mul(a, pow10(scale-sa)), b.Mul(b, pow10(scale-sb)), scale
}

func decimalSum(u use, r *row, op func(z, x, y *big.Int) *big.Int) (*big.Int, error) {
	a, b, scale := aligned(u, r)
	return fit(u, number{op(a, a, b), scale})
}

func decimalMul(u use, r *row) (*big.Int, error) {
	a := r.decimal(0)
	return fit(u, number{a.Mul(a, r.decimal(1)), scaleOf(u.args[0]) + scaleOf(u.args[1])})
}

func (u use) divisionByZero(class string) error {
	if u.mode != rel.ANSI {
		return errNull
	}
	return raiseError(class, "config", ansiConfig)
}

// decimalDiv divides to 38 fractional digits, as Spark does, and rounds these to the result.
func decimalDiv(u use, r *row) (*big.Int, error) {
	a, b := r.decimal(0), r.decimal(1)
	if b.Sign() == 0 {
		return nil, u.divisionByZero("DIVIDE_BY_ZERO")
	}
	return fit(u, number{quotient(a, b, scaleOf(u.args[0]), scaleOf(u.args[1])), rel.MaxPrecision})
}

// quotient is a·10^-sa / b·10^-sb at 38 fractional digits, rounded half up.
func quotient(a, b *big.Int, sa, sb int) *big.Int {
	num := new(big.Int).Mul(a, pow10(rel.MaxPrecision+sb-sa))
	if rel.MaxPrecision+sb-sa < 0 {
		num = new(big.Int).Set(a)
		b = new(big.Int).Mul(b, pow10(sa-sb-rel.MaxPrecision))
	}
	if b.Sign() < 0 {
		num.Neg(num)
		b = new(big.Int).Neg(b)
	}
	return divHalfUp(num, b)
}

func decimalRem(u use, r *row) (*big.Int, error) {
	a, b, scale := aligned(u, r)
	if b.Sign() == 0 {
		return nil, u.divisionByZero("REMAINDER_BY_ZERO")
	}
	return fit(u, number{a.Rem(a, b), scale})
}

func decimalPmod(u use, r *row) (*big.Int, error) {
	a, b, scale := aligned(u, r)
	if b.Sign() == 0 {
		return nil, u.divisionByZero("REMAINDER_BY_ZERO")
	}
	m := a.Rem(a, b)
	if m.Sign() < 0 {
		m.Add(m, b).Rem(m, b)
	}
	return fit(u, number{m, scale})
}

func decimalIdiv(u use, r *row) (int64, error) {
	a, b, _ := aligned(u, r)
	if b.Sign() == 0 {
		return 0, u.divisionByZero("DIVIDE_BY_ZERO")
	}
	q := a.Quo(a, b)
	if !q.IsInt64() {
		return 0, u.arithmeticOverflow("Overflow in integral divide", "try_divide")
	}
	return q.Int64(), nil
}

// arithmeticOverflow is the error of a whole number that does not fit, with the function that tolerates it.
func (u use) arithmeticOverflow(message, try string) error {
	if u.mode != rel.ANSI {
		return errNull
	}
	alternative := ""
	if try != "" {
		alternative = " Use '" + try + "' to tolerate overflow and return NULL instead."
	}
	return raiseError("ARITHMETIC_OVERFLOW", "message", message, "alternative", alternative, "config", ansiConfig)
}

func sumDecimal(u use, r *row) (*big.Int, error) {
	x := number{r.decimal(0), u.args[0].(types.Decimal).S}
	d := u.result.(types.Decimal)
	n, ok := x.rescale(d.P, d.S)
	if !ok {
		return nil, u.outOfRange(x)
	}
	return n, nil
}

// sumWhole is a sum of whole numbers or intervals, computed in 38 digits.
func sumWhole(u use, r *row) (int64, error) {
	n := r.decimal(0)
	lo, hi := bounds(u.result)
	if n.IsInt64() && n.Int64() >= lo && n.Int64() <= hi {
		return n.Int64(), nil
	}
	switch u.result.(type) {
	case types.YearMonth, types.DayTime:
		if u.mode != rel.ANSI {
			return 0, errNull
		}
		return 0, raiseError("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "functionName", "`try_sum`")
	}
	if u.mode == rel.Legacy {
		return new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Int64(), nil
	}
	return 0, u.arithmeticOverflow("long overflow", "try_sum")
}

// avgDecimal is a sum over a count, as Spark divides decimals.
func avgDecimal(u use, r *row) (*big.Int, error) {
	n := r.int(1)
	if n == 0 {
		return nil, errNull
	}
	return fit(u, number{quotient(r.decimal(0), big.NewInt(n), u.args[0].(types.Decimal).S, 0), rel.MaxPrecision})
}

func avgInterval(u use, r *row) (int64, error) {
	n := r.int(1)
	if n == 0 {
		return 0, errNull
	}
	sum := r.decimal(0)
	if u.mode == rel.Try && !fitsInterval(sum, u.result) {
		return 0, errNull
	}
	return divHalfUp(sum, big.NewInt(n)).Int64(), nil
}

// fitsInterval reports whether n months or microseconds are an interval of type t.
func fitsInterval(n *big.Int, t types.Type) bool {
	if _, months := t.(types.YearMonth); months {
		return n.IsInt64() && n.Int64() == int64(int32(n.Int64()))
	}
	return n.IsInt64()
}

func divHalfEven(a, b *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	r.Abs(r).Lsh(r, 1)
	if c := r.Cmp(b); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(int64(a.Sign())))
	}
	return q
}

func divFloor(a, b *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	if r.Sign() < 0 {
		q.Sub(q, big.NewInt(1))
	}
	return q
}

func divCeil(a, b *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	if r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// roundDecimal rounds a decimal to the digits that the second argument asks for, 0 without it.
func roundDecimal(u use, r *row, div func(a, b *big.Int) *big.Int) (*big.Int, error) {
	from, to := u.args[0].(types.Decimal).S, u.result.(types.Decimal)
	digits := 0
	if len(u.args) > 1 {
		digits = int(r.int(1))
	}
	n := r.decimal(0)
	if digits >= from {
		return fit(u, number{n, from})
	}
	n = div(n, pow10(min(from-digits, 200)))
	if digits < 0 {
		n.Mul(n, pow10(min(-digits, 200)))
		digits = 0
	}
	_ = to
	return fit(u, number{n, digits})
}
