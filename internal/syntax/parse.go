package syntax

// Parse reads a script with Spark's default dialect; see Dialect.Parse.
func Parse(src string) ([]Statement, error) { return Dialect{}.Parse(src) }

// ParseStatement reads exactly one statement, with or without semicolons
// behind it.
func ParseStatement(src string) (Statement, error) { return Dialect{}.ParseStatement(src) }

// ParseExpr reads one expression, perhaps with an alias (then the result is a
// *NamedExpr).
func ParseExpr(src string) (Expr, error) { return Dialect{}.ParseExpr(src) }

// ParseType reads a data type as DDL spells it, such as ARRAY<INT>.
func ParseType(src string) (TypeName, error) { return Dialect{}.ParseType(src) }

// ParseTableSchema reads a column list such as "a INT, b STRING NOT NULL".
func ParseTableSchema(src string) ([]*FieldType, error) { return Dialect{}.ParseTableSchema(src) }

// ParseMultipartIdentifier reads a name such as a.b.`c d`.
func ParseMultipartIdentifier(src string) (*Name, error) {
	return Dialect{}.ParseMultipartIdentifier(src)
}

// Parse reads a script: statements separated by semicolons. It goes on after
// an error at the next semicolon; the statements it could read are returned
// beside an ErrorList of all errors.
func (d Dialect) Parse(src string) ([]Statement, error) {
	p, err := newParser(d, src)
	if err != nil {
		return nil, asError(err)
	}
	var out []Statement
	var errs ErrorList
	for {
		for p.acceptOp(";") {
		}
		if p.atEOF() {
			break
		}
		end := p.statementEnd(p.i)
		var s Statement
		if err := p.run(func() { s = p.statement(); p.endStatement() }); err != nil {
			if errs = append(errs, err); len(errs) == maxErrors {
				break
			}
			p.i = max(end, p.i)
			continue
		}
		out = append(out, s)
	}
	if errs != nil {
		return out, errs
	}
	return out, nil
}

// ParseStatement reads exactly one statement, with or without semicolons
// behind it.
func (d Dialect) ParseStatement(src string) (s Statement, err error) {
	err = d.parse(src, func(p *parser) {
		s = p.statement()
		p.endStatement()
		for p.acceptOp(";") {
		}
	})
	return s, err
}

// ParseExpr reads one expression, perhaps with an alias.
func (d Dialect) ParseExpr(src string) (x Expr, err error) {
	err = d.parse(src, func(p *parser) { x = p.exprOrNamed() })
	return x, err
}

// ParseType reads a data type as DDL spells it.
func (d Dialect) ParseType(src string) (t TypeName, err error) {
	err = d.parse(src, func(p *parser) { t = p.dataType() })
	return t, err
}

// ParseTableSchema reads a column list.
func (d Dialect) ParseTableSchema(src string) (fields []*FieldType, err error) {
	err = d.parse(src, func(p *parser) { fields = list(p, p.columnType) })
	return fields, err
}

// ParseMultipartIdentifier reads a name of one or more parts.
func (d Dialect) ParseMultipartIdentifier(src string) (n *Name, err error) {
	err = d.parse(src, func(p *parser) { n = p.name() })
	return n, err
}

// parse calls read on a parser for src, all of which read must consume.
func (d Dialect) parse(src string, read func(*parser)) error {
	p, err := newParser(d, src)
	if err != nil {
		return asError(err)
	}
	return asError(p.run(func() {
		if p.atEnd() {
			panic(&Error{Span: p.tokSpan(), Class: "PARSE_EMPTY_STATEMENT", Msg: "there is no statement", Incomplete: true})
		}
		read(p)
		if !p.atEOF() {
			p.failExtra()
		}
	}))
}

// endStatement checks that the statement ends here.
func (p *parser) endStatement() {
	if !p.atEnd() {
		p.failExtra()
	}
}

