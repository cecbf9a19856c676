// Package render writes results as text. All formats stream: they hold few rows at a time.
//
//	box        a frame for a person; on a terminal it fits the width and leaves out rows in the middle
//	csv, tsv   for other programs; an empty field or \N is NULL
//	json, jsonl  for other programs; values as Spark's to_json writes them
//	markdown   a table for documents
//	vertical   one line a value, for wide rows
package render
