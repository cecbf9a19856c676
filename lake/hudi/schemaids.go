package hudi

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// numbered is a type with ids: a leaf, or the fields of a struct, the element of an array, the key and the value of a map.
type numbered struct {
	kind   string // record, array, map, or the word of a leaf, such as int
	fields []numberedField
}

type numberedField struct {
	id       int
	name     string
	optional bool
	doc      *string
	numbered
}

// The kinds that have fields.
const (
	recordKind = "record"
	arrayKind  = "array"
	mapKind    = "map"
)

// jsonType is a type as Hudi's SerDeHelper spells it: a word, or an object.
type jsonType struct {
	MaxID   *int        `json:"max_column_id,omitempty"`
	Version *int64      `json:"version_id,omitempty"`
	Type    string      `json:"type"`
	Fields  []jsonField `json:"fields,omitempty"`
	// of arrays
	ElementID       *int            `json:"element_id,omitempty"`
	Element         json.RawMessage `json:"element,omitempty"`
	ElementOptional *bool           `json:"element_optional,omitempty"`
	// of maps
	KeyID         *int            `json:"key_id,omitempty"`
	Key           json.RawMessage `json:"key,omitempty"`
	ValueID       *int            `json:"value_id,omitempty"`
	Value         json.RawMessage `json:"value,omitempty"`
	ValueOptional *bool           `json:"value_optional,omitempty"`
}

type jsonField struct {
	ID       int             `json:"id"`
	Name     string          `json:"name"`
	Optional bool            `json:"optional"`
	Type     json.RawMessage `json:"type"`
	Doc      *string         `json:"doc,omitempty"`
}

// maxSchemaDepth bounds how deep types are nested.
const maxSchemaDepth = 64

func (t *jsonType) numbered(depth int) (numbered, error) {
	if depth > maxSchemaDepth {
		return numbered{}, errors.New("schema is nested too deep")
	}
	out := numbered{kind: recordKind}
	add := func(f numberedField, of json.RawMessage) error {
		var err error
		f.numbered, err = parseNumbered(of, depth+1)
		out.fields = append(out.fields, f)
		return err
	}
	switch {
	case t.Element != nil:
		out.kind = arrayKind
		return out, add(numberedField{id: orZero(t.ElementID), name: "element", optional: orZero(t.ElementOptional)}, t.Element)
	case t.Value != nil:
		out.kind = mapKind
		if err := add(numberedField{id: orZero(t.KeyID), name: "key"}, t.Key); err != nil {
			return out, err
		}
		return out, add(numberedField{id: orZero(t.ValueID), name: "value", optional: orZero(t.ValueOptional)}, t.Value)
	}
	for _, f := range t.Fields {
		if err := add(numberedField{id: f.ID, name: f.Name, optional: f.Optional, doc: f.Doc}, f.Type); err != nil {
			return out, err
		}
	}
	return out, nil
}

func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func parseNumbered(text json.RawMessage, depth int) (numbered, error) {
	if len(text) == 0 || text[0] != '{' {
		var word string
		if len(text) > 0 {
			if err := json.Unmarshal(text, &word); err != nil {
				return numbered{}, err
			}
		}
		return numbered{kind: word}, nil
	}
	var t jsonType
	if err := json.Unmarshal(text, &t); err != nil {
		return numbered{}, err
	}
	return t.numbered(depth)
}

func parseInternal(text []byte) (internalSchema, error) {
	var t jsonType
	if err := json.Unmarshal(text, &t); err != nil {
		return internalSchema{}, fmt.Errorf("schema with ids: %w", err)
	}
	n, err := t.numbered(0)
	out := internalSchema{version: orZero(t.Version), maxID: orZero(t.MaxID), numbered: n}
	out.maxID = max(out.maxID, n.greatest())
	return out, err
}

// greatest is the greatest id in n, -1 when there is none.
func (n numbered) greatest() int {
	out := -1
	for _, f := range n.fields {
		out = max(out, f.id, f.greatest())
	}
	return out
}

// text is the schema as commits have it.
func (s internalSchema) text() string {
	t := s.json()
	t.MaxID, t.Version = &s.maxID, &s.version
	return string(encoded(t))
}

func encoded(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic("hudi: a schema cannot be encoded: " + err.Error()) // it is made of texts, numbers and flags
	}
	return out
}

// json is a type that has fields.
func (n numbered) json() jsonType {
	t := jsonType{Type: n.kind}
	switch n.kind {
	case arrayKind:
		e := n.fields[0]
		t.ElementID, t.Element, t.ElementOptional = &e.id, e.encoded(), &e.optional
	case mapKind:
		k, v := n.fields[0], n.fields[1]
		t.KeyID, t.Key, t.ValueID, t.Value, t.ValueOptional = &k.id, k.encoded(), &v.id, v.encoded(), &v.optional
	default:
		for _, f := range n.fields {
			t.Fields = append(t.Fields, jsonField{f.id, f.name, f.optional, f.encoded(), f.doc})
		}
	}
	return t
}

func (n numbered) encoded() json.RawMessage {
	if n.fields == nil {
		return encoded(n.kind)
	}
	return encoded(n.json())
}

func (n numbered) named(name string) *numberedField {
	for i := range n.fields {
		if strings.EqualFold(n.fields[i].name, name) {
			return &n.fields[i]
		}
	}
	return nil
}

func (n numbered) numberedBy(id int) *numberedField {
	for i := range n.fields {
		if n.fields[i].id == id {
			return &n.fields[i]
		}
	}
	return nil
}

// columnID is the key in a field's metadata of its id, by which a description that was changed tells its columns apart.
const columnID = "hudi.column.id"

// marked is the fields of a schema with the ids that n has for them.
func (n numbered) marked(fields []types.Field) []types.Field {
	out := make([]types.Field, len(fields))
	for i, f := range fields {
		if at := n.named(f.Name); at != nil {
			f.Metadata = f.Metadata.With(columnID, at.id)
			f.Type = at.markedType(f.Type)
		}
		out[i] = f
	}
	return out
}

func (n numbered) markedType(t types.Type) types.Type {
	switch t := t.(type) {
	case types.Struct:
		return types.Struct{Fields: n.marked(t.Fields)}
	case types.Array:
		if n.kind == arrayKind {
			t.Elem = n.fields[0].markedType(t.Elem)
		}
		return t
	case types.Map:
		if n.kind == mapKind {
			t.Value = n.fields[1].markedType(t.Value)
		}
		return t
	}
	return t
}

// unmarked is fields without the ids.
func unmarked(fields []types.Field) []types.Field {
	out := make([]types.Field, len(fields))
	for i, f := range fields {
		f.Metadata, f.Type = f.Metadata.Without(columnID), unmarkedType(f.Type)
		out[i] = f
	}
	return out
}

func unmarkedType(t types.Type) types.Type {
	switch t := t.(type) {
	case types.Struct:
		return types.Struct{Fields: unmarked(t.Fields)}
	case types.Array:
		t.Elem = unmarkedType(t.Elem)
		return t
	case types.Map:
		t.Value = unmarkedType(t.Value)
		return t
	}
	return t
}
