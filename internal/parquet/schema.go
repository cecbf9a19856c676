package parquet

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// nodeKind says what a node of a schema is to its Arrow array.
type nodeKind uint8

const (
	nodeLeaf nodeKind = iota
	nodeStruct
	nodeList
	nodeMap // its kids are the key and the value
)

// node is a field of a schema that is written, with the levels of its values.
type node struct {
	name     string
	path     string // for errors: names joined by '.'
	kind     nodeKind
	typ      types.Type
	optional bool
	rep, def int // the levels of a cell where the value is there
	id       int32
	hasID    bool
	kids     []*node
	leaf     *leafWriter
}

// schema builds the nodes of a file.
type schema struct {
	o      *WriterOptions
	leaves []*leafWriter
}

// place is where a node stands in the schema.
type place struct {
	path     []string // names as stored
	name     string   // last name of the column or field, for people
	rep, def int
	inList   bool
	typ      types.Type
	optional bool
	repeated bool // the node is itself the repeated one: an element of a two-level list
}

func (s *schema) fields(fs []types.Field, up place) ([]*node, error) {
	seen := map[string]bool{}
	var out []*node
	for _, f := range fs {
		if seen[f.Name] {
			return nil, fmt.Errorf("column %s appears twice", f.Name)
		}
		seen[f.Name] = true
		p := up
		p.path = append(up.path[:len(up.path):len(up.path)], f.Name)
		p.name, p.typ, p.optional, p.repeated = f.Name, f.Type, f.Nullable || !s.o.Required, false
		n, err := s.node(p)
		if err != nil {
			return nil, err
		}
		if id, ok := f.Metadata.Int(s.o.FieldID); ok && s.o.FieldID != "" {
			n.id, n.hasID = int32(id), true
		}
		out = append(out, n)
	}
	return out, nil
}

func (s *schema) node(p place) (*node, error) {
	if p.optional && !p.repeated {
		p.def++
	}
	n := &node{name: p.name, path: strings.Join(p.path, "."), typ: p.typ, optional: p.optional && !p.repeated, rep: p.rep, def: p.def}
	var err error
	switch t := p.typ.(type) {
	case types.Struct:
		n.kind = nodeStruct
		if len(t.Fields) == 0 {
			return nil, fmt.Errorf("column %s: Parquet has no struct without fields", n.path)
		}
		n.kids, err = s.fields(t.Fields, p)
	case types.Array:
		n.kind = nodeList
		n.kids, err = s.element(t, p)
	case types.Map:
		n.kind = nodeMap
		n.kids, err = s.pair(t, p)
	default:
		n.leaf, err = s.leaf(p, n.path)
	}
	return n, err
}

func (s *schema) element(t types.Array, p place) ([]*node, error) {
	e := place{rep: p.rep + 1, def: p.def + 1, inList: true, typ: t.Elem}
	if s.o.TwoLevelLists {
		e.name, e.repeated = "array", true
		e.path = append(p.path[:len(p.path):len(p.path)], e.name)
	} else {
		e.name, e.optional = "element", t.Nullable || !s.o.Required
		e.path = append(p.path[:len(p.path):len(p.path)], "list", e.name)
	}
	n, err := s.node(e)
	return []*node{n}, err
}

func (s *schema) pair(t types.Map, p place) ([]*node, error) {
	k := place{rep: p.rep + 1, def: p.def + 1, inList: true, typ: t.Key, name: "key"}
	k.path = append(p.path[:len(p.path):len(p.path)], "key_value", k.name)
	v := k
	v.typ, v.name, v.optional = t.Value, "value", t.Nullable || !s.o.Required
	v.path = append(p.path[:len(p.path):len(p.path)], "key_value", v.name)
	key, err := s.node(k)
	if err != nil {
		return nil, err
	}
	value, err := s.node(v)
	return []*node{key, value}, err
}

// The physical types of Parquet.
const (
	physBoolean = 0
	physInt32   = 1
	physInt64   = 2
	physInt96   = 3
	physFloat   = 4
	physDouble  = 5
	physBytes   = 6
	physFixed   = 7
)

// leaf makes the writer of a column of values.
func (s *schema) leaf(p place, path string) (*leafWriter, error) {
	l := &leafWriter{path: p.path, name: path, typ: p.typ, inList: p.inList, maxRep: p.rep, maxDef: p.def, codec: s.o.Codec, pageBytes: s.o.PageBytes}
	switch t := p.typ.(type) {
	case types.Decimal:
		l.decimal(t, s.o.FixedDecimals)
	case types.Time, types.DayTime:
		l.phys, l.width, l.add = physInt64, 8, addFixed[uint64]
	case types.YearMonth:
		l.phys, l.width, l.add = physInt32, 4, addFixed[uint32]
	case types.Basic:
		switch t {
		case types.Boolean:
			l.phys, l.width, l.add = physBoolean, 1, addBool
		case types.Byte:
			l.phys, l.width, l.add = physInt32, 4, addInt8
		case types.Short:
			l.phys, l.width, l.add = physInt32, 4, addInt16
		case types.Int, types.Date:
			l.phys, l.width, l.add = physInt32, 4, addFixed[uint32]
		case types.Long, types.TimestampNTZ:
			l.phys, l.width, l.add = physInt64, 8, addFixed[uint64]
		case types.Timestamp:
			l.phys, l.width, l.add = physInt64, 8, addFixed[uint64]
		case types.Float:
			l.phys, l.width, l.add = physFloat, 4, addFixed[uint32]
		case types.Double:
			l.phys, l.width, l.add = physDouble, 8, addFixed[uint64]
		case types.String, types.Binary:
			l.phys, l.add = physBytes, addBytes
		}
		if s.o.Int96 && (t == types.Timestamp || t == types.TimestampNTZ) {
			l.phys, l.width, l.add = physInt96, 12, addInt96
		}
	default:
		if types.Text(t) {
			l.phys, l.add = physBytes, addBytes
		}
	}
	if l.add == nil {
		return nil, fmt.Errorf("column %s: Parquet files of tables have no %v", path, p.typ)
	}
	s.leaves = append(s.leaves, l)
	return l, nil
}

