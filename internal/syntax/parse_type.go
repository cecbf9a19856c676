package syntax

import (
	"strconv"
	"strings"
)

// typeParams tells how many parameters a type's name may take.
var typeParams = map[string]struct{ min, max int }{
	"BOOLEAN": {}, "TINYINT": {}, "BYTE": {}, "SMALLINT": {}, "SHORT": {}, "INT": {}, "INTEGER": {}, "BIGINT": {},
	"LONG": {}, "FLOAT": {}, "REAL": {}, "DOUBLE": {}, "DATE": {}, "TIMESTAMP": {}, "TIMESTAMP_LTZ": {},
	"TIMESTAMP_NTZ": {}, "BINARY": {}, "VOID": {}, "VARIANT": {}, "STRING": {}, "INTERVAL": {},
	"TIME": {0, 1}, "CHAR": {1, 1}, "CHARACTER": {1, 1}, "VARCHAR": {1, 1},
	"DECIMAL": {0, 2}, "DEC": {0, 2}, "NUMERIC": {0, 2}, "GEOMETRY": {1, 1}, "GEOGRAPHY": {1, 1},
}

// dataType reads a data type.
func (p *parser) dataType() TypeName {
	p.enter()
	defer p.leave()
	from := p.start()
	switch {
	case p.at("ARRAY"):
		p.next()
		p.openType(from, "ARRAY")
		t := &ArrayType{Elem: p.dataType()}
		p.closeType()
		t.Span = p.since(from)
		return t
	case p.at("MAP"):
		p.next()
		p.openType(from, "MAP")
		t := &MapType{Key: p.dataType()}
		p.expectOp(",")
		t.Value = p.dataType()
		p.closeType()
		t.Span = p.since(from)
		return t
	case p.at("STRUCT"):
		return p.structType()
	case p.at("INTERVAL"):
		return p.intervalType()
	}
	return p.basicType()
}

// openType reads the < of a complex type. Spark's grammar lets it be missing
// and then refuses the type.
func (p *parser) openType(from Pos, name string) {
	if p.acceptOp("<") {
		return
	}
	if p.atOp("(") {
		p.failExpected("'<'")
	}
	example := map[string]string{"ARRAY": "ARRAY<INT>", "MAP": "MAP<INT, STRING>", "STRUCT": "STRUCT<a: INT>"}[name]
	p.failAs(p.since(from), "INCOMPLETE_TYPE_DEFINITION."+name, "the type "+name+" is incomplete; write "+example,
		"elementType", "<INT>")
}

// closeType reads the > of a complex type, which may be the first part of
// another operator.
func (p *parser) closeType() {
	t := &p.toks[p.i]
	if t.kind != kindOp || p.src[t.start] != '>' {
		p.failExpected("'>'")
	}
	if t.end-t.start == 1 {
		p.i++
		return
	}
	p.splitToken()
}

// splitToken consumes the first character of the operator that comes next.
func (p *parser) splitToken() {
	p.toks[p.i].start++
	p.split = p.toks[p.i].start
}

func (p *parser) structType() TypeName {
	from := p.start()
	p.next()
	t := &StructType{}
	if !p.acceptOp("<>") {
		p.openType(from, "STRUCT")
		if !p.atOp(">") {
			t.Fields = list(p, p.structField)
		}
		p.closeType()
	}
	t.Span = p.since(from)
	return t
}

// structField reads name[:] type [NOT NULL] [COMMENT text].
func (p *parser) structField() *FieldType {
	from := p.start()
	f := &FieldType{Name: p.ident()}
	p.acceptOp(":")
	p.fieldRest(f, from)
	return f
}

// columnType reads name type [NOT NULL] [COMMENT text].
func (p *parser) columnType() *FieldType {
	from := p.start()
	f := &FieldType{Name: p.ident()}
	p.fieldRest(f, from)
	return f
}

func (p *parser) fieldRest(f *FieldType, from Pos) {
	f.Type = p.dataType()
	if p.acceptNot("NULL") {
		f.NotNull = true
	}
	if p.accept("COMMENT") {
		f.Comment = p.stringLit()
	}
	f.Span = p.since(from)
}

// acceptNot consumes NOT or ! and the given keyword.
func (p *parser) acceptNot(w string) bool {
	if !(p.at("NOT") || p.atOp("!")) || !p.ahead(1).is(w) {
		return false
	}
	if !p.accept("NOT") {
		p.bang()
	}
	p.next()
	return true
}

