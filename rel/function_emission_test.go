package rel

import (
	"strings"
	"testing"
)

// TestFunctionsAreComputed asks of each function a way to be computed: a template for each of its forms, a rule
// that resolves to other functions, or the reason why there is none.
func TestFunctionsAreComputed(t *testing.T) {
	for f := range Functions() {
		if f.Unsupported != "" || f.Kind == GeneratorKind {
			continue
		}
		if f.rule != "" {
			name, _, _ := strings.Cut(f.rule, " ")
			if findRule(name) == nil {
				t.Errorf("%s: no rule %q", f.Name, name)
			}
			continue
		}
		for i, sig := range f.sigs {
			if len(sig.emits) == 0 && len(f.emits) == 0 {
				t.Errorf("%s: form %d has no template", f.Name, i+1)
			}
		}
		if len(f.sigs) == 0 {
			t.Errorf("%s: neither forms nor a rule", f.Name)
		}
	}
}
