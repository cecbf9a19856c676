package syntax

import "strings"

// timeTravel reads [FOR] VERSION AS OF n or TIMESTAMP AS OF t.
func (p *parser) timeTravel() *TimeTravel {
	if p.atOp("@") {
		return p.shortTravel()
	}
	n := 0
	if p.at("FOR") {
		n = 1
	}
	t := p.ahead(n)
	version := t.is("VERSION") || t.is("SYSTEM_VERSION")
	if !version && !t.is("TIMESTAMP") && !t.is("SYSTEM_TIME") || !p.ahead(n+1).is("AS") || !p.ahead(n+2).is("OF") {
		return nil
	}
	from := p.start()
	p.i += n + 3
	tt := &TimeTravel{}
	if version {
		tt.Version = p.version()
	} else {
		tt.Timestamp = p.value()
	}
	tt.Span = p.since(from)
	p.checkTravel(tt.Span, tt.Timestamp)
	return tt
}

// shortTravel reads Delta's @v3 and @yyyyMMddHHmmssSSS.
func (p *parser) shortTravel() *TimeTravel {
	from := p.start()
	t := p.ahead(1)
	text := p.text(t)
	digits := strings.TrimLeft(text, "vV")
	span := Span{Pos(t.start), Pos(t.end)}
	tt := &TimeTravel{}
	switch {
	case t.kind == kindWord && len(digits) == len(text)-1 && isDigits(digits):
		tt.Version = &NumberLit{Span: span, Text: digits}
	case t.kind == kindInt && len(text) == len("yyyyMMddHHmmssSSS"):
		tt.Timestamp = &StringLit{Span: span, Value: text[:4] + "-" + text[4:6] + "-" + text[6:8] + " " +
			text[8:10] + ":" + text[10:12] + ":" + text[12:14] + "." + text[14:]}
	default:
		p.next()
		p.failExpected("v and a version", "a time as yyyyMMddHHmmssSSS")
	}
	p.i += 2
	tt.Span = p.since(from)
	return tt
}

func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// checkTravel refuses a time that depends on columns.
func (p *parser) checkTravel(at Span, x Expr) {
	if x != nil && refersToColumn(x) {
		const reason = "timestamp expression cannot refer to any columns"
		p.failAs(at, "_LEGACY_ERROR_TEMP_0056", "invalid time travel: "+reason, "reason", reason)
	}
}

// refersToColumn reports whether x holds a column outside of subqueries.
func refersToColumn(x Expr) bool {
	found := false
	Walk(x, func(n Node) bool {
		switch n.(type) {
		case *ColumnRef:
			found = true
		case *Query:
			return false
		}
		return !found
	})
	return found
}

// version reads a table's version, a number or a string.
func (p *parser) version() Expr {
	if p.isString(p.tok()) {
		return p.stringLit()
	}
	return p.integer()
}

// changes reads CHANGES FROM … [TO …] of a table's change feed.
func (p *parser) changes() *Changes {
	if !p.at("CHANGES", "FROM") {
		return nil
	}
	from := p.start()
	p.i += 2
	c := &Changes{Unit: p.changesUnit()}
	c.From, c.FromExclusive = p.changesBound(c.Unit)
	if p.accept("TO") {
		if p.changesUnit() != c.Unit {
			p.failExpected(c.Unit)
		}
		c.To, c.ToExclusive = p.changesBound(c.Unit)
	}
	c.Options = p.withOptions()
	c.Span = p.since(from)
	return c
}

func (p *parser) changesUnit() string {
	switch p.expectAny("VERSION", "SYSTEM_VERSION", "TIMESTAMP", "SYSTEM_TIME") {
	case "VERSION", "SYSTEM_VERSION":
		return "VERSION"
	}
	return "TIMESTAMP"
}

func (p *parser) changesBound(unit string) (x Expr, exclusive bool) {
	if unit == "VERSION" {
		x = p.version()
	} else {
		x = p.value()
		if hasSubquery(x) {
			p.failAs(Span{x.Pos(), x.End()}, "INVALID_CDC_OPTION.INVALID_TIMESTAMP_EXPR",
				"the time of CHANGES cannot hold a subquery")
		}
		p.checkTravel(Span{x.Pos(), x.End()}, x)
	}
	return x, p.acceptAny("INCLUSIVE", "EXCLUSIVE") == "EXCLUSIVE"
}

func hasSubquery(x Expr) bool {
	found := false
	Walk(x, func(n Node) bool {
		if _, ok := n.(*Query); ok {
			found = true
		}
		return !found
	})
	return found
}
