package duckdb

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

const ansiConfig = `"spark.sql.ansi.enabled"`

// castFunctions do the casts whose rules are not DuckDB's; their names are family_to_family.
var castFunctions = map[string]udf{
	"text_to_int":          intUDF(textToInt),
	"text_to_float":        floatUDF(textToFloat),
	"text_to_decimal":      decimalUDF(textToDecimal),
	"text_to_boolean":      boolUDF(textToBool),
	"text_to_date":         intUDF(textToDate),
	"text_to_timestamp":    zoned(textToTimestamp),
	"text_to_ntz":          intUDF(textToNTZ),
	"text_to_time":         intUDF(textToTime),
	"text_to_binary":       textUDF(func(_ use, r *row) ([]byte, error) { return r.bytes(0), nil }),
	"text_to_ym":           intUDF(textToYearMonth),
	"text_to_dt":           intUDF(textToDayTime),
	"text_to_interval":     valueUDF(strict(textToInterval)),
	"int_to_int":           intUDF(intToInt),
	"float_to_int":         intUDF(floatToInt),
	"decimal_to_int":       intUDF(decimalToInt),
	"timestamp_to_int":     intUDF(timestampToInt),
	"timestamp_to_float":   floatUDF(func(_ use, r *row) (float64, error) { return float64(r.int(0)) / 1e6, nil }),
	"timestamp_to_decimal": decimalUDF(microsToDecimal),
	"time_to_decimal":      decimalUDF(nanosToDecimal),
	"time_to_int":          intUDF(timeToInt),
	"ym_to_int":            intUDF(yearMonthToInt),
	"dt_to_int":            intUDF(dayTimeToInt),
	"dt_to_decimal":        decimalUDF(dayTimeToDecimal),
	"ym_to_decimal":        decimalUDF(yearMonthToDecimal),
	"int_to_ym":            intUDF(intToYearMonth),
	"int_to_dt":            intUDF(intToDayTime),
	"decimal_to_ym":        intUDF(decimalToYearMonth),
	"decimal_to_dt":        intUDF(decimalToDayTime),
	"ym_to_ym":             intUDF(func(_ use, r *row) (int64, error) { return r.int(0), nil }),
	"dt_to_dt":             intUDF(dayTimeToDayTime),
	"int_to_decimal":       decimalUDF(intToDecimal),
	"boolean_to_decimal":   decimalUDF(intToDecimal),
	"float_to_decimal":     decimalUDF(floatToDecimal),
	"decimal_to_decimal":   decimalUDF(decimalToDecimal),
	"decimal_to_float":     floatUDF(decimalToFloat),
	"float_to_float":       floatUDF(func(_ use, r *row) (float64, error) { return r.float(0), nil }),
	"float_to_boolean":     boolUDF(func(_ use, r *row) (bool, error) { return r.float(0) != 0, nil }),
	"decimal_to_boolean":   boolUDF(func(_ use, r *row) (bool, error) { return r.decimal(0).Sign() != 0, nil }),
	"timestamp_to_boolean": boolUDF(func(_ use, r *row) (bool, error) { return r.int(0) != 0, nil }),
	"date_to_boolean":      boolUDF(func(_ use, r *row) (bool, error) { return false, errNull }),
	"date_to_int":          intUDF(func(_ use, r *row) (int64, error) { return 0, errNull }),
	"int_to_timestamp":     intUDF(intToTimestamp),
	"boolean_to_timestamp": intUDF(func(_ use, r *row) (int64, error) { return r.int(0), nil }),
	"float_to_timestamp":   intUDF(floatToTimestamp),
	"decimal_to_timestamp": intUDF(decimalToTimestamp),
	"int_to_binary":        textUDF(intToBinary),
	"ntz_to_time":          intUDF(func(_ use, r *row) (int64, error) { return floorMod(r.int(0), microsPerDay), nil }),
	"time_to_time":         intUDF(timeToTime),

	"float_to_text":     textUDF(floatToText),
	"date_to_text":      textUDF(func(_ use, r *row) ([]byte, error) { return types.AppendDate(nil, r.int(0)), nil }),
	"timestamp_to_text": zonedText(timestampToText),
	"ntz_to_text":       textUDF(func(_ use, r *row) ([]byte, error) { return types.AppendTimestampNTZ(nil, r.int(0)), nil }),
	"time_to_text":      textUDF(func(_ use, r *row) ([]byte, error) { return types.AppendTime(nil, r.int(0)), nil }),
	"binary_to_text":    textUDF(func(_ use, r *row) ([]byte, error) { return []byte(strings.ToValidUTF8(r.text(0), "\uFFFD")), nil }),
	"ym_to_text":        textUDF(func(u use, r *row) ([]byte, error) { return []byte(yearMonthSQL(r.int(0), u.args[0])), nil }),
	"dt_to_text":        textUDF(func(u use, r *row) ([]byte, error) { return []byte(dayTimeSQL(r.int(0), u.args[0])), nil }),
	"interval_to_text":  textUDF(func(u use, r *row) ([]byte, error) { return types.AppendInterval(nil, r.interval(0)), nil }),
}

