package rel

// Walk calls f for n and, while f returns true, for the nodes below it, inputs first to last. Subqueries
// inside expressions are not entered; see [Exprs].
func Walk(n Node, f func(Node) bool) {
	if n == nil || !f(n) {
		return
	}
	for _, in := range n.Inputs() {
		Walk(in, f)
	}
}

// Rewrite gives a tree in which f was applied to each node after its inputs. A node that keeps its inputs is
// passed as it is; a shared input stays shared. Subqueries inside expressions are not entered.
func Rewrite(n Node, f func(Node) (Node, error)) (Node, error) {
	return rewriter{f, map[Node]Node{}}.node(n)
}

type rewriter struct {
	f    func(Node) (Node, error)
	done map[Node]Node
}

func (r rewriter) node(n Node) (Node, error) {
	if m, ok := r.done[n]; ok {
		return m, nil
	}
	ins := n.Inputs()
	out, changed := make([]Node, len(ins)), false
	for i, in := range ins {
		m, err := r.node(in)
		if err != nil {
			return nil, err
		}
		out[i], changed = m, changed || m != in
	}
	m := n
	if changed {
		m = WithInputs(n, out)
	}
	m, err := r.f(m)
	if err != nil {
		return nil, err
	}
	r.done[n] = m
	return m, nil
}

// WithInputs is a copy of n over other inputs, as many as it has.
func WithInputs(n Node, in []Node) Node {
	switch n := n.(type) {
	case *Project:
		c := *n
		c.In = in[0]
		return &c
	case *Filter:
		c := *n
		c.In = in[0]
		return &c
	case *Join:
		c := *n
		c.Left, c.Right = in[0], in[1]
		return &c
	case *Aggregate:
		c := *n
		c.In = in[0]
		return &c
	case *Window:
		c := *n
		c.In = in[0]
		return &c
	case *Sort:
		c := *n
		c.In = in[0]
		return &c
	case *Limit:
		c := *n
		c.In = in[0]
		return &c
	case *SetOp:
		c := *n
		c.Left, c.Right = in[0], in[1]
		return &c
	case *Generate:
		c := *n
		c.In = in[0]
		return &c
	case *Shared:
		c := *n
		c.In = in[0]
		return &c
	case *Recursive:
		c := *n
		c.Seed, c.Step = in[0], in[1]
		return &c
	case *Sample:
		c := *n
		c.In = in[0]
		return &c
	}
	return n
}

// Exprs gives the expressions that n itself holds, in order.
func Exprs(n Node) []Expr {
	var out []Expr
	add := func(e Expr) Expr {
		if e != nil {
			out = append(out, e)
		}
		return e
	}
	mapExprs(n, add)
	return out
}

// MapExprs is a copy of n with f applied to each expression that n itself holds.
func MapExprs(n Node, f func(Expr) Expr) Node {
	return mapExprs(n, func(e Expr) Expr {
		if e == nil {
			return nil
		}
		return f(e)
	})
}

func mapExprs(n Node, f func(Expr) Expr) Node {
	switch n := n.(type) {
	case *Values:
		c := *n
		c.Rows = make([][]Expr, len(n.Rows))
		for i, row := range n.Rows {
			c.Rows[i] = mapList(row, f)
		}
		return &c
	case *Table:
		c := *n
		c.Where = f(n.Where)
		return &c
	case *TableFunc:
		c := *n
		c.Args = mapList(n.Args, f)
		return &c
	case *Project:
		c := *n
		c.Cols = mapComputed(n.Cols, f)
		return &c
	case *Filter:
		c := *n
		c.Cond = f(n.Cond)
		return &c
	case *Join:
		c := *n
		c.On = f(n.On)
		return &c
	case *Aggregate:
		c := *n
		c.Keys, c.Aggs = mapComputed(n.Keys, f), mapComputed(n.Aggs, f)
		return &c
	case *Window:
		c := *n
		c.Funcs = mapComputed(n.Funcs, f)
		return &c
	case *Sort:
		c := *n
		c.By = mapOrder(n.By, f)
		return &c
	case *Generate:
		c := *n
		c.Fn, _ = f(n.Fn).(*Call)
		return &c
	}
	return n
}

func mapList(es []Expr, f func(Expr) Expr) []Expr {
	if es == nil {
		return nil
	}
	out := make([]Expr, len(es))
	for i, e := range es {
		out[i] = f(e)
	}
	return out
}

func mapComputed(cs []Computed, f func(Expr) Expr) []Computed {
	out := append([]Computed(nil), cs...)
	for i := range out {
		out[i].Expr = f(out[i].Expr)
	}
	return out
}

