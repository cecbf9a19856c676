package plan

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// The metadata keys of a column, as Spark and Delta spell them.
const (
	DefaultKey    = "CURRENT_DEFAULT"            // SQL text of the default
	ExistsKey     = "EXISTS_DEFAULT"             // its value when the column was made
	GeneratedKey  = "delta.generationExpression" // SQL text of a generated column
	CommentKey    = "comment"
	identityStart = "delta.identity.start"
	checkPrefix   = "delta.constraints." // of table properties that hold a CHECK
)

// fitter makes rows that fit a table: the values of its columns with casts, defaults, generated values and
// guards that fail on a value that the table does not allow.
type fitter struct {
	ctx       context.Context
	scope     Scope
	set       rel.Settings
	t         Target
	schema    types.Struct // of the table, after this statement
	byName    bool         // parts of structs match by name
	explicit  bool         // values are cast as CAST does it, as in UPDATE and MERGE of Hudi, not as INSERT
	narrowing []StoreCast
}

func newFitter(ctx context.Context, s Scope, t Target, schema types.Struct, byName bool) *fitter {
	return &fitter{ctx: ctx, scope: s, set: settings(s), t: t, schema: schema, byName: byName, explicit: t.delta()}
}

// cast is x as a column of type to holds it. text is the SQL of x for errors.
func (f *fitter) cast(x rel.Expr, column string, to types.Type, text string) (rel.Expr, error) {
	if types.Equal(x.Type(), to) && !sizedText(to) {
		return x, nil
	}
	if f.byName {
		y, err := f.align(x, to, nil)
		if err != nil {
			return nil, err
		}
		x = y
	}
	if narrows(x.Type(), to) {
		f.narrowing = append(f.narrowing, StoreCast{quoteName(column), x.Type(), to})
	}
	var y rel.Expr
	var err error
	if f.explicit {
		y, err = f.castExplicitly(x, to)
	} else {
		y, err = rel.StoreAssign(x, to, f.set)
	}
	return y, f.castError(err, column, text)
}

// castExplicitly is the cast of Delta, and of Hudi's UPDATE and MERGE: whatever CAST allows. Text that is too long is an error.
func (f *fitter) castExplicitly(x rel.Expr, to types.Type) (rel.Expr, error) {
	set := f.set
	set.Mode = rel.ANSI
	n := 0
	switch t := to.(type) {
	case types.Char:
		n = t.N
	case types.Varchar:
		n = t.N
	default:
		return rel.CastTo(x, to, set)
	}
	x, err := rel.CastTo(x, types.String, set)
	if err != nil {
		return nil, err
	}
	length, err := call(set, "char_length", x)
	if err != nil {
		return nil, err
	}
	long, err := call(set, ">", length, &rel.Lit{T: types.Int, Value: int64(n)})
	if err != nil {
		return nil, err
	}
	return &rel.Case{Whens: []rel.When{{If: long, Then: rel.Raise("DELTA_EXCEED_CHAR_VARCHAR_LIMIT", types.String,
		"value", "more than "+strconv.Itoa(n), "expr", to.String())}}, Else: x, T: types.String}, nil
}

func (f *fitter) castError(err error, column, text string) error {
	var a *rel.ArgError
	if !errors.As(err, &a) {
		return err
	}
	params := maps.Clone(a.Params)
	for k, v := range params {
		params[k] = strings.NewReplacer("$0", text, "$1", text).Replace(v)
	}
	if strings.HasPrefix(a.Class, "INCOMPATIBLE_DATA_FOR_TABLE") {
		params["tableName"], params["colName"] = f.t.text(), quoteName(column)
	}
	return &Error{Class: a.Class, Params: params}
}

func sizedText(t types.Type) bool {
	switch t.(type) {
	case types.Char, types.Varchar:
		return true
	}
	return false
}

// narrows reports whether a cast between number types can overflow.
func narrows(from, to types.Type) bool {
	if !types.Numeric(from) || !types.Numeric(to) || types.Equal(from, to) {
		return false
	}
	t, ok := rel.CommonType([]types.Type{from, to}, rel.Settings{})
	return !ok || !types.Equal(t, to)
}

