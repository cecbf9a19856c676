package types

import (
	"fmt"
	"strings"
)

// SQL is t as Spark's error messages and SHOW CREATE TABLE spell it: upper case, with nullability and comments of
// struct fields (`ARRAY<INT>`, `STRUCT<a: INT NOT NULL>`).
func SQL(t Type) string {
	switch t := t.(type) {
	case Collated:
		return "STRING COLLATE " + t.Name
	case Array:
		return "ARRAY<" + SQL(t.Elem) + ">"
	case Map:
		return "MAP<" + SQL(t.Key) + ", " + SQL(t.Value) + ">"
	case Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = fieldSQL(f)
		}
		return "STRUCT<" + strings.Join(parts, ", ") + ">"
	}
	return strings.ToUpper(t.String())
}

func fieldSQL(f Field) string {
	s := QuoteIfNeeded(f.Name) + ": " + SQL(f.Type)
	if !f.Nullable {
		s += " NOT NULL"
	}
	if c, ok := f.Metadata.Text("comment"); ok {
		s += fmt.Sprintf(" COMMENT '%s'", strings.ReplaceAll(c, "'", `\'`))
	}
	return s
}

// QuoteIfNeeded is name as it may stand in SQL: as it is when it is letters, digits and underscores and does not
// look like a number, otherwise in backquotes.
func QuoteIfNeeded(name string) string {
	plain, digits := name != "", true
	for _, r := range name {
		digit := r >= '0' && r <= '9'
		plain = plain && (digit || r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		digits = digits && digit
	}
	if plain && !digits {
		return name
	}
	return Quote(name)
}

// Quote is name in backquotes.
func Quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
