package syntax

import "strings"

func (p *printer) statement(s Statement) {
	switch s := s.(type) {
	case *Insert, *InsertDirectory, *MultiInsert, *Update, *Delete, *Merge, *Truncate, *LoadData, *CopyInto:
		p.dml(s)
	case *CreateTable, *CreateTableLike, *CloneTable, *DropTable, *AlterTable, *RepairTable:
		p.tableStatement(s)
	case *Optimize, *Vacuum, *Restore, *Convert, *Reorg, *Generate, *Compaction, *CallProcedure:
		p.lakeStatement(s)
	case *Block, *DeclareCondition, *DeclareHandler, *If, *CaseStmt, *Loop, *For, *Leave, *Iterate, *Cursor:
		p.scriptStatement(s)
	default:
		if !p.definition(s) && !p.show(s) {
			p.session(s)
		}
	}
}

func (p *printer) dml(s Statement) {
	switch s := s.(type) {
	case *Insert:
		p.insert(s)
	case *InsertDirectory:
		p.put(s.With, "INSERT OVERWRITE", when(s.Local, "LOCAL"), "DIRECTORY", s.Path, clause("USING", s.Provider))
		p.put(when(len(s.Options) > 0, "OPTIONS", inParens(s.Options)), s.Row, s.File, s.Query)
	case *MultiInsert:
		p.put(s.With, listClause("FROM", s.From), views(s.Views))
		for _, ins := range s.Inserts {
			p.put(ins)
		}
	case *Update:
		p.put(s.With, "UPDATE", s.Table, s.Alias, "SET", commas(s.Set), clause("WHERE", s.Where))
	case *Delete:
		p.put(s.With, "DELETE FROM", s.Table, s.Alias, clause("WHERE", s.Where))
	case *Merge:
		p.put(s.With, "MERGE", when(s.Evolve, "WITH SCHEMA EVOLUTION"), "INTO", s.Table, options(s.Options), s.Alias)
		p.put("USING", s.Source, "ON", s.On)
		for _, c := range s.Clauses {
			p.put(c)
		}
	case *Truncate:
		p.put("TRUNCATE TABLE", s.Table, s.Partition)
	case *LoadData:
		p.put("LOAD DATA", when(s.Local, "LOCAL"), "INPATH", s.Path, when(s.Overwrite, "OVERWRITE"), "INTO TABLE",
			s.Table, s.Partition)
	case *CopyInto:
		p.put("COPY INTO", s.Table, "FROM", s.From, when(s.Format != nil, "FILEFORMAT =", s.Format))
		for _, c := range s.Clauses {
			p.put(c)
		}
	}
}

func (p *printer) insert(s *Insert) {
	into := "INTO"
	if s.Overwrite {
		into = "OVERWRITE"
	}
	p.put(s.With, "INSERT", when(s.Evolve, "WITH SCHEMA EVOLUTION"), into, "TABLE", s.Table, options(s.Options), s.Alias,
		s.Partition, when(s.IfNotExists, "IF NOT EXISTS"), when(s.ByName, "BY NAME"), optParens(s.Columns))
	p.put(clause("REPLACE WHERE", s.ReplaceWhere), clause("REPLACE ON", s.ReplaceOn))
	if len(s.ReplaceUsing) > 0 {
		p.put("REPLACE USING", inParens(s.ReplaceUsing))
	}
	p.put(s.Query, s.ReplaceSource)
}

func (p *printer) mergeClause(c *MergeClause) {
	p.put("WHEN", c.When, when(c.Target, "BY TARGET"), clause("AND", c.Cond), "THEN", c.Action)
	switch {
	case c.Action == "UPDATE" && c.Star:
		p.put("SET *")
	case c.Action == "UPDATE":
		p.put("SET", commas(c.Set))
	case c.Action == "INSERT" && c.Star:
		p.put("*")
	case c.Action == "INSERT":
		p.put(inParens(c.Columns), "VALUES", inParens(c.Values))
	}
}

