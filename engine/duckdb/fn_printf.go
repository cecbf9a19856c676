package duckdb

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// formatFunctions set values into formats.
var formatFunctions = map[string]udf{
	"format_string": valueUDF(formatString),
	"format_number": textUDF(formatNumber),
}

// formatString is Java's String.format for the conversions s d x o f e g c b % and n.
func formatString(u use, r *row) (types.Value, error) {
	if r.null(0) {
		return nil, nil
	}
	f := r.text(0)
	var b []byte
	next := 1
	for len(f) > 0 {
		i := strings.IndexByte(f, '%')
		if i < 0 {
			b = append(b, f...)
			break
		}
		b = append(b, f[:i]...)
		f = f[i+1:]
		n := strings.IndexFunc(f, func(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '%' })
		if n < 0 {
			return nil, fmt.Errorf("format_string: the format ends within a conversion")
		}
		spec, verb := f[:n], f[n]
		f = f[n+1:]
		switch verb {
		case '%':
			b = append(b, '%')
			continue
		case 'n':
			b = append(b, '\n')
			continue
		}
		k := next
		if at := strings.IndexByte(spec, '$'); at >= 0 {
			k, _ = strconv.Atoi(spec[:at])
			spec = spec[at+1:]
		} else {
			next++
		}
		if k < 1 || k >= len(r.cols) {
			return nil, fmt.Errorf("format_string: no argument for %%%s%c", spec, verb)
		}
		b = append(b, formatOne(spec, verb, r.value(k), u.args[k])...)
	}
	return string(b), nil
}

func formatOne(spec string, verb byte, v types.Value, t types.Type) string {
	upper := verb >= 'A' && verb <= 'Z'
	verb |= 0x20
	comma := strings.Contains(spec, ",")
	spec = strings.ReplaceAll(spec, ",", "")
	out := ""
	switch x := v.(type) {
	case nil:
		out = fmt.Sprintf("%"+spec+"s", "null")
	case decimal128.Num:
		f, _ := strconv.ParseFloat(number{x.BigInt(), scaleOf(t)}.text(), 64)
		if verb == 's' {
			out = fmt.Sprintf("%"+spec+"s", number{x.BigInt(), scaleOf(t)}.text())
		} else {
			out = fmt.Sprintf("%"+spec+string(verb), f)
		}
	case float32, float64:
		if verb == 's' {
			out = fmt.Sprintf("%"+spec+"s", string(jsonWriter{}.append(nil, t, v)))
		} else {
			out = fmt.Sprintf("%"+spec+string(verb), v)
		}
	case []byte:
		out = fmt.Sprintf("%"+spec+"s", string(x))
	default:
		if verb == 's' || verb == 'b' {
			out = fmt.Sprintf("%"+spec+"s", fmt.Sprint(v))
		} else {
			out = fmt.Sprintf("%"+spec+string(verb), v)
		}
	}
	if comma {
		out = grouped(out)
	}
	if upper {
		out = strings.ToUpper(out)
	}
	return out
}

// grouped puts commas between thousands.
func grouped(s string) string {
	whole, frac, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if frac != "" {
		whole += "." + frac
	}
	return sign + whole
}

// formatNumber rounds half to even to so many digits and groups thousands.
func formatNumber(u use, r *row) ([]byte, error) {
	digits, optional, commas := 0, 0, true
	if types.Text(u.args[1]) {
		p := r.text(1)
		if i := strings.IndexByte(p, '.'); i >= 0 {
			digits = len(p) - i - 1
			optional = strings.Count(p[i:], "#")
		}
		commas = strings.Contains(p, ",")
	} else {
		digits = int(r.int(1))
	}
	if digits < 0 {
		return nil, errNull
	}
	var x number
	if d, ok := u.args[0].(types.Decimal); ok {
		x = number{r.decimal(0), d.S}
	} else if types.Integral(u.args[0]) {
		x = number{big.NewInt(r.int(0)), 0}
	} else {
		var ok bool
		if x, ok = parseNumber(strconv.FormatFloat(r.float(0), 'e', -1, 64)); !ok {
			return types.AppendFloat(nil, r.float(0), 64), nil
		}
	}
	if x.scale > digits {
		x = number{divHalfEven(x.n, pow10(x.scale-digits)), digits}
	} else {
		x = number{new(big.Int).Mul(x.n, pow10(digits-x.scale)), digits}
	}
	s := x.text()
	for ; optional > 0 && strings.HasSuffix(s, "0"); optional-- {
		s = s[:len(s)-1]
	}
	if s = strings.TrimSuffix(s, "."); commas {
		s = grouped(s)
	}
	return []byte(s), nil
}
