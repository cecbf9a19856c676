package metadata

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
)

//go:embed schema
var schemas embed.FS

// schemaText is the Avro schema of the records that a table of a version has.
func schemaText(version int) string {
	switch {
	case version >= 9:
		version = 9
	case version >= 8:
		version = 8
	case version < 6:
		version = 5
	default:
		version = 6
	}
	b, err := schemas.ReadFile(fmt.Sprintf("schema/%d.avsc", version))
	if err != nil {
		panic(err) // embedded
	}
	return string(b)
}

// A node is a part of an Avro schema, as much of it as is needed to find values in a record.
type node struct {
	kind     nodeKind
	name     string // of a record, fixed or enum: its last part
	size     int    // of a fixed
	fields   []nodeField
	elem     *node // of an array or map
	branches []*node
}

type nodeField struct {
	name string
	node *node
}

type nodeKind uint8

const (
	nullNode nodeKind = iota
	booleanNode
	intNode // also long and enum
	floatNode
	doubleNode
	bytesNode // also string
	fixedNode
	recordNode
	arrayNode
	mapNode
	unionNode
)

var basicNodes = map[string]nodeKind{"null": nullNode, "boolean": booleanNode, "int": intNode, "long": intNode, "float": floatNode,
	"double": doubleNode, "bytes": bytesNode, "string": bytesNode}

const (
	maxSchema = 1 << 20
	maxDepth  = 30
)

// parseSchema reads the schema that a block or file of the metadata table has.
func parseSchema(text string) (*node, error) {
	if len(text) > maxSchema {
		return nil, errors.New("schema is too long")
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	p := schemaParser{}
	n, err := p.parse(v, 0)
	if err == nil && n.kind != recordNode {
		err = errors.New("is not one of a record")
	}
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return n, nil
}

// schemaParser holds the named types seen so far.
type schemaParser map[string]*node

func (p schemaParser) parse(v any, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errors.New("is nested too deeply")
	}
	switch v := v.(type) {
	case string:
		if k, ok := basicNodes[v]; ok {
			return &node{kind: k, name: v}, nil
		}
		if n := p[lastPart(v)]; n != nil {
			return n, nil
		}
		return nil, fmt.Errorf("unknown type %q", v)
	case []any:
		n := &node{kind: unionNode}
		for _, b := range v {
			branch, err := p.parse(b, depth+1)
			if err != nil {
				return nil, err
			}
			n.branches = append(n.branches, branch)
		}
		return n, nil
	case map[string]any:
		return p.object(v, depth)
	}
	return nil, fmt.Errorf("%T is no type", v)
}

func (p schemaParser) object(v map[string]any, depth int) (*node, error) {
	kind, ok := v["type"].(string)
	if !ok {
		return p.parse(v["type"], depth+1)
	}
	name, _ := v["name"].(string)
	n := &node{name: lastPart(name)}
	var err error
	switch kind {
	case "record":
		n.kind, p[n.name] = recordNode, n
		list, _ := v["fields"].([]any)
		for _, f := range list {
			m, _ := f.(map[string]any)
			field := nodeField{}
			field.name, _ = m["name"].(string)
			if field.node, err = p.parse(m["type"], depth+1); err != nil {
				return nil, err
			}
			n.fields = append(n.fields, field)
		}
	case "array":
		n.kind = arrayNode
		n.elem, err = p.parse(v["items"], depth+1)
	case "map":
		n.kind = mapNode
		n.elem, err = p.parse(v["values"], depth+1)
	case "enum":
		n.kind, p[n.name] = intNode, n
	case "fixed":
		size, _ := v["size"].(float64)
		n.kind, n.size, p[n.name] = fixedNode, int(size), n
		if size < 0 || size > maxSchema {
			err = fmt.Errorf("fixed of %v bytes", size)
		}
	default:
		return p.parse(kind, depth+1)
	}
	return n, err
}

func lastPart(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[i+1:]
		}
	}
	return name
}
