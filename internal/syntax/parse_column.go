package syntax

import "strings"

// tableElements reads (column or constraint, …).
func (p *parser) tableElements() ([]*ColumnDef, []*Constraint) {
	var cols []*ColumnDef
	var constraints []*Constraint
	parens(p, func() struct{} {
		if p.atTableConstraint() {
			constraints = append(constraints, p.tableConstraint())
		} else {
			cols = append(cols, p.columnDef())
		}
		return struct{}{}
	})
	return cols, constraints
}

// columnDef reads a column of CREATE TABLE.
func (p *parser) columnDef() *ColumnDef {
	from := p.start()
	id := p.ident()
	c := &ColumnDef{Name: &Name{id.Span, []*Ident{id}}, Type: p.dataType()}
	seen := map[string]bool{}
	for p.columnOption(c, seen) {
	}
	c.Span = p.since(from)
	return c
}

// alterColumnDef reads a column of ALTER TABLE, which may be nested and have
// a position.
func (p *parser) alterColumnDef() *ColumnDef {
	from := p.start()
	c := &ColumnDef{Name: p.name(), Type: p.dataType()}
	seen := map[string]bool{}
	for {
		at := p.start()
		if pos := p.position(); pos != nil {
			p.onceColumn(seen, at, c, "FIRST|AFTER")
			c.Position = pos
			continue
		}
		if !p.columnOption(c, seen) {
			break
		}
	}
	c.Span = p.since(from)
	return c
}

func (p *parser) onceColumn(seen map[string]bool, from Pos, c *ColumnDef, option string) {
	if seen[option] {
		p.failAs(p.since(from), "CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE",
			"the column "+c.Name.Last()+" has "+option+" twice",
			"columnName", c.Name.Last(), "optionName", option)
	}
	seen[option] = true
}

// columnOption reads one option of a column, if one comes next.
func (p *parser) columnOption(c *ColumnDef, seen map[string]bool) bool {
	from := p.start()
	switch {
	case p.acceptNot("NULL"):
		p.onceColumn(seen, from, c, "NOT NULL")
		c.NotNull = true
	case p.accept("DEFAULT"):
		p.onceColumn(seen, from, c, "DEFAULT")
		c.Default = p.expr()
	case p.accept("COMMENT"):
		p.onceColumn(seen, from, c, "COMMENT")
		c.Comment = p.stringLit()
	case p.at("GENERATED"):
		p.onceColumn(seen, from, c, "GENERATED ALWAYS AS")
		p.generated(c)
	case p.atColumnConstraint():
		c.Constraints = append(c.Constraints, p.columnConstraint())
	default:
		return false
	}
	return true
}

func (p *parser) generated(c *ColumnDef) {
	from := p.start()
	p.expect("GENERATED")
	always := p.accept("ALWAYS")
	if !always {
		p.expect("BY", "DEFAULT")
	}
	p.expect("AS")
	if always && p.acceptOp("(") {
		c.Generated = p.expr()
		p.expectOp(")")
		return
	}
	p.expect("IDENTITY")
	c.Identity = &Identity{Always: always}
	if p.acceptOp("(") {
		p.sequence(c.Identity)
		p.expectOp(")")
	}
	c.Identity.Span = p.since(from)
	p.checkIdentity(c)
}

// checkIdentity refuses identity columns that are no integers.
func (p *parser) checkIdentity(c *ColumnDef) {
	name := "complex"
	if t, ok := c.Type.(*BasicType); ok {
		name = t.Name
	}
	switch name {
	case "TINYINT", "BYTE", "SMALLINT", "SHORT", "INT", "INTEGER", "BIGINT", "LONG":
		return
	}
	p.failAs(Span{c.Type.Pos(), c.Type.End()}, "IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE",
		"an identity column is an integer", "dataType", name[:1]+strings.ToLower(name[1:])+"Type")
}

func (p *parser) sequence(id *Identity) {
	for {
		from := p.start()
		switch {
		case p.accept("START", "WITH"):
			p.onceSequence(id.Start, from, "START")
			id.Start = p.sequenceNumber()
		case p.accept("INCREMENT", "BY"):
			p.onceSequence(id.Step, from, "STEP")
			if id.Step = p.sequenceNumber(); isZero(id.Step) {
				p.failAs(p.since(from), "IDENTITY_COLUMNS_ILLEGAL_STEP", "an identity column cannot have the step 0")
			}
		default:
			return
		}
	}
}

func (p *parser) onceSequence(before Expr, from Pos, option string) {
	if before != nil {
		p.failAs(p.since(from), "IDENTITY_COLUMNS_DUPLICATED_SEQUENCE_GENERATOR_OPTION",
			"the identity column has "+option+" twice", "sequenceGeneratorOption", option)
	}
}

func isZero(x Expr) bool {
	n, ok := x.(*NumberLit)
	return ok && n.Text == "0"
}

func (p *parser) sequenceNumber() Expr {
	if p.atMarker() {
		return p.marker()
	}
	return p.number()
}
