package duckdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// node emits a query that gives the columns of n under their column names, and perhaps others.
func (e *emitter) node(n rel.Node) (string, error) {
	switch n := n.(type) {
	case *rel.Values:
		return e.values(n)
	case *rel.Scan:
		return e.scan(n)
	case *rel.Stream:
		return e.stream(n)
	case *rel.TableFunc:
		return e.tableFunc(n)
	case *rel.Project:
		return e.project(n)
	case *rel.Filter:
		return e.filter(n)
	case *rel.Join:
		return e.join(n)
	case *rel.Aggregate:
		return e.aggregate(n)
	case *rel.Window:
		return e.window(n)
	case *rel.Sort:
		return e.sort(n)
	case *rel.Limit:
		return e.limit(n)
	case *rel.SetOp:
		return e.setOp(n)
	case *rel.Generate:
		return e.generate(n)
	case *rel.Shared:
		return e.share(n)
	case *rel.Recursive:
		return e.recursive(n)
	case *rel.Working:
		return e.workingRows(n)
	case *rel.Sample:
		return e.sample(n)
	}
	return "", unsupported("a %T node", n)
}

// from emits n as an item of a FROM clause.
func (e *emitter) from(n rel.Node) (string, error) {
	s, err := e.node(n)
	return "(" + s + ")", err
}

func (e *emitter) values(n *rel.Values) (string, error) {
	switch {
	case len(n.Rows) == 0:
		return e.noRows(n)
	case len(n.Cols) == 0:
		return fmt.Sprintf(`SELECT true AS "c0" FROM range(%d)`, len(n.Rows)), nil
	case len(n.Rows) == 1:
		parts, err := e.computed(n.Cols, n.Rows[0])
		return "SELECT " + strings.Join(parts, ", "), err
	}
	rows := make([]string, len(n.Rows))
	for i, r := range n.Rows {
		if len(r) != len(n.Cols) {
			return "", fmt.Errorf("duckdb: row %d has %d values, want %d", i, len(r), len(n.Cols))
		}
		row, err := e.exprs(r)
		if err != nil {
			return "", err
		}
		rows[i] = "(" + strings.Join(row, ", ") + ")"
	}
	return "SELECT * FROM (VALUES " + strings.Join(rows, ", ") + ") AS " + e.local("v") + "(" + list(n.Cols) + ")", nil
}

func (e *emitter) noRows(n *rel.Values) (string, error) {
	parts := []string{`true AS "c0"`}
	for _, c := range n.Cols {
		null, err := constant(c.Type, nil)
		if err != nil {
			return "", err
		}
		parts = append(parts, null+" AS "+name(c.ID))
	}
	return "SELECT " + strings.Join(parts, ", ") + " WHERE false", nil
}

// computed emits expressions under the names of cols.
func (e *emitter) computed(cols []rel.Column, xs []rel.Expr) ([]string, error) {
	if len(cols) != len(xs) {
		return nil, fmt.Errorf("duckdb: %d expressions for %d columns", len(xs), len(cols))
	}
	parts, err := e.exprs(xs)
	for i := range parts {
		parts[i] += " AS " + name(cols[i].ID)
	}
	return parts, err
}

func split(cs []rel.Computed) (cols []rel.Column, xs []rel.Expr) {
	for _, c := range cs {
		cols, xs = append(cols, c.Column), append(xs, c.Expr)
	}
	return cols, xs
}

func (e *emitter) project(n *rel.Project) (string, error) {
	in, err := e.from(n.In)
	if err != nil {
		return "", err
	}
	parts, err := e.computed(split(n.Cols))
	if len(parts) == 0 {
		parts = []string{`true AS "c0"`}
	}
	return "SELECT " + strings.Join(parts, ", ") + " FROM " + in, err
}

func (e *emitter) filter(n *rel.Filter) (string, error) {
	in, err := e.from(n.In)
	if err != nil {
		return "", err
	}
	cond, err := e.condition(n.Cond)
	return "SELECT * FROM " + in + " WHERE " + cond, err
}

var joinWords = map[rel.JoinKind]string{
	rel.Inner: "INNER JOIN", rel.LeftOuter: "LEFT JOIN", rel.RightOuter: "RIGHT JOIN",
	rel.FullOuter: "FULL JOIN", rel.Semi: "SEMI JOIN", rel.Anti: "ANTI JOIN",
}

