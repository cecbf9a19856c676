package syntax

// Statements that change rows.
type (
	// Insert is INSERT INTO or INSERT OVERWRITE a table.
	Insert struct {
		Span
		With          *With
		Overwrite     bool
		Evolve        bool // WITH SCHEMA EVOLUTION
		Table         *Name
		Options       []*Property // WITH (…)
		Alias         *TableAlias // of Spark 4.2, for REPLACE ON
		Partition     *PartitionSpec
		IfNotExists   bool
		ByName        bool
		Columns       []*Ident
		ReplaceWhere  Expr        // REPLACE WHERE e
		ReplaceUsing  []*Ident    // REPLACE USING (a, b)
		ReplaceOn     Expr        // REPLACE ON e
		ReplaceSource *TableAlias // of the form INSERT INTO t REPLACE ON e (query) AS s
		Query         *Query
	}

	// InsertDirectory is INSERT OVERWRITE [LOCAL] DIRECTORY.
	InsertDirectory struct {
		Span
		With     *With
		Local    bool
		Path     *StringLit // may be nil when Options hold it
		Provider *Name      // USING, or nil
		Options  []*Property
		Row      *RowFormat
		File     *FileFormat
		Query    *Query
	}

	// MultiInsert is FROM rel INSERT … SELECT … INSERT … SELECT ….
	MultiInsert struct {
		Span
		With    *With
		From    []Relation
		Views   []*LateralViewClause
		Inserts []Statement // *Insert or *InsertDirectory, whose query has no FROM
	}

	// Update is UPDATE t SET ….
	Update struct {
		Span
		With  *With
		Table *Name
		Alias *TableAlias
		Set   []*Assignment
		Where Expr
	}

	// Delete is DELETE FROM t.
	Delete struct {
		Span
		With  *With
		Table *Name
		Alias *TableAlias
		Where Expr
	}

	// Merge is MERGE INTO t USING s ON c WHEN ….
	Merge struct {
		Span
		With    *With
		Evolve  bool // WITH SCHEMA EVOLUTION
		Table   *Name
		Options []*Property
		Alias   *TableAlias
		Source  Relation // *Table or *Subquery
		On      Expr
		Clauses []*MergeClause
	}

	// MergeClause is WHEN … THEN …. The parser has checked the order of the
	// clauses and that only the last of a kind lacks a condition.
	MergeClause struct {
		Span
		When   string // MATCHED, NOT MATCHED or NOT MATCHED BY SOURCE
		Target bool   // BY TARGET was written
		Cond   Expr   // of AND, or nil
		Action string // DELETE, UPDATE or INSERT
		Star   bool   // UPDATE SET * or INSERT *
		Set    []*Assignment
		// Columns and Values are those of INSERT (…) VALUES (…).
		Columns []*Name
		Values  []Expr
	}

	// Assignment is Target = Value. DEFAULT as a value is the ColumnRef of
	// that name.
	Assignment struct {
		Span
		Target *Name
		Value  Expr
	}

	// Truncate is TRUNCATE TABLE.
	Truncate struct {
		Span
		Table     *Name
		Partition *PartitionSpec
	}

	// LoadData is LOAD DATA [LOCAL] INPATH.
	LoadData struct {
		Span
		Local     bool
		Path      *StringLit
		Overwrite bool
		Table     *Name
		Partition *PartitionSpec
	}

	// CopyInto is COPY INTO t FROM source, a statement of Databricks.
	CopyInto struct {
		Span
		Table   *Name
		From    Relation // *Table by path, or *Subquery
		Format  *Ident
		Clauses []*CopyClause
	}

	// CopyClause is FILES, PATTERN, FORMAT_OPTIONS, COPY_OPTIONS or VALIDATE.
	CopyClause struct {
		Span
		Kind    string
		Values  []Expr
		Options []*Property
	}
)

