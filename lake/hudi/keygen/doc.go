// Package keygen makes the record keys and partition paths of Hudi tables, as expressions over the columns of rows.
//
//	generator       _hoodie_record_key        _hoodie_partition_path
//	SIMPLE          value                     one field
//	COMPLEX         f1:v1,f2:v2               fields, joined by '/'
//	NON_PARTITION   value, or as COMPLEX      ""
//	GLOBAL_DELETE   as COMPLEX                ""
//	TIMESTAMP       value                     a time in a pattern
//	CUSTOM          value, or as COMPLEX      each field as SIMPLE or TIMESTAMP says, joined by '/'
//
// Without key fields, keys are generated: <instant>_<file>_<row>. Dates are yyyy-MM-dd, timestamps microseconds since 1970,
// decimals and doubles as Java writes them, as the tables of Hudi 0.12 to 1.1 have it.
package keygen
