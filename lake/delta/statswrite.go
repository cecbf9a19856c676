package delta

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

const (
	indexedLeaves   = 32 // columns with statistics unless the table says otherwise
	statsTextLength = 32 // code points kept of a string
)

// indexed is the part of a physical schema whose leaves get statistics: the first 32 leaf columns, or what
// delta.dataSkippingNumIndexedCols or delta.dataSkippingStatsColumns say, and the clustering columns. The logical schema
// gives the names that the property speaks of; partition columns must have been left out of both.
func indexed(logical, physical types.Struct, properties map[string]string, cluster [][]string) types.Struct {
	pick := leafPicker{left: indexedLeaves}
	if list, ok := properties["delta.dataSkippingStatsColumns"]; ok {
		pick.names = splitColumns(list)
		pick.left = 0
	} else if n, err := strconv.Atoi(properties["delta.dataSkippingNumIndexedCols"]); err == nil {
		pick.left = n
		if n < 0 {
			pick.left = math.MaxInt
		}
	}
	pick.names = append(pick.names, cluster...)
	return pick.fields(logical, physical, nil)
}

type leafPicker struct {
	left  int        // leaves still to take in order
	names [][]string // leaves and structs to take anyway
}

func (p *leafPicker) fields(logical, physical types.Struct, path []string) types.Struct {
	var out types.Struct
	for i, f := range physical.Fields {
		l := logical.Fields[i]
		at := append(path[:len(path):len(path)], l.Name)
		if s, ok := f.Type.(types.Struct); ok {
			if f.Type = p.fields(l.Type.(types.Struct), s, at); len(f.Type.(types.Struct).Fields) > 0 {
				out.Fields = append(out.Fields, f)
			}
			continue
		}
		take := p.left > 0 || p.named(at)
		p.left--
		if take {
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// named reports whether path, or a struct around it, was asked for.
func (p *leafPicker) named(path []string) bool {
	for _, name := range p.names {
		if len(name) <= len(path) && strings.EqualFold(strings.Join(name, "\x00"), strings.Join(path[:len(name)], "\x00")) {
			return true
		}
	}
	return false
}

// splitColumns reads a list of column names with dots and backquotes, as in delta.dataSkippingStatsColumns.
func splitColumns(list string) [][]string {
	var out [][]string
	var path []string
	var part strings.Builder
	quoted := false
	end := func(column bool) {
		path = append(path, strings.TrimSpace(part.String()))
		part.Reset()
		if column {
			out = append(out, path)
			path = nil
		}
	}
	for _, r := range list {
		switch {
		case r == '`':
			quoted = !quoted
		case r == '.' && !quoted:
			end(false)
		case r == ',' && !quoted:
			end(true)
		default:
			part.WriteRune(r)
		}
	}
	if part.Len() > 0 || len(path) > 0 {
		end(true)
	}
	return out
}

// statsText is add.stats for f, whose columns are of the physical schema s. tight is written as tightBounds when the table
// may have deletion vectors. A bound that cannot be stated safely is left out.
func statsText(f rel.File, s types.Struct, tight bool) string {
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b)
	w := statsWriter{e, f.Stats}
	w.token(jsontext.BeginObject, jsontext.String("numRecords"), jsontext.Int(f.Rows))
	if len(s.Fields) > 0 {
		w.section("minValues", s, minValue)
		w.section("maxValues", s, maxValue)
		w.section("nullCount", s, nullCount)
	}
	if tight {
		w.token(jsontext.String("tightBounds"), jsontext.True)
	}
	w.token(jsontext.EndObject)
	return strings.TrimSuffix(b.String(), "\n")
}

// statsWriter writes into memory, where writing balanced tokens cannot fail.
type statsWriter struct {
	e     *jsontext.Encoder
	stats map[string]rel.Range
}

func (w statsWriter) token(ts ...jsontext.Token) {
	for _, t := range ts {
		if err := w.e.WriteToken(t); err != nil {
			panic("delta: statistics cannot be encoded: " + err.Error())
		}
	}
}

type leafText func(r rel.Range, t types.Type) (jsontext.Value, bool)

func (w statsWriter) section(name string, s types.Struct, text leafText) {
	w.token(jsontext.String(name))
	w.object("", s, text)
}

func (w statsWriter) object(prefix string, s types.Struct, text leafText) {
	w.token(jsontext.BeginObject)
	for _, f := range s.Fields {
		path := prefix + f.Name
		if inner, ok := f.Type.(types.Struct); ok {
			w.token(jsontext.String(f.Name))
			w.object(path+".", inner, text)
			continue
		}
		r, known := w.stats[path]
		if !known {
			continue
		}
		if v, ok := text(r, f.Type); ok {
			w.token(jsontext.String(f.Name))
			if err := w.e.WriteValue(v); err != nil {
				panic("delta: statistics cannot be encoded: " + err.Error())
			}
		}
	}
	w.token(jsontext.EndObject)
}

func nullCount(r rel.Range, _ types.Type) (jsontext.Value, bool) {
	return jsontext.Value(strconv.FormatInt(r.Nulls, 10)), r.Nulls >= 0
}

func minValue(r rel.Range, t types.Type) (jsontext.Value, bool) {
	if s, ok := r.Min.(string); ok {
		r.Min = cutBelow(s, statsTextLength)
	}
	return boundText(r.Min, t)
}

func maxValue(r rel.Range, t types.Type) (jsontext.Value, bool) {
	if r.NaN { // the largest number in Spark's order
		return jsontext.Value(`"NaN"`), true
	}
	if s, ok := r.Max.(string); ok {
		if r.Max, ok = cutAbove(s, statsTextLength); !ok {
			return nil, false
		}
	}
	return boundText(r.Max, t)
}

// boundText is the JSON of a bound. Instants lose what is below a millisecond: readers must add one to a maximum.
func boundText(v types.Value, t types.Type) (jsontext.Value, bool) {
	switch v := v.(type) {
	case string:
		if _, plain := t.(types.Collated); plain || !utf8.ValidString(v) {
			return nil, false
		}
		quoted, err := jsontext.AppendQuote(nil, v)
		return quoted, err == nil
	case int32:
		const first, last = -719162, 2932896 // years 1 to 9999
		if t == types.Date && v >= first && v <= last {
			return append(types.AppendDate(jsontext.Value{'"'}, int64(v)), '"'), true
		}
	case int64:
		switch t {
		case types.Timestamp:
			return instantText(v, "Z")
		case types.TimestampNTZ:
			return instantText(v, "")
		case types.Byte, types.Short, types.Int, types.Long:
			return jsontext.Value(strconv.FormatInt(v, 10)), true
		}
	case float32:
		return floatText(float64(v), 32)
	case float64:
		return floatText(v, 64)
	case decimal128.Num:
		if d, ok := t.(types.Decimal); ok {
			return jsontext.Value(v.ToString(int32(d.S))), true
		}
	}
	return nil, false
}

func instantText(micros int64, zone string) (jsontext.Value, bool) {
	at := time.UnixMicro(micros).UTC()
	if at.Year() < 1 || at.Year() > 9999 {
		return nil, false
	}
	millis := at.Truncate(time.Millisecond) // counted from the year 1: rounds down
	return jsontext.Value(`"` + millis.Format("2006-01-02T15:04:05.000") + zone + `"`), true
}

func floatText(f float64, bits int) (jsontext.Value, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(types.AppendFloat(jsontext.Value{'"'}, f, bits), '"'), true
	}
	return types.AppendFloat(nil, f, bits), true
}

// cutBelow is the first n code points of s: not above s.
func cutBelow(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// cutAbove is a string not below s that begins as s does and is hardly longer than n code points, up to twice that where the
// code points after n are the highest there are.
func cutAbove(s string, n int) (string, bool) {
	const del, last = '\u007f', '\U0010ffff'
	count := 0
	for i, r := range s {
		if count >= n && r != last {
			if r < del {
				return s[:i] + string(del), true
			}
			return s[:i] + string(last), true
		}
		if count >= 2*n {
			return "", false
		}
		count++
	}
	return s, count <= n
}
