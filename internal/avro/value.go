package avro

import (
	"fmt"
	"reflect"
	"strings"
)

// A Union is a value of a union that is more than null and one type, with the name of its branch: the full name of a
// record, enum or fixed ("org.apache.hudi.avro.model.LongWrapper"), else that of the type ("string").
type Union struct {
	Branch string
	Value  any
}

// Decode reads one record into the struct, or the any, that into points to. Fields are found by their tag `avro:"name"`;
// those that the struct lacks are passed over, those that the record lacks keep their value. Fields of an embedded struct
// without a tag count as the struct's. Avro's types go to Go's:
//
//	boolean bool    int, long any int    float, double any float    string, enum string    bytes, fixed []byte
//	array []T       map map[string]T     record struct               null: nil or zero
//	null and T: *T or T      other unions: [Union] (also for any), nil for null
//
// An any becomes bool, int32, int64, float32, float64, string, []byte, []any, map[string]any (map and record).
func (s *Schema) Decode(record []byte, into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("avro: Decode into %T, which is not a pointer", into)
	}
	d := goDecoder{cursor: cursor{b: record, budget: freeCells + cellRatio*len(record)}, plans: plans{}}
	d.decode(s.root, v.Elem())
	if d.err == nil && d.left() > 0 {
		d.fail("%d bytes are left after the last field", d.left())
	}
	if d.err != nil {
		return fmt.Errorf("avro: record of %s: %w", s.Name(), d.err)
	}
	return nil
}

// plan is a pair of a record and a struct, for which the places of the fields are remembered.
type plan struct {
	n *node
	t reflect.Type
}

// slot is where a struct has a field of a record, possibly in an embedded struct.
type slot struct {
	path     []int // nil when it has none
	omitZero bool
}

type plans map[plan][]slot

// slots are the struct's places of the record's fields.
func (p plans) slots(n *node, t reflect.Type) []slot {
	out, ok := p[plan{n, t}]
	if ok {
		return out
	}
	tags := map[string]slot{}
	for _, f := range reflect.VisibleFields(t) {
		name, option, _ := strings.Cut(f.Tag.Get("avro"), ",")
		if name != "" {
			tags[name] = slot{f.Index, option == "omitzero"}
		}
	}
	out = make([]slot, len(n.fields))
	for i, f := range n.fields {
		out[i] = tags[f.name]
	}
	p[plan{n, t}] = out
	return out
}

type goDecoder struct {
	cursor
	plans plans
}

// decode reads a value of n into v, which can be set.
func (d *goDecoder) decode(n *node, v reflect.Value) {
	if n.kind == kUnion {
		d.union(n, v)
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if v.NumMethod() == 0 {
			if x := d.any(n); x != nil && d.err == nil {
				v.Set(reflect.ValueOf(x))
			}
			return
		}
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		d.decode(n, p.Elem())
		v.Set(p)
		return
	}
	switch n.kind {
	case kNull:
		v.SetZero()
	case kArray:
		d.array(n, v)
	case kMap:
		d.mapping(n, v)
	case kRecord:
		d.record(n, v)
	default:
		d.leaf(n, v)
	}
}

func (d *goDecoder) mismatch(n *node, v reflect.Value) { d.fail("%v into a %v", n, v.Type()) }

func (d *goDecoder) union(n *node, v reflect.Value) {
	i := d.long()
	if i < 0 || i >= int64(len(n.branches)) {
		d.fail("union has no branch %d", i)
		return
	}
	branch := n.branches[i]
	_, null := n.optional()
	switch {
	case branch.kind == kNull:
		v.SetZero()
	case null >= 0 || len(n.branches) == 1:
		d.decode(branch, v)
	case v.Kind() == reflect.Pointer && v.Type().Elem() == reflect.TypeFor[Union]():
		v.Set(reflect.ValueOf(&Union{branch.branchName(), d.any(branch)}))
	case v.Type() == reflect.TypeFor[Union]() || v.Kind() == reflect.Interface && v.NumMethod() == 0:
		v.Set(reflect.ValueOf(Union{branch.branchName(), d.any(branch)}))
	default:
		d.mismatch(n, v)
	}
}

