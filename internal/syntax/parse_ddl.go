package syntax

import "strings"

// Views.

// createView reads CREATE VIEW in both of its forms.
func (p *parser) createView(from Pos) Statement {
	p.expect("CREATE")
	s := &CreateView{Replace: p.accept("OR", "REPLACE")}
	s.Global = p.accept("GLOBAL")
	s.Temporary = p.acceptAny("TEMPORARY", "TEMP") != ""
	p.expect("VIEW")
	s.IfNotExists = p.acceptIfNotExists()
	s.Name = p.nameRef()
	if s.Temporary && p.atTempViewUsing() {
		return p.tempViewUsing(s, from)
	}
	if p.atOp("(") {
		s.Columns = parens(p, p.viewColumn)
	}
	p.viewClauses(s)
	p.expect("AS")
	s.Query = p.query()
	s.Span = p.since(from)
	p.checkView(s)
	return s
}

// atTempViewUsing reports whether USING follows, perhaps behind a schema.
func (p *parser) atTempViewUsing() bool {
	return p.at("USING") || p.atOp("(") && p.ahead(p.closing(p.i)+1-p.i).is("USING")
}

func (p *parser) tempViewUsing(v *CreateView, from Pos) Statement {
	s := &CreateTempViewUsing{Replace: v.Replace, Global: v.Global, Name: v.Name}
	if p.atOp("(") {
		s.Columns = parens(p, p.columnType)
	}
	p.expect("USING")
	s.Provider = p.name()
	if p.accept("OPTIONS") {
		s.Options = p.properties()
	}
	s.Span = p.since(from)
	if v.IfNotExists {
		p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0035",
			"a temporary view cannot say IF NOT EXISTS", "message", "CREATE TEMPORARY VIEW ... USING IF NOT EXISTS")
	}
	return s
}

func (p *parser) viewColumn() *ViewColumn {
	from := p.start()
	c := &ViewColumn{Name: p.part()}
	if p.accept("COMMENT") {
		c.Comment = p.stringLit()
	}
	c.Span = p.since(from)
	return c
}

func (p *parser) viewClauses(s *CreateView) {
	seen := map[string]bool{}
	for {
		from := p.start()
		switch {
		case p.accept("COMMENT"):
			s.Comment = p.stringLit()
			p.once(seen, from, "COMMENT")
		case p.accept("TBLPROPERTIES"):
			s.Properties = p.properties()
			p.once(seen, from, "TBLPROPERTIES")
		case p.at("WITH", "SCHEMA"):
			s.Binding = p.binding()
			p.once(seen, from, "WITH SCHEMA")
		case p.accept("DEFAULT", "COLLATION"):
			s.Collation = p.part()
			p.once(seen, from, "DEFAULT COLLATION")
		case p.accept("PARTITIONED", "ON"):
			parens(p, p.ident)
			const msg = "CREATE VIEW ... PARTITIONED ON"
			p.failAs(p.since(s.Name.From), "_LEGACY_ERROR_TEMP_0035", msg+" is not supported", "message", msg)
		default:
			return
		}
	}
}

func (p *parser) checkView(s *CreateView) {
	switch {
	case s.Temporary && s.IfNotExists:
		p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0053",
			"a temporary view cannot say IF NOT EXISTS")
	case s.Replace && s.IfNotExists:
		p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0052", "CREATE OR REPLACE VIEW cannot say IF NOT EXISTS")
	case s.Temporary && s.Properties != nil:
		p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0035", "a temporary view cannot have TBLPROPERTIES",
			"message", "TBLPROPERTIES can't coexist with CREATE TEMPORARY VIEW")
	case s.Temporary && len(s.Name.Parts) > 1:
		p.failAs(s.Span, "TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS", "the name of a temporary view has one part",
			"actualName", quoteName(s.Name))
	}
}

func (p *parser) dropView(from Pos) Statement {
	p.expect("DROP", "VIEW")
	s := &DropView{IfExists: p.accept("IF", "EXISTS"), Name: p.nameRef()}
	s.Span = p.since(from)
	return s
}

// Namespaces.

var namespaceWords = []string{"NAMESPACE", "DATABASE", "SCHEMA"}

