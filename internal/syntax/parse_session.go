package syntax

import (
	"regexp"
	"strconv"
	"strings"
)

// restOfStatement consumes all tokens up to the semicolon and returns their
// text.
func (p *parser) restOfStatement() string {
	from := p.start()
	if p.atEnd() {
		return ""
	}
	for !p.atEnd() {
		p.next()
	}
	return p.since(from).Text(p.src)
}

// wholeStatement returns the span from the given offset to the end of the
// statement.
func (p *parser) wholeStatement(from Pos) Span {
	p.restOfStatement()
	return p.since(from)
}

func (p *parser) use(from Pos) Statement {
	p.expect("USE")
	s := &Use{}
	if p.atAny(namespaceWords...) && !p.atEndAt(1) && !p.opAt(1, ".") {
		s.Kind = p.keyword()
	}
	s.Name = p.nameRef()
	s.Span = p.since(from)
	return s
}

// set reads SET in all its forms but that of scripts.
func (p *parser) set(from Pos) Statement {
	p.expect("SET")
	switch {
	case p.at("ROLE"):
		p.next()
		rest := p.restOfStatement()
		return &Native{p.since(from), "SET ROLE", rest}
	case p.at("CATALOG") && !p.opAt(1, "=") && !p.opAt(1, "."):
		p.next()
		return p.setCatalog(from)
	case p.at("TIME", "ZONE"):
		p.i += 2
		return p.setTimeZone(from)
	case p.at("COLLATION") && p.isIdent(p.ahead(1)):
		p.next()
		id := p.word()
		return &SetCollation{p.since(from), id}
	case p.atAny("VARIABLE", "VAR") && (p.isIdent(p.ahead(1)) || p.opAt(1, "(")):
		p.next()
		return p.setVariable(false, from)
	case p.script > 0:
		return p.setVariable(true, from)
	}
	return p.setConfig(from)
}

func (p *parser) setCatalog(from Pos) Statement {
	if p.isString(p.tok()) {
		lit := p.stringLit()
		return &SetCatalog{p.since(from), lit}
	}
	n := p.nameRef()
	if len(n.Parts) > 1 {
		p.failAt(n.Parts[1].Span)
	}
	return &SetCatalog{p.since(from), &ColumnRef{n.Span, n.Parts}}
}

// configKey is the form of a setting's name.
var configKey = regexp.MustCompile(`^[a-zA-Z_\d\\.:]+$`)

// setConfig reads SET key = value, whose parts are taken as they stand.
func (p *parser) setConfig(from Pos) Statement {
	body := p.restOfStatement()
	s := &Set{Span: p.since(from)}
	key, value, ok := splitConfig(body)
	s.Key, s.Value, s.HasValue = key, value, ok
	switch {
	case body == "":
		s.Key = ""
	case body == "-v":
		s.Key, s.Verbose = "", true
	case key == "" || !configKey.MatchString(key) && !strings.HasPrefix(strings.TrimSpace(body), "`"):
		p.failAs(s.Span, "INVALID_SET_SYNTAX", "SET takes key = value; put special characters in back quotes")
	}
	return s
}

// splitConfig cuts key = value. Both may stand in back quotes.
func splitConfig(body string) (key, value string, hasValue bool) {
	body = strings.TrimSpace(body)
	if end := quotedEnd(body); end > 0 {
		key, body = unquote(body[:end]), strings.TrimSpace(body[end:])
		if body != "" && body[0] != '=' {
			return "", "", false
		}
		value, hasValue = strings.CutPrefix(body, "=")
	} else {
		key, value, hasValue = strings.Cut(body, "=")
	}
	value = strings.TrimSpace(value)
	if end := quotedEnd(value); end > 0 && end == len(value) {
		value = unquote(value)
	}
	return strings.TrimSpace(key), value, hasValue
}

// quotedEnd returns the length of the quoted identifier that s starts with,
// or 0.
func quotedEnd(s string) int {
	if s == "" || s[0] != '`' {
		return 0
	}
	sc := scanner{src: s, unclosed: -1}
	if t := sc.next(); t.kind == kindQuoted {
		return int(t.end)
	}
	return 0
}

func (p *parser) setTimeZone(from Pos) Statement {
	s := &SetTimeZone{}
	switch {
	case p.accept("LOCAL"):
		s.Local = true
	case p.isString(p.tok()):
		s.Zone = p.stringLit()
	case p.at("INTERVAL") && p.atInterval():
		s.Zone = p.interval()
	}
	s.Span = p.since(from)
	if !p.atEnd() || !s.Local && s.Zone == nil {
		p.failAs(p.wholeStatement(from), "_LEGACY_ERROR_TEMP_0045", "SET TIME ZONE takes LOCAL, a string or an interval")
	}
	if lit, ok := s.Zone.(*IntervalLit); ok {
		p.checkZone(s.Span, lit)
	}
	return s
}

