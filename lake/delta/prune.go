package delta

import (
	"strings"

	"github.com/tarn-lake/tarn/rel"
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

// facts tell what is known of the columns of one file.
type facts func(c *rel.Col, path []int) (known, bool)

// known is what is known of a column, or of a field inside it, in one file.
type known struct {
	rel.Range
	typ  types.Type
	rows int64 // negative when unknown
	one  bool  // every row has the value Min, or all are NULL
}

// mayBe is what cond may be for the rows of a file with the given facts.
func mayBe(cond rel.Expr, f facts) verdict {
	switch e := cond.(type) {
	case *rel.Lit:
		if b, ok := e.Value.(bool); ok {
			return verdict{true: b, false: !b}
		}
		return verdict{null: e.Value == nil, true: e.Value != nil, false: e.Value != nil}
	case *rel.Col, *rel.Field:
		if k, ok := f.of(cond); ok && k.one {
			b, set := k.Min.(bool)
			return verdict{set && b, set && !b, !set}
		}
	case *rel.Call:
		return f.call(e)
	}
	return anything
}

func (f facts) call(e *rel.Call) verdict {
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
func (f facts) compared(op string, a, b rel.Expr) verdict {
	if _, ok := flipped[op]; !ok {
		return anything
	}
	if _, ok := constant(a); ok {
		a, b, op = b, a, flipped[op]
	}
	value, ok := constant(b)
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
func (k known) same(value types.Value) verdict {
	if value == nil {
		n := k.null()
		return verdict{true: n.null, false: n.true || n.false}
	}
	v := k.compared("=", value)
	return verdict{true: v.true, false: v.false || v.null}
}

// null says whether there may be NULLs (null) and values (true, false).
func (k known) null() verdict {
	some := !(k.Nulls >= 0 && k.Nulls == k.rows)
	return verdict{some, some, k.Nulls != 0}
}

// compared is column op value, by the bounds. The lowest value is Min; the highest is Max or NaN.
func (k known) compared(op string, value types.Value) verdict {
	v := k.null()
	low, lowKnown := k.order(k.Min, value)
	high, highKnown := k.order(k.Max, value)
	if k.NaN && !isNaN(value) && !k.one {
		// a NaN may be there: it is above all other values, and equal to none of them
		if op == "=" {
			v.true = v.true && (!lowKnown || low <= 0) && (!highKnown || high >= 0)
			return v
		}
		high, highKnown = 1, true
	} else if isNaN(value) && !k.one {
		return v
	}
	cut := func(can *bool, known, possible bool) { *can = *can && (!known || possible) }
	switch op {
	case "=":
		cut(&v.true, lowKnown, low <= 0)
		cut(&v.true, highKnown, high >= 0)
		cut(&v.false, lowKnown && highKnown && k.one, low != 0)
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
func (k known) order(bound, value types.Value) (int, bool) {
	if bound == nil || value == nil {
		return 0, false
	}
	return orderValues(bound, value, k.typ)
}

func (f facts) isNull(e rel.Expr) verdict {
	k, ok := f.of(e)
	if !ok {
		return verdict{true: true, false: true}
	}
	n := k.null()
	return verdict{true: n.null, false: n.true || n.false}
}

func (f facts) in(e *rel.Call) verdict {
	out := verdict{false: true, null: true}
	for _, item := range e.Args[1:] {
		out.true = out.true || f.compared("=", e.Args[0], item).true
	}
	return out
}

// prefix judges LIKE 'text%…' and startswith by the text before the first wildcard.
func (f facts) prefix(e *rel.Call) verdict {
	value, ok := constant(e.Args[1])
	if !ok {
		return anything
	}
	text, ok := value.(string)
	k, have := f.of(e.Args[0])
	if !ok || !have || k.typ != types.Type(types.String) {
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
func (f facts) of(e rel.Expr) (known, bool) {
	var path []int
	for x := e; ; {
		switch y := x.(type) {
		case *rel.Col:
			for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
				path[i], path[j] = path[j], path[i]
			}
			return f(y, path)
		case *rel.Field:
			path = append(path, y.Index)
			x = y.X
			continue
		case *rel.Cast:
			if len(path) > 0 {
				return known{}, false
			}
			k, ok := f.of(y.X)
			if !ok {
				return known{}, false
			}
			return k.widened(y.X.Type(), y.To)
		}
		return known{}, false
	}
}

// widened is k after a conversion that keeps the order and never fails.
func (k known) widened(from, to types.Type) (known, bool) {
	if !widening(from, to) {
		return known{}, false
	}
	var ok bool
	if k.Min, ok = widenValue(k.Min, from, to); !ok {
		return known{}, false
	}
	if k.Max, ok = widenValue(k.Max, from, to); !ok {
		return known{}, false
	}
	k.typ = to
	return k, true
}
