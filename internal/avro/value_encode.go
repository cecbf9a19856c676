package avro

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
)

// Encode appends the record of a Go value to dst: a struct with tags, a pointer to one, or a map[string]any, of the types
// that [Schema.Decode] gives. A field that the value lacks is null or the default of the schema, and so is a zero one with
// the tag `avro:"name,omitzero"`. Maps are written in the order of their keys, so equal values give equal bytes.
func (s *Schema) Encode(dst []byte, value any) ([]byte, error) {
	e := goEncoder{dst: dst, plans: plans{}}
	if err := e.encode(s.root, reflect.ValueOf(value)); err != nil {
		return dst, fmt.Errorf("avro: record of %s: %w", s.Name(), err)
	}
	return e.dst, nil
}

type goEncoder struct {
	dst   []byte
	plans plans
}

func (e *goEncoder) long(v int64) { e.dst = binary.AppendVarint(e.dst, v) }

func (e *goEncoder) encode(n *node, v reflect.Value) error {
	if n.kind == kUnion {
		return e.union(n, v)
	}
	v = indirect(v)
	if !v.IsValid() && n.kind != kNull {
		return errNull
	}
	switch n.kind {
	case kNull:
		return nil
	case kArray:
		return e.array(n, v)
	case kMap:
		return e.mapping(n, v)
	case kRecord:
		return e.record(n, v)
	}
	if !e.leaf(n, v) {
		return fmt.Errorf("a %v as %v", v.Type(), n)
	}
	return nil
}

// indirect is what pointers and interfaces lead to; the zero Value for nil.
func indirect(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

func (e *goEncoder) union(n *node, v reflect.Value) error {
	v = indirect(v)
	if v.IsValid() && v.Type() == reflect.TypeFor[Union]() {
		u := v.Interface().(Union)
		for i, b := range n.branches {
			if b.branchName() == u.Branch {
				e.long(int64(i))
				return e.encode(b, reflect.ValueOf(u.Value))
			}
		}
		return fmt.Errorf("%v has no branch %s", n, u.Branch)
	}
	nilled := !v.IsValid() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.IsNil()
	for i, b := range n.branches {
		if nilled == (b.kind == kNull) {
			e.long(int64(i))
			return e.encode(b, v)
		}
	}
	return errNull
}

func (e *goEncoder) leaf(n *node, v reflect.Value) bool {
	k := v.Kind()
	bytes := k == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8
	switch {
	case n.kind == kBoolean && k == reflect.Bool:
		e.dst = appendBoolean(e.dst, v.Bool())
	case n.kind == kLong && v.CanInt(), n.kind == kInt && v.CanInt() && v.Int() == int64(int32(v.Int())):
		e.long(v.Int())
	case n.kind == kFloat && v.CanFloat():
		e.dst = binary.LittleEndian.AppendUint32(e.dst, math.Float32bits(float32(v.Float())))
	case n.kind == kDouble && v.CanFloat():
		e.dst = appendDouble(e.dst, v.Float())
	case n.kind == kString && k == reflect.String:
		e.dst = appendString(e.dst, v.String())
	case n.kind == kEnum && k == reflect.String:
		i := slices.Index(n.symbols, v.String())
		e.long(int64(max(i, 0)))
		return i >= 0
	case n.kind == kBytes && bytes:
		e.dst = appendString(e.dst, v.Bytes())
	case n.kind == kFixed && bytes && v.Len() == n.size:
		e.dst = append(e.dst, v.Bytes()...)
	default:
		return false
	}
	return true
}

func (e *goEncoder) array(n *node, v reflect.Value) error {
	if v.Kind() != reflect.Slice {
		return fmt.Errorf("a %v as %v", v.Type(), n)
	}
	if v.Len() > 0 {
		e.long(int64(v.Len()))
	}
	for i := range v.Len() {
		if err := e.encode(n.elem, v.Index(i)); err != nil {
			return err
		}
	}
	e.long(0)
	return nil
}

func (e *goEncoder) mapping(n *node, v reflect.Value) error {
	if v.Kind() != reflect.Map || v.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("a %v as %v", v.Type(), n)
	}
	items := make(map[string]reflect.Value, v.Len())
	for it := v.MapRange(); it.Next(); {
		items[it.Key().String()] = it.Value()
	}
	if len(items) > 0 {
		e.long(int64(len(items)))
	}
	for _, key := range slices.Sorted(maps.Keys(items)) {
		e.dst = appendString(e.dst, key)
		if err := e.encode(n.elem, items[key]); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	e.long(0)
	return nil
}

func (e *goEncoder) record(n *node, v reflect.Value) error {
	var slots []slot
	switch {
	case v.Kind() == reflect.Struct:
		slots = e.plans.slots(n, v.Type())
	case v.Kind() != reflect.Map || v.Type().Key().Kind() != reflect.String:
		return fmt.Errorf("a %v as %v", v.Type(), n)
	}
	for i, f := range n.fields {
		var item reflect.Value
		if slots == nil {
			item = v.MapIndex(reflect.ValueOf(f.name).Convert(v.Type().Key()))
		} else if at := slots[i]; at.path != nil {
			if item = v.FieldByIndex(at.path); at.omitZero && item.IsZero() {
				item = reflect.Value{}
			}
		}
		var err error
		if item.IsValid() {
			err = e.encode(f.node, item)
		} else {
			err = e.missing(f)
		}
		if err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	return nil
}

// missing writes the default of a field, which Avro takes as a value of a union's first branch.
func (e *goEncoder) missing(f field) error {
	n := f.node
	if n, null := n.optional(); null >= 0 && (f.value == nil || null == 0) || n.kind == kNull {
		if null >= 0 {
			e.long(int64(null))
		}
		return nil
	}
	if n.kind == kUnion {
		e.long(0)
		n = n.branches[0]
	}
	value := f.value
	if number, ok := value.(float64); ok && (n.kind == kInt || n.kind == kLong) {
		value = int64(number)
	}
	if text, ok := value.(string); ok && (n.kind == kBytes || n.kind == kFixed) {
		var b []byte
		for _, r := range text { // each code point is a byte
			b = append(b, byte(r))
		}
		value = b
	}
	return e.encode(n, reflect.ValueOf(value))
}
