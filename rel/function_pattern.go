package rel

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// pattern is one type in a signature; functions/README.md has its syntax.
type pattern struct {
	kind patternKind
	typ  types.Type // exactType
	name string     // a class or a variable
	kids []pattern  // parts: of an array 1, of a map 2, of a union all, of a lambda its parameters and result

	strict bool // nothing is cast there, but NULL to an exact type
}

type patternKind uint8

const (
	exactType patternKind = iota
	classType             // a set of types
	varType               // one type, the same at all places
	arrayType
	mapType
	unionType
	lambdaType
)

var exactNames = map[string]types.Type{
	"void": types.Void, "boolean": types.Boolean, "byte": types.Byte, "short": types.Short, "int": types.Int,
	"long": types.Long, "float": types.Float, "double": types.Double, "string": types.String,
	"binary": types.Binary, "date": types.Date, "timestamp": types.Timestamp, "ntz": types.TimestampNTZ,
	"interval": types.CalendarInterval, "variant": types.Variant,
	"ym": types.YearMonth{From: types.Year, To: types.Month},
	"dt": types.DayTime{From: types.Day, To: types.Second}, "time": types.Time{P: 6},
}

// class is a named set of types: how errors spell it, and what text and NULL become where it is wanted.
type class struct {
	spell string
	has   func(types.Type) bool
	text  types.Type // nil: text does not go there
	null  types.Type
}

var classes = map[string]class{
	"any":        {"ANY", func(types.Type) bool { return true }, nil, types.Void},
	"numeric":    {"NUMERIC", types.Numeric, types.Double, types.Double},
	"integral":   {"INTEGRAL", types.Integral, nil, types.Long},
	"fractional": {"FRACTIONAL", func(t types.Type) bool { return types.Numeric(t) && !types.Integral(t) }, types.Double, types.Double},
	"decimal":    {"DECIMAL", types.IsDecimal, types.Decimal{P: 38, S: 18}, types.Decimal{P: 10, S: 0}},
	"anytime": {"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)",
		func(t types.Type) bool { return t == types.Timestamp || t == types.TimestampNTZ }, types.Timestamp, types.Timestamp},
	"anyarray":  {"ARRAY", func(t types.Type) bool { _, ok := t.(types.Array); return ok }, nil, types.Array{Elem: types.Void}},
	"anymap":    {"MAP", func(t types.Type) bool { _, ok := t.(types.Map); return ok }, nil, types.Map{Key: types.Void, Value: types.Void}},
	"anystruct": {"STRUCT", func(t types.Type) bool { _, ok := t.(types.Struct); return ok }, nil, types.Struct{}},
	"anyym":     {"INTERVAL YEAR TO MONTH", func(t types.Type) bool { _, ok := t.(types.YearMonth); return ok }, nil, exactNames["ym"]},
	"anydt":     {"INTERVAL DAY TO SECOND", func(t types.Type) bool { _, ok := t.(types.DayTime); return ok }, nil, exactNames["dt"]},
	"ordered":   {"ANY", orderable, nil, types.Void},
	"hashable":  {"ANY", func(t types.Type) bool { return !holdsMap(t) }, nil, types.Void},
}

// orderable reports whether values of t can be compared by size.
func orderable(t types.Type) bool {
	switch t := t.(type) {
	case types.Array:
		return orderable(t.Elem)
	case types.Map:
		return false
	case types.Struct:
		for _, f := range t.Fields {
			if !orderable(f.Type) {
				return false
			}
		}
	}
	return t != types.Variant && t != types.CalendarInterval
}

func holdsMap(t types.Type) bool {
	switch t := t.(type) {
	case types.Array:
		return holdsMap(t.Elem)
	case types.Map:
		return true
	case types.Struct:
		for _, f := range t.Fields {
			if holdsMap(f.Type) {
				return true
			}
		}
	}
	return false
}

