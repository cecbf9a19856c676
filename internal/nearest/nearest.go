// Package nearest finds the names that a mistyped one may stand for.
package nearest

import (
	"slices"
	"strings"
)

// Names are the five of names that are nearest to a name, nearest first. Case does not matter.
func Names(name string, names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	name = strings.ToLower(name)
	slices.SortStableFunc(names, func(x, y string) int {
		return Distance(strings.ToLower(x), name) - Distance(strings.ToLower(y), name)
	})
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
