package syntax

import "strings"

// alterTable reads ALTER TABLE or ALTER VIEW.
func (p *parser) alterTable(from Pos) Statement {
	p.expect("ALTER")
	s := &AlterTable{View: p.expectAny("TABLE", "VIEW") == "VIEW", Name: p.nameRef()}
	start := p.start()
	if s.View {
		s.Action = p.viewAction(start)
	} else {
		s.Action = p.tableAction(start)
	}
	s.Span = p.since(from)
	p.checkAlter(s)
	return s
}

// checkAlter refuses actions that Spark's grammar allows and its parser does
// not. It speaks only when nothing else is wrong.
func (p *parser) checkAlter(s *AlterTable) {
	if !p.atEnd() {
		return
	}
	invalid := func(op string) {
		p.failAs(s.Span, "INVALID_STATEMENT_OR_CLAUSE", op+" is not valid", "operation", op)
	}
	switch a := s.Action.(type) {
	case *AlterColumns:
		p.checkChanges(s, a)
	case *ChangeColumn:
		if a.Partition != nil {
			invalid("ALTER TABLE ... PARTITION ... CHANGE COLUMN")
		}
		if a.Name.Last() != a.Column.Name.Name {
			p.failHive(s.Span, "Renaming column", "ALTER COLUMN", ", please run RENAME COLUMN instead")
		}
	case *ReplaceColumns:
		if a.Partition != nil {
			invalid("ALTER TABLE ... PARTITION ... REPLACE COLUMNS")
		}
		p.checkReplaced(s, a)
	case *AddPartitions:
		if s.View {
			invalid("ALTER VIEW ... ADD PARTITION")
		}
	case *DropPartitions:
		if s.View {
			invalid("ALTER VIEW ... DROP PARTITION")
		}
	}
}

func (p *parser) failHive(at Span, operation, command, msg string) {
	p.failAs(at, "_LEGACY_ERROR_TEMP_0034", operation+" is not supported in Hive-style "+command+msg,
		"operation", operation, "command", command, "msg", msg)
}

func (p *parser) checkChanges(s *AlterTable, a *AlterColumns) {
	for _, col := range a.Columns {
		if col.Kind == "" {
			const msg = "ALTER TABLE table CHANGE COLUMN requires a TYPE, a SET/DROP, a COMMENT, or a FIRST/AFTER"
			p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0035", msg, "message", msg)
		}
	}
}

func (p *parser) checkReplaced(s *AlterTable, a *ReplaceColumns) {
	for _, c := range a.Columns {
		switch {
		case len(c.Name.Parts) > 1:
			p.failHive(s.Span, "Replacing with a nested column", "REPLACE COLUMNS", "")
		case c.NotNull:
			p.failHive(s.Span, "NOT NULL", "REPLACE COLUMNS", "")
		case c.Position != nil:
			p.failHive(s.Span, "Column position", "REPLACE COLUMNS", "")
		}
	}
}

func (p *parser) viewAction(from Pos) AlterAction {
	switch {
	case p.at("WITH", "SCHEMA"):
		b := p.binding()
		return &SetViewBinding{p.since(from), b}
	case p.atAny("RENAME", "SET", "UNSET", "ADD", "DROP") && !p.opAt(1, ","):
		return p.tableAction(from)
	}
	p.accept("AS")
	q := p.query()
	return &SetViewQuery{p.since(from), q}
}

// tableAction reads what ALTER TABLE name does.
func (p *parser) tableAction(from Pos) AlterAction {
	part := p.maybePartition()
	switch {
	case p.at("SET"):
		return p.setAction(part, from)
	case p.at("CHANGE") || p.at("ALTER") && part == nil:
		return p.changeAction(part, from)
	case p.accept("REPLACE", "COLUMNS"):
		cols := parens(p, p.alterColumnDef)
		return &ReplaceColumns{p.since(from), part, cols}
	case part != nil && p.accept("RENAME", "TO"):
		to := p.fullPartition()
		return &RenamePartition{p.since(from), part, to}
	case part != nil || p.atNativeAction():
		return p.nativeAction(part, from)
	case p.at("ADD"):
		return p.addAction(from)
	case p.at("DROP"):
		return p.dropAction(from)
	case p.at("RENAME"):
		return p.renameAction(from)
	case p.accept("UNSET"):
		p.expect("TBLPROPERTIES")
		u := &UnsetProperties{IfExists: p.accept("IF", "EXISTS"), Properties: p.propertyKeys()}
		u.Span = p.since(from)
		return u
	case p.accept("RECOVER", "PARTITIONS"):
		return &RecoverPartitions{p.since(from)}
	case p.accept("CLUSTER", "BY"):
		cols, mode := p.clusterBy()
		return &SetClusterBy{p.since(from), cols, mode}
	case p.accept("DEFAULT", "COLLATION"):
		id := p.part()
		return &SetDefaultCollation{p.since(from), id}
	}
	p.failExpected("ADD", "ALTER", "DROP", "RENAME", "SET")
	return nil
}

