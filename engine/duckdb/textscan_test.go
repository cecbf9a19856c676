package duckdb

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// textRows writes content to a file and reads it as format; fields are those wanted, in order.
func textRows(t *testing.T, format, content string, options map[string]string, stored types.Struct, fields ...types.Field) []string {
	t.Helper()
	b, err := storage.OpenLocal(t.TempDir())
	must(t, err)
	must(t, storage.WriteFile(t.Context(), b, "f."+format, storage.Exclusive, []byte(content)))
	s := &rel.Scan{Format: format, Files: []rel.File{{Bucket: b, Path: "f." + format}}, Options: options, Stored: stored}
	for _, f := range fields {
		s.Cols = append(s.Cols, rel.ScanColumn{Column: rel.NewColumn(f.Name, f.Type), File: f})
	}
	x, err := Open(Options{Spill: t.TempDir()})
	must(t, err)
	defer x.Close()
	r, err := x.Query(t.Context(), s)
	if err != nil {
		return []string{"ERR " + err.Error()}
	}
	defer r.Release()
	var out []string
	for r.Next() {
		for i := range int(r.RecordBatch().NumRows()) {
			row := []any{}
			for _, c := range r.RecordBatch().Columns() {
				row = append(row, c.GetOneForMarshal(i))
			}
			b, err := json.Marshal(row)
			must(t, err)
			out = append(out, string(b))
		}
	}
	if r.Err() != nil {
		out = append(out, "ERR "+r.Err().Error())
	}
	return out
}

func TestTextFiles(t *testing.T) {
	str := func(name string) types.Field { return types.Field{Name: name, Type: types.String} }
	all := types.Struct{Fields: []types.Field{str("a"), str("b"), str("c")}}
	for name, tt := range map[string]struct {
		format, content string
		options         map[string]string
		stored          types.Struct
		fields          []types.Field
		want            string
	}{
		"csv":                         {"csv", "1,x,\n2,\"y,\"\"z\",\"\"\n", map[string]string{"escape": `"`}, types.Struct{}, all.Fields, `["1","x",null] ["2","y,\"z",""]`},
		"csv, one column with header": {"csv", "a,b,c\n1,x,q\n", map[string]string{"header": "true"}, all, []types.Field{str("b")}, `["x"]`},
		"csv, backslash":              {"csv", `"a\"b",2,3` + "\n", nil, all, []types.Field{str("a")}, `["a\"b"]`},
		"csv, short row":              {"csv", "1\n1,2,3\n", nil, all, []types.Field{str("a"), str("c")}, `["1",null] ["1","3"]`},
		"csv, separator":              {"csv", "1|-|3\n", map[string]string{"sep": "|", "nullvalue": "-"}, all, []types.Field{str("b"), str("c")}, `[null,"3"]`},
		"csv, typed": {"csv", "1,2020-01-01,x\nz,w,y\n 2 ,2020-13-01,\n", nil, all,
			[]types.Field{{Name: "a", Type: types.Int}, {Name: "b", Type: types.Date}, {Name: "c", Type: types.String}}, `[1,"2020-01-01","x"] [null,null,"y"] [2,null,null]`},
		"csv, strict": {"csv", "z\n", map[string]string{"mode": "FAILFAST"}, types.Struct{}, []types.Field{{Name: "a", Type: types.Int}}, "ERR"},
		"csv, timestamps": {"csv", "2020-01-01 00:00:00\n", map[string]string{"timezone": "America/New_York"}, types.Struct{},
			[]types.Field{{Name: "a", Type: types.Timestamp}}, `["2020-01-01T05:00:00Z"]`},
		"json, timestamp": {"json", `{"t":"2020-01-01T00:00:00.5Z"}` + "\n", nil, types.Struct{}, []types.Field{{Name: "t", Type: types.Timestamp}}, `["2020-01-01T00:00:00.5Z"]`},
		"json":            {"json", `{"a":1,"s":{"x":[1,2]},"t":"é"}` + "\n" + `{"a":null}` + "\n" + `broken` + "\n", nil, types.Struct{}, []types.Field{{Name: "a", Type: types.Long}, {Name: "s", Type: types.Struct{Fields: []types.Field{{Name: "x", Type: types.Array{Elem: types.Long}}}}}, str("t")}, `[1,{"x":[1,2]},"é"] [null,null,null] [null,null,null]`},
		"json, multiline": {"json", "[{\"a\":1},\n {\"a\":2}]", map[string]string{"multiline": "true"}, types.Struct{}, []types.Field{{Name: "a", Type: types.Long}}, `[1] [2]`},
		"text":            {"text", "one, \"two\n\n\\3\r\nlast", nil, types.Struct{}, []types.Field{str("value")}, `["one, \"two"] [""] ["\\3"] ["last"]`},
	} {
		got := strings.Join(textRows(t, tt.format, tt.content, tt.options, tt.stored, tt.fields...), " ")
		if got != tt.want && !(tt.want == "ERR" && strings.HasPrefix(got, "ERR")) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