// statement reads a statement without the semicolon behind it.
func (p *parser) statement() Statement {
	from := p.start()
	if p.atBlock() {
		return p.block(from)
	}
	t := p.tok()
	if t.kind == kindWord {
		if s := p.wordStatement(keywords.text[t.word], from); s != nil {
			return s
		}
	}
	if t.kind == kindWord || !p.atOp("(") {
		p.failExpected(statementWords...)
	}
	return p.query()
}

// statementWords are the words that users start statements with most.
var statementWords = []string{
	"SELECT", "INSERT", "CREATE", "MERGE", "DELETE", "UPDATE", "ALTER", "DROP", "SHOW", "DESCRIBE", "EXPLAIN", "SET",
	"USE", "WITH", "VALUES", "FROM", "OPTIMIZE", "VACUUM", "RESTORE", "TRUNCATE", "ANALYZE", "CACHE", "REFRESH", "CALL",
}

// wordStatement reads the statement that keyword w introduces; nil means that
// no statement starts with it.
func (p *parser) wordStatement(w string, from Pos) Statement {
	switch w {
	case "SELECT", "VALUES", "TABLE", "MAP", "REDUCE":
		return p.query()
	case "WITH", "FROM", "INSERT", "UPDATE", "DELETE", "MERGE":
		return p.queryOrDML(from)
	case "CREATE":
		return p.create(from)
	case "REPLACE":
		return p.createTable(from)
	case "ALTER":
		return p.alter(from)
	case "DROP":
		return p.drop(from)
	case "SHOW":
		return p.show(from)
	case "DESC", "DESCRIBE":
		return p.describe(from)
	case "TRUNCATE":
		return p.truncate(from)
	case "LOAD":
		return p.loadData(from)
	case "COPY":
		return p.copyInto(from)
	case "COMMENT":
		return p.commentOn(from)
	case "MSCK", "REPAIR":
		return p.repair(from)
	case "DECLARE":
		return p.declareVariable(from)
	case "CALL":
		return p.callProcedure(from)
	}
	if s := p.sessionStatement(w, from); s != nil {
		return s
	}
	if s := p.lakeStatement(w, from); s != nil {
		return s
	}
	return p.native(from)
}

func (p *parser) sessionStatement(w string, from Pos) Statement {
	switch w {
	case "USE":
		return p.use(from)
	case "SET":
		return p.set(from)
	case "RESET":
		return p.reset(from)
	case "CACHE":
		return p.cache(from)
	case "UNCACHE":
		return p.uncache(from)
	case "CLEAR":
		p.expect("CLEAR", "CACHE")
		return &ClearCache{p.since(from)}
	case "REFRESH":
		return p.refresh(from)
	case "ANALYZE":
		return p.analyze(from)
	case "EXPLAIN":
		return p.explain(from)
	case "EXECUTE":
		return p.execute(from)
	case "ADD", "LIST":
		return p.resource(from)
	}
	return nil
}

// lakeStatement reads the statements that Delta and Hudi add.
func (p *parser) lakeStatement(w string, from Pos) Statement {
	switch w {
	case "OPTIMIZE":
		return p.optimize(from)
	case "VACUUM":
		return p.vacuum(from)
	case "RESTORE":
		return p.restore(from)
	case "CONVERT":
		return p.convert(from)
	case "REORG":
		return p.reorg(from)
	case "GENERATE":
		return p.generate(from)
	case "RUN", "SCHEDULE":
		return p.compaction(from)
	}
	return nil
}

// queryOrDML reads a query or a statement that changes rows, with or without
// a WITH clause.
func (p *parser) queryOrDML(from Pos) Statement {
	w := p.with()
	var s Statement
	switch {
	case p.at("INSERT"):
		s = p.insert(w, from)
	case p.at("UPDATE"):
		s = p.update(w, from)
	case p.at("DELETE"):
		s = p.delete(w, from)
	case p.at("MERGE"):
		s = p.mergeInto(w, from)
	case p.at("FROM"):
		s = p.fromStatement(w, from)
	default:
		return p.queryAfter(w, from)
	}
	p.checkWith(w, p.since(from))
	return s
}

