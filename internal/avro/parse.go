package avro

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/tarn-lake/tarn/types"
)

// Parse reads a schema from its JSON. Types that hold themselves are refused, as no table has them.
func Parse(text string) (*Schema, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("avro: schema has %d bytes, more than %d", len(text), maxText)
	}
	if types.JSONDepth([]byte(text)) > 4*maxDepth { // each level of type is at most four of JSON
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
