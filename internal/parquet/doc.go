// Package parquet reads and writes the small Parquet files that table formats keep beside their data, such as
// checkpoints. The bytes are decoded by parquet-go; because anybody may have written them, a reader of our own
// walks the footer and the page headers first and refuses what would make the decoder allocate without bound.
//
//	PAR1                        magic
//	column chunk …              pages: header (Thrift, compact), then levels and values
//	footer                      FileMetaData (Thrift, compact)
//	u32 length of footer        little-endian
//	PAR1
//
// A file is read by columns: a [Vector] has, per leaf, one cell for each value or NULL, with its levels.
package parquet
