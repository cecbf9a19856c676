package avro

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// Bounds of schemas, which anybody may have written. Real ones of 1,000 columns are 100 KB.
const (
	maxText  = 4 << 20
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

// Parse reads a schema from its JSON. Types that hold themselves are refused, as no table has them.
func Parse(text string) (*Schema, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("avro: schema has %d bytes, more than %d", len(text), maxText)
	}
	if jsonDepth(text) > 4*maxDepth { // each level of type is at most four of JSON
		return nil, errors.New("avro: schema is nested too deeply")
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil, fmt.Errorf("avro: schema: %w", err)
	}
	p := parser{named: map[string]*node{}}
	root, err := p.parse(v, "", 0)
	if err != nil {
		return nil, fmt.Errorf("avro: schema: %w", err)
	}
	return &Schema{root: root, text: text}, nil
}

// jsonDepth is the deepest nesting of brackets in text, which need not be valid.
func jsonDepth(text string) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// parser knows the named types seen so far; nil for those that are not complete yet.
type parser struct{ named map[string]*node }

func (p *parser) parse(v any, namespace string, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errors.New("types are nested too deeply")
	}
	var n *node
	var err error
	switch v := v.(type) {
	case string:
		return p.reference(v, namespace)
	case []any:
		n, err = p.union(v, namespace, depth)
	case map[string]any:
		if _, plain := v["type"].(string); !plain { // {"type": {…}}
			return p.parse(v["type"], namespace, depth+1)
		}
		n, err = p.object(v, namespace, depth)
	default:
		return nil, fmt.Errorf("%v is not a type", v)
	}
	if err != nil {
		return nil, err
	}
	return n, n.count()
}

// count sets the number of nodes from those of the parts.
func (n *node) count() error {
	n.nodes = 1
	if n.elem != nil {
		n.nodes += n.elem.nodes
	}
	for _, f := range n.fields {
		n.nodes = min(n.nodes+f.node.nodes, maxNodes+1)
	}
	for _, b := range n.branches {
		n.nodes = min(n.nodes+b.nodes, maxNodes+1)
	}
	if n.nodes > maxNodes {
		return fmt.Errorf("more than %d types", maxNodes)
	}
	return nil
}

func (p *parser) reference(name, namespace string) (*node, error) {
	if k, ok := kinds[name]; ok && k < kFixed {
		return &node{kind: k, nodes: 1}, nil
	}
	full := fullName(name, namespace)
	n, ok := p.named[full]
	if !ok {
		full = name
		n, ok = p.named[full]
	}
	if !ok {
		return nil, fmt.Errorf("type %q is not defined", name)
	}
	if n == nil {
		return nil, fmt.Errorf("type %s holds itself", full)
	}
	return n, nil
}

func fullName(name, namespace string) string {
	if namespace == "" || strings.Contains(name, ".") {
		return name
	}
	return namespace + "." + name
}

func (p *parser) union(branches []any, namespace string, depth int) (*node, error) {
	n := &node{kind: kUnion}
	for _, b := range branches {
		branch, err := p.parse(b, namespace, depth+1)
		if err != nil {
			return nil, err
		}
		if branch.kind == kUnion {
			return nil, errors.New("a union holds a union")
		}
		n.branches = append(n.branches, branch)
	}
	if len(n.branches) == 0 {
		return nil, errors.New("a union of nothing")
	}
	return n, nil
}

func (p *parser) object(v map[string]any, namespace string, depth int) (*node, error) {
	name := v["type"].(string)
	k, ok := kinds[name]
	if !ok {
		return p.reference(name, namespace)
	}
	n := &node{kind: k}
	var err error
	switch k {
	case kArray:
		n.elem, err = p.parse(v["items"], namespace, depth+1)
	case kMap:
		n.elem, err = p.parse(v["values"], namespace, depth+1)
	case kFixed, kEnum, kRecord:
		err = p.define(n, v, namespace, depth)
	}
	if err != nil {
		return nil, err
	}
	n.setLogical(v)
	return n, nil
}

// define reads a type that has a name.
func (p *parser) define(n *node, v map[string]any, namespace string, depth int) error {
	name, _ := v["name"].(string)
	if name == "" {
		return fmt.Errorf("a %v has no name", v["type"])
	}
	if own, ok := v["namespace"].(string); ok {
		namespace = own
	}
	n.name = fullName(name, namespace)
	namespace = ""
	if i := strings.LastIndexByte(n.name, '.'); i >= 0 {
		namespace = n.name[:i]
	}
	if _, ok := p.named[n.name]; ok {
		return fmt.Errorf("type %s is defined twice", n.name)
	}
	p.named[n.name] = nil
	var err error
	switch n.kind {
	case kFixed:
		n.size, err = whole(v["size"], "size of "+n.name, maxValue)
	case kEnum:
		err = n.setSymbols(v["symbols"])
	case kRecord:
		err = p.fields(n, v["fields"], namespace, depth)
	}
	p.named[n.name] = n
	return err
}

func (n *node) setSymbols(v any) error {
	list, _ := v.([]any)
	for _, s := range list {
		symbol, ok := s.(string)
		if !ok {
			return fmt.Errorf("enum %s has the symbol %v", n.name, s)
		}
		n.symbols = append(n.symbols, symbol)
	}
	return nil
}

func (p *parser) fields(n *node, v any, namespace string, depth int) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("record %s has no fields", n.name)
	}
	seen := make(map[string]bool, len(list))
	for _, v := range list {
		m, _ := v.(map[string]any)
		name, ok := m["name"].(string)
		if !ok || seen[name] {
			return fmt.Errorf("record %s has a field without a name of its own", n.name)
		}
		seen[name] = true
		t, err := p.parse(m["type"], namespace, depth+1)
		if err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		f := field{name: name, node: t, value: m["default"]}
		if doc, ok := m["doc"].(string); ok {
			f.doc = &doc
		}
		n.fields = append(n.fields, f)
	}
	return nil
}

// setLogical notes the logical type, if it is one of Spark's and fits; else it is ignored, as Avro asks.
func (n *node) setLogical(v map[string]any) {
	name, _ := v["logicalType"].(string)
	if l, ok := logicals[name]; ok && l.on == n.kind {
		n.logical = l.logical
	}
	if name != "decimal" || n.kind != kBytes && n.kind != kFixed {
		return
	}
	precision, err := whole(v["precision"], "precision", 1000)
	if err != nil || precision == 0 {
		return
	}
	scale := 0
	if s, ok := v["scale"]; ok {
		if scale, err = whole(s, "scale", precision); err != nil {
			return
		}
	}
	n.logical, n.precision, n.scale = decimal, precision, scale
}

// whole is a JSON number from 0 to limit.
func whole(v any, what string, limit int) (int, error) {
	f, ok := v.(float64)
	if !ok || f < 0 || f > float64(limit) || f != float64(int(f)) {
		return 0, fmt.Errorf("%s is %v", what, v)
	}
	return int(f), nil
}
