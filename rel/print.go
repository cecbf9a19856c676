package rel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// Print is n as an indented text, one line a node, inputs below their node and subqueries below the line that holds
// them. Columns are numbered anew from 1 in the order of their appearance, so that equal trees print equally.
func Print(n Node) string {
	p := printer{ids: map[ID]int{}, shared: map[*Shared]int{}}
	return p.node(n, 0)
}

// PrintExpr is e as Print shows it on the line of a node.
func PrintExpr(e Expr) string {
	p := printer{ids: map[ID]int{}, shared: map[*Shared]int{}}
	return p.expr(e)
}

// Key is a text that is equal for expressions that compute the same from the same columns.
func Key(e Expr) string {
	p := printer{raw: true, ids: map[ID]int{}}
	return p.expr(e)
}

type printer struct {
	ids    map[ID]int // the numbers given; with raw, of lambda parameters and inner columns alone
	shared map[*Shared]int
	inner  map[ID]bool // with raw: the columns made in the subquery around
	raw    bool        // print what counts for comparing: the true column numbers, not their names
	subs   []Node      // subqueries met on the current line
}

func (p *printer) id(n ID) string {
	if p.raw && p.inner[n] && p.ids[n] == 0 {
		p.ids[n] = len(p.ids) + 1
	}
	if p.raw && p.ids[n] == 0 {
		return "#" + strconv.FormatInt(int64(n), 10)
	}
	if p.raw {
		return "parameter" + strconv.Itoa(p.ids[n])
	}
	if p.ids[n] == 0 {
		p.ids[n] = len(p.ids) + 1
	}
	return "#" + strconv.Itoa(p.ids[n])
}

func (p *printer) column(c Column) string {
	if p.raw {
		return p.id(c.ID)
	}
	return c.Name + p.id(c.ID)
}

func (p *printer) columns(cols []Column) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = p.column(c) + ":" + c.Type.String()
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// node prints n after its inputs have numbered their columns, so that numbers rise from the leaves up.
func (p *printer) node(n Node, depth int) string {
	if s, ok := n.(*Shared); ok {
		if p.shared[s] > 0 {
			return indented(depth, fmt.Sprintf("Shared %s (%d)", s.Name, p.shared[s]))
		}
		p.shared[s] = len(p.shared) + 1
	}
	var below strings.Builder
	for _, in := range n.Inputs() {
		below.WriteString(p.node(in, depth+1))
	}
	p.subs = nil
	own := indented(depth, p.describe(n))
	for i, q := range p.subs {
		own += indented(depth+1, fmt.Sprintf("subquery %d:", i+1)) + p.node(q, depth+2)
	}
	return own + below.String()
}

func indented(depth int, s string) string { return strings.Repeat("  ", depth) + s + "\n" }

func (p *printer) describe(n Node) string {
	switch n := n.(type) {
	case *Values:
		return "Values " + p.columns(n.Cols) + " " + p.rows(n.Rows)
	case *Table:
		return "Table " + n.Name + " " + p.columns(n.Columns()) + p.clause(" where ", n.Where)
	case *Scan:
		var size int64
		for _, f := range n.Files {
			size += f.Size
		}
		return fmt.Sprintf("Scan %s %s, %d files, %d bytes", n.Format, p.columns(n.Columns()), len(n.Files), size)
	case *Stream:
		return "Stream " + p.columns(n.Cols)
	case *TableFunc:
		return "TableFunc " + n.Name + "(" + p.list(n.Args) + ") " + p.columns(n.Cols)
	case *Project:
		return "Project [" + p.computed(n.Cols) + "]"
	case *Filter:
		return "Filter " + p.expr(n.Cond)
	case *Join:
		return p.join(n)
	case *Aggregate:
		return p.aggregate(n)
	case *Window:
		return "Window [" + p.computed(n.Funcs) + "]"
	case *Sort:
		return "Sort [" + p.order(n.By) + "]"
	case *Limit:
		return p.limit(n)
	case *SetOp:
		return p.setOp(n)
	case *Generate:
		return p.generate(n)
	case *Shared:
		return fmt.Sprintf("Shared %s (%d)", n.Name, p.shared[n])
	case *Recursive:
		s := "Recursive " + p.columns(n.Cols) + " over " + p.columns(n.Self.Cols)
		if n.All {
			s += " all"
		}
		return s
	case *Working:
		return "Working " + p.columns(n.Cols)
	case *Sample:
		return fmt.Sprintf("Sample %g percent seed %d", n.Percent, n.Seed)
	}
	return fmt.Sprintf("%T", n)
}

