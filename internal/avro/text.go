package avro

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/types"
)

// Spelling is how a schema says that a value may be null.
type Spelling uint8

const (
	NullFirst Spelling = iota // ["null",T] with default null, as in commit metadata, log blocks and Parquet footers
	NullLast                  // [T,"null"], as in hoodie.table.create.schema

	// SharedDecimals is NullFirst, but all decimals of a precision and scale are one type, decimal_<precision>_<scale> without a namespace:
	// so Hudi 0.12 names them whenever it writes to a table that is there, and its reader takes fixed types only by their names.
	SharedDecimals
)

// Text is the schema of a table as Hudi writes it: a record with that name and namespace, the types as Spark's Avro
// writer chooses them, a comment as doc. Nested records are named after their field and live in the namespace of the
// record around them; a decimal is the smallest fixed that holds its digits, named "fixed" in the namespace of its field.
// It is an error for types that Avro has no equal for, and for names that Avro does not allow: a table with such a schema
// could not be read by Hudi.
func Text(name, namespace string, t types.Struct, spelling Spelling) (string, error) {
	w := writer{spelling: spelling, shared: map[types.Decimal]bool{}}
	if err := w.record(name, namespace, "", t, 0); err != nil {
		return "", fmt.Errorf("avro: schema of %s: %w", name, err)
	}
	return w.b.String(), nil
}

type writer struct {
	b        strings.Builder
	spelling Spelling
	shared   map[types.Decimal]bool // that are defined already
}

func (w *writer) quote(key, value string) {
	text, err := jsontext.AppendQuote(nil, value)
	if err != nil { // not UTF-8
		text, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(value, "\uFFFD"))
	}
	w.b.WriteString(`"` + key + `":`)
	w.b.Write(text)
}

// name writes the start of a named type inside of the namespace around, which need not be repeated.
func (w *writer) name(kind, name, namespace, around string) {
	w.b.WriteString(`{"type":"` + kind + `",`)
	w.quote("name", name)
	if namespace != around {
		w.b.WriteByte(',')
		w.quote("namespace", namespace)
	}
}

func (w *writer) record(name, namespace, around string, t types.Struct, depth int) error {
	w.name("record", name, namespace, around)
	w.b.WriteString(`,"fields":[`)
	for i, f := range t.Fields {
		if i > 0 {
			w.b.WriteByte(',')
		}
		if !validName(f.Name) {
			return fmt.Errorf("%q is not a name of Avro's, which have letters, digits and _ only, and no digit first", f.Name)
		}
		if err := w.field(f, joined(namespace, name), namespace, depth); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
	}
	w.b.WriteString("]}")
	return nil
}

// validName reports whether Java's Avro takes a name.
func validName(name string) bool {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != ""
}

func joined(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "." + name
}

func (w *writer) field(f types.Field, namespace, around string, depth int) error {
	w.b.WriteByte('{')
	w.quote("name", f.Name)
	w.b.WriteString(`,"type":`)
	if err := w.value(f.Type, f.Nullable, f.Name, namespace, around, depth); err != nil {
		return err
	}
	if doc, ok := f.Metadata.Text("comment"); ok {
		w.b.WriteByte(',')
		w.quote("doc", doc)
	}
	if f.Nullable && w.spelling != NullLast {
		w.b.WriteString(`,"default":null`)
	}
	w.b.WriteByte('}')
	return nil
}

// value writes the type of a value that may be null.
func (w *writer) value(t types.Type, nullable bool, name, namespace, around string, depth int) error {
	if !nullable || t == types.Void {
		return w.plain(t, name, namespace, around, depth)
	}
	before, after := `["null",`, `]`
	if w.spelling == NullLast {
		before, after = `[`, `,"null"]`
	}
	w.b.WriteString(before)
	err := w.plain(t, name, namespace, around, depth)
	w.b.WriteString(after)
	return err
}

func (w *writer) plain(t types.Type, name, namespace, around string, depth int) error {
	if depth > maxDepth/2 {
		return errors.New("types are nested too deeply")
	}
	switch t := t.(type) {
	case types.Decimal:
		w.decimal(t, joined(namespace, name), around)
		return nil
	case types.Array:
		w.b.WriteString(`{"type":"array","items":`)
		err := w.value(t.Elem, t.Nullable, name, namespace, around, depth+1)
		w.b.WriteByte('}')
		return err
	case types.Map:
		if !types.Text(t.Key) {
			return fmt.Errorf("keys of Avro maps are strings, not %v", t.Key)
		}
		w.b.WriteString(`{"type":"map","values":`)
		err := w.value(t.Value, t.Nullable, name, namespace, around, depth+1)
		w.b.WriteByte('}')
		return err
	case types.Struct:
		return w.record(name, namespace, around, t, depth+1)
	}
	text, ok := leaf(t)
	if !ok {
		return fmt.Errorf("Avro has no type for %v", t)
	}
	w.b.WriteString(text)
	return nil
}

func (w *writer) decimal(t types.Decimal, namespace, around string) {
	name := "fixed"
	if w.spelling == SharedDecimals {
		name, namespace = fmt.Sprintf("decimal_%d_%d", t.P, t.S), ""
		if w.shared[t] {
			w.b.WriteString(`"` + name + `"`)
			return
		}
		w.shared[t] = true
	}
	w.name("fixed", name, namespace, around)
	fmt.Fprintf(&w.b, `,"size":%d,"logicalType":"decimal","precision":%d,"scale":%d}`, decimalSize(t.P), t.P, t.S)
}

func leaf(t types.Type) (string, bool) {
	switch t {
	case types.Void:
		return `"null"`, true
	case types.Boolean:
		return `"boolean"`, true
	case types.Byte, types.Short, types.Int:
		return `"int"`, true
	case types.Long:
		return `"long"`, true
	case types.Float:
		return `"float"`, true
	case types.Double:
		return `"double"`, true
	case types.Binary:
		return `"bytes"`, true
	case types.Date:
		return `{"type":"int","logicalType":"date"}`, true
	case types.Timestamp:
		return `{"type":"long","logicalType":"timestamp-micros"}`, true
	case types.TimestampNTZ:
		return `{"type":"long","logicalType":"local-timestamp-micros"}`, true
	}
	return `"string"`, types.Text(t)
}

// decimalSize is the number of bytes that hold every number of so many digits.
func decimalSize(digits int) int {
	sizes := [...]int{0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7, 8, 8, 9, 9, 9, 10, 10, 11, 11, 11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 16, 16, 16}
	return sizes[digits]
}
