// Package timeline keeps the timeline of a Hudi table: what was done to the
// table, in order, and what each action says about itself.
//
//	.hoodie/                              layout 1, table versions to 7
//	  20260101000000000.commit.requested  a writer means to write
//	  20260101000000000.inflight          it writes (of a commit without its action)
//	  20260101000000000.commit            it is done: JSON of a CommitMetadata
//	  archived/.commits_.archive.1_1-0-1  completed actions of old, in log files
//	.hoodie/timeline/                     layout 2, table versions from 8
//	  20260101000000000.commit.requested
//	  20260101000000000.inflight
//	  20260101000000000_20260101000001000.commit   an Avro file; second is the completion time
//	  history/                            completed actions of old, in Parquet files
//	.hoodie/.temp/<instant>/…marker.CREATE   files that a write has begun
//	.hoodie/.heartbeat/<instant>             a writer is alive
//	.hoodie/lock, .hoodie/.locks/table_lock.json   who may commit now
//
// An [Instant] is an action at a time. The time is text of 17 digits in the
// table's zone (14 in tables of old, 20 of some services of a metadata table), and
// texts compare as texts. An action happened when its completed file exists; an
// instant that has none changes no row. A plan is what a requested file holds.
//
// The package knows names, bytes and their meaning, and neither rows nor data
// files. All names are relative to the bucket, which is the table's folder.
// Names and fields are facts read from tables that Hudi 0.12.2, 0.15.0, 1.0.2
// and 1.1.1 wrote.
package timeline
