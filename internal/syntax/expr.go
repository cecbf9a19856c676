package syntax

// Literals.
type (
	// NullLit is NULL.
	NullLit struct{ Span }

	// BoolLit is TRUE or FALSE.
	BoolLit struct {
		Span
		Value bool
	}

	// NumberLit is a number. Its type follows from Text and Suffix: without a
	// suffix, digits alone are an INT, BIGINT or DECIMAL by size, a point
	// makes a DECIMAL and an exponent a DOUBLE.
	NumberLit struct {
		Span
		Neg    bool   // a minus sign belongs to the literal
		Text   string // as written, without sign and suffix
		Suffix string // "", L, S, Y, F, D or BD
	}

	// StringLit is a string with its escapes resolved and adjacent literals
	// joined.
	StringLit struct {
		Span
		Value string
		// Parts is set where parameter markers stand in the place of a
		// literal or between literals: *StringLit and *Param, to be joined.
		// Value is then "".
		Parts []Expr
	}

	// BinaryLit is X'1A'.
	BinaryLit struct {
		Span
		Value []byte
	}

	// TypedLit is DATE '…', TIMESTAMP '…', TIME '…' or INTERVAL '…'. The
	// parser has checked that Value is well formed.
	TypedLit struct {
		Span
		Type  string // DATE, TIMESTAMP, TIMESTAMP_NTZ, TIMESTAMP_LTZ, TIME or INTERVAL
		Value string
	}

	// IntervalLit is INTERVAL 1 DAY 2 HOURS, or with To set, INTERVAL '1-2'
	// YEAR TO MONTH.
	IntervalLit struct {
		Span
		Fields []*IntervalField // one when To is set
		To     string           // the last unit of a range, or ""
	}

	// IntervalField is one number and unit of an IntervalLit.
	IntervalField struct {
		Span
		Neg    bool
		Value  string // digits, or the content of a string
		Quoted bool   // Value was a string
		Unit   string // in upper case, as written: DAY and DAYS stay apart
	}

	// Param is a parameter marker, :name or ?.
	Param struct {
		Span
		Name string // "" for ?
	}
)

// Names and access.
type (
	// ColumnRef is a name in an expression: a column, perhaps qualified and
	// followed by struct fields, or a variable. Only the analyzer can tell.
	ColumnRef struct {
		Span
		Parts []*Ident
	}

	// Star is * or t.*, perhaps with EXCEPT.
	Star struct {
		Span
		Qualifier []*Ident
		Except    []*Name
	}

	// Field is X.Name where X is not itself a name.
	Field struct {
		Span
		X    Expr
		Name *Ident
	}

	// Index is X[I].
	Index struct {
		Span
		X, I Expr
	}

	// PathAccess is X:path, the access to a part of a VARIANT.
	PathAccess struct {
		Span
		X    Expr
		Path string // as written behind the colon
	}
)

// Operators and predicates.
type (
	// Unary is Op X.
	Unary struct {
		Span
		Op string // "-", "+", "~" or "NOT"
		X  Expr
	}

	// Binary is X Op Y.
	Binary struct {
		Span
		// Op is OR AND = == <=> <> != !< !> < <= > >= | ^ & << >> >>> + - || * / % or DIV,
		// as written.
		Op   string
		X, Y Expr
	}

	// Is is X IS [NOT] What; Y is set for DISTINCT FROM.
	Is struct {
		Span
		X    Expr
		Not  bool
		What string // NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM
		Y    Expr
	}

	// Between is X [NOT] BETWEEN Low AND High.
	Between struct {
		Span
		X         Expr
		Not       bool
		Low, High Expr
	}

	// In is X [NOT] IN (List) or, when Query is set, IN (Query).
	In struct {
		Span
		X     Expr
		Not   bool
		List  []Expr
		Query *Query
	}

	// Like is X [NOT] Op [Quantifier] pattern [ESCAPE Escape].
	Like struct {
		Span
		X          Expr
		Not        bool
		Op         string // LIKE, ILIKE, RLIKE (also for REGEXP)
		Quantifier string // "", ANY, SOME or ALL
		Patterns   []Expr // one without a quantifier
		Escape     *StringLit
	}

	// Exists is EXISTS (Query).
	Exists struct {
		Span
		Query *Query
	}

	// ScalarSubquery is (Query) in the place of a value.
	ScalarSubquery struct {
		Span
		Query *Query
	}

	// Row is (a, b, …), a struct of at least two values.
	Row struct {
		Span
		Elems []Expr // a *NamedExpr where an element has an alias
	}

	// Collate is X COLLATE Name.
	Collate struct {
		Span
		X    Expr
		Name *Name
	}

	// Cast is CAST(X AS Type), TRY_CAST(X AS Type) or X::Type.
	Cast struct {
		Span
		X     Expr
		Type  TypeName
		Try   bool
		Colon bool // written with ::
	}

	// Case is CASE [Operand] WHEN … THEN … [ELSE Else] END.
	Case struct {
		Span
		Operand Expr
		Whens   []*When
		Else    Expr
	}

	// When is one branch of a Case.
	When struct {
		Span
		Cond, Result Expr
	}

	// Lambda is x -> Body or (x, y) -> Body.
	Lambda struct {
		Span
		Params []*Ident
		Body   Expr
	}
)

