// Package hfile reads and writes HFile version 3, the sorted key-value files in which Hudi keeps its metadata table: as
// base files, and inside of log blocks. Facts of the format come from files that Hudi wrote, in two profiles: HBase's
// writer (Hudi 0.11 to 1.0), which is also what [Writer] makes, and Hudi's own (1.1 and later).
//
//	DATABLK* …            cells in the order of their keys, 64 KiB to a block
//	IDXLEAF2 IDXINTE2 …   lower levels of the index, between and behind the data; only in large files
//	METABLKc …            one for each named entry, such as "bloomFilter"
//	load on open:
//	  IDXROOT2            data index: where blocks, or leaves of the index, begin, and a key not after their first
//	  IDXROOT2            meta index: where the named entries are
//	  FILEINF2            "PBUF", then properties of the file
//	trailer               4096 bytes: TRABLK"$, protobuf, zeros, minor version u8, major version u24 = 3
//
//	block    magic 8 | i32 bytes behind this header, on disk | i32 the same, unpacked and without checksums
//	         | i64 previous block of its kind, or -1 | u8 checksum: 0 none, 1 CRC-32, 2 CRC-32C | i32 bytes per checksum
//	         | i32 bytes of header and data, on disk | data, as gzip or plain | a u32 for each started 16 KiB
//	cell     i32 key length | i32 value length | key | value | vint MVCC 0
//	key      u16 length | row | u8 0 (family) | i64 max (time) | u8 4 (put)
//	root     for each entry: i64 offset | i32 size | vint length | key            (Hudi's own: key without the last 10 bytes)
//	leaf     i32 n | (n+1)×i32 offsets | for each entry: i64 offset | i32 size | key
//
// All integers are big-endian. Keys of this package are rows, values are bytes: in the metadata table, Avro.
package hfile
