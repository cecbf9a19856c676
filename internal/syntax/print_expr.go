package syntax

import (
	"encoding/hex"
	"strings"
)

// precPostfix is the precedence of what may stand before a point, a bracket
// or ::, precPrimary that of all other operands.
const (
	precPostfix = precUnary + 1
	precPrimary = precPostfix + 1
)

// precedence returns how tight the outermost operator of x binds.
func precedence(x Expr) int {
	switch x := x.(type) {
	case *Binary:
		return operatorPrecedence(x.Op)
	case *Unary:
		if x.Op == "NOT" {
			return precNot
		}
		return precUnary
	case *Is, *Between, *In, *Like:
		return precPredicate
	case *Lambda, *NamedArg, *NamedExpr, *TableArg, *Grouping:
		return precOr - 1
	case *Field, *Index, *PathAccess, *Collate:
		return precPostfix
	case *Cast:
		if x.Colon {
			return precPostfix
		}
	}
	return precPrimary
}

func operatorPrecedence(op string) int {
	switch op {
	case "OR":
		return precOr
	case "AND":
		return precAnd
	case "DIV":
		return precMultiply
	}
	return opPrecedence(op)
}

// expr prints x, in parentheses if it binds less tight than least.
func (p *printer) expr(x Expr, least int) {
	if isNil(x) {
		return
	}
	if precedence(x) < least && !isLast(x) {
		p.put("(")
		p.bare(x)
		p.put(raw(")"))
		return
	}
	p.bare(x)
}

// isLast reports whether x only occurs as a whole argument or list item.
func isLast(x Expr) bool {
	switch x.(type) {
	case *NamedArg, *NamedExpr, *TableArg, *Grouping:
		return true
	}
	return false
}

// bare prints x without parentheses around it.
func (p *printer) bare(x Expr) {
	switch x := x.(type) {
	case *ColumnRef:
		p.idents(x.Parts)
	case *Star:
		p.star(x)
	case *Unary:
		p.unary(x)
	case *Binary:
		prec := operatorPrecedence(x.Op)
		p.expr(x.X, prec)
		p.put(x.Op)
		p.expr(x.Y, prec+1)
	case *Is, *Between, *In, *Like:
		p.predicate(x)
	case *Field, *Index, *PathAccess, *Collate, *Cast:
		p.postfix(x)
	case *Call, *UnitCall, *Extract, *Substring, *Trim, *Position, *Overlay:
		p.call(x)
	case *Exists:
		p.put("EXISTS", "(", x.Query, raw(")"))
	case *ScalarSubquery:
		p.put("(", x.Query, raw(")"))
	case *Row:
		p.put(inParens(x.Elems))
	case *Case:
		p.caseExpr(x)
	case *Lambda:
		if len(x.Params) == 1 {
			p.put(x.Params[0], "->", x.Body)
		} else {
			p.put(inParens(x.Params), "->", x.Body)
		}
	case *NamedArg:
		p.put(plainWord(x.Name), "=>")
		p.expr(x.Value, precOr-1)
	case *TableArg:
		p.tableArg(x)
	case *NamedExpr:
		p.put(x.X, aliases(x.Aliases, x.Parens))
	case *Grouping:
		p.put(when(x.Kind == "SETS", "GROUPING"), x.Kind, inParens(x.Sets))
	default:
		p.literal(x)
	}
}

func aliases(ids []*Ident, parens bool) parts {
	switch {
	case len(ids) == 0:
		return nil
	case parens:
		return parts{"AS", inParens(ids)}
	}
	return parts{"AS", ids[0]}
}

