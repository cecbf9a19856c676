package hudi

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/types"
)

var update = flag.Bool("update", false, "write the table of procedures into docs/hudi.md")

// TestDocumentedProcedures holds the table of procedures in docs/hudi.md against the procedures.
func TestDocumentedProcedures(t *testing.T) {
	const from, to = "<!-- procedures -->\n", "<!-- end of procedures -->"
	file := filepath.Join("..", "..", "docs", "hudi.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), from)
	old, tail, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the procedures", file)
	}
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
	if b.String() == old {
		return
	}
	if !*update {
		t.Fatalf("the table of procedures in %s is stale: run go test ./lake/hudi -run TestDocumentedProcedures -update", file)
	}
	if err := os.WriteFile(file, []byte(head+from+b.String()+to+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
