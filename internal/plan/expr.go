package plan

import (
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// expr analyses e where names mean what f says. The result may hold aggregate functions, window functions and
// generators; the caller takes them out or refuses them.
func (a *analyzer) expr(e syntax.Expr, f *frame) (term, error) {
	if lit, ok, err := a.literal(e); ok {
		if err != nil {
			return term{}, err
		}
		return term{x: lit, text: a.text(lit)}, nil
	}
	switch e := e.(type) {
	case *syntax.Param:
		return a.param(e)
	case *syntax.ColumnRef:
		return a.columnRef(e, f)
	case *syntax.Field:
		return a.field(e, f)
	case *syntax.Index:
		return a.index(e, f)
	case *syntax.PathAccess:
		return a.pathAccess(e, f)
	case *syntax.Row:
		return a.row(e, f)
	case *syntax.Cast:
		return a.cast(e, f)
	case *syntax.Case:
		return a.caseWhen(e, f)
	case *syntax.Collate:
		return a.collate(e, f)
	case *syntax.NamedExpr:
		return a.expr(e.X, f)
	case *syntax.Exists:
		return a.exists(e, f)
	case *syntax.ScalarSubquery:
		return a.scalarSubquery(e, f)
	case *syntax.Star:
		return term{}, fail("INVALID_USAGE_OF_STAR_OR_REGEX", e, "elem", "'*'", "prettyName", "expression")
	case *syntax.Lambda:
		return term{}, fail("INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", e, "class", "lambda")
	}
	return a.operator(e, f)
}

// operator analyses what is written with signs and keywords but computed by functions.
func (a *analyzer) operator(e syntax.Expr, f *frame) (term, error) {
	switch e := e.(type) {
	case *syntax.Unary:
		return a.unary(e, f)
	case *syntax.Binary:
		return a.binary(e, f)
	case *syntax.Is:
		return a.is(e, f)
	case *syntax.Between:
		return a.between(e, f)
	case *syntax.In:
		return a.in(e, f)
	case *syntax.Like:
		return a.like(e, f)
	case *syntax.Call:
		return a.call(e, f)
	case *syntax.UnitCall:
		return a.unitCall(e, f)
	case *syntax.Extract:
		return a.extract(e, f)
	case *syntax.Substring:
		return a.substring(e, f)
	case *syntax.Trim:
		return a.trim(e, f)
	case *syntax.Position:
		return a.function("locate", e, f, e.Sub, e.X)
	case *syntax.Overlay:
		if e.Length != nil {
			return a.function("overlay", e, f, e.X, e.With, e.Start, e.Length)
		}
		return a.function("overlay", e, f, e.X, e.With, e.Start)
	}
	return term{}, unsupported("this expression", e)
}

// exprs analyses several expressions.
func (a *analyzer) exprs(es []syntax.Expr, f *frame) ([]term, error) {
	out := make([]term, len(es))
	for i, e := range es {
		var err error
		if out[i], err = a.expr(e, f); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func exprsOf(ts []term) []rel.Expr {
	out := make([]rel.Expr, len(ts))
	for i, t := range ts {
		out[i] = t.x
	}
	return out
}

func (a *analyzer) param(e *syntax.Param) (term, error) {
	x, ok := a.scope.Parameter(e)
	if !ok {
		name := e.Name
		if name == "" {
			name = "_" + itoa(int(e.Pos()))
		}
		return term{}, fail("UNBOUND_SQL_PARAMETER", e, "name", name)
	}
	return a.valueTerm(x), nil
}

// valueTerm is a term for an expression that did not come from text: a parameter or a variable.
func (a *analyzer) valueTerm(x rel.Expr) term {
	if l, ok := x.(*rel.Lit); ok {
		return term{x: x, text: a.text(l)}
	}
	if c, ok := x.(*rel.Cast); ok {
		t := a.valueTerm(c.X)
		return term{x: x, text: "CAST(" + t.text + " AS " + types.SQL(c.To) + ")"}
	}
	if c, ok := x.(*rel.Call); ok {
		args := make([]term, len(c.Args))
		for i, arg := range c.Args {
			args[i] = a.valueTerm(arg)
		}
		return term{x: x, text: c.Name + "(" + texts(args) + ")"}
	}
	return term{x: x}
}

// apply resolves a function of the table over args. text is that of the whole call.
func (a *analyzer) apply(name, text string, at syntax.Node, args ...term) (term, error) {
	fn := rel.FindFunction(name)
	if fn == nil {
		return term{}, a.unresolvedRoutine([]string{name}, at)
	}
	if err := noGenerator(args, text, at); err != nil {
		return term{}, err
	}
	x, err := fn.Resolve(exprsOf(args), a.set)
	if err != nil {
		return term{}, argError(err, at, text, args)
	}
	return term{x: x, text: text}, nil
}

// noGenerator refuses a generator as an argument.
func noGenerator(args []term, text string, at syntax.Node) error {
	for _, t := range args {
		if c, ok := t.x.(*rel.Call); ok && isGenerator(c) {
			return fail("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", at, "expression", quoteSQL(text))
		}
	}
	return nil
}

func (a *analyzer) unary(e *syntax.Unary, f *frame) (term, error) {
	x, err := a.expr(e.X, f)
	if err != nil {
		return term{}, err
	}
	switch e.Op {
	case "-":
		return a.apply("negative", "(- "+x.text+")", e, x)
	case "+":
		return a.apply("positive", "(+ "+x.text+")", e, x)
	case "~":
		return a.apply("~", "~"+x.text, e, x)
	}
	return a.not(x, e)
}

func (a *analyzer) not(x term, at syntax.Node) (term, error) {
	return a.apply("not", "(NOT "+x.text+")", at, x)
}

// signs maps the spellings of an operator to its name in the function table.
var signs = map[string]string{"OR": "or", "AND": "and", "=": "=", "==": "=", "<=>": "<=>", "<": "<", "<=": "<=",
	">": ">", ">=": ">=", "!<": ">=", "!>": "<=", "|": "|", "^": "^", "&": "&", "<<": "<<", ">>": ">>", ">>>": ">>>",
	"+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "DIV": "div"}

func (a *analyzer) binary(e *syntax.Binary, f *frame) (term, error) {
	if e.Op == "||" {
		return a.concat(e, f)
	}
	if chain := logicalChain(e); len(chain) > 2 {
		return a.balanced(chain, signs[strings.ToUpper(e.Op)], f, e)
	}
	x, err := a.expr(e.X, f)
	if err != nil {
		return term{}, err
	}
	y, err := a.expr(e.Y, f)
	if err != nil {
		return term{}, err
	}
	if e.Op == "<>" || e.Op == "!=" {
		eq, err := a.compare("=", x, y, e)
		if err != nil {
			return term{}, err
		}
		return a.not(eq, e)
	}
	return a.binaryOp(signs[strings.ToUpper(e.Op)], x, y, e)
}

// logicalChain lists the operands of a OR b OR c written without parentheses.
func logicalChain(e *syntax.Binary) []syntax.Expr {
	op := strings.ToUpper(e.Op)
	if op != "AND" && op != "OR" {
		return nil
	}
	out := []syntax.Expr{e.Y}
	for {
		left, ok := e.X.(*syntax.Binary)
		if !ok || !strings.EqualFold(left.Op, op) || left.Pos() != e.Pos() {
			break
		}
		out = append(out, left.Y)
		e = left
	}
	out = append(out, e.X)
	slices.Reverse(out)
	return out
}

// balanced joins the operands of a chain as Spark does, as a tree of little depth.
func (a *analyzer) balanced(chain []syntax.Expr, op string, f *frame, at syntax.Node) (term, error) {
	if len(chain) == 1 {
		return a.expr(chain[0], f)
	}
	mid := (len(chain)-1)/2 + 1
	x, err := a.balanced(chain[:mid], op, f, at)
	if err != nil {
		return term{}, err
	}
	y, err := a.balanced(chain[mid:], op, f, at)
	if err != nil {
		return term{}, err
	}
	return a.binaryOp(op, x, y, at)
}

// binaryOp applies an operator of the function table.
func (a *analyzer) binaryOp(op string, x, y term, at syntax.Node) (term, error) {
	switch op {
	case "+", "-":
		return a.plusMinus(op, x, y, at)
	case "=", "<=>", "<", "<=", ">", ">=":
		return a.compare(op, x, y, at)
	case "and", "or":
		return a.apply(op, "("+x.text+" "+strings.ToUpper(op)+" "+y.text+")", at, x, y)
	}
	text := "(" + x.text + " " + op + " " + y.text + ")"
	if op == "*" && interval(y.x.Type()) && !interval(x.x.Type()) {
		text = "(" + y.text + " * " + x.text + ")"
	}
	return a.apply(op, text, at, x, y)
}

// concat joins a chain of || to one call.
func (a *analyzer) concat(e *syntax.Binary, f *frame) (term, error) {
	x, err := a.expr(e.X, f)
	if err != nil {
		return term{}, err
	}
	y, err := a.expr(e.Y, f)
	if err != nil {
		return term{}, err
	}
	return a.apply("concat", "concat("+x.text+", "+y.text+")", e, x, y)
}

func (a *analyzer) cast(e *syntax.Cast, f *frame) (term, error) {
	x, err := a.expr(e.X, f)
	if err != nil {
		return term{}, err
	}
	to, err := spelledType(e.Type, a.scope.Setting)
	if err != nil {
		return term{}, err
	}
	return a.castTo(x, read(to), e.Try, e)
}

// castTo is a cast that the user asked for.
func (a *analyzer) castTo(x term, to types.Type, try bool, at syntax.Node) (term, error) {
	set, word := a.set, "CAST("
	if try {
		set.Mode, word = rel.Try, "TRY_CAST("
	}
	t := term{text: word + x.text + " AS " + types.SQL(to) + ")"}
	switch to.(type) {
	case types.Array, types.Map, types.Struct: // Spark does not show casts to types with parts
		t.text = x.text
	}
	if _, column := x.x.(*rel.Col); column && x.name == "" {
		t.name = x.text
	}
	var err error
	if t.x, err = rel.CastTo(x.x, to, set); err != nil {
		return term{}, argError(err, at, t.text, []term{x})
	}
	if l, ok := t.x.(*rel.Lit); ok && l.Value != nil { // a constant that the user cast does not take on other types as a constant does
		t.x = &rel.Cast{X: l, To: to, Mode: set.Mode, Zone: set.Zone}
	}
	return t, nil
}

// caseWhen is CASE with its branches brought to one type.
func (a *analyzer) caseWhen(e *syntax.Case, f *frame) (term, error) {
	var operand term
	var err error
	if e.Operand != nil {
		if operand, err = a.expr(e.Operand, f); err != nil {
			return term{}, err
		}
	}
	var args []term
	text := "CASE"
	for _, w := range e.Whens {
		cond, err := a.expr(w.Cond, f)
		if err == nil && e.Operand != nil {
			cond, err = a.compare("=", operand, cond, e)
		}
		if err != nil {
			return term{}, err
		}
		then, err := a.expr(w.Result, f)
		if err != nil {
			return term{}, err
		}
		text += " WHEN " + cond.text + " THEN " + then.text
		args = append(args, cond, then)
	}
	if e.Else != nil {
		otherwise, err := a.expr(e.Else, f)
		if err != nil {
			return term{}, err
		}
		text += " ELSE " + otherwise.text
		args = append(args, otherwise)
	}
	return a.apply("when", text+" END", e, args...)
}

func (a *analyzer) collate(e *syntax.Collate, f *frame) (term, error) {
	x, err := a.expr(e.X, f)
	if err != nil {
		return term{}, err
	}
	name := a.valueTerm(stringLit(strings.Join(e.Name.Strings(), ".")))
	if strings.EqualFold(name.text, "UTF8_BINARY") && x.x.Type() == types.String {
		x.text = "collate(" + x.text + ", " + name.text + ")"
		return term{x: x.x, text: x.text}, nil
	}
	return a.apply("collate", "collate("+x.text+", "+name.text+")", e, x, name)
}
