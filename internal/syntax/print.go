package syntax

import "strings"

// Print returns the SQL text of a node. Words are in upper case, names stand
// as they were written, and only the parentheses that are needed are set.
// With the default dialect, reading the text again yields an Equal tree.
func Print(n Node) string {
	var p printer
	p.put(n)
	return string(p.buf)
}

// printer builds SQL text. put sets one blank between its parts, except
// before commas and closing parentheses and behind opening ones.
type printer struct{ buf []byte }

// Parts for put besides strings and nodes.
type (
	parts []any            // parts in a row
	raw   string           // text that no blank precedes
	text  string           // text that is no keyword, such as a literal
	value struct{ x Expr } // an operand without AND, OR, NOT or predicates outside of parentheses
)

// when returns the given parts if cond holds, else nothing.
func when(cond bool, ps ...any) parts {
	if !cond {
		return nil
	}
	return ps
}

// clause returns word and n if there is an n.
func clause(word string, n Node) parts {
	if isNil(n) {
		return nil
	}
	return parts{word, n}
}

// commas returns a list with commas between its items.
func commas[T any](items []T) parts {
	out := make(parts, 0, 2*len(items))
	for i, x := range items {
		if i > 0 {
			out = append(out, raw(","))
		}
		out = append(out, x)
	}
	return out
}

// inParens returns ( items ) with commas.
func inParens[T any](items []T) parts {
	return parts{"(", commas(items), raw(")")}
}

// optParens returns ( items ), or nothing for an empty list.
func optParens[T any](items []T) parts {
	if len(items) == 0 {
		return nil
	}
	return inParens(items)
}

// listClause returns word and a list with commas, or nothing for an empty
// list.
func listClause[T any](word string, items []T) parts {
	if len(items) == 0 {
		return nil
	}
	return parts{word, commas(items)}
}

func (p *printer) put(ps ...any) {
	for _, x := range ps {
		p.putOne(x)
	}
}

func (p *printer) putOne(x any) {
	switch x := x.(type) {
	case nil:
	case string:
		p.blank(x)
		p.buf = append(p.buf, x...)
	case text:
		p.blank(string(x))
		p.buf = append(p.buf, x...)
	case raw:
		p.buf = append(p.buf, x...)
	case parts:
		p.put(x...)
	case value:
		p.expr(x.x, precCompare)
	case Node:
		if !isNil(x) {
			p.node(x)
		}
	}
}

// blank sets a blank before s where one is due.
func (p *printer) blank(s string) {
	if len(p.buf) == 0 || s == "" {
		return
	}
	switch p.buf[len(p.buf)-1] {
	case ' ', '(', '\n':
		return
	}
	p.buf = append(p.buf, ' ')
}

// node prints any node.
func (p *printer) node(n Node) {
	switch n := n.(type) {
	case *Ident:
		p.ident(n)
	case *Name:
		p.idents(n.Parts)
	case *Lambda:
		p.bare(n)
	case Expr:
		p.expr(n, precOr)
	case TypeName:
		p.typeName(n)
	case *Query:
		p.query(n)
	case QueryBody:
		p.body(n)
	case Relation:
		p.relation(n)
	case AlterAction:
		p.alterAction(n)
	case Statement:
		p.statement(n)
	default:
		p.part(n)
	}
}

func (p *printer) ident(id *Ident) {
	if id.Expr != nil {
		p.put("IDENTIFIER", raw("("), id.Expr, raw(")"))
		return
	}
	p.blank("x")
	p.buf = append(p.buf, identText(id)...)
}

// identText returns an identifier, in back quotes if it needs them or is a
// word that could be taken for a part of a clause.
func identText(id *Ident) string {
	if isClauseWord(keywords.lookup(id.Name)) {
		return quoteIdent(id.Name)
	}
	return wordText(id)
}

// wordText is identText where any word may stand.
func wordText(id *Ident) string {
	if id.Quoted || !isPlainIdent(id.Name) {
		return quoteIdent(id.Name)
	}
	return id.Name
}

// plainWord returns an identifier, if there is one, where any word may stand.
func plainWord(id *Ident) any {
	if id == nil {
		return nil
	}
	return text(wordText(id))
}

func isClauseWord(w word) bool {
	switch keywords.text[w] {
	case "BETWEEN", "CLUSTER", "DISTRIBUTE", "DIV", "EXISTS", "EXTENDED", "FORMATTED", "IDENTIFIER", "IF", "ILIKE", "INTERVAL", "LIKE", "LIMIT",
		"MAP", "PIVOT", "QUALIFY", "REDUCE", "REGEXP", "REPLACE", "RLIKE", "SET", "SORT", "STREAM", "TABLESAMPLE",
		"UNPIVOT", "VALUES", "WATERMARK", "WINDOW":
		return true
	}
	return w.strict() || w.reserved()
}

// isPlainIdent reports whether s reads as an identifier without quotes.
func isPlainIdent(s string) bool {
	sc := scanner{src: s, unclosed: -1}
	t := sc.next()
	return t.kind == kindWord && t.start == 0 && int(t.end) == len(s) && isASCII(s)
}

// idents prints a dotted name.
func (p *printer) idents(ids []*Ident) {
	for i, id := range ids {
		if i == 0 {
			p.ident(id)
			continue
		}
		p.buf = append(p.buf, '.')
		p.inner(id)
	}
}

// Types.

func (p *printer) typeName(t TypeName) {
	switch t := t.(type) {
	case *BasicType:
		p.put(t.Name)
		if len(t.Params) > 0 {
			p.put(raw("(" + strings.Join(t.Params, ", ") + ")"))
		}
		p.put(clause("COLLATE", t.Collation))
	case *IntervalType:
		p.put("INTERVAL", t.From)
		if t.To != "" {
			p.put("TO", t.To)
		}
	case *ArrayType:
		p.put("ARRAY", raw("<"))
		p.inner(t.Elem)
		p.put(raw(">"))
	case *MapType:
		p.put("MAP", raw("<"))
		p.inner(t.Key)
		p.put(raw(","))
		p.put(t.Value, raw(">"))
	case *StructType:
		p.structType(t)
	}
}

func (p *printer) structType(t *StructType) {
	p.put("STRUCT", raw("<"))
	for i, f := range t.Fields {
		if i > 0 {
			p.put(raw(", "))
		}
		p.buf = append(p.buf, identText(f.Name)...)
		p.put(raw(":"), f.Type, when(f.NotNull, "NOT NULL"), clause("COMMENT", f.Comment))
	}
	p.put(raw(">"))
}

// inner prints a part directly behind what stands before it.
func (p *printer) inner(part any) {
	mark := len(p.buf)
	p.put(part)
	if mark < len(p.buf) && p.buf[mark] == ' ' {
		p.buf = append(p.buf[:mark], p.buf[mark+1:]...)
	}
}

// Properties.

func (p *printer) property(x *Property) {
	p.put(text(propertyKeyText(x.Key)))
	if x.Value != nil {
		p.put("=", x.Value)
	}
}

func propertyKeyText(key string) string {
	for _, part := range strings.Split(key, ".") {
		if !isPlainIdent(part) || isDigit(part[0]) {
			return quoteString(key)
		}
	}
	return key
}

func str(s string) text { return text(quoteString(s)) }