func (p *parser) setAction(part *PartitionSpec, from Pos) AlterAction {
	p.expect("SET")
	switch {
	case part == nil && p.accept("TBLPROPERTIES"):
		props := p.properties()
		return &SetProperties{p.since(from), props}
	case p.accept("LOCATION"):
		loc := p.stringLit()
		return &SetLocation{p.since(from), part, loc}
	case p.accept("FILEFORMAT"):
		start := p.start()
		f := &FileFormat{}
		p.format(f)
		if p.accept("SERDE") {
			f.Serde = p.stringLit()
		}
		f.Span = p.since(start)
		return &SetFileFormat{p.since(from), part, f}
	case p.accept("SERDEPROPERTIES"):
		props := p.properties()
		return &SetSerde{Span: p.since(from), Partition: part, Properties: props}
	case p.accept("SERDE"):
		s := &SetSerde{Partition: part, Serde: p.stringLit()}
		if p.accept("WITH", "SERDEPROPERTIES") {
			s.Properties = p.properties()
		}
		s.Span = p.since(from)
		return s
	case p.at("SKEWED", "LOCATION"):
		p.i--
		return p.nativeAction(part, from)
	}
	p.failExpected("TBLPROPERTIES", "LOCATION", "FILEFORMAT", "SERDE", "SERDEPROPERTIES")
	return nil
}

func (p *parser) renameAction(from Pos) AlterAction {
	p.expect("RENAME")
	if p.accept("TO") {
		n := p.name()
		return &RenameTo{p.since(from), n}
	}
	p.expect("COLUMN")
	r := &RenameColumn{From: p.name()}
	p.expect("TO")
	r.To = p.ident()
	r.Span = p.since(from)
	return r
}

func (p *parser) addAction(from Pos) AlterAction {
	p.expect("ADD")
	switch {
	case p.acceptAny("COLUMN", "COLUMNS") != "":
		a := &AddColumns{}
		if p.atOp("(") {
			a.Columns = parens(p, p.alterColumnDef)
		} else {
			a.Columns = list(p, p.alterColumnDef)
		}
		a.Span = p.since(from)
		return a
	case p.at("CONSTRAINT") || p.isConstraintWord(0):
		c := p.tableConstraint()
		return &AddConstraint{p.since(from), c}
	}
	a := &AddPartitions{IfNotExists: p.acceptIfNotExists()}
	for p.at("PARTITION") || len(a.Partitions) == 0 {
		start := p.start()
		l := &PartitionLocation{Spec: p.fullPartition()}
		if p.accept("LOCATION") {
			l.Location = p.stringLit()
		}
		l.Span = p.since(start)
		a.Partitions = append(a.Partitions, l)
	}
	a.Span = p.since(from)
	return a
}

func (p *parser) dropAction(from Pos) AlterAction {
	p.expect("DROP")
	switch {
	case p.acceptAny("COLUMN", "COLUMNS") != "":
		d := &DropColumns{IfExists: p.accept("IF", "EXISTS")}
		if p.atOp("(") {
			d.Columns = parens(p, p.name)
		} else {
			d.Columns = list(p, p.name)
		}
		d.Span = p.since(from)
		return d
	case p.accept("CONSTRAINT"):
		d := &DropConstraint{IfExists: p.accept("IF", "EXISTS"), Name: p.part()}
		d.Behavior = p.acceptAny("CASCADE", "RESTRICT")
		d.Span = p.since(from)
		return d
	case p.accept("FEATURE"):
		d := &DropFeature{}
		if p.isString(p.tok()) {
			d.Feature = p.stringLit().Value
		} else {
			d.Feature = p.ident().Name
		}
		d.Truncate = p.accept("TRUNCATE", "HISTORY")
		d.Span = p.since(from)
		return d
	}
	d := &DropPartitions{IfExists: p.accept("IF", "EXISTS")}
	d.Partitions = list(p, p.fullPartition)
	d.Purge = p.accept("PURGE")
	d.Span = p.since(from)
	return d
}