func (l *leafWriter) decimal(t types.Decimal, fixed bool) {
	switch {
	case !fixed && t.P <= 9:
		l.phys, l.width, l.add = physInt32, 4, addDecimal32
	case !fixed && t.P <= 18:
		l.phys, l.width, l.add = physInt64, 8, addDecimal64
	default:
		l.phys, l.width, l.add = physFixed, decimalBytes(t.P), addDecimal
	}
}

// decimalBytes is the length of the shortest two's complement number with p decimal digits.
func decimalBytes(p int) int {
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(p)), nil)
	return most.Sub(most, big.NewInt(1)).BitLen()/8 + 1
}

// The repetitions of Parquet.
const (
	required = 0
	optional = 1
	repeated = 2
)

// put appends the schema elements of n and what is below it, in prefix order, and gives their number.
func (n *node) put(w *thriftWriter, repeats bool) int {
	w.open()
	if n.leaf != nil {
		w.i32(1, n.leaf.phys)
		if n.leaf.phys == physFixed {
			w.i32(2, n.leaf.width)
		}
	}
	switch {
	case repeats:
		w.i32(3, repeated)
	case n.optional:
		w.i32(3, optional)
	default:
		w.i32(3, required)
	}
	w.text(4, n.name)
	switch n.kind {
	case nodeStruct:
		w.i32(5, len(n.kids))
	case nodeList, nodeMap:
		w.i32(5, 1)
	}
	n.annotate(w)
	w.close()
	return 1 + n.below(w)
}

func (n *node) below(w *thriftWriter) int {
	count := 0
	switch {
	case n.kind == nodeMap:
		count += putGroup(w, "key_value", 2)
	case n.kind == nodeList && n.kids[0].name == "element":
		count += putGroup(w, "list", 1)
	case n.kind == nodeList:
		return n.kids[0].put(w, true)
	}
	for _, k := range n.kids {
		count += k.put(w, false)
	}
	return count
}

// putGroup appends the repeated group of a list or map.
func putGroup(w *thriftWriter, name string, kids int) int {
	w.open()
	w.i32(3, repeated)
	w.text(4, name)
	w.i32(5, kids)
	w.close()
	return 1
}

// annotate appends the converted type, the field id and the logical type of a schema element, as Spark writes them.
func (n *node) annotate(w *thriftWriter) {
	a := annotationOf(n)
	if a.converted >= 0 {
		w.i32(6, a.converted)
	}
	if d, ok := n.typ.(types.Decimal); ok {
		w.i32(7, d.S)
		w.i32(8, d.P)
	}
	if n.hasID {
		w.i32(9, int(n.id))
	}
	if a.logical != 0 {
		w.structure(10)
		w.structure(a.logical)
		if a.fields != nil {
			a.fields(w)
		}
		w.close()
		w.close()
	}
}

// annotation is what a schema element says about its meaning.
type annotation struct {
	converted int   // -1: nothing
	logical   int16 // member of the union; 0: nothing
	fields    func(*thriftWriter)
}

func annotationOf(n *node) annotation {
	if n.leaf != nil && n.leaf.phys == physInt96 {
		return annotation{converted: -1}
	}
	switch t := n.typ.(type) {
	case types.Array:
		return annotation{converted: 3, logical: 3}
	case types.Map:
		return annotation{converted: 1, logical: 2}
	case types.Decimal:
		return annotation{5, 5, func(w *thriftWriter) { w.i32(1, t.S); w.i32(2, t.P) }}
	case types.Time:
		return annotation{-1, 7, micros(false)}
	case types.Basic:
		switch t {
		case types.Date:
			return annotation{converted: 6, logical: 6}
		case types.Timestamp:
			return annotation{10, 8, micros(true)}
		case types.TimestampNTZ:
			return annotation{-1, 8, micros(false)}
		case types.Byte:
			return annotation{15, 10, integer(8)}
		case types.Short:
			return annotation{16, 10, integer(16)}
		}
	}
	if types.Text(n.typ) {
		return annotation{converted: 0, logical: 1}
	}
	return annotation{converted: -1}
}

func micros(utc bool) func(*thriftWriter) {
	return func(w *thriftWriter) {
		w.boolean(1, utc)
		w.structure(2)
		w.empty(2)
		w.close()
	}
}

func integer(bits byte) func(*thriftWriter) {
	return func(w *thriftWriter) {
		w.i8(1, bits)
		w.boolean(2, true)
	}
}
