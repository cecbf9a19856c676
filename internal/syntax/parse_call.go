package syntax

import (
	"slices"
	"strings"
)

// dateUnits are the units of TIMESTAMPADD, DATEDIFF and their like.
var dateUnits = []string{
	"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND",
}

// wordCall reads a call of keyword w that has a grammar of its own; nil means
// that w is called like any function.
func (p *parser) wordCall(w string) Expr {
	h := p.mark()
	defer func() { p.merge(h); p.grow() }()
	switch w {
	case "CASE":
		return p.caseExpr()
	case "CAST", "TRY_CAST":
		return p.cast(w)
	case "EXISTS":
		if p.isQueryAt(2) {
			return p.exists()
		}
	case "EXTRACT":
		return p.extract()
	case "TRIM":
		return p.trim()
	case "STRUCT":
		return p.structCall()
	case "POSITION", "OVERLAY", "SUBSTR", "SUBSTRING":
		return p.wordyCall(w)
	case "FIRST", "LAST", "ANY_VALUE":
		return p.firstCall()
	case "TIMESTAMPADD", "DATEADD", "DATE_ADD", "TIMESTAMPDIFF", "DATEDIFF", "DATE_DIFF", "TIMEDIFF":
		return p.unitCall(w)
	}
	return nil
}

func (p *parser) cast(w string) Expr {
	from := p.start()
	p.i += 2
	c := &Cast{X: p.expr(), Try: w == "TRY_CAST"}
	p.expect("AS")
	c.Type = p.dataType()
	p.expectOp(")")
	c.Span = p.since(from)
	return c
}

func (p *parser) exists() Expr {
	from := p.start()
	p.i += 2
	q := p.query()
	p.expectOp(")")
	return &Exists{p.since(from), q}
}

func (p *parser) extract() Expr {
	if !p.ahead(3).is("FROM") {
		if p.ahead(2).kind == kindWord && p.opAt(3, "(") && p.ahead(2).is("IDENTIFIER") {
			p.i += 3
			p.failExpected("FROM")
		}
		return nil
	}
	from := p.start()
	p.i += 2
	e := &Extract{Part: p.word().Name}
	p.expect("FROM")
	e.X = p.value()
	p.expectOp(")")
	e.Span = p.since(from)
	return e
}

// plainArgs reports whether the arguments of the call that comes next cannot
// be those of a special form.
func (p *parser) plainArgs() bool {
	return p.opAt(2, ")") || p.opAt(3, "=>") || p.ahead(2).is("DISTINCT")
}

// goOn reads the rest of a call whose name is at token index start, and whose
// first argument x turned out to be an ordinary one.
func (p *parser) goOn(start int, x Expr) Expr {
	t := p.toks[start]
	id := &Ident{Span: Span{Pos(t.start), Pos(t.end)}, Name: p.text(t)}
	x = p.infixes(x, x.Pos(), precOr, precPredicate)
	c := &Call{Func: &Name{id.Span, []*Ident{id}}, Args: []Expr{x}}
	for p.acceptOp(",") {
		c.Args = append(c.Args, p.argument())
	}
	p.expectOp(")")
	p.callTail(c)
	c.Span = p.since(id.From)
	return c
}

// trim reads TRIM([side] [chars] FROM x), or TRIM(x, …).
func (p *parser) trim() Expr {
	if p.plainArgs() {
		return nil
	}
	start, from := p.i, p.start()
	p.i += 2
	t := &Trim{}
	if p.atAny("BOTH", "LEADING", "TRAILING") && (!p.nameGoesOn(1) || p.ahead(1).is("FROM") && !p.opAt(2, ")")) {
		t.Side = p.expectAny("BOTH", "LEADING", "TRAILING")
	}
	if !p.at("FROM") || p.itemEndsAt(1) {
		t.Chars = p.value()
		if t.Side == "" && !p.at("FROM") {
			return p.goOn(start, t.Chars)
		}
	}
	p.expect("FROM")
	t.X = p.value()
	p.expectOp(")")
	t.Span = p.since(from)
	return t
}

