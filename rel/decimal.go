package rel

import "github.com/tarn-lake/tarn/types"

// MaxPrecision is the largest number of digits of a decimal.
const MaxPrecision = 38

// minAdjustedScale is the scale that a result keeps at least when its digits do not fit.
const minAdjustedScale = 6

// adjusted is the decimal of p digits, s of them behind the point, cut to MaxPrecision: whole digits stay,
// fractional ones are given up, but not below six.
func adjusted(p, s int) types.Decimal {
	if p <= MaxPrecision {
		return types.Decimal{P: p, S: s}
	}
	whole := p - s
	return types.Decimal{P: MaxPrecision, S: max(MaxPrecision-whole, min(s, minAdjustedScale))}
}

// bounded is the decimal of p digits, s of them behind the point, each cut to MaxPrecision.
func bounded(p, s int) types.Decimal {
	return types.Decimal{P: min(p, MaxPrecision), S: min(s, MaxPrecision)}
}

// decimalResult is the type of a op b for decimals, as Spark defines it.
func decimalResult(op string, a, b types.Decimal) types.Decimal {
	switch op {
	case "*":
		return adjusted(a.P+b.P+1, a.S+b.S)
	case "/":
		s := max(6, a.S+b.P+1)
		return adjusted(a.P-a.S+b.S+s, s)
	case "%", "pmod":
		s := max(a.S, b.S)
		return adjusted(min(a.P-a.S, b.P-b.S)+s, s)
	}
	s := max(a.S, b.S)
	return adjusted(max(a.P-a.S, b.P-b.S)+s+1, s)
}

// widerDecimal holds the values of both a and b, as far as 38 digits go.
func widerDecimal(a, b types.Decimal) types.Decimal {
	s := max(a.S, b.S)
	return boundedWhole(max(a.P-a.S, b.P-b.S), s)
}

// boundedWhole prefers whole digits to fractional ones.
func boundedWhole(whole, s int) types.Decimal {
	if whole+s <= MaxPrecision {
		return types.Decimal{P: whole + s, S: s}
	}
	return types.Decimal{P: MaxPrecision, S: max(0, MaxPrecision-whole)}
}

// DecimalFor is the decimal that holds every value of the number type t.
func DecimalFor(t types.Type) (types.Decimal, bool) {
	switch t {
	case types.Byte:
		return types.Decimal{P: 3}, true
	case types.Short:
		return types.Decimal{P: 5}, true
	case types.Int:
		return types.Decimal{P: 10}, true
	case types.Long:
		return types.Decimal{P: 20}, true
	case types.Float:
		return types.Decimal{P: 14, S: 7}, true
	case types.Double:
		return types.Decimal{P: 30, S: 15}, true
	}
	d, ok := t.(types.Decimal)
	return d, ok
}

// decimalForLiteral is the smallest decimal for the whole-number constant e.
func decimalForLiteral(e Expr) (types.Decimal, bool) {
	l, ok := e.(*Lit)
	if !ok {
		return types.Decimal{}, false
	}
	n, ok := l.Value.(int64)
	if !ok || !types.Integral(l.T) {
		return types.Decimal{}, false
	}
	p := 1
	for n/10 != 0 {
		n, p = n/10, p+1
	}
	return types.Decimal{P: p}, true
}

// holdsAll reports whether d holds every value of the whole-number type t.
func holdsAll(d types.Decimal, t types.Type) bool {
	n, ok := DecimalFor(t)
	return ok && d.P-d.S >= n.P
}