func (p *printer) tableStatement(s Statement) {
	switch s := s.(type) {
	case *CreateTable:
		p.put(createWords(s.Create, s.Replace), when(s.Temporary, "TEMPORARY"), when(s.External, "EXTERNAL"), "TABLE",
			when(s.IfNotExists, "IF NOT EXISTS"), s.Name, tableElements(s.Columns, s.Constraints),
			clause("USING", s.Provider))
		p.clauses(&s.Clauses)
		p.put(clause("AS", s.Query))
	case *CreateTableLike:
		p.put("CREATE TABLE", when(s.IfNotExists, "IF NOT EXISTS"), s.Name, "LIKE", s.Source, clause("USING", s.Provider))
		p.clauses(&s.Clauses)
	case *CloneTable:
		p.put(createWords(s.Create, s.Replace), "TABLE", when(s.IfNotExists, "IF NOT EXISTS"), s.Name, s.Depth, "CLONE",
			s.Source, s.Travel, when(len(s.Properties) > 0, "TBLPROPERTIES", inParens(s.Properties)),
			clause("LOCATION", s.Location))
	case *DropTable:
		p.put("DROP TABLE", when(s.IfExists, "IF EXISTS"), s.Name, when(s.Purge, "PURGE"))
	case *AlterTable:
		kind := "TABLE"
		if s.View {
			kind = "VIEW"
		}
		p.put("ALTER", kind, s.Name, s.Action)
	case *RepairTable:
		p.put(when(s.Msck, "MSCK"), "REPAIR TABLE", s.Name, when(s.Mode != "", s.Mode, "PARTITIONS"))
	}
}

func createWords(create, replace bool) string {
	switch {
	case create && replace:
		return "CREATE OR REPLACE"
	case replace:
		return "REPLACE"
	}
	return "CREATE"
}

// tableElements returns (column, …, constraint, …), or nothing.
func tableElements(cols []*ColumnDef, constraints []*Constraint) parts {
	var all []Node
	for _, c := range cols {
		all = append(all, c)
	}
	for _, c := range constraints {
		all = append(all, c)
	}
	return optParens(all)
}

func (p *printer) clauses(c *TableClauses) {
	p.put(when(len(c.Options) > 0, "OPTIONS", inParens(c.Options)))
	p.put(when(len(c.PartitionedBy) > 0, "PARTITIONED BY", inParens(c.PartitionedBy)))
	p.put(when(len(c.ClusterBy) > 0, "CLUSTER BY", inParens(c.ClusterBy)), when(c.ClusterMode != "", "CLUSTER BY", c.ClusterMode))
	p.put(c.Bucket, c.Skew, c.Row, c.File, clause("LOCATION", c.Location), clause("COMMENT", c.Comment),
		clause("DEFAULT COLLATION", c.Collation))
	p.put(when(len(c.Properties) > 0, "TBLPROPERTIES", inParens(c.Properties)))
}

func (p *printer) lakeStatement(s Statement) {
	switch s := s.(type) {
	case *Optimize:
		p.put("OPTIMIZE", s.Target, when(s.Full, "FULL"), clause("WHERE", s.Where))
		p.put(when(len(s.ZOrder) > 0, "ZORDER BY", inParens(s.ZOrder)))
	case *Vacuum:
		p.put("VACUUM", s.Target, s.Mode, clause("USING INVENTORY", s.Inventory))
		p.put(when(s.InventoryQuery != nil, "USING INVENTORY (", s.InventoryQuery, raw(")")))
		p.put(when(s.Retain != nil, "RETAIN", s.Retain, "HOURS"), when(s.DryRun, "DRY RUN"))
	case *Restore:
		p.put("RESTORE TABLE", s.Target, "TO", s.Travel)
	case *Convert:
		p.put("CONVERT TO DELTA", s.Table, when(s.NoStatistics, "NO STATISTICS"))
		p.put(when(len(s.PartitionedBy) > 0, "PARTITIONED BY", inParens(s.PartitionedBy)))
	case *Reorg:
		p.put("REORG TABLE", s.Target, clause("WHERE", s.Where), "APPLY (", s.Apply)
		p.put(when(s.IcebergVersion != nil, "(ICEBERG_COMPAT_VERSION =", s.IcebergVersion, raw(")")), raw(")"))
	case *Generate:
		p.put("GENERATE", s.Mode, "FOR TABLE", s.Target)
	case *Compaction:
		p.put(s.Verb, "COMPACTION ON", s.Target, clause("AT", s.At))
	case *CallProcedure:
		p.put("CALL", s.Name, raw("("), commas(s.Args), raw(")"))
	}
}