// parsePattern reads a pattern; the whole of s must be one.
func parsePattern(s string) (pattern, error) {
	s = strings.TrimSpace(s)
	if head, body, ok := strings.Cut(s, "->"); ok && strings.HasPrefix(s, "fn(") {
		return parseLambda(head, body)
	}
	if alts := splitTop(s, '|'); len(alts) > 1 {
		return parseParts(unionType, alts)
	}
	if body, ok := strings.CutPrefix(s, "array<"); ok {
		return parseParts(arrayType, []string{strings.TrimSuffix(body, ">")})
	}
	if body, ok := strings.CutPrefix(s, "map<"); ok {
		return parseParts(mapType, splitTop(strings.TrimSuffix(body, ">"), ','))
	}
	if len(s) == 1 && s[0] >= 'A' && s[0] <= 'Z' {
		return pattern{kind: varType, name: s}, nil
	}
	if strict, ok := strings.CutPrefix(s, "!"); ok {
		p, err := parsePattern(strict)
		p.strict = true
		return p, err
	}
	if t, ok := exactNames[s]; ok {
		return pattern{kind: exactType, typ: t}, nil
	}
	if _, ok := classes[s]; ok {
		return pattern{kind: classType, name: s}, nil
	}
	var p, sc int
	if n, _ := fmt.Sscanf(s, "decimal(%d,%d)", &p, &sc); n == 2 {
		return pattern{kind: exactType, typ: types.Decimal{P: p, S: sc}}, nil
	}
	return pattern{}, fmt.Errorf("unknown type %q", s)
}

func parseParts(k patternKind, parts []string) (pattern, error) {
	p := pattern{kind: k}
	for _, s := range parts {
		kid, err := parsePattern(s)
		if err != nil {
			return p, err
		}
		p.kids = append(p.kids, kid)
	}
	return p, nil
}

func parseLambda(head, result string) (pattern, error) {
	head = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(head), "fn("), ")")
	return parseParts(lambdaType, append(splitTop(head, ','), result))
}

// splitTop splits s at sep outside brackets.
func splitTop(s string, sep byte) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			if s[i] != '>' || i == 0 || s[i-1] != '-' {
				depth--
			}
		case sep:
			if depth == 0 {
				out, from = append(out, strings.TrimSpace(s[from:i])), i+1
			}
		}
	}
	return append(out, strings.TrimSpace(s[from:]))
}

// accepts reports whether t fits p as it is; variables accept all.
func (p pattern) accepts(t types.Type) bool {
	switch p.kind {
	case exactType:
		if p.typ == types.String {
			return types.Text(t)
		}
		return sameFamily(p.typ, t) || types.Equal(p.typ, t)
	case classType:
		return classes[p.name].has(t)
	case varType:
		return true
	case arrayType:
		a, ok := t.(types.Array)
		return ok && p.kids[0].accepts(a.Elem)
	case mapType:
		m, ok := t.(types.Map)
		return ok && p.kids[0].accepts(m.Key) && p.kids[1].accepts(m.Value)
	case unionType:
		for _, k := range p.kids {
			if k.accepts(t) {
				return true
			}
		}
	}
	return false
}

// sameFamily says that time(3) fits time(6): precisions share one representation.
func sameFamily(p, t types.Type) bool {
	_, a := p.(types.Time)
	_, b := t.(types.Time)
	return a && b
}

// bindings are the types that the variables of a signature stand for.
type bindings map[string]types.Type

// collect notes which types of the arguments stand at the variables of p.
func (p pattern) collect(t types.Type, into map[string][]types.Type) {
	switch p.kind {
	case varType:
		into[p.name] = append(into[p.name], t)
	case arrayType:
		if a, ok := t.(types.Array); ok {
			p.kids[0].collect(a.Elem, into)
		}
	case mapType:
		if m, ok := t.(types.Map); ok {
			p.kids[0].collect(m.Key, into)
			p.kids[1].collect(m.Value, into)
		}
	}
}

