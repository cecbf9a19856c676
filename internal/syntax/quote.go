package syntax

import "strings"

// quoteString returns s as a string literal in single quotes.
func quoteString(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'' || c == '\\' && !keepsBackslash(s[i+1:]):
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// keepsBackslash reports whether a backslash before rest survives unescaping:
// \% and \_ stand for themselves.
func keepsBackslash(rest string) bool {
	return rest != "" && (rest[0] == '%' || rest[0] == '_')
}

// quoteIdent returns s in back quotes.
func quoteIdent(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

// quoteName returns a name with all its parts in back quotes.
func quoteName(n *Name) string {
	parts := make([]string, len(n.Parts))
	for i, id := range n.Parts {
		parts[i] = quoteIdent(id.Name)
	}
	return strings.Join(parts, ".")
}