// checkZone refuses intervals that are no offset from UTC.
func (p *parser) checkZone(at Span, lit *IntervalLit) {
	seconds := 0.0
	ok := true
	for _, f := range lit.Fields {
		n, err := strconv.ParseFloat(trimBlank(f.Value), 64)
		switch {
		case lit.To != "":
			h, _, _ := strings.Cut(strings.TrimLeft(trimBlank(f.Value), "+-"), ":")
			ok = strings.HasPrefix(f.Unit, "HOUR") && inRange(h, 18)
		case strings.HasPrefix(f.Unit, "HOUR"):
			seconds += n * 3600
		case strings.HasPrefix(f.Unit, "MINUTE"):
			seconds += n * 60
		case strings.HasPrefix(f.Unit, "SECOND"):
			seconds += n
		default:
			ok = false
		}
		ok = ok && (err == nil || lit.To != "")
	}
	if !ok || seconds > 18*3600 || seconds < -18*3600 {
		first, _, _ := strings.Cut(trimBlank(lit.Fields[0].Value), ":")
		p.failAs(at, "INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE",
			"the offset of a time zone lies between -18 and +18 hours", "input", first)
	}
}

func (p *parser) reset(from Pos) Statement {
	p.expect("RESET")
	body := p.restOfStatement()
	s := &Reset{Span: p.since(from)}
	if end := quotedEnd(body); end > 0 && end == len(body) {
		s.Key = unquote(body)
	} else if s.Key = body; body != "" && !configKey.MatchString(body) {
		p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0043", "RESET takes one key; put special characters in back quotes")
	}
	return s
}

func (p *parser) cache(from Pos) Statement {
	p.expect("CACHE")
	s := &Cache{Lazy: p.accept("LAZY")}
	p.expect("TABLE")
	s.Table = p.nameRef()
	if p.accept("OPTIONS") {
		s.Options = p.properties()
	}
	if p.accept("AS") || p.atQuery() {
		s.Query = p.query()
	}
	s.Span = p.since(from)
	if s.Query != nil && len(s.Table.Parts) > 1 {
		p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0037", "CACHE TABLE … AS makes a view, whose name has one part",
			"quoted", quoteIdent(s.Table.Parts[0].Name))
	}
	return s
}

func (p *parser) uncache(from Pos) Statement {
	p.expect("UNCACHE", "TABLE")
	s := &Uncache{IfExists: p.accept("IF", "EXISTS"), Table: p.nameRef()}
	s.Span = p.since(from)
	return s
}

func (p *parser) refresh(from Pos) Statement {
	p.expect("REFRESH")
	s := &Refresh{Kind: "PATH"}
	switch {
	case p.at("TABLE") && !p.atEndAt(1):
		p.next()
		s.Kind, s.Name = "TABLE", p.nameRef()
	case p.at("FUNCTION") && !p.atEndAt(1):
		p.next()
		s.Kind, s.Name = "FUNCTION", p.nameRef()
	case p.at("INDEX") && p.ahead(2).is("ON"):
		p.next()
		r := &RefreshIndex{Name: p.part()}
		p.expect("ON")
		p.accept("TABLE")
		r.Table = p.nameRef()
		r.Span = p.since(from)
		return r
	case p.isString(p.tok()):
		s.Path = p.stringLit().Value
	default:
		s.Path = p.restOfStatement()
		p.checkRefreshPath(s, p.since(from))
	}
	s.Span = p.since(from)
	return s
}

// checkRefreshPath refuses a path without quotes that holds blanks.
func (p *parser) checkRefreshPath(s *Refresh, at Span) {
	switch {
	case s.Path == "":
		p.failAs(at, "_LEGACY_ERROR_TEMP_0064", "REFRESH needs a path",
			"msg", "Resource paths cannot be empty in REFRESH statements. Use / to match everything")
	case strings.ContainsAny(s.Path, " \t\r\n"):
		p.failAs(at, "_LEGACY_ERROR_TEMP_0064", "put a path with white space in quotes",
			"msg", "REFRESH statements cannot contain ' ', '\\n', '\\r', '\\t' inside unquoted resource paths")
	}
}

func (p *parser) analyze(from Pos) Statement {
	p.expect("ANALYZE")
	if p.accept("TABLES") {
		s := &AnalyzeTables{Namespace: p.inRef()}
		p.expect("COMPUTE", "STATISTICS")
		s.Mode = p.noscan(from)
		s.Span = p.since(from)
		return s
	}
	p.expect("TABLE")
	s := &Analyze{Table: p.nameRef(), Partition: p.maybePartition()}
	p.expect("COMPUTE", "STATISTICS")
	switch {
	case p.at("FOR", "ALL", "COLUMNS"):
		p.i += 3
		s.AllColumns = true
	case p.at("FOR", "COLUMNS"):
		p.i += 2
		s.Columns = list(p, p.ident)
	default:
		s.Mode = p.noscan(from)
	}
	s.Span = p.since(from)
	return s
}

