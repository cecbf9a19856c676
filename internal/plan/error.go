package plan

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Error says why a statement has no meaning, by Spark's error class and its message parameters. Span is the part
// of the text it speaks of; the zero Span is none. Span counts in the text of View when that is set.
type Error struct {
	Class  string
	Params map[string]string
	Span   syntax.Span
	View   string // the view whose text Span counts in
	Hint   string
}

func (e *Error) Error() string {
	if len(e.Params) == 0 {
		return e.Class
	}
	var b strings.Builder
	b.WriteString(e.Class)
	for _, k := range slices.Sorted(maps.Keys(e.Params)) {
		b.WriteString(" " + k + "=" + strconv.Quote(e.Params[k]))
	}
	return b.String()
}

// fail is an error about the text at. Params come as key, value, key, value.
func fail(class string, at syntax.Node, params ...string) error {
	e := &Error{Class: class}
	if at != nil {
		e.Span = syntax.Span{From: at.Pos(), To: at.End()}
	}
	if len(params) > 0 {
		e.Params = make(map[string]string, len(params)/2)
		for i := 0; i+1 < len(params); i += 2 {
			e.Params[params[i]] = params[i+1]
		}
	}
	return e
}

// unsupported is the error of a construct that tarn understands but does not run.
func unsupported(what string, at syntax.Node) error {
	return fail("UNSUPPORTED_FEATURE.TARN", at, "feature", what)
}

var argMark = regexp.MustCompile(`\$\d+`)

// argError fills the texts of a call and its arguments into what the function table said about them.
func argError(err error, at syntax.Node, whole string, args []term) error {
	var a *rel.ArgError
	if !errors.As(err, &a) {
		return err
	}
	params := make(map[string]string, len(a.Params))
	for k, v := range a.Params {
		params[k] = argMark.ReplaceAllStringFunc(v, func(m string) string {
			n, _ := strconv.Atoi(m[1:])
			switch {
			case n == 0:
				return quoteSQL(whole)
			case n <= len(args):
				return quoteSQL(args[n-1].text)
			}
			return m
		})
	}
	e := &Error{Class: a.Class, Params: params}
	if at != nil {
		e.Span = syntax.Span{From: at.Pos(), To: at.End()}
	}
	return e
}

// quoteSQL is text in the form that Spark gives expressions and settings inside messages.
func quoteSQL(text string) string { return `"` + text + `"` }

// typeSQL is the name of t inside messages: "DECIMAL(10,2)".
func typeSQL(t types.Type) string { return quoteSQL(types.SQL(t)) }

// quoteName is a name with every part in backquotes.
func quoteName(parts ...string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = types.Quote(p)
	}
	return strings.Join(out, ".")
}

var ordinals = [...]string{"zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
	"ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth"}

// ordinal is n in words, as messages count columns and tables.
func ordinal(n int) string {
	if n < len(ordinals) {
		return ordinals[n]
	}
	return strconv.Itoa(n) + "th"
}
