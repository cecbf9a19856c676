package types

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds the nesting of types in JSON, which anybody may have written.
const maxDepth = 100

// EncodeJSON is the JSON of t as Spark's DataType.json writes it, the form of schemas in Delta logs and Parquet
// footers. Char, varchar and collated text keep their own spelling (`"char(3)"`): a format that stores them as
// string plus metadata translates first. It fails for nothing but a nil type.
func EncodeJSON(t Type) ([]byte, error) {
	var b bytes.Buffer
	enc := jsontext.NewEncoder(&b, json.Deterministic(true))
	if err := encodeType(enc, t); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// DecodeJSON reads a type from the JSON of Spark's DataType.json. Metadata of fields is kept as it is and not
// interpreted. A user-defined type is read as the SQL type that it is stored as.
func DecodeJSON(text []byte) (Type, error) {
	if JSONDepth(text) > 4*maxDepth { // each level of type is at most three of JSON
		return nil, errors.New("types are nested too deeply")
	}
	return decodeType(text, 0)
}

// DecodeSchemaJSON is DecodeJSON for the schema of a table, which must be a struct.
func DecodeSchemaJSON(text []byte) (Struct, error) {
	t, err := DecodeJSON(text)
	if err != nil {
		return Struct{}, err
	}
	s, ok := t.(Struct)
	if !ok {
		return Struct{}, fmt.Errorf("schema is of type %s, not a struct", t)
	}
	return s, nil
}

type structJSON struct {
	Type   string           `json:"type"`
	Fields []jsontext.Value `json:"fields"`
}

type fieldJSON struct {
	Name     *string        `json:"name"`
	Type     jsontext.Value `json:"type"`
	Nullable bool           `json:"nullable"`
	Metadata Metadata       `json:"metadata"`
}

type arrayJSON struct {
	Type         string         `json:"type"`
	ElementType  jsontext.Value `json:"elementType"`
	ContainsNull bool           `json:"containsNull"`
}

type mapJSON struct {
	Type              string         `json:"type"`
	KeyType           jsontext.Value `json:"keyType"`
	ValueType         jsontext.Value `json:"valueType"`
	ValueContainsNull bool           `json:"valueContainsNull"`
}

func encodeType(enc *jsontext.Encoder, t Type) error {
	var v any
	switch t := t.(type) {
	case nil:
		return errors.New("a type is missing")
	case Struct:
		fields := make([]jsontext.Value, len(t.Fields))
		for i, f := range t.Fields {
			raw, err := encodeField(f)
			if err != nil {
				return err
			}
			fields[i] = raw
		}
		v = structJSON{"struct", fields}
	case Array:
		elem, err := EncodeJSON(t.Elem)
		if err != nil {
			return err
		}
		v = arrayJSON{"array", elem, t.Nullable}
	case Map:
		key, err := EncodeJSON(t.Key)
		if err != nil {
			return err
		}
		value, err := EncodeJSON(t.Value)
		if err != nil {
			return err
		}
		v = mapJSON{"map", key, value, t.Nullable}
	default:
		v = jsonName(t)
	}
	return json.MarshalEncode(enc, v)
}

func encodeField(f Field) (jsontext.Value, error) {
	t, err := EncodeJSON(f.Type)
	if err != nil {
		return nil, fmt.Errorf("field %s: %w", f.Name, err)
	}
	m := f.Metadata
	if m == nil {
		m = Metadata{}
	}
	return json.Marshal(fieldJSON{&f.Name, t, f.Nullable, m}, json.Deterministic(true))
}

// jsonNames are the names that differ from those of SQL.
var jsonNames = map[Type]string{Byte: "byte", Short: "short", Int: "integer", Long: "long"}

func jsonName(t Type) string {
	if name, ok := jsonNames[t]; ok {
		return name
	}
	return t.String()
}

func decodeType(text jsontext.Value, depth int) (Type, error) {
	if depth > maxDepth {
		return nil, errors.New("types are nested too deeply")
	}
	if text.Kind() == '"' {
		var name string
		if err := json.Unmarshal(text, &name); err != nil {
			return nil, err
		}
		return namedType(name)
	}
	var tag struct {
		Type    string         `json:"type"`
		SQLType jsontext.Value `json:"sqlType"`
	}
	if err := json.Unmarshal(text, &tag); err != nil {
		return nil, err
	}
	switch tag.Type {
	case "struct":
		return decodeStruct(text, depth)
	case "array":
		return decodeArray(text, depth)
	case "map":
		return decodeMap(text, depth)
	case "udt":
		return decodeType(tag.SQLType, depth+1)
	}
	return nil, fmt.Errorf("unknown type %q", tag.Type)
}

func decodeStruct(text jsontext.Value, depth int) (Type, error) {
	var j structJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, err
	}
	s := Struct{Fields: make([]Field, len(j.Fields))}
	for i, raw := range j.Fields {
		f := fieldJSON{Nullable: true}
		if err := json.Unmarshal(raw, &f); err != nil {
			return nil, err
		}
		if f.Name == nil {
			return nil, fmt.Errorf("field %d has no name", i)
		}
		t, err := decodeType(f.Type, depth+1)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", *f.Name, err)
		}
		if len(f.Metadata) == 0 {
			f.Metadata = nil
		}
		s.Fields[i] = Field{*f.Name, t, f.Nullable, f.Metadata}
	}
	return s, nil
}

