// Package script runs the executable manual: text files of statements with what they answer, in testdata/sql,
// testdata/delta and testdata/hudi.
//
//	exec    statements, each with its receipt without the time
//	query   one query: columns with types, then rows in the text form of Spark's golden files
//	fail    one statement that fails: class, SQLSTATE and the text with its caret and hint
//	log     table=NAME version=N: the kinds of actions of one commit, and what it says of itself
//
// `go test ./internal/script -update` writes what is answered into the files.
package script
