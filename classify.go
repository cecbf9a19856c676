package tarn

import (
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
)

//go:embed errors.txt
var errorLines string

// errorClass is a line of errors.txt.
type errorClass struct{ state, message, hint string }

var errorClasses = sync.OnceValue(func() map[string]errorClass {
	out := map[string]errorClass{}
	for line := range strings.Lines(errorLines) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := append(strings.Split(line, "\t"), "", "", "")
		out[f[0]] = errorClass{f[1], f[2], f[3]}
	}
	return out
})

// fail is an error of a class about the text at. Params come as key, value, key, value.
func fail(class string, at syntax.Node, params ...string) error {
	e := &plan.Error{Class: class}
	if at != nil {
		e.Span = syntax.Span{From: at.Pos(), To: at.End()}
	}
	if len(params) > 0 {
		e.Params = map[string]string{}
	}
	for i := 0; i+1 < len(params); i += 2 {
		e.Params[params[i]] = params[i+1]
	}
	return e
}

// unsupported refuses a statement that tarn understands but does not run.
func unsupported(what string, at syntax.Node) error {
	return fail("UNSUPPORTED_FEATURE.TARN", at, "feature", what)
}

// explain makes an *Error of any error of the packages below. text is the statement.
func explain(err error, text string) error {
	if err == nil {
		return nil
	}
	var done *Error
	if errors.As(err, &done) {
		if done.Statement == "" {
			done.Statement = text
		}
		return done
	}
	e := &Error{Statement: text, Err: err}
	e.fill(err)
	c := errorClasses()[e.Class]
	if e.SQLState == "" {
		e.SQLState = c.state
	}
	if e.Hint == "" {
		e.Hint = c.hint
	}
	if e.Message == "" {
		e.Message = message(e.Class, c.message, e.Params)
		var own *lake.Error
		if strings.Contains(e.Message, missingParam) && errors.As(err, &own) {
			e.Message = sentence(own.Error())
		}
	}
	return e
}

// fill takes over what err says, by its kind.
func (e *Error) fill(err error) {
	var parse *syntax.Error
	var meaning *plan.Error
	var run *engine.Error
	var arg *rel.ArgError
	var conflict *lake.ConflictError
	var unknown *lake.UnknownOutcomeError
	var table *lake.Error
	switch {
	case errors.As(err, &parse):
		e.Class, e.Params, e.Message = parse.Class, parse.Params, sentence(parse.Msg)
		e.locate(parse.Span)
	case errors.As(err, &meaning):
		e.Class, e.Params, e.Hint = meaning.Class, meaning.Params, meaning.Hint
		if meaning.View == "" {
			e.locate(meaning.Span)
		}
	case errors.As(err, &arg):
		e.Class, e.Params = arg.Class, arg.Params
	case errors.As(err, &conflict):
		e.Class, e.Params = conflict.Class, conflict.Params
		e.Message = conflict.Error()
	case errors.As(err, &unknown):
		e.Class, e.Message = "TARN_COMMIT_UNKNOWN", unknown.Error()
		e.Hint = "Look at the table's history before running the statement again."
	case errors.As(err, &table) && table.Class != "":
		e.Class, e.Params, e.Hint = table.Class, table.Params, table.Hint
	case errors.As(err, &run) && run.Class != "":
		e.Class, e.Params, e.Message, e.Hint = run.Class, run.Params, run.Reason, run.Hint
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Class = "TARN_CANCELED"
	default:
		e.fillOther(err, table)
	}
}

// fillOther is fill for errors without a class of Spark's.
func (e *Error) fillOther(err error, table *lake.Error) {
	e.Class, e.Message = "INTERNAL_ERROR", err.Error()
	var file *storage.Error
	var path *fs.PathError
	switch {
	case errors.As(err, &file) && errors.Is(file, fs.ErrNotExist):
		e.Class, e.Params, e.Message, e.Hint = "FAILED_READ_FILE.FILE_NOT_EXIST", map[string]string{"path": file.Path}, "There is no file "+file.Path+".", file.Hint
	case errors.Is(err, errors.ErrUnsupported) && !storage.Failed(err):
		e.Class, e.Params = "UNSUPPORTED_FEATURE.TARN", map[string]string{"feature": err.Error()}
	case table != nil && !storage.Failed(err):
		e.Class, e.Hint = "TARN_REFUSED", table.Hint
	case table != nil:
		e.Class, e.Hint = "TARN_IO", table.Hint
	case errors.As(err, &file):
		e.Class, e.Hint = "TARN_IO", file.Hint
	case errors.As(err, &path):
		e.Class = "TARN_IO"
	}
}

// locate says where in the statement the fault is.
func (e *Error) locate(s syntax.Span) {
	if s.To <= s.From && s.From == 0 || int(s.To) > len(e.Statement) {
		return
	}
	e.Start, e.Stop = int(s.From), int(s.To)
	e.Line, e.Column = syntax.LineColumn(e.Statement, s.From)
	e.Fragment = s.Text(e.Statement)
}

// missingParam stands in a message for a parameter that the error does not give.
const missingParam = "?"

// sentence is text with a capital letter and a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	text = strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".")
	if strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

var placeholder = regexp.MustCompile(`<(\w+)>`)

// message fills a template with parameters. Without a template it is the words of the class.
func message(class, template string, params map[string]string) string {
	if template != "" {
		return placeholder.ReplaceAllStringFunc(template, func(m string) string {
			if v, ok := params[m[1:len(m)-1]]; ok {
				return v
			}
			return missingParam
		})
	}
	words := strings.ToLower(strings.NewReplacer("_", " ", ".", ": ").Replace(class))
	if words == "" {
		words = "error"
	}
	out := strings.ToUpper(words[:1]) + words[1:]
	sep := " ("
	for _, k := range slices.Sorted(maps.Keys(params)) {
		out += sep + k + ": " + params[k]
		sep = ", "
	}
	if sep == ", " {
		out += ")"
	}
	return out + "."
}
