package keygen

import (
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

func TestEscape(t *testing.T) {
	// The folders of the table part_multi of the corpus, and PartitionPathEncodeUtils of Hudi.
	for value, want := range map[string]string{
		"eu/west": "eu%2Fwest", "a=b c": "a%3Db c", "50%": "50%25", "ü:\"": "ü%3A%22", "x=y": "x%3Dy", "a}b": "a}b",
		"a\tb\x7f": "a%09b%7F", "{[^]\\#'*?": "%7B%5B%5E%5D%5C%23%27%2A%3F",
	} {
		if got := escape(value); got != want {
			t.Errorf("%q: %q, not %q", value, got, want)
		}
	}
}

func TestCheckPath(t *testing.T) {
	for path, ok := range map[string]bool{
		"": true, "a": true, "a/b": true, "a.b": true, "a/.b": true, "p=..": true, "..": false, "../up": false, "a/../b": false, "a/..": false,
		"/a": false, "a/": false, "a//b": false, ".hoodie": false, "a/./b": false, strings.Repeat("x", 256): false, strings.Repeat("x", 255): true,
	} {
		if err := CheckPath(path); (err == nil) != ok {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestInfer(t *testing.T) {
	for _, c := range []struct{ keys, parts, want string }{
		{"id", "", NonPartition}, {"a,b", "", NonPartition}, {"id", "p", Simple}, {"", "p", Simple}, {"a,b", "p", Complex},
		{"id", "p,q", Complex}, {"id", "p:SIMPLE", Custom},
	} {
		if got := infer(fields(c.keys), fields(c.parts)); got != c.want {
			t.Errorf("%s by %s: %s, not %s", c.keys, c.parts, got, c.want)
		}
	}
}

func fields(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return r == ',' }) }

// TestRefused are configurations that no keys can be made of.
func TestRefused(t *testing.T) {
	cols := []rel.Column{rel.NewColumn("id", types.Long), rel.NewColumn("b", types.Binary), rel.NewColumn("d", types.Decimal{P: 20, S: 10}),
		rel.NewColumn("s", types.String)}
	millis := map[string]string{"hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS", "hoodie.keygen.timebased.output.dateformat": "yyyy"}
	for _, c := range []struct {
		name string
		Config
		want string
	}{
		{"two fields", Config{Type: Simple, Keys: []string{"id"}, Partition: []string{"a", "b"}}, "needs one partition field"},
		{"untyped", Config{Type: Custom, Keys: []string{"id"}, Partition: []string{"s"}}, "has no type"},
		{"unknown", Config{Type: "HBASE", Keys: []string{"id"}}, "is not known"},
		{"no format", Config{Type: Timestamp, Keys: []string{"id"}, Partition: []string{"id"}}, "timestamp.type"},
		{"binary", Config{Keys: []string{"b"}}, "cannot be part of a key"},
		{"decimal", Config{Keys: []string{"d"}}, "cannot be part of a key"},
		{"absent", Config{Keys: []string{"nix"}}, "no column nix"},
		{"text as number", Config{Type: Timestamp, Keys: []string{"id"}, Partition: []string{"s"}, Properties: millis}, "does not read"},
		{"binary as time", Config{Type: Timestamp, Keys: []string{"id"}, Partition: []string{"b"}, Properties: millis}, "cannot be read"},
	} {
		g, err := New(c.Config)
		if err == nil {
			if _, err = g.Key(cols); err == nil {
				_, err = g.Partition(cols)
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
