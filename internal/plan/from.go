package plan

import (
	"errors"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// from analyses the FROM clause of a SELECT: its items are joined without a condition.
func (a *analyzer) from(s *syntax.Select, outer *frame) (relation, error) {
	if len(s.From) == 0 {
		if a.piped != nil {
			return a.takePiped(), nil
		}
		return relation{node: oneRow()}, nil
	}
	var all relation
	for i, r := range s.From {
		var err error
		if i == 0 {
			all, err = a.relation(r, outer)
		} else {
			all, err = a.beside(all, r, outer)
		}
		if err != nil {
			return relation{}, err
		}
	}
	for _, v := range s.Views {
		var err error
		if all, err = a.lateralView(all, v, outer); err != nil {
			return relation{}, err
		}
	}
	return all, nil
}

// takePiped is the input of a |> operator, given once.
func (a *analyzer) takePiped() relation {
	if a.piped == nil {
		return relation{node: oneRow()}
	}
	r := *a.piped
	a.piped = nil
	return r
}

// beside joins the next item of a FROM list to those before it.
func (a *analyzer) beside(left relation, r syntax.Relation, outer *frame) (relation, error) {
	right, lateral, err := a.rightSide(left, r, outer)
	if err != nil {
		return relation{}, err
	}
	node := &rel.Join{Left: left.node, Right: right.node, Lateral: lateral}
	return relation{node: node, cols: append(append([]column(nil), left.cols...), right.cols...),
		hidden: append(append([]column(nil), left.hidden...), right.hidden...)}, nil
}

// rightSide analyses the right side of a join, which sees the columns of the left when it is LATERAL.
func (a *analyzer) rightSide(left relation, r syntax.Relation, outer *frame) (relation, bool, error) {
	l, lateral := r.(*syntax.Lateral)
	if !lateral {
		right, err := a.relation(r, outer)
		return right, false, err
	}
	border := &frame{outer: &frame{outer: outer, cols: left.cols, hidden: left.hidden}, subquery: true}
	right, err := a.relation(l.X, border)
	return right, true, err
}

// relation analyses one item of a FROM clause.
func (a *analyzer) relation(r syntax.Relation, outer *frame) (relation, error) {
	switch r := r.(type) {
	case nil:
		return a.takePiped(), nil
	case *syntax.Table:
		return a.table(r, outer)
	case *syntax.Subquery:
		got, err := a.query(r.Query, outer)
		if err == nil {
			got, err = a.sampled(got, r.Sample)
		}
		return a.aliased(relation{node: got.node, cols: plain(bare(got.cols))}, "", r.Alias, err)
	case *syntax.ValuesTable:
		got, err := a.valuesTable(r.Rows, outer)
		return a.aliased(got, "", r.Alias, err)
	case *syntax.TableFunc:
		return a.tableFunc(r, outer)
	case *syntax.Join:
		return a.join(r, outer)
	case *syntax.Lateral:
		return a.relation(r.X, outer)
	case *syntax.NestedRelation:
		got, err := a.relation(r.X, outer)
		if err == nil {
			got, err = a.sampled(got, r.Sample)
		}
		return a.aliased(got, "", r.Alias, err)
	case *syntax.Pivot:
		in, err := a.relation(r.X, outer)
		if err != nil {
			return relation{}, err
		}
		return a.pivot(in, r, outer)
	case *syntax.Unpivot:
		in, err := a.relation(r.X, outer)
		if err != nil {
			return relation{}, err
		}
		return a.unpivot(in, r, outer)
	}
	return relation{}, unsupported("this relation", r)
}

// aliased gives a relation the name that qualifies its columns, and perhaps names to the columns.
func (a *analyzer) aliased(r relation, name string, as *syntax.TableAlias, err error) (relation, error) {
	if err != nil {
		return r, err
	}
	if as != nil && as.Name != nil {
		n, err := a.aliasName(as.Name)
		if err != nil {
			return r, err
		}
		name = n
		r.hidden = nil
	}
	if as != nil && len(as.Columns) > 0 {
		if r, err = a.renamed(r, as.Columns, as); err != nil {
			return r, err
		}
	}
	if name == "" {
		return r, nil
	}
	return r.named(name), nil
}

// renamed gives the columns of r other names.
func (a *analyzer) renamed(r relation, names []*syntax.Ident, at syntax.Node) (relation, error) {
	if len(names) != len(r.cols) {
		return r, fail("ASSIGNMENT_ARITY_MISMATCH", at, "numExpr", itoa(len(names)), "numTarget", itoa(len(r.cols)))
	}
	cols := make([]column, len(names))
	for i, id := range names {
		n, err := a.aliasName(id)
		if err != nil {
			return r, err
		}
		cols[i] = r.cols[i]
		cols[i].Name = n
	}
	return relation{node: r.node, cols: cols}, nil
}

// table finds what a name in FROM means: a WITH table, a view, a table of the catalog or of a path.
func (a *analyzer) table(t *syntax.Table, outer *frame) (relation, error) {
	parts, err := a.names(t.Name.Parts)
	if err != nil {
		return relation{}, err
	}
	if len(parts) == 1 && t.Travel == nil {
		if c := a.findCTE(parts[0]); c != nil {
			r, err := a.readCTE(c, t)
			if err == nil {
				r, err = a.sampled(r, t.Sample)
			}
			return a.aliased(r, c.name, t.Alias, err)
		}
	}
	r, err := a.named(parts, t, outer)
	if err == nil {
		r, err = a.sampled(r, t.Sample)
	}
	if err != nil || t.Alias == nil {
		return r, err
	}
	return a.aliased(r, "", t.Alias, nil)
}

// named is a view or a table.
func (a *analyzer) named(parts []string, t *syntax.Table, outer *frame) (relation, error) {
	if v, ok := a.scope.View(a.ctx, parts); ok && t.Travel == nil {
		return a.view(v, t)
	}
	at, err := a.travel(t.Travel)
	if err != nil {
		return relation{}, err
	}
	options := map[string]string{}
	for _, p := range t.Options {
		if v, ok := p.Value.(*syntax.StringLit); ok {
			options[p.Key] = v.Value
		} else if lit, ok, err := a.literal(p.Value); ok && err == nil {
			options[p.Key] = a.text(lit)
		}
	}
	src, err := a.scope.Table(a.ctx, parts, at, options)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return relation{}, fail("TABLE_OR_VIEW_NOT_FOUND", t.Name, "relationName", quoteName(parts...))
	case err != nil:
		return relation{}, err
	}
	return scan(src, parts), nil
}

