// Package prompt is tarn's conversation with a person at a terminal.
//
//	lines ─▶ a statement is whole at its semicolon ─▶ console.Run
//	   └───▶ .word or \word: a command of the prompt itself
//
// Tab completes keywords, tables, columns and, in backquotes, paths. What it offers is looked up at the first Tab
// and again after each statement.
package prompt