// fail is NULL, or outside ANSI err.
func (u use) fail(err error) error {
	if u.mode != rel.ANSI {
		return errNull
	}
	return err
}

// raised is an error with a class of Spark's.
func raiseError(class string, params ...string) error {
	m := map[string]string{}
	for i := 0; i < len(params); i += 2 {
		m[params[i]] = params[i+1]
	}
	return errors.New(raise(class, m))
}

func sqlType(t types.Type) string { return `"` + types.SQL(t) + `"` }

// textSQL is s as Spark's errors show a string value.
func textSQL(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

func (u use) invalid(text string) error {
	if u.mode != rel.ANSI {
		return errNull
	}
	return raiseError("CAST_INVALID_INPUT", "expression", textSQL(text), "sourceType", `"STRING"`,
		"targetType", sqlType(u.result), "ansiConfig", ansiConfig)
}

// overflow is the error of a value, spelled as SQL, that the result type does not hold.
func (u use) overflow(value string) error {
	if u.mode != rel.ANSI {
		return errNull
	}
	return raiseError("CAST_OVERFLOW", "value", value, "sourceType", sqlType(u.args[0]),
		"targetType", sqlType(u.result), "ansiConfig", ansiConfig)
}

// outOfRange is the error of a decimal that does not fit.
func (u use) outOfRange(x number) error {
	if u.mode != rel.ANSI {
		return errNull
	}
	d := u.result.(types.Decimal)
	return raiseError("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", "value", x.text(), "precision", strconv.Itoa(d.P),
		"scale", strconv.Itoa(d.S), "config", ansiConfig)
}

// bounds are the smallest and largest value of a whole-number type.
func bounds(t types.Type) (lo, hi int64) {
	bits := 8 * intWidth(t)
	hi = 1<<(bits-1) - 1
	return -hi - 1, hi
}

func textToInt(u use, r *row) (int64, error) {
	lo, hi := bounds(u.result)
	n, ok := parseInt(r.text(0), lo, hi, u.mode == rel.Legacy)
	if !ok {
		return 0, u.invalid(r.text(0))
	}
	return n, nil
}

func textToFloat(u use, r *row) (float64, error) {
	bits := 64
	if u.result == types.Float {
		bits = 32
	}
	f, ok := parseFloat(r.text(0), bits)
	if !ok {
		return 0, u.invalid(r.text(0))
	}
	return f, nil
}

func textToDecimal(u use, r *row) (*big.Int, error) {
	x, ok := parseNumber(r.text(0))
	if !ok {
		return nil, u.invalid(r.text(0))
	}
	return fit(u, x)
}

// fit rounds x to the result type.
func fit(u use, x number) (*big.Int, error) {
	d := u.result.(types.Decimal)
	n, ok := x.rescale(d.P, d.S)
	if !ok {
		return nil, u.outOfRange(x)
	}
	return n, nil
}

func textToBool(u use, r *row) (bool, error) {
	b, ok := parseBool(r.text(0))
	if !ok {
		return false, u.invalid(r.text(0))
	}
	return b, nil
}

func textToDate(u use, r *row) (int64, error) {
	d, ok := parseDate(r.text(0))
	if !ok {
		return 0, u.invalid(r.text(0))
	}
	return d, nil
}

// zoned makes a function of whole-number result that needs the session zone.
func zoned(f func(u use, r *row, z *zone) (int64, error)) udf {
	return inZone(func(u use, z *zone, n int, in []Vec, out *Out) error {
		set := intSetter(out, intWidth(u.result))
		return each(u, in, n, out, false, func(r *row) error {
			x, err := f(u, r, z)
			if err == nil {
				set(r.i, x)
			}
			return err
		})
	})
}

// zonedText makes a function of text result that needs the session zone.
func zonedText(f func(u use, r *row, z *zone) ([]byte, error)) udf {
	return inZone(func(u use, z *zone, n int, in []Vec, out *Out) error {
		return each(u, in, n, out, false, func(r *row) error {
			b, err := f(u, r, z)
			if err == nil {
				out.SetText(r.i, b)
			}
			return err
		})
	})
}

func textToTimestamp(u use, r *row, z *zone) (int64, error) {
	t, ok := parseStamp(r.text(0))
	if ok {
		if micros, fits := t.instant(z); fits {
			return micros, nil
		}
	}
	return 0, u.invalid(r.text(0))
}

func textToNTZ(u use, r *row) (int64, error) {
	t, ok := parseStamp(r.text(0))
	if ok && !t.timeOnly {
		if micros, fits := wallMicros(t.days, t.micros); fits {
			return micros, nil
		}
	}
	return 0, u.invalid(r.text(0))
}

func textToTime(u use, r *row) (int64, error) {
	micros, ok := parseTimeOfDay(r.text(0))
	if !ok {
		return 0, u.invalid(r.text(0))
	}
	return truncTime(micros, u.result), nil
}

// parseTimeOfDay reads a time of day, also with AM or PM.
func parseTimeOfDay(s string) (int64, bool) {
	s = trimAll(s)
	upper := strings.ToUpper(s)
	half := ""
	for _, h := range []string{"AM", "PM"} {
		if strings.HasSuffix(upper, h) {
			half, s = h, strings.TrimSpace(s[:len(s)-2])
		}
	}
	p := &scanner{s: s}
	p.is('T')
	micros, ok := p.clock()
	if !ok || !p.done() {
		return 0, false
	}
	if half != "" {
		h := micros / microsPerHour
		if h < 1 || h > 12 {
			return 0, false
		}
		micros -= h * microsPerHour
		h %= 12
		if half == "PM" {
			h += 12
		}
		micros += h * microsPerHour
	}
	return micros, true
}

// truncTime drops the digits of a second that t does not have.
func truncTime(micros int64, t types.Type) int64 {
	unit := int64(1)
	if t, ok := t.(types.Time); ok {
		for i := t.P; i < 6; i++ {
			unit *= 10
		}
	}
	return micros - micros%unit
}

func timeToTime(u use, r *row) (int64, error) { return truncTime(r.int(0), u.result), nil }

func intToInt(u use, r *row) (int64, error) {
	n := r.int(0)
	if lo, hi := bounds(u.result); (n < lo || n > hi) && u.mode != rel.Legacy {
		return 0, u.overflow(intSQL(n, u.args[0]))
	}
	return n, nil
}

// intSQL is n as Spark writes a constant of type t.
func intSQL(n int64, t types.Type) string {
	suffix := map[types.Type]string{types.Byte: "Y", types.Short: "S", types.Long: "L"}[t]
	return strconv.FormatInt(n, 10) + suffix
}

func floatToInt(u use, r *row) (int64, error) {
	f := r.float(0)
	lo, hi := bounds(u.result)
	if u.mode == rel.Legacy {
		return saturate(f, u.result), nil
	}
	t := math.Trunc(f)
	if u.result == types.Long {
		if !(t >= -9223372036854775808.0 && t < 9223372036854775808.0) {
			return 0, u.overflow(floatSQL(f, u.args[0]))
		}
		return int64(t), nil
	}
	if !(math.Floor(f) <= float64(hi) && math.Ceil(f) >= float64(lo)) {
		return 0, u.overflow(floatSQL(f, u.args[0]))
	}
	return int64(t), nil
}

// saturate is Java's conversion of a double to a whole number: to int or long by cutting at the bounds.
func saturate(f float64, t types.Type) int64 {
	lo, hi := bounds(types.Int)
	if t == types.Long {
		lo, hi = bounds(t)
	}
	switch {
	case math.IsNaN(f):
		return 0
	case f >= float64(hi):
		return hi
	case f <= float64(lo):
		return lo
	}
	return int64(f)
}

func floatSQL(f float64, t types.Type) string {
	if t == types.Float {
		return string(types.AppendFloat(nil, f, 32))
	}
	return string(types.AppendFloat(nil, f, 64)) + "D"
}

func decimalToInt(u use, r *row) (int64, error) {
	d := u.args[0].(types.Decimal)
	n := r.decimal(0)
	q := new(big.Int).Quo(n, pow10(d.S))
	lo, hi := bounds(u.result)
	if !q.IsInt64() || q.Int64() < lo || q.Int64() > hi {
		if u.mode == rel.Legacy {
			return new(big.Int).And(q, new(big.Int).SetUint64(math.MaxUint64)).Int64(), nil
		}
		return 0, u.overflow(number{n, d.S}.text() + "BD")
	}
	return q.Int64(), nil
}

func timestampToInt(u use, r *row) (int64, error) {
	n := floorDiv(r.int(0), microsPerSecond)
	if lo, hi := bounds(u.result); (n < lo || n > hi) && u.mode != rel.Legacy {
		return 0, u.overflow("TIMESTAMP '" + strconv.FormatInt(n, 10) + "'")
	}
	return n, nil
}

func timeToInt(u use, r *row) (int64, error) {
	n := r.int(0) / microsPerSecond
	if lo, hi := bounds(u.result); n < lo || n > hi {
		return 0, u.overflow("TIME '" + string(types.AppendTime(nil, r.int(0))) + "'")
	}
	return n, nil
}

func microsToDecimal(u use, r *row) (*big.Int, error) { return fit(u, number{big.NewInt(r.int(0)), 6}) }

// nanosToDecimal is a time of day, which Spark counts in nanoseconds.
func nanosToDecimal(u use, r *row) (*big.Int, error) {
	n := big.NewInt(r.int(0))
	return fit(u, number{n.Mul(n, big.NewInt(1000)), 9})
}

func intToDecimal(u use, r *row) (*big.Int, error) { return fit(u, number{big.NewInt(r.int(0)), 0}) }

func floatToDecimal(u use, r *row) (*big.Int, error) {
	f := r.float(0)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errNull
	}
	bits := 64
	if u.args[0] == types.Float {
		bits = 32
	}
	x, ok := parseNumber(strconv.FormatFloat(f, 'e', -1, bits))
	if !ok {
		return nil, errNull
	}
	return fit(u, x)
}

