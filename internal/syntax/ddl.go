package syntax

// Tables.
type (
	// CreateTable is CREATE TABLE and REPLACE TABLE, with or without AS query.
	CreateTable struct {
		Span
		Create      bool // CREATE stood first; with Replace: CREATE OR REPLACE
		Replace     bool
		Temporary   bool
		External    bool
		IfNotExists bool
		Name        *Name
		Columns     []*ColumnDef
		Constraints []*Constraint
		Provider    *Name // USING, or nil
		Clauses     TableClauses
		Query       *Query
	}

	// TableClauses are the clauses that may follow a table's columns.
	TableClauses struct {
		Options       []*Property // OPTIONS; values may be expressions
		PartitionedBy []*PartitionField
		ClusterBy     []*Name
		ClusterMode   string // CLUSTER BY AUTO or NONE, else ""
		Bucket        *BucketSpec
		Skew          *SkewSpec
		Row           *RowFormat
		File          *FileFormat
		Location      *StringLit
		Comment       *StringLit
		Collation     *Ident // DEFAULT COLLATION
		Properties    []*Property
	}

	// ColumnDef is a column of CREATE TABLE or ALTER TABLE ADD COLUMNS.
	ColumnDef struct {
		Span
		Name        *Name // one part, except in ALTER TABLE
		Type        TypeName
		NotNull     bool
		Default     Expr
		Generated   Expr // GENERATED ALWAYS AS (e)
		Identity    *Identity
		Comment     *StringLit
		Position    *ColumnPosition
		Constraints []*Constraint
	}

	// Identity is GENERATED … AS IDENTITY.
	Identity struct {
		Span
		Always bool // ALWAYS, else BY DEFAULT
		Start  Expr // of START WITH, or nil
		Step   Expr // of INCREMENT BY, or nil
	}

	// ColumnPosition is FIRST, or AFTER a column.
	ColumnPosition struct {
		Span
		First bool
		After *Ident
	}

	// Constraint is a constraint of a table or of a column.
	Constraint struct {
		Span
		Name       *Ident // of CONSTRAINT name, or nil
		Kind       string // CHECK, PRIMARY KEY, UNIQUE or FOREIGN KEY
		Check      Expr
		Columns    []*Ident
		References *Name
		RefColumns []*Ident
		// Traits are ENFORCED, NOT ENFORCED, RELY and NORELY, and for foreign
		// keys MATCH FULL, ON UPDATE NO ACTION, ON DELETE NO ACTION.
		Traits []string
	}

	// PartitionField is one entry of PARTITIONED BY: a column (Column set,
	// and Type when it is declared there), or a transform such as days(c).
	PartitionField struct {
		Span
		Column    *Name
		Type      TypeName
		NotNull   bool
		Comment   *StringLit
		Transform *Ident
		Args      []Expr // *ColumnRef or literals
	}

	// BucketSpec is CLUSTERED BY (…) SORTED BY (…) INTO n BUCKETS.
	BucketSpec struct {
		Span
		Columns []*Ident
		Sorted  []*SortedColumn
		Count   Expr // a number or a parameter
	}

	// SortedColumn is a column with its order.
	SortedColumn struct {
		Span
		Name  *Ident
		Order string // "", ASC or DESC
	}

	// SkewSpec is SKEWED BY (…) ON (…).
	SkewSpec struct {
		Span
		Columns     []*Ident
		Values      []Expr // constants; a *Row each where Nested
		Nested      bool   // ON ((a, b), (c, d))
		Directories bool   // STORED AS DIRECTORIES
	}

	// RowFormat is ROW FORMAT SERDE or DELIMITED.
	RowFormat struct {
		Span
		Serde      *StringLit // nil for DELIMITED
		Properties []*Property
		Fields     *StringLit // FIELDS TERMINATED BY
		Escape     *StringLit // ESCAPED BY
		Items      *StringLit // COLLECTION ITEMS TERMINATED BY
		Keys       *StringLit // MAP KEYS TERMINATED BY
		Lines      *StringLit // LINES TERMINATED BY
		Null       *StringLit // NULL DEFINED AS
	}

	// FileFormat is STORED AS format, STORED AS INPUTFORMAT … OUTPUTFORMAT …,
	// or STORED BY handler.
	FileFormat struct {
		Span
		Name          *Ident
		Input, Output *StringLit
		Serde         *StringLit // only in SET FILEFORMAT
		Handler       *StringLit
		Properties    []*Property // of the handler
	}

	// CreateTableLike is CREATE TABLE t LIKE s.
	CreateTableLike struct {
		Span
		IfNotExists bool
		Name        *Name
		Source      *Name
		Provider    *Name
		Clauses     TableClauses
	}

	// CloneTable is CREATE or REPLACE TABLE t SHALLOW|DEEP CLONE s.
	CloneTable struct {
		Span
		Create      bool
		Replace     bool
		IfNotExists bool
		Name        *Name
		Depth       string // "", SHALLOW or DEEP
		Source      *Name
		Travel      *TimeTravel
		Properties  []*Property
		Location    *StringLit
	}

	// DropTable is DROP TABLE.
	DropTable struct {
		Span
		IfExists bool
		Name     *Name
		Purge    bool
	}
)