func (p *parser) createNamespace(from Pos) Statement {
	p.expect("CREATE")
	s := &CreateNamespace{Kind: p.expectAny(namespaceWords...), IfNotExists: p.acceptIfNotExists(), Name: p.nameRef()}
	seen := map[string]bool{}
	for {
		at := p.start()
		switch {
		case p.accept("COMMENT"):
			s.Comment = p.stringLit()
			p.once(seen, at, "COMMENT")
		case p.accept("LOCATION"):
			s.Location = p.stringLit()
			p.once(seen, at, "LOCATION")
		case p.accept("DEFAULT", "COLLATION"):
			s.Collation = p.part()
			p.once(seen, at, "DEFAULT COLLATION")
		case p.accept("WITH"):
			p.expectAny("DBPROPERTIES", "PROPERTIES")
			s.Properties = p.properties()
			p.once(seen, at, "WITH PROPERTIES")
		default:
			s.Span = p.since(from)
			return s
		}
	}
}

func (p *parser) alterNamespace(from Pos) Statement {
	p.expect("ALTER")
	s := &AlterNamespace{Kind: p.expectAny(namespaceWords...), Name: p.nameRef()}
	switch {
	case p.accept("DEFAULT", "COLLATION"):
		s.Collation = p.part()
	case p.accept("SET", "LOCATION"):
		s.Location = p.stringLit()
	default:
		s.Unset = p.expectAny("SET", "UNSET") == "UNSET"
		p.expectAny("DBPROPERTIES", "PROPERTIES")
		s.Properties = p.propertyKeys()
	}
	s.Span = p.since(from)
	return s
}

func (p *parser) dropNamespace(from Pos) Statement {
	p.expect("DROP")
	s := &DropNamespace{Kind: p.expectAny(namespaceWords...), IfExists: p.accept("IF", "EXISTS"), Name: p.nameRef()}
	s.Cascade = p.accept("CASCADE")
	s.Restrict = !s.Cascade && p.accept("RESTRICT")
	s.Span = p.since(from)
	return s
}

func (p *parser) commentOn(from Pos) Statement {
	p.expect("COMMENT", "ON")
	s := &CommentOn{Kind: p.expectAny("TABLE", "NAMESPACE", "DATABASE", "SCHEMA"), Name: p.nameRef()}
	p.expect("IS")
	if !p.accept("NULL") {
		s.Comment = p.stringLit()
	}
	s.Span = p.since(from)
	return s
}

// Functions.

func (p *parser) createFunction(from Pos) Statement {
	p.expect("CREATE")
	s := &CreateFunction{Replace: p.accept("OR", "REPLACE")}
	s.Temporary = p.acceptAny("TEMPORARY", "TEMP") != ""
	p.expect("FUNCTION")
	s.IfNotExists = p.acceptIfNotExists()
	s.Name = p.nameRef()
	if p.accept("AS") {
		s.Class = p.stringLit()
		if p.accept("USING") {
			s.Resources = list(p, p.functionResource)
		}
	} else {
		p.functionBody(s)
	}
	s.Span = p.since(from)
	p.checkFunction(s)
	return s
}

func (p *parser) functionResource() *FunctionResource {
	from := p.start()
	r := &FunctionResource{Kind: p.word(), Path: p.stringLit()}
	r.Span = p.since(from)
	return r
}

func (p *parser) functionBody(s *CreateFunction) {
	p.expectOp("(")
	if s.HasParams = true; !p.atOp(")") {
		s.Params = list(p, p.functionParam)
	}
	p.expectOp(")")
	if p.at("RETURNS") && !p.ahead(1).is("NULL") {
		p.next()
		if s.Table = p.accept("TABLE"); !s.Table {
			s.Returns = p.dataType()
		} else if p.atOp("(") {
			s.Columns = parens(p, p.columnType)
		}
	}
	p.characteristics(s)
	p.expect("RETURN")
	if p.atQuery() {
		s.Query = p.query()
	} else {
		s.Body = p.expr()
	}
}

// functionParam reads name type [NOT NULL] [DEFAULT e] [COMMENT text].
func (p *parser) functionParam() *FieldType {
	from := p.start()
	c := &ColumnDef{}
	id := p.ident()
	c.Name = &Name{id.Span, []*Ident{id}}
	f := &FieldType{Name: id, Type: p.dataType()}
	seen := map[string]bool{}
	for p.columnOption(c, seen) {
	}
	f.NotNull, f.Default, f.Comment = c.NotNull, c.Default, c.Comment
	f.Span = p.since(from)
	if c.Generated != nil || c.Identity != nil || c.Constraints != nil {
		p.failAs(f.Span, "INVALID_SQL_SYNTAX.CREATE_FUNC_WITH_GENERATED_COLUMNS_AS_PARAMETERS",
			"a parameter cannot be a generated column")
	}
	return f
}

