package duckdb

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// basicNames are the DuckDB types that hold Spark's basic types.
var basicNames = map[types.Basic]string{
	types.Void:             "INTEGER", // always NULL; DuckDB's own "NULL" type cannot be stored
	types.Boolean:          "BOOLEAN",
	types.Byte:             "TINYINT",
	types.Short:            "SMALLINT",
	types.Int:              "INTEGER",
	types.Long:             "BIGINT",
	types.Float:            "FLOAT",
	types.Double:           "DOUBLE",
	types.String:           "VARCHAR",
	types.Binary:           "BLOB",
	types.Date:             "DATE",
	types.Timestamp:        "TIMESTAMP WITH TIME ZONE",
	types.TimestampNTZ:     "TIMESTAMP",
	types.CalendarInterval: "INTERVAL",
	types.Variant:          `STRUCT("metadata" BLOB, "value" BLOB)`,
}

// typeName spells the DuckDB type that holds values of t. Intervals of months and of microseconds are plain
// numbers: DuckDB's INTERVAL compares 30 days equal to a month, which Spark's do not.
func typeName(t types.Type) (string, error) {
	switch t := t.(type) {
	case types.Basic:
		return basicNames[t], nil
	case types.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.P, t.S), nil
	case types.Char, types.Varchar:
		return "VARCHAR", nil
	case types.Time:
		return "TIME", nil
	case types.YearMonth:
		return "INTEGER", nil
	case types.DayTime:
		return "BIGINT", nil
	case types.Array:
		elem, err := typeName(t.Elem)
		return elem + "[]", err
	case types.Map:
		key, err := typeName(t.Key)
		if err != nil {
			return "", err
		}
		value, err := typeName(t.Value)
		return "MAP(" + key + ", " + value + ")", err
	case types.Struct:
		return structName(t)
	}
	return "", fmt.Errorf("duckdb: values of type %v are not supported", t)
}

func structName(t types.Struct) (string, error) {
	if len(t.Fields) == 0 {
		return "", fmt.Errorf("duckdb: a struct without fields is not supported")
	}
	parts := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		name, err := typeName(f.Type)
		if err != nil {
			return "", err
		}
		parts[i] = ident(f.Name) + " " + name
	}
	return "STRUCT(" + strings.Join(parts, ", ") + ")", nil
}