func (p *printer) literal(x Expr) {
	switch x := x.(type) {
	case *NullLit:
		p.put("NULL")
	case *BoolLit:
		if x.Value {
			p.put("TRUE")
		} else {
			p.put("FALSE")
		}
	case *NumberLit:
		sign := ""
		if x.Neg {
			sign = "-"
		}
		p.put(text(sign + x.Text + x.Suffix))
	case *StringLit:
		if x.Parts == nil {
			p.put(str(x.Value))
			return
		}
		for _, part := range x.Parts {
			p.put(part)
		}
	case *BinaryLit:
		p.put(text("X'" + strings.ToUpper(hex.EncodeToString(x.Value)) + "'"))
	case *TypedLit:
		p.put(x.Type, str(x.Value))
	case *IntervalLit:
		p.interval(x)
	case *Param:
		if x.Name == "" {
			p.put("?")
		} else {
			p.put(text(":" + x.Name))
		}
	}
}

func (p *printer) interval(x *IntervalLit) {
	p.put("INTERVAL")
	for _, f := range x.Fields {
		value := f.Value
		if f.Quoted {
			value = quoteString(value)
		}
		if f.Neg {
			value = "-" + value
		}
		p.put(text(value), f.Unit)
	}
	if x.To != "" {
		p.put("TO", x.To)
	}
}

func (p *printer) star(x *Star) {
	if len(x.Qualifier) > 0 {
		p.idents(x.Qualifier)
		p.put(raw(".*"))
	} else {
		p.put("*")
	}
	if len(x.Except) > 0 {
		p.put("EXCEPT", inParens(x.Except))
	}
}

// unary prints a sign so that it neither joins a number behind it to a
// literal nor a second minus to a comment.
func (p *printer) unary(x *Unary) {
	if x.Op == "NOT" {
		p.put("NOT")
		p.expr(x.X, precNot)
		return
	}
	p.put(x.Op)
	if n, ok := x.X.(*NumberLit); ok && !n.Neg {
		p.put(raw("("), n, raw(")"))
		return
	}
	mark := len(p.buf)
	p.expr(x.X, precUnary)
	if mark+1 < len(p.buf) && p.buf[mark] == ' ' && p.buf[mark+1] != '-' {
		p.buf = append(p.buf[:mark], p.buf[mark+1:]...)
	}
}

func (p *printer) predicate(x Expr) {
	switch x := x.(type) {
	case *Is:
		p.expr(x.X, precCompare)
		p.put("IS", when(x.Not, "NOT"), x.What)
		p.expr(x.Y, precCompare)
	case *Between:
		p.expr(x.X, precCompare)
		p.put(when(x.Not, "NOT"), "BETWEEN")
		p.expr(x.Low, precCompare)
		p.put("AND")
		p.expr(x.High, precCompare)
	case *In:
		p.expr(x.X, precCompare)
		p.put(when(x.Not, "NOT"), "IN")
		if x.Query != nil {
			p.put("(", x.Query, raw(")"))
		} else {
			p.put(inParens(x.List))
		}
	case *Like:
		p.expr(x.X, precCompare)
		p.put(when(x.Not, "NOT"), x.Op)
		if x.Quantifier != "" {
			p.put(x.Quantifier, inParens(x.Patterns))
			return
		}
		p.expr(x.Patterns[0], precCompare)
		p.put(clause("ESCAPE", x.Escape))
	}
}

func (p *printer) postfix(x Expr) {
	switch x := x.(type) {
	case *Field:
		p.base(x.X)
		p.put(raw("."))
		p.inner(x.Name)
	case *Index:
		p.base(x.X)
		p.put(raw("["))
		p.inner(value{x.I})
		p.put(raw("]"))
	case *PathAccess:
		p.base(x.X)
		p.put(raw(":" + x.Path))
	case *Collate:
		if c, ok := x.X.(*Cast); ok && c.Colon {
			p.put("(", c, raw(")"))
		} else {
			p.base(x.X)
		}
		p.put("COLLATE", x.Name)
	case *Cast:
		if x.Colon {
			p.base(x.X)
			p.put(raw("::"))
			p.inner(x.Type)
			return
		}
		word := "CAST"
		if x.Try {
			word = "TRY_CAST"
		}
		p.put(word, raw("("), x.X, "AS", x.Type, raw(")"))
	}
}