// scan reads a table under its full name.
func scan(src *Source, written lake.Ident) relation {
	leaf := &rel.Table{Of: src.Of, Name: src.Name.String()}
	if len(src.Name) == 0 {
		leaf.Name = written.String()
	}
	for _, f := range src.Schema.Fields {
		leaf.Cols = append(leaf.Cols, rel.Column{ID: rel.NewID(), Name: f.Name, Type: read(f.Type), Nullable: f.Nullable, Metadata: passed(f)})
	}
	r := relation{node: leaf, cols: plain(leaf.Cols)}
	for i := range r.cols {
		r.cols[i].qual = src.Name
	}
	return r
}

// charKey is the metadata key under which Spark keeps the type of a char or varchar column that is read as string.
const charKey = "__CHAR_VARCHAR_TYPE_STRING"

// passed is the metadata of a table's column that the columns of a query made of it keep: its comment and its length.
func passed(f types.Field) types.Metadata {
	var m types.Metadata
	if c, ok := f.Metadata.Text("comment"); ok {
		m = m.With("comment", c)
	}
	switch f.Type.(type) {
	case types.Char, types.Varchar:
		return m.With(charKey, f.Type.String())
	}
	if t, ok := f.Metadata.Text(charKey); ok {
		m = m.With(charKey, t)
	}
	return m
}

// travel is the state of a table that a query asks for.
func (a *analyzer) travel(t *syntax.TimeTravel) (lake.At, error) {
	if t == nil {
		return lake.At{}, nil
	}
	e := t.Version
	if e == nil {
		e = t.Timestamp
	}
	x, err := a.scalar(e, &frame{}, "time travel")
	if err != nil {
		return lake.At{}, err
	}
	if !settled(x.x) {
		return lake.At{}, fail("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.NON_DETERMINISTIC", t, "expr", quoteSQL(x.text))
	}
	if t.Version != nil {
		return a.travelVersion(x, t)
	}
	return a.travelTime(x, t)
}

// settled reports whether e has one value in a statement: it is foldable, but for the time at which the statement began.
func settled(e rel.Expr) bool {
	return foldable(rel.RewriteExpr(e, func(x rel.Expr) rel.Expr {
		if c, ok := x.(*rel.Call); ok && len(c.Args) == 0 {
			switch c.Name {
			case "current_date", "current_timestamp", "localtimestamp":
				return &rel.Lit{T: c.T}
			}
		}
		return x
	}))
}

func (a *analyzer) travelVersion(x term, t *syntax.TimeTravel) (lake.At, error) {
	v, err := a.constant(x.x)
	if err != nil {
		return lake.At{}, err
	}
	n, ok := v.(int64)
	if s, text := v.(string); text {
		n, err = strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		ok = err == nil
	}
	if !ok || n < 0 {
		return lake.At{}, fail("INVALID_TIME_TRAVEL_SPEC", t)
	}
	return lake.At{Version: &n}, nil
}

// hudiInstant is a time as Hudi's timelines spell it, which is the version of a table.
var hudiInstant = regexp.MustCompile(`^\d{14}(\d{3})?$`)

