package conform

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Ledger is the set of cases that were exact, by file.
type Ledger map[string]map[int]bool

// ReadLedger reads a ledger. A line is a file and its cases: `array: 1-5,7`.
func ReadLedger(path string) (Ledger, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l := Ledger{}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, list, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("%s: no cases in %q", path, line)
		}
		for part := range strings.SplitSeq(list, ",") {
			if err := l.addRange(name, part); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, name, err)
			}
		}
	}
	return l, sc.Err()
}

func (l Ledger) addRange(name, part string) error {
	from, to, isRange := strings.Cut(part, "-")
	if !isRange {
		to = from
	}
	a, err := strconv.Atoi(from)
	if err != nil {
		return err
	}
	b, err := strconv.Atoi(to)
	if err != nil {
		return err
	}
	for n := a; n <= b; n++ {
		l.Add(name, n)
	}
	return nil
}

// Add notes that case n of a file is exact.
func (l Ledger) Add(file string, n int) {
	if l[file] == nil {
		l[file] = map[int]bool{}
	}
	l[file][n] = true
}

// Write stores the ledger.
func (l Ledger) Write(path string) error {
	var b strings.Builder
	b.WriteString("# Cases that tarn answers exactly as Spark does: file, numbers of the cases. Written by cmd/conform -update.\n")
	for _, name := range slices.Sorted(maps.Keys(l)) {
		b.WriteString(name + ": " + ranges(slices.Sorted(maps.Keys(l[name]))) + "\n")
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func ranges(ns []int) string {
	var parts []string
	for i := 0; i < len(ns); {
		j := i
		for j+1 < len(ns) && ns[j+1] == ns[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, strconv.Itoa(ns[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", ns[i], ns[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// Losses are the cases of old that are not in l, among the files that l was asked about.
func (l Ledger) Losses(old Ledger, asked func(file string) bool) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if !asked(name) {
			continue
		}
		for _, n := range slices.Sorted(maps.Keys(old[name])) {
			if !l[name][n] {
				out = append(out, fmt.Sprintf("%s#%d", name, n))
			}
		}
	}
	return out
}
