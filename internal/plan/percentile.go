package plan

import (
	"github.com/tarn-lake/tarn/rel"
)

// fromAbove is a percentile of falling values: that of the rising negated values, negated.
func (a *analyzer) fromAbove(fn *rel.Function, args []term) (rel.Expr, error) {
	turn := rel.FindFunction("negative")
	x, err := turn.Resolve([]rel.Expr{args[0].x}, a.set)
	if err != nil {
		return nil, err
	}
	agg, err := fn.Resolve(append([]rel.Expr{x}, exprsOf(args[1:])...), a.set)
	if err != nil {
		return nil, err
	}
	return turn.Resolve([]rel.Expr{agg}, a.set)
}

// takesOrdered reports whether the ordering of WITHIN GROUP is the function's input.
func takesOrdered(name string) bool {
	return name == "percentile_cont" || name == "percentile_disc" || name == "mode"
}

// withinText is WITHIN GROUP as Spark shows it: the default order of percentiles is left out, and mode, which Spark reads as
// the mode of the reversed order, shows that order.
func withinText(name string, within []sortKey) string {
	if len(within) == 0 {
		return ""
	}
	if takesOrdered(name) {
		s := " WITHIN GROUP (ORDER BY " + within[0].text
		if within[0].Desc != (name == "mode") {
			s += " DESC"
		}
		return s + ")"
	}
	return " WITHIN GROUP (ORDER BY " + orderText(within) + ")"
}
