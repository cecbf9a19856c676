package duckdb

import "strings"

// literal spells s as a DuckDB string constant. DuckDB knows no backslash escapes in plain strings, but
// cannot hold a NUL in a statement: such texts are spelled by their parts.
func literal(s string) string {
	if !strings.Contains(s, "\x00") {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	parts := strings.Split(s, "\x00")
	for i, p := range parts {
		parts[i] = literal(p)
	}
	return "(" + strings.Join(parts, "||chr(0)||") + ")"
}

// ident spells s as a quoted DuckDB identifier.
func ident(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
