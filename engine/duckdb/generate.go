package duckdb

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// generate emits a generator as one list per input row, unnested beside the input's columns: a lateral join
// would do the same at several times the cost.
func (e *emitter) generate(n *rel.Generate) (string, error) {
	in, err := e.from(n.In)
	if err != nil {
		return "", err
	}
	args, err := e.exprs(n.Fn.Args)
	if err != nil {
		return "", err
	}
	rows, fields, err := e.generator(n, args)
	if err != nil {
		return "", err
	}
	if n.Outer {
		rows = "CASE WHEN coalesce(len(" + rows + "), 0) = 0 THEN [NULL] ELSE " + rows + " END"
	}
	row := e.local("g")
	parts := []string{}
	for _, c := range n.In.Columns() {
		parts = append(parts, name(c.ID))
	}
	for i, c := range n.Cols {
		x, err := cast(strings.ReplaceAll(fields[i], "$", row), c.Type)
		if err != nil {
			return "", err
		}
		parts = append(parts, x+" AS "+name(c.ID))
	}
	return "SELECT " + strings.Join(parts, ", ") + " FROM (SELECT *, unnest(" + rows + ") AS " + row + " FROM " + in + ")", nil
}

// generator gives the list of rows that a generator makes of one input row, and how each of its columns is
// read from an element, which "$" stands for.
func (e *emitter) generator(n *rel.Generate, args []string) (rows string, fields []string, err error) {
	switch n.Fn.Name {
	case "explode", "posexplode":
		return explode(n.Fn, args[0])
	case "inline":
		for i := range n.Cols {
			fields = append(fields, fmt.Sprintf("struct_extract_at($, %d)", i+1))
		}
		return args[0], fields, nil
	case "stack":
		return e.stack(n, args[1:])
	case "json_tuple":
		return e.jsonTuple(n, args)
	}
	return "", nil, unsupported("the generator %s", n.Fn.Name)
}

func explode(fn *rel.Call, arg string) (rows string, fields []string, err error) {
	rows, fields = arg, []string{"$"}
	if _, ok := fn.Args[0].Type().(types.Map); ok {
		rows, fields = "map_entries("+arg+")", []string{"struct_extract_at($, 1)", "struct_extract_at($, 2)"}
	}
	if fn.Name == "explode" {
		return rows, fields, nil
	}
	for i, f := range fields {
		fields[i] = strings.ReplaceAll(f, "$", "struct_extract_at($, 2)")
	}
	return "list_zip(range(len(" + rows + ")), " + rows + ")", append([]string{"struct_extract_at($, 1)"}, fields...), nil
}

// stack spreads its arguments over as many rows as its columns need.
func (e *emitter) stack(n *rel.Generate, args []string) (rows string, fields []string, err error) {
	width := len(n.Cols)
	var lines []string
	for i := 0; i < len(args); i += width {
		cells := make([]string, width)
		for j, c := range n.Cols {
			x := "NULL"
			if i+j < len(args) {
				x = args[i+j]
			}
			if cells[j], err = cast(x, c.Type); err != nil {
				return "", nil, err
			}
		}
		lines = append(lines, "row("+strings.Join(cells, ", ")+")")
	}
	for j := range width {
		fields = append(fields, fmt.Sprintf("struct_extract_at($, %d)", j+1))
	}
	return "[" + strings.Join(lines, ", ") + "]", fields, nil
}

// jsonTuple gives one row of the texts under some keys.
func (e *emitter) jsonTuple(n *rel.Generate, args []string) (rows string, fields []string, err error) {
	u := use{result: types.Array{Elem: n.Fn.T}}
	for _, a := range n.Fn.Args {
		u.args = append(u.args, a.Type())
	}
	f, err := e.udf("json_tuple", u)
	for i := range n.Cols {
		fields = append(fields, fmt.Sprintf("struct_extract_at($, %d)", i+1))
	}
	return f + "(" + strings.Join(args, ", ") + ")", fields, err
}
