package parquet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pq "github.com/parquet-go/parquet-go"

	"github.com/tarn-lake/tarn/types"
)

// Arrow is columns of the whole file in the Arrow types of the wanted fields, found by name; nil for those that the file lacks. Lists may
// have two levels or three. Numbers are widened. It is for small files: every value becomes a Go value on the way.
func (f *File) Arrow(want []types.Field) (out []arrow.Array, err error) {
	defer guard(&err)
	out = make([]arrow.Array, len(want))
	for i, field := range want {
		if out[i], err = f.arrowColumn(field); err != nil {
			return nil, fmt.Errorf("column %s: %w", field.Name, err)
		}
	}
	return out, nil
}

func (f *File) arrowColumn(field types.Field) (arrow.Array, error) {
	node := child(f.file.Schema(), field.Name)
	if node == nil {
		return nil, nil
	}
	b := array.NewBuilder(memory.DefaultAllocator, types.Arrow(field.Type))
	for group := range f.Groups() {
		a := assembly{file: f, group: group}
		read, err := a.compile(node, field.Type, []string{field.Name}, 0, 0)
		if err != nil {
			return nil, err
		}
		for range f.GroupRows(group) {
			v := read.value()
			if read.leaves[0].at > read.leaves[0].Len {
				a.fail(read.leaves[0].Path)
			}
			if a.err != nil {
				return nil, a.err
			}
			if err := types.AppendValue(b, v); err != nil {
				return nil, err
			}
		}
	}
	return b.NewArray(), nil
}

func child(n pq.Node, name string) pq.Node {
	for _, f := range n.Fields() {
		if f.Name() == name {
			return f
		}
	}
	return nil
}

// assembly makes the values of one column of a row group of the cells of its leaves.
type assembly struct {
	file  *File
	group int
	err   error
}

// track is a leaf that is read cell by cell.
type track struct {
	*Vector
	at int
}

func (c *track) def() int {
	if c.at >= c.Len || c.Def == nil {
		return 0
	}
	return int(c.Def[c.at])
}

// again reports whether the next cell belongs to the same list of repetition level rep.
func (c *track) again(rep int) bool { return c.at < c.Len && c.Rep != nil && int(c.Rep[c.at]) >= rep }

// reading reads the values of one node. All its leaves stand at the same value.
type reading struct {
	leaves []*track
	value  func() types.Value
}

// null passes over a value that is not there.
func (r *reading) null() types.Value {
	for _, c := range r.leaves {
		c.at++
	}
	return nil
}

// compile makes the reading of a node whose parent has the levels def and rep.
func (a *assembly) compile(n pq.Node, t types.Type, path []string, def, rep int) (*reading, error) {
	if n.Optional() {
		def++
	}
	if n.Leaf() {
		return a.leaf(t, path)
	}
	switch t := t.(type) {
	case types.Struct:
		return a.record(n, t, path, def, rep)
	case types.Array:
		return a.list(n, t, path, def, rep)
	case types.Map:
		return a.pairs(n, t, path, def, rep)
	}
	return nil, fmt.Errorf("a group cannot be read as %v", t)
}

func (a *assembly) leaf(t types.Type, path []string) (*reading, error) {
	leaf, ok := a.file.Leaf(path...)
	if !ok {
		return nil, fmt.Errorf("there is no leaf %s", strings.Join(path, "."))
	}
	convert, ok := conversion(leaf.SparkType(), t)
	if !ok {
		return nil, fmt.Errorf("%v cannot be read as %v", leaf.SparkType(), t)
	}
	v, err := a.file.Read(a.group, leaf)
	if err != nil {
		return nil, err
	}
	c := &track{Vector: v}
	return &reading{[]*track{c}, func() types.Value {
		if c.at >= c.Len {
			a.fail(path)
			return nil
		}
		c.at++
		if v := c.Value(c.at - 1); v != nil {
			return convert(v)
		}
		return nil
	}}, nil
}

func (a *assembly) fail(path []string) {
	if a.err == nil {
		a.err = fmt.Errorf("%s has fewer values than the file has rows", strings.Join(path, "."))
	}
}

