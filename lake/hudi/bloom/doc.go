// Package bloom reads, fills and writes the Bloom filters that Hudi keeps of the record keys of a base file: in the footer
// of the file, as base64 text under "org.apache.hudi.bloomfilter", and in the metadata table.
//
// Two kinds exist, named by "hoodie_bloom_filter_type_code". All integers are big-endian.
//
//	SIMPLE: one row                    DYNAMIC_V0: rows that are added as keys come
//	i32 -1      version                i32 -1                version
//	i32 k       hashes per key         i32 k
//	i8  1       Murmur                 i8  1
//	i32 bits                           i32 bits
//	⌈bits/8⌉ bytes                     i32 recordsPerRow
//	  bit i is byte i>>3,              i32 recordsInLastRow
//	  mask 1<<(i&7)                    i32 rows
//	                                   per row: what SIMPLE writes
//
// A key sets k bits of one row. The hashes are a chain: h is Murmur2 of the key with the h before as its seed, 0 at first;
// each gives the bit |h mod bits|. (Hadoop: org.apache.hadoop.util.bloom; Hudi: InternalDynamicBloomFilter.)
package bloom
