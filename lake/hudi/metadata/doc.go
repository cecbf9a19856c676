// Package metadata reads and writes the metadata table of a Hudi table: a Hudi table of its own in .hoodie/metadata, which
// says what files the table has and indexes them.
//
//	.hoodie/metadata/.hoodie/              properties and timeline, as of any table
//	  …/20260101000000000_….deltacommit    of the same instant as the write to the table that it belongs to
//	  …/00000000000000000_….deltacommit    that made a partition (layout 1: 00000000000000010 on; before 0.14: 00000000000000)
//	.hoodie/metadata/files/                one partition for each kind of record
//	  files-0000-0_0-1-2_….hfile           base file of a file group: an HFile of Avro records
//	  .files-0000-0_….log.1_0-1-2          log: blocks that are HFiles, or keys that are deleted
//	.hoodie/.index_defs/index.json         what the indexes are of
//
//	partition            key                                 record
//	files                __all_partitions__                  partition → nothing, or that it is gone
//	files                partition, "." if there are none    file → size, or that it is gone
//	column_stats         B(column) B(partition) M(file)      bounds and counts
//	partition_stats      B(column) B(partition)              bounds and counts
//	bloom_filters        B(partition) M(file)                filter of the keys
//	record_index         record key                          partition and file group
//	secondary_index_…    value "$" record key, escaped       nothing
//	expr_index_…         as column_stats                     bounds of the expression's values
//
// B is base64 of XXH64, M base64 of MD5. Java's hash of a key says which file group of its partition has it. A reader merges base
// file and logs, and leaves out what belongs to a write that is not completed, in the metadata table and in the table: a writer
// completes its write here first. (HoodieMetadataPayload, HoodieTableMetadataUtil; bytes from tables of 0.12 to 1.1.)
package metadata