func (e *emitter) join(n *rel.Join) (string, error) {
	left, err := e.from(n.Left)
	if err != nil {
		return "", err
	}
	right, err := e.from(n.Right)
	if err != nil {
		return "", err
	}
	on := "true"
	if n.On != nil {
		if on, err = e.expr(n.On); err != nil {
			return "", err
		}
	}
	if n.Lateral { // DuckDB takes no condition on a lateral join but inside its right side
		right, on = "LATERAL (SELECT * FROM "+right+" WHERE "+on+")", "true"
	}
	cols := list(n.Columns())
	return "SELECT " + cols + " FROM " + left + " AS " + e.local("l") + " " + joinWords[n.Kind] + " " + right + " AS " + e.local("r") + " ON " + on, nil
}

func (e *emitter) sort(n *rel.Sort) (string, error) {
	in, err := e.from(n.In)
	if err != nil {
		return "", err
	}
	by, err := e.rowOrders(n.By)
	if err != nil || by == "" {
		return "SELECT * FROM " + in, err
	}
	return "SELECT * FROM " + in + " ORDER BY " + by, nil
}

// rowOrders is orders for rows that stay as they are. DuckDB gives back the columns that it sorts by as the keys that it made of them, in
// which -0.0 is 0.0. It does not take a sum for such a column.
func (e *emitter) rowOrders(os []rel.Order) (string, error) {
	keys := slices.Clone(os)
	for i, o := range keys {
		_, constant := o.Expr.(*rel.Lit)
		if t := o.Expr.Type(); !constant && (t == types.Double || t == types.Float) {
			keys[i].Expr = &rel.Call{Name: "+", Args: []rel.Expr{o.Expr, &rel.Lit{T: t, Value: zeroOf(t)}}, T: t, Null: o.Expr.Nullable()}
		}
	}
	return e.orders(keys)
}

func zeroOf(t types.Type) types.Value {
	if t == types.Float {
		return float32(0)
	}
	return float64(0)
}

// orders emits sort keys with every default spelled out.
func (e *emitter) orders(os []rel.Order) (string, error) {
	parts := make([]string, 0, len(os))
	for _, o := range os {
		if _, constant := o.Expr.(*rel.Lit); constant {
			continue // DuckDB would take a number for a column's position
		}
		x, err := e.expr(o.Expr)
		if err != nil {
			return "", err
		}
		dir, nulls := " ASC", " NULLS LAST"
		if o.Desc {
			dir = " DESC"
		}
		if o.NullsFirst {
			nulls = " NULLS FIRST"
		}
		parts = append(parts, x+dir+nulls)
	}
	return strings.Join(parts, ", "), nil
}

func (e *emitter) limit(n *rel.Limit) (string, error) {
	in, err := e.from(n.In)
	if err != nil {
		return "", err
	}
	sql := "SELECT * FROM " + in
	if n.Count >= 0 {
		sql += " LIMIT " + strconv.FormatInt(n.Count, 10)
	}
	if n.Offset > 0 {
		sql += " OFFSET " + strconv.FormatInt(n.Offset, 10)
	}
	return sql, nil
}

var setWords = map[rel.SetKind]string{rel.Union: "UNION", rel.Intersect: "INTERSECT", rel.Except: "EXCEPT"}

func (e *emitter) setOp(n *rel.SetOp) (string, error) {
	word := setWords[n.Kind]
	if n.All {
		word += " ALL"
	}
	var parts []string
	for _, in := range members(n) {
		s, err := e.side(in, n.Cols)
		if err != nil {
			return "", err
		}
		parts = append(parts, "("+s+")")
	}
	return strings.Join(parts, " "+word+" "), nil
}

// members are the inputs of n, where a left input that is a UNION ALL like n itself is replaced by its own inputs: DuckDB
// limits how deep statements nest, and text that nests n deep is copied n times.
func members(n *rel.SetOp) []rel.Node {
	in := []rel.Node{n.Right}
	left := n.Left
	for n.Kind == rel.Union && n.All {
		inner, ok := left.(*rel.SetOp)
		if !ok || inner.Kind != rel.Union || !inner.All || !sameTypes(inner.Cols, n.Cols) {
			break
		}
		in, left = append(in, inner.Right), inner.Left
	}
	in = append(in, left)
	slices.Reverse(in)
	return in
}

func sameTypes(a, b []rel.Column) bool {
	return slices.EqualFunc(a, b, func(a, b rel.Column) bool { return types.Equal(a.Type, b.Type) })
}

