// Package layers keeps the import directions of the tree, by its test. An arrow
// points from a package to those that may import it:
//
//	types, storage <- rel <- engine <- lake <- catalog
//	syntax, lake   <- internal/plan <- (root) <- driver, server <- cmd
//
//	engine/duckdb, lake/delta, catalog/hms, storage/s3, …
//	    implement the package above them, and never import each other
//	internal/bitmap, internal/parquet, …
//	    are codecs that know no table, and may be imported by all
//
// Cgo and DuckDB are confined to engine/duckdb, and storage and internal/syntax
// import the standard library alone.
package layers
