package keygen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// defaultPartition is the folder of rows whose partition value is NULL or empty.
const defaultPartition = "__HIVE_DEFAULT_PARTITION__"

// maxName is the length of the longest name of a folder, in bytes.
const maxName = 255

// special are the printable characters that URL encoding replaces, besides the control characters 1 to 31 and 127.
const special = "\"#%'*/:=?\\{[]^"

// escape is a partition value as it is in a URL-encoded path.
func escape(value string) string {
	var b strings.Builder
	for i := range len(value) {
		if c := value[i]; escaped(c) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func escaped(c byte) bool {
	return c > 0 && c < 0x20 || c == 0x7f || strings.IndexByte(special, c) >= 0
}

// CheckPath refuses a partition path that leaves the table, that readers would not look into, or that no folder can have.
func CheckPath(path string) error {
	if path == "" {
		return nil
	}
	for i, name := range strings.Split(path, "/") {
		switch {
		case name == "" || name == "." || name == ".." || i == 0 && name[0] == '.':
			return fmt.Errorf("partition path %q has a folder named %q, which no partition can have", path, name)
		case len(name) > maxName:
			return fmt.Errorf("a folder of the partition path %.40q… has a name of %d bytes; %d are the most", path, len(name), maxName)
		}
	}
	return nil
}

// Partition is the partition path of a row with the given columns. Evaluating it fails for a row whose path would leave the
// table.
func (g *Generator) Partition(cols []rel.Column) (rel.Expr, error) {
	m := &maker{cols: cols}
	if len(g.parts) == 0 {
		return literal(""), nil
	}
	var pieces []rel.Expr
	for i, p := range g.parts {
		prefix := ""
		if i > 0 {
			prefix = "/"
		}
		if g.hiveStyle {
			prefix += p.name + "="
		}
		if prefix != "" {
			pieces = append(pieces, literal(prefix))
		}
		pieces = append(pieces, g.folder(m, p))
	}
	if m.err != nil {
		return nil, m.err
	}
	path := pieces[0]
	if len(pieces) > 1 {
		path = m.call("concat", pieces...)
	}
	path = m.inside(path, strings.Join(g.PartitionFields(), ", "))
	return path, m.err
}

// folder is what a path holds for one field.
func (g *Generator) folder(m *maker, p part) rel.Expr {
	if p.time {
		x := g.time.format(m, m.column(p.name), p.name)
		if g.encode {
			x = m.escape(x)
		}
		return x
	}
	column := m.column(p.name)
	x := m.text(column, p.name)
	if m.err != nil {
		return x
	}
	whens := []rel.When{}
	if slices.Contains(g.required, p.name) {
		whens = append(whens, rel.When{If: m.call("or", m.call("isnull", x), m.call("=", x, literal(""))),
			Then: rel.Raise("HUDI_PARTITION_VALUE_EMPTY", types.String, "field", p.name)})
	} else if column.Nullable() {
		whens = append(whens, rel.When{If: m.call("or", m.call("isnull", x), m.call("=", x, literal(""))), Then: literal(defaultPartition)})
	} else if types.Text(column.Type()) {
		whens = append(whens, rel.When{If: m.call("=", x, literal("")), Then: rel.Raise("HUDI_PARTITION_VALUE_EMPTY", types.String, "field", p.name)})
	}
	value := x
	if types.Text(column.Type()) {
		whens = append(whens, rel.When{If: m.call(">", m.call("octet_length", x), &rel.Lit{T: types.Int, Value: int64(maxName)}),
			Then: rel.Raise("HUDI_PARTITION_PATH", types.String, "field", p.name, "reason", "a folder's name can have 255 bytes at most")})
	}
	if g.encode {
		value = m.escape(x)
	}
	if len(whens) == 0 {
		return value
	}
	return &rel.Case{Whens: whens, Else: value, T: types.String}
}

// escape is x URL-encoded. Values that need none, which most are, are only looked at.
func (m *maker) escape(x rel.Expr) rel.Expr {
	var found rel.Expr
	all := special + "\x7f"
	for c := byte(1); c < 0x20; c++ {
		all += string(rune(c))
	}
	value := m.call("replace", x, literal("%"), literal("%25"))
	for i := range len(all) {
		c := all[i : i+1]
		has := m.call("contains", x, literal(c))
		if found == nil {
			found = has
		} else {
			found = m.call("or", found, has)
		}
		if c != "%" {
			value = m.call("replace", value, literal(c), literal(escape(c)))
		}
	}
	return &rel.Case{Whens: []rel.When{{If: found, Then: value}}, Else: x, T: types.String}
}

// inside is path, but an error for one that [CheckPath] refuses.
func (m *maker) inside(path rel.Expr, fields string) rel.Expr {
	var bad rel.Expr
	for _, test := range []struct{ name, text string }{
		{"startswith", "."}, {"startswith", "/"}, {"endswith", "/"}, {"endswith", "/."}, {"endswith", "/.."},
		{"contains", "//"}, {"contains", "/./"}, {"contains", "/../"},
	} {
		is := m.call(test.name, path, literal(test.text))
		if bad == nil {
			bad = is
		} else {
			bad = m.call("or", bad, is)
		}
	}
	return &rel.Case{Whens: []rel.When{{If: bad, Then: rel.Raise("HUDI_PARTITION_PATH", types.String, "field", fields, "reason", "it would lie outside the table, or where readers do not look")}},
		Else: path, T: types.String}
}
