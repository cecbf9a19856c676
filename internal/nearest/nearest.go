// Package nearest finds the names that a mistyped one may stand for.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// Names are the five of names that are nearest to a name, nearest first. Case does not matter.
func Names(name string, names []string) []string {
	name = strings.ToLower(name)
	far := make(map[string]int, len(names))
	for _, n := range names {
		far[n] = Distance(strings.ToLower(n), name)
	}
	names = slices.SortedFunc(slices.Values(names), func(x, y string) int { return cmp.Or(far[x]-far[y], strings.Compare(x, y)) })
	return names[:min(5, len(names))]
}

// Distance is the number of letters to add, remove or change to make one name the other.
func Distance(x, y string) int {
	a, b := []rune(x), []rune(y)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		last := row[0]
		row[0] = i + 1
		for j := range b {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
