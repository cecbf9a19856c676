package plan

import (
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// aggregateCall is a call of an aggregate function, with OVER a window function.
func (a *analyzer) aggregateCall(fn *rel.Function, name string, args []term, e *syntax.Call, f *frame) (term, error) {
	for _, t := range args {
		if t.x != nil && holdsAggregate(t.x) && e.Over == nil {
			return term{}, fail("NESTED_AGGREGATE_FUNCTION", e)
		}
	}
	t := term{text: aggregateText(name, args, e.Distinct)}
	args, err := a.countArgs(name, args)
	if err != nil {
		return term{}, err
	}
	within, err := a.order(e.Within, f)
	if err != nil {
		return term{}, err
	}
	t.text += withinText(name, within)
	if t.x, err = a.aggregateOver(fn, name, args, within, e, t.text); err != nil {
		return term{}, err
	}
	if takesOrdered(name) && name != "mode" {
		within = nil // it is an argument
	}
	t.x = modified(t.x, within, e)
	if e.Filter != nil {
		cond, err := a.expr(e.Filter, f)
		if err != nil {
			return term{}, err
		}
		t.text += " FILTER (WHERE " + cond.text + ")"
		if t.x, err = filtered(t.x, cond.x, e); err != nil {
			return term{}, err
		}
	}
	switch {
	case e.Over == nil:
		return outerAggregate(t, f, e)
	case e.Filter != nil:
		return term{}, fail("_LEGACY_ERROR_TEMP_1030", e)
	}
	return a.over(t, name, e, f)
}

// countArgs refuses count(), or where a setting allows it counts nothing.
func (a *analyzer) countArgs(name string, args []term) ([]term, error) {
	const setting = "spark.sql.legacy.allowParameterlessCount"
	switch {
	case name != "count" || len(args) > 0:
		return args, nil
	case isTrue(a.scope.Setting(setting)):
		return []term{{x: &rel.Lit{T: types.Int}}}, nil
	}
	return nil, fail("WRONG_NUM_ARGS.WITH_SUGGESTION", nil, "functionName", "`count`", "expectedNum", " >= 1", "actualNum", "0",
		"legacyNum", "0", "legacyConfKey", quoteSQL(setting), "legacyConfValue", quoteSQL("true"))
}

// aggregateOver resolves the aggregate function; what WITHIN GROUP orders may be its first argument.
func (a *analyzer) aggregateOver(fn *rel.Function, name string, args []term, within []sortKey, e *syntax.Call, text string) (rel.Expr, error) {
	falling := false
	if len(within) > 0 && takesOrdered(name) {
		args = append([]term{{x: within[0].Expr, text: within[0].text}}, args...)
		falling = within[0].Desc && name != "mode"
	}
	x, err := fn.Resolve(exprsOf(args), a.set)
	if err == nil && falling {
		x, err = a.fromAbove(fn, args)
	}
	if err != nil {
		return nil, argError(a.countError(err, name), e, text, args)
	}
	return x, nil
}

// modified puts DISTINCT, IGNORE NULLS and the order on every aggregate of x, which may be built of several.
func modified(x rel.Expr, within []sortKey, e *syntax.Call) rel.Expr {
	return rel.RewriteExpr(x, func(y rel.Expr) rel.Expr {
		agg, ok := y.(*rel.Agg)
		if !ok {
			return y
		}
		c := *agg
		c.Distinct, c.IgnoreNulls = e.Distinct, agg.IgnoreNulls || e.Nulls == "IGNORE"
		c.OrderBy = ordersOf(within)
		return &c
	})
}

// filtered puts a FILTER on every aggregate of x, which may be built of several.
func filtered(x, cond rel.Expr, at syntax.Node) (rel.Expr, error) {
	if cond.Type() != types.Boolean && cond.Type() != types.Void {
		return nil, fail("INVALID_AGGREGATE_FILTER.NOT_BOOLEAN", at, "filterExpr", quoteSQL("filter"))
	}
	return rel.RewriteExpr(x, func(e rel.Expr) rel.Expr {
		agg, ok := e.(*rel.Agg)
		if !ok {
			return e
		}
		c := *agg
		c.Filter = cond
		return &c
	}), nil
}

func aggregateText(name string, args []term, distinct bool) string {
	text := callText(name, args)
	if distinct {
		text = strings.Replace(text, "(", "(DISTINCT ", 1)
	}
	return text
}

// windowCall is a call of a function that exists only with OVER.
func (a *analyzer) windowCall(fn *rel.Function, name string, args []term, e *syntax.Call, f *frame) (term, error) {
	text := callText(name, args)
	x, err := fn.Resolve(exprsOf(args), a.set)
	if err != nil {
		return term{}, argError(a.countError(err, name), e, text, args)
	}
	if e.Over == nil {
		return term{}, fail("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", e, "funcName", quoteSQL(text))
	}
	return a.over(term{x: x, text: text}, name, e, f)
}

// over puts fn over the window that e asks for.
func (a *analyzer) over(fn term, name string, e *syntax.Call, f *frame) (term, error) {
	w, err := a.window(e.Over, f)
	if err != nil {
		return term{}, err
	}
	var spec windowText
	o := &rel.Over{Fn: fn.x, IgnoreNulls: e.Nulls == "IGNORE"}
	for _, p := range w.PartitionBy {
		t, err := a.expr(p, f)
		if err != nil {
			return term{}, err
		}
		o.Partition = append(o.Partition, t.x)
		spec.partition = append(spec.partition, t)
	}
	if spec.order, err = a.order(w.OrderBy, f); err != nil {
		return term{}, err
	}
	o.Order = ordersOf(spec.order)
	if takesOrdered(name) && (len(o.Order) > 0 || w.Frame != nil) {
		return term{}, fail("INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC", e, "aggFunc", quoteSQL(a.sketch(fn.x, nil)))
	}
	if needsOrder[name] && len(o.Order) == 0 {
		return term{}, fail("_LEGACY_ERROR_TEMP_1037", e, "wf", fn.text)
	}
	if o.Frame, err = a.frameOf(w, name, &spec, f); err != nil {
		return term{}, err
	}
	x := rel.Expr(o)
	if _, simple := fn.x.(*rel.Agg); !simple {
		x = overEach(fn.x, o)
	}
	return term{x: x, text: fn.text + " OVER " + spec.String()}, nil
}

// overEach puts the window on every aggregate of an expression built of several.
func overEach(x rel.Expr, o *rel.Over) rel.Expr {
	if c, ok := x.(*rel.Call); ok {
		if fn := rel.FindFunction(c.Name); fn != nil && fn.Kind == rel.WindowKind {
			return o
		}
	}
	return rel.RewriteExpr(x, func(e rel.Expr) rel.Expr {
		if agg, ok := e.(*rel.Agg); ok {
			c := *o
			c.Fn = agg
			return &c
		}
		return e
	})
}

var needsOrder = map[string]bool{"row_number": true, "rank": true, "dense_rank": true, "percent_rank": true,
	"cume_dist": true, "ntile": true, "lag": true, "lead": true}

// window is the specification that w is or refers to.
func (a *analyzer) window(w *syntax.WindowSpec, f *frame) (*syntax.WindowSpec, error) {
	for depth := 0; w.Ref != nil && depth < 100; depth++ {
		named := a.namedWindow(w.Ref.Name, f)
		if named == nil {
			return nil, fail("MISSING_WINDOW_SPECIFICATION", nil, "windowName", w.Ref.Name, "docroot", docroot)
		}
		w = named
	}
	return w, nil
}

const docroot = "https://spark.apache.org/docs/latest"

func (a *analyzer) namedWindow(name string, f *frame) *syntax.WindowSpec {
	for g := f; g != nil && !g.subquery; g = g.outer {
		for _, w := range g.windows {
			if a.sameName(w.Name.Name, name) {
				return w.Spec
			}
		}
	}
	return nil
}

// windowText is a window as Spark shows it.
type windowText struct {
	partition []term
	order     []sortKey
	frame     string
}

func (w windowText) String() string {
	var parts []string
	if len(w.partition) > 0 {
		parts = append(parts, "PARTITION BY "+texts(w.partition))
	}
	if len(w.order) > 0 {
		parts = append(parts, "ORDER BY "+orderText(w.order))
	}
	return "(" + strings.Join(append(parts, w.frame), " ") + ")"
}

const (
	toCurrent = "BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
	toEnd     = "BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
)

// frameOf is the frame of a window; nil is the function's own. The text shows what it is in the end.
func (a *analyzer) frameOf(w *syntax.WindowSpec, name string, spec *windowText, f *frame) (*rel.Frame, error) {
	if w.Frame != nil {
		return a.writtenFrame(w.Frame, spec, f)
	}
	switch name {
	case "row_number", "rank", "dense_rank", "percent_rank", "ntile":
		spec.frame = "ROWS " + toCurrent
	case "cume_dist":
		spec.frame = "RANGE " + toCurrent
	case "lag":
		spec.frame = "ROWS BETWEEN -1 FOLLOWING AND -1 FOLLOWING"
	case "lead":
		spec.frame = "ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING"
	default:
		if len(spec.order) > 0 {
			spec.frame = "RANGE " + toCurrent
			return &rel.Frame{To: rel.Bound{Kind: rel.CurrentRow}}, nil
		}
		spec.frame = "ROWS " + toEnd
		return &rel.Frame{Rows: true, To: rel.Bound{Kind: rel.UnboundedFollowing}}, nil
	}
	return nil, nil
}

func (a *analyzer) writtenFrame(w *syntax.Frame, spec *windowText, f *frame) (*rel.Frame, error) {
	fr := &rel.Frame{Rows: w.Unit == "ROWS"}
	from, fromText, err := a.bound(w.Start, fr.Rows, spec, f)
	if err != nil {
		return nil, err
	}
	to, toText := rel.Bound{Kind: rel.CurrentRow}, "CURRENT ROW"
	if w.Stop != nil {
		if to, toText, err = a.bound(w.Stop, fr.Rows, spec, f); err != nil {
			return nil, err
		}
	}
	fr.From, fr.To = from, to
	spec.frame = w.Unit + " BETWEEN " + fromText + " AND " + toText
	return fr, a.checkFrame(fr, w, spec)
}

// checkFrame refuses frames that Spark refuses.
func (a *analyzer) checkFrame(fr *rel.Frame, at syntax.Node, spec *windowText) error {
	if fr.From.Kind > fr.To.Kind {
		return fail("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON", at,
			"comparison", "less than or equal", "sqlExpr", quoteSQL(spec.frame))
	}
	if fr.Rows {
		return nil
	}
	offset := fr.From.Offset != nil || fr.To.Offset != nil
	switch {
	case offset && len(spec.order) == 0:
		text := *spec
		return fail("DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER", at, "sqlExpr", quoteSQL(text.String()))
	case offset && len(spec.order) > 1:
		return fail("DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER", at, "orderSpec", orderText(spec.order), "sqlExpr", quoteSQL(spec.String()))
	}
	for _, b := range []rel.Bound{fr.From, fr.To} {
		if b.Offset == nil {
			continue
		}
		if err := a.checkRange(b, at, spec); err != nil {
			return err
		}
	}
	return nil
}

// checkRange asks whether the distance of a RANGE frame can be added to the order's values.
func (a *analyzer) checkRange(b rel.Bound, at syntax.Node, spec *windowText) error {
	key, by := spec.order[0].Expr.Type(), b.Offset.Type()
	ok := types.Numeric(key) && types.Numeric(by) || key == types.Date && (types.Integral(by) || interval(by)) ||
		temporal(key) && interval(by)
	if ok {
		return nil
	}
	return fail("DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE", at, "orderSpecType", typeSQL(key),
		"valueBoundaryType", typeSQL(by), "sqlExpr", quoteSQL(spec.String()))
}

var boundKinds = map[string]rel.BoundKind{"UNBOUNDED PRECEDING": rel.UnboundedPreceding, "PRECEDING": rel.Preceding,
	"CURRENT ROW": rel.CurrentRow, "FOLLOWING": rel.Following, "UNBOUNDED FOLLOWING": rel.UnboundedFollowing}

func (a *analyzer) bound(b *syntax.FrameBound, rows bool, spec *windowText, f *frame) (rel.Bound, string, error) {
	out := rel.Bound{Kind: boundKinds[b.Kind]}
	if b.X == nil {
		return out, b.Kind, nil
	}
	t, err := a.expr(b.X, f)
	if err != nil {
		return out, "", err
	}
	if !foldable(t.x) {
		return out, "", fail("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_INVALID_BOUND", b, "location", "lower", "sqlExpr", quoteSQL(t.text))
	}
	if rows && t.x.Type() != types.Int {
		if x, ok := rel.ImplicitCast(t.x, types.Int, a.set); ok && t.x.Type() != types.Long {
			t.x = x
		}
	}
	out.Offset = t.x
	if rows || len(spec.order) != 1 || !types.Numeric(spec.order[0].Expr.Type()) || types.Equal(t.x.Type(), spec.order[0].Expr.Type()) {
		return out, t.text + " " + b.Kind, nil
	}
	if x, ok := rel.ImplicitCast(t.x, spec.order[0].Expr.Type(), a.set); ok {
		out.Offset = x
	}
	if out.Kind == rel.Preceding {
		return out, "(- " + t.text + ") FOLLOWING", nil
	}
	return out, t.text + " " + b.Kind, nil
}
