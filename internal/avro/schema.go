package avro

import (
	"fmt"
	"strings"
)

// Bounds of schemas, which anybody may have written. Real ones of 1,000 columns are 100 KB.
const (
	maxText  = 2 << 20
	maxDepth = 64
	maxNodes = 200_000 // with every named type counted where it is used
)

// A Schema is the type of Avro values. It is safe for concurrent use.
type Schema struct {
	root *node
	text string
}

// String is the JSON that the schema was parsed from.
func (s *Schema) String() string { return s.text }

// Name is the full name of a record, enum or fixed; empty for other types.
func (s *Schema) Name() string { return s.root.name }

// Has reports whether the schema is a record with a field of that name.
func (s *Schema) Has(field string) bool { return s.root.field(field) >= 0 }

type kind uint8

const (
	kNull kind = iota
	kBoolean
	kInt
	kLong
	kFloat
	kDouble
	kBytes
	kString
	kFixed
	kEnum
	kArray
	kMap
	kRecord
	kUnion
)

var kinds = map[string]kind{"null": kNull, "boolean": kBoolean, "int": kInt, "long": kLong, "float": kFloat, "double": kDouble,
	"bytes": kBytes, "string": kString, "fixed": kFixed, "enum": kEnum, "array": kArray, "map": kMap, "record": kRecord, "error": kRecord}

type logical uint8

const (
	plain logical = iota
	decimal
	date
	timestampMillis
	timestampMicros
	localMillis
	localMicros
)

// logicals are those that Spark knows; Avro asks readers to ignore all others.
var logicals = map[string]struct {
	logical logical
	on      kind
}{
	"date": {date, kInt}, "timestamp-millis": {timestampMillis, kLong}, "timestamp-micros": {timestampMicros, kLong},
	"local-timestamp-millis": {localMillis, kLong}, "local-timestamp-micros": {localMicros, kLong},
}

// node is one type of a schema. Named types are shared by all places that use them.
type node struct {
	kind    kind
	logical logical
	name    string // full name of record, enum and fixed

	size             int // of fixed
	precision, scale int // of decimal
	symbols          []string
	fields           []field // of record
	elem             *node   // of array and map
	branches         []*node // of union
	nodes            int     // itself and all below
}

type field struct {
	name  string
	doc   *string
	node  *node
	value any // the default as JSON, nil when it is null or there is none
}

func (n *node) field(name string) int {
	if n.kind == kRecord {
		for i, f := range n.fields {
			if f.name == name {
				return i
			}
		}
	}
	return -1
}

// optional is the type of a value that may be null, and the union's position of null: -1 when it may not be null, and
// also for unions other than null and one type, which are given back as they are.
func (n *node) optional() (*node, int) {
	switch {
	case n.kind != kUnion || len(n.branches) != 2:
	case n.branches[0].kind == kNull:
		return n.branches[1], 0
	case n.branches[1].kind == kNull:
		return n.branches[0], 1
	}
	return n, -1
}

// String names the type in errors.
func (n *node) String() string {
	switch n.kind {
	case kArray:
		return "array of " + n.elem.String()
	case kMap:
		return "map of " + n.elem.String()
	case kUnion:
		var names []string
		for _, b := range n.branches {
			names = append(names, b.String())
		}
		return "union of " + strings.Join(names, ", ")
	}
	name := "record"
	for text, k := range kinds {
		if k == n.kind && text != "error" {
			name = text
		}
	}
	if n.name != "" {
		name += " " + n.name
	}
	for text, l := range logicals {
		if l.logical == n.logical && n.logical != plain {
			name += " (" + text + ")"
		}
	}
	if n.logical == decimal {
		name += fmt.Sprintf(" (decimal(%d,%d))", n.precision, n.scale)
	}
	return name
}
