package types

import (
	"bytes"
	"sort"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Metadata is the JSON object beside a field of a Spark schema: key to raw JSON value. A nil Metadata is
// an empty object. It is never changed in place: With and Without make copies.
type Metadata map[string]jsontext.Value

// Text is the string under key, and whether key holds a string.
func (m Metadata) Text(key string) (string, bool) {
	var s string
	v, ok := m[key]
	if !ok || json.Unmarshal(v, &s) != nil {
		return "", false
	}
	return s, true
}

// Int is the whole number under key, and whether key holds one.
func (m Metadata) Int(key string) (int64, bool) {
	var n int64
	v, ok := m[key]
	if !ok || json.Unmarshal(v, &n) != nil {
		return 0, false
	}
	return n, true
}

// With is m with key set to the JSON of value, which must be encodable.
func (m Metadata) With(key string, value any) Metadata {
	b, err := json.Marshal(value)
	if err != nil {
		panic("types: metadata value cannot be encoded: " + err.Error())
	}
	out := make(Metadata, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	out[key] = b
	return out
}

// Without is m without the given keys; nil when nothing is left.
func (m Metadata) Without(keys ...string) Metadata {
	out := Metadata{}
	for k, v := range m {
		out[k] = v
	}
	for _, k := range keys {
		delete(out, k)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// Keys are the keys of m in order.
func (m Metadata) Keys() []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Equal reports whether m and o hold the same keys with the same compact JSON.
func (m Metadata) Equal(o Metadata) bool {
	if len(m) != len(o) {
		return false
	}
	for k, v := range m {
		w, ok := o[k]
		if !ok || !bytes.Equal(compact(v), compact(w)) {
			return false
		}
	}
	return true
}

func compact(v jsontext.Value) []byte {
	c := v.Clone()
	if c.Compact() != nil {
		return v
	}
	return c
}
