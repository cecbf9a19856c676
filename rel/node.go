package rel

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/types"
)

// ID is the number of a column, unique in the process. Zero is no column.
type ID int64

var lastID atomic.Int64

// NewID is a number that no column had before.
func NewID() ID { return ID(lastID.Add(1)) }

// Column is one output column of a node.
type Column struct {
	ID       ID
	Name     string // as the user sees it; engines do not use it
	Type     types.Type
	Nullable bool
	Metadata types.Metadata
}

// NewColumn is a nullable column with a fresh number.
func NewColumn(name string, t types.Type) Column {
	return Column{ID: NewID(), Name: name, Type: t, Nullable: true}
}

// Ref is an expression that reads c.
func (c Column) Ref() *Col { return &Col{Column: c} }

// Field is c as a field of a schema.
func (c Column) Field() types.Field {
	return types.Field{Name: c.Name, Type: c.Type, Nullable: c.Nullable, Metadata: c.Metadata}
}

// Node is one operator with its inputs. Two nodes may share an input by pointer; see [Shared].
type Node interface {
	Columns() []Column
	Inputs() []Node
	node()
}

// Values is a table of constant expressions. One row without columns is the FROM of a SELECT that has none.
type Values struct {
	Cols []Column
	Rows [][]Expr
}

// Table is a leaf that a table format answers once it is known what is wanted. See [Bind].
type Table struct {
	Of    Relation
	Name  string   // for explain
	Cols  []Column // of the table's schema, in its order; names select them
	RowID *Column  // also deliver a row id of the type that Of chooses; nil: not wanted
	Where Expr     // over Cols: rows for which it is not true are not needed; nil: all are
}

// Relation is a table as the planner sees it: something that can be scanned.
type Relation interface {
	// Scan is a tree whose Columns are w.Columns in this order, then w.RowID when set.
	Scan(ctx context.Context, w Want) (Node, error)
}

// Want is what a scan must deliver.
type Want struct {
	Columns []Column // wanted columns; Name says which, ID is the number to give it
	Where   Expr     // over Columns; may only be used to skip data: the planner keeps its own filter
	RowID   *Column  // deliver the row id as this column; its Type is what [RowIDOf] says
}

// RowIdentifier is a relation whose row ids have a type of its own.
type RowIdentifier interface{ RowIDType() types.Struct }

// RowIDOf is the type of the row ids of r: its own choice, else [RowIDType].
func RowIDOf(r Relation) types.Struct {
	if own, ok := r.(RowIdentifier); ok {
		return own.RowIDType()
	}
	return RowIDType
}

// RowIDType is the type of the row ids that a [Scan] gives: the file's number ([File].ID) and the physical position of the row in it.
var RowIDType = types.Struct{Fields: []types.Field{
	{Name: "file", Type: types.Long}, {Name: "pos", Type: types.Long}}}

// Scan reads files. Format is "parquet", "csv", "json" or "text".
type Scan struct {
	Format  string
	Files   []File
	Cols    []ScanColumn
	Options map[string]string // of csv, json and text: Spark's names in lower case
	Stored  types.Struct      // csv: all columns of the files, in order; without fields, those of Cols are all
}

// ScanColumn says where the values of a column come from.
type ScanColumn struct {
	Column
	From Origin
	File types.Field // From == InFile: name, type and nested names as stored; a field id in Metadata under FieldIDKey wins over names
	Part int         // From == InPartition: index into File.Partition
}

// FieldIDKey is the metadata key that holds a Parquet field id, as Spark spells it.
const FieldIDKey = "parquet.field.id"

// RetypedKey is the metadata key of a stored field that some files hold as a narrower type than ScanColumn.File says. Engines
// convert the values of such files before they compare them.
const RetypedKey = "tarn.retyped"

// Origin is a source of column values in a scan.
type Origin uint8

// The origins.
const (
	InFile      Origin = iota // stored in the file; NULL where the file lacks it
	InPartition               // constant per file: File.Partition[Part]
	RowID                     // of type RowIDType
	FileName                  // text: the file's path
)

