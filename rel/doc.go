// Package rel holds typed relational trees: what a statement means once every name is resolved and
// every cast is explicit. It is the language between the analyzer, the table formats and the engines.
//
//	syntax ── internal/plan ──▶ rel.Node ──▶ engine (DuckDB, Spark)
//	                              ▲  │
//	   lake.Snapshot.Scan ────────┘  └──▶ lake.Change.Rows
//
// Columns are known by number ([ID]), unique in the process: a self join or a view read twice has fresh
// numbers for each reading, so an expression says which column it means wherever it stands, also across
// the border of a correlated subquery.
//
// A tree is data. Nodes and expressions are not changed once another holds them; [Rewrite] and
// [RewriteExpr] make new ones. A [Table] leaf is a table that has not said yet which files answer; [Bind]
// tells each table what is wanted of it and puts its answer in the leaf's place. Engines see no Table.
package rel
