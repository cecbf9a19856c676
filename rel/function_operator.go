package rel

import (
	"github.com/tarn-lake/tarn/types"
)

// resolver makes a call of f; param is what stands behind the rule's name in the table.
type resolver func(f *Function, param string, args []Expr, s Settings) (Expr, error)

const numericAndIntervals = `("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")`

// arithmetic resolves + - * / % div and pmod.
func arithmetic(f *Function, op string, args []Expr, s Settings) (Expr, error) {
	if len(args) != 2 {
		return nil, wrongCount(f.Name, "2", len(args))
	}
	l, r := args[0], args[1]
	if e, done, err := datetimeArithmetic(f, op, l, r, s); done {
		return e, err
	}
	l, r = promoteOperands(l, r, s)
	if isInterval(l.Type()) || isInterval(r.Type()) {
		if e, done, err := intervalArithmetic(f, op, l, r, s); done {
			return e, err
		}
	}
	l, r = meetNumbers(l, r, op, s)
	want, ok := operandsOf(op)
	switch a, b := l.Type(), r.Type(); {
	case !sameOperands(a, b):
		return nil, binaryDiff(a, b)
	case !ok(a):
		return nil, binaryWrong(want, a)
	}
	return f.call([]Expr{l, r}, arithmeticType(op, l.Type(), r.Type()), s).(*Call).nullOf(op, s), nil
}

// nullOf says that division gives NULL for a zero divisor outside ANSI, which Spark's schema shows always.
func (c *Call) nullOf(op string, s Settings) Expr {
	if op == "/" || op == "div" || op == "%" || op == "pmod" || s.Mode == Try || types.IsDecimal(c.T) && s.Mode != ANSI {
		c.Null = true
	}
	return c
}

func sameOperands(a, b types.Type) bool {
	return types.Equal(a, b) || types.IsDecimal(a) && types.IsDecimal(b)
}

// operandsOf spells and tests the operand types of an operator.
func operandsOf(op string) (string, func(types.Type) bool) {
	numberOrInterval := func(t types.Type) bool { return types.Numeric(t) || isInterval(t) }
	switch op {
	case "+", "-":
		return numericAndIntervals, numberOrInterval
	case "/":
		return `("DOUBLE" or "DECIMAL")`, func(t types.Type) bool { return t == types.Double || types.IsDecimal(t) }
	case "div":
		return `("BIGINT" or "DECIMAL" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")`,
			func(t types.Type) bool { return t == types.Long || types.IsDecimal(t) || isInterval(t) }
	}
	return `"NUMERIC"`, types.Numeric
}

func arithmeticType(op string, a, b types.Type) types.Type {
	if op == "div" {
		return types.Long
	}
	da, isA := a.(types.Decimal)
	db, isB := b.(types.Decimal)
	if isA && isB {
		return decimalResult(op, da, db)
	}
	return a
}

func binaryDiff(a, b types.Type) error {
	return &ArgError{"DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
		map[string]string{"sqlExpr": "$0", "left": sqlType(a), "right": sqlType(b)}}
}

func binaryWrong(want string, t types.Type) error {
	return &ArgError{"DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
		map[string]string{"sqlExpr": "$0", "inputType": want, "actualDataType": sqlType(t)}}
}

// promoteOperands casts text beside another type.
func promoteOperands(l, r Expr, s Settings) (Expr, Expr) {
	a, b := l.Type(), r.Type()
	if s.Mode != ANSI && s.Mode != Try {
		if types.Text(a) && !isInterval(b) {
			l = convert(l, types.Double, s)
		}
		if types.Text(b) && !isInterval(a) {
			r = convert(r, types.Double, s)
		}
		return l, r
	}
	s2 := s
	s2.Mode = ANSI
	if t, ok := promoted(a, b, s2); ok && !(types.Text(a) && types.Text(b)) {
		return convert(l, t, s), convert(r, t, s)
	}
	return l, r
}

