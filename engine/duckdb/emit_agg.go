package duckdb

import (
	"strings"

	"github.com/tarn-lake/tarn/rel"
)

// aggregate groups by key columns computed below it, so that grouping sets can set a key to NULL while the
// aggregates still see the column it was made of.
func (e *emitter) aggregate(n *rel.Aggregate) (string, error) {
	in, err := e.from(n.In)
	if err != nil {
		return "", err
	}
	keys, err := e.computed(split(n.Keys))
	if err != nil {
		return "", err
	}
	if len(keys) > 0 {
		in = "(SELECT *, " + strings.Join(keys, ", ") + " FROM " + in + ")"
	}
	parts := []string{}
	for _, k := range n.Keys {
		parts = append(parts, name(k.ID))
	}
	aggs, err := e.computed(split(n.Aggs))
	if err != nil {
		return "", err
	}
	parts = append(parts, aggs...)
	if n.Grouping != nil {
		parts = append(parts, e.groupingID(n)+" AS "+name(n.Grouping.ID))
	}
	if len(parts) == 0 {
		parts = []string{`count(*) AS "c0"`}
	}
	return "SELECT " + strings.Join(parts, ", ") + " FROM " + in + groupBy(n), nil
}

// groupingID has one bit per key, the first key highest, set when the key is not of the grouping set.
func (e *emitter) groupingID(n *rel.Aggregate) string {
	if len(n.Keys) == 0 {
		return "CAST(0 AS BIGINT)"
	}
	return "CAST(grouping(" + keyNames(n.Keys, nil) + ") AS BIGINT)"
}

func groupBy(n *rel.Aggregate) string {
	if n.Sets == nil {
		if len(n.Keys) == 0 {
			return ""
		}
		return " GROUP BY " + keyNames(n.Keys, nil)
	}
	sets := make([]string, len(n.Sets))
	for i, s := range n.Sets {
		sets[i] = "()"
		if len(s) > 0 {
			sets[i] = "(" + keyNames(n.Keys, s) + ")"
		}
	}
	return " GROUP BY GROUPING SETS (" + strings.Join(sets, ", ") + ")"
}

// keyNames lists the keys with the given numbers; nil is all.
func keyNames(keys []rel.Computed, of []int) string {
	var names []string
	if of == nil {
		for i := range keys {
			of = append(of, i)
		}
	}
	for _, i := range of {
		names = append(names, name(keys[i].ID))
	}
	return strings.Join(names, ", ")
}