func (a *analyzer) travelTime(x term, t *syntax.TimeTravel) (lake.At, error) {
	bad := fail("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", t, "expr", quoteSQL(x.text))
	if x.x.Type() == types.String {
		v, err := a.constant(x.x)
		s, ok := v.(string)
		if err != nil || !ok {
			return lake.At{}, bad
		}
		if hudiInstant.MatchString(s) {
			n, err := strconv.ParseInt(s, 10, 64)
			return lake.At{Version: &n}, err
		}
		w, ok := a.moment(s)
		if !ok {
			return lake.At{}, bad
		}
		at := time.UnixMicro(a.instant(w))
		return lake.At{Time: &at}, nil
	}
	cast, err := rel.CastTo(x.x, types.Timestamp, a.set)
	if err != nil {
		return lake.At{}, bad
	}
	v, err := a.constant(cast)
	us, ok := v.(int64)
	if err != nil || !ok {
		return lake.At{}, bad
	}
	at := time.UnixMicro(us)
	return lake.At{Time: &at}, nil
}

const maxViewDepth = 100

// view analyses the query of a view where the view was made, and gives the columns their promised names and types.
func (a *analyzer) view(v *View, t *syntax.Table) (relation, error) {
	inside := *a
	inside.ctes = nil
	inside.views++
	if inside.views > maxViewDepth {
		return relation{}, fail("VIEW_EXCEED_MAX_NESTED_DEPTH", t, "viewName", quoteName(v.Name...), "maxNestedDepth", itoa(maxViewDepth))
	}
	if v.Scope != nil {
		inside.scope, inside.set = v.Scope, settings(v.Scope)
	}
	r, err := inside.query(v.Query, nil)
	if err != nil {
		var e *Error
		if errors.As(err, &e) && e.View == "" {
			e.View = v.Name.String()
		}
		return relation{}, err
	}
	if v.Columns != nil {
		if r, err = a.promised(r, v, t); err != nil {
			return relation{}, err
		}
	}
	for i := range r.cols {
		r.cols[i].qual = v.Name
	}
	r.hidden = nil
	return r, nil
}

// promised casts the columns of a view's query to those that the view has.
func (a *analyzer) promised(r relation, v *View, t *syntax.Table) (relation, error) {
	if len(r.cols) != len(v.Columns) {
		return r, fail("INCOMPATIBLE_VIEW_SCHEMA_CHANGE", t, "viewName", quoteName(v.Name...), "colName", v.Columns[0].Name,
			"expectedNum", itoa(len(v.Columns)), "actualCols", "["+joinNames(columnNames(r.cols))+"]", "suggestion", "CREATE OR REPLACE TEMPORARY VIEW")
	}
	p := &rel.Project{In: r.node}
	var cols []column
	for i, f := range v.Columns {
		c := rel.Column{ID: rel.NewID(), Name: f.Name, Type: read(f.Type), Nullable: f.Nullable, Metadata: f.Metadata}
		x, err := rel.CastTo(r.cols[i].Ref(), c.Type, a.set)
		if err != nil {
			return r, argError(err, t, r.cols[i].Name, []term{{text: r.cols[i].Name}})
		}
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: x})
		cols = append(cols, column{c, nil})
	}
	return relation{node: p, cols: cols}, nil
}

func columnNames(cols []column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

// sampled is TABLESAMPLE.
func (a *analyzer) sampled(r relation, s *syntax.Sample) (relation, error) {
	if s == nil {
		return r, nil
	}
	t, err := a.scalar(s.X, &frame{}, "TABLESAMPLE")
	if err != nil {
		return r, err
	}
	if s.Kind == "ROWS" {
		n, err := a.count(t, "limit", s.X)
		r.node = &rel.Limit{In: r.node, Count: n}
		return r, err
	}
	percent, ok := a.numberOf(t)
	if s.Kind == "BUCKET" && s.On == nil && ok {
		of, err := a.scalar(s.OutOf, &frame{}, "TABLESAMPLE")
		if err != nil {
			return r, err
		}
		n, _ := a.numberOf(of)
		percent = 100 * percent / n
	} else if s.Kind != "PERCENT" || !ok {
		return r, unsupported("TABLESAMPLE by "+s.Kind, s)
	}
	var seed int64
	if s.Seed != nil {
		t, err := a.scalar(s.Seed, &frame{}, "TABLESAMPLE")
		if err != nil {
			return r, err
		}
		n, _ := a.numberOf(t)
		seed = int64(n)
	}
	r.node = &rel.Sample{In: r.node, Percent: percent, Seed: seed}
	return r, nil
}

// numberOf is the value of a constant number.
func (a *analyzer) numberOf(t term) (float64, bool) {
	v, err := strconv.ParseFloat(t.text, 64)
	return v, err == nil
}