func decodeArray(text jsontext.Value, depth int) (Type, error) {
	var j arrayJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, err
	}
	elem, err := decodeType(j.ElementType, depth+1)
	return Array{elem, j.ContainsNull}, err
}

func decodeMap(text jsontext.Value, depth int) (Type, error) {
	var j mapJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, err
	}
	key, err := decodeType(j.KeyType, depth+1)
	if err != nil {
		return nil, err
	}
	value, err := decodeType(j.ValueType, depth+1)
	return Map{key, value, j.ValueContainsNull}, err
}

var namedTypes = map[string]Type{
	"void": Void, "null": Void, "boolean": Boolean, "byte": Byte, "short": Short, "integer": Int, "long": Long,
	"float": Float, "double": Double, "string": String, "binary": Binary, "date": Date, "timestamp": Timestamp,
	"timestamp_ntz": TimestampNTZ, "interval": CalendarInterval, "variant": Variant, "decimal": Decimal{10, 0},
	"calendarinterval": CalendarInterval,
}

// namedType reads the word of a type without parts.
func namedType(name string) (Type, error) {
	if t, ok := namedTypes[name]; ok {
		return t, nil
	}
	if collation, ok := strings.CutPrefix(name, "string collate "); ok {
		return Collated{collation}, nil
	}
	if fields, ok := strings.CutPrefix(name, "interval "); ok {
		return intervalType(fields)
	}
	word, args, ok := typeArgs(name)
	switch {
	case !ok:
	case word == "decimal" && len(args) == 2 && 1 <= args[0] && args[0] <= 38 && 0 <= args[1] && args[1] <= args[0]:
		return Decimal{args[0], args[1]}, nil
	case word == "char" && len(args) == 1 && args[0] > 0:
		return Char{args[0]}, nil
	case word == "varchar" && len(args) == 1 && args[0] > 0:
		return Varchar{args[0]}, nil
	case word == "time" && len(args) == 1 && 0 <= args[0] && args[0] <= 6:
		return Time{args[0]}, nil
	}
	return nil, fmt.Errorf("unknown type %q", name)
}

// typeArgs splits `word(1,2)`.
func typeArgs(name string) (word string, args []int, ok bool) {
	word, rest, ok := strings.Cut(name, "(")
	if !ok || !strings.HasSuffix(rest, ")") {
		return "", nil, false
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(rest, ")"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return "", nil, false
		}
		args = append(args, n)
	}
	return strings.TrimSpace(word), args, true
}

func intervalType(fields string) (Type, error) {
	from, to, ok := strings.Cut(fields, " to ")
	if !ok {
		to = from
	}
	a, b := unitNamed(from), unitNamed(to)
	switch {
	case a < 0 || b < a:
	case b <= int(Month):
		return YearMonth{Unit(a), Unit(b)}, nil
	case a >= int(Day):
		return DayTime{Unit(a), Unit(b)}, nil
	}
	return nil, fmt.Errorf("unknown type %q", "interval "+fields)
}

func unitNamed(name string) int {
	for i, n := range unitNames {
		if n == name {
			return i
		}
	}
	return -1
}

// JSONDepth is the deepest nesting of brackets in JSON text, counted without checking it: what a decoder must bound before it begins.
func JSONDepth(text []byte) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}
