package plan

import (
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// sketch is the text of an expression made from its tree, with columns under the qualifiers that f gives them. Most
// errors show the text that was built with the expression ([term]); a few show it qualified.
func (a *analyzer) sketch(e rel.Expr, f *frame) string {
	switch e := e.(type) {
	case *rel.Col:
		return qualified(e, f)
	case *rel.Lit:
		return a.text(e)
	case *rel.Cast:
		return a.sketch(e.X, f)
	case *rel.Agg:
		word := ""
		if e.Distinct {
			word = "DISTINCT "
		}
		return e.Name + "(" + word + a.sketches(e.Args, f) + ")"
	case *rel.Call:
		if e.Name == outerCall {
			return a.sketch(e.Args[0], f)
		}
		if fn := rel.FindFunction(e.Name); fn != nil && fn.Operator && len(e.Args) == 2 {
			return "(" + a.sketch(e.Args[0], f) + " " + e.Name + " " + a.sketch(e.Args[1], f) + ")"
		}
		return e.Name + "(" + a.sketches(e.Args, f) + ")"
	}
	return "(" + a.sketches(rel.Operands(e), f) + ")"
}

func (a *analyzer) sketches(es []rel.Expr, f *frame) string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = a.sketch(e, f)
	}
	return strings.Join(out, ", ")
}

// qualified is a column's name with the qualifier that it has in f or a frame around.
func qualified(c *rel.Col, f *frame) string {
	for g := f; g != nil; g = g.outer {
		for _, known := range g.cols {
			if known.ID != c.ID {
				continue
			}
			var parts []string
			for _, p := range append(append([]string(nil), known.qual...), c.Name) {
				parts = append(parts, types.QuoteIfNeeded(p))
			}
			return strings.Join(parts, ".")
		}
	}
	return c.Name
}

// aggregateList shows aggregate functions in an error.
func (a *analyzer) aggregateList(aggs []*rel.Agg, f *frame) string {
	out := make([]string, len(aggs))
	for i, g := range aggs {
		out[i] = a.sketch(g, f)
	}
	return strings.Join(out, ", ")
}
