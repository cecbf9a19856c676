package delta

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// fileStats are the statistics of one file (P §Per-file Statistics), decoded as far as their bounds are asked for.
type fileStats struct {
	rows  int64 // physical; negative when unknown
	tight bool  // no row was deleted by a vector since
	mins  map[string]jsontext.Value
	maxs  map[string]jsontext.Value
	nulls map[string]jsontext.Value
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
	var j struct {
		NumRecords *int64                    `json:"numRecords"`
		Tight      *bool                     `json:"tightBounds"`
		Min        map[string]jsontext.Value `json:"minValues"`
		Max        map[string]jsontext.Value `json:"maxValues"`
		Nulls      map[string]jsontext.Value `json:"nullCount"`
	}
	if nesting([]byte(text)) > maxDepth || json.Unmarshal([]byte(text), &j) != nil {
		return s
	}
	if j.NumRecords != nil && *j.NumRecords >= 0 {
		s.rows = *j.NumRecords
	}
	if j.Tight != nil {
		s.tight = *j.Tight
	}
	s.mins, s.maxs, s.nulls = j.Min, j.Max, j.Nulls
	return s
}

// bounds is what is known of the leaf at path, of type t. Its bounds hold all values of the column but NULL and NaN: text
// that was cut, and instants whose fraction of a millisecond was, are widened.
func (s fileStats) bounds(path []string, t types.Type) rel.Range {
	r := rel.Range{Nulls: -1, NaN: t == types.Float || t == types.Double}
	var nulls int64
	if raw := leafValue(s.nulls, path); raw != nil && json.Unmarshal(raw, &nulls) == nil && nulls >= 0 {
		if s.tight || nulls == 0 || nulls == s.rows {
			r.Nulls = nulls
		}
	}
	r.Min, r.Max = bound(leafValue(s.mins, path), t), bound(leafValue(s.maxs, path), t)
	if ms, ok := r.Max.(int64); ok && (t == types.Timestamp || t == types.TimestampNTZ) {
		r.Max = ms + 1000
	}
	if isNaN(r.Min) {
		r.Min = nil
	}
	if isNaN(r.Max) {
		r.Max = nil
	}
	return r
}

func isNaN(v types.Value) bool {
	switch v := v.(type) {
	case float32:
		return v != v
	case float64:
		return v != v
	}
	return false
}

// leafValue finds the value at a path of nested objects.
func leafValue(m map[string]jsontext.Value, path []string) jsontext.Value {
	raw, ok := m[path[0]]
	if !ok || len(path) == 1 {
		return raw
	}
	var inner map[string]jsontext.Value
	if raw.Kind() != '{' || json.Unmarshal(raw, &inner) != nil {
		return nil
	}
	return leafValue(inner, path[1:])
}

// bound is a bound as a value of t; nil when there is none that can be trusted.
func bound(raw jsontext.Value, t types.Type) types.Value {
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
	v, err := parseText(text, t, nil)
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
