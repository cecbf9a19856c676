package avro

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// value spells a cell of a column.
func value(a arrow.Array, i int, t types.Type) string {
	v, err := types.ValueAt(a, i, t)
	if err != nil {
		return err.Error()
	}
	if d, ok := v.(decimal128.Num); ok {
		return d.ToString(int32(t.(types.Decimal).S))
	}
	return fmt.Sprintf("%v", v)
}

// TestPromotions reads one field of a writer's type as the type that a reader wants. Bytes are as Avro's specification
// gives them.
func TestPromotions(t *testing.T) {
	dec := `{"type":"fixed","name":"fixed","size":5,"logicalType":"decimal","precision":10,"scale":2}`
	for _, c := range []struct {
		writer string
		record string
		want   types.Type
		value  string // or the start of an error
	}{
		{`"int"`, "8001", types.Int, "64"},
		{`"int"`, "8001", types.Long, "64"},
		{`"int"`, "8001", types.Float, "64"},
		{`"int"`, "8001", types.Double, "64"},
		{`"int"`, "8001", types.String, "64"},
		{`"int"`, "8001", types.Decimal{P: 4, S: 2}, "64.00"},
		{`"int"`, "8001", types.Decimal{P: 3, S: 2}, "64 does not fit into decimal(3,2)"},
		{`"int"`, "8001", types.Byte, "64"},
		{`"int"`, "8002", types.Byte, "128 is outside of the column's type"},
		{`"int"`, "80808080808001", types.Int, "2199023255552 is not an int"},
		{`"int"`, "8001", types.Boolean, "int cannot be read as boolean"},
		{`"int"`, "8001", types.Date, "64"},
		{`"long"`, "01", types.Long, "-1"},
		{`"long"`, "01", types.Int, "long cannot be read as int"},
		{`"long"`, "01", types.Float, "-1"},
		{`"long"`, "01", types.String, "-1"},
		{`"long"`, "01", types.Timestamp, "-1000"},
		{`{"type":"long","logicalType":"timestamp-micros"}`, "01", types.Timestamp, "-1"},
		{`{"type":"long","logicalType":"timestamp-millis"}`, "01", types.Timestamp, "-1000"},
		{`{"type":"long","logicalType":"local-timestamp-millis"}`, "01", types.TimestampNTZ, "-1000"},
		{`{"type":"long","logicalType":"timestamp-micros"}`, "01", types.Long, "-1"},
		{`{"type":"int","logicalType":"date"}`, "02", types.Date, "1"},
		{`{"type":"int","logicalType":"date"}`, "02", types.String, "1970-01-02"},
		{`"float"`, "0000803f", types.Double, "1"},
		{`"float"`, "cdcccc3d", types.Float, "0.1"},
		{`"float"`, "cdcccc3d", types.String, "0.1"},
		{`"double"`, "000000000000f03f", types.String, "1.0"},
		{`"double"`, "000000000000f03f", types.Float, "double cannot be read as float"},
		{`"string"`, "0461ff", types.String, "a\uFFFD"},
		{`"string"`, "046162", types.Binary, "[97 98]"},
		{`"bytes"`, "046162", types.String, "ab"},
		{`"boolean"`, "01", types.Boolean, "true"},
		{`"boolean"`, "02", types.Boolean, "2 is not a boolean"},
		{`{"type":"enum","name":"e","symbols":["A","B"]}`, "02", types.String, "B"},
		{`{"type":"enum","name":"e","symbols":["A","B"]}`, "04", types.String, "enum e has no symbol 2"},
		{`{"type":"fixed","name":"f","size":2}`, "0102", types.Binary, "[1 2]"},
		{dec, "ffffffff85", types.Decimal{P: 10, S: 2}, "-1.23"},
		{dec, "ffffffff85", types.Decimal{P: 12, S: 4}, "-1.2300"},
		{dec, "ffffffff85", types.Decimal{P: 10, S: 1}, "fixed fixed (decimal(10,2)) cannot be read as decimal(10,1)"},
		{dec, "ffffffff85", types.String, "-1.23"},
		{dec, "7fffffffff", types.Decimal{P: 10, S: 2}, "5497558138.87 does not fit into decimal(10,2)"},
		{`{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}`, "0404d2", types.Decimal{P: 4, S: 2}, "12.34"},
		{`{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}`, "00", types.Decimal{P: 4, S: 2}, "0.00"},
		{`["null","int"]`, "00", types.Int, "<nil>"},
		{`["null","int"]`, "0202", types.Int, "1"},
		{`["int","null"]`, "02", types.Int, "<nil>"},
		{`["int","null"]`, "0002", types.Int, "1"},
		{`["int"]`, "0002", types.Int, "1"},
		{`["int"]`, "0202", types.Int, "union has no branch 1"},
		{`["null","int"]`, "04", types.Int, "union has no branch 2"},
		{`["null","int","string"]`, "00", types.Int, "union of null, int, string cannot be read as int"},
		{`"null"`, "", types.Int, "<nil>"},
		{`{"type":"array","items":["null","int"]}`, "0402020000", types.Array{Elem: types.Long, Nullable: true}, "[1 <nil>]"},
		{`{"type":"array","items":"int"}`, "01040201040300", types.Array{Elem: types.Int}, "[1 -2]"},
		{`{"type":"array","items":"int"}`, "0302020400", types.Array{Elem: types.Int}, "[1 2]"},
		{`{"type":"map","values":"int"}`, "0202610200", types.Map{Key: types.String, Value: types.Int}, "[{a 1}]"},
		{`{"type":"record","name":"n","fields":[{"name":"x","type":"int"},{"name":"y","type":"string"}]}`, "02026100",
			types.Struct{Fields: []types.Field{{Name: "y", Type: types.String}, {Name: "z", Type: types.Int}}}, "1 bytes are left"},
		{`{"type":"record","name":"n","fields":[{"name":"x","type":"int"},{"name":"y","type":"string"}]}`, "020261",
			types.Struct{Fields: []types.Field{{Name: "y", Type: types.String}, {Name: "z", Type: types.Int}}}, "[a <nil>]"},
	} {
		got := readOne(t, c.writer, c.record, c.want)
		if !strings.Contains(got, c.value) || c.value == "" {
			t.Errorf("%s %s as %v: %s, want %s", c.writer, c.record, c.want, got, c.value)
		}
	}
}