// fromStatement reads FROM … SELECT, or FROM … INSERT … SELECT.
func (p *parser) fromStatement(w *With, from Pos) Statement {
	start := p.start()
	rels, views := p.fromClause()
	if p.at("INSERT") {
		return p.multiInsert(w, rels, views, from)
	}
	p.enter()
	defer p.leave()
	body, tail := p.fromBodies(rels, views, start)
	body, tail = p.termAfter(body, tail, start, 0)
	return p.finishQuery(w, body, tail, from)
}

// create reads the statements that start with CREATE.
func (p *parser) create(from Pos) Statement {
	n := 1
	if p.ahead(n).is("OR") && (p.ahead(n+1).is("REPLACE") || p.ahead(n+1).is("REFRESH")) {
		n += 2
	}
	for _, w := range []string{"GLOBAL", "TEMPORARY", "TEMP", "EXTERNAL"} {
		if p.ahead(n).is(w) {
			n++
		}
	}
	switch t := p.ahead(n); {
	case t.is("TABLE"):
		return p.createTable(from)
	case t.is("VIEW"):
		return p.createView(from)
	case t.is("FUNCTION"):
		return p.createFunction(from)
	case t.is("INDEX"):
		return p.createIndex(from)
	case t.is("MATERIALIZED"), t.is("STREAMING"), t.is("REFRESH"):
		return p.createDataset(from)
	case t.is("FLOW"):
		return p.createFlow(from)
	case t.is("NAMESPACE"), t.is("DATABASE"), t.is("SCHEMA"):
		return p.createNamespace(from)
	}
	if s := p.native(from); s != nil {
		return s
	}
	p.i += n
	p.failExpected("TABLE", "VIEW", "SCHEMA", "FUNCTION", "INDEX")
	return nil
}

// alter reads the statements that start with ALTER.
func (p *parser) alter(from Pos) Statement {
	switch t := p.ahead(1); {
	case t.is("TABLE"), t.is("VIEW"):
		return p.alterTable(from)
	case t.is("NAMESPACE"), t.is("DATABASE"), t.is("SCHEMA"):
		return p.alterNamespace(from)
	}
	if s := p.native(from); s != nil {
		return s
	}
	p.next()
	p.failExpected("TABLE", "VIEW", "SCHEMA")
	return nil
}

// drop reads the statements that start with DROP.
func (p *parser) drop(from Pos) Statement {
	t := p.ahead(1)
	if t.is("TEMPORARY") || t.is("TEMP") {
		if p.ahead(2).is("VARIABLE") || p.ahead(2).is("VAR") {
			return p.dropVariable(from)
		}
		if p.ahead(2).is("FUNCTION") {
			return p.dropFunction(from)
		}
	}
	switch {
	case t.is("TABLE"):
		return p.dropTable(from)
	case t.is("VIEW"):
		return p.dropView(from)
	case t.is("FUNCTION"):
		return p.dropFunction(from)
	case t.is("INDEX"):
		return p.dropIndex(from)
	case t.is("NAMESPACE"), t.is("DATABASE"), t.is("SCHEMA"):
		return p.dropNamespace(from)
	}
	if s := p.native(from); s != nil {
		return s
	}
	p.next()
	p.failExpected("TABLE", "VIEW", "SCHEMA", "FUNCTION", "INDEX")
	return nil
}

func (p *parser) repair(from Pos) Statement {
	s := &RepairTable{Msck: p.accept("MSCK")}
	p.expect("REPAIR", "TABLE")
	s.Name = p.nameRef()
	if s.Mode = p.acceptAny("ADD", "DROP", "SYNC"); s.Mode != "" {
		p.expect("PARTITIONS")
	}
	s.Span = p.since(from)
	return s
}
