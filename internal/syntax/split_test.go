package syntax

import (
	"strings"
	"testing"
)

// TestSplit: the pieces of a script, a bar behind each that a semicolon ended.
func TestSplit(t *testing.T) {
	for src, want := range map[string]string{
		"":                                   "",
		" ; ;-- a\n;":                        "",
		"SELECT 1":                           "SELECT 1",
		"SELECT 1;":                          "SELECT 1|",
		" SELECT 1 ; -- b\nSELECT 2 /*;*/":   "SELECT 1|SELECT 2",
		"SELECT ';';SELECT `;`":              "SELECT ';'|SELECT `;`",
		"SELECT ';":                          "SELECT ';",
		"SELECT 1; SELECT 'a;b; c":           "SELECT 1|SELECT 'a;b; c",
		"SELECT `a; SELECT 2;":               "SELECT `a; SELECT 2;",
		"SELECT \";\"; \"":                   "SELECT \";\"|\"",
		"SELECT r'\\'; SELECT 2":             "SELECT r'\\'|SELECT 2",
		"SELECT /* ; ":                       "SELECT /* ; ",
		"SELECT 1; /* open; SELECT 'x;":      "SELECT 1|/* open; SELECT 'x;",
		"SELECT 'open /* ; SELECT 1;":        "SELECT 'open /* ; SELECT 1;",
		"SELEC 1; nonsense (;SELECT 3":       "SELEC 1|nonsense (|SELECT 3",
		"BEGIN SELECT 1; SELECT 2; END; x":   "BEGIN SELECT 1; SELECT 2; END|x",
		"BEGIN IF a THEN SELECT 1; END IF;":  "BEGIN IF a THEN SELECT 1; END IF;",
		"SELECT CASE WHEN a THEN 1 END; y;z": "SELECT CASE WHEN a THEN 1 END|y|z",
	} {
		var b strings.Builder
		for _, p := range Split(src) {
			b.WriteString(p.Text)
			if p.Complete {
				b.WriteByte('|')
			}
			if p.Span.Text(src) != p.Text {
				t.Errorf("%q: the span of %q holds %q", src, p.Text, p.Span.Text(src))
			}
		}
		if b.String() != want {
			t.Errorf("%q splits into %q, want %q", src, b.String(), want)
		}
	}
}
