// Package duckdb is tarn's engine over an embedded DuckDB. It is the only package with cgo.
//
//	rel.Node ──emit──▶ SQL with explicit types ──▶ instance ──vectors──▶ Arrow batches   Query
//	                                                  │ ▲
//	                                     COPY … files │ │ Arrow batches                  Write, rel.Stream
//	                                                  ▼ │
//	                                            []rel.File  go_rows(n)
//
// SQL is made from typed trees alone: every expression carries its type, columns are named by their number
// (c17), and quoting happens in quote.go only. DuckDB's own typing rules are never relied on.
//
// An instance is in memory, locked down and proved so before use (lock.go). What it may touch cannot change
// afterwards, so a tree that reaches a new directory runs on a new instance, and the old one drains. The
// same happens after an internal error of DuckDB.
//
// Rows leave by our own reader of DuckDB's vectors (stream.go, column.go, append.go) and enter by our own
// table function (source.go, fill.go): DuckDB's Arrow views answer filters wrongly. Functions that DuckDB
// lacks are Go functions over whole vectors (scalar.go).
package duckdb
