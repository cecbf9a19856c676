package duckdb

import (
	"testing"

	"github.com/tarn-lake/tarn/internal/seed"
)

// Random texts, odd ones included, survive as constants and as names.
func TestQuoting(t *testing.T) {
	r := seed.Rand(t)
	c := openTest(t, testLimits(t))
	odd := []rune("'\"\\%;-$\n\r\t\x00\x01 aé\u2028\U0001f600[]{}()/*,:?")
	for range 300 {
		var s []rune
		for range 1 + r.IntN(20) {
			s = append(s, odd[r.IntN(len(odd))])
		}
		text := string(s)
		bs, err := c.rows(t.Context(), "SELECT "+literal(text)+" AS "+ident("x"+withoutNUL(text)))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := bs[0].Column(0).ValueStr(0); got != text {
			t.Errorf("text %q came back as %q", text, got)
		}
		if got := bs[0].Schema().Field(0).Name; got != "x"+withoutNUL(text) {
			t.Errorf("name %q came back as %q", text, got)
		}
	}
}

// withoutNUL makes a name that a statement can hold: names with NUL are refused before they are quoted.
func withoutNUL(s string) string {
	var out []rune
	for _, r := range s {
		if r != 0 {
			out = append(out, r)
		}
	}
	return string(out)
}