// align puts the parts of structs in x, at any depth, into the order of to by their names. Parts that x lacks are those
// of old, and NULL where old is nil or lacks them too. A NULL struct stays NULL.
func (f *fitter) align(x rel.Expr, to types.Type, old rel.Expr) (rel.Expr, error) {
	want, ok := to.(types.Struct)
	have, is := x.Type().(types.Struct)
	if !ok || !is || sameNames(have, want) && !nested(want) {
		return x, nil
	}
	names, values := make([]string, len(want.Fields)), make([]rel.Expr, len(want.Fields))
	for i, w := range want.Fields {
		names[i] = w.Name
		j := have.Index(w.Name)
		kept := partOf(old, w.Name)
		switch {
		case j < 0 && kept != nil:
			values[i] = kept
			continue
		case j < 0:
			values[i] = &rel.Lit{T: w.Type}
			continue
		}
		v, err := f.align(&rel.Field{X: x, Index: j}, w.Type, kept)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	made := rel.NewStruct(names, values)
	if !x.Nullable() {
		return made, nil
	}
	null, err := call(f.set, "isnull", x)
	if err != nil {
		return nil, err
	}
	return &rel.Case{Whens: []rel.When{{If: null, Then: &rel.Lit{T: made.Type()}}}, Else: made, T: made.Type()}, nil
}

// partOf is the field of that name of a struct, or nil.
func partOf(x rel.Expr, name string) rel.Expr {
	if x == nil {
		return nil
	}
	if s, ok := x.Type().(types.Struct); ok {
		if i := s.Index(name); i >= 0 {
			return &rel.Field{X: x, Index: i}
		}
	}
	return nil
}

func sameNames(a, b types.Struct) bool {
	return slices.EqualFunc(a.Fields, b.Fields, func(f, g types.Field) bool { return strings.EqualFold(f.Name, g.Name) })
}

func nested(s types.Struct) bool {
	return slices.ContainsFunc(s.Fields, func(f types.Field) bool { _, ok := f.Type.(types.Struct); return ok })
}

// call is a call of a function of the table.
func call(s rel.Settings, name string, args ...rel.Expr) (rel.Expr, error) {
	fn := rel.FindFunction(name)
	if fn == nil {
		return nil, fail("UNRESOLVED_ROUTINE", nil, "routineName", quoteName(name), "searchPath", "[]")
	}
	return fn.Resolve(args, s)
}

// defaultOf is the value of a column that a statement does not give: its default, else NULL.
func (f *fitter) defaultOf(c types.Field) (rel.Expr, error) {
	text, ok := c.Metadata.Text(DefaultKey)
	if !ok {
		return &rel.Lit{T: c.Type}, nil
	}
	e, err := syntax.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	x, err := Expr(f.ctx, e, nil, f.scope)
	if err != nil {
		return nil, err
	}
	return f.cast(x, c.Name, c.Type, text)
}

// fillDefaults gives the columns that have no value in out their defaults, but not those that are generated.
func (f *fitter) fillDefaults(out []rel.Expr) error {
	for i, c := range f.schema.Fields {
		if _, made := c.Metadata.Text(GeneratedKey); out[i] != nil || made {
			continue
		}
		x, err := f.defaultOf(c)
		if err != nil {
			return err
		}
		out[i] = x
	}
	return nil
}

// generationOf is the expression of a generated column, or nil.
func generationOf(c types.Field) (syntax.Expr, string, error) {
	text, ok := c.Metadata.Text(GeneratedKey)
	if !ok {
		return nil, "", nil
	}
	e, err := syntax.ParseExpr(text)
	return e, text, err
}

// fitted are rows that fit: Columns are the ids of the table's columns in its order.
type fitted struct {
	node    rel.Node
	columns []rel.Column
}

// fit computes the columns of the table from the columns of in. values has one expression per column, nil for a
// generated column that the statement does not give. active, over columns of in, says which rows the guards look
// at; nil is all. The columns keep of in are passed on.
func (f *fitter) fit(in rel.Node, values []rel.Expr, keep []rel.Column, active rel.Expr) (fitted, error) {
	first := &rel.Project{In: in}
	out := fitted{columns: make([]rel.Column, len(values))}
	for _, c := range keep {
		first.Cols = append(first.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	flag := rel.NewColumn("active", types.Boolean)
	if active != nil {
		first.Cols = append(first.Cols, rel.Computed{Column: flag, Expr: active})
	}
	for i, c := range f.schema.Fields {
		out.columns[i] = rel.NewColumn(c.Name, c.Type)
		if values[i] != nil {
			out.columns[i].Nullable = values[i].Nullable()
			first.Cols = append(first.Cols, rel.Computed{Column: out.columns[i], Expr: values[i]})
		}
	}
	node, err := f.generate(first, values, out.columns)
	if err != nil {
		return out, err
	}
	out.node, err = f.guard(node, values, out.columns, active, flag)
	return out, err
}

// generate adds the generated columns that no value was given for.
func (f *fitter) generate(in *rel.Project, values []rel.Expr, cols []rel.Column) (rel.Node, error) {
	var more []rel.Computed
	for i, c := range f.schema.Fields {
		if values[i] != nil {
			continue
		}
		e, text, err := generationOf(c)
		if err != nil {
			return nil, err
		}
		x, err := Expr(f.ctx, e, []Input{{Columns: cols}}, f.scope)
		if err != nil {
			return nil, err
		}
		if x, err = f.cast(x, c.Name, c.Type, text); err != nil {
			return nil, err
		}
		more = append(more, rel.Computed{Column: cols[i], Expr: x})
	}
	if more == nil {
		return in, nil
	}
	out := &rel.Project{In: in}
	for _, c := range in.Cols {
		out.Cols = append(out.Cols, rel.Computed{Column: c.Column, Expr: c.Ref()})
	}
	out.Cols = append(out.Cols, more...)
	return out, nil
}

// guard fails on the first row that the table does not allow.
func (f *fitter) guard(in rel.Node, values []rel.Expr, cols []rel.Column, active rel.Expr, flag rel.Column) (rel.Node, error) {
	var whens []rel.When
	if active != nil {
		off, err := call(f.set, "not", flag.Ref())
		if err != nil {
			return nil, err
		}
		whens = append(whens, rel.When{If: off, Then: trueLit})
	}
	before := len(whens)
	for _, guards := range []func([]rel.Expr, []rel.Column) ([]rel.When, error){f.notNull, f.matchGenerated, f.checks} {
		more, err := guards(values, cols)
		if err != nil {
			return nil, err
		}
		whens = append(whens, more...)
	}
	if len(whens) == before {
		return in, nil
	}
	return &rel.Filter{In: in, Cond: &rel.Case{Whens: whens, Else: trueLit, T: types.Boolean}}, nil
}

var trueLit = &rel.Lit{T: types.Boolean, Value: true}

func (f *fitter) notNull(values []rel.Expr, cols []rel.Column) ([]rel.When, error) {
	var out []rel.When
	for i, c := range f.schema.Fields {
		whens, err := f.notNullIn(cols[i].Ref(), c, c.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, whens...)
	}
	return out, nil
}

func (f *fitter) notNullIn(x rel.Expr, c types.Field, path string) ([]rel.When, error) {
	var out []rel.When
	if !c.Nullable {
		null, err := call(f.set, "isnull", x)
		if err != nil {
			return nil, err
		}
		class := "NOT_NULL_ASSERT_VIOLATION"
		if f.t.delta() {
			class = "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"
		}
		out = append(out, rel.When{If: null, Then: rel.Raise(class, types.Boolean, "columnName", path)})
	}
	if s, ok := c.Type.(types.Struct); ok {
		for i, part := range s.Fields {
			more, err := f.notNullIn(&rel.Field{X: x, Index: i}, part, path+"."+part.Name)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
	}
	return out, nil
}

// matchGenerated compares values given for generated columns with what they must be.
func (f *fitter) matchGenerated(values []rel.Expr, cols []rel.Column) ([]rel.When, error) {
	var out []rel.When
	for i, c := range f.schema.Fields {
		e, text, err := generationOf(c)
		if err != nil || e == nil || values[i] == nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		x, err := Expr(f.ctx, e, []Input{{Columns: cols}}, f.scope)
		if err != nil {
			return nil, err
		}
		if x, err = f.cast(x, c.Name, c.Type, text); err != nil {
			return nil, err
		}
		when, err := f.violated("<=>", cols[i].Ref(), x, "Generated Column", "("+quoteName(c.Name)+" <=> "+text+")")
		if err != nil {
			return nil, err
		}
		out = append(out, when)
	}
	return out, nil
}

func (f *fitter) violated(op string, a, b rel.Expr, name, text string) (rel.When, error) {
	ok, err := call(f.set, op, a, b)
	if err != nil {
		return rel.When{}, err
	}
	no, err := call(f.set, "not", ok)
	return rel.When{If: no, Then: violation(name, text)}, err
}

func violation(name, text string) rel.Expr {
	return rel.Raise("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", types.Boolean, "constraintName", name, "expression", text, "values", "")
}

// checks are the CHECK constraints: each must be true, so that NULL violates it.
func (f *fitter) checks(values []rel.Expr, cols []rel.Column) ([]rel.When, error) {
	var out []rel.When
	for _, key := range slices.Sorted(maps.Keys(f.t.Meta.Properties)) {
		name, ok := strings.CutPrefix(key, checkPrefix)
		if !ok {
			continue
		}
		text := f.t.Meta.Properties[key]
		x, err := f.condition(text, cols)
		if e, ok := err.(*Error); ok && strings.HasPrefix(e.Class, "UNRESOLVED_COLUMN") {
			// a column that the new schema lacks is NULL in the eyes of the constraint, which it violates
			return append(out, rel.When{If: trueLit, Then: violation(name, text)}), nil
		}
		if err != nil {
			return nil, err
		}
		when, err := f.violated("<=>", x, trueLit, name, text)
		if err != nil {
			return nil, err
		}
		out = append(out, when)
	}
	return out, nil
}

// condition is the condition of a constraint over cols.
func (f *fitter) condition(text string, cols []rel.Column) (rel.Expr, error) {
	e, err := syntax.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	return Condition(f.ctx, e, []Input{{Columns: cols}}, f.scope)
}

// refuseIdentity refuses tables whose columns number their rows.
func refuseIdentity(m *lake.Meta) error {
	for _, c := range m.Schema.Fields {
		if _, ok := c.Metadata[identityStart]; ok {
			return unsupported("writing to a table with the identity column "+c.Name, nil)
		}
	}
	return nil
}

func ids(cols []rel.Column) []rel.ID {
	out := make([]rel.ID, len(cols))
	for i, c := range cols {
		out[i] = c.ID
	}
	return out
}
