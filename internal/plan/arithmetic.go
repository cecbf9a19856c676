package plan

import (
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/types"
)

// plusMinus names sums as Spark does: a date or timestamp moved by an interval stands without parentheses,
// a date moved by days is a call of date_add or date_sub.
func (a *analyzer) plusMinus(op string, x, y term, at syntax.Node) (term, error) {
	text := "(" + x.text + " " + op + " " + y.text + ")"
	l, r := x, y
	if op == "+" && !temporal(l.x.Type()) && temporal(r.x.Type()) {
		l, r = r, l
	}
	lt, rt := l.x.Type(), r.x.Type()
	if temporal(lt) || types.Text(lt) && interval(rt) {
		text = a.shiftText(op, l, r, text)
	}
	return a.apply(op, text, at, x, y)
}

func (a *analyzer) shiftText(op string, l, r term, otherwise string) string {
	lt, rt := l.x.Type(), r.x.Type()
	if d, ok := rt.(types.DayTime); ok && lt == types.Date && d.From == types.Day && d.To == types.Day {
		amount := "extractansiintervaldays(" + r.text + ")"
		if op == "-" {
			amount = "(- " + amount + ")"
		}
		return "date_add(" + l.text + ", " + amount + ")"
	}
	switch {
	case interval(rt), rt == types.Void && op == "+":
		return l.text + " " + op + " " + r.text
	case lt == types.Date && op == "+":
		return "date_add(" + l.text + ", " + r.text + ")"
	case lt == types.Date && !temporal(rt) && !types.Text(rt) && rt != types.Void:
		return "date_sub(" + l.text + ", " + r.text + ")"
	}
	return otherwise
}

func temporal(t types.Type) bool {
	return t == types.Date || t == types.Timestamp || t == types.TimestampNTZ
}

func interval(t types.Type) bool {
	switch t.(type) {
	case types.YearMonth, types.DayTime:
		return true
	}
	return t == types.CalendarInterval
}
