package plan

import (
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// generatorIn is the first generator call in e.
func generatorIn(e rel.Expr) *rel.Call {
	var found *rel.Call
	rel.WalkExpr(e, func(x rel.Expr) bool {
		if c, ok := x.(*rel.Call); ok && found == nil && isGenerator(c) {
			found = c
		}
		return found == nil
	})
	return found
}

func isGenerator(c *rel.Call) bool {
	fn := rel.FindFunction(c.Name)
	return fn != nil && fn.Kind == rel.GeneratorKind
}

// generate puts a Generate node on the block when the SELECT list has a generator, whose item becomes its columns.
func (b *block) generate(s *syntax.Select) error {
	at := -1
	for i, it := range b.items {
		g := generatorIn(it.x)
		if g == nil {
			continue
		}
		if rel.Expr(g) != it.x {
			return fail("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", s, "expression", quoteSQL(it.text))
		}
		if at >= 0 {
			return fail("UNSUPPORTED_GENERATOR.MULTI_GENERATOR", s, "num", "2",
				"generators", quoteSQL(b.items[at].text)+", "+quoteSQL(it.text))
		}
		at = i
	}
	if at < 0 {
		return nil
	}
	it := b.items[at]
	cols, err := generated(it.x.(*rel.Call), it.names, s)
	if err != nil {
		return err
	}
	b.node = &rel.Generate{In: b.node, Fn: it.x.(*rel.Call), Outer: it.outer, Cols: cols}
	items := append([]item(nil), b.items[:at]...)
	for _, c := range cols {
		items = append(items, item{term: term{x: c.Ref(), text: c.Name}, name: c.Name})
	}
	b.items = append(items, b.items[at+1:]...)
	return nil
}

// generated are the columns of a generator call under the names that the query gives them.
func generated(fn *rel.Call, names []string, at syntax.Node) ([]rel.Column, error) {
	fields := rel.GeneratorColumns(fn)
	if len(names) > 0 && len(names) != len(fields) {
		return nil, fail("UDTF_ALIAS_NUMBER_MISMATCH", at, "aliasesSize", itoa(len(fields)), "aliasesNames", joinNames(names))
	}
	cols := make([]rel.Column, len(fields))
	for i, f := range fields {
		cols[i] = rel.Column{ID: rel.NewID(), Name: f.Name, Type: read(f.Type), Nullable: true}
		if len(names) > 0 {
			cols[i].Name = names[i]
		}
	}
	return cols, nil
}

func joinNames(names []string) string {
	s := ""
	for i, n := range names {
		if i > 0 {
			s += ","
		}
		s += n
	}
	return s
}

// lateralView is LATERAL VIEW f(…) t AS a, b over in.
func (a *analyzer) lateralView(in relation, v *syntax.LateralViewClause, outer *frame) (relation, error) {
	f := &frame{outer: outer, cols: in.cols, hidden: in.hidden}
	t, err := a.expr(&syntax.Call{Span: v.Span, Func: v.Func, Args: v.Args}, f)
	if err != nil {
		return relation{}, err
	}
	fn, ok := t.x.(*rel.Call)
	if !ok || !isGenerator(fn) {
		return relation{}, fail("UNSUPPORTED_GENERATOR.NOT_GENERATOR", v, "functionName", quoteName(v.Func.Last()), "classCanonicalName", "")
	}
	var names []string
	for _, c := range v.Columns {
		names = append(names, c.Name)
	}
	cols, err := generated(fn, names, v)
	if err != nil {
		return relation{}, err
	}
	out := relation{node: &rel.Generate{In: in.node, Fn: fn, Outer: v.Outer || t.outer, Cols: cols}, hidden: in.hidden}
	out.cols = append(out.cols, in.cols...)
	for _, c := range cols {
		out.cols = append(out.cols, column{c, []string{v.Table.Name}})
	}
	return out, nil
}

// tableFunc is a function in FROM: range, or a generator over one row.
func (a *analyzer) tableFunc(e *syntax.TableFunc, outer *frame) (relation, error) {
	parts, err := a.names(e.Func.Parts)
	if err != nil {
		return relation{}, err
	}
	name, ok := builtin(parts)
	if ok && name == "range" {
		r, err := a.rangeFunc(e, outer)
		return a.aliased(r, "", e.Alias, err)
	}
	if ok && name == "sql_keywords" {
		return a.aliased(a.keywordTable(), "", e.Alias, nil)
	}
	fn := rel.FindFunction(name)
	if !ok || fn == nil || fn.Kind != rel.GeneratorKind {
		return a.scopeFunc(e, name, parts)
	}
	t, err := a.expr(&syntax.Call{Span: e.Span, Func: e.Func, Args: e.Args}, &frame{outer: outer})
	if err != nil {
		return relation{}, err
	}
	cols, err := generated(t.x.(*rel.Call), nil, e)
	if err != nil {
		return relation{}, err
	}
	node := &rel.Generate{In: oneRow(), Fn: t.x.(*rel.Call), Outer: t.outer, Cols: cols}
	return a.aliased(relation{node: node, cols: plain(cols)}, "", e.Alias, nil)
}

// scopeFunc is a table function of the scope.
func (a *analyzer) scopeFunc(e *syntax.TableFunc, name string, parts []string) (relation, error) {
	unknown := fail("UNRESOLVABLE_TABLE_VALUED_FUNCTION", e, "name", quoteName(parts...))
	scope, ok := a.scope.(Functions)
	if !ok || len(parts) != 1 {
		return relation{}, unknown
	}
	terms, err := a.exprs(e.Args, &frame{})
	if err != nil {
		return relation{}, err
	}
	args := make([]types.Value, len(terms))
	for i, t := range terms {
		if args[i], err = a.constant(t.x); err != nil {
			return relation{}, err
		}
	}
	src, err := scope.TableFunction(a.ctx, name, args)
	switch {
	case err != nil:
		return relation{}, err
	case src == nil:
		return relation{}, unknown
	}
	return a.aliased(scan(src, parts), "", e.Alias, nil)
}

// keywordTable is sql_keywords(): the keywords of Spark.
func (a *analyzer) keywordTable() relation {
	v := &rel.Values{Cols: []rel.Column{{ID: rel.NewID(), Name: "keyword", Type: types.String},
		{ID: rel.NewID(), Name: "reserved", Type: types.Boolean}}}
	enforced := isTrue(a.scope.Setting("spark.sql.ansi.enforceReservedKeywords")) && a.set.Mode == rel.ANSI
	for _, k := range syntax.Keywords() {
		v.Rows = append(v.Rows, []rel.Expr{stringLit(k.Word), &rel.Lit{T: types.Boolean, Value: k.Reserved && enforced}})
	}
	return relation{node: v, cols: plain(v.Cols)}
}

func oneRow() rel.Node { return &rel.Values{Rows: [][]rel.Expr{{}}} }

// rangeFunc is range(end), range(start, end), and so on to the number of partitions, which has no effect here.
func (a *analyzer) rangeFunc(e *syntax.TableFunc, outer *frame) (relation, error) {
	args, err := a.exprs(e.Args, &frame{outer: outer})
	if err != nil {
		return relation{}, err
	}
	if len(args) < 1 || len(args) > 4 {
		return relation{}, fail("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", e, "functionName", "`range`", "expectedNum", "[1, 2, 3, 4]",
			"actualNum", itoa(len(args)), "docroot", docroot)
	}
	bounds := make([]rel.Expr, len(args))
	for i, t := range args {
		x, ok := rel.ImplicitCast(t.x, types.Long, a.set)
		if !ok || t.x.Type() == types.Void {
			return relation{}, fail("UNEXPECTED_INPUT_TYPE", e, "paramIndex", ordinal(i+1), "functionName", "`range`",
				"requiredType", `"BIGINT"`, "inputSql", quoteSQL(t.text), "inputType", typeSQL(t.x.Type()))
		}
		bounds[i] = x
	}
	long := func(n int64) rel.Expr { return &rel.Lit{T: types.Long, Value: n} }
	switch len(bounds) {
	case 1:
		bounds = []rel.Expr{long(0), bounds[0], long(1)}
	case 2:
		bounds = append(bounds, long(1))
	}
	id := rel.Column{ID: rel.NewID(), Name: "id", Type: types.Long}
	return relation{node: &rel.TableFunc{Name: "range", Args: bounds[:3], Cols: []rel.Column{id}}, cols: plain([]rel.Column{id})}, nil
}
