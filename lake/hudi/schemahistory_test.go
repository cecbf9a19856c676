package hudi

import (
	"testing"

	"github.com/tarn-lake/tarn/types"
)

func TestSchemaHistory(t *testing.T) {
	h := &schemaHistory{}
	var err error
	h.current, err = parseInternal([]byte(`{"version_id":3,"type":"record","fields":[{"id":0,"name":"id","type":"int"},{"id":1,"name":"title","type":"string"},
		{"id":4,"name":"extra","type":"string"},{"id":5,"name":"place","type":{"type":"record","fields":[{"id":6,"name":"town","type":"string"},{"id":8,"name":"zip","type":"string"}]}},
		{"id":9,"name":"all","type":{"type":"array","element_id":10,"element":{"type":"record","fields":[{"id":11,"name":"b","type":"int"}]}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.parse([]byte(`{"schemas":[{"version_id":0,"type":"record","fields":[{"id":0,"name":"id","type":"int"},{"id":1,"name":"name","type":"string"},
		{"id":2,"name":"extra","type":"string"},{"id":5,"name":"place","type":{"type":"record","fields":[{"id":6,"name":"city","type":"string"}]}},
		{"id":9,"name":"all","type":{"type":"array","element_id":10,"element":{"type":"record","fields":[{"id":11,"name":"a","type":"int"}]}}}]}]}`)); err != nil {
		t.Fatal(err)
	}
	past, ok := h.at("20240101000000000")
	if !ok {
		t.Fatal("no schema of files written first")
	}
	for _, c := range []struct{ column, want types.Field }{
		{types.Field{Name: "id", Type: types.Int}, types.Field{Name: "id", Type: types.Int}},
		{types.Field{Name: "title", Type: types.String}, types.Field{Name: "name", Type: types.String}},
		{types.Field{Name: "extra", Type: types.String}, types.Field{Name: noColumn + "extra", Type: types.String}}, // another column of that name was dropped
		{types.Field{Name: "_hoodie_record_key", Type: types.String}, types.Field{Name: "_hoodie_record_key", Type: types.String}},
		{types.Field{Name: "place", Type: types.Struct{Fields: []types.Field{{Name: "town", Type: types.String}, {Name: "zip", Type: types.String}}}},
			types.Field{Name: "place", Type: types.Struct{Fields: []types.Field{{Name: "city", Type: types.String}, {Name: noColumn + "zip", Type: types.String}}}}},
		{types.Field{Name: "all", Type: types.Array{Elem: types.Struct{Fields: []types.Field{{Name: "b", Type: types.Int}}}}},
			types.Field{Name: "all", Type: types.Array{Elem: types.Struct{Fields: []types.Field{{Name: "a", Type: types.Int}}}}}},
	} {
		if got := h.stored(c.column, past); got.Name != c.want.Name || !types.Equal(got.Type, c.want.Type) {
			t.Errorf("%s: %s %s, want %s %s", c.column.Name, got.Name, got.Type, c.want.Name, c.want.Type)
		}
	}
}

func FuzzInternalSchema(f *testing.F) {
	f.Add([]byte(`{"version_id":3,"fields":[{"id":0,"name":"id","type":{"type":"map","key":"string","value_id":2,"value":{"type":"array","element_id":1,"element":"int"}}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h := &schemaHistory{}
		var err error
		if h.current, err = parseInternal(text); err == nil {
			h.stored(types.Field{Name: "id", Type: types.Struct{Fields: []types.Field{{Name: "id", Type: types.Int}}}}, &h.current)
		}
	})
}
