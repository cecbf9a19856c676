package syntax

// insert reads INSERT up to and including its query.
func (p *parser) insert(w *With, from Pos) Statement {
	s := p.insertHead(w)
	query := p.query()
	switch s := s.(type) {
	case *Insert:
		s.Query = query
		if p.accept("AS") || s.ReplaceOn != nil && p.atTableAlias() {
			s.ReplaceSource = p.aliasAfterAs()
		}
		s.Span = p.since(from)
		p.checkInsert(s)
	case *InsertDirectory:
		s.Query = query
		s.Span = p.since(from)
	}
	return s
}

func (p *parser) aliasAfterAs() *TableAlias {
	from := p.start()
	id := p.ident()
	return &TableAlias{Span: p.since(from), Name: id}
}

// insertHead reads INSERT without its query.
func (p *parser) insertHead(w *With) Statement {
	p.expect("INSERT")
	s := &Insert{With: w}
	if p.accept("WITH", "SCHEMA", "EVOLUTION") {
		s.Evolve = true
	}
	if s.Overwrite = p.expectAny("INTO", "OVERWRITE") == "OVERWRITE"; s.Overwrite && p.atDirectory() {
		return p.insertDirectory(w)
	}
	if p.at("TABLE") && p.isIdent(p.ahead(1)) && !p.ahead(1).is("VALUES") && !p.ahead(1).is("SELECT") {
		p.next()
	}
	s.Table = p.nameRef()
	s.Options = p.withOptions()
	if p.accept("AS") {
		s.Alias = p.aliasAfterAs()
	}
	s.Partition = p.maybePartition()
	if p.acceptIfNotExists() {
		s.IfNotExists = true
	}
	p.insertTarget(s)
	return s
}

// insertTarget reads BY NAME, a column list or a REPLACE clause.
func (p *parser) insertTarget(s *Insert) {
	if p.at("BY", "NAME") {
		p.i += 2
		s.ByName = true
	}
	switch {
	case p.accept("REPLACE", "WHERE"):
		s.ReplaceWhere = p.expr()
	case p.accept("REPLACE", "USING"):
		s.ReplaceUsing = parens(p, p.ident)
	case p.accept("REPLACE", "ON"):
		s.ReplaceOn = p.expr()
	case p.atOp("(") && !s.ByName && !p.isQueryAt(1):
		s.Columns = parens(p, p.ident)
	}
	if p.at("BY", "NAME") {
		p.i += 2
		s.ByName = true
	}
}

func (p *parser) checkInsert(s *Insert) {
	if s.IfNotExists && !s.Overwrite {
		p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0035",
			"INSERT INTO cannot say IF NOT EXISTS", "message", "INSERT INTO ... IF NOT EXISTS")
	}
	if s.IfNotExists && s.Partition != nil {
		for _, it := range s.Partition.Items {
			if it.Value == nil {
				p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0003", "IF NOT EXISTS does not allow dynamic partitions",
					"keys", it.Column.Name)
			}
		}
	}
}

func (p *parser) atDirectory() bool {
	return p.at("LOCAL", "DIRECTORY") || p.at("DIRECTORY") &&
		(p.isString(p.ahead(1)) || p.ahead(1).is("USING") || p.opAt(1, ":") || p.opAt(1, "?"))
}

func (p *parser) insertDirectory(w *With) Statement {
	s := &InsertDirectory{With: w, Local: p.accept("LOCAL")}
	p.expect("DIRECTORY")
	if !p.at("USING") {
		s.Path = p.stringLit()
	}
	if p.accept("USING") {
		s.Provider = p.name()
		if p.accept("OPTIONS") {
			s.Options = p.properties()
		}
		return s
	}
	s.Row = p.rowFormat()
	s.File = p.fileFormat()
	return s
}

// multiInsert reads the INSERT clauses behind a FROM clause.
func (p *parser) multiInsert(w *With, rels []Relation, views []*LateralViewClause, from Pos) Statement {
	m := &MultiInsert{With: w, From: rels, Views: views}
	for p.at("INSERT") {
		m.Inserts = append(m.Inserts, p.multiInsertPart())
	}
	m.Span = p.since(from)
	return m
}