func (p *printer) rows(rows [][]Expr) string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = "(" + p.list(r) + ")"
	}
	return strings.Join(out, ", ")
}

var joinNames = [...]string{"inner", "left", "right", "full", "semi", "anti"}

func (p *printer) join(n *Join) string {
	s := "Join " + joinNames[n.Kind]
	if n.Lateral {
		s += " lateral"
	}
	return s + p.clause(" on ", n.On)
}

func (p *printer) clause(word string, e Expr) string {
	if e == nil {
		return ""
	}
	return word + p.expr(e)
}

func (p *printer) aggregate(n *Aggregate) string {
	s := "Aggregate [" + p.computed(n.Keys) + "] [" + p.computed(n.Aggs) + "]"
	if n.Sets != nil {
		s += fmt.Sprintf(" sets %v", n.Sets)
	}
	if n.Grouping != nil {
		s += " grouping " + p.column(*n.Grouping)
	}
	return s
}

func (p *printer) limit(n *Limit) string {
	s := "Limit"
	if n.Count >= 0 {
		s += " " + strconv.FormatInt(n.Count, 10)
	}
	if n.Offset > 0 {
		s += " offset " + strconv.FormatInt(n.Offset, 10)
	}
	return s
}

var setNames = [...]string{"Union", "Intersect", "Except"}

func (p *printer) setOp(n *SetOp) string {
	s := setNames[n.Kind]
	if n.All {
		s += " all"
	}
	return s + " " + p.columns(n.Cols)
}

func (p *printer) generate(n *Generate) string {
	s := "Generate "
	if n.Outer {
		s += "outer "
	}
	return s + p.expr(n.Fn) + " " + p.columns(n.Cols)
}

func (p *printer) computed(cols []Computed) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		e := p.expr(c.Expr)
		out[i] = p.column(c.Column)
		if ref, ok := c.Expr.(*Col); !ok || ref.ID != c.ID {
			out[i] += " = " + e
		}
	}
	return strings.Join(out, ", ")
}

func (p *printer) list(es []Expr) string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = p.expr(e)
	}
	return strings.Join(out, ", ")
}

func (p *printer) order(by []Order) string {
	out := make([]string, len(by))
	for i, o := range by {
		out[i] = p.expr(o.Expr)
		if o.Desc {
			out[i] += " desc"
		}
		if o.NullsFirst == o.Desc {
			out[i] += map[bool]string{true: " nulls first", false: " nulls last"}[o.NullsFirst]
		}
	}
	return strings.Join(out, ", ")
}

func (p *printer) expr(e Expr) string {
	switch e := e.(type) {
	case nil:
		return "null"
	case *Col:
		return p.column(e.Column)
	case *Lit:
		return literal(e)
	case *Call:
		return e.Name + modes[e.Mode] + "(" + p.operands(e) + ")" + e.Error
	case *Cast:
		return modes[e.Mode] + "cast(" + p.expr(e.X) + " as " + e.To.String() + ")"
	case *Case:
		return p.caseOf(e)
	case *Field:
		return p.expr(e.X) + "." + strconv.Itoa(e.Index)
	case *Apply:
		return e.Name + "(" + p.expr(e.X) + ")"
	case *Lambda:
		return p.lambda(e)
	case *Scalar:
		return "scalar" + p.sub(e.Query)
	case *Exists:
		return "exists" + p.sub(e.Query)
	case *InQuery:
		return "in(" + p.list(e.X) + ")" + p.sub(e.Query)
	case *Agg:
		return p.agg(e)
	case *Over:
		return p.over(e)
	}
	return fmt.Sprintf("%T", e)
}

