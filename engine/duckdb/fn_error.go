package duckdb

import (
	"regexp"
)

var (
	overflowText = regexp.MustCompile(`Overflow in (addition|subtraction|multiplication|negation) of INT(\d+)`)
	tryOf        = map[string]string{"addition": "try_add", "subtraction": "try_subtract", "multiplication": "try_multiply"}
	wholeName    = map[string]string{"32": "integer", "64": "long"}
)

// nativeClass is Spark's class for an error that DuckDB's own arithmetic raises.
func nativeClass(message string) (class string, params map[string]string) {
	m := overflowText.FindStringSubmatch(message)
	if m == nil || wholeName[m[2]] == "" {
		return "", nil
	}
	alternative := ""
	if try := tryOf[m[1]]; try != "" {
		alternative = " Use '" + try + "' to tolerate overflow and return NULL instead."
	}
	return "ARITHMETIC_OVERFLOW", map[string]string{"message": wholeName[m[2]] + " overflow", "alternative": alternative, "config": ansiConfig}
}