// wordyCall reads POSITION(a IN b), OVERLAY(a PLACING b …) and SUBSTRING(a
// FROM b …), or an ordinary call of these functions.
func (p *parser) wordyCall(w string) Expr {
	if p.plainArgs() {
		return nil
	}
	start, from := p.i, p.start()
	p.i += 2
	x := p.value()
	switch {
	case w == "POSITION" && p.accept("IN"):
		pos := &Position{Sub: x, X: p.value()}
		p.expectOp(")")
		pos.Span = p.since(from)
		return pos
	case w == "OVERLAY" && p.accept("PLACING"):
		o := &Overlay{X: x, With: p.value()}
		p.expect("FROM")
		o.Start, o.Length = p.startLength()
		o.Span = p.since(from)
		return o
	case w[0] == 'S' && p.accept("FROM"):
		s := &Substring{Func: w, X: x}
		s.Start, s.Length = p.startLength()
		s.Span = p.since(from)
		return s
	}
	return p.goOn(start, x)
}

// startLength reads start [FOR length] ).
func (p *parser) startLength() (start, length Expr) {
	start = p.value()
	if p.accept("FOR") {
		length = p.value()
	}
	p.expectOp(")")
	return start, length
}

// firstCall reads first(x IGNORE NULLS) and its like.
func (p *parser) firstCall() Expr {
	if p.plainArgs() {
		return nil
	}
	start := p.i
	p.i += 2
	x := p.expr()
	if !p.accept("IGNORE", "NULLS") {
		return p.goOn(start, x)
	}
	c := p.goOn(start, x).(*Call)
	c.Nulls = "IGNORE"
	return c
}

// structCall reads struct(…), whose arguments may have aliases.
func (p *parser) structCall() Expr {
	from := p.start()
	id := p.wordAsIs()
	c := &Call{Func: &Name{id.Span, []*Ident{id}}}
	p.expectOp("(")
	if !p.atOp(")") {
		c.Args = list(p, p.exprOrNamed)
	}
	p.expectOp(")")
	p.callTail(c)
	c.Span = p.since(from)
	return c
}

// unitCall reads f(UNIT, a, b), if the first argument is a unit.
func (p *parser) unitCall(w string) Expr {
	isUnit := p.ahead(2).kind == kindWord && slices.Contains(dateUnits, strings.ToUpper(p.text(p.ahead(2))))
	n := 3
	for !isUnit && p.isString(p.ahead(n)) {
		n++
	}
	if !p.opAt(n, ",") || !isUnit && !p.isString(p.ahead(2)) || !p.hasThreeArgs() {
		return nil
	}
	from := p.start()
	name := p.text(p.tok())
	p.i += 2
	start := p.start()
	p.i += n - 2
	u := &UnitCall{Func: w, Unit: strings.ToUpper(p.since(start).Text(p.src))}
	for range 2 {
		p.expectOp(",")
		u.Args = append(u.Args, p.value())
	}
	p.expectOp(")")
	u.Span = p.since(from)
	if !isUnit {
		p.failAs(u.Span, "INVALID_PARAMETER_VALUE.DATETIME_UNIT",
			"the unit of "+name+" is a word without quotes: "+strings.Trim(u.Unit, "'\""),
			"functionName", "`"+strings.ToLower(name)+"`", "parameter", "`unit`", "invalidValue", u.Unit)
	}
	return u
}

// hasThreeArgs reports whether the call that comes next has three arguments.
func (p *parser) hasThreeArgs() bool {
	depth, commas := 0, 0
	for n := 1; ; n++ {
		switch t := p.ahead(n); {
		case t.kind == kindEOF:
			return false
		case p.opAt(n, "("):
			depth++
		case p.opAt(n, ")"):
			if depth--; depth == 0 {
				return commas == 2
			}
		case p.opAt(n, ",") && depth == 1:
			commas++
		}
	}
}

// call reads (args) and all that may follow, for the function f.
func (p *parser) call(f *Name) Expr {
	h := p.mark()
	defer func() { p.merge(h); p.grow() }()
	c := &Call{Func: f}
	p.expectOp("(")
	switch {
	case p.at("DISTINCT") && !p.itemEndsAt(1):
		p.next()
		c.Distinct = true
	case p.at("ALL") && !p.nameGoesOn(1):
		p.next()
	}
	if !p.atOp(")") || c.Distinct {
		c.Args = list(p, p.argument)
	}
	p.expectOp(")")
	p.callTail(c)
	c.Span = p.since(f.From)
	return c
}

// argument reads an argument of a function.
func (p *parser) argument() Expr {
	if !p.isIdent(p.tok()) || !p.opAt(1, "=>") {
		return p.expr()
	}
	from := p.start()
	a := &NamedArg{Name: p.word()}
	p.expectOp("=>")
	a.Value = p.expr()
	a.Span = p.since(from)
	return a
}

