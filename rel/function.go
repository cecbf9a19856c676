package rel

// Kind is a kind of function.
type Kind uint8

// The kinds of functions.
const (
	ScalarKind Kind = iota
	AggregateKind
	WindowKind
	GeneratorKind
)

// Function is one row of the function table: all that is known of a function or an operator. The rows are
// the files functions/*.txt, whose format functions/README.md describes.
type Function struct {
	Name             string   // canonical, lower case; operators by their sign ("+", "<=>", "and")
	Aliases          []string // other names
	Kind             Kind
	Nondeterministic bool
	Emit             string // how DuckDB computes it
	Usage, Example   string
	Since            string // the Spark release that has it first

}

// Settings are the session settings that change what an expression means. They are baked into the tree.
type Settings struct {
	Mode          Mode   // ANSI or Legacy
	Zone          string // spark.sql.session.timeZone
	CaseSensitive bool
	NTZ           bool                    // spark.sql.timestampType=TIMESTAMP_NTZ
	Conf          func(key string) string // any other key; may be nil
}

// ArgError says why arguments do not fit a function or why a cast is not allowed: Spark's error class and
// its parameters. In a parameter value, "$1" stands for the SQL text of argument 1 and "$0" for that of the
// whole call; the caller, who knows the text, fills them in.
type ArgError struct {
	Class  string
	Params map[string]string
}

func (e *ArgError) Error() string { return e.Class }
