package syntax

import "errors"

// Parse reads a script: statements separated by semicolons. It goes on after
// an error at the next semicolon; the statements it could read are returned
// beside an ErrorList of all errors.
func Parse(src string) ([]Statement, error) { return nil, errors.ErrUnsupported }

// ParseStatement reads exactly one statement, with or without a semicolon
// behind it.
func ParseStatement(src string) (Statement, error) { return nil, errors.ErrUnsupported }

// ParseExpr reads one expression, perhaps with an alias (then the result is a
// *NamedExpr).
func ParseExpr(src string) (Expr, error) { return nil, errors.ErrUnsupported }

// ParseType reads a data type as DDL spells it, such as ARRAY<INT>.
func ParseType(src string) (TypeName, error) { return nil, errors.ErrUnsupported }

// ParseTableSchema reads a column list such as "a INT, b STRING NOT NULL".
func ParseTableSchema(src string) ([]*FieldType, error) { return nil, errors.ErrUnsupported }

// ParseMultipartIdentifier reads a name such as a.b.`c d`.
func ParseMultipartIdentifier(src string) (*Name, error) { return nil, errors.ErrUnsupported }