// bang consumes a ! that stands for the word NOT.
func (p *parser) bang() {
	if p.next(); !p.BangEqualsNot {
		p.i--
		p.failAs(p.tokSpan(), "SYNTAX_DISCONTINUED.BANG_EQUALS_NOT", "write NOT in the place of ! here", "clause", "!")
	}
}

var intervalFields = []string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}

func (p *parser) intervalType() TypeName {
	from := p.start()
	p.next()
	unit := p.acceptAny(intervalFields...)
	if unit == "" {
		return &BasicType{Span: p.since(from), Name: "INTERVAL"}
	}
	t := &IntervalType{From: unit}
	if p.accept("TO") {
		t.To = p.expectAny(intervalFields[1:]...)
	}
	t.Span = p.since(from)
	if !validIntervalRange(t.From, t.To) {
		text := strings.ToLower(t.From + " to " + t.To)
		p.failAs(t.Span, "_LEGACY_ERROR_TEMP_0028", "intervals FROM "+text+" are not supported",
			"intervalInput", text)
	}
	return t
}

// validIntervalRange reports whether from TO to names a type of interval.
func validIntervalRange(from, to string) bool {
	if to == "" {
		return true
	}
	order := func(w string) int {
		for i, f := range intervalFields {
			if f == w {
				return i
			}
		}
		return -1
	}
	f, t := order(from), order(to)
	return f == 0 && t == 1 || f >= 2 && t > f
}

func (p *parser) basicType() TypeName {
	from := p.start()
	id := p.part()
	t := &BasicType{Name: strings.ToUpper(id.Name)}
	if p.acceptOp("(") {
		t.Params = list(p, p.typeParam)
		p.expectOp(")")
	}
	switch {
	case (t.Name == "TIMESTAMP" || t.Name == "TIME") && p.accept("WITHOUT", "TIME", "ZONE"):
		if t.Name == "TIMESTAMP" {
			t.Name = "TIMESTAMP_NTZ"
		}
	case t.Name == "TIMESTAMP" && p.accept("WITH", "LOCAL", "TIME", "ZONE"):
		t.Name = "TIMESTAMP_LTZ"
	case t.Name == "STRING" && p.accept("COLLATE"):
		t.Collation = p.name()
	}
	t.Span = p.since(from)
	p.checkType(t, id)
	return t
}

func (p *parser) typeParam() string {
	if p.accept("ANY") {
		return "ANY"
	}
	from := p.start()
	p.integer()
	return p.since(from).Text(p.src)
}

// checkType refuses names that are no types, and numbers of parameters that
// the type does not take.
func (p *parser) checkType(t *BasicType, id *Ident) {
	want, known := typeParams[t.Name]
	n := len(t.Params)
	switch {
	case known && !id.Quoted && n >= want.min && n <= want.max:
		p.checkTypeParams(t)
		return
	case known && n == 0 && (strings.HasPrefix(t.Name, "CHAR") || t.Name == "VARCHAR"):
		p.failAs(t.Span, "DATATYPE_MISSING_SIZE", "the type "+t.Name+" needs a length, as in "+t.Name+"(10)",
			"type", `"`+t.Name+`"`)
	}
	text := t.Name
	if n > 0 {
		text += "(" + strings.Join(t.Params, ",") + ")"
	}
	p.failAs(t.Span, "UNSUPPORTED_DATATYPE", "there is no data type "+text, "typeName", `"`+text+`"`)
}

func (p *parser) checkTypeParams(t *BasicType) {
	first := func(i, missing int) int {
		if i >= len(t.Params) {
			return missing
		}
		n, err := strconv.Atoi(t.Params[i])
		if err != nil {
			return missing
		}
		return n
	}
	switch t.Name {
	case "TIME":
		if n := first(0, 6); n > 6 {
			p.failAs(t.Span, "UNSUPPORTED_TIME_PRECISION", "TIME takes a precision from 0 to 6",
				"precision", strconv.Itoa(n))
		}
	case "DECIMAL", "DEC", "NUMERIC":
		if n := first(0, 10); n > 38 {
			p.failAs(t.Span, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "a decimal holds at most 38 digits",
				"precision", strconv.Itoa(n), "maxPrecision", "38")
		}
		if pr, s := first(0, 10), first(1, 0); s > pr {
			p.failAs(t.Span, "_LEGACY_ERROR_TEMP_1228", "the scale of a decimal cannot exceed its precision",
				"scale", strconv.Itoa(s), "precision", strconv.Itoa(pr))
		}
	}
}