// Statements of the session.
type (
	// Use is USE name, or USE {NAMESPACE|DATABASE|SCHEMA} name.
	Use struct {
		Span
		Kind string // "", NAMESPACE, DATABASE or SCHEMA
		Name *Name
	}

	// SetCatalog is SET CATALOG.
	SetCatalog struct {
		Span
		Name Expr // a *ColumnRef of one part, or a *StringLit
	}

	// Set is SET key = value and its short forms. Without Key it lists the
	// settings: all of them, with their documentation for SET -v.
	Set struct {
		Span
		Key      string
		HasValue bool
		Value    string
		Verbose  bool // SET -v
	}

	// Reset is RESET [key].
	Reset struct {
		Span
		Key string // "" resets all
	}

	// SetTimeZone is SET TIME ZONE.
	SetTimeZone struct {
		Span
		Local bool
		Zone  Expr // a *StringLit or an interval; nil when Local
	}

	// SetCollation is SET COLLATION name.
	SetCollation struct {
		Span
		Name *Ident
	}

	// Cache is CACHE [LAZY] TABLE.
	Cache struct {
		Span
		Lazy    bool
		Table   *Name
		Options []*Property
		Query   *Query
	}

	// Uncache is UNCACHE TABLE.
	Uncache struct {
		Span
		IfExists bool
		Table    *Name
	}

	// ClearCache is CLEAR CACHE.
	ClearCache struct{ Span }

	// Refresh is REFRESH TABLE name, REFRESH FUNCTION name or REFRESH 'path'.
	Refresh struct {
		Span
		Kind string // TABLE, FUNCTION or PATH
		Name *Name
		Path string
	}

	// Analyze is ANALYZE TABLE … COMPUTE STATISTICS.
	Analyze struct {
		Span
		Table      *Name
		Partition  *PartitionSpec
		Mode       *Ident // such as NOSCAN, or nil
		Columns    []*Ident
		AllColumns bool
	}

	// AnalyzeTables is ANALYZE TABLES [IN ns] COMPUTE STATISTICS.
	AnalyzeTables struct {
		Span
		Namespace *Name
		Mode      *Ident
	}

	// Explain is EXPLAIN. Mode JSON and ANALYZE are tarn's own.
	Explain struct {
		Span
		Mode string // "", LOGICAL, FORMATTED, EXTENDED, CODEGEN, COST, JSON or ANALYZE
		Stmt Statement
	}

	// ExecuteImmediate is EXECUTE IMMEDIATE text INTO … USING ….
	ExecuteImmediate struct {
		Span
		Text   Expr
		Into   []*Name
		Using  []*NamedExpr
		Parens bool // USING (…)
	}

	// CallProcedure is CALL name(args).
	CallProcedure struct {
		Span
		Name *Name
		Args []Expr
	}

	// Resource is ADD or LIST of JAR, FILE, ARCHIVE and their like.
	Resource struct {
		Span
		Verb string // ADD or LIST
		Kind *Ident
		Args string // as written
	}

	// Native is an administrative command of Hive that the parser knows by
	// its first words only: GRANT, EXPORT TABLE, SHOW LOCKS, LOCK TABLE, ….
	Native struct {
		Span
		Words string // the words that identify it, in upper case
		Rest  string // the text behind them, as written
	}
)

func (*Insert) statement()           {}
func (*InsertDirectory) statement()  {}
func (*MultiInsert) statement()      {}
func (*Update) statement()           {}
func (*Delete) statement()           {}
func (*Merge) statement()            {}
func (*Truncate) statement()         {}
func (*LoadData) statement()         {}
func (*CopyInto) statement()         {}
func (*Use) statement()              {}
func (*SetCatalog) statement()       {}
func (*Set) statement()              {}
func (*Reset) statement()            {}
func (*SetTimeZone) statement()      {}
func (*SetCollation) statement()     {}
func (*Cache) statement()            {}
func (*Uncache) statement()          {}
func (*ClearCache) statement()       {}
func (*Refresh) statement()          {}
func (*Analyze) statement()          {}
func (*AnalyzeTables) statement()    {}
func (*Explain) statement()          {}
func (*ExecuteImmediate) statement() {}
func (*CallProcedure) statement()    {}
func (*Resource) statement()         {}
func (*Native) statement()           {}
