// Package delta reads and writes Delta Lake tables: the log, its checkpoints, deletion vectors, column
// mapping, statistics, and commits that are checked against other writers. Facts of the format are from Delta's
// PROTOCOL.md ("P §section") and from what Delta Spark 4.4 writes.
//
//	table/
//	  _delta_log/
//	    00000000000000000007.json                    commit 7: one action a line
//	    00000000000000000007.checkpoint.parquet      the state after 7: classic
//	    ….checkpoint.0000000001.0000000003.parquet   the state in parts
//	    ….checkpoint.<uuid>.json|parquet             the state, V2: files may be in _sidecars
//	    00000000000000000003.00000000000000000007.compacted.json   commits 3 to 7 as one
//	    00000000000000000007.crc                     checksum of the state
//	    _last_checkpoint                             hint where to start
//	    _sidecars/<uuid>.parquet
//	    _staged_commits/<version>.<uuid>.json        not yet commits
//	  part-….parquet                                 data
//	  deletion_vector_<uuid>.bin                     positions of deleted rows
//
// The state of a table is a pure function of the actions applied in order: [State.Apply]. A file is known by its
// path and the id of its deletion vector together ([FileKey]).
//
//	listing ─▶ segment (checkpoint + commits) ─▶ actions ─▶ State ─▶ Snapshot ─▶ Scan ─▶ rel.Scan
//
// A transaction turns changes into actions and tries to put them under the next version's name, which one writer gets. Who
// loses reads what the others committed, gives up on a conflict, and else tries the version after them.
//
//	Append    ─▶ new files ───────────────────────────────┐
//	Overwrite ─▶ files removed whole, or row ids ┐        ├─▶ commit ─▶ done | conflict | unknown
//	Edit      ─▶ row ids ─▶ bitmap per file ─────┴─▶ vectors, or files written anew
//	Define    ─▶ metadata, protocol, column ids ──────────┘
package delta
