package delta

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

// maxColumnKey is the table property with the highest column id that was ever given (P §Column Mapping).
const maxColumnKey = "delta.columnMapping.maxColumnId"

// mappingWord is the column mapping mode that properties ask for.
func mappingWord(properties map[string]string) string {
	if m, ok := properties[mappingModeKey]; ok {
		return m
	}
	return "none"
}

// assignColumns gives every column that has none an id and a physical name, and keeps maxColumnId above all that were ever
// given. Columns of a table that had no mapping before (upgrade) keep their names as physical ones, for their files have
// these. properties is changed in place.
func assignColumns(s types.Struct, properties map[string]string, upgrade bool) types.Struct {
	if mappingWord(properties) == "none" {
		return s
	}
	a := assigner{keepNames: upgrade}
	a.last, _ = strconv.ParseInt(properties[maxColumnKey], 10, 64)
	walkFields(s, func(f types.Field) {
		if id, ok := f.Metadata.Int(mappingIDKey); ok {
			a.last = max(a.last, id)
		}
	})
	s = a.fields(s)
	properties[maxColumnKey] = strconv.FormatInt(a.last, 10)
	return s
}

type assigner struct {
	last      int64
	keepNames bool
}

func (a *assigner) fields(s types.Struct) types.Struct {
	out := types.Struct{Fields: make([]types.Field, len(s.Fields))}
	for i, f := range s.Fields {
		if _, ok := f.Metadata.Int(mappingIDKey); !ok {
			a.last++
			f.Metadata = f.Metadata.With(mappingIDKey, a.last)
		}
		if _, ok := f.Metadata.Text(physicalNameKey); !ok {
			name := f.Name
			if !a.keepNames {
				name = "col-" + uuid.NewString()
			}
			f.Metadata = f.Metadata.With(physicalNameKey, name)
		}
		f.Type = a.inside(f.Type)
		out.Fields[i] = f
	}
	return out
}

func (a *assigner) inside(t types.Type) types.Type {
	switch t := t.(type) {
	case types.Struct:
		return a.fields(t)
	case types.Array:
		t.Elem = a.inside(t.Elem)
		return t
	case types.Map:
		t.Key, t.Value = a.inside(t.Key), a.inside(t.Value)
		return t
	}
	return t
}

// checkMode refuses changes of the mapping mode that the files of a table with the mode old do not allow.
func checkMode(old, mode string, exists bool) error {
	known := mode == "none" || mode == "name" || mode == "id"
	if known && (old == mode || !exists || old == "none" && mode == "name") {
		return nil
	}
	return &lake.Error{Op: "set column mapping", Class: "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
		Params: map[string]string{"oldMode": old, "newMode": mode}, Hint: "only a table without column mapping can change, to the mode 'name'"}
}