func (p *parser) multiInsertPart() Statement {
	from := p.start()
	head := p.insertHead(nil)
	start := p.start()
	s := &Select{}
	p.selectClause(s)
	p.selectRest(s)
	s.Span = p.since(start)
	q := &Query{Body: s, Tail: p.tail()}
	q.Span = p.since(start)
	switch head := head.(type) {
	case *Insert:
		head.Query, head.Span = q, p.since(from)
	case *InsertDirectory:
		head.Query, head.Span = q, p.since(from)
	}
	return head
}

func (p *parser) update(w *With, from Pos) Statement {
	p.expect("UPDATE")
	s := &Update{With: w, Table: p.nameRef(), Alias: p.tableAlias()}
	p.checkPlainAlias(s.Alias, "UPDATE")
	p.expect("SET")
	s.Set = list(p, p.assignment)
	if p.accept("WHERE") {
		s.Where = p.expr()
	}
	s.Span = p.since(from)
	return s
}

func (p *parser) delete(w *With, from Pos) Statement {
	p.expect("DELETE", "FROM")
	s := &Delete{With: w, Table: p.nameRef(), Alias: p.tableAlias()}
	p.checkPlainAlias(s.Alias, "DELETE")
	if p.accept("WHERE") {
		s.Where = p.expr()
	}
	s.Span = p.since(from)
	return s
}

// checkPlainAlias refuses column names behind the alias of a target.
func (p *parser) checkPlainAlias(a *TableAlias, stmt string) {
	if a != nil && a.Columns != nil {
		p.failAs(a.Span, "COLUMN_ALIASES_NOT_ALLOWED", "column aliases are not allowed in "+stmt, "op", "`"+stmt+"`")
	}
}

func (p *parser) assignment() *Assignment {
	from := p.start()
	a := &Assignment{Target: p.name()}
	if !p.acceptOp("==") {
		p.expectOp("=")
	}
	a.Value = p.expr()
	a.Span = p.since(from)
	return a
}

// Merge.

func (p *parser) mergeInto(w *With, from Pos) Statement {
	p.expect("MERGE")
	m := &Merge{With: w, Evolve: p.accept("WITH", "SCHEMA", "EVOLUTION")}
	p.expect("INTO")
	m.Table = p.nameRef()
	m.Options = p.withOptions()
	m.Alias = p.tableAlias()
	p.checkPlainAlias(m.Alias, "MERGE")
	p.expect("USING")
	m.Source = p.mergeSource()
	p.checkPlainAlias(sourceAlias(m.Source), "MERGE")
	p.expect("ON")
	m.On = p.expr()
	for p.at("WHEN") {
		m.Clauses = append(m.Clauses, p.mergeClause())
	}
	m.Span = p.since(from)
	p.checkMerge(m)
	return m
}

func (p *parser) mergeSource() Relation {
	if p.atOp("(") {
		return p.parenRelation()
	}
	return p.namedRelation(p.start())
}

func sourceAlias(r Relation) *TableAlias {
	switch r := r.(type) {
	case *Table:
		return r.Alias
	case *Subquery:
		return r.Alias
	}
	return nil
}

func (p *parser) mergeClause() *MergeClause {
	from := p.start()
	p.expect("WHEN")
	c := &MergeClause{When: "MATCHED"}
	if !p.accept("MATCHED") {
		if !p.maybeNot() {
			p.failExpected("MATCHED", "NOT MATCHED")
		}
		p.expect("MATCHED")
		c.When = "NOT MATCHED"
		if p.accept("BY", "TARGET") {
			c.Target = true
		} else if p.accept("BY") {
			p.expect("SOURCE")
			c.When = "NOT MATCHED BY SOURCE"
		}
	}
	if p.accept("AND") {
		c.Cond = p.expr()
	}
	p.expect("THEN")
	p.mergeAction(c)
	c.Span = p.since(from)
	return c
}

