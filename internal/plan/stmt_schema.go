package plan

import (
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// mergeSchemas is table with the columns and struct fields that rows has besides, behind its own. Types must be equal,
// or hold all values of the type in rows; where widen allows it, a wider type in rows replaces the table's.
func mergeSchemas(table, rows types.Struct, widen widening) (types.Struct, error) {
	out := types.Struct{Fields: slices.Clone(table.Fields)}
	for _, f := range rows.Fields {
		i := out.Index(f.Name)
		if i < 0 {
			out.Fields = append(out.Fields, fresh(f))
			continue
		}
		t, ok := mergeTypes(out.Fields[i].Type, f.Type, widen)
		if !ok {
			return out, fail("DELTA_FAILED_TO_MERGE_FIELDS", nil, "currentField", out.Fields[i].Name, "updateField", f.Name)
		}
		out.Fields[i].Type = t
	}
	return out, nil
}

// fresh is a column of rows as a new column of a table: it may be NULL.
func fresh(f types.Field) types.Field {
	return types.Field{Name: f.Name, Type: allNullable(f.Type), Nullable: true, Metadata: onlyComment(f.Metadata)}
}

func onlyComment(m types.Metadata) types.Metadata {
	if c, ok := m.Text(CommentKey); ok {
		return types.Metadata(nil).With(CommentKey, c)
	}
	return nil
}

// allNullable is t with parts that may all be NULL.
func allNullable(t types.Type) types.Type {
	switch t := t.(type) {
	case types.Array:
		return types.Array{Elem: allNullable(t.Elem), Nullable: true}
	case types.Map:
		return types.Map{Key: allNullable(t.Key), Value: allNullable(t.Value), Nullable: true}
	case types.Struct:
		var out types.Struct
		for _, f := range t.Fields {
			out.Fields = append(out.Fields, types.Field{Name: f.Name, Type: allNullable(f.Type), Nullable: true, Metadata: f.Metadata})
		}
		return out
	}
	return t
}

// widening says which wider types of rows a column of a table takes over.
type widening uint8

const (
	widensNever widening = iota
	widensAsDelta
	widensAsHudi // by writes: whole numbers to BIGINT, these and FLOAT to DOUBLE
)

// mergeTypes is the type of a column of type a that is to take values of type b, and whether there is one.
func mergeTypes(a, b types.Type, widen widening) (types.Type, bool) {
	switch {
	case types.Equal(a, b) || b == types.Void:
		return a, true
	case types.Text(a) && types.Text(b):
		return a, true
	case types.Integral(a) && types.Integral(b):
		if b.(types.Basic) < a.(types.Basic) {
			return a, true
		}
		return b, widen != widensNever
	}
	switch a := a.(type) {
	case types.Decimal:
		b, ok := b.(types.Decimal)
		if !ok || widen != widensAsDelta || b.S < a.S || b.P-b.S < a.P-a.S {
			return a, false
		}
		return b, true
	case types.Struct:
		if b, ok := b.(types.Struct); ok {
			s, err := mergeSchemas(a, b, widen)
			return s, err == nil
		}
	case types.Array:
		if b, ok := b.(types.Array); ok {
			e, ok := mergeTypes(a.Elem, b.Elem, widen)
			return types.Array{Elem: e, Nullable: a.Nullable}, ok
		}
	case types.Map:
		if b, ok := b.(types.Map); ok {
			k, ok := mergeTypes(a.Key, b.Key, widen)
			v, also := mergeTypes(a.Value, b.Value, widen)
			return types.Map{Key: k, Value: v, Nullable: a.Nullable}, ok && also
		}
	}
	if b != types.Double {
		return a, false
	}
	if a == types.Float && widen != widensNever || types.Integral(a) && widen == widensAsHudi {
		return b, true
	}
	return a, false
}

// widens says which wider types the columns of a Delta table may take.
func widens(m *lake.Meta) widening {
	if isTrue(m.Properties["delta.enableTypeWidening"]) {
		return widensAsDelta
	}
	return widensNever
}

// widensByWrites says which wider types columns take when rows that have them are written.
func (t Target) widensByWrites() widening {
	if t.Format == "hudi" {
		return widensAsHudi
	}
	return widens(t.Meta)
}

// schemaOf is the schema of the rows of columns.
func schemaOf(cols []rel.Column) types.Struct {
	var out types.Struct
	for _, c := range cols {
		out.Fields = append(out.Fields, c.Field())
	}
	return out
}

// TableSchema is schemaOf as a table made by CREATE TABLE … AS has it: all columns may be NULL.
func TableSchema(cols []rel.Column) types.Struct {
	var out types.Struct
	for _, c := range cols {
		out.Fields = append(out.Fields, fresh(c.Field()))
	}
	return out
}

// duplicate is the first name that stands twice in s, ignoring case.
func duplicate(s types.Struct) (string, bool) {
	seen := map[string]bool{}
	for _, f := range s.Fields {
		k := strings.ToLower(f.Name)
		if seen[k] {
			return f.Name, true
		}
		seen[k] = true
	}
	return "", false
}

// checkNames refuses column names that occur twice or that Parquet files cannot have.
func checkNames(s types.Struct, m *lake.Meta, format, duplicates string) error {
	if name, ok := duplicate(s); ok {
		key := "duplicateCols"
		if duplicates == "COLUMN_ALREADY_EXISTS" {
			key, name = "columnName", quoteName(strings.ToLower(name))
		}
		return fail(duplicates, nil, key, name)
	}
	if mode := m.Properties["delta.columnMapping.mode"]; format != "delta" || mode != "" && mode != "none" {
		return nil
	}
	var bad []string
	for _, f := range s.Fields {
		if strings.ContainsAny(f.Name, " ,;{}()\n\t=") {
			bad = append(bad, f.Name)
		}
	}
	if bad != nil {
		return fail("DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES", nil, "invalidColumnNames", strings.Join(bad, ", "))
	}
	return nil
}

// withSchema is a copy of m with another schema.
func withSchema(m *lake.Meta, s types.Struct) *lake.Meta {
	out := *m
	out.Schema = s
	return &out
}

// CheckNames refuses column names of a new Delta table that occur twice or that its files cannot have.
func CheckNames(m *lake.Meta) error {
	return checkNames(m.Schema, m, "delta", "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE")
}
