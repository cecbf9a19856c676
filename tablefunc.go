package tarn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

// A tableFunction reads a table in a way that its arguments name: the first is the table's name or path, the others become options of
// the reader.
type tableFunction struct {
	format   string
	usage    string // its arguments
	min, max int    // how many arguments it takes
	options  func(args []string) (map[string]string, error)
}

const hudiQueryType = "hoodie.datasource.query.type"

// tableFunctions are Hudi's, by name.
var tableFunctions = map[string]tableFunction{
	"hudi_table_changes":   {"hudi", "table or path, latest_state or cdc, begin[, end[, path glob]]", 3, 5, hudiChanges},
	"hudi_query":           {"hudi", "table or path, snapshot or read_optimized", 2, 2, hudiQuery},
	"hudi_query_timeline":  {"hudi", "table or path[, with archived: true or false]", 1, 2, hudiTimeline},
	"hudi_filesystem_view": {"hudi", "table or path[, partition path]", 1, 2, hudiView("filesystem_view", "tarn.hudi.partition")},
	"hudi_metadata":        {"hudi", "table or path", 1, 1, hudiView("metadata")},
}

func hudiChanges(args []string) (map[string]string, error) {
	format := strings.ToLower(args[0])
	if format != "latest_state" && format != "cdc" {
		return nil, fmt.Errorf("changes are read as latest_state or cdc, not as %q", args[0])
	}
	out := map[string]string{hudiQueryType: "incremental", "hoodie.datasource.query.incremental.format": format,
		"hoodie.datasource.read.begin.instanttime": args[1]}
	for i, key := range []string{"hoodie.datasource.read.end.instanttime", "hoodie.datasource.read.incr.path.glob"} {
		if len(args) > i+2 {
			out[key] = args[i+2]
		}
	}
	return out, nil
}

func hudiQuery(args []string) (map[string]string, error) {
	kind := strings.ToLower(args[0])
	if kind != "snapshot" && kind != "read_optimized" {
		return nil, fmt.Errorf("tables are queried as snapshot or read_optimized, not as %q", args[0])
	}
	return map[string]string{hudiQueryType: kind}, nil
}

func hudiTimeline(args []string) (map[string]string, error) {
	out := map[string]string{hudiQueryType: "timeline"}
	for _, a := range args {
		archived := strings.ToLower(a)
		if archived != "true" && archived != "false" {
			return nil, fmt.Errorf("archived actions are listed by true and left out by false, not by %q", a)
		}
		out["tarn.hudi.archived"] = archived
	}
	return out, nil
}

// hudiView is the options of a view of the table's files; keys name those that further arguments set.
func hudiView(kind string, keys ...string) func([]string) (map[string]string, error) {
	return func(args []string) (map[string]string, error) {
		out := map[string]string{hudiQueryType: kind}
		for i, a := range args {
			out[keys[i]] = a
		}
		return out, nil
	}
}

// TableFunction is the table that a call of one of the table functions reads; see [plan.Functions].
func (r *run) TableFunction(ctx context.Context, name string, args []types.Value) (*plan.Source, error) {
	f, ok := tableFunctions[name]
	if !ok {
		return nil, nil
	}
	texts := make([]string, len(args))
	for i, a := range args {
		if a == nil {
			return nil, badCall(name, f, errors.New("an argument is NULL"))
		}
		texts[i] = fmt.Sprint(a)
	}
	if len(texts) < f.min || len(texts) > f.max {
		return nil, badCall(name, f, fmt.Errorf("%d arguments are given", len(texts)))
	}
	options, err := f.options(texts[1:])
	if err != nil {
		return nil, badCall(name, f, err)
	}
	e, full, err := r.functionEntry(ctx, f.format, texts[0])
	if err != nil {
		return nil, err
	}
	if e.Format != f.format {
		return nil, badCall(name, f, fmt.Errorf("%s is a table of the format %s", texts[0], e.Format))
	}
	e.Options = withOptions(e.Options, options)
	snap, err := r.snapshot(ctx, e, lake.At{}, full)
	if err != nil {
		return nil, err
	}
	return &plan.Source{Name: full, Of: snap, Schema: snap.Meta().Schema}, nil
}

// functionEntry is the table that a text names, or the one at the path that it is.
func (r *run) functionEntry(ctx context.Context, format, text string) (lake.Entry, lake.Ident, error) {
	name, err := syntax.ParseMultipartIdentifier(text)
	if err == nil {
		e, full, err := r.entryOf(ctx, name.Strings())
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return e, full, err
		}
		if !strings.ContainsAny(text, "/\\") {
			return e, full, notFound(name.Strings(), nil)
		}
	}
	e, err := r.pathEntry(ctx, format, text)
	return e, nil, err
}

func badCall(name string, f tableFunction, err error) error {
	return &lake.Error{Op: "call " + name, Err: err, Hint: "Its arguments are " + f.usage + "."}
}

var _ plan.Functions = (*run)(nil)
