package duckdb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// emitter makes one SQL statement of a tree for one instance, and notes what the statement needs besides.
type emitter struct {
	engine  *Engine
	slot    *slot              // where the statement will run
	survey  *survey            // what its tree reads
	scalars map[string]*Scalar // Go functions used, by name
	streams []streamUse        // Go rows used
	live    []int64            // sets of live rows used
	perFile []int64            // sets of values per file used

	shared  map[*rel.Shared]string // names of the shared inputs emitted so far
	readers map[*rel.Shared]int    // how often each shared input is read
	with    []string               // their definitions, in order
	working map[*rel.Working]workingTable
	names   int // numbers given to local names
}

// streamUse is a stream that a statement reads as source number id.
type streamUse struct {
	id   int64
	node *rel.Stream
}

// workingTable is the table of a recursive query that its step reads.
type workingTable struct {
	name string
	cols []rel.Column
}

func newEmitter() *emitter {
	return &emitter{
		scalars: map[string]*Scalar{},
		shared:  map[*rel.Shared]string{},
		readers: map[*rel.Shared]int{},
		working: map[*rel.Working]workingTable{},
	}
}

// statement is the SQL that gives the rows of n: its columns in order, and one column if it has none.
func (e *emitter) statement(n rel.Node) (string, error) {
	e.count(n, map[rel.Node]bool{})
	body, err := e.node(n)
	if err != nil {
		return "", err
	}
	sql := "SELECT " + list(n.Columns()) + " FROM (" + body + ")"
	if len(e.with) > 0 {
		sql = "WITH " + strings.Join(e.with, ", ") + " " + sql
	}
	return sql, nil
}

// count notes how often shared inputs are read, in subqueries too.
func (e *emitter) count(n rel.Node, seen map[rel.Node]bool) {
	if s, ok := n.(*rel.Shared); ok {
		if e.readers[s]++; seen[n] {
			return
		}
		seen[n] = true
	}
	for _, x := range rel.Exprs(n) {
		for _, q := range rel.Subqueries(x) {
			e.count(q, seen)
		}
	}
	for _, in := range n.Inputs() {
		e.count(in, seen)
	}
}

// use says that the statement calls s and gives its name.
func (e *emitter) use(s *Scalar) string {
	e.scalars[s.Name] = s
	return s.Name
}

// local makes a name that stands nowhere else in the statement.
func (e *emitter) local(prefix string) string {
	e.names++
	return `"` + prefix + strconv.Itoa(e.names) + `"`
}

// name is the name by which every node gives column id.
func name(id rel.ID) string { return `"` + plain(id) + `"` }

// plain is name without quotes.
func plain(id rel.ID) string { return "c" + strconv.FormatInt(int64(id), 10) }

// list is the select list of cols. DuckDB has no relation without columns: the rows of such a one are kept
// by a column that nothing reads.
func list(cols []rel.Column) string {
	if len(cols) == 0 {
		return `true AS "c0"`
	}
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = name(c.ID)
	}
	return strings.Join(parts, ", ")
}

// cast spells the conversion of x to the DuckDB type that holds t.
func cast(x string, t types.Type) (string, error) {
	name, err := typeName(t)
	return "CAST(" + x + " AS " + name + ")", err
}

// errUnsupported says that a tree asks for something this engine does not compute yet.
type errUnsupported struct{ what string }

func (e errUnsupported) Error() string { return "duckdb: " + e.what + " is not supported yet" }

func unsupported(format string, args ...any) error {
	return errUnsupported{fmt.Sprintf(format, args...)}
}
