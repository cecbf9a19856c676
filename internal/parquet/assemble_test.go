package parquet

import (
	"bytes"
	"fmt"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/tarn-lake/tarn/types"
)

type nestedRow struct {
	ID   int32              `parquet:"id"`
	Name *string            `parquet:"name,optional"`
	Tags []string           `parquet:"tags,list"`
	Deep [][]int64          `parquet:"deep,list"`
	Of   map[string]float32 `parquet:"of"`
	In   *nestedPart        `parquet:"in,optional"`
}

type nestedPart struct {
	A int64   `parquet:"a"`
	B *string `parquet:"b,optional"`
}

func nestedFile(tb testing.TB) []byte {
	tb.Helper()
	s := func(s string) *string { return &s }
	var b bytes.Buffer
	w := pq.NewGenericWriter[nestedRow](&b)
	for _, part := range [][]nestedRow{
		{{ID: 1, Name: s("x"), Tags: []string{"a", "b"}, Of: map[string]float32{"k": 1.5}, In: &nestedPart{A: 7, B: s("y")}}, {ID: 2}},
		{{ID: 3, Tags: []string{""}, In: &nestedPart{A: -1}}},
	} {
		if _, err := w.Write(part); err != nil {
			tb.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// nestedFields are those of nestedRow, numbers wider than stored, and one that is not there.
var nestedFields = []types.Field{
	{Name: "id", Type: types.Long}, {Name: "name", Type: types.String}, {Name: "tags", Type: types.Array{Elem: types.String}},
	{Name: "of", Type: types.Map{Key: types.String, Value: types.Double}}, {Name: "none", Type: types.Int},
	{Name: "in", Type: types.Struct{Fields: []types.Field{{Name: "b", Type: types.String}, {Name: "a", Type: types.Long}, {Name: "c", Type: types.Int}}}},
}

func TestArrow(t *testing.T) {
	b := nestedFile(t)
	f, err := Open(bytes.NewReader(b), int64(len(b)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	columns, err := f.Arrow(nestedFields)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"[1 2 3]", `["x" (null) (null)]`, `[["a" "b"] [] [""]]`, "[{[\"k\"] [1.5]} {[] []} {[] []}]", "<nil>", ""}
	for i, c := range columns {
		if i < len(want)-1 {
			if got := fmt.Sprint(c); got != want[i] {
				t.Errorf("%s: %s, want %s", nestedFields[i].Name, got, want[i])
			}
			continue
		}
		for row, want := range []string{"[y 7 <nil>]", "<nil>", "[<nil> -1 <nil>]"} {
			v, err := types.ValueAt(c, row, nestedFields[i].Type)
			if got := fmt.Sprint(v); err != nil || got != want {
				t.Errorf("row %d: %s, %v, want %s", row, got, err, want)
			}
		}
	}
	if _, err := f.Arrow([]types.Field{{Name: "name", Type: types.Int}}); err == nil {
		t.Error("a text is read as a number")
	}
}

func FuzzArrow(f *testing.F) {
	f.Add(nestedFile(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := Open(bytes.NewReader(b), int64(len(b)), Limits{Uncompressed: 64 << 20})
		if err != nil {
			return
		}
		file.Arrow(nestedFields)
		for _, leaf := range file.Leaves() {
			for group := range file.Groups() {
				file.Max(group, leaf)
			}
		}
	})
}
