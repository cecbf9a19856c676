// Package logfile reads and writes the log files of Hudi tables: blocks of changes to the rows of a base file, of metadata
// tables and of archived timelines. It knows neither tables nor merging. Facts are from files that Hudi 0.12 to 1.1 wrote, and from
// HoodieLogFileReader, HoodieLogBlock and HoodieDeleteBlock of apache/hudi.
//
// A file is blocks, one after another; all numbers are big-endian:
//
//	"#HUDI#"                       magic
//	i64 length                     bytes that follow it, up to and with total
//	i32 log format version         1
//	i32 type                       [Type]
//	i32 n, n × header entry        i32 [Key], i32 size, text
//	i64 size, content              by type, see below
//	i32 n, n × footer entry        as in the header; real files have none
//	i64 total                      length + 6, for those who read backwards
//
// Content by type:
//
//	AvroData, CDCData   i32 version, i32 count, count × (i32 size, Avro record of the schema in the header)
//	ParquetData         a Parquet file           HFileData   an HFile of Avro records
//	Delete              i32 version; version 3: i32 size, Avro list of keys; 1 and 2: i32 size, the same in Kryo's format
//	Command             nothing; the header says what to do
//
// A block that was not written to its end is skipped: reading goes on at the next magic, and what lies between is a Corrupt block.
package logfile
