package syntax

// show reads SHOW with what it shows.
func (p *parser) show(from Pos) Statement {
	p.expect("SHOW")
	switch {
	case p.atAny("NAMESPACES", "DATABASES", "SCHEMAS"):
		s := &ShowNamespaces{Kind: p.keyword(), In: p.inName()}
		s.Pattern = p.pattern()
		s.Span = p.since(from)
		return s
	case p.accept("TABLES"):
		s := &ShowTables{In: p.inRef()}
		s.Pattern = p.pattern()
		s.Span = p.since(from)
		return s
	case p.accept("VIEWS"):
		s := &ShowViews{In: p.inRef()}
		s.Pattern = p.pattern()
		s.Span = p.since(from)
		return s
	case p.accept("TABLE", "EXTENDED"):
		return p.showTableExtended(from)
	case p.accept("COLUMNS"):
		p.expectAny("FROM", "IN")
		s := &ShowColumns{Table: p.nameRef()}
		s.In = p.inName()
		s.Span = p.since(from)
		return s
	case p.accept("PARTITIONS"):
		s := &ShowPartitions{Table: p.nameRef(), Partition: p.maybePartition()}
		s.Span = p.since(from)
		return s
	}
	return p.showMore(from)
}

// keyword consumes a keyword and returns it.
func (p *parser) keyword() string { return keywords.text[p.next().word] }

func (p *parser) showMore(from Pos) Statement {
	switch {
	case p.accept("TBLPROPERTIES"):
		s := &ShowProperties{Table: p.nameRef()}
		if p.acceptOp("(") {
			s.Key = p.propertyKey()
			p.expectOp(")")
		}
		s.Span = p.since(from)
		return s
	case p.accept("CREATE", "TABLE"):
		s := &ShowCreateTable{Table: p.nameRef(), Serde: p.accept("AS", "SERDE")}
		s.Span = p.since(from)
		return s
	case p.at("CURRENT") && !p.ahead(1).is("ROLES"):
		p.next()
		kind := p.expectAny(namespaceWords...)
		return &ShowCurrent{p.since(from), kind}
	case p.accept("CATALOGS"):
		s := &ShowCatalogs{Pattern: p.pattern()}
		s.Span = p.since(from)
		return s
	case p.accept("PROCEDURES"):
		s := &ShowProcedures{In: p.inRef()}
		s.Span = p.since(from)
		return s
	case p.at("INDEXES") && (p.ahead(1).is("FROM") || p.ahead(1).is("IN")):
		p.i += 2
		s := &ShowIndexes{Table: p.nameRef()}
		s.Span = p.since(from)
		return s
	case p.accept("COMPACTION"):
		p.expect("ON")
		s := &ShowCompaction{Target: p.target(), Limit: p.limit()}
		s.Span = p.since(from)
		return s
	case p.at("FUNCTIONS"), p.isIdent(p.tok()) && p.ahead(1).is("FUNCTIONS"):
		return p.showFunctions(from)
	}
	if s := p.native(from); s != nil {
		return s
	}
	p.failExpected("TABLES", "DATABASES", "COLUMNS", "FUNCTIONS", "CREATE TABLE")
	return nil
}

// limit reads LIMIT n, if it comes next.
func (p *parser) limit() *NumberLit {
	if !p.accept("LIMIT") {
		return nil
	}
	return p.plainInteger()
}

// inRef reads FROM name or IN name, if one comes next.
func (p *parser) inRef() *Name {
	if p.acceptAny("FROM", "IN") == "" {
		return nil
	}
	return p.nameRef()
}

// inName is inRef without IDENTIFIER(expr).
func (p *parser) inName() *Name {
	if p.acceptAny("FROM", "IN") == "" {
		return nil
	}
	return p.name()
}

// pattern reads [LIKE] 'pattern', if it comes next.
func (p *parser) pattern() *StringLit {
	if p.accept("LIKE") || p.isString(p.tok()) {
		return p.stringLit()
	}
	return nil
}

func (p *parser) showTableExtended(from Pos) Statement {
	s := &ShowTableExtended{In: p.inRef()}
	p.expect("LIKE")
	s.Pattern = p.stringLit()
	s.Partition = p.maybePartition()
	s.Span = p.since(from)
	return s
}

func (p *parser) showFunctions(from Pos) Statement {
	s := &ShowFunctions{}
	if !p.at("FUNCTIONS") {
		s.Scope = p.word()
	}
	p.expect("FUNCTIONS")
	s.In = p.inRef()
	if p.accept("LIKE") || !p.atEnd() {
		if p.isString(p.tok()) {
			s.Pattern = p.stringLit()
		} else {
			s.Name = p.name()
		}
	}
	s.Span = p.since(from)
	if w := s.Scope; w != nil {
		if k := keywordOf(w.Name); k != "USER" && k != "SYSTEM" && k != "ALL" {
			p.failAs(s.Span, "INVALID_SQL_SYNTAX.SHOW_FUNCTIONS_INVALID_SCOPE", "SHOW "+w.Name+" FUNCTIONS is not supported",
				"scope", quoteIdent(w.Name))
		}
	}
	return s
}

