package prompt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/cmd/tarn/console"
)

// TestWhole: when Enter runs what was typed, and when it opens another line.
func TestWhole(t *testing.T) {
	for text, want := range map[string]bool{
		"":                             true,
		"  \n ":                        true,
		"SELECT 1":                     false,
		"SELECT 1;":                    true,
		"SELECT 1; ":                   true,
		"SELECT 1;\n-- more\n":         true,
		"SELECT 1; SELECT":             false,
		"SELECT 1; SELECT 2;":          true,
		"SELECT ';":                    false,
		"SELECT ';'":                   false,
		"SELECT ';';":                  true,
		"SELECT `a;`":                  false,
		"SELECT 1 /* ;":                false,
		"SELECT 1 -- ;":                false,
		"SELECT 1 -- x\n;":             true,
		"BEGIN SELECT 1;":              false,
		"BEGIN SELECT 1; END;":         true,
		"-- only a remark":             true,
		".tables":                      true,
		`\d t`:                         true,
		"quit":                         true,
		"Exit;":                        true,
		"quit x":                       false,
		"MERGE INTO t USING s ON a\n=": false,
	} {
		if got := whole(text); got != want {
			t.Errorf("whole(%q) is %v", text, got)
		}
	}
}

func TestLastWord(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"sel":                    "sel",
		"SELECT a_1":             "a_1",
		"SELECT ":                "",
		"SELECT t.c":             "c",
		"SELECT (größe":          "größe",
		".ta":                    ".ta",
		`\d tab`:                 "tab",
		".read ./a/b":            "./a/b",
		"FROM delta.`./da":       "./da",
		"FROM delta.`./da` WHER": "WHER",
		"FROM `my ta":            "ta",
	} {
		if got := lastWord(text); got != want {
			t.Errorf("lastWord(%q) is %q, want %q", text, got, want)
		}
	}
}

// talk is a prompt without a terminal.
func talk(t *testing.T) (*prompt, *strings.Builder) {
	t.Helper()
	db, err := tarn.Open(t.Context(), tarn.Options{Warehouse: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	session, out := db.Session(), &strings.Builder{}
	open := func(context.Context) (*tarn.Session, error) { return session, nil }
	stream := console.Stream{Writer: out}
	c := &console.Console{Session: open, Out: stream, Err: stream, Format: "csv", Receipt: "none"}
	return &prompt{Console: c, words: &words{session: open}}, out
}

func TestCommands(t *testing.T) {
	p, out := talk(t)
	file := filepath.Join(t.TempDir(), "s.sql")
	if err := os.WriteFile(file, []byte("SELECT 1 AS one; SELECT 2 AS two"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ text, want string }{
		{"CREATE TABLE t (id INT, name STRING);", ""},
		{".tables", "namespace,tableName,isTemporary\ndefault,t,false\n"},
		{`\dt`, "namespace,tableName,isTemporary\ndefault,t,false\n"},
		{".read " + file, "one\n1\ntwo\n2\n"},
		{".read missing", "open missing: no such file or directory\n"},
		{".mode", ".mode needs one of box, csv, tsv, json, jsonl, markdown, vertical; it is csv.\n"},
		{".mode jsonl", ""},
		{"SELECT 1 AS a;", "{\"a\":1}\n"},
		{`\x`, ""},
		{"SELECT 1 AS a;", "-[ 1 ]-\na | 1\n"},
		{`\x`, ""},
		{"SELECT 1 AS a;", "{\"a\":1}\n"},
		{".schema", ".schema needs the name of a table.\n"},
		{".nope", "There is no command .nope. .help lists them.\n"},
		{".timer maybe", ".timer is on or off.\n"},
		{"CREATE SCHEMA s; USE s;", ""},
		{".help", help},
	} {
		out.Reset()
		p.take(t.Context(), step.text)
		if got := out.String(); got != step.want {
			t.Errorf("%s gives %q, want %q", step.text, got, step.want)
		}
	}
	if p.first() != "tarn:s> " {
		t.Errorf("the prompt is %q", p.first())
	}
	out.Reset()
	p.take(t.Context(), `\d default.t`)
	if !strings.Contains(out.String(), `"col_name":"name","data_type":"string"`) {
		t.Error(out.String())
	}
	p.take(t.Context(), `\q`)
	if !p.left {
		t.Error(`\q does not leave`)
	}
}

func TestComplete(t *testing.T) {
	p, _ := talk(t)
	p.take(t.Context(), "CREATE TABLE trips (id INT, ifx INT); CREATE SCHEMA irish;")
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "data", "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, rest string
		want       []string
	}{
		{"sele", "", []string{"select"}},
		{"SELE", "", []string{"SELECT"}},
		{"SELECT i", " FROM trips", []string{"id", "ifx", "irish", "if", "in"}},
		{"SELECT * FROM tri", "", []string{"trips", "trim"}},
		{"SELECT `trip", "", nil},
		{".mo", "", []string{".mode"}},
		{".mode j", "", []string{"json", "jsonl"}},
		{"SELECT * FROM delta.`" + dir + "/da", "", []string{dir + "/data/"}},
		{".read " + dir + "/data/", "", []string{dir + "/data/sub/"}},
	} {
		var got []string
		for _, f := range p.candidates(t.Context(), c.text, c.rest) {
			got = append(got, f.word)
		}
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q completes to %v, without %q", c.text, got, w)
			}
		}
	}
	p.take(t.Context(), "CREATE TABLE tricks (a INT);")
	if got := p.candidates(t.Context(), "SELECT * FROM tric", ""); len(got) != 1 || got[0].word != "tricks" {
		t.Errorf("a new table is not offered: %v", got)
	}
}

func TestHistoryFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	file, err := historyFile()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || file != filepath.Join(dir, "tarn", "history") || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v", file, errors.Join(err))
	}
}
