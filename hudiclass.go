package tarn

import (
	"errors"
	"strings"
)

// hudiClasses are the classes that errors about Hudi tables have in the place of Delta's: Spark's where it has one that fits.
var hudiClasses = map[string]string{
	"DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION":             "ALL_PARTITION_COLUMNS_NOT_ALLOWED",
	"DELTA_CONFLICT_SET_COLUMN":                              "INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS",
	"DELTA_CREATE_TABLE_SCHEME_MISMATCH":                     "HUDI_CONFIG_CONFLICT",
	"DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING":         "HUDI_CONFIG_CONFLICT",
	"DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY":             "HUDI_CONFIG_CONFLICT",
	"DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION":             "LOCATION_ALREADY_EXISTS",
	"DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA":               "UNSUPPORTED_FEATURE.TABLE_OPERATION",
	"DELTA_DUPLICATE_COLUMNS_FOUND.DATA":                     "COLUMN_ALREADY_EXISTS",
	"DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE":          "COLUMN_ALREADY_EXISTS",
	"DELTA_EXCEED_CHAR_VARCHAR_LIMIT":                        "EXCEED_LIMIT_LENGTH",
	"DELTA_FAILED_TO_MERGE_FIELDS":                           "CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
	"DELTA_ILLEGAL_OPTION":                                   "HUDI_INVALID_OPTION",
	"DELTA_INSERT_COLUMN_ARITY_MISMATCH":                     "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS",
	"DELTA_MERGE_UNRESOLVED_EXPRESSION":                      "UNRESOLVED_COLUMN.WITH_SUGGESTION",
	"DELTA_METADATA_MISMATCH":                                "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
	"DELTA_MISSING_NOT_NULL_COLUMN_VALUE":                    "NOT_NULL_ASSERT_VIOLATION",
	"DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE": "MERGE_CARDINALITY_VIOLATION",
	"DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED":         "INVALID_NON_DETERMINISTIC_EXPRESSIONS",
	"DELTA_OPERATION_NOT_ALLOWED":                            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
	"DELTA_PARTITION_COLUMN_NOT_FOUND":                       "COLUMN_NOT_DEFINED_IN_TABLE",
	"DELTA_PATH_DOES_NOT_EXIST":                              "PATH_NOT_FOUND",
	"DELTA_PATH_EXISTS":                                      "PATH_ALREADY_EXISTS",
	"DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP":            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
	"DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP":           "UNSUPPORTED_FEATURE.TABLE_OPERATION",
	"DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE":               "UNSUPPORTED_FEATURE.TABLE_OPERATION",
	"DELTA_UNSUPPORTED_SUBQUERY":                             "UNSUPPORTED_FEATURE.TABLE_OPERATION",
}

// explained is [explain] for an error of this statement. The planner speaks of tables as Delta does; an error about a Hudi table has
// another class, and speaks of Hudi.
func (r *run) explained(err error) error {
	err = explain(err, r.text)
	var e *Error
	if r.stmt.format != "hudi" || !errors.As(err, &e) || !strings.HasPrefix(e.Class, "DELTA_") {
		return err
	}
	class, ok := hudiClasses[e.Class]
	if !ok {
		class = "HUDI_" + strings.TrimPrefix(e.Class, "DELTA_")
	}
	if known, ok := errorClasses()[class]; ok {
		e.SQLState = known.state
	}
	e.Class, e.Message = class, strings.NewReplacer("Delta", "Hudi", "delta", "hudi").Replace(e.Message)
	if strings.Contains(strings.ToLower(e.Hint), "delta") {
		e.Hint = ""
	}
	return e
}