// definition prints the statements that define and drop other things than
// tables; it reports whether s is one.
func (p *printer) definition(s Statement) bool {
	switch s := s.(type) {
	case *CreateView:
		p.createView(s)
	case *CreateTempViewUsing:
		p.put("CREATE", when(s.Replace, "OR REPLACE"), when(s.Global, "GLOBAL"), "TEMPORARY VIEW", s.Name,
			optParens(s.Columns), "USING", s.Provider, when(len(s.Options) > 0, "OPTIONS", inParens(s.Options)))
	case *DropView:
		p.put("DROP VIEW", when(s.IfExists, "IF EXISTS"), s.Name)
	case *CreateNamespace:
		p.put("CREATE", s.Kind, when(s.IfNotExists, "IF NOT EXISTS"), s.Name, clause("COMMENT", s.Comment),
			clause("LOCATION", s.Location), clause("DEFAULT COLLATION", s.Collation),
			when(len(s.Properties) > 0, "WITH PROPERTIES", inParens(s.Properties)))
	case *AlterNamespace:
		p.alterNamespace(s)
	case *DropNamespace:
		p.put("DROP", s.Kind, when(s.IfExists, "IF EXISTS"), s.Name, when(s.Cascade, "CASCADE"), when(s.Restrict, "RESTRICT"))
	case *CommentOn:
		p.put("COMMENT ON", s.Kind, s.Name, "IS", s.Comment, when(s.Comment == nil, "NULL"))
	case *CreateFunction:
		p.createFunction(s)
	case *DropFunction:
		p.put("DROP", when(s.Temporary, "TEMPORARY"), "FUNCTION", when(s.IfExists, "IF EXISTS"), s.Name)
	case *DeclareVariable:
		p.put("DECLARE", when(s.Replace, "OR REPLACE"), "VARIABLE", commas(s.Names), s.Type, clause("DEFAULT", s.Default))
	case *DropVariable:
		p.put("DROP TEMPORARY VARIABLE", when(s.IfExists, "IF EXISTS"), s.Name)
	case *SetVariable:
		p.put("SET", when(!s.Bare, "VARIABLE"), commas(s.Set))
		p.put(when(s.Query != nil, inParens(s.Names), "= (", s.Query, raw(")")))
	case *CreateIndex:
		p.put("CREATE INDEX", when(s.IfNotExists, "IF NOT EXISTS"), s.Name, "ON TABLE", s.Table, clause("USING", s.Kind),
			inParens(s.Columns), when(len(s.Options) > 0, "OPTIONS", inParens(s.Options)))
	case *DropIndex:
		p.put("DROP INDEX", when(s.IfExists, "IF EXISTS"), s.Name, "ON TABLE", s.Table)
	case *RefreshIndex:
		p.put("REFRESH INDEX", s.Name, "ON", s.Table)
	case *CreateDataset:
		p.createDataset(s)
	default:
		return false
	}
	return true
}

func (p *printer) createView(s *CreateView) {
	p.put("CREATE", when(s.Replace, "OR REPLACE"), when(s.Global, "GLOBAL"), when(s.Temporary, "TEMPORARY"), "VIEW",
		when(s.IfNotExists, "IF NOT EXISTS"), s.Name, optParens(s.Columns), clause("COMMENT", s.Comment),
		when(s.Binding != "", "WITH SCHEMA", s.Binding), clause("DEFAULT COLLATION", s.Collation),
		when(len(s.Properties) > 0, "TBLPROPERTIES", inParens(s.Properties)), "AS", s.Query)
}