// functionWords are the phrases that describe a function.
var functionWords = [][]string{
	{"DETERMINISTIC"}, {"NOT", "DETERMINISTIC"}, {"NO", "SQL"}, {"CONTAINS", "SQL"}, {"READS", "SQL", "DATA"},
	{"MODIFIES", "SQL", "DATA"}, {"RETURNS", "NULL", "ON", "NULL", "INPUT"}, {"CALLED", "ON", "NULL", "INPUT"},
	{"SQL", "SECURITY", "INVOKER"}, {"SQL", "SECURITY", "DEFINER"},
}

func (p *parser) characteristics(s *CreateFunction) {
	seen := map[string]bool{}
next:
	for {
		from := p.start()
		switch {
		case p.accept("LANGUAGE"):
			p.onceRoutine(seen, from, "LANGUAGE")
			s.Characteristics = append(s.Characteristics, "LANGUAGE "+p.wordAsIs().Name)
			continue
		case p.accept("SPECIFIC"):
			p.onceRoutine(seen, from, "SPECIFIC")
			s.Characteristics = append(s.Characteristics, "SPECIFIC "+quoteIdent(p.ident().Name))
			continue
		case p.accept("COMMENT"):
			p.onceRoutine(seen, from, "COMMENT")
			s.Comment = p.stringLit()
			continue
		case p.accept("DEFAULT", "COLLATION"):
			s.Collation = p.part()
			continue
		}
		for _, words := range functionWords {
			if p.accept(words...) {
				p.onceRoutine(seen, from, words[len(words)-1])
				s.Characteristics = append(s.Characteristics, strings.Join(words, " "))
				continue next
			}
		}
		return
	}
}

func (p *parser) onceRoutine(seen map[string]bool, from Pos, what string) {
	if what == "DATA" {
		what = "SQL"
	}
	if seen[what] {
		p.failAs(p.since(from), "INVALID_SQL_SYNTAX",
			"the function says "+what+" twice")
	}
	seen[what] = true
}

func (p *parser) checkFunction(s *CreateFunction) {
	class, msg := "", ""
	var params []string
	switch {
	case s.Replace && s.IfNotExists:
		class, msg = "CREATE_FUNC_WITH_IF_NOT_EXISTS_AND_REPLACE", "CREATE OR REPLACE FUNCTION cannot say IF NOT EXISTS"
	case s.Temporary && s.IfNotExists:
		class, msg = "CREATE_TEMP_FUNC_WITH_IF_NOT_EXISTS", "a temporary function cannot say IF NOT EXISTS"
	case s.Temporary && s.Class != nil && len(s.Name.Parts) == 2:
		class, msg = "CREATE_TEMP_FUNC_WITH_DATABASE", "a temporary function belongs to no database"
		params = []string{"database", quoteIdent(s.Name.Parts[0].Name)}
	case s.Temporary && len(s.Name.Parts) > 2:
		class, msg = "UNSUPPORTED_FUNC_NAME", "the name of a temporary function has one part"
		params = []string{"funcName", quoteName(s.Name)}
	}
	if class != "" {
		p.failAs(s.Span, "INVALID_SQL_SYNTAX."+class, msg, params...)
	}
}

func (p *parser) dropFunction(from Pos) Statement {
	p.expect("DROP")
	s := &DropFunction{Temporary: p.acceptAny("TEMPORARY", "TEMP") != ""}
	p.expect("FUNCTION")
	s.IfExists = p.accept("IF", "EXISTS")
	s.Name = p.nameRef()
	s.Span = p.since(from)
	if s.Temporary && len(s.Name.Parts) > 1 {
		p.failAs(s.Span, "INVALID_SQL_SYNTAX.MULTI_PART_NAME", "the name of a temporary function has one part",
			"statement", "DROP TEMPORARY FUNCTION", "name", quoteName(s.Name))
	}
	return s
}

// Variables.

func (p *parser) declareVariable(from Pos) Statement {
	p.expect("DECLARE")
	s := &DeclareVariable{Replace: p.accept("OR", "REPLACE")}
	if p.atAny("VARIABLE", "VAR") && !p.declareEndsAt(1) {
		p.next()
	}
	s.Names = list(p, p.nameRef)
	if !p.atAny("DEFAULT") && !p.atOp("=") && !p.atEnd() {
		s.Type = p.dataType()
	}
	if p.accept("DEFAULT") || p.acceptOp("=") {
		s.Default = p.expr()
	}
	s.Span = p.since(from)
	if s.Type == nil && s.Default == nil {
		p.failAs(s.Span, "INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED",
			"a variable needs a type or a default value")
	}
	return s
}

