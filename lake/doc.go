// Package lake is the seam between statements and table formats. A format answers a read with a
// relational tree and accepts a change whose rows are a relational tree; Delta, Hudi and Hive implement it.
//
//	Format.Open ─▶ Table ─▶ Snapshot ─▶ Scan ─▶ rel.Node
//	                  └───▶ Tx ─ Apply(Change)… ─▶ Commit: done | *ConflictError: not done | *UnknownOutcomeError
//
// A change says what becomes of rows, never what becomes of files: file names, log actions and instants do
// not cross this seam. Row ids do, as opaque struct values that the format itself handed out.
package lake