func (p *printer) alterNamespace(s *AlterNamespace) {
	p.put("ALTER", s.Kind, s.Name)
	switch {
	case s.Collation != nil:
		p.put("DEFAULT COLLATION", s.Collation)
	case s.Location != nil:
		p.put("SET LOCATION", s.Location)
	default:
		verb := "SET"
		if s.Unset {
			verb = "UNSET"
		}
		p.put(verb, "PROPERTIES", inParens(s.Properties))
	}
}

func (p *printer) createFunction(s *CreateFunction) {
	p.put("CREATE", when(s.Replace, "OR REPLACE"), when(s.Temporary, "TEMPORARY"), "FUNCTION",
		when(s.IfNotExists, "IF NOT EXISTS"), s.Name)
	if s.Class != nil {
		p.put("AS", s.Class, listClause("USING", s.Resources))
		return
	}
	p.put(raw("("), commas(s.Params), raw(")"), clause("RETURNS", s.Returns))
	p.put(when(s.Table, "RETURNS TABLE", optParens(s.Columns)))
	for _, c := range s.Characteristics {
		p.put(c)
	}
	p.put(clause("COMMENT", s.Comment), clause("DEFAULT COLLATION", s.Collation), "RETURN", s.Query, s.Body)
}

func (p *printer) createDataset(s *CreateDataset) {
	p.put("CREATE", when(s.Replace, "OR REPLACE"), when(s.Refresh, "OR REFRESH"), s.Kind,
		when(s.IfNotExists, "IF NOT EXISTS"), s.Name)
	if s.Kind == "FLOW" {
		p.put(clause("COMMENT", s.Clauses.Comment), "AS", s.Insert)
		return
	}
	p.put(tableElements(s.Columns, s.Constraints), clause("USING", s.Provider))
	p.clauses(&s.Clauses)
	p.put(clause("AS", s.Query))
}

// show prints the statements that show and describe; it reports whether s is
// one.
func (p *printer) show(s Statement) bool {
	switch s := s.(type) {
	case *ShowNamespaces:
		p.put("SHOW", s.Kind, clause("IN", s.In), clause("LIKE", s.Pattern))
	case *ShowTables:
		p.put("SHOW TABLES", clause("IN", s.In), clause("LIKE", s.Pattern))
	case *ShowTableExtended:
		p.put("SHOW TABLE EXTENDED", clause("IN", s.In), clause("LIKE", s.Pattern), s.Partition)
	case *ShowViews:
		p.put("SHOW VIEWS", clause("IN", s.In), clause("LIKE", s.Pattern))
	case *ShowColumns:
		p.put("SHOW COLUMNS IN", s.Table, clause("IN", s.In))
	case *ShowPartitions:
		p.put("SHOW PARTITIONS", s.Table, s.Partition)
	case *ShowProperties:
		p.put("SHOW TBLPROPERTIES", s.Table, when(s.Key != nil, "(", s.Key, raw(")")))
	case *ShowCreateTable:
		p.put("SHOW CREATE TABLE", s.Table, when(s.Serde, "AS SERDE"))
	case *ShowCurrent:
		p.put("SHOW CURRENT", s.Kind)
	case *ShowCatalogs:
		p.put("SHOW CATALOGS", clause("LIKE", s.Pattern))
	case *ShowFunctions:
		p.put("SHOW", plainWord(s.Scope), "FUNCTIONS", clause("IN", s.In), clause("LIKE", s.Pattern), clause("LIKE", s.Name))
	case *ShowProcedures:
		p.put("SHOW PROCEDURES", clause("IN", s.In))
	case *ShowIndexes:
		p.put("SHOW INDEXES IN", s.Table)
	case *ShowCompaction:
		p.put("SHOW COMPACTION ON", s.Target, clause("LIMIT", s.Limit))
	default:
		return p.describe(s)
	}
	return true
}