func mapOrder(os []Order, f func(Expr) Expr) []Order {
	out := append([]Order(nil), os...)
	for i := range out {
		out[i].Expr = f(out[i].Expr)
	}
	return out
}

// Operands gives the expressions directly below e. The queries of subqueries are not entered.
func Operands(e Expr) []Expr {
	var out []Expr
	mapOperands(e, func(x Expr) Expr {
		if x != nil {
			out = append(out, x)
		}
		return x
	})
	return out
}

// RewriteExpr gives an expression in which f was applied to each part after its operands.
func RewriteExpr(e Expr, f func(Expr) Expr) Expr {
	if e == nil {
		return nil
	}
	return f(mapOperands(e, func(x Expr) Expr { return RewriteExpr(x, f) }))
}

// WalkExpr calls f for e and, while f returns true, for its operands.
func WalkExpr(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, x := range Operands(e) {
		WalkExpr(x, f)
	}
}

// MapOperands is a copy of e with f applied to the expressions directly below it. The queries of subqueries are not entered.
func MapOperands(e Expr, f func(Expr) Expr) Expr { return mapOperands(e, f) }

func mapOperands(e Expr, f func(Expr) Expr) Expr {
	opt := func(x Expr) Expr {
		if x == nil {
			return nil
		}
		return f(x)
	}
	switch e := e.(type) {
	case *Call:
		c := *e
		c.Args = mapList(e.Args, f)
		return &c
	case *Cast:
		c := *e
		c.X = f(e.X)
		return &c
	case *Case:
		c := *e
		c.Whens = make([]When, len(e.Whens))
		for i, w := range e.Whens {
			c.Whens[i] = When{f(w.If), f(w.Then)}
		}
		c.Else = opt(e.Else)
		return &c
	case *Field:
		c := *e
		c.X = f(e.X)
		return &c
	case *Apply:
		c := *e
		c.X = f(e.X)
		return &c
	case *Lambda:
		c := *e
		c.Body = f(e.Body)
		return &c
	case *InQuery:
		c := *e
		c.X = mapList(e.X, f)
		return &c
	case *Agg:
		c := *e
		c.Args, c.Filter, c.OrderBy = mapList(e.Args, f), opt(e.Filter), mapOrder(e.OrderBy, f)
		return &c
	case *Over:
		c := *e
		c.Fn, c.Partition, c.Order = f(e.Fn), mapList(e.Partition, f), mapOrder(e.Order, f)
		if e.Frame != nil {
			fr := *e.Frame
			fr.From.Offset, fr.To.Offset = opt(fr.From.Offset), opt(fr.To.Offset)
			c.Frame = &fr
		}
		return &c
	}
	return e
}

// Subqueries gives the queries inside e, outermost only.
func Subqueries(e Expr) []Node {
	var out []Node
	WalkExpr(e, func(x Expr) bool {
		switch x := x.(type) {
		case *Scalar:
			out = append(out, x.Query)
		case *Exists:
			out = append(out, x.Query)
		case *InQuery:
			out = append(out, x.Query)
		}
		return true
	})
	return out
}

// MapSubqueries is e with f applied to the outermost queries inside it.
func MapSubqueries(e Expr, f func(Node) (Node, error)) (Expr, error) {
	var failed error
	sub := func(n Node) Node {
		m, err := f(n)
		if err != nil && failed == nil {
			failed = err
		}
		return m
	}
	out := RewriteExpr(e, func(x Expr) Expr {
		switch x := x.(type) {
		case *Scalar:
			return &Scalar{sub(x.Query)}
		case *Exists:
			return &Exists{sub(x.Query)}
		case *InQuery:
			return &InQuery{x.X, sub(x.Query)}
		}
		return x
	})
	return out, failed
}

// And joins conditions; nil ones are true. It is nil when all are.
func And(conds ...Expr) Expr {
	var out Expr
	for _, c := range conds {
		switch {
		case c == nil:
		case out == nil:
			out = c
		default:
			out = &Call{Name: "and", Args: []Expr{out, c}, T: c.Type(), Null: out.Nullable() || c.Nullable()}
		}
	}
	return out
}

// Conjuncts splits e at its outer ANDs. nil has none.
func Conjuncts(e Expr) []Expr {
	if e == nil {
		return nil
	}
	if c, ok := e.(*Call); ok && c.Name == "and" {
		return append(Conjuncts(c.Args[0]), Conjuncts(c.Args[1])...)
	}
	return []Expr{e}
}
