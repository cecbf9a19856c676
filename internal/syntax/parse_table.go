package syntax

import "strings"

// createTable reads CREATE [OR REPLACE] TABLE or REPLACE TABLE from its first
// word on.
func (p *parser) createTable(from Pos) Statement {
	s := &CreateTable{}
	if s.Create = p.accept("CREATE"); s.Create {
		s.Replace = p.accept("OR", "REPLACE")
	} else {
		p.expect("REPLACE")
		s.Replace = true
	}
	s.Temporary = p.acceptAny("TEMPORARY", "TEMP") != ""
	s.External = p.accept("EXTERNAL")
	p.expect("TABLE")
	s.IfNotExists = p.acceptIfNotExists()
	s.Name = p.nameRef()
	switch {
	case p.at("LIKE"):
		return p.createLike(s, from)
	case p.atAny("SHALLOW", "DEEP") && p.ahead(1).is("CLONE"), p.at("CLONE"):
		return p.clone(s, from)
	}
	if p.atOp("(") && !p.isQueryAt(0) {
		s.Columns, s.Constraints = p.tableElements()
	}
	if p.accept("USING") {
		s.Provider = p.name()
	}
	p.tableClauses(&s.Clauses)
	if p.accept("AS") || p.atQuery() {
		s.Query = p.query()
	}
	s.Span = p.since(from)
	p.checkCreate(s)
	return s
}