// Stream is a relation of Arrow batches made in Go. Open may be called more than once; columns are indexes
// into Cols, and its batches hold exactly these in this order (none when only the row count matters).
type Stream struct {
	Cols []Column
	Rows int64 // estimate, negative when unknown
	Open func(ctx context.Context, columns []int) (array.RecordReader, error)
}

// TableFunc is a built-in table function, such as range, that engines know by name.
type TableFunc struct {
	Name string
	Args []Expr
	Cols []Column
}

// Project computes columns from each row.
type Project struct {
	In   Node
	Cols []Computed
}

// Computed is a column and the expression that gives its values.
type Computed struct {
	Column
	Expr Expr
}

// Filter keeps the rows for which Cond is true.
type Filter struct {
	In   Node
	Cond Expr
}

// JoinKind is a kind of join.
type JoinKind uint8

// The kinds. Semi and Anti give the columns of the left side alone.
const (
	Inner JoinKind = iota
	LeftOuter
	RightOuter
	FullOuter
	Semi
	Anti
)

// Join combines two inputs. A nil On is true. With Lateral, Right may refer to columns of Left.
type Join struct {
	Kind        JoinKind
	Left, Right Node
	On          Expr
	Lateral     bool
}

// Aggregate groups by Keys and computes Aggs, whose expressions contain *Agg over In's columns.
// Without keys and sets it gives one row. Sets holds, per grouping set, indexes into Keys; nil is one set of all keys.
type Aggregate struct {
	In       Node
	Keys     []Computed
	Sets     [][]int
	Aggs     []Computed // each Expr is an *Agg
	Grouping *Column    // bigint grouping id as Spark's grouping_id(); nil: not wanted
}

// Window adds columns computed over neighbouring rows to those of In. Each Expr is an *Over.
type Window struct {
	In    Node
	Funcs []Computed
}

// Order is one sort key.
type Order struct {
	Expr       Expr
	Desc       bool
	NullsFirst bool
}

// Sort orders rows.
type Sort struct {
	In Node
	By []Order
}

// Limit skips Offset rows and passes Count. A negative Count is no limit.
type Limit struct {
	In            Node
	Count, Offset int64
}

// SetKind is a kind of set operation.
type SetKind uint8

// The set operations. All keeps duplicates.
const (
	Union SetKind = iota
	Intersect
	Except
)

// SetOp combines two inputs of equal column types by position. Cols are its output columns.
type SetOp struct {
	Kind        SetKind
	All         bool
	Left, Right Node
	Cols        []Column
}

// Generate calls a generator (explode, posexplode, inline, stack, …) for each row of In and gives In's
// columns followed by Cols for each row that it makes; with Outer one row of NULLs when it makes none.
type Generate struct {
	In    Node
	Fn    *Call
	Outer bool
	Cols  []Column
}

// Shared is an input that several nodes of one tree read, such as a WITH clause: the engine may compute it
// once. Each reader puts a Project with fresh columns on top.
type Shared struct {
	Name string // for explain
	In   Node
}

// Recursive is WITH RECURSIVE: Seed, then Step over the rows that the round before gave (read through
// Self) until a round gives none. Columns match by position.
type Recursive struct {
	Cols       []Column
	Seed, Step Node
	Self       *Working
	All        bool
	MaxLevel   int // error after so many rounds; 0 is no limit
}

// Working stands inside Recursive.Step for the rows of the round before.
type Working struct{ Cols []Column }

// Sample keeps a random share (Percent, 0 to 100) of the rows, the same for equal seeds.
type Sample struct {
	In      Node
	Percent float64
	Seed    int64
}

