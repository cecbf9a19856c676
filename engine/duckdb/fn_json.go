package duckdb

import (
	"encoding/base64"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// jsonFunctions read and write JSON text.
var jsonFunctions = map[string]udf{
	"get_json_object":   valueUDF(strict(getJSON)),
	"json_array_length": valueUDF(strict(jsonLength)),
	"json_object_keys":  valueUDF(strict(jsonKeys)),
	"json_tuple":        valueUDF(jsonTuple),
	"to_json":           {nulls: true, make: toJSON},
	"from_json":         {nulls: true, make: fromJSON},
	"schema_of_json":    valueUDF(strict(schemaOfJSON)),
	"exists":            valueUDF(strict(func(_ use, r *row) (types.Value, error) { return quantified(r.list(0), true), nil })),
	"forall":            valueUDF(strict(func(_ use, r *row) (types.Value, error) { return quantified(r.list(0), false), nil })),
}

// quantified is want when an element is, NULL when one is NULL, else not want.
func quantified(l []types.Value, want bool) types.Value {
	null := false
	for _, v := range l {
		if v == want {
			return want
		}
		null = null || v == nil
	}
	if null {
		return nil
	}
	return !want
}

// jsonNode is parsed JSON: nil, bool, jsonNumber, string, []jsonNode or jsonObject.
type jsonNode any

type jsonNumber string

type jsonObject []jsonMember

type jsonMember struct {
	key string
	val jsonNode
}

func (o jsonObject) get(key string) (jsonNode, bool) {
	for _, m := range o {
		if m.key == key {
			return m.val, true
		}
	}
	return nil, false
}

// parseJSON reads one JSON value, with nothing but white space behind.
func parseJSON(s string) (jsonNode, bool) {
	d := jsontext.NewDecoder(strings.NewReader(s), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	n, ok := readJSON(d, 0)
	return n, ok
}

const maxJSONDepth = 500

func readJSON(d *jsontext.Decoder, depth int) (jsonNode, bool) {
	if depth > maxJSONDepth {
		return nil, false
	}
	t, err := d.ReadToken()
	if err != nil {
		return nil, false
	}
	switch t.Kind() {
	case 'n':
		return nil, true
	case 't', 'f':
		return t.Bool(), true
	case '"':
		return t.String(), true
	case '0':
		return jsonNumber(t.String()), true
	case '[':
		out := []jsonNode{}
		for d.PeekKind() != ']' {
			v, ok := readJSON(d, depth+1)
			if !ok {
				return nil, false
			}
			out = append(out, v)
		}
		_, err := d.ReadToken()
		return out, err == nil
	case '{':
		out := jsonObject{}
		for d.PeekKind() != '}' {
			k, err := d.ReadToken()
			if err != nil || k.Kind() != '"' {
				return nil, false
			}
			key := k.String()
			v, ok := readJSON(d, depth+1)
			if !ok {
				return nil, false
			}
			out = append(out, jsonMember{key, v})
		}
		_, err := d.ReadToken()
		return out, err == nil
	}
	return nil, false
}

// appendJSON spells n.
func appendJSON(b []byte, n jsonNode) []byte {
	switch n := n.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, n)
	case jsonNumber:
		return append(b, n...)
	case string:
		return appendJSONText(b, n)
	case []jsonNode:
		b = append(b, '[')
		for i, v := range n {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, v)
		}
		return append(b, ']')
	case jsonObject:
		b = append(b, '{')
		for i, m := range n {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendJSONText(b, m.key), ':')
			b = appendJSON(b, m.val)
		}
		return append(b, '}')
	}
	return b
}

func appendJSONText(b []byte, s string) []byte {
	out, err := json.Marshal(s, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return append(b, `""`...)
	}
	return append(b, out...)
}

// getJSON is get_json_object(text, path).
func getJSON(_ use, r *row) (types.Value, error) {
	path, ok := parsePath(r.text(1))
	if !ok {
		return nil, nil
	}
	n, ok := parseJSON(r.text(0))
	if !ok {
		return nil, nil
	}
	found := walkPath(n, path)
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) == 1:
		if found[0] == nil {
			return nil, nil
		}
		if s, ok := found[0].(string); ok {
			return s, nil
		}
		return string(appendJSON(nil, found[0])), nil
	}
	return string(appendJSON(nil, found)), nil
}

