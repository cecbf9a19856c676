package duckdb

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/types"
)

// jsonFunctions read and write JSON text.
var jsonFunctions = map[string]udf{
	"get_json_object":   valueUDF(strict(getJSON)),
	"json_array_length": valueUDF(strict(jsonLength)),
	"json_object_keys":  valueUDF(strict(jsonKeys)),
	"json_tuple":        valueUDF(jsonTuple),
	"to_json":           {nulls: true, make: toJSON},
	"from_json":         {nulls: true, make: fromJSON},
	"schema_of_json":    valueUDF(strict(schemaOfJSON)),
	"exists":            valueUDF(strict(func(_ use, r *row) (types.Value, error) { return quantified(r.list(0), true), nil })),
	"forall":            valueUDF(strict(func(_ use, r *row) (types.Value, error) { return quantified(r.list(0), false), nil })),
}

// quantified is want when an element is, NULL when one is NULL, else not want.
func quantified(l []types.Value, want bool) types.Value {
	null := false
	for _, v := range l {
		if v == want {
			return want
		}
		null = null || v == nil
	}
	if null {
		return nil
	}
	return !want
}

// jsonNode is parsed JSON: nil, bool, jsonNumber, string, []jsonNode or jsonObject.
type jsonNode any

type jsonNumber string

type jsonObject []jsonMember

type jsonMember struct {
	key string
	val jsonNode
}

func (o jsonObject) get(key string) (jsonNode, bool) {
	for _, m := range o {
		if m.key == key {
			return m.val, true
		}
	}
	return nil, false
}

// parseJSON reads one JSON value, with nothing but white space behind.
func parseJSON(s string) (jsonNode, bool) {
	d := jsontext.NewDecoder(strings.NewReader(s), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	n, ok := readJSON(d, 0)
	return n, ok
}

const maxJSONDepth = 500

func readJSON(d *jsontext.Decoder, depth int) (jsonNode, bool) {
	if depth > maxJSONDepth {
		return nil, false
	}
	t, err := d.ReadToken()
	if err != nil {
		return nil, false
	}
	switch t.Kind() {
	case 'n':
		return nil, true
	case 't', 'f':
		return t.Bool(), true
	case '"':
		return t.String(), true
	case '0':
		return jsonNumber(t.String()), true
	case '[':
		out := []jsonNode{}
		for d.PeekKind() != ']' {
			v, ok := readJSON(d, depth+1)
			if !ok {
				return nil, false
			}
			out = append(out, v)
		}
		_, err := d.ReadToken()
		return out, err == nil
	case '{':
		out := jsonObject{}
		for d.PeekKind() != '}' {
			k, err := d.ReadToken()
			if err != nil || k.Kind() != '"' {
				return nil, false
			}
			key := k.String()
			v, ok := readJSON(d, depth+1)
			if !ok {
				return nil, false
			}
			out = append(out, jsonMember{key, v})
		}
		_, err := d.ReadToken()
		return out, err == nil
	}
	return nil, false
}

// appendJSON spells n.
func appendJSON(b []byte, n jsonNode) []byte {
	switch n := n.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, n)
	case jsonNumber:
		return append(b, n...)
	case string:
		return appendJSONText(b, n)
	case []jsonNode:
		b = append(b, '[')
		for i, v := range n {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, v)
		}
		return append(b, ']')
	case jsonObject:
		b = append(b, '{')
		for i, m := range n {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendJSONText(b, m.key), ':')
			b = appendJSON(b, m.val)
		}
		return append(b, '}')
	}
	return b
}

func appendJSONText(b []byte, s string) []byte {
	out, err := json.Marshal(s, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return append(b, `""`...)
	}
	return append(b, out...)
}

