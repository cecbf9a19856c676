package syntax

import "strings"

// acceptIfNotExists consumes IF NOT EXISTS.
func (p *parser) acceptIfNotExists() bool {
	if p.accept("IF", "NOT", "EXISTS") {
		return true
	}
	if p.at("IF") && p.opAt(1, "!") && p.ahead(2).is("EXISTS") {
		p.next()
		p.bang()
		p.next()
		return true
	}
	return false
}

// properties reads (key [=] value, …), whose values are literals.
func (p *parser) properties() []*Property {
	props := p.propertyKeys()
	for _, x := range props {
		if x.Value == nil {
			p.failValue(x, "Values must be specified for key(s): ["+x.Key+"]")
		}
	}
	return props
}

// propertyKeys reads properties that need no value.
func (p *parser) propertyKeys() []*Property {
	return parens(p, func() *Property { return p.property(p.propertyValue) })
}

// exprProperties reads properties whose values may be expressions.
func (p *parser) exprProperties() []*Property {
	props := parens(p, func() *Property { return p.property(p.expr) })
	for _, x := range props {
		if x.Value == nil {
			p.failValue(x, "A value must be specified for the key: "+x.Key+".")
		}
	}
	return props
}

func (p *parser) failValue(x *Property, msg string) {
	p.failAs(x.Span, "_LEGACY_ERROR_TEMP_0035", msg, "message", msg)
}

func (p *parser) property(value func() Expr) *Property {
	from := p.start()
	k := p.propertyKey()
	if p.acceptOp("=") || p.acceptOp("==") {
		k.Value = value()
	} else if !p.atOp(",") && !p.atOp(")") {
		k.Value = value()
	}
	k.Span = p.since(from)
	return k
}

// propertyKey reads a dotted name or a string.
func (p *parser) propertyKey() *Property {
	from := p.start()
	k := &Property{}
	if p.isString(p.tok()) {
		k.Key = p.oneString().Value
	} else if p.atMarker() {
		k.Key = p.text(p.tok()) + p.marker().Name
	} else {
		parts := []string{p.ident().Name}
		for p.acceptOp(".") {
			parts = append(parts, p.ident().Name)
		}
		k.Key = strings.Join(parts, ".")
	}
	k.Span = p.since(from)
	return k
}

func (p *parser) propertyValue() Expr {
	x := p.literal()
	switch x.(type) {
	case *NumberLit, *StringLit, *BoolLit, *Param:
		return x
	}
	if x != nil {
		p.failAt(Span{x.Pos(), x.End()})
	}
	p.failExpected("a string", "a number", "true", "false")
	return nil
}

// Partitions.

func (p *parser) maybePartition() *PartitionSpec {
	if !p.at("PARTITION") || !p.opAt(1, "(") {
		return nil
	}
	return p.partitionSpec()
}

// partitionSpec reads PARTITION (c [= v], …).
func (p *parser) partitionSpec() *PartitionSpec {
	from := p.start()
	p.expect("PARTITION")
	s := &PartitionSpec{Items: parens(p, p.partitionItem)}
	s.Span = p.since(from)
	seen := map[string]bool{}
	for _, it := range s.Items {
		if seen[it.Column.Name] {
			p.failAs(s.Span, "DUPLICATE_KEY", "PARTITION names "+it.Column.Name+" twice",
				"keyColumn", quoteIdent(it.Column.Name))
		}
		seen[it.Column.Name] = true
	}
	return s
}

func (p *parser) partitionItem() *PartitionItem {
	from := p.start()
	it := &PartitionItem{Column: p.part()}
	for _, op := range []string{"=", "==", "<", "<=", ">", ">=", "!=", "<>"} {
		if p.acceptOp(op) {
			it.Op = op
			break
		}
	}
	if it.Op == "==" {
		it.Op = "="
	}
	if it.Op != "" {
		it.Value = p.partitionValue()
	}
	it.Span = p.since(from)
	return it
}

func (p *parser) partitionValue() Expr {
	if p.at("DEFAULT") {
		from := p.start()
		id := p.wordAsIs()
		return &ColumnRef{p.since(from), []*Ident{id}}
	}
	return p.constant()
}