// pathStep is a name, a position or, with all, every element.
type pathStep struct {
	name  string
	index int
	all   bool
}

// parsePath reads $.a['b'][0][*].
func parsePath(s string) ([]pathStep, bool) {
	if !strings.HasPrefix(s, "$") {
		return nil, false
	}
	s = s[1:]
	var out []pathStep
	for s != "" {
		switch {
		case strings.HasPrefix(s, "['"):
			end := strings.Index(s, "']")
			if end < 0 {
				return nil, false
			}
			out = append(out, pathStep{name: s[2:end], index: -1})
			s = s[end+2:]
		case s[0] == '[':
			end := strings.IndexByte(s, ']')
			if end < 0 {
				return nil, false
			}
			if s[1:end] == "*" {
				out = append(out, pathStep{all: true})
			} else if n, err := strconv.Atoi(s[1:end]); err == nil && n >= 0 {
				out = append(out, pathStep{index: n})
			} else {
				return nil, false
			}
			s = s[end+1:]
		case s[0] == '.':
			s = s[1:]
			end := strings.IndexAny(s, ".[")
			if end < 0 {
				end = len(s)
			}
			if end == 0 {
				return nil, false
			}
			if s[:end] == "*" {
				out = append(out, pathStep{all: true})
			} else {
				out = append(out, pathStep{name: s[:end], index: -1})
			}
			s = s[end:]
		default:
			return nil, false
		}
	}
	return out, true
}

func walkPath(n jsonNode, path []pathStep) []jsonNode {
	if len(path) == 0 {
		return []jsonNode{n}
	}
	p, rest := path[0], path[1:]
	switch v := n.(type) {
	case jsonObject:
		if p.all {
			return nil
		}
		if x, ok := v.get(p.name); ok && p.name != "" {
			return walkPath(x, rest)
		}
	case []jsonNode:
		if p.all {
			var out []jsonNode
			for _, x := range v {
				out = append(out, walkPath(x, rest)...)
			}
			return out
		}
		if p.name == "" && p.index < len(v) {
			return walkPath(v[p.index], rest)
		}
		if p.name != "" {
			var out []jsonNode
			for _, x := range v {
				out = append(out, walkPath(x, path)...)
			}
			return out
		}
	}
	return nil
}

func jsonLength(_ use, r *row) (types.Value, error) {
	n, ok := parseJSON(r.text(0))
	l, is := n.([]jsonNode)
	if !ok || !is {
		return nil, nil
	}
	return int64(len(l)), nil
}

func jsonKeys(_ use, r *row) (types.Value, error) {
	n, ok := parseJSON(r.text(0))
	o, is := n.(jsonObject)
	if !ok || !is {
		return nil, nil
	}
	out := make([]types.Value, len(o))
	for i, m := range o {
		out[i] = m.key
	}
	return out, nil
}

// jsonTuple is one struct with the texts under the given keys, in an array of one.
func jsonTuple(u use, r *row) (types.Value, error) {
	out := make([]types.Value, len(r.cols)-1)
	if !r.null(0) {
		if n, ok := parseJSON(r.text(0)); ok {
			if o, is := n.(jsonObject); is {
				for k := range out {
					if r.null(k + 1) {
						continue
					}
					if v, found := o.get(r.text(k + 1)); found {
						out[k] = jsonText(v)
					}
				}
			}
		}
	}
	return []types.Value{out}, nil
}

func jsonText(n jsonNode) types.Value {
	switch n := n.(type) {
	case nil:
		return nil
	case string:
		return n
	}
	return string(appendJSON(nil, n))
}

// toJSON writes values; NULL fields are left out.
func toJSON(u use) (Eval, error) {
	return func(n int, in []Vec, out *Out) error {
		z, err := newZone(u.zone)
		if err != nil {
			return err
		}
		w := jsonWriter{z: z}
		if len(u.args) > 1 {
			return toJSONRows(u, n, in, out, w)
		}
		return toJSONRows(u, n, in, out, w)
	}, nil
}