// getJSON is get_json_object(text, path).
func getJSON(_ use, r *row) (types.Value, error) {
	path, ok := parsePath(r.text(1))
	if !ok {
		return nil, nil
	}
	n, ok := parseJSON(r.text(0))
	if !ok {
		return nil, nil
	}
	found := walkPath(n, path)
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) == 1:
		if found[0] == nil {
			return nil, nil
		}
		if s, ok := found[0].(string); ok {
			return s, nil
		}
		return string(appendJSON(nil, found[0])), nil
	}
	return string(appendJSON(nil, found)), nil
}

// pathStep is a name, a position or, with all, every element.
type pathStep struct {
	name  string
	index int
	all   bool
}

// parsePath reads $.a['b'][0][*].
func parsePath(s string) ([]pathStep, bool) {
	if !strings.HasPrefix(s, "$") {
		return nil, false
	}
	s = s[1:]
	var out []pathStep
	for s != "" {
		switch {
		case strings.HasPrefix(s, "['"):
			name, rest, closed := strings.Cut(s[2:], "']")
			if !closed {
				return nil, false
			}
			out = append(out, pathStep{name: name, index: -1})
			s = rest
		case s[0] == '[':
			end := strings.IndexByte(s, ']')
			if end < 0 {
				return nil, false
			}
			if s[1:end] == "*" {
				out = append(out, pathStep{all: true})
			} else if n, err := strconv.Atoi(s[1:end]); err == nil && n >= 0 {
				out = append(out, pathStep{index: n})
			} else {
				return nil, false
			}
			s = s[end+1:]
		case s[0] == '.':
			s = s[1:]
			end := strings.IndexAny(s, ".[")
			if end < 0 {
				end = len(s)
			}
			if end == 0 {
				return nil, false
			}
			if s[:end] == "*" {
				out = append(out, pathStep{all: true})
			} else {
				out = append(out, pathStep{name: s[:end], index: -1})
			}
			s = s[end:]
		default:
			return nil, false
		}
	}
	return out, true
}

func walkPath(n jsonNode, path []pathStep) []jsonNode {
	if len(path) == 0 {
		return []jsonNode{n}
	}
	p, rest := path[0], path[1:]
	switch v := n.(type) {
	case jsonObject:
		if p.all {
			return nil
		}
		if x, ok := v.get(p.name); ok && p.name != "" {
			return walkPath(x, rest)
		}
	case []jsonNode:
		if p.all {
			var out []jsonNode
			for _, x := range v {
				out = append(out, walkPath(x, rest)...)
			}
			return out
		}
		if p.name == "" && p.index < len(v) {
			return walkPath(v[p.index], rest)
		}
		if p.name != "" {
			var out []jsonNode
			for _, x := range v {
				out = append(out, walkPath(x, path)...)
			}
			return out
		}
	}
	return nil
}

func jsonLength(_ use, r *row) (types.Value, error) {
	n, ok := parseJSON(r.text(0))
	l, is := n.([]jsonNode)
	if !ok || !is {
		return nil, nil
	}
	return int64(len(l)), nil
}

func jsonKeys(_ use, r *row) (types.Value, error) {
	n, ok := parseJSON(r.text(0))
	o, is := n.(jsonObject)
	if !ok || !is {
		return nil, nil
	}
	out := make([]types.Value, len(o))
	for i, m := range o {
		out[i] = m.key
	}
	return out, nil
}

// jsonTuple is one struct with the texts under the given keys, in an array of one.
func jsonTuple(u use, r *row) (types.Value, error) {
	out := make([]types.Value, len(r.cols)-1)
	if !r.null(0) {
		if n, ok := parseJSON(r.text(0)); ok {
			if o, is := n.(jsonObject); is {
				for k := range out {
					if r.null(k + 1) {
						continue
					}
					if v, found := o.get(r.text(k + 1)); found {
						out[k] = jsonText(v)
					}
				}
			}
		}
	}
	return []types.Value{out}, nil
}

func jsonText(n jsonNode) types.Value {
	switch n := n.(type) {
	case nil:
		return nil
	case string:
		return n
	}
	return string(appendJSON(nil, n))
}
