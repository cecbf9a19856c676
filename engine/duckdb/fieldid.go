package duckdb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// fieldIDs spells the Parquet field ids of a write as COPY wants them; "" when there are none.
func fieldIDs(to engine.Dest) string {
	var fields []types.Field
	for i, d := range to.Columns {
		if !slices.Contains(to.Partition, i) {
			fields = append(fields, d.Field)
		}
	}
	return idStruct("", fields)
}

// idStruct spells the ids of fields, after own.
func idStruct(own string, fields []types.Field) string {
	var parts []string
	if own != "" {
		parts = append(parts, own)
	}
	for _, f := range fields {
		id := ""
		if n, ok := f.Metadata.Int(rel.FieldIDKey); ok {
			id = fmt.Sprint(n)
		}
		if s := idOf(id, f.Type); s != "" {
			parts = append(parts, ident(f.Name)+": "+s)
		}
	}
	if len(parts) == 0 || own != "" && len(parts) == 1 {
		return ""
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// idOf spells the id of a value of type t and of what is nested in it.
func idOf(id string, t types.Type) string {
	own := ""
	if id != "" {
		own = "__duckdb_field_id: " + id
	}
	inner := ""
	switch t := t.(type) {
	case types.Struct:
		inner = idStruct(own, t.Fields)
	case types.Array:
		inner = idStruct(own, []types.Field{{Name: "element", Type: t.Elem}})
	case types.Map:
		inner = idStruct(own, []types.Field{{Name: "key", Type: t.Key}, {Name: "value", Type: t.Value}})
	}
	if inner != "" {
		return inner
	}
	return id
}
