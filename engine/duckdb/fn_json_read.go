package duckdb

import (
	"encoding/base64"
	"math/big"
	"sort"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

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
