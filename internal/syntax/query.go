package syntax

// Queries.
type (
	// Query is a whole query: common tables, a body, and what orders and cuts
	// its rows. It is also a Statement.
	Query struct {
		Span
		With *With
		Body QueryBody
		Tail QueryTail
	}

	// QueryTail is what may follow a query's body.
	QueryTail struct {
		OrderBy      []*SortItem
		ClusterBy    []Expr
		DistributeBy []Expr
		SortBy       []*SortItem
		Windows      []*NamedWindow
		Limit        Expr
		LimitAll     bool // LIMIT ALL
		Offset       Expr
	}

	// With is WITH [RECURSIVE] name AS (query), ….
	With struct {
		Span
		Recursive bool
		Tables    []*CommonTable
	}

	// CommonTable is one table of a With.
	CommonTable struct {
		Span
		Name     *Ident
		Columns  []*Ident
		MaxLevel Expr // of MAX RECURSION LEVEL n, or nil
		Query    *Query
	}

	// Select is SELECT … FROM … WHERE …, also in the order FROM … SELECT ….
	Select struct {
		Span
		FromFirst  bool // FROM stood first; with no Items, FROM stood alone
		Hints      []*Hint
		Quantifier string // "", ALL or DISTINCT
		Items      []*NamedExpr
		Transform  *Transform // SELECT TRANSFORM(…), MAP or REDUCE: then Items is empty
		From       []Relation
		Views      []*LateralViewClause
		Where      Expr
		GroupBy    *GroupBy
		Having     Expr
		Qualify    Expr
		Windows    []*NamedWindow
	}

	// SetOp is Left UNION|INTERSECT|EXCEPT [ALL|DISTINCT] Right.
	SetOp struct {
		Span
		Op          string // UNION, INTERSECT, EXCEPT or MINUS
		Quantifier  string // "", ALL or DISTINCT
		ByName      bool   // BY NAME, an extension of Databricks
		Left, Right QueryBody
	}

	// Values is VALUES (…), (…) as a query.
	Values struct {
		Span
		Rows  []Expr // a *Row for each parenthesised row of two or more values
		Alias *TableAlias
	}

	// TableQuery is TABLE name.
	TableQuery struct {
		Span
		Name *Name
	}

	// Nested is (query), a body with its own ordering and limit.
	Nested struct {
		Span
		Query *Query
	}

	// Pipe is Input |> Op.
	Pipe struct {
		Span
		Input QueryBody
		Op    *PipeOp
	}

	// PipeOp is what stands behind |>. Kind tells which fields count.
	PipeOp struct {
		Span
		// Kind is SELECT, EXTEND, SET, DROP, AS, WHERE, PIVOT, UNPIVOT,
		// TABLESAMPLE, JOIN, SET OPERATION, ORDER or AGGREGATE.
		Kind     string
		Select   *Select       // SELECT, without FROM
		Items    []*NamedExpr  // EXTEND, AGGREGATE
		Sets     []*Assignment // SET
		Drop     []*Ident      // DROP
		Alias    *Ident        // AS
		Where    Expr          // WHERE
		Relation Relation      // PIVOT, UNPIVOT, JOIN: with a nil innermost left input
		Sample   *Sample       // TABLESAMPLE
		SetOp    *SetOp        // SET OPERATION, with a nil Left
		Tail     *QueryTail    // ORDER, LIMIT and their like
		GroupBy  *GroupBy      // AGGREGATE … GROUP BY
	}

	// GroupBy is GROUP BY.
	GroupBy struct {
		Span
		Items []Expr // may hold *Grouping and, in |> AGGREGATE, *NamedExpr
		// With is ROLLUP or CUBE for GROUP BY a, b WITH ROLLUP, and SETS for
		// GROUP BY a, b GROUPING SETS (…), else "".
		With string
		Sets []*GroupingSet // of SETS
	}

	// NamedWindow is name AS (…) in a WINDOW clause.
	NamedWindow struct {
		Span
		Name *Ident
		Spec *WindowSpec
	}

	// Hint is one entry of /*+ … */.
	Hint struct {
		Span
		Name *Ident
		Args []Expr
	}

	// Transform is SELECT TRANSFORM(…) USING 'script' AS ….
	Transform struct {
		Span
		Kind       string // TRANSFORM, MAP or REDUCE
		Quantifier string
		Args       []Expr
		In, Out    *RowFormat
		Writer     *StringLit // RECORDWRITER
		Script     *StringLit
		Columns    []*FieldType // Type is nil where only a name was given
		Parens     bool         // Columns stood in parentheses
		Reader     *StringLit   // RECORDREADER
	}
)