// Views, namespaces, functions, variables, indexes.
type (
	// CreateView is CREATE VIEW … AS query.
	CreateView struct {
		Span
		Replace     bool
		Global      bool
		Temporary   bool
		IfNotExists bool
		Name        *Name
		Columns     []*ViewColumn
		Comment     *StringLit
		Binding     string // of WITH SCHEMA: "", BINDING, COMPENSATION, EVOLUTION or TYPE EVOLUTION
		Collation   *Ident
		Properties  []*Property
		Metrics     bool // WITH METRICS LANGUAGE YAML AS: then Body, not Query
		Body        string
		Query       *Query
	}

	// ViewColumn is a column name of a view with its comment.
	ViewColumn struct {
		Span
		Name    *Ident
		Comment *StringLit
	}

	// CreateTempViewUsing is CREATE TEMPORARY VIEW … USING provider.
	CreateTempViewUsing struct {
		Span
		Replace  bool
		Global   bool
		Name     *Name
		Columns  []*FieldType
		Provider *Name
		Options  []*Property
	}

	// DropView is DROP VIEW.
	DropView struct {
		Span
		IfExists bool
		Name     *Name
	}

	// CreateNamespace is CREATE {NAMESPACE|DATABASE|SCHEMA}.
	CreateNamespace struct {
		Span
		Kind        string
		IfNotExists bool
		Name        *Name
		Comment     *StringLit
		Location    *StringLit
		Collation   *Ident
		Properties  []*Property
	}

	// AlterNamespace is ALTER {NAMESPACE|DATABASE|SCHEMA} name SET or UNSET.
	AlterNamespace struct {
		Span
		Kind       string
		Name       *Name
		Unset      bool
		Properties []*Property
		Location   *StringLit
		Collation  *Ident
	}

	// DropNamespace is DROP {NAMESPACE|DATABASE|SCHEMA}.
	DropNamespace struct {
		Span
		Kind     string
		IfExists bool
		Name     *Name
		Cascade  bool
		Restrict bool
	}

	// CommentOn is COMMENT ON TABLE or namespace IS text.
	CommentOn struct {
		Span
		Kind    string // TABLE, NAMESPACE, DATABASE or SCHEMA
		Name    *Name
		Comment *StringLit // nil for NULL
	}

	// CreateFunction is CREATE FUNCTION, in SQL (Body or Query set) or by the
	// name of a Java class.
	CreateFunction struct {
		Span
		Replace         bool
		Temporary       bool
		IfNotExists     bool
		Name            *Name
		Class           *StringLit // AS 'class'
		Resources       []*FunctionResource
		Params          []*FieldType
		HasParams       bool     // a parameter list stood there, perhaps empty
		Returns         TypeName // RETURNS type, or nil
		Table           bool     // RETURNS TABLE
		Columns         []*FieldType
		Characteristics []string // such as LANGUAGE SQL, DETERMINISTIC, CONTAINS SQL; COMMENT apart
		Comment         *StringLit
		Collation       *Ident
		Body            Expr
		Query           *Query
	}

	// FunctionResource is JAR 'path' and its like.
	FunctionResource struct {
		Span
		Kind *Ident
		Path *StringLit
	}

	// DropFunction is DROP FUNCTION.
	DropFunction struct {
		Span
		Temporary bool
		IfExists  bool
		Name      *Name
	}

	// DeclareVariable is DECLARE VARIABLE.
	DeclareVariable struct {
		Span
		Replace bool
		Names   []*Name
		Type    TypeName
		Default Expr
	}

	// DropVariable is DROP TEMPORARY VARIABLE.
	DropVariable struct {
		Span
		IfExists bool
		Name     *Name
	}

	// SetVariable is SET VARIABLE a = e, … or, with Query, SET VARIABLE (a,
	// b) = (query). Within a script the word VARIABLE may be missing.
	SetVariable struct {
		Span
		Bare  bool // without the word VARIABLE
		Set   []*Assignment
		Names []*Name
		Query *Query
	}

	// CreateIndex is CREATE INDEX.
	CreateIndex struct {
		Span
		IfNotExists bool
		Name        *Ident
		Table       *Name
		Kind        *Ident // USING, or nil
		Columns     []*IndexColumn
		Options     []*Property
	}

	// IndexColumn is an indexed column with its options.
	IndexColumn struct {
		Span
		Name    *Name
		Options []*Property
	}

	// DropIndex is DROP INDEX.
	DropIndex struct {
		Span
		IfExists bool
		Name     *Ident
		Table    *Name
	}

	// RefreshIndex is Hudi's REFRESH INDEX.
	RefreshIndex struct {
		Span
		Name  *Ident
		Table *Name
	}

	// CreateDataset is CREATE MATERIALIZED VIEW, CREATE STREAMING TABLE or
	// CREATE FLOW of declarative pipelines.
	CreateDataset struct {
		Span
		Kind        string // MATERIALIZED VIEW, STREAMING TABLE or FLOW
		Replace     bool
		Refresh     bool
		IfNotExists bool
		Name        *Name
		Columns     []*ColumnDef
		Constraints []*Constraint
		Provider    *Name
		Clauses     TableClauses
		Query       *Query
		Insert      *Insert // of FLOW
	}
)

