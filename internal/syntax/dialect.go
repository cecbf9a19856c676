package syntax

// Dialect holds the settings of Spark that change how text is read. The zero
// value is Spark's default.
type Dialect struct {
	// DoubleQuotedIdentifiers makes "x" a name and not a string
	// (spark.sql.ansi.doubleQuotedIdentifiers).
	DoubleQuotedIdentifiers bool
	// ReservedKeywords makes the reserved words of the SQL standard unusable
	// as names (spark.sql.ansi.enforceReservedKeywords).
	ReservedKeywords bool
	// FlatSetOps gives INTERSECT the precedence of UNION
	// (spark.sql.legacy.setopsPrecedence.enabled).
	FlatSetOps bool
	// LegacyInterval allows literals that mix months with shorter units
	// (spark.sql.legacy.interval.enabled).
	LegacyInterval bool
	// LegacyIdentifierClause allows IDENTIFIER(…) only where a whole name may
	// stand (spark.sql.legacy.identifierClause).
	LegacyIdentifierClause bool
	// JoinDoubledQuotes reads 'a''b' as two literals, ab
	// (spark.sql.legacy.consecutiveStringLiterals.enabled).
	JoinDoubledQuotes bool
	// BangEqualsNot lets ! stand for NOT within other clauses
	// (spark.sql.legacy.bangEqualsNot).
	BangEqualsNot bool
	// RawEscapes leaves backslashes in strings alone
	// (spark.sql.parser.escapedStringLiterals).
	RawEscapes bool
}