func decimalToDecimal(u use, r *row) (*big.Int, error) {
	return fit(u, number{r.decimal(0), u.args[0].(types.Decimal).S})
}

func decimalToFloat(u use, r *row) (float64, error) {
	f, err := strconv.ParseFloat(number{r.decimal(0), u.args[0].(types.Decimal).S}.text(), 64)
	return f, err
}

func intToTimestamp(u use, r *row) (int64, error) {
	n := r.int(0)
	if n > math.MaxInt64/microsPerSecond || n < math.MinInt64/microsPerSecond {
		if u.mode == rel.Legacy {
			return saturate(float64(n)*1e6, types.Long), nil
		}
		return 0, u.overflow(intSQL(n, u.args[0]))
	}
	return n * microsPerSecond, nil
}

func floatToTimestamp(u use, r *row) (int64, error) {
	f := r.float(0)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		if u.mode == rel.ANSI {
			return 0, u.overflow(floatSQL(f, u.args[0]))
		}
		return 0, errNull
	}
	return saturate(f*1e6, types.Long), nil
}

func decimalToTimestamp(u use, r *row) (int64, error) {
	d := u.args[0].(types.Decimal)
	n := new(big.Int).Mul(r.decimal(0), pow10(6))
	n.Quo(n, pow10(d.S))
	if !n.IsInt64() {
		return 0, u.overflow(number{r.decimal(0), d.S}.text() + "BD")
	}
	return n.Int64(), nil
}

func intToBinary(u use, r *row) ([]byte, error) {
	n, w := r.int(0), intWidth(u.args[0])
	out := make([]byte, w)
	for i := range out {
		out[w-1-i] = byte(n >> (8 * i))
	}
	return out, nil
}

func floatToText(u use, r *row) ([]byte, error) {
	bits := 64
	if u.args[0] == types.Float {
		bits = 32
	}
	return types.AppendFloat(nil, r.float(0), bits), nil
}

func timestampToText(u use, r *row, z *zone) ([]byte, error) {
	return types.AppendTimestampNTZ(nil, z.local(r.int(0))), nil
}
