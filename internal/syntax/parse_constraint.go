package syntax

import "strings"

func (p *parser) atTableConstraint() bool {
	return p.at("CONSTRAINT") && p.isIdent(p.ahead(1)) && p.isConstraintWord(2) || p.isConstraintWord(0)
}

// isConstraintWord reports whether a constraint of a table starts n tokens
// ahead.
func (p *parser) isConstraintWord(n int) bool {
	t := p.ahead(n)
	switch {
	case t.is("CHECK"), t.is("UNIQUE"):
		return p.opAt(n+1, "(")
	case t.is("PRIMARY"), t.is("FOREIGN"):
		return p.ahead(n+1).is("KEY") && p.opAt(n+2, "(")
	}
	return false
}

func (p *parser) tableConstraint() *Constraint {
	from := p.start()
	c := &Constraint{}
	if p.accept("CONSTRAINT") {
		c.Name = p.ident()
	}
	switch c.Kind = p.expectAny("CHECK", "PRIMARY", "UNIQUE", "FOREIGN"); c.Kind {
	case "CHECK":
		p.check(c)
	case "PRIMARY", "FOREIGN":
		p.expect("KEY")
		c.Kind += " KEY"
		c.Columns = parens(p, p.ident)
	case "UNIQUE":
		c.Columns = parens(p, p.ident)
	}
	if c.Kind == "FOREIGN KEY" {
		p.references(c)
	}
	p.traits(c)
	c.Span = p.since(from)
	return c
}

func (p *parser) check(c *Constraint) {
	p.expectOp("(")
	c.Check = p.expr()
	p.expectOp(")")
}

func (p *parser) references(c *Constraint) {
	p.expect("REFERENCES")
	c.References = p.name()
	if p.atOp("(") {
		c.RefColumns = parens(p, p.ident)
	}
}

func (p *parser) atColumnConstraint() bool {
	return p.atAny("CONSTRAINT", "CHECK", "UNIQUE", "REFERENCES") || p.at("PRIMARY", "KEY")
}

func (p *parser) columnConstraint() *Constraint {
	from := p.start()
	c := &Constraint{}
	if p.accept("CONSTRAINT") {
		c.Name = p.ident()
	}
	switch c.Kind = p.expectAny("CHECK", "PRIMARY", "UNIQUE", "REFERENCES"); c.Kind {
	case "CHECK":
		p.check(c)
	case "PRIMARY":
		p.expect("KEY")
		c.Kind = "PRIMARY KEY"
	case "REFERENCES":
		c.Kind = "FOREIGN KEY"
		p.i--
		p.references(c)
	}
	p.traits(c)
	c.Span = p.since(from)
	return c
}

// traits reads ENFORCED, RELY and their like.
func (p *parser) traits(c *Constraint) {
	seen := map[string]bool{}
	for {
		from := p.start()
		var trait string
		switch {
		case p.at("NOT", "ENFORCED"):
			p.i += 2
			trait = "NOT ENFORCED"
		case p.atAny("ENFORCED", "RELY", "NORELY"):
			trait = p.expectAny("ENFORCED", "RELY", "NORELY")
		default:
			return
		}
		c.Traits = append(c.Traits, trait)
		p.checkTrait(c, seen, trait, p.since(from))
	}
}

func (p *parser) checkTrait(c *Constraint, seen map[string]bool, trait string, at Span) {
	group := "RELY"
	if trait == "ENFORCED" || trait == "NOT ENFORCED" {
		group = "ENFORCED"
	}
	if seen[group] {
		p.failAs(at, "INVALID_CONSTRAINT_CHARACTERISTICS", "the constraint has two characteristics that exclude one another",
			"characteristics", strings.Join(c.Traits, ", "))
	}
	seen[group] = true
	if trait == "ENFORCED" && c.Kind != "CHECK" {
		p.failAs(at, "UNSUPPORTED_CONSTRAINT_CHARACTERISTIC", c.Kind+" constraints cannot be ENFORCED",
			"characteristic", "ENFORCED", "constraintType", c.Kind)
	}
}
