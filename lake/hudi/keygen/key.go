package keygen

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// What complex keys hold for values that are not there.
const (
	nullKey  = "__null__"
	emptyKey = "__empty__"
)

// maxKeyScale is the largest scale whose decimals Java never writes with an exponent.
const maxKeyScale = 6

// Key is the record key of a row with the given columns, which are found by name. Evaluating it fails for a row whose key is
// NULL or empty. Not to be called when keys are [Generator.Automatic].
func (g *Generator) Key(cols []rel.Column) (rel.Expr, error) {
	m := &maker{cols: cols}
	texts := make([]rel.Expr, len(g.keys))
	for i, name := range g.keys {
		texts[i] = m.text(m.column(name), name)
	}
	if m.err != nil {
		return nil, m.err
	}
	var e rel.Expr
	if g.Bare() {
		e = m.simpleKey(g.keys[0], texts[0])
	} else {
		e = m.complexKey(g.keys, texts)
	}
	return e, m.err
}

// Bare reports whether the key is the value of one field alone.
func (g *Generator) Bare() bool {
	if len(g.keys) != 1 {
		return false
	}
	switch g.kind {
	case Complex:
		return !g.prefixed
	case GlobalDelete:
		return false
	}
	return true
}

func (m *maker) simpleKey(name string, x rel.Expr) rel.Expr {
	whens := []rel.When{}
	if x.Nullable() {
		whens = append(whens, rel.When{If: m.call("isnull", x), Then: rel.Raise("HUDI_RECORD_KEY_MISSING", types.String, "value", "null", "field", name)})
	}
	whens = append(whens, rel.When{If: m.call("=", x, literal("")), Then: rel.Raise("HUDI_RECORD_KEY_MISSING", types.String, "value", "", "field", name)})
	return &rel.Case{Whens: whens, Else: x, T: types.String}
}

func (m *maker) complexKey(names []string, texts []rel.Expr) rel.Expr {
	var pieces []rel.Expr
	var nothing rel.Expr
	for i, x := range texts {
		prefix := names[i] + ":"
		if i > 0 {
			prefix = "," + prefix
		}
		value, absent := x, m.call("=", x, literal(""))
		whens := []rel.When{}
		if x.Nullable() {
			null := m.call("isnull", x)
			whens = append(whens, rel.When{If: null, Then: literal(nullKey)})
			absent = m.call("or", null, absent)
		}
		value = &rel.Case{Whens: append(whens, rel.When{If: m.call("=", x, literal("")), Then: literal(emptyKey)}), Else: x, T: types.String}
		pieces = append(pieces, literal(prefix), value)
		if nothing == nil {
			nothing = absent
		} else {
			nothing = m.call("and", nothing, absent)
		}
	}
	return &rel.Case{T: types.String, Else: m.call("concat", pieces...),
		Whens: []rel.When{{If: nothing, Then: rel.Raise("HUDI_RECORD_KEYS_MISSING", types.String, "fields", strings.Join(names, ", "))}}}
}

// maker builds expressions over columns. Its first error makes all that follow worthless.
type maker struct {
	cols []rel.Column
	zone string
	err  error
}

func (m *maker) fail(format string, args ...any) rel.Expr {
	if m.err == nil {
		m.err = fmt.Errorf(format, args...)
	}
	return literal("")
}

// call is a call of a function of the table.
func (m *maker) call(name string, args ...rel.Expr) rel.Expr {
	f := rel.FindFunction(name)
	if f == nil {
		return m.fail("there is no function %s", name)
	}
	zone := m.zone
	if zone == "" {
		zone = "UTC"
	}
	e, err := f.Resolve(args, rel.Settings{Zone: zone})
	if err != nil {
		return m.fail("%s: %w", name, err)
	}
	return e
}

// column is the column of that name, or the part of a struct column that a.b names.
func (m *maker) column(name string) rel.Expr {
	for _, c := range m.cols {
		if strings.EqualFold(c.Name, name) {
			return c.Ref()
		}
	}
	first, rest, nested := strings.Cut(name, ".")
	if !nested {
		return m.fail("the rows have no column %s", name)
	}
	x := m.column(first)
	for nested {
		first, rest, nested = strings.Cut(rest, ".")
		s, ok := x.Type().(types.Struct)
		i := -1
		if ok {
			i = s.Index(first)
		}
		if i < 0 {
			return m.fail("the rows have no field %s", name)
		}
		x = &rel.Field{X: x, Index: i}
	}
	return x
}

// text is x as Hudi's key generators write it.
func (m *maker) text(x rel.Expr, name string) rel.Expr {
	if m.err != nil {
		return literal("")
	}
	switch t := x.Type().(type) {
	case types.Basic:
		switch t {
		case types.String:
			return x
		case types.Boolean, types.Byte, types.Short, types.Int, types.Long, types.Float, types.Double, types.Date:
			return m.cast(x, types.String)
		case types.Timestamp:
			return m.cast(m.call("unix_micros", x), types.String)
		case types.TimestampNTZ:
			return m.cast(m.call("unix_micros", m.cast(x, types.Timestamp)), types.String)
		}
	case types.Char, types.Varchar, types.Collated:
		return m.cast(x, types.String)
	case types.Decimal:
		if t.S <= maxKeyScale {
			return m.cast(x, types.String)
		}
	}
	return m.fail("column %s of type %s cannot be part of a key or partition path", name, x.Type())
}

func (m *maker) cast(x rel.Expr, t types.Type) rel.Expr {
	zone := m.zone
	if zone == "" {
		zone = "UTC"
	}
	return &rel.Cast{X: x, To: t, Zone: zone}
}

func literal(s string) rel.Expr { return &rel.Lit{T: types.String, Value: s} }

func number(n int64) rel.Expr { return &rel.Lit{T: types.Long, Value: n} }