// side emits n with its columns renamed, by position, to those of cols and brought to their types, which may
// differ in names inside structs.
func (e *emitter) side(n rel.Node, cols []rel.Column) (string, error) {
	in, err := e.from(n)
	if err != nil {
		return "", err
	}
	have := n.Columns()
	if len(have) != len(cols) {
		return "", fmt.Errorf("duckdb: %d columns where %d are wanted", len(have), len(cols))
	}
	parts := []string{}
	for i, c := range have {
		x := name(c.ID)
		if !types.Equal(c.Type, cols[i].Type) {
			if x, err = e.convert(x, c.Type, cols[i].Type); err != nil {
				return "", err
			}
		}
		parts = append(parts, x+" AS "+name(cols[i].ID))
	}
	if len(parts) == 0 {
		parts = []string{`true AS "c0"`}
	}
	return "SELECT " + strings.Join(parts, ", ") + " FROM " + in, nil
}

// share emits a shared input that several nodes read as a table expression in front of the statement.
func (e *emitter) share(n *rel.Shared) (string, error) {
	if e.readers[n] <= 1 {
		return e.node(n.In)
	}
	name, ok := e.shared[n]
	if !ok {
		body, err := e.node(n.In)
		if err != nil {
			return "", err
		}
		name = e.local("s")
		e.shared[n] = name
		e.with = append(e.with, name+" AS MATERIALIZED ("+body+")")
	}
	return "SELECT * FROM " + name, nil
}

func (e *emitter) recursive(n *rel.Recursive) (string, error) {
	seed, err := e.side(n.Seed, n.Cols)
	if err != nil {
		return "", err
	}
	name := e.local("w")
	e.working[n.Self] = workingTable{name, n.Cols}
	step, err := e.side(n.Step, n.Cols)
	if err != nil {
		return "", err
	}
	cols, level := list(n.Cols), ""
	word := " UNION "
	if n.All {
		word = " UNION ALL "
	}
	if n.MaxLevel > 0 && n.All { // rows carry their round; without ALL that would make equal rows differ
		level = `, "level"`
		seed = "SELECT *, 0 AS \"level\" FROM (" + seed + ")"
		step = fmt.Sprintf(`SELECT %s, CASE WHEN lv >= %d THEN CAST(error(%s) AS INTEGER) ELSE lv + 1 END FROM (%s), (SELECT max("level") AS lv FROM %s)`,
			cols, n.MaxLevel, literal(raise("RECURSION_LEVEL_LIMIT_EXCEEDED", map[string]string{"levelLimit": strconv.Itoa(n.MaxLevel)})), step, name)
	}
	return "WITH RECURSIVE " + name + "(" + cols + level + ") AS ((" + seed + ")" + word + "(" + step + ")) SELECT " + cols + " FROM " + name, nil
}

// workingRows reads the rows of the round before, whose columns match those of the reader by position.
func (e *emitter) workingRows(n *rel.Working) (string, error) {
	w, ok := e.working[n]
	if !ok || len(w.cols) != len(n.Cols) {
		return "", fmt.Errorf("duckdb: a recursive reference stands outside its query")
	}
	parts := make([]string, len(n.Cols))
	for i, c := range n.Cols {
		parts[i] = name(w.cols[i].ID) + " AS " + name(c.ID)
	}
	return "SELECT " + strings.Join(parts, ", ") + " FROM " + w.name, nil
}

func (e *emitter) sample(n *rel.Sample) (string, error) {
	in, err := e.from(n.In)
	p := strconv.FormatFloat(max(0, min(100, n.Percent)), 'f', -1, 64)
	return fmt.Sprintf("SELECT * FROM %s USING SAMPLE bernoulli(%s%%) REPEATABLE (%d)", in, p, uint32(n.Seed)), err
}

func (e *emitter) tableFunc(n *rel.TableFunc) (string, error) {
	if n.Name != "range" || len(n.Cols) != 1 {
		return "", unsupported("the table function %s", n.Name)
	}
	args, err := e.exprs(n.Args)
	if err != nil {
		return "", err
	}
	if len(args) > 3 { // the number of Spark's partitions
		args = args[:3]
	}
	return "SELECT range AS " + name(n.Cols[0].ID) + " FROM range(" + strings.Join(args, ", ") + ")", nil
}

// window computes window functions side by side with all columns of the input.
func (e *emitter) window(n *rel.Window) (string, error) {
	in, err := e.from(n.In)
	if err != nil {
		return "", err
	}
	parts, err := e.computed(split(n.Funcs))
	return "SELECT " + strings.Join(slices.Insert(parts, 0, "*"), ", ") + " FROM " + in, err
}
