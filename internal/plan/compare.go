package plan

import (
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

func (a *analyzer) compare(op string, x, y term, at syntax.Node) (term, error) {
	text := "(" + x.text + " " + op + " " + y.text + ")"
	x, y = a.padded(x, y)
	y, x = a.padded(y, x)
	y = a.sameFields(x, y)
	return a.apply(op, text, at, x, y)
}

// sameFields gives the struct y the field names of x: rows are compared by position.
func (a *analyzer) sameFields(x, y term) term {
	s, ok1 := x.x.Type().(types.Struct)
	o, ok2 := y.x.Type().(types.Struct)
	if !ok1 || !ok2 || len(s.Fields) != len(o.Fields) || types.Equal(s, o) {
		return y
	}
	fields := make([]types.Field, len(o.Fields))
	same := true
	for i, f := range o.Fields {
		same = same && f.Name == s.Fields[i].Name
		fields[i] = f
		fields[i].Name = s.Fields[i].Name
	}
	if !same {
		y.x = a.to(y.x, types.Struct{Fields: fields})
	}
	return y
}

// padded gives y the blanks that text of a char column x has at its end, so that they compare without them.
func (a *analyzer) padded(x, y term) (term, term) {
	n, ok := charLength(x.x)
	if !ok || !types.Text(y.x.Type()) || rel.FindFunction("rpad") == nil {
		return x, y
	}
	m, char := charLength(y.x)
	if l, constant := y.x.(*rel.Lit); constant && l.Value != nil {
		m, char = len([]rune(l.Value.(string))), true
	}
	if !char || m >= n {
		return x, y
	}
	t, err := a.apply("rpad", y.text, nil, y, term{x: intLit(int64(n))}, term{x: stringLit(" ")})
	if err != nil {
		return x, y
	}
	t.name, t.qual = y.name, y.qual
	return x, t
}

// charLength is the length of a char(n) column.
func charLength(e rel.Expr) (int, bool) {
	c, ok := e.(*rel.Col)
	if !ok {
		return 0, false
	}
	t, ok := c.Metadata.Text(charKey)
	digits, isChar := strings.CutPrefix(t, "char(")
	if !ok || !isChar {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSuffix(digits, ")"))
	return n, err == nil
}

func (a *analyzer) is(e *syntax.Is, f *frame) (term, error) {
	x, err := a.expr(e.X, f)
	if err != nil {
		return term{}, err
	}
	var t term
	switch e.What {
	case "NULL", "UNKNOWN":
		if e.Not {
			return a.apply("isnotnull", "("+x.text+" IS NOT NULL)", e, x)
		}
		return a.apply("isnull", "("+x.text+" IS NULL)", e, x)
	case "TRUE", "FALSE":
		truth := term{x: &rel.Lit{T: types.Boolean, Value: e.What == "TRUE"}, text: strings.ToLower(e.What)}
		t, err = a.apply("<=>", "("+x.text+" <=> "+truth.text+")", e, x, truth)
		if err == nil {
			t.text = "(" + x.text + " IS " + e.What + ")"
		}
	default:
		y, yerr := a.expr(e.Y, f)
		if yerr != nil {
			return term{}, yerr
		}
		t, err = a.compare("<=>", x, y, e)
		if err == nil && e.Not {
			return t, nil
		}
		if err != nil {
			return t, err
		}
		return a.not(t, e)
	}
	if err != nil || !e.Not {
		return t, err
	}
	return a.not(t, e)
}

// between is low <= x AND x <= high, named by its own text.
func (a *analyzer) between(e *syntax.Between, f *frame) (term, error) {
	ts, err := a.exprs([]syntax.Expr{e.X, e.Low, e.High}, f)
	if err != nil {
		return term{}, err
	}
	low, err := a.compare(">=", ts[0], ts[1], e)
	if err != nil {
		return term{}, err
	}
	high, err := a.compare("<=", ts[0], ts[2], e)
	if err != nil {
		return term{}, err
	}
	t, err := a.apply("and", "between("+texts(ts)+")", e, low, high)
	if err != nil || !e.Not {
		return t, err
	}
	return a.not(t, e)
}

func (a *analyzer) in(e *syntax.In, f *frame) (term, error) {
	if e.Query != nil {
		return a.inQuery(e, f)
	}
	ts, err := a.exprs(append([]syntax.Expr{e.X}, e.List...), f)
	if err != nil {
		return term{}, err
	}
	text := "(" + ts[0].text + " IN (" + texts(ts[1:]) + "))"
	for i := range ts[1:] {
		ts[i+1] = a.sameFields(ts[0], ts[i+1])
	}
	t, err := a.apply("in", text, e, ts...)
	if err != nil || !e.Not {
		return t, err
	}
	return a.not(t, e)
}

func (a *analyzer) like(e *syntax.Like, f *frame) (term, error) {
	x, err := a.expr(e.X, f)
	if err != nil {
		return term{}, err
	}
	patterns, err := a.exprs(e.Patterns, f)
	if err != nil {
		return term{}, err
	}
	var all []term
	for _, p := range patterns {
		t, err := a.likeOne(e, x, p)
		if err == nil && e.Not && e.Quantifier != "" {
			t, err = a.not(t, e)
		}
		if err != nil {
			return term{}, err
		}
		all = append(all, t)
	}
	if e.Quantifier == "" {
		if e.Not {
			return a.not(all[0], e)
		}
		return all[0], nil
	}
	return a.likeMany(e, x, patterns, all)
}

// likeOne is x LIKE p.
func (a *analyzer) likeOne(e *syntax.Like, x, p term) (term, error) {
	args := []term{x, p}
	op := strings.ToLower(e.Op)
	switch op {
	case "rlike":
		return a.apply(op, "RLIKE("+texts(args)+")", e, args...)
	case "ilike":
		text := "ilike(" + texts(args) + ")"
		if e.Escape != nil {
			args = append(args, a.valueTerm(stringLit(e.Escape.Value)))
		}
		return a.apply(op, text, e, args...)
	}
	text := x.text + " LIKE " + p.text
	if e.Escape != nil && e.Escape.Value != `\` {
		args = append(args, a.valueTerm(stringLit(e.Escape.Value)))
		text += " ESCAPE '" + e.Escape.Value + "'"
	}
	return a.apply(op, text, e, args...)
}

// likeMany joins the tests of LIKE ANY and LIKE ALL.
func (a *analyzer) likeMany(e *syntax.Like, x term, patterns, all []term) (term, error) {
	join, word := "or", "any"
	if e.Quantifier == "ALL" {
		join, word = "and", "all"
	}
	name := strings.ToLower(e.Op) + word
	if e.Not {
		name = "not" + name
	}
	t := all[0]
	for _, next := range all[1:] {
		var err error
		if t, err = a.apply(join, "", e, t, next); err != nil {
			return term{}, err
		}
	}
	t.text = name + "(" + texts(append([]term{x}, patterns...)) + ")"
	return t, nil
}
