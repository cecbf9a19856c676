package types

import (
	"strings"
	"testing"
)

// The texts are schemas as Spark 4.1 writes them into Delta logs.
func TestJSONRoundTrip(t *testing.T) {
	for _, text := range []string{
		`"integer"`, `"long"`, `"short"`, `"byte"`, `"string"`, `"timestamp_ntz"`, `"decimal(38,18)"`, `"void"`,
		`"char(3)"`, `"varchar(10)"`, `"interval day to second"`, `"interval year"`, `"time(6)"`, `"variant"`,
		`{"type":"struct","fields":[]}`,
		`{"type":"array","elementType":"integer","containsNull":true}`,
		`{"type":"map","keyType":"string","valueType":{"type":"array","elementType":"double","containsNull":false},"valueContainsNull":false}`,
		`{"type":"struct","fields":[{"name":"a b","type":"string","nullable":true,"metadata":{"__CHAR_VARCHAR_TYPE_STRING":"char(5)"}},{"name":"s","type":{"type":"struct","fields":[{"name":"x","type":"date","nullable":false,"metadata":{}}]},"nullable":true,"metadata":{"delta.columnMapping.id":3}}]}`,
	} {
		typ, err := DecodeJSON([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := EncodeJSON(typ)
		if err != nil || string(got) != text {
			t.Errorf("got  %s (%v)\nwant %s", got, err, text)
		}
	}
}

func TestJSONRefused(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","containsNull":true,"elementType":`, 200) + `"long"` + strings.Repeat("}", 200)
	for _, text := range []string{
		``, `"int8"`, `"decimal(39,1)"`, `"decimal(3,4)"`, `{"type":"set"}`, `{"type":"array"}`, `12`, `"interval month to day"`,
		`{"type":"struct","fields":[{"type":"long"}]}`, `{"type":"struct","type":"struct","fields":[]}`, deep,
	} {
		if typ, err := DecodeJSON([]byte(text)); err == nil {
			t.Errorf("%.60s: read as %v", text, typ)
		}
	}
}

func TestDecodeSchemaJSON(t *testing.T) {
	if _, err := DecodeSchemaJSON([]byte(`"long"`)); err == nil {
		t.Error("a number passed as a schema")
	}
}