func readOne(t *testing.T, writer, record string, want types.Type) string {
	s, err := Parse(`{"type":"record","name":"r","fields":[{"name":"f","type":` + writer + `}]}`)
	if err != nil {
		return err.Error()
	}
	d, err := NewDecoder(s, []types.Field{{Name: "lacking", Type: types.Array{Elem: types.Int}}, {Name: "f", Type: want}})
	if err != nil {
		return err.Error()
	}
	b, err := hex.DecodeString(record)
	if err != nil {
		t.Fatal(err)
	}
	err = d.Append(b)
	batch := d.Batch()
	if err != nil {
		if batch.NumRows() != 0 || d.Append(b) == nil {
			t.Errorf("%s: a decoder goes on after %v", record, err)
		}
		return err.Error()
	}
	if l := d.Lacks(); !l[0] || l[1] || !batch.Column(0).IsNull(0) {
		t.Errorf("lacks %v", l)
	}
	return value(batch.Column(1), 0, want)
}

// TestParse refuses what is no schema, and what could not be held.
func TestParse(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 100) + `"int"` + strings.Repeat("}", 100)
	wide := `{"type":"record","name":"a0","fields":[{"name":"x","type":"int"},{"name":"y","type":"int"}]}`
	for i := 1; i < 40; i++ { // each level doubles the one before
		wide = fmt.Sprintf(`{"type":"record","name":"a%d","fields":[{"name":"x","type":%s},{"name":"y","type":"a%d"}]}`, i, wide, i-1)
	}
	for text, want := range map[string]string{
		``:                 "EOF",
		`"x"`:              `type "x" is not defined`,
		`[]`:               "a union of nothing",
		`[["int"]]`:        "a union holds a union",
		`{"type":"array"}`: "<nil> is not a type",
		`{"type":"record","name":"r","fields":[{"name":"r","type":"r"}]}`:                             "type r holds itself",
		`{"type":"record","name":"r","fields":[{"name":"a","type":"int"},{"name":"a","type":"int"}]}`: "without a name of its own",
		`{"type":"fixed","name":"f","size":-1}`:                                                       "size of f is -1",
		deep:                                                                                          "nested too deeply",
		wide:                                                                                          "more than 200000 types",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", text, err, want)
		}
	}
}

// TestLargeSchemas refuses texts that would become many values.
func TestLargeSchemas(t *testing.T) {
	for _, item := range []string{"{},", "0,", `"",`, `{"a":1},`, "[],"} {
		bounded(t, func() {
			n := maxText/len(item) - 1
			if _, err := Parse("[" + strings.Repeat(item, n) + "0]"); err == nil {
				t.Errorf("%d times %s is a schema", n, item)
			}
		})
	}
}