func (p *parser) mergeAction(c *MergeClause) {
	if c.When == "NOT MATCHED" {
		c.Action = p.expectAny("INSERT")
		if c.Star = p.acceptOp("*"); c.Star {
			return
		}
		c.Columns = parens(p, p.name)
		p.expect("VALUES")
		c.Values = parens(p, p.expr)
		if len(c.Columns) != len(c.Values) {
			p.failAs(p.since(c.Columns[0].From), "_LEGACY_ERROR_TEMP_0006",
				"the number of inserted values does not match the number of columns")
		}
		return
	}
	if c.Action = p.expectAny("UPDATE", "DELETE"); c.Action == "DELETE" {
		return
	}
	p.expect("SET")
	if c.When == "MATCHED" && p.acceptOp("*") {
		c.Star = true
		return
	}
	c.Set = list(p, p.assignment)
}

// checkMerge refuses clauses out of order, and conditions missing on any but
// the last clause of a kind.
func (p *parser) checkMerge(m *Merge) {
	if len(m.Clauses) == 0 {
		p.failAs(m.Span, "MERGE_WITHOUT_WHEN", "MERGE needs at least one WHEN clause")
	}
	order := map[string]int{"MATCHED": 0, "NOT MATCHED": 1, "NOT MATCHED BY SOURCE": 2}
	class := []string{
		"NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
		"NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION",
		"NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION",
	}
	for i, c := range m.Clauses[1:] {
		before := m.Clauses[i]
		if order[c.When] < order[before.When] {
			p.failMergeOrder(c)
		}
		if c.When == before.When && before.Cond == nil {
			p.failAs(m.Span, class[order[c.When]], "only the last WHEN "+c.When+" clause may lack a condition")
		}
	}
}

func (p *parser) failMergeOrder(c *MergeClause) {
	for p.i > 0 && Pos(p.tok().start) > c.From {
		p.i--
	}
	p.fail("", "the clauses of MERGE stand in the order MATCHED, NOT MATCHED, NOT MATCHED BY SOURCE")
}

func (p *parser) truncate(from Pos) Statement {
	p.expect("TRUNCATE", "TABLE")
	s := &Truncate{Table: p.nameRef(), Partition: p.maybePartition()}
	s.Span = p.since(from)
	return s
}

func (p *parser) loadData(from Pos) Statement {
	p.expect("LOAD", "DATA")
	s := &LoadData{Local: p.accept("LOCAL")}
	p.expect("INPATH")
	s.Path = p.stringLit()
	s.Overwrite = p.accept("OVERWRITE")
	p.expect("INTO", "TABLE")
	s.Table = p.nameRef()
	s.Partition = p.maybePartition()
	s.Span = p.since(from)
	return s
}

// copyInto reads Databricks' COPY INTO t FROM source FILEFORMAT = f ….
func (p *parser) copyInto(from Pos) Statement {
	p.expect("COPY", "INTO")
	s := &CopyInto{Table: p.nameRef()}
	p.expect("FROM")
	if p.isString(p.tok()) {
		lit := p.stringLit()
		id := &Ident{Span: lit.Span, Name: lit.Value, Quoted: true}
		s.From = &Table{Span: lit.Span, Name: &Name{lit.Span, []*Ident{id}}}
	} else {
		s.From = p.mergeSource()
	}
	if p.accept("FILEFORMAT") {
		p.expectOp("=")
		s.Format = p.ident()
	}
	for p.atAny("FILES", "PATTERN", "FORMAT_OPTIONS", "COPY_OPTIONS", "VALIDATE") {
		s.Clauses = append(s.Clauses, p.copyClause())
	}
	s.Span = p.since(from)
	return s
}

func (p *parser) copyClause() *CopyClause {
	from := p.start()
	c := &CopyClause{Kind: p.expectAny("FILES", "PATTERN", "FORMAT_OPTIONS", "COPY_OPTIONS", "VALIDATE")}
	switch c.Kind {
	case "FILES":
		p.expectOp("=")
		c.Values = parens(p, p.constant)
	case "PATTERN":
		p.expectOp("=")
		c.Values = []Expr{p.constant()}
	case "VALIDATE":
		if !p.accept("ALL") && p.numberAt(0) {
			c.Values = []Expr{p.constant()}
			p.expect("ROWS")
		}
	default:
		c.Options = p.properties()
	}
	c.Span = p.since(from)
	return c
}
