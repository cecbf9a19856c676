// Package engine says what tarn asks of a system that computes rows: run a tree, write the rows of a tree
// to data files, hold the rows of a tree. It never learns what Delta, Hudi or Hive is: which files are a
// table, and when, is the business of package lake.
//
//	Query  rel.Node ──▶ Arrow batches
//	Write  rel.Node ──▶ files under Dest ──▶ []rel.File with their statistics
//	Hold   rel.Node ──▶ a node that gives the same rows each time it is read
package engine
