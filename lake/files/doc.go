// Package files reads and writes tables that are nothing but a folder of files: Parquet, CSV, JSON lines and
// text, with partition folders.
//
//	folder/[a=1/][b=x/]name.parquet        files and folders that start with '_' or '.' are passed over
//
// There is no log: which files lie in the folder is the table. A write is visible file by file, and replacing
// rows is not atomic. The schema is that of the catalog entry, or inferred as Spark does: from the footer of
// a Parquet file; from all of a JSON or CSV file where asked for.
package files
