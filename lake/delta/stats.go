package delta

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// fileStats are the statistics of one file (P §Per-file Statistics), decoded as far as their bounds are asked for.
type fileStats struct {
	rows              int64 // physical; negative when unknown
	tight             bool  // no row was deleted by a vector since
	mins, maxs, nulls jsontext.Value
}

// numRecords is the number of rows in a file, deleted ones included, without decoding the rest where Spark wrote it.
func numRecords(stats string) (int64, bool) {
	if rest, ok := strings.CutPrefix(stats, `{"numRecords":`); ok {
		if end := strings.IndexAny(rest, ",}"); end > 0 {
			n, err := strconv.ParseInt(rest[:end], 10, 64)
			return n, err == nil && n >= 0
		}
	}
	s := parseStats(stats)
	return s.rows, s.rows >= 0
}

// parseStats reads statistics. What is missing or of another form than expected is unknown.
func parseStats(text string) fileStats {
	s := fileStats{rows: -1, tight: true}
	if text == "" {
		return s
	}
	raw := jsontext.Value(text)
	if !raw.IsValid() {
		return s
	}
	if n, err := strconv.ParseInt(string(member(raw, "numRecords")), 10, 64); err == nil && n >= 0 {
		s.rows = n
	}
	s.tight = string(member(raw, "tightBounds")) != "false"
	s.mins, s.maxs, s.nulls = member(raw, "minValues"), member(raw, "maxValues"), member(raw, "nullCount")
	return s
}

// bounds is what is known of the leaf at path, of type t. Its bounds hold all values of the column but NULL and NaN: text
// that was cut, and instants whose fraction of a millisecond was, are widened.
func (s fileStats) bounds(path []string, t types.Type) rel.Range {
	r := rel.Range{Nulls: -1, NaN: t == types.Float || t == types.Double}
	if nulls, err := strconv.ParseInt(string(leafValue(s.nulls, path)), 10, 64); err == nil && nulls >= 0 {
		if s.tight || nulls == 0 || nulls == s.rows {
			r.Nulls = nulls
		}
	}
	r.Min, r.Max = bound(leafValue(s.mins, path), t), bound(leafValue(s.maxs, path), t)
	if ms, ok := r.Max.(int64); ok && (t == types.Timestamp || t == types.TimestampNTZ) {
		r.Max = ms + 1000
	}
	if types.IsNaN(r.Min) {
		r.Min = nil
	}
	if types.IsNaN(r.Max) {
		r.Max = nil
	}
	return r
}

// leafValue finds the value at a path of nested objects.
func leafValue(object jsontext.Value, path []string) jsontext.Value {
	for _, name := range path {
		object = member(object, name)
	}
	return object
}

// member finds the value of a member in valid JSON; nil where there is none, or no object.
func member(object jsontext.Value, name string) jsontext.Value {
	i := skipSpace(object, 0)
	if i == len(object) || object[i] != '{' {
		return nil
	}
	for i = skipSpace(object, i+1); object[i] != '}'; i = skipSpace(object, i) {
		if object[i] == ',' {
			i++
			continue
		}
		end := skipValue(object, i)
		key := object[i:end]
		i = skipSpace(object, skipSpace(object, end)+1)
		end = skipValue(object, i)
		if isName(key, name) {
			return object[i:end]
		}
		i = end
	}
	return nil
}

func isName(quoted jsontext.Value, name string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:len(quoted)-1]) == name
	}
	var text string
	return json.Unmarshal(quoted, &text) == nil && text == name
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue is the end of the value that starts at i, in valid JSON.
func skipValue(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1 + min(depth, 0)
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// bound is a bound as a value of t; nil when there is none that can be trusted.
func bound(raw jsontext.Value, t types.Type) types.Value {
	if len(raw) == 0 {
		return nil
	}
	var text string
	switch raw.Kind() {
	case '"':
		if json.Unmarshal(raw, &text) != nil {
			return nil
		}
	case '0':
		text = string(raw)
	default:
		return nil
	}
	switch t.(type) {
	case types.Char, types.Varchar, types.Collated:
		return nil // compared otherwise than by their bytes
	}
	if t == types.Binary || t == types.Boolean || types.Text(t) != (raw.Kind() == '"') && !spelled(t) {
		return nil
	}
	v, err := types.ParseText(text, t, nil)
	if err != nil {
		return nil
	}
	return v
}

// spelled reports whether bounds of t may be JSON text without being text.
func spelled(t types.Type) bool {
	switch t {
	case types.Date, types.Timestamp, types.TimestampNTZ, types.Float, types.Double:
		return true
	}
	return false
}