// conversion makes a value of type to of one of type from.
func conversion(from, to types.Type) (func(types.Value) types.Value, bool) {
	same := func(v types.Value) types.Value { return v }
	whole := []types.Type{types.Byte, types.Short, types.Int, types.Long}
	i, k := slices.Index(whole, from), slices.Index(whole, to)
	switch {
	case from == to, types.Text(to) && from == types.Type(types.Binary):
		if types.Text(to) && from == types.Type(types.Binary) {
			return func(v types.Value) types.Value { return string(v.([]byte)) }, true
		}
		return same, true
	case i >= 0 && k >= 0:
		return same, k >= i || from == types.Type(types.Int)
	case i >= 0 && to == types.Type(types.Double):
		return func(v types.Value) types.Value { return float64(v.(int64)) }, true
	case i >= 0 && to == types.Type(types.Float):
		return func(v types.Value) types.Value { return float32(v.(int64)) }, true
	case from == types.Type(types.Float) && to == types.Type(types.Double):
		return func(v types.Value) types.Value { return float64(v.(float32)) }, true
	case types.Text(to) && types.Text(from):
		return same, true
	}
	return nil, false
}

func (a *assembly) record(n pq.Node, t types.Struct, path []string, def, rep int) (*reading, error) {
	r := &reading{}
	fields := make([]*reading, len(t.Fields))
	for i, f := range t.Fields {
		node := child(n, f.Name)
		if node == nil {
			continue
		}
		var err error
		if fields[i], err = a.compile(node, f.Type, append(slices.Clone(path), f.Name), def, rep); err != nil {
			return nil, err
		}
		r.leaves = append(r.leaves, fields[i].leaves...)
	}
	if len(r.leaves) == 0 {
		return nil, fmt.Errorf("the file has none of the fields of %s", strings.Join(path, "."))
	}
	r.value = func() types.Value {
		if n.Optional() && r.leaves[0].def() < def {
			return r.null()
		}
		out := make([]types.Value, len(fields))
		for i, f := range fields {
			if f != nil {
				out[i] = f.value()
			}
		}
		return out
	}
	return r, nil
}

// repeatedChild is the one child of a list or map, which repeats.
func repeatedChild(n pq.Node, path []string) (pq.Node, []string, error) {
	fields := n.Fields()
	if n.Repeated() || len(fields) != 1 || !fields[0].Repeated() {
		return nil, nil, fmt.Errorf("%s is no list or map", strings.Join(path, "."))
	}
	return fields[0], append(slices.Clone(path), fields[0].Name()), nil
}

// each reads what repeats: nil is NULL, else the items, of which there may be none.
func (r *reading) each(optional bool, def, rep int, item func()) bool {
	first := r.leaves[0]
	switch d := first.def(); {
	case optional && d < def:
		r.null()
		return false
	case d <= def:
		r.null()
		return true
	}
	for item(); first.again(rep + 1); {
		item()
	}
	return true
}

func (a *assembly) list(n pq.Node, t types.Array, path []string, def, rep int) (*reading, error) {
	node, inner, err := repeatedChild(n, path)
	if err != nil {
		return nil, err
	}
	var elem *reading
	last := path[len(path)-1]
	if fields := node.Fields(); !node.Leaf() && len(fields) == 1 && inner[len(inner)-1] != "array" && inner[len(inner)-1] != last+"_tuple" {
		elem, err = a.compile(fields[0], t.Elem, append(inner, fields[0].Name()), def+1, rep+1)
	} else {
		elem, err = a.compile(node, t.Elem, inner, def+1, rep+1)
	}
	if err != nil {
		return nil, err
	}
	r := &reading{leaves: elem.leaves}
	r.value = func() types.Value {
		out := []types.Value{}
		if !r.each(n.Optional(), def, rep, func() { out = append(out, elem.value()) }) {
			return nil
		}
		return out
	}
	return r, nil
}

func (a *assembly) pairs(n pq.Node, t types.Map, path []string, def, rep int) (*reading, error) {
	node, inner, err := repeatedChild(n, path)
	if err != nil {
		return nil, err
	}
	fields := node.Fields()
	if node.Leaf() || len(fields) != 2 {
		return nil, fmt.Errorf("%s is no map", strings.Join(path, "."))
	}
	at := func(i int, t types.Type) (*reading, error) {
		f := child(node, []string{"key", "value"}[i])
		if f == nil {
			return nil, fmt.Errorf("%s is no map", strings.Join(path, "."))
		}
		return a.compile(f, t, append(slices.Clone(inner), []string{"key", "value"}[i]), def+1, rep+1)
	}
	key, err := at(0, t.Key)
	if err != nil {
		return nil, err
	}
	value, err := at(1, t.Value)
	if err != nil {
		return nil, err
	}
	r := &reading{leaves: append(slices.Clone(key.leaves), value.leaves...)}
	r.value = func() types.Value {
		out := []types.Pair{}
		if !r.each(n.Optional(), def, rep, func() { out = append(out, types.Pair{Key: key.value(), Value: value.value()}) }) {
			return nil
		}
		return out
	}
	return r, nil
}
