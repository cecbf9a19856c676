package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/nearest"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// unresolved is the error for a name without meaning, with the five columns whose names are nearest.
func (a *analyzer) unresolved(parts []string, f *frame, at syntax.Node) error {
	var cols []column
	for g := f; g != nil && len(cols) == 0 && !g.subquery; g = g.outer {
		cols = g.cols
		for _, it := range g.items {
			cols = append(cols, column{rel.Column{Name: it.name}, it.qual})
		}
	}
	name := quoteName(parts...)
	if len(cols) == 0 {
		return fail("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", at, "objectName", name)
	}
	return fail("UNRESOLVED_COLUMN.WITH_SUGGESTION", at, "objectName", name, "proposal", strings.Join(proposed(parts, cols), ", "))
}

// proposed orders the names of columns by their distance to a name, as Spark does: a qualifier that all columns
// share is left out when the name has none.
func proposed(parts []string, cols []column) []string {
	cols = slices.Clone(cols)
	slices.SortStableFunc(cols, func(x, y column) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), cmp.Compare(x.ID, y.ID))
	})
	full := make([][]string, 0, len(cols))
	for _, c := range cols {
		full = append(full, append(slices.Clone(c.qual), c.Name))
	}
	switch {
	case len(parts) == 1 && shared(full, 1):
		full = lastParts(full, 1)
	case len(parts) <= 2 && shared(full, 2):
		full = lastParts(full, 2)
	}
	base := make([]string, len(parts))
	for i, p := range parts {
		base[i] = types.QuoteIfNeeded(p)
	}
	names := make([]string, len(full))
	for i, p := range full {
		names[i] = quoteName(p...)
	}
	target := strings.Join(base, ".")
	slices.SortStableFunc(names, func(x, y string) int { return nearest.Distance(x, target) - nearest.Distance(y, target) })
	return names[:min(5, len(names))]
}

// shared reports whether all names are equal without their last n parts.
func shared(names [][]string, n int) bool {
	prefix := func(p []string) string { return strings.Join(p[:max(0, len(p)-n)], "\x00") }
	for _, p := range names[1:] {
		if prefix(p) != prefix(names[0]) {
			return false
		}
	}
	return true
}

func lastParts(names [][]string, n int) [][]string {
	out := make([][]string, len(names))
	for i, p := range names {
		out[i] = p[max(0, len(p)-n):]
	}
	return out
}