// fullPartition reads a partition all of whose columns have values.
func (p *parser) fullPartition() *PartitionSpec {
	s := p.partitionSpec()
	for _, it := range s.Items {
		if it.Value == nil {
			p.failEmptyPartition(s.Span, it)
		}
	}
	return s
}

func (p *parser) failEmptyPartition(at Span, it *PartitionItem) {
	p.failAs(at, "INVALID_SQL_SYNTAX.EMPTY_PARTITION_VALUE", "the partition column "+it.Column.Name+" has no value",
		"partKey", quoteIdent(it.Column.Name))
}

// Formats.

// rowFormat reads ROW FORMAT if it comes next.
func (p *parser) rowFormat() *RowFormat {
	if !p.at("ROW", "FORMAT") {
		return nil
	}
	from := p.start()
	p.i += 2
	r := &RowFormat{}
	if p.accept("SERDE") {
		r.Serde = p.stringLit()
		if p.accept("WITH", "SERDEPROPERTIES") {
			r.Properties = p.properties()
		}
	} else {
		p.expect("DELIMITED")
		p.delimited(r)
	}
	r.Span = p.since(from)
	return r
}

func (p *parser) delimited(r *RowFormat) {
	terminated := func(words ...string) *StringLit {
		if !p.accept(words...) {
			return nil
		}
		p.expect("TERMINATED", "BY")
		return p.stringLit()
	}
	if r.Fields = terminated("FIELDS"); r.Fields != nil && p.accept("ESCAPED") {
		p.expect("BY")
		r.Escape = p.stringLit()
	}
	r.Items = terminated("COLLECTION", "ITEMS")
	r.Keys = terminated("MAP", "KEYS")
	if r.Lines = terminated("LINES"); r.Lines != nil && r.Lines.Value != "\n" && r.Lines.Parts == nil {
		msg := "LINES TERMINATED BY only supports newline '\\n' right now: " + r.Lines.Value
		p.failAs(r.Lines.Span, "_LEGACY_ERROR_TEMP_0064", msg, "msg", msg)
	}
	if p.accept("NULL", "DEFINED", "AS") {
		r.Null = p.stringLit()
	}
}

// fileFormat reads STORED AS or STORED BY if it comes next.
func (p *parser) fileFormat() *FileFormat {
	if !p.at("STORED") {
		return nil
	}
	from := p.start()
	p.next()
	f := &FileFormat{}
	if p.expectAny("AS", "BY") == "BY" {
		f.Handler = p.stringLit()
		if p.accept("WITH", "SERDEPROPERTIES") {
			f.Properties = p.properties()
		}
	} else {
		p.format(f)
	}
	f.Span = p.since(from)
	return f
}

// format reads a format's name, or INPUTFORMAT and OUTPUTFORMAT.
func (p *parser) format(f *FileFormat) {
	if !p.at("INPUTFORMAT") || !p.isString(p.ahead(1)) {
		f.Name = p.word()
		return
	}
	p.next()
	f.Input = p.stringLit()
	p.expect("OUTPUTFORMAT")
	f.Output = p.stringLit()
}

// Small clauses.

func (p *parser) position() *ColumnPosition {
	from := p.start()
	switch {
	case p.accept("FIRST"):
		return &ColumnPosition{Span: p.since(from), First: true}
	case p.accept("AFTER"):
		id := p.ident()
		return &ColumnPosition{Span: p.since(from), After: id}
	}
	return nil
}

// binding reads WITH SCHEMA, if it comes next, and returns what it says.
func (p *parser) binding() string {
	if !p.accept("WITH", "SCHEMA") {
		return ""
	}
	b := p.expectAny("BINDING", "COMPENSATION", "EVOLUTION", "TYPE")
	if b == "TYPE" {
		p.expect("EVOLUTION")
		return "TYPE EVOLUTION"
	}
	return b
}

// once refuses a clause that has been given before.
func (p *parser) once(seen map[string]bool, from Pos, clause string) {
	if seen[clause] {
		p.failAs(p.since(from), "DUPLICATE_CLAUSES", "the clause "+clause+" stands twice", "clauseName", clause)
	}
	seen[clause] = true
}
