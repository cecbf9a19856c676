package avro

import (
	"reflect"
	"strings"
	"testing"
)

const statSchema = `{"type":"record","name":"Stat","namespace":"n","fields":[
 {"name":"fileId","type":"string"},{"name":"path","type":["null","string"],"default":null},{"name":"added","type":["int","null"],"default":7},
 {"name":"size","type":"long","default":0},{"name":"extra","type":["null",{"type":"map","values":"string"}],"default":null},
 {"name":"low","type":["null",{"type":"record","name":"LongWrapper","fields":[{"name":"value","type":"long"}]},"string"],"default":null},
 {"name":"parts","type":{"type":"array","items":{"type":"record","name":"Part","fields":[{"name":"at","type":"double"},{"name":"raw","type":"bytes","default":"\u00ff"}]}},"default":[]}]}`

type file struct {
	ID   string `avro:"fileId"`
	Path string `avro:"path,omitzero"`
}

type part struct {
	At  float64 `avro:"at"`
	Raw []byte  `avro:"raw"`
}

type stat struct {
	file
	Size  int64             `avro:"size"`
	Extra map[string]string `avro:"extra"`
	Low   *Union            `avro:"low"`
	Parts []part            `avro:"parts"`
	Other int               `avro:"not in the schema"`
}

// TestValues takes structs through records, with fields that one of the sides lacks.
func TestValues(t *testing.T) {
	s, err := Parse(statSchema)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in   any
		want stat
	}{
		{stat{file: file{"f", "p"}, Size: 3, Extra: map[string]string{"b": "2", "a": "1"}, Parts: []part{{1, []byte{2}}}},
			stat{file: file{"f", "p"}, Size: 3, Extra: map[string]string{"b": "2", "a": "1"}, Parts: []part{{1, []byte{2}}}}},
		{&stat{file: file{ID: "f"}, Low: &Union{"n.LongWrapper", map[string]any{"value": int64(5)}}},
			stat{file: file{ID: "f"}, Low: &Union{"n.LongWrapper", map[string]any{"value": int64(5)}}, Parts: []part{}}},
		{map[string]any{"fileId": "f", "low": Union{"string", "x"}, "parts": []any{map[string]any{"at": 1.5}}},
			stat{file: file{ID: "f"}, Low: &Union{"string", "x"}, Parts: []part{{1.5, []byte{255}}}}},
	} {
		record, err := s.Encode(nil, c.in)
		if err != nil {
			t.Fatal(err)
		}
		var got stat
		if err := s.Decode(record, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v became %+v, want %+v", c.in, got, c.want)
		}
		var free any
		if err := s.Decode(record, &free); err != nil || free.(map[string]any)["added"] != int32(7) {
			t.Errorf("%v: %v", free, err)
		}
	}
}

// TestValueErrors names the field that does not fit.
func TestValueErrors(t *testing.T) {
	s, err := Parse(statSchema)
	if err != nil {
		t.Fatal(err)
	}
	for want, in := range map[string]any{
		"field fileId: NULL in a field that cannot be null": struct{}{},
		"field size: a string as long":                      map[string]any{"fileId": "f", "size": "x"},
		"has no branch double":                              map[string]any{"fileId": "f", "low": Union{"double", 1.0}},
	} {
		if _, err := s.Encode(nil, in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", in, err, want)
		}
	}
	record, err := s.Encode(nil, stat{file: file{ID: "f"}, Size: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	var small struct {
		Size int32 `avro:"size"`
	}
	for want, into := range map[string]any{
		"which is not a pointer":                 stat{},
		"field size: 1099511627776 into a int32": &small,
	} {
		if err := s.Decode(record, into); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
