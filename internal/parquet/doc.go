// Package parquet reads the small Parquet files that table formats keep beside their data, such as checkpoints, and writes
// data files by rules that engines cannot keep. Because anybody may have written the bytes that are read, a reader of our own
// walks the footer and the page headers first and refuses what would make the decoder, parquet-go, allocate without bound.
//
//	PAR1                        magic
//	column chunk …              pages: header (Thrift, compact), then levels and values
//	footer                      FileMetaData (Thrift, compact)
//	u32 length of footer        little-endian
//	PAR1
//
// A file is read by columns: a [Vector] has, per leaf, one cell for each value or NULL, with its levels.
//
// A [Writer] takes rows as Arrow columns. Each column is split into the levels and values of its leaves; each leaf fills
// pages, coded by a dictionary while that pays; a row group is written when it is large enough:
//
//	Write --columns, in parallel--> levels and values --> pages, packed --Flush--> row group --Close--> footer
package parquet