// changeAction reads ALTER COLUMN … or CHANGE COLUMN ….
func (p *parser) changeAction(part *PartitionSpec, from Pos) AlterAction {
	change := p.expectAny("CHANGE", "ALTER") == "CHANGE"
	p.accept("COLUMN")
	if change && (part != nil || p.atHiveChange()) {
		c := &ChangeColumn{Partition: part, Name: p.name(), Column: p.columnType()}
		c.Position = p.position()
		c.Span = p.since(from)
		return c
	}
	a := &AlterColumns{Columns: list(p, p.columnChange)}
	a.Span = p.since(from)
	return a
}

// atHiveChange reports whether old, new and a type come next.
func (p *parser) atHiveChange() bool {
	n := 1
	for p.opAt(n, ".") {
		n += 2
	}
	t := p.ahead(n)
	if !p.isIdent(t) {
		return false
	}
	switch keywords.text[t.word] {
	case "TYPE", "COMMENT", "FIRST", "AFTER", "SET", "DROP", "SYNC":
		next := p.ahead(n + 1)
		return t.is("TYPE") && p.isIdent(next) && p.isIdent(p.ahead(n+2)) && !p.isColumnWord(p.ahead(n+2))
	}
	return true
}

// isColumnWord reports whether t is a word that may follow the type of a
// changed column.
func (p *parser) isColumnWord(t token) bool {
	return t.is("COLLATE") || t.is("WITHOUT") || t.is("TO") || t.is("YEAR") || t.is("MONTH") || t.is("DAY") ||
		t.is("HOUR") || t.is("MINUTE") || t.is("SECOND")
}

func (p *parser) columnChange() *ColumnChange {
	from := p.start()
	c := &ColumnChange{Name: p.name()}
	switch {
	case p.accept("TYPE"):
		c.Kind, c.Type = "TYPE", p.dataType()
	case p.accept("COMMENT"):
		c.Kind, c.Comment = "COMMENT", p.stringLit()
	case p.atAny("FIRST", "AFTER"):
		c.Kind, c.Position = "POSITION", p.position()
	case p.accept("SYNC", "IDENTITY"):
		c.Kind = "SYNC IDENTITY"
	case p.accept("SET"):
		c.Kind = "SET DEFAULT"
		if p.acceptNot("NULL") {
			c.Kind = "SET NOT NULL"
		} else {
			p.expect("DEFAULT")
			c.Default = p.expr()
		}
	case p.accept("DROP"):
		c.Kind = "DROP DEFAULT"
		if p.acceptNot("NULL") {
			c.Kind = "DROP NOT NULL"
		} else {
			p.expect("DEFAULT")
		}
	}
	c.Span = p.since(from)
	return c
}

// nativeActions are the words that start an ALTER TABLE which only Hive knows.
var nativeActions = [][]string{
	{"NOT", "CLUSTERED"}, {"CLUSTERED", "BY"}, {"NOT", "SORTED"}, {"SKEWED", "BY"}, {"NOT", "SKEWED"},
	{"NOT", "STORED", "AS", "DIRECTORIES"}, {"SET", "SKEWED", "LOCATION"}, {"EXCHANGE", "PARTITION"},
	{"ARCHIVE", "PARTITION"}, {"UNARCHIVE", "PARTITION"}, {"TOUCH"}, {"COMPACT"}, {"CONCATENATE"},
}

func (p *parser) atNativeAction() bool {
	for _, words := range nativeActions {
		if p.at(words...) {
			return true
		}
	}
	return false
}

func (p *parser) nativeAction(part *PartitionSpec, from Pos) AlterAction {
	for _, words := range nativeActions {
		if p.accept(words...) {
			rest := p.restOfStatement()
			return &NativeAction{p.since(from), part, strings.Join(words, " "), rest}
		}
	}
	p.failExpected("SET", "CHANGE", "RENAME", "REPLACE")
	return nil
}