// target is the type to which an argument of type t is cast for p; false when none is allowed.
func (p pattern) target(t types.Type, b bindings, s Settings) (types.Type, bool) {
	if p.strict && !p.accepts(t) && !(p.kind == exactType && t == types.Void) {
		return nil, false
	}
	switch p.kind {
	case exactType:
		if p.accepts(t) {
			return t, true
		}
		return p.typ, implicit(t, p.typ, s)
	case classType:
		return classTarget(classes[p.name], t, s)
	case varType:
		v, ok := b[p.name]
		return v, ok && implicitPart(t, v, s)
	case unionType:
		for _, k := range p.kids {
			if k.accepts(t) {
				return t, true
			}
		}
		for _, k := range p.kids {
			if to, ok := k.target(t, b, s); ok && choosable(t, to, s) {
				return to, true
			}
		}
		return nil, false
	case arrayType:
		return p.arrayTarget(t, b, s)
	case mapType:
		return p.mapTarget(t, b, s)
	}
	return t, true
}

// choosable reports whether t is cast to one of several wanted types: text and NULL are, numbers to wider ones,
// other types when the types are of one kind.
func choosable(t, to types.Type, s Settings) bool {
	if types.Text(t) || t == types.Void || s.Mode == Legacy && !types.Numeric(to) {
		return true
	}
	if types.Numeric(t) && types.Numeric(to) {
		w, ok := widerUnpromoted(t, to, s)
		return ok && types.Equal(w, to)
	}
	return !isDatetime(t) || !(to == types.Date)
}

func classTarget(c class, t types.Type, s Settings) (types.Type, bool) {
	switch {
	case t == types.Void && c.null != types.Void:
		return c.null, true
	case c.has(t):
		return t, true
	case types.Text(t) && c.text != nil:
		return c.text, true
	case c.spell == "DECIMAL" && types.Numeric(t):
		return DecimalFor(t)
	case c.text == types.Timestamp && t == types.Date:
		return types.Timestamp, true
	case s.Mode == Legacy && c.spell == "NUMERIC" && types.Text(t):
		return types.Double, true
	}
	return nil, false
}

// implicitPart is implicit for a type that was already found to be common.
func implicitPart(t, to types.Type, s Settings) bool {
	return types.Equal(t, to) || implicit(t, to, s) || types.Text(t) && types.Atomic(to)
}

func (p pattern) arrayTarget(t types.Type, b bindings, s Settings) (types.Type, bool) {
	a, ok := t.(types.Array)
	if !ok {
		if t != types.Void {
			return nil, false
		}
		a = types.Array{Elem: types.Void, Nullable: true}
	}
	elem, ok := p.kids[0].target(a.Elem, b, s)
	return types.Array{Elem: elem, Nullable: a.Nullable}, ok
}

func (p pattern) mapTarget(t types.Type, b bindings, s Settings) (types.Type, bool) {
	m, ok := t.(types.Map)
	if !ok {
		if t != types.Void {
			return nil, false
		}
		m = types.Map{Key: types.Void, Value: types.Void, Nullable: true}
	}
	k, okKey := p.kids[0].target(m.Key, b, s)
	v, okValue := p.kids[1].target(m.Value, b, s)
	return types.Map{Key: k, Value: v, Nullable: m.Nullable}, okKey && okValue
}

// build is the type that p stands for once its variables are known.
func (p pattern) build(b bindings) (types.Type, bool) {
	switch p.kind {
	case exactType:
		return p.typ, true
	case varType:
		t, ok := b[p.name]
		return t, ok
	case arrayType:
		t, ok := p.kids[0].build(b)
		return types.Array{Elem: t, Nullable: true}, ok
	case mapType:
		k, okKey := p.kids[0].build(b)
		v, okValue := p.kids[1].build(b)
		return types.Map{Key: k, Value: v, Nullable: true}, okKey && okValue
	}
	return nil, false
}

// spell is p as Spark's errors name it.
func (p pattern) spell() string {
	switch p.kind {
	case classType:
		return `"` + classes[p.name].spell + `"`
	case exactType:
		if _, time := p.typ.(types.Time); time {
			return `"TIME"` // of any precision
		}
		return sqlType(p.typ)
	case arrayType:
		return `"ARRAY"`
	case mapType:
		return `"MAP"`
	case unionType:
		parts := make([]string, len(p.kids))
		for i, k := range p.kids {
			parts[i] = k.spell()
		}
		return "(" + strings.Join(parts, " or ") + ")"
	}
	return `"ANY"`
}