func (p *parser) checkCreate(s *CreateTable) {
	legacy := func(msg string) { p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0035", msg, "message", msg) }
	switch {
	case s.Create && s.Replace && s.IfNotExists:
		legacy("CREATE OR REPLACE TABLE cannot say IF NOT EXISTS")
	case s.Temporary && s.IfNotExists:
		legacy("CREATE TEMPORARY TABLE IF NOT EXISTS")
	case s.Temporary && s.Query != nil:
		legacy("CREATE TEMPORARY TABLE ... AS ..., use CREATE TEMPORARY VIEW instead")
	case s.Temporary && s.Provider == nil && s.Clauses.File == nil:
		legacy("CREATE TEMPORARY TABLE")
	case s.Query != nil && len(s.Columns) > 0:
		legacy("Schema may not be specified in a Create Table As Select (CTAS) statement")
	}
	p.checkClauses(s)
}

// checkClauses refuses clauses that contradict one another.
func (p *parser) checkClauses(s *CreateTable) {
	c := &s.Clauses
	legacy := func(msg string) { p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0035", msg, "message", msg) }
	switch {
	case c.Skew != nil:
		legacy("CREATE TABLE ... SKEWED BY")
	case s.Provider != nil && (c.File != nil || c.Row != nil):
		legacy("CREATE TABLE ... USING ... with ROW FORMAT or STORED AS")
	case c.File != nil && c.File.Handler != nil:
		legacy("STORED BY")
	case c.Bucket != nil && len(c.ClusterBy) > 0:
		p.failAs(s.Span, "SPECIFY_CLUSTER_BY_WITH_BUCKETING_IS_NOT_ALLOWED", "CLUSTER BY and CLUSTERED BY exclude one another")
	case len(c.PartitionedBy) > 0 && len(c.ClusterBy) > 0:
		p.failAs(s.Span, "SPECIFY_CLUSTER_BY_WITH_PARTITIONED_BY_IS_NOT_ALLOWED", "CLUSTER BY and PARTITIONED BY exclude one another")
	}
	p.checkPartitioning(s)
}

// checkPartitioning refuses partition columns with a type beside those by
// name, and rows formats that do not fit the file format.
func (p *parser) checkPartitioning(s *CreateTable) {
	typed, named := 0, 0
	for _, f := range s.Clauses.PartitionedBy {
		if f.Type != nil {
			typed++
		} else {
			named++
		}
	}
	if typed > 0 && named > 0 {
		p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0035",
			"PARTITIONED BY mixes columns with and without types",
			"message", "PARTITION BY: Cannot mix partition expressions and partition columns")
	}
	if typed > 0 && s.Query != nil {
		p.failAs(s.Span, "_LEGACY_ERROR_TEMP_0035", "a partition column of CREATE TABLE AS takes no type",
			"message", "Partition column types may not be specified in Create Table As Select (CTAS)")
	}
	if r, f := s.Clauses.Row, s.Clauses.File; r != nil && f != nil {
		p.checkRowFormat(s.Span, r, f)
	}
}

// checkRowFormat refuses ROW FORMAT with file formats that fix their own.
func (p *parser) checkRowFormat(at Span, r *RowFormat, f *FileFormat) {
	if f.Name == nil {
		return
	}
	name := strings.ToUpper(f.Name.Name)
	bad := false
	if r.Serde != nil {
		bad = name != "SEQUENCEFILE" && name != "TEXTFILE" && name != "RCFILE"
	} else {
		bad = name != "TEXTFILE"
	}
	if bad {
		p.failAs(at, "_LEGACY_ERROR_TEMP_0035", "ROW FORMAT does not go with STORED AS "+f.Name.Name,
			"message", "ROW FORMAT is incompatible with '"+f.Name.Name+"'")
	}
}

func (p *parser) createLike(c *CreateTable, from Pos) Statement {
	p.expect("LIKE")
	s := &CreateTableLike{IfNotExists: c.IfNotExists, Name: c.Name, Source: p.nameRef()}
	for {
		if p.at("USING") && s.Provider == nil {
			p.next()
			s.Provider = p.name()
			continue
		}
		if !p.tableClause(&s.Clauses, map[string]bool{}) {
			break
		}
	}
	s.Span = p.since(from)
	return s
}

func (p *parser) clone(c *CreateTable, from Pos) Statement {
	s := &CloneTable{Create: c.Create, Replace: c.Replace, IfNotExists: c.IfNotExists, Name: c.Name}
	s.Depth = p.acceptAny("SHALLOW", "DEEP")
	p.expect("CLONE")
	s.Source = p.nameRef()
	s.Travel = p.timeTravel()
	for {
		switch {
		case p.accept("TBLPROPERTIES"):
			s.Properties = p.properties()
		case p.accept("LOCATION"):
			s.Location = p.stringLit()
		default:
			s.Span = p.since(from)
			return s
		}
	}
}

// Clauses.

// tableClauses reads the clauses behind a table's columns, in any order.
func (p *parser) tableClauses(c *TableClauses) {
	seen := map[string]bool{}
	for p.tableClause(c, seen) {
	}
}

// tableClause reads one clause, if one comes next.
func (p *parser) tableClause(c *TableClauses, seen map[string]bool) bool {
	from := p.start()
	switch {
	case p.accept("OPTIONS"):
		c.Options = p.exprProperties()
		p.once(seen, from, "OPTIONS")
	case p.accept("TBLPROPERTIES"):
		c.Properties = p.properties()
		p.once(seen, from, "TBLPROPERTIES")
	case p.accept("PARTITIONED", "BY"):
		c.PartitionedBy = parens(p, p.partitionField)
		p.once(seen, from, "PARTITIONED BY")
	case p.at("CLUSTER", "BY"):
		p.i += 2
		c.ClusterBy, c.ClusterMode = p.clusterBy()
		p.once(seen, from, "CLUSTER BY")
	case p.at("CLUSTERED", "BY"):
		c.Bucket = p.bucketSpec()
		p.once(seen, from, "CLUSTERED BY")
	case p.at("SKEWED", "BY"):
		c.Skew = p.skewSpec()
		p.once(seen, from, "SKEWED BY")
	case p.at("ROW", "FORMAT"):
		c.Row = p.rowFormat()
		p.once(seen, from, "ROW FORMAT")
	case p.at("STORED"):
		c.File = p.fileFormat()
		p.once(seen, from, "STORED AS/BY")
	case p.accept("LOCATION"):
		c.Location = p.stringLit()
		p.once(seen, from, "LOCATION")
	case p.accept("COMMENT"):
		c.Comment = p.stringLit()
		p.once(seen, from, "COMMENT")
	case p.accept("DEFAULT", "COLLATION"):
		c.Collation = p.part()
		p.once(seen, from, "DEFAULT COLLATION")
	default:
		return false
	}
	return true
}

// clusterBy reads (columns), NONE or AUTO.
func (p *parser) clusterBy() ([]*Name, string) {
	if mode := p.acceptAny("NONE", "AUTO"); mode != "" {
		return nil, mode
	}
	return parens(p, p.name), ""
}

// partitionField reads a column, a column with its type, or a transform.
func (p *parser) partitionField() *PartitionField {
	from := p.start()
	f := &PartitionField{}
	n := p.name()
	switch {
	case p.atOp("("):
		f.Transform = n.Parts[0]
		f.Args = parens(p, p.transformArg)
	case p.atOp(",") || p.atOp(")"):
		f.Column = n
	default:
		f.Column = n
		t := &FieldType{}
		p.fieldRest(t, from)
		f.Type, f.NotNull, f.Comment = t.Type, t.NotNull, t.Comment
	}
	f.Span = p.since(from)
	return f
}

func (p *parser) transformArg() Expr {
	if x := p.literal(); x != nil {
		return x
	}
	n := p.name()
	return &ColumnRef{n.Span, n.Parts}
}

func (p *parser) bucketSpec() *BucketSpec {
	from := p.start()
	p.expect("CLUSTERED", "BY")
	b := &BucketSpec{Columns: parens(p, p.ident)}
	if p.accept("SORTED", "BY") {
		b.Sorted = parens(p, p.sortedColumn)
	}
	p.expect("INTO")
	b.Count = p.integer()
	p.expect("BUCKETS")
	b.Span = p.since(from)
	for _, s := range b.Sorted {
		if s.Order == "DESC" {
			p.failAs(b.Span, "_LEGACY_ERROR_TEMP_0035", "the columns of a bucket can only be sorted upwards",
				"message", "Column ordering must be ASC, was 'DESC'")
		}
	}
	return b
}

func (p *parser) sortedColumn() *SortedColumn {
	from := p.start()
	s := &SortedColumn{Name: p.ident(), Order: p.acceptAny("ASC", "DESC")}
	s.Span = p.since(from)
	return s
}

func (p *parser) skewSpec() *SkewSpec {
	from := p.start()
	p.expect("SKEWED", "BY")
	s := &SkewSpec{Columns: parens(p, p.ident)}
	p.expect("ON")
	s.Nested = p.opAt(1, "(")
	s.Values = parens(p, func() Expr {
		if !s.Nested {
			return p.constant()
		}
		start := p.start()
		row := &Row{Elems: parens(p, p.constant)}
		row.Span = p.since(start)
		return row
	})
	s.Directories = p.accept("STORED", "AS", "DIRECTORIES")
	s.Span = p.since(from)
	return s
}

func (p *parser) dropTable(from Pos) Statement {
	p.expect("DROP", "TABLE")
	s := &DropTable{IfExists: p.accept("IF", "EXISTS"), Name: p.nameRef(), Purge: p.accept("PURGE")}
	s.Span = p.since(from)
	return s
}
