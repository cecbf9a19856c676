package hudi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// Tables with schema-on-read number their columns, so that columns may be renamed and dropped without writing files again. Each
// commit says the schema with these ids; all schemas that there were are in .hoodie/.schema:
//
//	.hoodie/.schema/<instant>.schemacommit    {"schemas":[{"version_id":<instant>,"type":"record","fields":[{"id":…,"name":…,"type":…}]}]}
//
// A base file has the columns of the newest schema that is not newer than the file.

// internalSchemaKey is where a commit has its schema with ids.
const internalSchemaKey = "latest_schema"

const schemaDir = ".hoodie/.schema"

// maxSchemaFile bounds a file of schemaDir.
const maxSchemaFile = 256 << 20

// numbered is a type with ids: its fields, or the parts of an array or map.
type numbered struct {
	fields []numberedField
}

type numberedField struct {
	id   int
	name string
	numbered
}

// internalSchema is one schema with ids.
type internalSchema struct {
	version int64 // the instant from which on it holds
	numbered
}

// schemaHistory is all schemas that a table had.
type schemaHistory struct {
	current internalSchema
	past    []internalSchema
}

// jsonType is a type as Hudi's SerDeHelper spells it: a word, or an object.
type jsonType struct {
	Version int64       `json:"version_id"`
	Fields  []jsonField `json:"fields"`
	// of arrays
	ElementID int             `json:"element_id"`
	Element   json.RawMessage `json:"element"`
	// of maps
	ValueID int             `json:"value_id"`
	Value   json.RawMessage `json:"value"`
}

type jsonField struct {
	ID   int             `json:"id"`
	Name string          `json:"name"`
	Type json.RawMessage `json:"type"`
}

// maxSchemaDepth bounds how deep types are nested.
const maxSchemaDepth = 64

func (t *jsonType) numbered(depth int) (numbered, error) {
	if depth > maxSchemaDepth {
		return numbered{}, errors.New("schema is nested too deep")
	}
	var out numbered
	add := func(id int, name string, of json.RawMessage) error {
		f := numberedField{id: id, name: name}
		var err error
		f.numbered, err = parseNumbered(of, depth+1)
		out.fields = append(out.fields, f)
		return err
	}
	for _, f := range t.Fields {
		if err := add(f.ID, f.Name, f.Type); err != nil {
			return out, err
		}
	}
	if t.Element != nil {
		return out, add(t.ElementID, "element", t.Element)
	}
	if t.Value != nil {
		return out, add(t.ValueID, "value", t.Value)
	}
	return out, nil
}

func parseNumbered(text json.RawMessage, depth int) (numbered, error) {
	if len(text) == 0 || text[0] != '{' {
		return numbered{}, nil
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
	return internalSchema{t.Version, n}, err
}

// readHistory reads the schemas that there were until the snapshot, whose own is current.
func (s *Snapshot) readHistory(ctx context.Context, current string) (*schemaHistory, error) {
	h := &schemaHistory{}
	var err error
	if h.current, err = parseInternal([]byte(current)); err != nil {
		return nil, s.table.fail("read the schema of", "", err)
	}
	newest := ""
	for info, err := range s.table.bucket.List(ctx, schemaDir, "") {
		if err != nil {
			return nil, s.table.fail("list", schemaDir, err)
		}
		instant, ok := strings.CutSuffix(strings.TrimPrefix(info.Name, schemaDir+"/"), ".schemacommit")
		if ok && validInstant(instant) && instant <= s.instant && instant > newest {
			newest = instant
		}
	}
	if newest == "" {
		return h, nil
	}
	name := schemaDir + "/" + newest + ".schemacommit"
	text, err := storage.ReadFile(ctx, s.table.bucket, name, maxSchemaFile)
	if err == nil {
		err = h.parse(text)
	}
	if err != nil {
		return nil, s.table.fail("read", name, err)
	}
	return h, nil
}

func (h *schemaHistory) parse(text []byte) error {
	var all struct {
		Schemas []json.RawMessage `json:"schemas"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	for _, one := range all.Schemas {
		past, err := parseInternal(one)
		if err != nil {
			return err
		}
		h.past = append(h.past, past)
	}
	return nil
}

// at is the schema of files that the write at instant made; false when that is not known, and so the current one.
func (h *schemaHistory) at(instant string) (*internalSchema, bool) {
	n, err := strconv.ParseInt(instant, 10, 64)
	if err != nil {
		return nil, false
	}
	var out *internalSchema
	for i := range h.past {
		p := &h.past[i]
		if p.version <= n && (out == nil || p.version > out.version) {
			out = p
		}
	}
	return out, out != nil
}

// noColumn is a name that no stored column has.
const noColumn = "\x01"

// stored is the field f of the current schema as files of the schema past have it; with the name noColumn when they do not.
func (h *schemaHistory) stored(f types.Field, past *internalSchema) types.Field {
	return storedField(f, h.current.numbered, past.numbered)
}

func storedField(f types.Field, now, then numbered) types.Field {
	at := now.named(f.Name)
	if at == nil {
		return f // not one of the numbered columns
	}
	old := then.numberedBy(at.id)
	if old == nil {
		f.Name = noColumn
		return f
	}
	f.Name = old.name
	f.Type = storedType(f.Type, at.numbered, old.numbered)
	return f
}

func storedType(t types.Type, now, then numbered) types.Type {
	switch t := t.(type) {
	case types.Struct:
		out := types.Struct{Fields: make([]types.Field, len(t.Fields))}
		for i, f := range t.Fields {
			out.Fields[i] = storedField(f, now, then)
		}
		return out
	case types.Array:
		if len(now.fields) == 1 && len(then.fields) == 1 {
			t.Elem = storedType(t.Elem, now.fields[0].numbered, then.fields[0].numbered)
		}
		return t
	case types.Map:
		if len(now.fields) == 1 && len(then.fields) == 1 {
			t.Value = storedType(t.Value, now.fields[0].numbered, then.fields[0].numbered)
		}
		return t
	}
	return t
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
