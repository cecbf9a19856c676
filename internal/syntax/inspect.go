package syntax

// Statements that show what is there.
type (
	// ShowNamespaces is SHOW {NAMESPACES|DATABASES|SCHEMAS}.
	ShowNamespaces struct {
		Span
		Kind    string
		In      *Name
		Pattern *StringLit
	}

	// ShowTables is SHOW TABLES.
	ShowTables struct {
		Span
		In      *Name
		Pattern *StringLit
	}

	// ShowTableExtended is SHOW TABLE EXTENDED.
	ShowTableExtended struct {
		Span
		In        *Name
		Pattern   *StringLit
		Partition *PartitionSpec
	}

	// ShowViews is SHOW VIEWS.
	ShowViews struct {
		Span
		In      *Name
		Pattern *StringLit
	}

	// ShowColumns is SHOW COLUMNS.
	ShowColumns struct {
		Span
		Table *Name
		In    *Name // or nil
	}

	// ShowPartitions is SHOW PARTITIONS.
	ShowPartitions struct {
		Span
		Table     *Name
		Partition *PartitionSpec
	}

	// ShowProperties is SHOW TBLPROPERTIES.
	ShowProperties struct {
		Span
		Table *Name
		Key   *Property // without Value; or nil
	}

	// ShowCreateTable is SHOW CREATE TABLE.
	ShowCreateTable struct {
		Span
		Table *Name
		Serde bool // AS SERDE
	}

	// ShowCurrent is SHOW CURRENT {NAMESPACE|DATABASE|SCHEMA}.
	ShowCurrent struct {
		Span
		Kind string
	}

	// ShowCatalogs is SHOW CATALOGS.
	ShowCatalogs struct {
		Span
		Pattern *StringLit
	}

	// ShowFunctions is SHOW FUNCTIONS. One of Pattern and Name may be set.
	ShowFunctions struct {
		Span
		Scope   *Ident // USER, SYSTEM, ALL or another word; or nil
		In      *Name
		Pattern *StringLit
		Name    *Name
	}

	// ShowProcedures is SHOW PROCEDURES.
	ShowProcedures struct {
		Span
		In *Name
	}

	// ShowIndexes is Hudi's SHOW INDEXES.
	ShowIndexes struct {
		Span
		Table *Name
	}

	// ShowCompaction is Hudi's SHOW COMPACTION ON t.
	ShowCompaction struct {
		Span
		Target *Target
		Limit  *NumberLit
	}

	// DescribeTable is DESCRIBE [TABLE].
	DescribeTable struct {
		Span
		Mode      string // "", EXTENDED or FORMATTED
		Name      *Name
		Partition *PartitionSpec
		Column    *Name
		JSON      bool // AS JSON
	}

	// DescribeNamespace is DESCRIBE {NAMESPACE|DATABASE|SCHEMA}.
	DescribeNamespace struct {
		Span
		Kind     string
		Extended bool
		Name     *Name
	}

	// DescribeFunction is DESCRIBE FUNCTION. Operators and strings arrive as
	// a Name of one quoted part.
	DescribeFunction struct {
		Span
		Extended bool
		Name     *Name
	}

	// DescribeProcedure is DESCRIBE PROCEDURE.
	DescribeProcedure struct {
		Span
		Name *Name
	}

	// DescribeQuery is DESCRIBE [QUERY] query.
	DescribeQuery struct {
		Span
		Query *Query
	}

	// DescribeHistory is Delta's DESCRIBE HISTORY.
	DescribeHistory struct {
		Span
		Target *Target
		Limit  *NumberLit
	}

	// DescribeDetail is Delta's DESCRIBE DETAIL.
	DescribeDetail struct {
		Span
		Target *Target
	}
)

func (*ShowNamespaces) statement()    {}
func (*ShowTables) statement()        {}
func (*ShowTableExtended) statement() {}
func (*ShowViews) statement()         {}
func (*ShowColumns) statement()       {}
func (*ShowPartitions) statement()    {}
func (*ShowProperties) statement()    {}
func (*ShowCreateTable) statement()   {}
func (*ShowCurrent) statement()       {}
func (*ShowCatalogs) statement()      {}
func (*ShowFunctions) statement()     {}
func (*ShowProcedures) statement()    {}
func (*ShowIndexes) statement()       {}
func (*ShowCompaction) statement()    {}
func (*DescribeTable) statement()     {}
func (*DescribeNamespace) statement() {}
func (*DescribeFunction) statement()  {}
func (*DescribeProcedure) statement() {}
func (*DescribeQuery) statement()     {}
func (*DescribeHistory) statement()   {}
func (*DescribeDetail) statement()    {}