// base prints what a postfix operator applies to. Numbers, paths and others
// that would take the operator for a part of them go into parentheses.
func (p *printer) base(x Expr) {
	switch x := x.(type) {
	case *NumberLit, *PathAccess, *Collate:
		p.put("(", x, raw(")"))
		return
	case *StringLit:
		if x.Parts != nil {
			p.put("(", x, raw(")"))
			return
		}
	}
	p.expr(x, precPostfix)
}

func (p *printer) call(x Expr) {
	switch x := x.(type) {
	case *Call:
		p.function(x)
	case *UnitCall:
		p.put(x.Func, raw("("), x.Unit)
		for _, a := range x.Args {
			p.put(raw(","))
			p.put(value{a})
		}
		p.put(raw(")"))
	case *Extract:
		p.put("EXTRACT", raw("("), text(wordText(&Ident{Name: x.Part})), "FROM", value{x.X}, raw(")"))
	case *Substring:
		p.put(x.Func, raw("("), value{x.X}, "FROM", value{x.Start}, forLength(x.Length), raw(")"))
	case *Trim:
		p.put("TRIM", raw("("), x.Side)
		if x.Chars != nil {
			p.put(value{x.Chars})
		}
		p.put("FROM", value{x.X}, raw(")"))
	case *Position:
		p.put("POSITION", raw("("), value{x.Sub}, "IN", value{x.X}, raw(")"))
	case *Overlay:
		p.put("OVERLAY", raw("("), value{x.X}, "PLACING", value{x.With}, "FROM", value{x.Start},
			forLength(x.Length), raw(")"))
	}
}

func forLength(x Expr) parts {
	if x == nil {
		return nil
	}
	return parts{"FOR", value{x}}
}

func (p *printer) function(x *Call) {
	if id := x.Func.Parts[0]; len(x.Func.Parts) == 1 && id.Expr == nil {
		p.put(functionName(id, len(x.Args)))
	} else {
		p.put(x.Func)
	}
	if x.NoParens {
		return
	}
	p.put(raw("("), when(x.Distinct, "DISTINCT"))
	for i, a := range x.Args {
		if i > 0 {
			p.put(raw(","))
		}
		p.expr(a, precOr-1)
	}
	p.put(raw(")"))
	if len(x.Within) > 0 {
		p.put("WITHIN GROUP (ORDER BY", commas(x.Within), raw(")"))
	}
	if x.Filter != nil {
		p.put("FILTER (WHERE", x.Filter, raw(")"))
	}
	if x.Nulls != "" {
		p.put(x.Nulls, "NULLS")
	}
	p.put(clause("OVER", x.Over))
}

// functionName returns the name of a function of one part and n arguments,
// which only few words need quotes for: those that start other things than a
// call, and those whose calls of three arguments are read as a *UnitCall.
func functionName(id *Ident, n int) text {
	switch keywordOf(id.Name) {
	case "ALL", "AS", "CASE", "DISTINCT", "FROM", "NOT", "SELECT", "TABLE", "VALUES", "WITH":
		return text(quoteIdent(id.Name))
	case "TIMESTAMPADD", "DATEADD", "DATE_ADD", "TIMESTAMPDIFF", "DATEDIFF", "DATE_DIFF", "TIMEDIFF":
		if n == 3 {
			return text(quoteIdent(id.Name))
		}
	}
	return text(wordText(id))
}

func (p *printer) caseExpr(x *Case) {
	p.put("CASE", x.Operand)
	for _, w := range x.Whens {
		p.put("WHEN", w.Cond, "THEN", w.Result)
	}
	p.put(clause("ELSE", x.Else), "END")
}

func (p *printer) tableArg(x *TableArg) {
	p.put("TABLE", raw("("), x.Name, x.Query, raw(")"), when(x.Single, "WITH SINGLE PARTITION"))
	if len(x.PartitionBy) > 0 {
		p.put("PARTITION BY", inParens(x.PartitionBy))
	}
	if len(x.OrderBy) > 0 {
		p.put("ORDER BY", inParens(x.OrderBy))
	}
}
