package delta

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Keys of field metadata (P §Column Mapping, and what Spark writes).
const (
	charVarcharKey  = "__CHAR_VARCHAR_TYPE_STRING"
	physicalNameKey = "delta.columnMapping.physicalName"
	mappingIDKey    = "delta.columnMapping.id"
	mappingModeKey  = "delta.columnMapping.mode" // a table property
	typeChangesKey  = "delta.typeChanges"        // P §Type Widening
)

// decodeSchema is the schema of a metaData action as users see it: char and varchar columns, stored as string with the
// type in their metadata, have their own type. Names that are equal ignoring case are refused.
func decodeSchema(text string) (types.Struct, error) {
	s, err := types.DecodeSchemaJSON([]byte(text))
	if err != nil {
		return types.Struct{}, fmt.Errorf("schemaString: %w", err)
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if raw, ok := f.Metadata.Text(charVarcharKey); ok && f.Type == types.String {
			if t, err := types.DecodeJSON([]byte(strconv.Quote(raw))); err == nil && types.Text(t) {
				f.Type, f.Metadata = t, f.Metadata.Without(charVarcharKey)
			}
		}
	}
	return s, checkNames(s)
}

// encodeSchema is the schemaString of a schema: decodeSchema undone.
func encodeSchema(s types.Struct) (string, error) {
	stored := types.Struct{Fields: make([]types.Field, len(s.Fields))}
	for i, f := range s.Fields {
		switch f.Type.(type) {
		case types.Char, types.Varchar:
			f.Metadata = f.Metadata.With(charVarcharKey, f.Type.String())
			f.Type = types.String
		}
		stored.Fields[i] = f
	}
	text, err := types.EncodeJSON(stored)
	return string(text), err
}

// checkNames refuses fields of one struct whose names are equal ignoring case, at any depth.
func checkNames(t types.Type) error {
	switch t := t.(type) {
	case types.Array:
		return checkNames(t.Elem)
	case types.Map:
		return first(checkNames(t.Key), checkNames(t.Value))
	case types.Struct:
		seen := map[string]bool{}
		for _, f := range t.Fields {
			name := strings.ToLower(f.Name)
			if seen[name] {
				return fmt.Errorf("schema has the column %s twice", f.Name)
			}
			seen[name] = true
			if err := checkNames(f.Type); err != nil {
				return err
			}
		}
	}
	return nil
}

// mapping is how the columns of a table are found in its data files (P §Column Mapping).
type mapping uint8

const (
	mapNone mapping = iota // by their names
	mapName                // by their physical names
	mapID                  // by the field ids in the Parquet file
)

// mappingMode is the mapping of a table.
func mappingMode(m *Metadata) (mapping, error) {
	switch mode := m.Configuration[mappingModeKey]; mode {
	case "", "none":
		return mapNone, nil
	case "name":
		return mapName, nil
	case "id":
		return mapID, nil
	default:
		return mapNone, fmt.Errorf("unknown column mapping mode %q", mode)
	}
}

// physicalField is f as data files store it: with physical names at every depth, text for char and varchar, no metadata
// but, if ids are wanted, the Parquet field id under rel.FieldIDKey.
func physicalField(f types.Field, m mapping, ids bool) (types.Field, error) {
	out := types.Field{Name: f.Name, Nullable: f.Nullable}
	if m != mapNone {
		name, ok := f.Metadata.Text(physicalNameKey)
		if !ok || name == "" {
			return out, fmt.Errorf("column %s has no physical name", f.Name)
		}
		out.Name = name
		id, ok := f.Metadata.Int(mappingIDKey)
		if !ok {
			return out, fmt.Errorf("column %s has no column mapping id", f.Name)
		}
		if ids {
			out.Metadata = out.Metadata.With(rel.FieldIDKey, id)
		}
	}
	t, err := physicalType(f.Type, m, ids)
	out.Type = t
	return out, err
}

func physicalType(t types.Type, m mapping, ids bool) (types.Type, error) {
	switch t := t.(type) {
	case types.Char, types.Varchar, types.Collated:
		return types.String, nil
	case types.Array:
		elem, err := physicalType(t.Elem, m, ids)
		return types.Array{Elem: elem, Nullable: t.Nullable}, err
	case types.Map:
		key, err := physicalType(t.Key, m, ids)
		if err != nil {
			return nil, err
		}
		value, err := physicalType(t.Value, m, ids)
		return types.Map{Key: key, Value: value, Nullable: t.Nullable}, err
	case types.Struct:
		return physicalStruct(t, m, ids)
	}
	return t, nil
}

// physicalStruct is physicalField for each field of s.
func physicalStruct(s types.Struct, m mapping, ids bool) (types.Struct, error) {
	out := types.Struct{Fields: make([]types.Field, len(s.Fields))}
	for i, f := range s.Fields {
		p, err := physicalField(f, m, ids)
		if err != nil {
			return out, err
		}
		out.Fields[i] = p
	}
	return out, nil
}

// retyped reports whether the type of f, or of a field in it, was once narrower: older files still have it so.
func retyped(f types.Field) bool {
	_, ok := f.Metadata[typeChangesKey]
	return ok || retypedInside(f.Type)
}

func retypedInside(t types.Type) bool {
	switch t := t.(type) {
	case types.Array:
		return retypedInside(t.Elem)
	case types.Map:
		return retypedInside(t.Key) || retypedInside(t.Value)
	case types.Struct:
		return slices.ContainsFunc(t.Fields, retyped)
	}
	return false
}