func (n *Values) Columns() []Column    { return n.Cols }
func (n *Table) Columns() []Column     { return withRowID(n.Cols, n.RowID) }
func (n *Stream) Columns() []Column    { return n.Cols }
func (n *TableFunc) Columns() []Column { return n.Cols }
func (n *Filter) Columns() []Column    { return n.In.Columns() }
func (n *Sort) Columns() []Column      { return n.In.Columns() }
func (n *Limit) Columns() []Column     { return n.In.Columns() }
func (n *Sample) Columns() []Column    { return n.In.Columns() }
func (n *Shared) Columns() []Column    { return n.In.Columns() }
func (n *SetOp) Columns() []Column     { return n.Cols }
func (n *Recursive) Columns() []Column { return n.Cols }
func (n *Working) Columns() []Column   { return n.Cols }
func (n *Project) Columns() []Column   { return computed(nil, n.Cols) }
func (n *Window) Columns() []Column    { return computed(n.In.Columns(), n.Funcs) }

func (n *Scan) Columns() []Column {
	cols := make([]Column, len(n.Cols))
	for i, c := range n.Cols {
		cols[i] = c.Column
	}
	return cols
}

func (n *Aggregate) Columns() []Column {
	return withRowID(computed(computed(nil, n.Keys), n.Aggs), n.Grouping)
}

func (n *Generate) Columns() []Column { return concat(n.In.Columns(), n.Cols) }

func (n *Join) Columns() []Column {
	switch n.Kind {
	case Semi, Anti:
		return n.Left.Columns()
	case LeftOuter:
		return concat(n.Left.Columns(), nullable(n.Right.Columns()))
	case RightOuter:
		return concat(nullable(n.Left.Columns()), n.Right.Columns())
	case FullOuter:
		return concat(nullable(n.Left.Columns()), nullable(n.Right.Columns()))
	}
	return concat(n.Left.Columns(), n.Right.Columns())
}

func nullable(cols []Column) []Column {
	out := append([]Column(nil), cols...)
	for i := range out {
		out[i].Nullable = true
	}
	return out
}

func concat(a, b []Column) []Column {
	return append(append(make([]Column, 0, len(a)+len(b)), a...), b...)
}

func withRowID(cols []Column, id *Column) []Column {
	if id == nil {
		return cols
	}
	return concat(cols, []Column{*id})
}

func computed(cols []Column, more []Computed) []Column {
	out := append([]Column(nil), cols...)
	for _, c := range more {
		out = append(out, c.Column)
	}
	return out
}

func (*Values) Inputs() []Node      { return nil }
func (*Table) Inputs() []Node       { return nil }
func (*Scan) Inputs() []Node        { return nil }
func (*Stream) Inputs() []Node      { return nil }
func (*TableFunc) Inputs() []Node   { return nil }
func (*Working) Inputs() []Node     { return nil }
func (n *Project) Inputs() []Node   { return []Node{n.In} }
func (n *Filter) Inputs() []Node    { return []Node{n.In} }
func (n *Join) Inputs() []Node      { return []Node{n.Left, n.Right} }
func (n *Aggregate) Inputs() []Node { return []Node{n.In} }
func (n *Window) Inputs() []Node    { return []Node{n.In} }
func (n *Sort) Inputs() []Node      { return []Node{n.In} }
func (n *Limit) Inputs() []Node     { return []Node{n.In} }
func (n *SetOp) Inputs() []Node     { return []Node{n.Left, n.Right} }
func (n *Generate) Inputs() []Node  { return []Node{n.In} }
func (n *Shared) Inputs() []Node    { return []Node{n.In} }
func (n *Recursive) Inputs() []Node { return []Node{n.Seed, n.Step} }
func (n *Sample) Inputs() []Node    { return []Node{n.In} }

func (*Values) node()    {}
func (*Table) node()     {}
func (*Scan) node()      {}
func (*Stream) node()    {}
func (*TableFunc) node() {}
func (*Project) node()   {}
func (*Filter) node()    {}
func (*Join) node()      {}
func (*Aggregate) node() {}
func (*Window) node()    {}
func (*Sort) node()      {}
func (*Limit) node()     {}
func (*SetOp) node()     {}
func (*Generate) node()  {}
func (*Shared) node()    {}
func (*Recursive) node() {}
func (*Working) node()   {}
func (*Sample) node()    {}