// operands are the arguments of a call; for comparing, those of a commutative operator are put in order.
func (p *printer) operands(e *Call) string {
	out := make([]string, len(e.Args))
	for i, x := range e.Args {
		out[i] = p.expr(x)
	}
	switch e.Name {
	case "+", "*", "&", "|", "^", "=", "<=>", "and", "or":
		if p.raw {
			slices.Sort(out)
		}
	}
	return strings.Join(out, ", ")
}

var modes = [...]string{"", "?", "try_"}

func (p *printer) caseOf(e *Case) string {
	s := "case"
	for _, w := range e.Whens {
		s += " when " + p.expr(w.If) + " then " + p.expr(w.Then)
	}
	if e.Else != nil {
		s += " else " + p.expr(e.Else)
	}
	return s + " end"
}

func (p *printer) lambda(e *Lambda) string {
	out := make([]string, len(e.Params))
	for i, c := range e.Params {
		if p.raw {
			p.ids[c.ID] = len(p.ids) + 1
		}
		out[i] = p.column(c)
	}
	return "(" + strings.Join(out, ", ") + ") -> " + p.expr(e.Body)
}

func (p *printer) sub(q Node) string {
	if p.raw {
		return "(" + p.query(q) + ")"
	}
	p.subs = append(p.subs, q)
	return fmt.Sprintf("(%d)", len(p.subs))
}

// query is a subquery for comparing: columns made inside it are numbered anew.
func (p *printer) query(q Node) string {
	in := printer{raw: true, ids: p.ids, shared: map[*Shared]int{}, inner: map[ID]bool{}}
	for id := range p.inner {
		in.inner[id] = true
	}
	Walk(q, func(n Node) bool {
		for _, c := range n.Columns() {
			in.inner[c.ID] = true
		}
		return true
	})
	return in.node(q, 0)
}

func (p *printer) agg(e *Agg) string {
	s := e.Name + "("
	if e.Distinct {
		s += "distinct "
	}
	s += p.list(e.Args)
	if len(e.OrderBy) > 0 {
		s += " order by " + p.order(e.OrderBy)
	}
	s += ")"
	if e.IgnoreNulls {
		s += " ignore nulls"
	}
	return s + p.clause(" filter ", e.Filter)
}

func (p *printer) over(e *Over) string {
	s := p.expr(e.Fn)
	if e.IgnoreNulls {
		s += " ignore nulls"
	}
	var parts []string
	if len(e.Partition) > 0 {
		parts = append(parts, "partition by "+p.list(e.Partition))
	}
	if len(e.Order) > 0 {
		parts = append(parts, "order by "+p.order(e.Order))
	}
	if e.Frame != nil {
		unit := "range"
		if e.Frame.Rows {
			unit = "rows"
		}
		parts = append(parts, unit+" "+p.bound(e.Frame.From)+" to "+p.bound(e.Frame.To))
	}
	return s + " over (" + strings.Join(parts, " ") + ")"
}

var bounds = [...]string{"unbounded preceding", "preceding", "current row", "following", "unbounded following"}

func (p *printer) bound(b Bound) string {
	if b.Offset == nil {
		return bounds[b.Kind]
	}
	return p.expr(b.Offset) + " " + bounds[b.Kind]
}

// literal is the value with its type, which is left out for int, string and boolean.
func literal(l *Lit) string {
	s := valueText(l.T, l.Value)
	if l.Value != nil && (l.T == types.Int || l.T == types.String || l.T == types.Boolean) {
		return s
	}
	return s + ":" + l.T.String()
}

func valueText(t types.Type, v types.Value) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(v)
	case []byte:
		return fmt.Sprintf("x'%X'", v)
	case decimal128.Num:
		if d, ok := t.(types.Decimal); ok {
			return v.ToString(int32(d.S))
		}
	case int32:
		if t == types.Date {
			return time.Unix(int64(v)*86400, 0).UTC().Format(time.DateOnly)
		}
	case int64:
		if t == types.Timestamp || t == types.TimestampNTZ {
			return time.UnixMicro(v).UTC().Format("2006-01-02T15:04:05.999999")
		}
	}
	return fmt.Sprint(v)
}