func toJSONRows(u use, n int, in []Vec, out *Out, w jsonWriter) error {
	return valueUDF(strict(func(u use, r *row) (types.Value, error) {
		w := w
		if len(r.cols) > 1 {
			if ps, ok := r.value(1).([]types.Pair); ok {
				if err := w.options(ps); err != nil {
					return nil, err
				}
			}
		}
		return string(w.append(nil, u.args[0], r.value(0))), nil
	})).eval(u, n, in, out)
}

// jsonWriter writes values with Spark's default formats, or those of options.
type jsonWriter struct {
	z         *zone
	date      datePattern
	timestamp datePattern
	nulls     bool
}

func (w *jsonWriter) options(ps []types.Pair) error {
	for _, p := range ps {
		v, _ := p.Value.(string)
		var err error
		switch strings.ToLower(p.Key.(string)) {
		case "dateformat":
			w.date, err = compilePattern(v, false)
		case "timestampformat":
			w.timestamp, err = compilePattern(v, false)
		case "ignorenullfields":
			w.nulls = v == "false"
		case "timezone":
			w.z, err = newZone(v)
		}
		if err != nil {
			return raisePattern(err)
		}
	}
	return nil
}

func (w jsonWriter) append(b []byte, t types.Type, v types.Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return w.appendLong(b, t, v)
	case int32:
		if t == types.Date {
			if w.date != nil {
				return appendJSONText(b, string(w.date.format(nil, moment{wall: int64(v) * microsPerDay})))
			}
			return appendJSONText(b, string(types.AppendDate(nil, int64(v))))
		}
		return appendJSONText(b, yearMonthSQL(int64(v), t))
	case float32:
		return appendJSONFloat(b, float64(v), 32)
	case float64:
		return appendJSONFloat(b, v, 64)
	case decimal128.Num:
		return append(b, number{v.BigInt(), scaleOf(t)}.text()...)
	case string:
		return appendJSONText(b, v)
	case []byte:
		return appendJSONText(b, base64.StdEncoding.EncodeToString(v))
	case types.Interval:
		return appendJSONText(b, string(types.AppendInterval(nil, v)))
	}
	return w.appendNested(b, t, v)
}

func (w jsonWriter) appendLong(b []byte, t types.Type, v int64) []byte {
	switch t := t.(type) {
	case types.DayTime:
		return appendJSONText(b, dayTimeSQL(v, t))
	case types.Time:
		return appendJSONText(b, string(types.AppendTime(nil, v)))
	case types.Basic:
		switch t {
		case types.Timestamp:
			if w.timestamp != nil {
				return appendJSONText(b, string(w.timestamp.format(nil, momentOf(v, w.z))))
			}
			m := momentOf(v, w.z)
			return appendJSONText(b, string(appendOffset(appendISO(nil, m.wall), 'X', 3, m.offset)))
		case types.TimestampNTZ:
			return appendJSONText(b, string(appendISO(nil, v)))
		}
	}
	return strconv.AppendInt(b, v, 10)
}

// appendISO spells a wall clock with T and milliseconds, or microseconds where it has them.
func appendISO(b []byte, wall int64) []byte {
	b = append(types.AppendDate(b, floorDiv(wall, microsPerDay)), 'T')
	clock := floorMod(wall, microsPerDay)
	b = types.AppendTime(b, clock-clock%microsPerSecond)
	f := clock % microsPerSecond
	if f%1000 == 0 {
		return types.AppendPadded(append(b, '.'), f/1000, 3)
	}
	return types.AppendPadded(append(b, '.'), f, 6)
}

func appendJSONFloat(b []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return appendJSONText(b, string(types.AppendFloat(nil, f, bits)))
	}
	return types.AppendFloat(b, f, bits)
}

