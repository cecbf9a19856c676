package hudi

import (
	"fmt"
	"testing"

	"github.com/tarn-lake/tarn/lake/hudi/bloom"
)

// TestFileKeys asks footers for keys.
func TestFileKeys(t *testing.T) {
	filter := bloom.New(100, 1e-9, 200)
	for _, key := range []string{"b", "k", "y"} {
		filter.Add([]byte(key))
	}
	whole := map[string]string{footerMin: "b", footerMax: "y", footerKind: filter.Kind(), footerBloom: filter.Text()}
	with := func(name, value string) map[string]string {
		out := map[string]string{name: value}
		for k, v := range whole {
			if k != name {
				out[k] = v
			}
		}
		return out
	}
	for _, c := range []struct {
		footer       map[string]string
		filters      bool
		plain, other []string
		want         bool
	}{
		{whole, true, []string{"a", "c", "z"}, nil, false},
		{whole, true, []string{"a", "k", "z"}, nil, true},
		{whole, true, []string{"b"}, nil, true},
		{whole, true, []string{"y"}, nil, true},
		{whole, true, nil, nil, false},
		{whole, false, []string{"a", "z"}, nil, false},
		{whole, false, []string{"a", "c"}, nil, true},
		{whole, false, nil, []string{"\U0001F600"}, true}, // where it lies is not known
		{whole, true, nil, []string{"\U0001F600"}, false},
		{with(footerMax, "\uFF5E"), false, []string{"z"}, nil, true}, // of UTF-8 or of UTF-16
		{with(footerMax, "a"), false, []string{"z"}, nil, true},      // no range
		{with(footerBloom, "damaged"), true, []string{"c"}, nil, true},
		{with(footerKind, "OTHER"), true, []string{"c"}, nil, true},
		{map[string]string{}, true, []string{"c"}, nil, true},
	} {
		t.Run(fmt.Sprint(c.footer[footerMin], c.footer[footerMax], c.filters, c.plain, c.other), func(t *testing.T) {
			if got := newFileKeys(c.footer, 100, c.filters).mayHave(&keyList{c.plain, c.other}); got != c.want {
				t.Errorf("%t, want %t", got, c.want)
			}
		})
	}
	many := &keyList{plain: []string{"c", "d", "e"}}
	if !newFileKeys(whole, 20, true).mayHave(many) || newFileKeys(whole, 30, true).mayHave(many) {
		t.Error("keys are tested where it is quicker to read the rows, or are not")
	}
	if newFileKeys(whole, 100, true).mayHave(nil) {
		t.Error("a batch without keys of a partition has some")
	}
}