// AlterTable is ALTER TABLE or ALTER VIEW name action.
type AlterTable struct {
	Span
	View   bool
	Name   *Name
	Action AlterAction
}

// AlterAction is what an AlterTable does.
type AlterAction interface {
	Node
	alterAction()
}

// Actions on the table as a whole.
type (
	// RenameTo is RENAME TO name.
	RenameTo struct {
		Span
		Name *Name
	}

	// SetProperties is SET TBLPROPERTIES.
	SetProperties struct {
		Span
		Properties []*Property
	}

	// UnsetProperties is UNSET TBLPROPERTIES. Spark accepts values and
	// refuses them in a later step.
	UnsetProperties struct {
		Span
		IfExists   bool
		Properties []*Property
	}

	// AddConstraint is ADD [CONSTRAINT name] CHECK (e) and its like.
	AddConstraint struct {
		Span
		Constraint *Constraint
	}

	// DropConstraint is DROP CONSTRAINT.
	DropConstraint struct {
		Span
		IfExists bool
		Name     *Ident
		Behavior string // "", CASCADE or RESTRICT
	}

	// SetClusterBy is CLUSTER BY (…), CLUSTER BY NONE or CLUSTER BY AUTO.
	SetClusterBy struct {
		Span
		Columns []*Name
		Mode    string // NONE or AUTO, else ""
	}

	// DropFeature is Delta's DROP FEATURE.
	DropFeature struct {
		Span
		Feature  string
		Truncate bool // TRUNCATE HISTORY
	}

	// SetDefaultCollation is DEFAULT COLLATION name.
	SetDefaultCollation struct {
		Span
		Name *Ident
	}

	// SetSerde is SET SERDE or SET SERDEPROPERTIES.
	SetSerde struct {
		Span
		Partition  *PartitionSpec
		Serde      *StringLit
		Properties []*Property
	}

	// SetLocation is SET LOCATION.
	SetLocation struct {
		Span
		Partition *PartitionSpec
		Location  *StringLit
	}

	// SetFileFormat is SET FILEFORMAT.
	SetFileFormat struct {
		Span
		Partition *PartitionSpec
		Format    *FileFormat
	}

	// SetViewQuery is ALTER VIEW … AS query.
	SetViewQuery struct {
		Span
		Query *Query
	}

	// SetViewBinding is ALTER VIEW … WITH SCHEMA.
	SetViewBinding struct {
		Span
		Binding string
	}

	// NativeAction is an ALTER TABLE of Hive that is known by its words only:
	// TOUCH, ARCHIVE PARTITION, EXCHANGE PARTITION, ….
	NativeAction struct {
		Span
		Partition *PartitionSpec
		Words     string
		Rest      string
	}
)