// meetNumbers casts two operands to the types that op works on.
func meetNumbers(l, r Expr, op string, s Settings) (Expr, Expr) {
	if l.Type() == types.Void && r.Type() == types.Void {
		t := map[string]types.Type{"div": types.Long}[op]
		if t == nil {
			t = types.Double
		}
		return convert(l, t, s), convert(r, t, s)
	}
	l, r = besideDecimal(l, r, s)
	a, b := l.Type(), r.Type()
	number := func(t types.Type) bool { return types.Numeric(t) || t == types.Void }
	if op == "/" && number(a) && number(b) && !(types.IsDecimal(a) && types.IsDecimal(b)) {
		if t, ok := tightestType(a, b, s); ok && types.IsDecimal(t) {
			return convert(l, t, s), convert(r, t, s)
		}
		return convert(l, types.Double, s), convert(r, types.Double, s)
	}
	if op == "div" && types.Integral(a) && types.Integral(b) {
		return convert(l, types.Long, s), convert(r, types.Long, s)
	}
	if types.IsDecimal(a) && types.IsDecimal(b) {
		return l, r
	}
	if t, ok := tightestType(a, b, s); ok {
		_, accepts := operandsOf(op)
		if accepts(t) || op == "div" {
			return convert(l, t, s), convert(r, t, s)
		}
	}
	return l, r
}

// besideDecimal casts a whole number beside a decimal to a decimal, and a decimal beside a float to a double.
func besideDecimal(l, r Expr, s Settings) (Expr, Expr) {
	if types.IsDecimal(r.Type()) && !types.IsDecimal(l.Type()) {
		r, l = besideDecimal(r, l, s)
		return l, r
	}
	if !types.IsDecimal(l.Type()) || types.IsDecimal(r.Type()) {
		return l, r
	}
	switch t := r.Type(); {
	case types.Integral(t):
		d, ok := decimalForLiteral(r)
		if !ok {
			d, _ = DecimalFor(t)
		}
		return l, convert(r, d, s)
	case t == types.Float || t == types.Double:
		return convert(l, types.Double, s), r
	}
	return l, r
}

func isInterval(t types.Type) bool {
	switch t.(type) {
	case types.YearMonth, types.DayTime:
		return true
	}
	return t == types.CalendarInterval
}

// intervalArithmetic multiplies and divides intervals by numbers and adds intervals.
func intervalArithmetic(f *Function, op string, l, r Expr, s Settings) (Expr, bool, error) {
	if op == "*" && isInterval(r.Type()) && !isInterval(l.Type()) {
		l, r = r, l
	}
	if op != "*" && op != "/" || !isInterval(l.Type()) || isInterval(r.Type()) {
		return nil, false, nil
	}
	t, n := l.Type(), r.Type()
	if !types.Numeric(n) || t == types.CalendarInterval {
		if !types.Numeric(n) && !types.Text(n) && n != types.Void {
			return nil, true, unexpectedType(1, `"NUMERIC"`, n)
		}
		r = convert(r, types.Double, s)
	}
	switch t.(type) {
	case types.YearMonth:
		t = exactNames["ym"]
	case types.DayTime:
		t = exactNames["dt"]
	}
	c := f.call([]Expr{l, r}, t, s).(*Call)
	c.Null = c.Null || op == "/"
	return c, true, nil
}

// datetimeArithmetic adds and subtracts dates, timestamps and intervals.
func datetimeArithmetic(f *Function, op string, l, r Expr, s Settings) (Expr, bool, error) {
	a, b := l.Type(), r.Type()
	if op == "+" {
		if isInterval(a) && isTemporal(b) || b == types.Date && !isTemporal(a) && !isInterval(a) && !types.Text(a) {
			l, r, a, b = r, l, b, a
		}
		return datetimePlus(f, l, r, a, b, s)
	}
	if op == "-" {
		return datetimeMinus(f, l, r, a, b, s)
	}
	return nil, false, nil
}

func isTemporal(t types.Type) bool {
	_, time := t.(types.Time)
	return isDatetime(t) || time
}

// datetimePlus is l + r where a temporal operand stands on the left.
func datetimePlus(f *Function, l, r Expr, a, b types.Type, s Settings) (Expr, bool, error) {
	if e, ok := shift(f, l, r, a, b, s); ok {
		return e, true, nil
	}
	if a == types.Void && isInterval(b) {
		return f.call([]Expr{convert(l, b, s), r}, b, s), true, nil
	}
	if b == types.Void && isInterval(a) {
		return f.call([]Expr{l, convert(r, a, s)}, a, s), true, nil
	}
	if isDatetime(a) && a != types.Date && b == types.Void {
		return &Lit{T: a}, true, nil
	}
	if isDatetime(b) && b != types.Date && a == types.Void {
		return &Lit{T: b}, true, nil
	}
	if types.Text(a) && isInterval(b) { // '2011-11-11' + INTERVAL …: the text is a timestamp, and stays text for old intervals
		return textShift(f, l, r, b, s)
	}
	if types.Text(b) && isInterval(a) {
		return textShift(f, r, l, a, s)
	}
	if a == types.Date && !types.Text(b) && !isTemporal(b) {
		e, err := FindFunction("date_add").Resolve([]Expr{l, r}, s)
		return e, true, err
	}
	return nil, false, nil
}

