package rel

import "github.com/tarn-lake/tarn/types"

// Expr is a typed expression.
type Expr interface {
	Type() types.Type
	Nullable() bool // false only when the value is never NULL
	expr()
}

// Mode says what an operation does with a value that it cannot represent.
type Mode uint8

// The modes.
const (
	ANSI   Mode = iota // it raises Spark's error
	Legacy             // spark.sql.ansi.enabled=false: NULL, or wrap around for whole numbers
	Try                // try_…: NULL
)

// Col reads a column of an input, or of an outer query in a correlated subquery, or a lambda's parameter.
type Col struct{ Column }

// Lit is a constant.
type Lit struct {
	T     types.Type
	Value types.Value
}

// Call applies a scalar function or operator of the function table to arguments of exactly the types that the
// function's resolution gave. Name is the canonical name in the table ("+", "concat", "date_add").
type Call struct {
	Name  string
	Args  []Expr
	T     types.Type
	Null  bool   // the result may be NULL
	Mode  Mode   // of arithmetic and other operations that can fail
	Zone  string // session time zone, for functions that depend on it
	Error string // raise_error and checks: JSON of the error class and parameters to raise
}

// Cast converts X to To by Spark's rules. Zone is the session time zone.
type Cast struct {
	X    Expr
	To   types.Type
	Mode Mode
	Zone string
}

// Case gives the Then of the first When whose If is true, else Else (nil is NULL).
type Case struct {
	Whens []When
	Else  Expr
	T     types.Type
}

// When is one branch of a Case.
type When struct{ If, Then Expr }

// Field reads field number Index of a struct.
type Field struct {
	X     Expr
	Index int
}

// Apply is a whole number that Go computes of a text, such as a hash that no function of SQL gives; NULL of NULL. Many threads call Of at
// once, with a text that does not outlive the call. Functions of equal Name must be equal.
type Apply struct {
	Name string
	Of   func(text []byte) (int64, error)
	X    Expr
}

// Lambda is a function argument. Inside Body a parameter is a Col with its number.
type Lambda struct {
	Params []Column
	Body   Expr
}

// Scalar is the single value of a query of one column; NULL when it has no row, an error when it has several.
type Scalar struct{ Query Node }

// Exists is whether a query has rows.
type Exists struct{ Query Node }

// InQuery is X IN (Query), with NULL as in SQL. Query has as many columns as X, of the same types.
type InQuery struct {
	X     []Expr
	Query Node
}

// Agg is an aggregate function over the rows of a group.
type Agg struct {
	Name        string
	Args        []Expr
	Distinct    bool
	Filter      Expr // nil: all rows
	OrderBy     []Order
	IgnoreNulls bool
	T           types.Type
	Null        bool
	Mode        Mode
	Zone        string
}

// Over is a window function: Fn is an *Agg, or a *Call of a function of kind Window.
type Over struct {
	Fn          Expr
	IgnoreNulls bool
	Partition   []Expr
	Order       []Order
	Frame       *Frame // nil: the function's default
}

// Frame bounds the rows that a window function sees.
type Frame struct {
	Rows     bool // else RANGE
	From, To Bound
}

// BoundKind is a kind of frame bound.
type BoundKind uint8

// The bounds of frames.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Bound is one end of a frame. Offset is set for Preceding and Following.
type Bound struct {
	Kind   BoundKind
	Offset Expr
}

func (e *Col) Type() types.Type    { return e.Column.Type }
func (e *Lit) Type() types.Type    { return e.T }
func (e *Call) Type() types.Type   { return e.T }
func (e *Cast) Type() types.Type   { return e.To }
func (e *Case) Type() types.Type   { return e.T }
func (e *Lambda) Type() types.Type { return e.Body.Type() }
func (e *Scalar) Type() types.Type { return e.Query.Columns()[0].Type }
func (*Exists) Type() types.Type   { return types.Boolean }
func (*InQuery) Type() types.Type  { return types.Boolean }
func (e *Agg) Type() types.Type    { return e.T }
func (e *Over) Type() types.Type   { return e.Fn.Type() }
func (e *Apply) Type() types.Type  { return types.Long }
func (e *Field) Type() types.Type  { return e.X.Type().(types.Struct).Fields[e.Index].Type }

func (e *Col) Nullable() bool   { return e.Column.Nullable }
func (e *Lit) Nullable() bool   { return e.Value == nil }
func (e *Call) Nullable() bool  { return e.Null }
func (*Lambda) Nullable() bool  { return true }
func (*Scalar) Nullable() bool  { return true }
func (*Exists) Nullable() bool  { return false }
func (*InQuery) Nullable() bool { return true }
func (e *Agg) Nullable() bool   { return e.Null }
func (e *Over) Nullable() bool  { return e.Fn.Nullable() }
func (e *Cast) Nullable() bool  { return e.X.Nullable() || e.Mode != ANSI }
func (e *Apply) Nullable() bool { return e.X.Nullable() }
func (e *Field) Nullable() bool {
	return e.X.Nullable() || e.X.Type().(types.Struct).Fields[e.Index].Nullable
}

func (e *Case) Nullable() bool {
	if e.Else == nil || e.Else.Nullable() {
		return true
	}
	for _, w := range e.Whens {
		if w.Then.Nullable() {
			return true
		}
	}
	return false
}

func (*Col) expr()     {}
func (*Lit) expr()     {}
func (*Call) expr()    {}
func (*Cast) expr()    {}
func (*Case) expr()    {}
func (*Field) expr()   {}
func (*Apply) expr()   {}
func (*Lambda) expr()  {}
func (*Scalar) expr()  {}
func (*Exists) expr()  {}
func (*InQuery) expr() {}
func (*Agg) expr()     {}
func (*Over) expr()    {}