// callTail reads WITHIN GROUP, FILTER, IGNORE NULLS and OVER.
func (p *parser) callTail(c *Call) {
	if p.at("WITHIN", "GROUP") && p.opAt(2, "(") {
		p.i += 3
		p.expect("ORDER", "BY")
		c.Within = list(p, p.sortItem)
		p.expectOp(")")
	}
	if p.at("FILTER") && p.opAt(1, "(") && p.ahead(2).is("WHERE") {
		p.i += 2
		p.expect("WHERE")
		c.Filter = p.expr()
		p.expectOp(")")
	}
	if p.atAny("IGNORE", "RESPECT") && p.ahead(1).is("NULLS") {
		c.Nulls = p.expectAny("IGNORE", "RESPECT")
		p.next()
	}
	if p.at("OVER") && (p.opAt(1, "(") || p.isIdent(p.ahead(1)) && !p.overIsAlias()) {
		p.next()
		c.Over = p.windowSpec()
	}
}

// overIsAlias reports whether the OVER that comes next is the alias of the
// call before it.
func (p *parser) overIsAlias() bool {
	t := p.ahead(1)
	return t.is("FROM") || t.is("WHERE")
}

// Windows.

// windowSpec reads w, (w) or (definition).
func (p *parser) windowSpec() *WindowSpec {
	from := p.start()
	w := &WindowSpec{}
	switch {
	case !p.atOp("("):
		w.Ref = p.ident()
	case p.isIdent(p.ahead(1)) && p.opAt(2, ")"), p.ahead(1).is("IDENTIFIER") && p.opAt(2, "("):
		p.next()
		w.Ref, w.Parens = p.ident(), true
		p.expectOp(")")
	default:
		p.windowDef(w)
	}
	w.Span = p.since(from)
	return w
}

func (p *parser) windowDef(w *WindowSpec) {
	p.expectOp("(")
	if p.accept("CLUSTER", "BY") {
		w.PartitionBy = list(p, p.expr)
	} else {
		if p.accept("PARTITION", "BY") || p.accept("DISTRIBUTE", "BY") {
			w.PartitionBy = list(p, p.expr)
		}
		if p.accept("ORDER", "BY") || p.accept("SORT", "BY") {
			w.OrderBy = list(p, p.sortItem)
		}
	}
	if p.atAny("ROWS", "RANGE") {
		w.Frame = p.frame()
	}
	p.expectOp(")")
}

func (p *parser) frame() *Frame {
	from := p.start()
	f := &Frame{Unit: p.expectAny("ROWS", "RANGE")}
	if p.accept("BETWEEN") {
		f.Start = p.frameBound()
		p.expect("AND")
		f.Stop = p.frameBound()
	} else {
		f.Start = p.frameBound()
	}
	f.Span = p.since(from)
	return f
}

func (p *parser) frameBound() *FrameBound {
	from := p.start()
	b := &FrameBound{}
	switch {
	case p.at("UNBOUNDED") && (p.ahead(1).is("PRECEDING") || p.ahead(1).is("FOLLOWING")):
		p.next()
		b.Kind = "UNBOUNDED " + p.expectAny("PRECEDING", "FOLLOWING")
	case p.accept("CURRENT", "ROW"):
		b.Kind = "CURRENT ROW"
	default:
		b.X = p.binary(precPredicate)
		b.Kind = p.expectAny("PRECEDING", "FOLLOWING")
		p.checkBound(b.X, p.since(from))
	}
	b.Span = p.since(from)
	return b
}

// checkBound refuses bounds that depend on the row.
func (p *parser) checkBound(x Expr, at Span) {
	constant := true
	Walk(x, func(n Node) bool {
		switch n.(type) {
		case *ColumnRef, *Call, *UnitCall, *ScalarSubquery, *Exists, *Case:
			constant = false
		}
		return constant
	})
	if !constant {
		const msg = "Frame bound value must be a literal."
		p.failAs(at, "_LEGACY_ERROR_TEMP_0064", msg, "msg", msg)
	}
}

// sortItem reads x [ASC|DESC] [NULLS FIRST|LAST].
func (p *parser) sortItem() *SortItem {
	from := p.start()
	s := &SortItem{X: p.expr()}
	s.Order = p.acceptAny("ASC", "DESC")
	if p.accept("NULLS") {
		s.Nulls = p.expectAny("FIRST", "LAST")
	}
	s.Span = p.since(from)
	return s
}
