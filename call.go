package tarn

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/nearest"
	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// procedure is a procedure together with the format that has it.
type procedure struct {
	lake.Procedure
	format string
}

// procedures are those of all formats, by name.
func (r *run) procedures() map[string]procedure {
	out := map[string]procedure{}
	for _, format := range slices.Sorted(maps.Keys(r.db.opts.Formats)) {
		f, ok := r.db.opts.Formats[format].(lake.ProcedureLister)
		if !ok {
			continue
		}
		for _, p := range f.Procedures() {
			out[p.Name] = procedure{p, format}
		}
	}
	return out
}

// call runs CALL [catalog.][system.]name(arguments).
func (r *run) call(ctx context.Context, st *syntax.CallProcedure) (*Rows, error) {
	name, err := r.identOf(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	last := strings.ToLower(name[len(name)-1])
	inSystem := len(name) == 1 || len(name) <= 3 && strings.EqualFold(name[len(name)-2], "system")
	if inSystem && last == "help" {
		return r.callHelp(ctx, st)
	}
	known := r.procedures()
	p, ok := known[last]
	if !ok || !inSystem {
		return nil, noProcedure(strings.Join(name, "."), last, known, st.Name)
	}
	if p.Refused != "" {
		return nil, &plan.Error{Class: "UNSUPPORTED_FEATURE.TARN", Span: st.Name.Span, Params: map[string]string{"feature": "CALL " + p.Name}, Hint: p.Refused}
	}
	args, err := r.arguments(ctx, p.Procedure, st.Args)
	if err != nil {
		return nil, err
	}
	return r.callOn(ctx, p, args, st)
}

func noProcedure(shown, name string, known map[string]procedure, at syntax.Node) error {
	near := nearest.Names(name, append(slices.Collect(maps.Keys(known)), "help"))
	return fail("ROUTINE_NOT_FOUND", at, "routineName", shown, "proposal", strings.Join(near, ", "))
}

// arguments gives every parameter of p its value: of the call, cast to the parameter's type, or its default.
func (r *run) arguments(ctx context.Context, p lake.Procedure, list []syntax.Expr) (map[string]types.Value, error) {
	out := map[string]types.Value{}
	given := map[string]bool{}
	for i, x := range list {
		param, err := parameterOf(p, i, list, given)
		if err != nil {
			return nil, err
		}
		given[param.Name] = true
		if named, ok := x.(*syntax.NamedArg); ok {
			x = named.Value
		}
		e, err := plan.Expr(ctx, x, nil, r)
		if err != nil {
			return nil, err
		}
		if out[param.Name], err = r.assign(ctx, e, param.Type); err != nil {
			return nil, err
		}
	}
	for _, param := range p.Params {
		if out[param.Name] != nil {
			continue
		}
		if param.Required {
			return nil, fail("REQUIRED_PARAMETER_NOT_FOUND", nil, "routineName", p.Name, "parameterName", param.Name, "name", p.Name)
		}
		out[param.Name] = param.Default
	}
	return out, nil
}

// parameterOf is the parameter that argument i of a call is for.
func parameterOf(p lake.Procedure, i int, list []syntax.Expr, given map[string]bool) (lake.Param, error) {
	named, ok := list[i].(*syntax.NamedArg)
	if !ok {
		_, behind := list[max(0, i-1)].(*syntax.NamedArg)
		switch {
		case behind:
			return lake.Param{}, fail("UNEXPECTED_POSITIONAL_ARGUMENT", list[i], "routineName", p.Name)
		case i >= len(p.Params):
			return lake.Param{}, fail("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", list[i], "functionName", p.Name,
				"expectedNum", "at most "+itoa(len(p.Params)), "actualNum", itoa(len(list)))
		}
		return p.Params[i], nil
	}
	name := named.Name.Name
	at := slices.IndexFunc(p.Params, func(q lake.Param) bool { return strings.EqualFold(q.Name, name) })
	if at < 0 {
		var names []string
		for _, q := range p.Params {
			names = append(names, q.Name)
		}
		return lake.Param{}, fail("UNRECOGNIZED_PARAMETER_NAME", named.Name, "routineName", p.Name, "argumentName", name,
			"proposal", strings.Join(nearest.Names(name, names), ", "), "name", p.Name)
	}
	param := p.Params[at]
	if given[param.Name] {
		return param, fail("DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE", named.Name,
			"routineName", p.Name, "parameterName", name)
	}
	return param, nil
}

// callOn runs p with complete arguments.
func (r *run) callOn(ctx context.Context, p procedure, args map[string]types.Value, at syntax.Node) (*Rows, error) {
	answer, err := r.answer(ctx, p, args, at)
	if err != nil {
		return nil, err
	}
	if cond, ok := args["filter"].(string); ok && cond != "" {
		return r.filtered(ctx, answer, cond)
	}
	return table(columnsOf(answer.Columns), answer.Rows)
}

// answer runs p by the session, or on the table that the arguments name.
func (r *run) answer(ctx context.Context, p procedure, args map[string]types.Value, at syntax.Node) (lake.Answer, error) {
	if do := r.ownCall(p.Name); do != nil {
		rows, err := do(ctx, args)
		if limit, ok := args["limit"].(int64); ok && limit >= 0 && limit < int64(len(rows)) {
			rows = rows[:limit]
		}
		return lake.Answer{Columns: p.Columns, Rows: rows}, err
	}
	t, err := r.called(ctx, p, args, at)
	if err != nil {
		return lake.Answer{}, err
	}
	c, ok := t.(lake.Caller)
	if !ok {
		return lake.Answer{}, unsupported("CALL "+p.Name+" on a table of this format", at)
	}
	return c.Call(ctx, r.db.engine, p.Name, args)
}

// filtered is the rows of an answer for which a condition is true, as the argument filter of procedures asks for.
func (r *run) filtered(ctx context.Context, a lake.Answer, filter string) (*Rows, error) {
	x, err := syntax.ParseExpr(filter)
	if err != nil {
		return nil, err
	}
	cond, err := plan.Condition(ctx, x, []plan.Input{{Columns: a.Columns}}, r)
	if err != nil {
		return nil, err
	}
	values := &rel.Values{Cols: a.Columns}
	for _, row := range a.Rows {
		list := make([]rel.Expr, len(row))
		for i, v := range row {
			list[i] = &rel.Lit{T: a.Columns[i].Type, Value: v}
		}
		values.Rows = append(values.Rows, list)
	}
	return r.rows(ctx, &rel.Filter{In: values, Cond: cond})
}

// called opens the table that the arguments table or path name.
func (r *run) called(ctx context.Context, p procedure, args map[string]types.Value, at syntax.Node) (lake.Table, error) {
	name, _ := args["table"].(string)
	path, _ := args["path"].(string)
	var e lake.Entry
	var full lake.Ident
	var err error
	switch {
	case name != "":
		e, full, err = r.namedEntry(ctx, name, at)
	case path != "":
		e, err = r.pathEntry(ctx, p.format, path)
	default:
		err = fail("REQUIRED_PARAMETER_NOT_FOUND", at, "routineName", p.Name, "parameterName", "table", "name", p.Name)
	}
	if err != nil {
		return nil, err
	}
	if e.Format != p.format {
		return nil, unsupported(fmt.Sprintf("CALL %s on a table of the format %s", p.Name, e.Format), at)
	}
	e.Options = withOptions(e.Options, r.formatSettings(e.Format))
	open := r.open
	if m, ok := r.db.opts.Formats[e.Format].(lake.Mender); ok && p.Mends {
		open = m.OpenToMend
	}
	t, err := open(ctx, e)
	return t, r.missing(ctx, err, e, full)
}

// namedEntry is the entry of a table whose name is a text.
func (r *run) namedEntry(ctx context.Context, name string, at syntax.Node) (lake.Entry, lake.Ident, error) {
	n, err := syntax.ParseMultipartIdentifier(name)
	if err != nil {
		return lake.Entry{}, nil, err
	}
	e, full, err := r.entryOf(ctx, n.Strings())
	if isMissing(err) {
		err = notFound(n.Strings(), at)
	}
	return e, full, err
}

// formatSettings are the settings of the session that speak to a format: hoodie.… to Hudi.
func (r *run) formatSettings(format string) map[string]string {
	out := map[string]string{}
	if format != "hudi" {
		return out
	}
	for k, v := range r.conf {
		if strings.HasPrefix(strings.ToLower(k), "hoodie.") {
			out[k] = v
		}
	}
	return out
}

// callTable runs the procedure behind a statement that names a table: target is a name or a path.
func (r *run) callTable(ctx context.Context, name string, target *syntax.Target, args map[string]types.Value, at syntax.Node) (*Rows, error) {
	known := r.procedures()
	p, ok := known[name]
	if !ok {
		return nil, unsupported("CALL "+name, at)
	}
	if target.Path != nil {
		args["path"] = target.Path.Value
	} else {
		ident, err := r.identOf(ctx, target.Name)
		if err != nil {
			return nil, err
		}
		args["table"] = ident.String()
	}
	for _, param := range p.Params {
		if args[param.Name] == nil {
			args[param.Name] = param.Default
		}
	}
	return r.callOn(ctx, p, args, at)
}

// compaction runs {RUN|SCHEDULE} COMPACTION ON t [AT instant].
func (r *run) compaction(ctx context.Context, st *syntax.Compaction) (*Rows, error) {
	args := map[string]types.Value{"op": strings.ToLower(st.Verb)}
	if st.At != nil {
		args["timestamp"] = st.At.Text
	}
	return r.callTable(ctx, "run_compaction", st.Target, args, st)
}

func (r *run) showCompaction(ctx context.Context, st *syntax.ShowCompaction) (*Rows, error) {
	args := map[string]types.Value{}
	if st.Limit != nil {
		x, err := plan.Expr(ctx, st.Limit, nil, r)
		if err != nil {
			return nil, err
		}
		if args["limit"], err = r.assign(ctx, x, types.Int); err != nil {
			return nil, err
		}
	}
	return r.callTable(ctx, "show_compaction", st.Target, args, st)
}

// createIndex runs CREATE INDEX, which is the procedure create_index.
func (r *run) createIndex(ctx context.Context, st *syntax.CreateIndex) (*Rows, error) {
	var columns []string
	for _, c := range st.Columns {
		columns = append(columns, strings.Join(c.Name.Strings(), "."))
	}
	args := map[string]types.Value{"name": st.Name.Name, "columns": strings.Join(columns, ","), "if_not_exists": st.IfNotExists}
	if st.Kind != nil {
		args["type"] = st.Kind.Name
	}
	if len(st.Options) > 0 {
		given, err := plan.Properties(ctx, st.Options, r)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(given)
		if err != nil {
			return nil, err
		}
		args["options"] = string(text)
	}
	_, err := r.callTable(ctx, "create_index", &syntax.Target{Name: st.Table}, args, st)
	return nothing(), err
}

func (r *run) dropIndex(ctx context.Context, st *syntax.DropIndex) (*Rows, error) {
	args := map[string]types.Value{"name": st.Name.Name, "if_exists": st.IfExists}
	_, err := r.callTable(ctx, "drop_index", &syntax.Target{Name: st.Table}, args, st)
	return nothing(), err
}

// refreshIndex runs REFRESH INDEX: every write keeps the indexes in step, so that there is nothing to do but to see that there is the table.
func (r *run) refreshIndex(ctx context.Context, st *syntax.RefreshIndex) (*Rows, error) {
	_, err := r.callTable(ctx, "show_indexes", &syntax.Target{Name: st.Table}, map[string]types.Value{}, st)
	return nothing(), err
}

func (r *run) showIndexes(ctx context.Context, st *syntax.ShowIndexes) (*Rows, error) {
	return r.callTable(ctx, "show_indexes", &syntax.Target{Name: st.Table}, map[string]types.Value{}, st)
}

var helpProcedure = lake.Procedure{Name: "help", About: "Tells the procedures, or the parameters of one.",
	Params:  []lake.Param{{Name: "cmd", Type: types.String, About: "a procedure"}},
	Columns: []rel.Column{rel.NewColumn("result", types.String)}}

// callHelp lists the procedures, or tells the parameters and the answer of one.
func (r *run) callHelp(ctx context.Context, st *syntax.CallProcedure) (*Rows, error) {
	args, err := r.arguments(ctx, helpProcedure, st.Args)
	if err != nil {
		return nil, err
	}
	known := r.procedures()
	var lines []string
	cmd, one := args["cmd"].(string)
	p, ok := known[strings.ToLower(cmd)]
	switch {
	case one && strings.EqualFold(cmd, "help"):
		lines = explainProcedure(helpProcedure)
	case one && !ok:
		return nil, noProcedure(cmd, cmd, known, st)
	case one:
		lines = explainProcedure(p.Procedure)
	default:
		for _, name := range slices.Sorted(maps.Keys(known)) {
			lines = append(lines, name+": "+known[name].About)
		}
		lines = append(lines, "CALL help(cmd => 'name') tells the parameters and the answer of one.")
	}
	rows := make([][]string, len(lines))
	for i, l := range lines {
		rows[i] = []string{l}
	}
	return texts([]Column{text("result")}, rows)
}

// explainProcedure says what a procedure takes and gives, one fact a line.
func explainProcedure(p lake.Procedure) []string {
	if p.Refused != "" {
		return []string{p.Name + ": " + p.About}
	}
	lines := []string{p.Name + ": " + p.About, "parameters:"}
	for _, q := range p.Params {
		l := "  " + q.Name + " " + types.SQL(q.Type)
		switch {
		case q.Required:
			l += ", required"
		case q.Default != nil:
			l += fmt.Sprintf(", default %v", q.Default)
		}
		if q.About != "" {
			l += ": " + q.About
		}
		lines = append(lines, l)
	}
	lines = append(lines, "answer:")
	for _, c := range p.Columns {
		lines = append(lines, "  "+c.Name+" "+types.SQL(c.Type))
	}
	return lines
}