// Functions.
type (
	// Call is a call of a function.
	Call struct {
		Span
		Func     *Name
		NoParens bool // CURRENT_DATE and its like, written without ()
		Distinct bool
		Args     []Expr // may hold *NamedArg, *Lambda, *Star and, in struct(…), *NamedExpr
		Within   []*SortItem
		Filter   Expr
		Nulls    string // "", IGNORE or RESPECT
		Over     *WindowSpec
	}

	// NamedArg is Name => Value in a call.
	NamedArg struct {
		Span
		Name  *Ident
		Value Expr
	}

	// TableArg is a table passed to a table function: TABLE(query) or TABLE
	// name, with how to spread its rows.
	TableArg struct {
		Span
		Name        *Name  // or
		Query       *Query // one of the two
		Single      bool   // WITH SINGLE PARTITION
		PartitionBy []Expr
		OrderBy     []*SortItem
	}

	// UnitCall is a function whose first argument is a unit of time:
	// TIMESTAMPADD(DAY, n, t), DATEDIFF(MONTH, a, b).
	UnitCall struct {
		Span
		Func string // TIMESTAMPADD, DATEADD, DATE_ADD, TIMESTAMPDIFF, DATEDIFF, DATE_DIFF or TIMEDIFF
		Unit string // in upper case
		Args []Expr // two
	}

	// Extract is EXTRACT(Part FROM X).
	Extract struct {
		Span
		Part string // as written
		X    Expr
	}

	// Substring is SUBSTRING(X FROM Start [FOR Length]); the form with commas
	// is a Call.
	Substring struct {
		Span
		Func             string // SUBSTR or SUBSTRING
		X, Start, Length Expr
	}

	// Trim is TRIM([Side] [Chars] FROM X).
	Trim struct {
		Span
		Side  string // "", BOTH, LEADING or TRAILING
		Chars Expr   // or nil
		X     Expr
	}

	// Position is POSITION(Sub IN X).
	Position struct {
		Span
		Sub, X Expr
	}

	// Overlay is OVERLAY(X PLACING With FROM Start [FOR Length]).
	Overlay struct {
		Span
		X, With, Start, Length Expr
	}

	// NamedExpr is an expression with its aliases, as in a SELECT list. As an
	// Expr it occurs only where aliases are allowed within expressions.
	NamedExpr struct {
		Span
		X       Expr
		Aliases []*Ident // none, one, or several for AS (a, b)
		Parens  bool     // the aliases stood in parentheses
	}

	// Grouping is ROLLUP (…), CUBE (…) or GROUPING SETS (…) in GROUP BY.
	Grouping struct {
		Span
		Kind string // ROLLUP, CUBE or SETS
		Sets []*GroupingSet
	}

	// GroupingSet is one set of a Grouping: (a, b), a bare expression, or a
	// nested Grouping.
	GroupingSet struct {
		Span
		Exprs  []Expr
		Parens bool
	}
)

// Ordering and windows.
type (
	// SortItem is X [ASC|DESC] [NULLS FIRST|LAST].
	SortItem struct {
		Span
		X     Expr
		Order string // "", ASC or DESC
		Nulls string // "", FIRST or LAST
	}

	// WindowSpec is what stands behind OVER or in a WINDOW clause: a name, or
	// a definition.
	WindowSpec struct {
		Span
		Ref         *Ident // OVER w or OVER (w); the rest is then empty
		Parens      bool   // the reference stood in parentheses
		PartitionBy []Expr
		OrderBy     []*SortItem
		Frame       *Frame
	}

	// Frame is {ROWS|RANGE} Start or BETWEEN Start AND Stop.
	Frame struct {
		Span
		Unit        string // ROWS or RANGE
		Start, Stop *FrameBound
	}

	// FrameBound is one end of a Frame.
	FrameBound struct {
		Span
		Kind string // UNBOUNDED PRECEDING, UNBOUNDED FOLLOWING, CURRENT ROW, PRECEDING or FOLLOWING
		X    Expr   // of the last two
	}
)

func (*NullLit) expr()        {}
func (*BoolLit) expr()        {}
func (*NumberLit) expr()      {}
func (*StringLit) expr()      {}
func (*BinaryLit) expr()      {}
func (*TypedLit) expr()       {}
func (*IntervalLit) expr()    {}
func (*Param) expr()          {}
func (*ColumnRef) expr()      {}
func (*Star) expr()           {}
func (*Field) expr()          {}
func (*Index) expr()          {}
func (*PathAccess) expr()     {}
func (*Unary) expr()          {}
func (*Binary) expr()         {}
func (*Is) expr()             {}
func (*Between) expr()        {}
func (*In) expr()             {}
func (*Like) expr()           {}
func (*Exists) expr()         {}
func (*ScalarSubquery) expr() {}
func (*Row) expr()            {}
func (*Collate) expr()        {}
func (*Cast) expr()           {}
func (*Case) expr()           {}
func (*Lambda) expr()         {}
func (*Call) expr()           {}
func (*NamedArg) expr()       {}
func (*TableArg) expr()       {}
func (*UnitCall) expr()       {}
func (*Extract) expr()        {}
func (*Substring) expr()      {}
func (*Trim) expr()           {}
func (*Position) expr()       {}
func (*Overlay) expr()        {}
func (*NamedExpr) expr()      {}
func (*Grouping) expr()       {}
