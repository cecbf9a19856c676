// Package hudi reads and writes Apache Hudi tables of the versions 5, 6, 8 and 9.
//
//	<table>/.hoodie/hoodie.properties                    what kind of table it is
//	<table>/.hoodie/…                                    the timeline: which commits there are, and what each did
//	<table>/.hoodie/metadata/…                           the metadata table: files and statistics, so that nobody lists folders
//	<table>/<partition>/<file id>_<token>_<instant>.parquet        base files
//	<table>/<partition>/.<file id>_<instant>.log.<n>_<token>       log files: later changes to a base file
//
// Files of one id are a file group. A [fileSlice] is one state of it: a base file and the log files on top. A [Snapshot] is the
// slices that the completed instants of the timeline, up to one of them, make visible. It is found by one listing of the
// folder, or from the metadata table, and never changes.
package hudi
