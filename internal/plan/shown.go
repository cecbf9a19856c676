package plan

import (
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// otherNames are the functions that Spark shows by another name than the one they were called by.
var otherNames = map[string]string{
	"acos": "ACOS", "acosh": "ACOSH", "asin": "ASIN", "asinh": "ASINH", "atan": "ATAN", "atan2": "ATAN2",
	"atanh": "ATANH", "cbrt": "CBRT", "cos": "COS", "cosh": "COSH", "cot": "COT", "csc": "CSC", "degrees": "DEGREES",
	"e": "E", "exp": "EXP", "expm1": "EXPM1", "hypot": "HYPOT", "log": "LOG", "log10": "LOG10", "log1p": "LOG1P",
	"log2": "LOG2", "pi": "PI", "power": "POWER", "radians": "RADIANS", "sec": "SEC", "signum": "SIGNUM", "sin": "SIN",
	"sinh": "SINH", "sqrt": "SQRT", "tan": "TAN", "tanh": "TANH", "spark_partition_id": "SPARK_PARTITION_ID",
	"rank": "RANK", "dense_rank": "DENSE_RANK", "percent_rank": "PERCENT_RANK", "rlike": "RLIKE", "regexp": "REGEXP",
	"regexp_like": "REGEXP_LIKE", "array_agg": "collect_list", "curdate": "current_date",
	"current_database": "current_schema", "dateadd": "date_add", "to_varchar": "to_char", "random": "rand",
}

// defaults are the arguments that Spark adds to a call that leaves them out, by position. An empty one is required.
var defaults = map[string][]string{
	"substr": {"", "", "2147483647"}, "substring": {"", "", "2147483647"}, "split": {"", "", "-1"}, "locate": {"", "", "1"},
	"position": {"", "", "1"}, "lpad": {"", "", " "}, "rpad": {"", "", " "}, "round": {"", "0"}, "bround": {"", "0"}, "overlay": {"", "", "", "-1"},
	"replace": {"", "", ""}, "regexp_replace": {"", "", "", "1"}, "regexp_extract": {"", "", "1"},
	"regexp_extract_all": {"", "", "1"}, "regexp_instr": {"", "", "0"}, "sentences": {"", " ", " "},
	"sort_array": {"", "true"}, "str_to_map": {"", ",", ":"}, "months_between": {"", "", "true"},
	"from_unixtime": {"", "yyyy-MM-dd HH:mm:ss"}, "percentile": {"", "", "1"}, "percentile_approx": {"", "", "10000"},
	"approx_percentile": {"", "", "10000"}, "mask": {"", "X", "x", "n", "NULL"}, "make_ym_interval": {"0", "0"},
	"make_dt_interval": {"0", "0", "0", "0.000000"}, "make_interval": {"0", "0", "0", "0", "0", "0", "0.000000"},
	"try_make_interval": {"0", "0", "0", "0", "0", "0", "0.000000"}, "lag": {"", "1", "NULL"}, "lead": {"", "1", "NULL"},
	"unix_timestamp": {"current_timestamp()", "yyyy-MM-dd HH:mm:ss"}, "to_unix_timestamp": {"", "yyyy-MM-dd HH:mm:ss"},
	"aes_decrypt": {"", "", "GCM", "DEFAULT", ""}, "aes_encrypt": {"", "", "GCM", "DEFAULT", "", ""}, "listagg": {"", "NULL"},
	"string_agg": {"", "NULL"}, "ntile": {"1"}, "shuffle": {""}, "approx_top_k": {"", "5", "10000"},
}

// hidden says how many arguments of a call are shown where the last ones are not.
var hiddenAfter = map[string]int{"from_json": 1, "from_csv": 1, "from_xml": 1, "to_json": 1, "to_csv": 1, "to_xml": 1,
	"schema_of_json": 1, "schema_of_csv": 1, "schema_of_xml": 1, "first": 1, "first_value": 1, "last": 1,
	"last_value": 1, "any_value": 1, "mode": 1, "variant_get": 2, "try_variant_get": 2, "rank": 0, "dense_rank": 0, "percent_rank": 0}

// callText is the text of a call of the function written as name.
func callText(name string, args []term) string {
	name = strings.ToLower(name)
	if s, ok := specialText(name, args); ok {
		return s
	}
	shown := make([]string, 0, len(args))
	for _, t := range args {
		shown = append(shown, t.text)
	}
	if d := defaults[name]; len(args) < len(d) {
		shown = append(shown, d[len(args):]...)
	}
	if n, ok := hiddenAfter[name]; ok && n < len(shown) {
		shown = shown[:n]
	}
	if other, ok := otherNames[name]; ok {
		name = other
	}
	return name + "(" + strings.Join(shown, ", ") + ")"
}

// specialText is the text of calls that do not look like one.
func specialText(name string, args []term) (string, bool) {
	switch {
	case len(args) == 1:
		return unaryText(name, args[0])
	case len(args) == 2:
		return binaryText(name, args[0], args[1])
	case len(args) == 3 && (name == "if" || name == "iff"):
		return "(IF(" + texts(args) + "))", true
	case name == "when":
		return caseText(args), true
	}
	return "", false
}

func unaryText(name string, x term) (string, bool) {
	switch name {
	case "isnull":
		return "(" + x.text + " IS NULL)", true
	case "isnotnull":
		return "(" + x.text + " IS NOT NULL)", true
	case "not", "!":
		return "(NOT " + x.text + ")", true
	case "positive":
		return "(+ " + x.text + ")", true
	case "ceil", "floor":
		return strings.ToUpper(name) + "(" + x.text + ")", true
	case "log":
		return "LOG(E(), " + x.text + ")", true
	}
	return "", false
}

func binaryText(name string, x, y term) (string, bool) {
	switch name {
	case "like":
		return x.text + " LIKE " + y.text, true
	case "div":
		return "(" + x.text + " div " + y.text + ")", true
	case "trim":
		return "TRIM(BOTH " + x.text + " FROM " + y.text + ")", true
	case "ltrim":
		return "TRIM(LEADING " + x.text + " FROM " + y.text + ")", true
	case "rtrim":
		return "TRIM(TRAILING " + x.text + " FROM " + y.text + ")", true
	case "lpad", "rpad":
		if x.x != nil && x.x.Type() == types.Binary {
			return name + "(" + x.text + ", " + y.text + ", X'00')", true
		}
	case "datepart":
		return name + "(" + x.text + " FROM " + y.text + ")", true
	case "convert_timezone":
		return name + "(current_timezone(), " + x.text + ", " + y.text + ")", true
	}
	return "", false
}

func caseText(args []term) string {
	s := "CASE"
	for len(args) > 1 {
		s += " WHEN " + args[0].text + " THEN " + args[1].text
		args = args[2:]
	}
	if len(args) == 1 {
		s += " ELSE " + args[0].text
	}
	return s + " END"
}