// Actions on columns.
type (
	// AddColumns is ADD COLUMNS.
	AddColumns struct {
		Span
		Columns []*ColumnDef
	}

	// RenameColumn is RENAME COLUMN a TO b.
	RenameColumn struct {
		Span
		From *Name
		To   *Ident
	}

	// DropColumns is DROP COLUMNS.
	DropColumns struct {
		Span
		IfExists bool
		Columns  []*Name
	}

	// AlterColumns is ALTER COLUMN a …, b ….
	AlterColumns struct {
		Span
		Columns []*ColumnChange
	}

	// ColumnChange is one change of AlterColumns.
	ColumnChange struct {
		Span
		Name *Name
		// Kind is TYPE, COMMENT, POSITION, SET NOT NULL, DROP NOT NULL, SET
		// DEFAULT, DROP DEFAULT, SYNC IDENTITY, or "" when nothing was said.
		Kind     string
		Type     TypeName
		Comment  *StringLit
		Position *ColumnPosition
		Default  Expr
	}

	// ChangeColumn is Hive's CHANGE COLUMN a b type.
	ChangeColumn struct {
		Span
		Partition *PartitionSpec
		Name      *Name
		Column    *FieldType
		Position  *ColumnPosition
	}

	// ReplaceColumns is REPLACE COLUMNS (…).
	ReplaceColumns struct {
		Span
		Partition *PartitionSpec
		Columns   []*ColumnDef
	}
)

// Actions on partitions.
type (
	// AddPartitions is ADD PARTITION.
	AddPartitions struct {
		Span
		IfNotExists bool
		Partitions  []*PartitionLocation
	}

	// PartitionLocation is a partition with its place.
	PartitionLocation struct {
		Span
		Spec     *PartitionSpec
		Location *StringLit
	}

	// DropPartitions is DROP PARTITION.
	DropPartitions struct {
		Span
		IfExists   bool
		Partitions []*PartitionSpec
		Purge      bool
	}

	// RenamePartition is PARTITION (…) RENAME TO PARTITION (…).
	RenamePartition struct {
		Span
		From, To *PartitionSpec
	}

	// RecoverPartitions is RECOVER PARTITIONS.
	RecoverPartitions struct{ Span }
)

// RepairTable is [MSCK] REPAIR TABLE.
type RepairTable struct {
	Span
	Msck bool
	Name *Name
	Mode string // "", ADD, DROP or SYNC
}

func (*CreateTable) statement()         {}
func (*CreateTableLike) statement()     {}
func (*CloneTable) statement()          {}
func (*DropTable) statement()           {}
func (*CreateView) statement()          {}
func (*CreateTempViewUsing) statement() {}
func (*DropView) statement()            {}
func (*CreateNamespace) statement()     {}
func (*AlterNamespace) statement()      {}
func (*DropNamespace) statement()       {}
func (*CommentOn) statement()           {}
func (*CreateFunction) statement()      {}
func (*DropFunction) statement()        {}
func (*DeclareVariable) statement()     {}
func (*DropVariable) statement()        {}
func (*SetVariable) statement()         {}
func (*CreateIndex) statement()         {}
func (*DropIndex) statement()           {}
func (*RefreshIndex) statement()        {}
func (*CreateDataset) statement()       {}
func (*AlterTable) statement()          {}
func (*RepairTable) statement()         {}

func (*RenameTo) alterAction()            {}
func (*SetProperties) alterAction()       {}
func (*UnsetProperties) alterAction()     {}
func (*AddConstraint) alterAction()       {}
func (*DropConstraint) alterAction()      {}
func (*SetClusterBy) alterAction()        {}
func (*DropFeature) alterAction()         {}
func (*SetDefaultCollation) alterAction() {}
func (*SetSerde) alterAction()            {}
func (*SetLocation) alterAction()         {}
func (*SetFileFormat) alterAction()       {}
func (*SetViewQuery) alterAction()        {}
func (*SetViewBinding) alterAction()      {}
func (*NativeAction) alterAction()        {}
func (*AddColumns) alterAction()          {}
func (*RenameColumn) alterAction()        {}
func (*DropColumns) alterAction()         {}
func (*AlterColumns) alterAction()        {}
func (*ChangeColumn) alterAction()        {}
func (*ReplaceColumns) alterAction()      {}
func (*AddPartitions) alterAction()       {}
func (*DropPartitions) alterAction()      {}
func (*RenamePartition) alterAction()     {}
func (*RecoverPartitions) alterAction()   {}
