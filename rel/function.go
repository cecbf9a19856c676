package rel

import (
	"embed"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/tarn-lake/tarn/types"
)

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
	Operator         bool   // written with a sign or keywords; cannot be called by name
	Unsupported      string // why no engine here computes it; empty: one does
	Usage, Example   string
	Since            string // the Spark release that has it first

	sigs  []signature
	rule  string // name of the Go function that resolves calls, with its arguments; empty: the signatures do
	null  string // when the result is NULL: "" an argument is, "always" any time, "never"
	emits []emission

	last  string // key of the line read last, while the table is read
	group int    // first of the signatures that the next template is for
}

// signature is one form of a function's arguments.
type signature struct {
	params   []pattern
	required int  // params before the first optional one
	variadic bool // the last of params may be repeated, or be absent
	result   string
	pattern  pattern // of result when it is a type and not a rule
	emits    []emission
}

// emission is a template of DuckDB SQL for the calls of one mode.
type emission struct {
	mode string // "", "ansi", "legacy" or "try"
	text string
}

// Settings are the session settings that change what an expression means. They are baked into the tree.
type Settings struct {
	Mode          Mode   // ANSI or Legacy
	Zone          string // spark.sql.session.timeZone
	CaseSensitive bool
	NTZ           bool                    // spark.sql.timestampType=TIMESTAMP_NTZ
	Conf          func(key string) string // any other key; may be nil
	// Type reads a type or a list of columns in SQL ("array<int>", "a INT, b STRING"), for functions that take
	// a schema as text; may be nil.
	Type func(sql string) (types.Type, error)
}

// ArgError says why arguments do not fit a function or why a cast is not allowed: Spark's error class and
// its parameters. In a parameter value, "$1" stands for the SQL text of argument 1 and "$0" for that of the
// whole call; the caller, who knows the text, fills them in.
type ArgError struct {
	Class  string
	Params map[string]string
}

func (e *ArgError) Error() string { return e.Class }

//go:embed functions/*.txt
var tableFiles embed.FS

// allFunctions reads the embedded files once.
var allFunctions = sync.OnceValue(func() *functionTable {
	t, err := readTable(tableFiles)
	if err != nil {
		panic(err) // the files are part of the program, and a test reads them
	}
	return t
})

// FindFunction is the function or operator of that name or alias, whatever its case; nil when there is none.
func FindFunction(name string) *Function { return allFunctions().byName[strings.ToLower(name)] }

// Functions are all functions and operators, by name.
func Functions() iter.Seq[*Function] { return slices.Values(allFunctions().sorted) }

// Template is the DuckDB SQL for a call with arguments of the given types; empty when there is none.
// functions/README.md says how it is expanded.
func (f *Function) Template(args []Expr, m Mode) string {
	for _, sig := range f.sigs {
		if len(sig.emits) > 0 && sig.fits(args) {
			return choose(sig.emits, m)
		}
	}
	return choose(f.emits, m)
}

func choose(es []emission, m Mode) string {
	name := [...]string{ANSI: "ansi", Legacy: "legacy", Try: "try"}[m]
	text := ""
	for _, e := range es {
		if e.mode == name {
			return e.text
		}
		if e.mode == "" {
			text = e.text
		}
	}
	return text
}

// Signatures are the forms of f's arguments and its result, for SHOW and DESCRIBE FUNCTION.
func (f *Function) Signatures() []string {
	var out []string
	for _, s := range f.sigs {
		parts := make([]string, len(s.params))
		for i, p := range s.params {
			parts[i] = p.String()
			if i >= s.required {
				parts[i] = "[" + parts[i] + "]"
			}
		}
		if s.variadic {
			parts[len(parts)-1] = strings.Trim(parts[len(parts)-1], "[]") + "..."
		}
		out = append(out, f.Name+"("+strings.Join(parts, ", ")+") -> "+s.result)
	}
	return out
}
