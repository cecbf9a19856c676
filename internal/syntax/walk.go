package syntax

import (
	"reflect"
	"sync"
)

// Walk calls visit for n and, as long as visit returns true, for the nodes
// below, each before those it contains. Nil nodes are not visited.
func Walk(n Node, visit func(Node) bool) {
	if isNil(n) || !visit(n) {
		return
	}
	v := reflect.ValueOf(n)
	if v.Kind() == reflect.Pointer {
		walkFields(v.Elem(), visit)
	}
}

func isNil(n Node) bool {
	if n == nil {
		return true
	}
	v := reflect.ValueOf(n)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

func walkFields(v reflect.Value, visit func(Node) bool) {
	for _, i := range nodeFields(v.Type()) {
		walkValue(v.Field(i), visit)
	}
}

func walkValue(v reflect.Value, visit func(Node) bool) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			walkValue(v.Index(i), visit)
		}
	case reflect.Struct:
		walkFields(v, visit)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if n, ok := v.Interface().(Node); ok {
			Walk(n, visit)
		} else if v.Kind() == reflect.Pointer {
			walkFields(v.Elem(), visit)
		}
	}
}

// fieldCache remembers, by type, which fields of a struct may hold nodes.
var fieldCache sync.Map

func nodeFields(t reflect.Type) []int {
	if f, ok := fieldCache.Load(t); ok {
		return f.([]int)
	}
	var out []int
	for i := range t.NumField() {
		if f := t.Field(i); !f.Anonymous && mayHoldNode(f.Type) {
			out = append(out, i)
		}
	}
	fieldCache.Store(t, out)
	return out
}

func mayHoldNode(t reflect.Type) bool {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Interface
}

// Equal reports whether two trees are the same but for positions and for the
// quotes around names.
func Equal(a, b Node) bool { return equalValues(reflect.ValueOf(a), reflect.ValueOf(b)) }

func equalValues(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return equalValues(a.Elem(), b.Elem())
	case reflect.Slice:
		return equalSlices(a, b)
	case reflect.Struct:
		for i := range a.NumField() {
			if !isMark(a.Type(), i) && !equalValues(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Interface() == b.Interface()
}

func equalSlices(a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !equalValues(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}

// isMark reports whether field i of t tells how a node was written rather
// than what it says: its span, and an identifier's quotes.
func isMark(t reflect.Type, i int) bool {
	f := t.Field(i)
	return f.Anonymous || f.Name == "Quoted" && t == reflect.TypeFor[Ident]()
}