func (p *printer) describe(s Statement) bool {
	switch s := s.(type) {
	case *DescribeTable:
		p.put("DESCRIBE TABLE", s.Mode, s.Name, s.Partition, s.Column, when(s.JSON, "AS JSON"))
	case *DescribeNamespace:
		p.put("DESCRIBE", s.Kind, when(s.Extended, "EXTENDED"), s.Name)
	case *DescribeFunction:
		p.put("DESCRIBE FUNCTION", when(s.Extended, "EXTENDED"), s.Name)
	case *DescribeProcedure:
		p.put("DESCRIBE PROCEDURE", s.Name)
	case *DescribeQuery:
		p.put("DESCRIBE QUERY", s.Query)
	case *DescribeHistory:
		p.put("DESCRIBE HISTORY", s.Target, clause("LIMIT", s.Limit))
	case *DescribeDetail:
		p.put("DESCRIBE DETAIL", s.Target)
	default:
		return false
	}
	return true
}

func (p *printer) session(s Statement) {
	switch s := s.(type) {
	case *Use:
		p.put("USE", s.Kind, s.Name)
	case *SetCatalog:
		p.put("SET CATALOG", s.Name)
	case *Set:
		p.set(s)
	case *Reset:
		p.put("RESET", when(s.Key != "", text(configText(s.Key))))
	case *SetTimeZone:
		p.put("SET TIME ZONE", when(s.Local, "LOCAL"), s.Zone)
	case *SetCollation:
		p.put("SET COLLATION", s.Name)
	case *Cache:
		p.put("CACHE", when(s.Lazy, "LAZY"), "TABLE", s.Table, when(len(s.Options) > 0, "OPTIONS", inParens(s.Options)),
			clause("AS", s.Query))
	case *Uncache:
		p.put("UNCACHE TABLE", when(s.IfExists, "IF EXISTS"), s.Table)
	case *ClearCache:
		p.put("CLEAR CACHE")
	case *Refresh:
		if s.Kind == "PATH" {
			p.put("REFRESH", str(s.Path))
		} else {
			p.put("REFRESH", s.Kind, s.Name)
		}
	case *Analyze:
		p.put("ANALYZE TABLE", s.Table, s.Partition, "COMPUTE STATISTICS", s.Mode, when(s.AllColumns, "FOR ALL COLUMNS"),
			listClause("FOR COLUMNS", s.Columns))
	case *AnalyzeTables:
		p.put("ANALYZE TABLES", clause("IN", s.Namespace), "COMPUTE STATISTICS", s.Mode)
	case *Explain:
		p.put("EXPLAIN", s.Mode, s.Stmt)
	case *ExecuteImmediate:
		p.put("EXECUTE IMMEDIATE", s.Text, listClause("INTO", s.Into))
		if s.Parens {
			p.put("USING", inParens(s.Using))
		} else {
			p.put(listClause("USING", s.Using))
		}
	case *Resource:
		p.put(s.Verb, s.Kind, text(s.Args))
	case *Native:
		p.put(s.Words, text(s.Rest))
	}
}

func (p *printer) set(s *Set) {
	p.put("SET", when(s.Verbose, "-v"))
	if s.Key == "" {
		return
	}
	p.put(text(configText(s.Key)))
	if !s.HasValue {
		return
	}
	v := s.Value
	if strings.ContainsAny(v, ";`'\"\n") || strings.Contains(v, "--") || strings.Contains(v, "/*") || v == "" || v != strings.TrimSpace(v) {
		v = quoteIdent(v)
	}
	p.put("=", text(v))
}

// configText returns a setting's key, in back quotes if it needs them.
func configText(key string) string {
	if configKey.MatchString(key) && !strings.Contains(key, "`") {
		return key
	}
	return quoteIdent(key)
}
