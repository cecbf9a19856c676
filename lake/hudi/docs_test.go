package hudi

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/types"
)

var update = flag.Bool("update", false, "write the generated tables into docs/hudi.md")

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
	documented(t, "procedures", b.String())
}

// documented holds a table of docs/hudi.md, between the comments of its name, against what it must be.
func documented(t *testing.T, name, want string) {
	t.Helper()
	from, to := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	file := filepath.Join("..", "..", "docs", "hudi.md")
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