// textShift adds an interval to text that holds a timestamp; the sum is text again, as in Spark.
func textShift(f *Function, text, iv Expr, b types.Type, s Settings) (Expr, bool, error) {
	if b != types.CalendarInterval {
		if _, dt := b.(types.DayTime); !dt {
			return nil, false, nil
		}
	}
	ts := convert(text, types.Timestamp, s)
	sum := f.call([]Expr{ts, iv}, types.Timestamp, s)
	return convert(sum, types.String, s), true, nil
}

// shift is a date, timestamp or time moved by an interval.
func shift(f *Function, l, r Expr, a, b types.Type, s Settings) (Expr, bool) {
	if !isTemporal(a) || !isInterval(b) {
		return nil, false
	}
	switch b := b.(type) {
	case types.DayTime:
		if a == types.Date && (b.From != types.Day || b.To != types.Day) {
			l = convert(l, types.Timestamp, s)
		}
	case types.YearMonth:
		if _, time := a.(types.Time); time {
			return nil, false
		}
	}
	return f.call([]Expr{l, r}, l.Type(), s), true
}

func datetimeMinus(f *Function, l, r Expr, a, b types.Type, s Settings) (Expr, bool, error) {
	if e, ok := shift(f, l, r, a, b, s); ok {
		return e, true, nil
	}
	if a == types.Void && isInterval(b) || b == types.Void && isInterval(a) {
		t := a
		if a == types.Void {
			t = b
		}
		return f.call([]Expr{convert(l, t, s), convert(r, t, s)}, t, s), true, nil
	}
	if types.Text(a) && isInterval(b) {
		return textShift(f, l, r, b, s)
	}
	stamp := func(t types.Type) bool { return t == types.Timestamp || t == types.TimestampNTZ }
	switch {
	case stamp(a) || stamp(b):
		return minusTimestamps(f, l, r, a, b, s)
	case b == types.Date:
		if !types.Text(a) && a != types.Date && a != types.Void {
			return nil, true, unexpectedType(0, `"DATE"`, a)
		}
		return f.call([]Expr{convert(l, types.Date, s), r}, differenceType(types.Day, s), s), true, nil
	case a == types.Date && types.Text(b) && s.Mode != Legacy:
		return f.call([]Expr{l, convert(r, types.Date, s)}, differenceType(types.Day, s), s), true, nil
	case a == types.Date && types.Text(b):
		return nil, false, nil
	case a == types.Date:
		e, err := FindFunction("date_sub").Resolve([]Expr{l, r}, s)
		return e, true, err
	}
	if ta, ok := a.(types.Time); ok {
		if tb, ok := b.(types.Time); ok && ta.P >= 0 && tb.P >= 0 {
			return f.call([]Expr{l, r}, types.DayTime{From: types.Hour, To: types.Second}, s), true, nil
		}
	}
	return nil, false, nil
}

// differenceType is the type of a difference of dates (unit Day) or timestamps (Second).
func differenceType(to types.Unit, s Settings) types.Type {
	if s.conf("spark.sql.legacy.interval.enabled") == "true" {
		return types.CalendarInterval
	}
	return types.DayTime{From: types.Day, To: to}
}

func (s Settings) conf(key string) string {
	if s.Conf == nil {
		return ""
	}
	return s.Conf(key)
}

func minusTimestamps(f *Function, l, r Expr, a, b types.Type, s Settings) (Expr, bool, error) {
	t := types.Type(types.Timestamp)
	if u, ok := tightestType(a, b, s); ok && u != types.Date {
		t = u
	} else if types.Text(a) {
		t = b
	} else if types.Text(b) {
		t = a
	}
	for i, x := range []types.Type{a, b} {
		if !isDatetime(x) && !types.Text(x) && x != types.Void {
			return nil, true, unexpectedType(i, `"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)"`, x)
		}
	}
	return f.call([]Expr{convert(l, t, s), convert(r, t, s)}, differenceType(types.Second, s), s), true, nil
}

