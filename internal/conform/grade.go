package conform

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/types"
)

// Grade says how near an answer is to Spark's.
type Grade string

// The grades, the best first.
const (
	Exact     Grade = "exact"
	RowsEqual Grade = "rows"
	SameClass Grade = "class"
	Failed    Grade = "fail"
)

// Result is a graded case.
type Result struct {
	File  string `json:"file"`
	N     int    `json:"n"`
	Grade Grade  `json:"grade"`
	SQL   string `json:"-"`
	Want  string `json:"-"` // for a person
	Got   string `json:"-"`
}

// answer is what tarn said.
type answer struct {
	schema string
	names  types.Struct
	rows   []string
	err    error
}

// ask runs one statement to its end. A panic is an error.
func ask(ctx context.Context, s *tarn.Session, sql string, f Text) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{err: fmt.Errorf("panic: %v", p)}
		}
	}()
	rows, err := s.Query(ctx, sql)
	if err != nil {
		return answer{err: err}
	}
	var ts []types.Type
	for _, c := range rows.Columns() {
		a.names.Fields = append(a.names.Fields, types.Field{Name: c.Name, Type: c.Type})
		ts = append(ts, c.Type)
	}
	a.schema = a.names.String()
	for row, err := range rows.All() {
		if err != nil {
			return answer{err: err}
		}
		a.rows = append(a.rows, f.Line(row, ts))
	}
	return a
}

// grade compares a with what the golden file says.
func (c Case) grade(a answer) Grade {
	var got *tarn.Error
	if errors.As(a.err, &got) || a.err != nil {
		return c.gradeError(got)
	}
	if c.Error != nil {
		return Failed
	}
	rows := c.command(a)
	switch {
	case !c.sameRows(rows):
		return SameClass
	case a.schema == c.Schema:
		return Exact
	}
	return RowsEqual
}

func (c Case) gradeError(got *tarn.Error) Grade {
	switch {
	case c.Error == nil || got == nil:
		return Failed
	case c.Error.Class == "" || got.Class != c.Error.Class:
		return Failed
	case got.SQLState == c.Error.SQLState && maps.Equal(nonNil(got.Params), nonNil(c.Error.Params)):
		return Exact
	}
	return SameClass
}

func nonNil(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// command gives the rows of a command the form that Spark's runner gives them: cells of DESCRIBE are padded, SHOW TABLES
// prints the names alone.
func (c Case) command(a answer) []string {
	st, err := syntax.ParseStatement(c.SQL)
	if err != nil {
		return a.rows
	}
	switch st := st.(type) {
	case *syntax.ShowTables, *syntax.ShowViews:
		return mapLines(a.rows, func(cells []string) string { return cells[1] })
	case *syntax.DescribeTable:
		if st.Column != nil || st.JSON {
			return a.rows
		}
	case *syntax.DescribeQuery:
	default:
		return a.rows
	}
	return mapLines(a.rows, func(cells []string) string {
		for i, cell := range cells {
			if cell == "NULL" && i == 2 {
				cell = ""
			}
			cells[i] = fmt.Sprintf("%-20s", cell)
		}
		return strings.Join(cells, "\t")
	})
}

func mapLines(rows []string, f func([]string) string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = f(strings.Split(r, "\t"))
	}
	return out
}

// masks hide what differs between runs, as Spark's runner does.
var masks = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`#\d+`), "#x"},
	{regexp.MustCompile(`(Created By|Created Time|Last Access|Owner)[ \t].*`), "$1 [not included in comparison]"},
	{regexp.MustCompile(`(Created By|Created Time|Last Access|Owner): .*`), "$1 [not included in comparison]"},
	{regexp.MustCompile(`(?m)Location:?[ \t]+file:\S*?/((?:\w+\.db/)?\w+)[ \t]*$`), "Location [not included in comparison]/{warehouse_dir}/$1"},
}

func mask(s string) string {
	for _, m := range masks {
		s = m.find.ReplaceAllString(s, m.with)
	}
	return s
}

// sameRows compares lines: in their order where the query orders them, else sorted. The golden files have lost the blanks
// and the empty lines at their end, after sorting.
func (c Case) sameRows(rows []string) bool {
	order := ordered(c.SQL)
	if !order {
		rows = slices.Sorted(slices.Values(rows))
	}
	got := strings.Split(mask(strings.TrimRight(strings.Join(rows, "\n"), " \t\n\r")), "\n")
	want := strings.Split(mask(strings.Join(c.Rows, "\n")), "\n")
	if slices.Equal(got, want) {
		return true
	}
	if order {
		return false
	}
	trim := func(s string) string { return strings.TrimRight(s, " \t\r") }
	for i := range got {
		got[i] = trim(got[i])
	}
	for i := range want {
		want[i] = trim(want[i])
	}
	slices.Sort(got)
	slices.Sort(want)
	return slices.Equal(got, want)
}

// ordered reports whether the outermost query of sql has ORDER BY.
func ordered(sql string) bool {
	st, err := syntax.ParseStatement(sql)
	if err != nil {
		return false
	}
	q, ok := st.(*syntax.Query)
	return ok && len(q.Tail.OrderBy) > 0
}

// result puts a graded case together.
func (c Case) result(a answer) Result {
	r := Result{File: c.File, N: c.N, Grade: c.grade(a), SQL: c.SQL, Want: c.Schema + "\n" + strings.Join(c.Rows, "\n")}
	if c.Error != nil {
		r.Want = fmt.Sprintf("%s %s %s %v", c.Error.Exception, c.Error.Class, c.Error.SQLState, c.Error.Params)
	}
	r.Got = a.schema + "\n" + strings.Join(a.rows, "\n")
	if a.err != nil {
		r.Got = a.err.Error()
		var e *tarn.Error
		if errors.As(a.err, &e) {
			r.Got = fmt.Sprintf("%s %s %v: %s", e.Class, e.SQLState, e.Params, e.Message)
		}
	}
	return r
}

func zone(name string) *time.Location {
	if l, err := time.LoadLocation(name); err == nil {
		return l
	}
	for _, layout := range []string{"-07:00", "-07:00:00", "-7"} {
		if t, err := time.Parse(layout, strings.TrimPrefix(strings.TrimPrefix(name, "UTC"), "GMT")); err == nil {
			_, off := t.Zone()
			return time.FixedZone(name, off)
		}
	}
	return time.UTC
}
