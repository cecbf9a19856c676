package rel

import (
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// verdict is which results a condition may have for the rows of a file. It claims too much rather than too little.
type verdict struct{ true, false, null bool }

var anything = verdict{true, true, true}

func (v verdict) not() verdict { return verdict{v.false, v.true, v.null} }

func (v verdict) and(w verdict) verdict {
	return verdict{v.true && w.true, v.false || w.false, v.null && (w.true || w.null) || w.null && (v.true || v.null)}
}

func (v verdict) or(w verdict) verdict { return v.not().and(w.not()).not() }

// Facts tell what is known of the columns of one file: of c, or of the field at path inside it. False is nothing.
type Facts func(c *Col, path []int) (Known, bool)

// Known is what is known of a column, or of a field inside it, in one file.
type Known struct {
	Range
	Type types.Type
	Rows int64 // negative when unknown
	One  bool  // every row has the value Min, or all are NULL
}

// KnownValue is a column of type t that has the value v in every row.
func KnownValue(v types.Value, t types.Type) Known {
	k := Known{Range: Range{Min: v, Max: v}, Type: t, Rows: 1, One: true}
	if v == nil {
		k.Nulls = 1
	}
	return k
}

// MayHold reports whether cond may be true for a row of a file of which f tells. It claims too much rather than too little.
func MayHold(cond Expr, f Facts) bool { return mayBe(cond, f).true }

// mayBe is what cond may be for the rows of a file with the given facts.
func mayBe(cond Expr, f Facts) verdict {
	switch e := cond.(type) {
	case *Lit:
		if b, ok := e.Value.(bool); ok {
			return verdict{true: b, false: !b}
		}
		return verdict{null: e.Value == nil, true: e.Value != nil, false: e.Value != nil}
	case *Col, *Field:
		if k, ok := f.of(cond); ok && k.One {
			b, set := k.Min.(bool)
			return verdict{set && b, set && !b, !set}
		}
	case *Call:
		return f.call(e)
	}
	return anything
}

func (f Facts) call(e *Call) verdict {
	switch {
	case e.Name == "not" && len(e.Args) == 1:
		return mayBe(e.Args[0], f).not()
	case e.Name == "isnull" && len(e.Args) == 1:
		return f.isNull(e.Args[0])
	case e.Name == "isnotnull" && len(e.Args) == 1:
		return f.isNull(e.Args[0]).not()
	case e.Name == "in" && len(e.Args) > 1:
		return f.in(e)
	case (e.Name == "like" || e.Name == "startswith") && len(e.Args) == 2:
		return f.prefix(e)
	case len(e.Args) != 2:
		return anything
	case e.Name == "and":
		return mayBe(e.Args[0], f).and(mayBe(e.Args[1], f))
	case e.Name == "or":
		return mayBe(e.Args[0], f).or(mayBe(e.Args[1], f))
	}
	return f.compared(e.Name, e.Args[0], e.Args[1])
}

// flipped is the comparison with its sides changed.
var flipped = map[string]string{"=": "=", "<=>": "<=>", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// compared judges a comparison of a column with a constant.
func (f Facts) compared(op string, a, b Expr) verdict {
	if _, ok := flipped[op]; !ok {
		return anything
	}
	if _, ok := constantValue(a); ok {
		a, b, op = b, a, flipped[op]
	}
	value, ok := constantValue(b)
	if !ok {
		return anything
	}
	k, ok := f.of(a)
	if !ok {
		return anything
	}
	if op == "<=>" {
		return k.same(value)
	}
	if value == nil {
		return verdict{null: true}
	}
	if op == "!=" {
		return k.compared("=", value).not()
	}
	return k.compared(op, value)
}

// same is k <=> value, which is never NULL.
func (k Known) same(value types.Value) verdict {
	if value == nil {
		n := k.null()
		return verdict{true: n.null, false: n.true || n.false}
	}
	v := k.compared("=", value)
	return verdict{true: v.true, false: v.false || v.null}
}

// null says whether there may be NULLs (null) and values (true, false).
func (k Known) null() verdict {
	some := !(k.Nulls >= 0 && k.Nulls == k.Rows)
	return verdict{some, some, k.Nulls != 0}
}

// compared is column op value, by the bounds. The lowest value is Min; the highest is Max or NaN.
func (k Known) compared(op string, value types.Value) verdict {
	v := k.null()
	low, lowKnown := k.order(k.Min, value)
	high, highKnown := k.order(k.Max, value)
	if k.NaN && !types.IsNaN(value) && !k.One {
		// a NaN may be there: it is above all other values, and equal to none of them
		if op == "=" {
			v.true = v.true && (!lowKnown || low <= 0) && (!highKnown || high >= 0)
			return v
		}
		high, highKnown = 1, true
	} else if types.IsNaN(value) && !k.One {
		return v
	}
	cut := func(can *bool, known, possible bool) { *can = *can && (!known || possible) }
	switch op {
	case "=":
		cut(&v.true, lowKnown, low <= 0)
		cut(&v.true, highKnown, high >= 0)
		cut(&v.false, lowKnown && highKnown && k.One, low != 0)
	case "<":
		cut(&v.true, lowKnown, low < 0)
		cut(&v.false, highKnown, high >= 0)
	case "<=":
		cut(&v.true, lowKnown, low <= 0)
		cut(&v.false, highKnown, high > 0)
	case ">":
		cut(&v.true, highKnown, high > 0)
		cut(&v.false, lowKnown, low <= 0)
	case ">=":
		cut(&v.true, highKnown, high >= 0)
		cut(&v.false, lowKnown, low < 0)
	}
	return v
}

// order compares a bound with a value; false when the bound is not known.
func (k Known) order(bound, value types.Value) (int, bool) {
	if bound == nil || value == nil {
		return 0, false
	}
	return orderValues(bound, value, k.Type)
}

func (f Facts) isNull(e Expr) verdict {
	k, ok := f.of(e)
	if !ok {
		return verdict{true: true, false: true}
	}
	n := k.null()
	return verdict{true: n.null, false: n.true || n.false}
}

func (f Facts) in(e *Call) verdict {
	out := verdict{false: true, null: true}
	for _, item := range e.Args[1:] {
		out.true = out.true || f.compared("=", e.Args[0], item).true
	}
	return out
}

// prefix judges LIKE 'text%…' and startswith by the text before the first wildcard.
func (f Facts) prefix(e *Call) verdict {
	value, ok := constantValue(e.Args[1])
	if !ok {
		return anything
	}
	text, ok := value.(string)
	k, have := f.of(e.Args[0])
	if !ok || !have || k.Type != types.Type(types.String) {
		return anything
	}
	if e.Name == "like" {
		if i := strings.IndexAny(text, `%_\`); i >= 0 {
			text = text[:i]
		}
	}
	low, okLow := k.Min.(string)
	high, okHigh := k.Max.(string)
	v := verdict{k.null().true, true, true}
	if okLow && strings.Compare(low[:min(len(low), len(text))], text) > 0 || okHigh && high < text {
		v.true = false
	}
	return v
}

// of is what is known of an expression that is a column, a field of one, or a conversion of these that keeps their order.
func (f Facts) of(e Expr) (Known, bool) {
	var path []int
	for x := e; ; {
		switch y := x.(type) {
		case *Col:
			for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
				path[i], path[j] = path[j], path[i]
			}
			return f(y, path)
		case *Field:
			path = append(path, y.Index)
			x = y.X
			continue
		case *Cast:
			if len(path) > 0 {
				return Known{}, false
			}
			k, ok := f.of(y.X)
			if !ok {
				return Known{}, false
			}
			return k.widened(y.X.Type(), y.To)
		}
		return Known{}, false
	}
}

// widened is k after a conversion that keeps the order and never fails.
func (k Known) widened(from, to types.Type) (Known, bool) {
	if !widening(from, to) {
		return Known{}, false
	}
	var ok bool
	if k.Min, ok = widenValue(k.Min, from, to); !ok {
		return Known{}, false
	}
	if k.Max, ok = widenValue(k.Max, from, to); !ok {
		return Known{}, false
	}
	k.Type = to
	return k, true
}
