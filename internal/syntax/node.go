package syntax

import "strings"

// Pos is a byte offset into the source text, counted from zero.
type Pos int32

// Span is the half-open range of bytes [From, To) of the source text that a
// node was read from. The zero Span marks a node made by a program.
type Span struct{ From, To Pos }

// Pos returns the offset of the node's first byte.
func (s Span) Pos() Pos { return s.From }

// End returns the offset just behind the node's last byte.
func (s Span) End() Pos { return s.To }

// Text returns the part of src that the span covers, or "" when the span
// does not lie within src.
func (s Span) Text(src string) string {
	if s.From < 0 || s.To < s.From || int(s.To) > len(src) {
		return ""
	}
	return src[s.From:s.To]
}

// Node is any part of the syntax tree. Node types are pointers to structs.
type Node interface {
	Pos() Pos
	End() Pos
}

// Statement is one SQL statement.
type Statement interface {
	Node
	statement()
}

// QueryBody is a query without its WITH clause, ordering and limit: *Select,
// *SetOp, *Values, *TableQuery, *Nested or *Pipe.
type QueryBody interface {
	Node
	queryBody()
}

// Relation is something a FROM clause can name: *Table, *Subquery,
// *TableFunc, *ValuesTable, *Join, *Lateral, *NestedRelation, *Pivot or
// *Unpivot.
type Relation interface {
	Node
	relation()
}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// TypeName is the spelling of a data type.
type TypeName interface {
	Node
	typeName()
}

// Ident is one identifier.
type Ident struct {
	Span
	Name   string // as written, without quotes; "" when Expr is set
	Quoted bool   // written in back quotes
	Expr   Expr   // the argument of IDENTIFIER(expr), which stands for a name; else nil
}

// Name is an identifier of one or more parts, such as catalog.schema.table.
// IDENTIFIER(expr) is a single part whose Expr is set.
type Name struct {
	Span
	Parts []*Ident
}

// Strings returns the parts without their quotes.
func (n *Name) Strings() []string {
	out := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		out[i] = p.Name
	}
	return out
}

// Last returns the last part's text, or "" when n has no part.
func (n *Name) Last() string {
	if n == nil || len(n.Parts) == 0 {
		return ""
	}
	return n.Parts[len(n.Parts)-1].Name
}

// IsWord reports whether n is the single unquoted word w, in any case.
func (n *Name) IsWord(w string) bool {
	return n != nil && len(n.Parts) == 1 && !n.Parts[0].Quoted && strings.EqualFold(n.Parts[0].Name, w)
}

// Property is one key and value of OPTIONS, TBLPROPERTIES and the like.
type Property struct {
	Span
	Key   string // dotted parts joined by '.', or the text of a string key
	Value Expr   // nil when only the key was given; a literal, except in OPTIONS
}

// Target names a table by name or, as Delta and Hudi allow, by the path in a
// string. One of the two is set.
type Target struct {
	Span
	Name *Name
	Path *StringLit
}

// TimeTravel asks for an older state of a table. One of the two is set.
type TimeTravel struct {
	Span
	Version   Expr // a number or a string literal
	Timestamp Expr
}

// PartitionSpec is PARTITION (c = v, …).
type PartitionSpec struct {
	Span
	Items []*PartitionItem
}

// PartitionItem is one column of a PartitionSpec.
type PartitionItem struct {
	Span
	Column *Ident
	Op     string // "=", or for DROP PARTITION also "<", "<=", ">", ">=", "!="; "" without a value
	Value  Expr   // nil when only the column was given (a dynamic partition); a ColumnRef named DEFAULT for DEFAULT
}