func (w jsonWriter) appendNested(b []byte, t types.Type, v types.Value) []byte {
	sep := false
	comma := func() {
		if sep {
			b = append(b, ',')
		}
		sep = true
	}
	switch t := t.(type) {
	case types.Array:
		b = append(b, '[')
		for _, x := range v.([]types.Value) {
			comma()
			b = w.append(b, t.Elem, x)
		}
		return append(b, ']')
	case types.Map:
		b = append(b, '{')
		for _, p := range v.([]types.Pair) {
			comma()
			b = append(appendJSONText(b, jsonKey(t.Key, p.Key)), ':')
			b = w.append(b, t.Value, p.Value)
		}
		return append(b, '}')
	case types.Struct:
		b = append(b, '{')
		for i, x := range v.([]types.Value) {
			if x == nil && !w.nulls {
				continue
			}
			comma()
			b = append(appendJSONText(b, t.Fields[i].Name), ':')
			b = w.append(b, t.Fields[i].Type, x)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// jsonKey is a map key as text.
func jsonKey(t types.Type, v types.Value) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return string(types.AppendFloat(nil, v, 64))
	case nil:
		return "null"
	case []types.Value:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = jsonKey(nil, x)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return string(jsonWriter{z: &zone{}}.append(nil, t, v))
}

// fromJSON reads text as the type of the result.
func fromJSON(u use) (Eval, error) {
	return func(n int, in []Vec, out *Out) error {
		z, err := newZone(u.zone)
		if err != nil {
			return err
		}
		return valueUDF(func(u use, r *row) (types.Value, error) {
			if r.null(0) {
				return nil, nil
			}
			p := jsonParser{z: z, date: nil}
			if len(r.cols) > 2 {
				if ps, ok := r.value(2).([]types.Pair); ok {
					if err := p.options(ps); err != nil {
						return nil, err
					}
				}
			}
			return p.read(r.text(0), u)
		}).eval(u, n, in, out)
	}, nil
}

// jsonParser reads JSON by a type.
type jsonParser struct {
	z         *zone
	date      datePattern
	timestamp datePattern
	failFast  bool
}

func (p *jsonParser) options(ps []types.Pair) error {
	for _, o := range ps {
		v, _ := o.Value.(string)
		var err error
		switch strings.ToLower(o.Key.(string)) {
		case "dateformat":
			p.date, err = compilePattern(v, true)
		case "timestampformat":
			p.timestamp, err = compilePattern(v, true)
		case "mode":
			switch strings.ToUpper(v) {
			case "FAILFAST":
				p.failFast = true
			case "PERMISSIVE":
			default:
				return raiseError("PARSE_MODE_UNSUPPORTED", "funcName", "`from_json`", "mode", strings.ToUpper(v))
			}
		case "timezone":
			p.z, err = newZone(v)
		}
		if err != nil {
			return raisePattern(err)
		}
	}
	return nil
}

// read gives the value; bad text gives a struct of NULLs, or NULL.
func (p jsonParser) read(s string, u use) (types.Value, error) {
	n, ok := parseJSON(s)
	st, isStruct := u.result.(types.Struct)
	if ok {
		if _, isArray := n.([]jsonNode); isArray && isStruct { // an array of one struct reads as the struct
			ok = false
		}
	}
	if ok {
		if v, fits := p.value(u.result, n); fits {
			return v, nil
		}
		ok = false
	}
	if p.failFast {
		return nil, raiseError("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", "badRecord", s, "failFastMode", "FAILFAST")
	}
	if isStruct && strings.TrimSpace(s) != "" {
		return make([]types.Value, len(st.Fields)), nil
	}
	return nil, nil
}

// value is n as type t; false when it cannot be.
func (p jsonParser) value(t types.Type, n jsonNode) (types.Value, bool) {
	if n == nil {
		return nil, true
	}
	switch t := t.(type) {
	case types.Struct:
		return p.structValue(t, n)
	case types.Array:
		l, ok := n.([]jsonNode)
		if !ok {
			return nil, false
		}
		out := make([]types.Value, len(l))
		for i, x := range l {
			if out[i], ok = p.value(t.Elem, x); !ok {
				return nil, false
			}
		}
		return out, true
	case types.Map:
		o, ok := n.(jsonObject)
		if !ok {
			return nil, false
		}
		var out []types.Pair
		for _, m := range o {
			v, ok := p.value(t.Value, m.val)
			if !ok {
				return nil, false
			}
			out = append(out, types.Pair{Key: m.key, Value: v})
		}
		return out, t.Key == types.String
	case types.Decimal:
		x, ok := parseNumber(scalarText(n))
		if !ok {
			return nil, false
		}
		v, ok := x.rescale(t.P, t.S)
		if !ok {
			return nil, false
		}
		return decimalValue(v), true
	}
	if types.Text(t) {
		if s, ok := n.(string); ok {
			return s, true
		}
		return string(appendJSON(nil, n)), true
	}
	return p.leaf(t, n)
}

// structValue reads an object; a field that cannot be read makes only itself NULL.
func (p jsonParser) structValue(t types.Struct, n jsonNode) (types.Value, bool) {
	o, ok := n.(jsonObject)
	if !ok {
		return nil, false
	}
	out := make([]types.Value, len(t.Fields))
	for i, f := range t.Fields {
		x, found := o.get(f.Name)
		if !found {
			continue
		}
		v, ok := p.value(f.Type, x)
		if !ok && p.failFast {
			return nil, false
		}
		if ok {
			out[i] = v
		}
	}
	return out, true
}

func scalarText(n jsonNode) string {
	switch n := n.(type) {
	case jsonNumber:
		return string(n)
	case string:
		return n
	}
	return ""
}

func (p jsonParser) leaf(t types.Type, n jsonNode) (types.Value, bool) {
	num, isNum := n.(jsonNumber)
	s, isText := n.(string)
	switch t {
	case types.Boolean:
		b, ok := n.(bool)
		return b, ok
	case types.Byte, types.Short, types.Int, types.Long:
		lo, hi := bounds(t)
		i, ok := parseInt(string(num), lo, hi, false)
		return i, isNum && ok
	case types.Double, types.Float:
		if isText && s != "NaN" && s != "Infinity" && s != "-Infinity" && s != "INF" && s != "-INF" && s != "+INF" {
			return nil, false
		}
		f, ok := parseFloat(scalarText(n), 64)
		if t == types.Float {
			return float32(f), ok
		}
		return f, ok
	case types.Binary:
		b, err := base64.StdEncoding.DecodeString(s)
		return b, isText && err == nil
	case types.Date:
		if p.date != nil {
			x, err := p.date.parse(s)
			return int32(x.days()), isText && err == nil
		}
		d, ok := parseDate(s)
		return int32(d), isText && ok
	case types.Timestamp, types.TimestampNTZ:
		if !isText {
			return nil, false
		}
		return p.stamp(t, s)
	}
	return nil, false
}

func (p jsonParser) stamp(t types.Type, s string) (types.Value, bool) {
	if p.timestamp != nil {
		x, err := p.timestamp.parse(s)
		if err != nil {
			return nil, false
		}
		v, err := timestampBy(use{result: t}, x, p.z)
		return v, err == nil
	}
	x, ok := parseStamp(s)
	if !ok {
		return nil, false
	}
	if t == types.TimestampNTZ {
		return wallMicros(x.days, x.micros)
	}
	return x.instant(p.z)
}

// schemaOfJSON is the type that a JSON text has, in SQL.
func schemaOfJSON(_ use, r *row) (types.Value, error) {
	n, ok := parseJSON(r.text(0))
	if !ok {
		return nil, raiseError("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", "badRecord", r.text(0), "failFastMode", "FAILFAST")
	}
	return types.SQL(jsonType(n)), nil
}

func jsonType(n jsonNode) types.Type {
	switch n := n.(type) {
	case bool:
		return types.Boolean
	case jsonNumber:
		if strings.ContainsAny(string(n), ".eE") {
			return types.Double
		}
		if i, ok := new(big.Int).SetString(string(n), 10); ok && !i.IsInt64() {
			return types.Decimal{P: len(i.Text(10)), S: 0}
		}
		return types.Long
	case []jsonNode:
		var elem types.Type = types.Void
		for _, x := range n {
			elem = wider(elem, jsonType(x))
		}
		if elem == types.Void {
			elem = types.String
		}
		return types.Array{Elem: elem, Nullable: true}
	case jsonObject:
		st := types.Struct{}
		for _, m := range n {
			t := jsonType(m.val)
			st.Fields = append(st.Fields, types.Field{Name: m.key, Type: t, Nullable: true})
		}
		sort.SliceStable(st.Fields, func(i, j int) bool { return st.Fields[i].Name < st.Fields[j].Name })
		return st
	}
	return types.String
}

func wider(a, b types.Type) types.Type {
	t, ok := rel.CommonType([]types.Type{a, b}, rel.Settings{})
	if !ok {
		return types.String
	}
	return t
}
