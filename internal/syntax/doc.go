// Package syntax reads and prints the SQL of Spark 4.1, with the statements
// that Delta, Hudi and Hive add to it. It knows words and shapes, never what
// a name means: no catalog, no types beyond their spelling, no settings. It
// imports the standard library only.
//
//	text ──scanner──▶ tokens ──parser──▶ Statement tree ──Print──▶ text
//	                                        │
//	                                        └─ Walk, Inspect, Equal
//
//	Statement   Query │ Insert Update Delete Merge │ CreateTable AlterTable … │
//	            ShowTables DescribeTable … │ Set Cache … │ Vacuum Optimize … │ Block If …
//	Query       With, Body, ORDER BY …, LIMIT      Body: Select │ SetOp │ Values │ TableQuery │ Nested │ Pipe
//	Relation    Table │ Subquery │ TableFunc │ Join │ ValuesTable │ Lateral │ Pivot │ Unpivot │ NestedRelation
//	Expr        literals │ ColumnRef Star Field Index │ Unary Binary … │ Call … │ Case Cast │ subqueries
//	TypeName    BasicType │ IntervalType │ ArrayType │ MapType │ StructType
//
// Every node embeds a Span, the half-open byte range of the text it was read
// from. Parentheses leave no node: the printer sets those it needs. Words
// that are not names (units, orders, join kinds) are stored in upper case.
package syntax
