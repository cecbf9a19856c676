package rel

import "github.com/tarn-lake/tarn/types"

// Kind is a kind of function.
type Kind uint8

// The kinds of functions.
const (
	ScalarKind Kind = iota
	AggregateKind
	WindowKind
	GeneratorKind
)

// Function is one row of the function table: all that is known of a function or an operator.
type Function struct {
	Name                  string   // canonical, lower case; operators by their sign ("+", "<=>", "and")
	Aliases               []string // other names
	Kind                  Kind
	Signatures            []Signature
	Nondeterministic      bool
	Emit                  string // how DuckDB computes it; see functions/README
	Since, Usage, Example string
}

// Signature is one way to call a function.
type Signature struct {
	Params   []Param
	Variadic bool // the last parameter repeats
	Result   string
}

// Param is one parameter of a signature.
type Param struct {
	Name     string
	Type     string
	Optional bool
}

// Settings are the session settings that change what an expression means. They are baked into the tree.
type Settings struct {
	Mode          Mode   // ANSI or Legacy
	Zone          string // spark.sql.session.timeZone
	CaseSensitive bool
	NTZ           bool              // spark.sql.timestampType=TIMESTAMP_NTZ
	Legacy        map[string]string // other keys that functions ask for, lower case
}

// ArgError says why arguments do not fit a function: Spark's error class and its parameters, of which
// "sqlExpr" and the SQL text of arguments are the caller's to fill in: a parameter value "$1" stands for
// the text of argument 1.
type ArgError struct {
	Class  string
	Params map[string]string
}

func (e *ArgError) Error() string { return e.Class }

// Coercion rules and resolution over types.
var _ types.Type = types.Void
