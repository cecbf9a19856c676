package hudi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// procedure is what CALL runs by a name. Names, parameters and columns are those of Hudi's procedures for Spark.
type procedure struct {
	name    string
	about   string
	params  []lake.Param
	columns []rel.Column
	run     func(context.Context, *call) ([][]types.Value, error) // nil: the session does it
}

// procedures are all procedures of Hudi tables, by topic.
func procedures() []procedure {
	return slices.Concat(commitProcedures(), actionProcedures(), fileProcedures(), logProcedures(), metadataProcedures(), indexProcedures(),
		serviceProcedures(), repairProcedures(), tableProcedures(), sessionProcedures())
}

// Procedures are the procedures of Hudi tables, by name.
func (f *Format) Procedures() []lake.Procedure {
	var out []lake.Procedure
	for _, p := range procedures() {
		out = append(out, lake.Procedure{Name: p.name, About: p.about, Params: p.parameters(), Columns: p.columns, Mends: p.name == overwriteProperties})
	}
	for name, why := range refused {
		out = append(out, lake.Procedure{Name: name, About: "Not supported. " + why, Refused: why})
	}
	slices.SortFunc(out, func(a, b lake.Procedure) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// parameters are those of p with table and path, which every procedure has: first, or where p places them.
func (p procedure) parameters() []lake.Param {
	out := slices.Clone(p.params)
	has := func(name string) bool {
		return slices.ContainsFunc(out, func(q lake.Param) bool { return q.Name == name })
	}
	if !has("table") {
		out = slices.Insert(out, 0, lake.Param{Name: "table", Type: types.String, About: "name of the table"})
	}
	if !has("path") {
		out = append(out, lake.Param{Name: "path", Type: types.String, About: "folder of the table, where no name is given"})
	}
	return out
}

// Call runs a procedure of the table.
func (t *Table) Call(ctx context.Context, x engine.Engine, name string, args map[string]types.Value) (lake.Answer, error) {
	all := procedures()
	i := slices.IndexFunc(all, func(p procedure) bool { return p.name == name })
	if i < 0 || all[i].run == nil {
		return lake.Answer{}, fmt.Errorf("the procedure %s: %w", name, errors.ErrUnsupported)
	}
	c := &call{Table: t, name: name, engine: x, args: args}
	rows, err := all[i].run(ctx, c)
	var stale *metadata.StaleError
	if errors.As(err, &stale) {
		return lake.Answer{}, c.unfit(remakeMetadata+".", "%w", err)
	}
	if err != nil {
		return lake.Answer{}, t.fail("call "+name+" on", "", err)
	}
	if limit, ok := args["limit"].(int64); ok && limit >= 0 && limit < int64(len(rows)) {
		rows = rows[:limit]
	}
	return lake.Answer{Columns: all[i].columns, Rows: rows}, nil
}

// call is one run of a procedure.
type call struct {
	*Table
	name   string
	engine engine.Engine
	args   map[string]types.Value
}

// text is an argument; "" when it is not given.
func (c *call) text(name string) string { s, _ := c.args[name].(string); return s }

// flag is an argument; false when it is not given.
func (c *call) flag(name string) bool { b, _ := c.args[name].(bool); return b }

// number is an argument; ok tells whether it is given.
func (c *call) number(name string) (n int64, ok bool) { n, ok = c.args[name].(int64); return n, ok }

// refuse is an error of the call, with what to do about it.
func (c *call) refuse(hint, format string, args ...any) error {
	op, err := "call "+c.name+" on", fmt.Errorf(format, args...)
	return &lake.Error{Op: op, Path: c.path, Class: "HUDI_INVALID_OPTION", Hint: hint, Err: err,
		Params: map[string]string{"operation": op, "table": c.path, "reason": err.Error()}}
}

// unfit is an error of a table that is not in a state for the call, with what to do about it.
func (c *call) unfit(hint, format string, args ...any) error {
	return &lake.Error{Op: "call " + c.name + " on", Path: c.path, Hint: hint, Err: fmt.Errorf(format, args...)}
}

// Parameters and columns.

func required(name, about string) lake.Param {
	return lake.Param{Name: name, Type: types.String, Required: true, About: about}
}

func optional(name string, t types.Type, def types.Value, about string) lake.Param {
	return lake.Param{Name: name, Type: t, Default: def, About: about}
}

// tableParam is the parameter table where others stand before it.
func tableParam() lake.Param {
	return lake.Param{Name: "table", Type: types.String, About: "name of the table"}
}

func pathParam() lake.Param {
	return lake.Param{Name: "path", Type: types.String, About: "folder of the table, where no name is given"}
}

func limitParam(n int64) lake.Param {
	return optional("limit", types.Int, n, "how many rows to give; negative is all")
}

func filterParam() lake.Param {
	return optional("filter", types.String, nil, "a condition on the columns of the answer")
}

// columns are nullable columns: each spec is a name, with a space and the type behind it where that is not string.
func columns(specs ...string) []rel.Column {
	kinds := map[string]types.Type{"": types.String, "bigint": types.Long, "int": types.Int, "boolean": types.Boolean, "double": types.Double}
	out := make([]rel.Column, len(specs))
	for i, spec := range specs {
		name, kind, _ := strings.Cut(spec, " ")
		out[i] = rel.NewColumn(name, kinds[kind])
		out[i].Nullable = true
	}
	return out
}

var _ lake.ProcedureLister = (*Format)(nil)
var _ lake.Caller = (*Table)(nil)
var _ lake.Mender = (*Format)(nil)