// noscan reads the word NOSCAN, if a word comes next.
func (p *parser) noscan(from Pos) *Ident {
	if !p.isIdent(p.tok()) {
		return nil
	}
	id := p.word()
	if !strings.EqualFold(id.Name, "NOSCAN") {
		p.failAs(p.since(from), "INVALID_SQL_SYNTAX.ANALYZE_TABLE_UNEXPECTED_NOSCAN", "expected NOSCAN, not "+id.Name,
			"ctx", id.Name)
	}
	return id
}

func (p *parser) explain(from Pos) Statement {
	p.enter()
	defer p.leave()
	p.expect("EXPLAIN")
	s := &Explain{}
	if p.atAny("LOGICAL", "FORMATTED", "EXTENDED", "CODEGEN", "COST", "JSON") ||
		p.at("ANALYZE") && !p.ahead(1).is("TABLE") && !p.ahead(1).is("TABLES") {
		s.Mode = p.keyword()
	}
	s.Stmt = p.statement()
	s.Span = p.since(from)
	if s.Mode == "LOGICAL" {
		p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0035", "EXPLAIN LOGICAL is not supported", "message", "EXPLAIN LOGICAL")
	}
	return s
}

func (p *parser) execute(from Pos) Statement {
	p.expect("EXECUTE", "IMMEDIATE")
	s := &ExecuteImmediate{Text: p.expr()}
	if p.accept("INTO") {
		s.Into = list(p, p.name)
	}
	if p.at("USING") {
		start := p.start()
		p.next()
		p.executeUsing(s)
		p.checkAliases(s, p.since(start))
	}
	s.Span = p.since(from)
	return s
}

func (p *parser) executeUsing(s *ExecuteImmediate) {
	if p.atOp("(") && !p.isQueryAt(1) && p.atEndAt(p.closing(p.i)+1-p.i) {
		s.Parens = true
		s.Using = parens(p, p.namedExpr)
		return
	}
	s.Using = list(p, p.namedExpr)
}

func (p *parser) checkAliases(s *ExecuteImmediate, at Span) {
	seen := map[string]bool{}
	for _, x := range s.Using {
		if len(x.Aliases) == 0 {
			continue
		}
		name := strings.ToLower(x.Aliases[0].Name)
		if seen[name] {
			p.failAs(at, "EXEC_IMMEDIATE_DUPLICATE_ARGUMENT_ALIASES", "USING names "+name+" twice",
				"aliases", quoteIdent(x.Aliases[0].Name))
		}
		seen[name] = true
	}
}

func (p *parser) callProcedure(from Pos) Statement {
	p.expect("CALL")
	s := &CallProcedure{Name: p.nameRef()}
	p.expectOp("(")
	if !p.atOp(")") {
		s.Args = list(p, p.argument)
	}
	p.expectOp(")")
	s.Span = p.since(from)
	return s
}

func (p *parser) resource(from Pos) Statement {
	s := &Resource{Verb: p.expectAny("ADD", "LIST"), Kind: p.word()}
	s.Args = p.restOfStatement()
	s.Span = p.since(from)
	return s
}

// nativeCommands are the first words of commands that only Hive knows. Longer
// phrases stand before those they start with.
var nativeCommands = [][]string{
	{"CREATE", "ROLE"}, {"DROP", "ROLE"}, {"GRANT", "ROLE"}, {"GRANT"}, {"REVOKE", "ROLE"}, {"REVOKE"},
	{"SHOW", "ROLE", "GRANT"}, {"SHOW", "ROLE"}, {"SHOW", "GRANT"}, {"SHOW", "PRINCIPALS"}, {"SHOW", "ROLES"},
	{"SHOW", "CURRENT", "ROLES"}, {"EXPORT", "TABLE"}, {"IMPORT", "TABLE"}, {"SHOW", "COMPACTIONS"},
	{"SHOW", "TRANSACTIONS"}, {"SHOW", "INDEXES"}, {"SHOW", "LOCKS"}, {"ALTER", "INDEX"},
	{"LOCK", "TABLE"}, {"LOCK", "DATABASE"}, {"UNLOCK", "TABLE"}, {"UNLOCK", "DATABASE"},
	{"CREATE", "TEMPORARY", "MACRO"}, {"DROP", "TEMPORARY", "MACRO"}, {"START", "TRANSACTION"}, {"COMMIT"},
	{"ROLLBACK"}, {"DFS"},
}

// native reads a command of Hive that starts at the given offset, of which
// the first word may have been read already. Without a match it returns nil.
func (p *parser) native(from Pos) Statement {
	i := p.i
	for p.i > 0 && Pos(p.tok().start) > from {
		p.i--
	}
	for _, words := range nativeCommands {
		if p.accept(words...) {
			rest := p.restOfStatement()
			return &Native{p.since(from), strings.Join(words, " "), rest}
		}
	}
	p.i = i
	return nil
}