// Relations.
type (
	// Table is a table, view or common table by name.
	Table struct {
		Span
		Name      *Name
		Stream    bool // STREAM name
		Travel    *TimeTravel
		Changes   *Changes
		Options   []*Property // WITH (…)
		Watermark *Watermark
		Sample    *Sample
		Alias     *TableAlias
	}

	// Subquery is (query) AS alias.
	Subquery struct {
		Span
		Query     *Query
		Watermark *Watermark
		Sample    *Sample
		Alias     *TableAlias
	}

	// ValuesTable is VALUES … in FROM.
	ValuesTable struct {
		Span
		Rows  []Expr
		Alias *TableAlias
	}

	// TableFunc is a table function, such as range(10).
	TableFunc struct {
		Span
		Stream    bool
		Func      *Name
		Args      []Expr // may hold *NamedArg and *TableArg
		Watermark *Watermark
		Alias     *TableAlias
	}

	// NestedRelation is (relation) AS alias.
	NestedRelation struct {
		Span
		X         Relation
		Watermark *Watermark
		Sample    *Sample
		Alias     *TableAlias
	}

	// Lateral is LATERAL X, whose columns may refer to the relations before it.
	Lateral struct {
		Span
		X Relation
	}

	// Join is Left JOIN Right.
	Join struct {
		Span
		Kind        string // INNER, CROSS, LEFT, RIGHT, FULL, SEMI or ANTI
		Natural     bool
		Left, Right Relation
		On          Expr
		Using       []*Ident
		Nearest     *Nearest
	}

	// Nearest is the [APPROX|EXACT] NEAREST n BY … of a join of Spark 4.2.
	Nearest struct {
		Span
		Mode  string // "", APPROX or EXACT
		Count Expr   // or nil
		By    string // DISTANCE or SIMILARITY
		X     Expr
	}

	// Pivot is X PIVOT (…).
	Pivot struct {
		Span
		X       Relation
		Aggs    []*NamedExpr
		Columns []*Ident
		Parens  bool         // Columns stood in parentheses
		Values  []*NamedExpr // a *Row each for several Columns
	}

	// Unpivot is X UNPIVOT (…).
	Unpivot struct {
		Span
		X            Relation
		Nulls        string // "", INCLUDE or EXCLUDE
		ValueColumns []*Ident
		Multi        bool // the value columns stood in parentheses
		NameColumn   *Ident
		Sets         []*UnpivotSet
		Alias        *Ident
	}

	// UnpivotSet is a column, or a set of columns, that UNPIVOT turns to rows.
	UnpivotSet struct {
		Span
		Columns []*Name
		Alias   *Ident
	}

	// LateralViewClause is LATERAL VIEW [OUTER] f(…) t AS a, b.
	LateralViewClause struct {
		Span
		Outer   bool
		Func    *Name
		Args    []Expr
		Table   *Ident
		Columns []*Ident
	}

	// TableAlias is AS name (columns).
	TableAlias struct {
		Span
		Name    *Ident
		Columns []*Ident
	}

	// Sample is TABLESAMPLE (…).
	Sample struct {
		Span
		Method string // "", SYSTEM or BERNOULLI
		Kind   string // PERCENT, ROWS, BUCKET or BYTES
		X      Expr   // percent, rows or bytes; the bucket's number
		OutOf  Expr   // of BUCKET x OUT OF y
		On     *Name  // of BUCKET … ON name
		OnCall bool   // ON name()
		Seed   Expr   // of REPEATABLE (n), or nil
	}

	// Watermark is WATERMARK X DELAY OF Delay.
	Watermark struct {
		Span
		X     *NamedExpr
		Delay Expr
	}

	// Changes is CHANGES FROM … [TO …] of Spark 4.2.
	Changes struct {
		Span
		Unit                       string // VERSION or TIMESTAMP
		From, To                   Expr   // To may be nil
		FromExclusive, ToExclusive bool
		Options                    []*Property // WITH (…)
	}
)

func (*Query) statement() {}

// empty reports whether t says nothing.
func (t *QueryTail) empty() bool {
	return len(t.OrderBy)+len(t.ClusterBy)+len(t.DistributeBy)+len(t.SortBy)+len(t.Windows) == 0 &&
		t.Limit == nil && !t.LimitAll && t.Offset == nil
}

func (*Select) queryBody()     {}
func (*SetOp) queryBody()      {}
func (*Values) queryBody()     {}
func (*TableQuery) queryBody() {}
func (*Nested) queryBody()     {}
func (*Pipe) queryBody()       {}

func (*Table) relation()          {}
func (*Subquery) relation()       {}
func (*ValuesTable) relation()    {}
func (*TableFunc) relation()      {}
func (*NestedRelation) relation() {}
func (*Lateral) relation()        {}
func (*Join) relation()           {}
func (*Pivot) relation()          {}
func (*Unpivot) relation()        {}
