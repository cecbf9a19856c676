package hudi

import (
	"context"
	"encoding/json"
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

// internalSchema is one schema with ids.
type internalSchema struct {
	version int64 // the instant from which on it holds
	maxID   int   // the greatest id that the table ever had
	numbered
}

// schemaHistory is all schemas that a table had.
type schemaHistory struct {
	current internalSchema
	text    string // current as the newest commit has it
	past    []internalSchema
	all     string // past, newest first, as the newest file of schemaDir has it; "" when there is none
}

// readHistory reads the schemas that there were until the snapshot, whose own is current.
func (s *Snapshot) readHistory(ctx context.Context, current string) (*schemaHistory, error) {
	h := &schemaHistory{text: current}
	var err error
	if h.current, err = parseInternal([]byte(current)); err != nil {
		return nil, s.table.fail("read the schema of", "", err)
	}
	name, err := s.newestHistory(ctx)
	if name == "" || err != nil {
		return h, err
	}
	text, err := storage.ReadFile(ctx, s.table.bucket, name, maxSchemaFile)
	if err == nil {
		err = h.parse(text)
	}
	if err != nil {
		return nil, s.table.fail("read", name, err)
	}
	return h, nil
}

// newestHistory is the file of the schemas that there were until the snapshot; "" when there is none. Writes that failed may have left
// some, too.
func (s *Snapshot) newestHistory(ctx context.Context) (string, error) {
	newest, file := "", ""
	for info, err := range s.table.bucket.List(ctx, schemaDir, "") {
		if err != nil {
			return "", s.table.fail("list", schemaDir, err)
		}
		name, ok := strings.CutSuffix(strings.TrimPrefix(info.Name, schemaDir+"/"), ".schemacommit")
		instant, _, _ := strings.Cut(name, "_")
		if ok && validInstant(instant) && instant <= s.instant && instant > newest && s.counts(instant) {
			newest, file = instant, info.Name
		}
	}
	return file, nil
}

// counts reports whether the write at an instant is part of the table: it was completed, on the timeline or before that begins.
func (s *Snapshot) counts(instant string) bool {
	if _, done := s.timeline.CompletionOf(instant); done {
		return true
	}
	first := s.timeline.Instants()
	return len(first) > 0 && instant < first[0].Time
}

func (h *schemaHistory) parse(text []byte) error {
	h.all = string(text)
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

// noColumn begins names that no stored column has.
const noColumn = "\x01"

// stored is the field f of the current schema as files of the schema past have it; under a name that begins with noColumn when they do not.
func (h *schemaHistory) stored(f types.Field, past *internalSchema) types.Field {
	return storedField(f, h.current.numbered, past.numbered)
}

func storedField(f types.Field, now, then numbered) types.Field {
	at := now.named(f.Name)
	if at == nil {
		if then.named(f.Name) != nil {
			f.Name = noColumn + f.Name // a new column under the name of one that was dropped
		}
		return f
	}
	old := then.numberedBy(at.id)
	if old == nil {
		f.Name = noColumn + f.Name
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
		if len(now.fields) == 2 && len(then.fields) == 2 {
			t.Value = storedType(t.Value, now.fields[1].numbered, then.fields[1].numbered)
		}
		return t
	}
	return t
}