// keywordOf returns the keyword that text spells, or "".
func keywordOf(text string) string { return keywords.text[keywords.lookup(text)] }

// describe reads DESCRIBE with what it describes.
func (p *parser) describe(from Pos) Statement {
	p.expectAny("DESC", "DESCRIBE")
	switch {
	case p.at("FUNCTION") && !p.atEndAt(1):
		p.next()
		s := &DescribeFunction{Extended: p.at("EXTENDED") && !p.atEndAt(1)}
		if s.Extended {
			p.next()
		}
		s.Name = p.functionOrOperator()
		s.Span = p.since(from)
		return s
	case p.at("PROCEDURE") && !p.atEndAt(1):
		p.next()
		n := p.nameRef()
		return &DescribeProcedure{p.since(from), n}
	case p.atAny(namespaceWords...) && !p.atEndAt(1) && !p.opAt(1, "."):
		s := &DescribeNamespace{Kind: p.keyword()}
		if s.Extended = p.at("EXTENDED") && !p.atEndAt(1); s.Extended {
			p.next()
		}
		s.Name = p.nameRef()
		s.Span = p.since(from)
		return s
	case p.at("HISTORY") && p.atTarget(1):
		p.next()
		s := &DescribeHistory{Target: p.target(), Limit: p.limit()}
		s.Span = p.since(from)
		return s
	case p.at("DETAIL") && p.atTarget(1):
		p.next()
		t := p.target()
		return &DescribeDetail{p.since(from), t}
	case p.at("QUERY") && !p.atEndAt(1):
		p.next()
		q := p.query()
		return &DescribeQuery{p.since(from), q}
	case p.atQuery() && !p.at("TABLE"):
		q := p.query()
		return &DescribeQuery{p.since(from), q}
	}
	return p.describeTable(from)
}

func (p *parser) atEndAt(n int) bool { return p.ahead(n).kind == kindEOF || p.opAt(n, ";") }

func (p *parser) atTarget(n int) bool { return p.isIdent(p.ahead(n)) || p.isString(p.ahead(n)) }

// functionOrOperator reads a function's name, a string or an operator.
func (p *parser) functionOrOperator() *Name {
	t := p.tok()
	from := p.start()
	switch {
	case t.kind == kindOp && !p.atEnd():
		p.next()
		id := &Ident{Span: p.since(from), Name: p.text(t), Quoted: true}
		return &Name{id.Span, []*Ident{id}}
	case p.isString(t):
		s := p.stringLit()
		id := &Ident{Span: s.Span, Name: s.Value, Quoted: true}
		return &Name{id.Span, []*Ident{id}}
	}
	return p.nameRef()
}

func (p *parser) describeTable(from Pos) Statement {
	s := &DescribeTable{}
	if p.at("TABLE") && !p.atEndAt(1) {
		p.next()
	}
	if p.atAny("EXTENDED", "FORMATTED") && p.isIdent(p.ahead(1)) && !p.ahead(1).is("AS") {
		s.Mode = p.keyword()
	}
	s.Name = p.nameRef()
	s.Partition = p.maybePartition()
	if p.isIdent(p.tok()) && !p.at("AS", "JSON") {
		s.Column = p.name()
	}
	s.JSON = p.accept("AS", "JSON")
	s.Span = p.since(from)
	p.checkDescribe(s)
	return s
}

func (p *parser) checkDescribe(s *DescribeTable) {
	switch {
	case s.JSON && s.Column != nil:
		p.failAs(s.Span, "UNSUPPORTED_FEATURE.DESC_TABLE_COLUMN_JSON", "AS JSON cannot describe a single column")
	case s.JSON && s.Mode == "":
		p.failAs(s.Span, "DESCRIBE_JSON_NOT_EXTENDED", "AS JSON needs DESCRIBE EXTENDED or DESCRIBE FORMATTED",
			"tableName", s.Name.Last())
	case s.Column != nil && s.Partition != nil:
		p.failAs(s.Span, "UNSUPPORTED_FEATURE.DESC_TABLE_COLUMN_PARTITION", "a partition has no columns of its own to describe")
	case s.Partition != nil:
		for _, it := range s.Partition.Items {
			if it.Value == nil {
				p.failEmptyPartition(s.Span, it)
			}
		}
	}
}
