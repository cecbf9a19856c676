package hudi

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tarn-lake/tarn/internal/nearest"
)

// optionText lists every option of Hudi 0.12.2, 0.15.0, 1.0.2 and 1.1.1. A line that starts at the margin says what tarn does with those
// below it, and why; " = " before an option's values gives those that ask for nothing else than tarn does.
//
//	applied        it is followed
//	only …         other values are refused by writers
//	read …         other values are refused by readers
//	told …         other values change neither rows nor how others read the table: a warning says so
//	idle …         it has no effect, which nobody will miss
//
//go:embed options.txt
var optionText string

// optionUse says what tarn does with an option.
type optionUse struct {
	kind   string // applied, only, read, told or idle
	reason string
	values []string // that "only", "read" and "told" take, beside none
}

// knownOptions are the options of Hudi by their names in lower case.
var knownOptions = sync.OnceValue(func() map[string]optionUse {
	out := map[string]optionUse{}
	var use optionUse
	for line := range strings.Lines(optionText) {
		line = strings.TrimRight(line, "\n")
		name, below := strings.CutPrefix(line, "\t")
		if !below {
			use.kind, use.reason, _ = strings.Cut(line, " ")
			continue
		}
		one := use
		name, values, ok := strings.Cut(name, " = ")
		if ok {
			one.values = strings.Split(values, " | ")
		}
		out[strings.ToLower(name)] = one
	}
	return out
})

// optionFamilies start the names of options that users complete.
var optionFamilies = []string{"hoodie.record.merge.property.", "hoodie.summation.payload.", "hoodie.average.payload."}

// takes reports whether a value asks for nothing that tarn does not do.
func (u optionUse) takes(value string) bool {
	return value == "" || slices.ContainsFunc(u.values, func(v string) bool { return strings.EqualFold(v, value) })
}

// heed looks at all options of a write: an error names those that ask for what tarn does not do, a warning each that it does not know, or
// that changes nothing.
func (o options) heed() (warnings []string, err error) {
	var refused []string
	for _, key := range o.keys() {
		value := o.text("", key)
		use, known := knownOptions()[key]
		switch {
		case !known:
			if w := unknownOption(key); w != "" {
				warnings = append(warnings, w)
			}
		case use.takes(value):
		case use.kind == "only":
			refused = append(refused, use.refusal(key, value))
		case use.kind == "told":
			warnings = append(warnings, fmt.Sprintf("%s=%s has no effect: %s", key, value, use.reason))
		}
	}
	if len(refused) > 0 {
		return nil, badOption("%s", strings.Join(refused, "; "))
	}
	return warnings, nil
}

// keys are those of all options, in order.
func (o options) keys() []string {
	all := map[string]string{}
	maps.Copy(all, o.defaults)
	maps.Copy(all, o.all)
	return slices.Sorted(maps.Keys(all))
}

func (u optionUse) refusal(key, value string) string {
	text := fmt.Sprintf("%s=%s is not supported. %s", key, value, u.reason)
	if len(u.values) > 0 {
		return strings.TrimSuffix(text, ".") + " (supported: " + strings.Join(u.values, ", ") + ")"
	}
	return strings.TrimSuffix(text, ".")
}

// unknownOption says which option may be meant by one that Hudi does not have; "" where it is none of Hudi's.
func unknownOption(key string) string {
	if !strings.HasPrefix(key, "hoodie.") || slices.ContainsFunc(optionFamilies, func(f string) bool { return strings.HasPrefix(key, f) }) {
		return ""
	}
	near := nearest.Names(key, slices.Collect(maps.Keys(knownOptions())))[0]
	text := "Hudi has no option " + key
	if nearest.Distance(near, key) <= max(2, len(key)/6) {
		text += "; " + near + " may be meant"
	}
	return text
}

// checkReader refuses options of a reader that ask for what tarn does not do.
func checkReader(given map[string]string) error {
	o := newOptions(given)
	for _, key := range o.keys() {
		if use, known := knownOptions()[key]; known && use.kind == "read" && !use.takes(o.all[key]) {
			return badOption("%s", use.refusal(key, o.all[key]))
		}
	}
	return nil
}