// comparison resolves = <=> < <= > >= and their aliases.
func comparison(f *Function, op string, args []Expr, s Settings) (Expr, error) {
	if len(args) != 2 {
		return nil, wrongCount(f.Name, "2", len(args))
	}
	l, r := meetCompared(args[0], args[1], s)
	a, b := l.Type(), r.Type()
	if !types.Equal(a, b) && !(types.Text(a) && types.Text(b)) {
		return nil, binaryDiff(a, b)
	}
	equality := op == "=" || op == "<=>" || op == "!="
	if holdsMap(a) && equality || !equality && !orderable(a) || a == types.Variant {
		class := "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"
		return nil, &ArgError{class, map[string]string{"sqlExpr": "$0", "functionName": "`" + op + "`", "dataType": sqlType(a)}}
	}
	return f.call([]Expr{l, r}, types.Boolean, s), nil
}

// meetCompared casts two values that are compared to one type.
func meetCompared(l, r Expr, s Settings) (Expr, Expr) {
	a, b := l.Type(), r.Type()
	if types.Equal(a, b) {
		return l, r
	}
	if s.Mode == Legacy {
		return meetComparedLegacy(l, r, s)
	}
	if t, ok := promoted(a, b, s); ok {
		return convert(l, t, s), convert(r, t, s)
	}
	l, r = besideDecimal(l, r, s)
	if da, ok := l.Type().(types.Decimal); ok {
		if db, ok := r.Type().(types.Decimal); ok {
			t := widerDecimal(da, db)
			return convert(l, t, s), convert(r, t, s)
		}
	}
	if t, ok := tightestType(l.Type(), r.Type(), s); ok {
		return convert(l, t, s), convert(r, t, s)
	}
	if t, ok := widerNested(l.Type(), r.Type(), s, widerType); ok {
		return convert(l, t, s), convert(r, t, s)
	}
	return l, r
}

func meetComparedLegacy(l, r Expr, s Settings) (Expr, Expr) {
	a, b := l.Type(), r.Type()
	if types.Text(b) && !types.Text(a) {
		r, l = meetComparedLegacy(r, l, s)
		return l, r
	}
	if types.Text(a) && types.Atomic(b) && !types.Text(b) && b != types.Binary && !isInterval(b) {
		to := b
		if types.IsDecimal(b) {
			to = types.Double
		}
		return convert(l, to, s), convert(r, to, s)
	}
	l, r = besideDecimal(l, r, s)
	if t, ok := widerUnpromoted(l.Type(), r.Type(), s); ok {
		return convert(l, t, s), convert(r, t, s)
	}
	return l, r
}

// logical resolves AND, OR.
func logical(f *Function, op string, args []Expr, s Settings) (Expr, error) {
	l, r := args[0], args[1]
	for _, e := range []*Expr{&l, &r} {
		if (*e).Type() == types.Void || types.Text((*e).Type()) && s.Mode == ANSI && !types.Text(l.Type()) != !types.Text(r.Type()) {
			*e = convert(*e, types.Boolean, s)
		}
	}
	a, b := l.Type(), r.Type()
	if !types.Equal(a, b) {
		return nil, binaryDiff(a, b)
	}
	if a != types.Boolean {
		return nil, binaryWrong(`"BOOLEAN"`, a)
	}
	return f.call([]Expr{l, r}, types.Boolean, s), nil
}

// bitwise resolves & | ^.
func bitwise(f *Function, op string, args []Expr, s Settings) (Expr, error) {
	l, r := args[0], args[1]
	if t, ok := promoted(l.Type(), r.Type(), s); ok && s.Mode == ANSI && !types.Text(l.Type()) != !types.Text(r.Type()) {
		l, r = convert(l, t, s), convert(r, t, s)
	} else if t, ok := tightestType(l.Type(), r.Type(), s); ok {
		if t == types.Void {
			t = types.Long
		}
		if types.Integral(t) {
			l, r = convert(l, t, s), convert(r, t, s)
		}
	}
	a, b := l.Type(), r.Type()
	if !types.Equal(a, b) {
		return nil, binaryDiff(a, b)
	}
	if !types.Integral(a) {
		return nil, binaryWrong(`"INTEGRAL"`, a)
	}
	return f.call([]Expr{l, r}, a, s), nil
}