// branchName is the name of a type as a branch of a union.
func (n *node) branchName() string {
	if n.name != "" {
		return n.name
	}
	return (&node{kind: n.kind, elem: &node{}}).String()
}

func (d *goDecoder) leaf(n *node, v reflect.Value) {
	k := v.Kind()
	bytes := k == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8
	switch {
	case n.kind == kBoolean && k == reflect.Bool:
		v.SetBool(d.boolean())
	case (n.kind == kInt || n.kind == kLong) && v.CanInt():
		x := d.long()
		if v.OverflowInt(x) {
			d.fail("%d into a %v", x, v.Type())
			return
		}
		v.SetInt(x)
	case n.kind == kFloat && v.CanFloat():
		v.SetFloat(float64(d.float()))
	case n.kind == kDouble && k == reflect.Float64:
		v.SetFloat(d.double())
	case (n.kind == kString || n.kind == kEnum) && k == reflect.String:
		s, _ := d.any(n).(string)
		v.SetString(s)
	case (n.kind == kBytes || n.kind == kFixed) && bytes:
		b, _ := d.any(n).([]byte)
		v.SetBytes(b)
	default:
		d.mismatch(n, v)
	}
}

func (d *goDecoder) array(n *node, v reflect.Value) {
	if v.Kind() != reflect.Slice {
		d.mismatch(n, v)
		return
	}
	out := reflect.MakeSlice(v.Type(), 0, 0)
	for k := d.block(1); k > 0; k = d.block(1) {
		for ; k > 0 && d.err == nil; k-- {
			item := reflect.New(v.Type().Elem()).Elem()
			d.decode(n.elem, item)
			out = reflect.Append(out, item)
		}
	}
	v.Set(out)
}

func (d *goDecoder) mapping(n *node, v reflect.Value) {
	if v.Kind() != reflect.Map || v.Type().Key().Kind() != reflect.String {
		d.mismatch(n, v)
		return
	}
	out := reflect.MakeMap(v.Type())
	for k := d.block(1); k > 0; k = d.block(1) {
		for ; k > 0 && d.err == nil; k-- {
			key := reflect.ValueOf(string(d.bytes())).Convert(v.Type().Key())
			item := reflect.New(v.Type().Elem()).Elem()
			d.decode(n.elem, item)
			out.SetMapIndex(key, item)
		}
	}
	v.Set(out)
}

func (d *goDecoder) record(n *node, v reflect.Value) {
	if v.Kind() != reflect.Struct {
		d.mismatch(n, v)
		return
	}
	for i, at := range d.plans.slots(n, v.Type()) {
		if d.err != nil {
			return
		}
		if at.path == nil {
			d.skip(n.fields[i].node)
			continue
		}
		if d.decode(n.fields[i].node, v.FieldByIndex(at.path)); d.err != nil {
			d.err = fmt.Errorf("field %s: %w", n.fields[i].name, d.err)
		}
	}
}

// any is the next value in its own Go type.
func (d *goDecoder) any(n *node) any {
	d.spend(4) // an interface and its content
	if d.err != nil {
		return nil
	}
	switch n.kind {
	case kBoolean:
		return d.boolean()
	case kInt:
		return d.int()
	case kLong:
		return d.long()
	case kFloat:
		return d.float()
	case kDouble:
		return d.double()
	case kString:
		return string(d.bytes())
	case kBytes:
		return append([]byte{}, d.bytes()...)
	case kFixed:
		return append([]byte{}, d.take(n.size)...)
	case kEnum:
		if i := d.int(); i >= 0 && int(i) < len(n.symbols) {
			return n.symbols[i]
		}
		d.fail("enum %s has no such symbol", n.name)
	case kArray:
		var out []any
		d.array(n, reflect.ValueOf(&out).Elem())
		return out
	case kMap:
		var out map[string]any
		d.mapping(n, reflect.ValueOf(&out).Elem())
		return out
	case kRecord:
		out := make(map[string]any, len(n.fields))
		for _, f := range n.fields {
			var v any
			d.decode(f.node, reflect.ValueOf(&v).Elem())
			out[f.name] = v
		}
		return out
	}
	return nil
}
