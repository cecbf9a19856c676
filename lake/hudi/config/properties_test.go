package config

import (
	"maps"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, in string
		want     Properties
	}{
		{"plain", "a=b\n", Properties{"a": "b"}},
		{"no newline at the end", "a=b", Properties{"a": "b"}},
		{"separators", "a b\nc:d\ne = f\ng\t=\th\ni  :  j\n", Properties{"a": "b", "c": "d", "e": "f", "g": "h", "i": "j"}},
		{"value keeps blanks at its end", "a= b \n", Properties{"a": "b "}},
		{"second separator is of the value", "a==b\nc =:d\n", Properties{"a": "=b", "c": ":d"}},
		{"comments", "#a=b\n  ! c=d\ne=f#g\n", Properties{"e": "f#g"}},
		{"no value", "a\nb=\nc:\n=d\n", Properties{"a": "", "b": "", "c": "", "": "d"}},
		{"continued", "a=b\\\n   c\\\n\td\ne=f\n", Properties{"a": "bcd", "e": "f"}},
		{"continued by a comment sign", "a=b\\\n#c\n", Properties{"a": "b#c"}},
		{"a comment does not continue", "#a\\\nb=c\n", Properties{"b": "c"}},
		{"two backslashes do not continue", "a=b\\\\\nc=d\n", Properties{"a": `b\`, "c": "d"}},
		{"continued at the end", "a=b\\", Properties{"a": "b"}},
		{"line ends", "a=b\rc=d\r\ne=f\n\r\n", Properties{"a": "b", "c": "d", "e": "f"}},
		{"escapes", `a\ b\=\:=\t\n\r\f\q\#` + "\n", Properties{"a b=:": "\t\n\r\fq#"}},
		{"unicode", `a=\u00e4\u20AC\uD83D\uDE00` + "\n", Properties{"a": "ä€😀"}},
		{"latin 1", "a=\xe4\n", Properties{"a": "ä"}},
		{"last of equal keys", "a=1\na=2\n", Properties{"a": "2"}},
	}
	for _, c := range tests {
		got, err := Parse([]byte(c.in))
		if err != nil || !maps.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	for _, in := range []string{`a=\u12`, `a=\u12g4`, `\u=b`} {
		if p, err := Parse([]byte(in)); err == nil {
			t.Errorf("%q is %q, want an error", in, p)
		}
	}
}

func TestFormat(t *testing.T) {
	p := Properties{"b k": " a b", "a": "x:y=z#!\\", keyChecksum: "1", "hoodie.z": "ä😀\t"}
	want := "#Updated at x\n#Mon Nov 30 17:59:06 UTC 2026\n" + `a=x\:y\=z\#\!\\` + "\n" + `b\ k=\ a b` + "\n" + `hoodie.z=\u00E4\uD83D\uDE00\t` + "\nhoodie.table.checksum=1\n"
	if got := string(p.Format("Updated at x", time.Date(2026, 11, 30, 17, 59, 6, 0, time.UTC))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func FuzzProperties(f *testing.F) {
	f.Add([]byte("#c\na\\ b=c\\\n d\\u00e4\r\nx:\\:y\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(p.Format("c", time.Time{}))
		if err != nil || !maps.Equal(p, again) {
			t.Fatalf("%q came back as %q, %v", p, again, err)
		}
	})
}