// declareEndsAt reports whether the word before the n-th token ahead is a
// variable's name.
func (p *parser) declareEndsAt(n int) bool {
	return p.itemEndsAt(n) || p.ahead(n).is("DEFAULT") || p.opAt(n, "=") || p.opAt(n, ".")
}

func (p *parser) dropVariable(from Pos) Statement {
	p.expect("DROP")
	p.expectAny("TEMPORARY", "TEMP")
	p.expectAny("VARIABLE", "VAR")
	s := &DropVariable{IfExists: p.accept("IF", "EXISTS"), Name: p.nameRef()}
	s.Span = p.since(from)
	return s
}

// setVariable reads what follows SET VARIABLE, or SET within a script.
func (p *parser) setVariable(bare bool, from Pos) Statement {
	s := &SetVariable{Bare: bare}
	if p.acceptOp("(") {
		if p.atOp(")") {
			p.failAs(p.wholeStatement(from), "INVALID_SET_SYNTAX", "SET VARIABLE needs a variable")
		}
		s.Names = list(p, p.name)
		p.expectOp(")")
		p.expectOp("=")
		p.expectOp("(")
		s.Query = p.query()
		p.expectOp(")")
	} else {
		s.Set = list(p, p.assignment)
	}
	s.Span = p.since(from)
	return s
}

// Indexes.

func (p *parser) createIndex(from Pos) Statement {
	p.expect("CREATE", "INDEX")
	s := &CreateIndex{IfNotExists: p.acceptIfNotExists(), Name: p.part()}
	p.expect("ON")
	p.accept("TABLE")
	s.Table = p.nameRef()
	if p.accept("USING") {
		s.Kind = p.part()
	}
	s.Columns = parens(p, p.indexColumn)
	if p.accept("OPTIONS") {
		s.Options = p.properties()
	}
	s.Span = p.since(from)
	return s
}

func (p *parser) indexColumn() *IndexColumn {
	from := p.start()
	c := &IndexColumn{Name: p.name()}
	if p.accept("OPTIONS") {
		c.Options = p.properties()
	}
	c.Span = p.since(from)
	return c
}

func (p *parser) dropIndex(from Pos) Statement {
	p.expect("DROP", "INDEX")
	s := &DropIndex{IfExists: p.accept("IF", "EXISTS"), Name: p.part()}
	p.expect("ON")
	p.accept("TABLE")
	s.Table = p.nameRef()
	s.Span = p.since(from)
	return s
}

// Pipelines.

func (p *parser) createDataset(from Pos) Statement {
	p.expect("CREATE")
	s := &CreateDataset{Replace: p.accept("OR", "REPLACE")}
	s.Refresh = p.accept("OR", "REFRESH") || p.accept("REFRESH")
	if p.accept("MATERIALIZED") {
		p.expect("VIEW")
		s.Kind = "MATERIALIZED VIEW"
	} else {
		p.expect("STREAMING", "TABLE")
		s.Kind = "STREAMING TABLE"
	}
	s.IfNotExists = p.acceptIfNotExists()
	s.Name = p.nameRef()
	if p.atOp("(") {
		if p.opAt(1, ")") {
			p.i += 2
		} else {
			s.Columns, s.Constraints = p.tableElements()
		}
	}
	if p.accept("USING") {
		s.Provider = p.name()
	}
	p.tableClauses(&s.Clauses)
	if p.accept("AS") {
		s.Query = p.query()
	}
	s.Span = p.since(from)
	return s
}

func (p *parser) createFlow(from Pos) Statement {
	p.expect("CREATE", "FLOW")
	s := &CreateDataset{Kind: "FLOW", Name: p.nameRef()}
	if p.accept("COMMENT") {
		s.Clauses.Comment = p.stringLit()
	}
	p.expect("AS")
	ins, ok := p.insert(nil, p.start()).(*Insert)
	s.Span = p.since(from)
	if !ok {
		p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0035", "a flow inserts into a table", "message", "CREATE FLOW ... INSERT OVERWRITE DIRECTORY")
	}
	s.Insert = ins
	return s
}
