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
//
// The files of the package, by what they are about:
//
//	a table        format define create stated schema schemahistory schemaids evolve  what it is and how it is described
//	               options options_check defaults locking upgrade                     settings, locks, versions
//	its state      snapshot pending listing slice filename footer highest partition   which files it is made of
//	               history inspect check checkrows                                    what its timeline and files say
//	reading        scan basefiles merge logrows retyped                               slices become rows
//	               logscan logdecode fold mergerule combine ordering logplace cell    logs become one row a key
//	               prune prune_keys prune_stats                                       slices that need not be read
//	               query views cdc                                                    other queries than of the last state
//	writing        tx action commit settle                                            a transaction and its instant
//	               append edit edit_merge edits overwrite precedence                  what a statement asks for
//	               index index_bucket index_footer index_moved index_record keys      where the rows of its keys are
//	               place rewrite baserows layout empty logwrite logpartial            files that hold the new rows
//	               cdcwrite nonblocking checksum tree                                 what goes with them
//	services       service_*   compaction, clustering, cleaning, savepoints, rollback, restore; service_tx carries a plan out
//	metadata table mdt_*       what it is told of each action, its indexes, and its rows as a query shows them
//	procedures     procedure proc_*   what CALL runs, by topic
//
// Formats have packages of their own, which know neither engine nor lake: config, timeline, logfile, metadata, bloom, bucket and
// keygen.
package hudi
