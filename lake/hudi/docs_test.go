package hudi

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/types"
)

var update = flag.Bool("update", false, "write the generated parts of docs/hudi.md and docs/hudi-options.md")

// TestDocumentedProcedures holds the table of procedures in docs/hudi.md against the procedures.
func TestDocumentedProcedures(t *testing.T) {
	var b strings.Builder
	b.WriteString("| procedure | does | parameters |\n|---|---|---|\n")
	for _, p := range (&Format{}).Procedures() {
		var params []string
		for _, q := range p.Params {
			text := "`" + q.Name + "` " + strings.ToLower(types.SQL(q.Type))
			if q.Required {
				text = "**`" + q.Name + "`** " + strings.ToLower(types.SQL(q.Type))
			}
			params = append(params, text)
		}
		b.WriteString("| `" + p.Name + "` | " + p.About + " | " + strings.Join(params, ", ") + " |\n")
	}
	documented(t, "hudi.md", "procedures", b.String())
}

// TestDocumentedOptions holds docs/hudi-options.md against the table of options.
func TestDocumentedOptions(t *testing.T) {
	var b strings.Builder
	for _, kind := range []struct{ name, title, about string }{
		{"applied", "Followed", ""},
		{"only", "Refused by writers", "With other values than those in brackets."},
		{"read", "Refused by queries", "With other values than those in brackets."},
		{"told", "Without effect, with a warning", "With other values than those in brackets."},
		{"idle", "Without effect", ""},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n", kind.title)
		if kind.about != "" {
			b.WriteString(kind.about + "\n\n")
		}
		byReason := map[string][]string{}
		for key, use := range knownOptions() {
			if use.kind != kind.name {
				continue
			}
			text := "`" + key + "`"
			if use.values != nil {
				text += " (" + strings.Join(use.values, ", ") + ")"
			}
			byReason[use.reason] = append(byReason[use.reason], text)
		}
		for _, reason := range slices.Sorted(maps.Keys(byReason)) {
			slices.Sort(byReason[reason])
			fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(reason+" "+strings.Join(byReason[reason], ", ")))
		}
	}
	documented(t, "hudi-options.md", "options", b.String())
}

// documented holds a part of a file in docs, between the comments of its name, against what it must be.
func documented(t *testing.T, file, name, want string) {
	t.Helper()
	from, to := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	file = filepath.Join("..", "..", "docs", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), from)
	old, tail, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the %s", file, name)
	}
	if want == old {
		return
	}
	if !*update {
		t.Fatalf("the table of %s in %s is stale: run go test ./lake/hudi -run %s -update", name, file, t.Name())
	}
	if err := os.WriteFile(file, []byte(head+from+want+to+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
