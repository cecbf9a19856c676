package tarn

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestHudiDeviations holds each line of docs/hudi.md that tells where tarn's answers differ from Hudi's. testdata/hudi/deviations.txt has for
// each a block: the words of the line, then statements, of which the last one's answer is shown, for tables of each type and version in
// the directive; "elsewhere" names the test that holds the line. {of} stands for the properties of such a table, {t} for its folder, SAVE for a Writer.
func TestHudiDeviations(t *testing.T) {
	untested := documented(t, "| Hudi | tarn |")
	db := utcDB(t)
	datadriven.RunTest(t, filepath.Join("testdata", "hudi", "deviations.txt"), func(t *testing.T, d *datadriven.TestData) string {
		line, script, _ := strings.Cut(d.Input, "\n")
		if _, ok := untested[line]; !ok {
			t.Errorf("docs/hudi.md has no line of %q", line)
		}
		untested[line] = true
		if d.Cmd == "elsewhere" {
			return ""
		}
		answers := map[string]string{}
		for _, arg := range d.CmdArgs {
			answers[arg.Key] = deviationAnswer(t, db.Session(), arg.Key, script)
		}
		kinds := slices.Sorted(maps.Keys(answers))
		first, out := answers[kinds[0]], ""
		for _, kind := range kinds {
			if answers[kind] != first {
				out = "differs"
			}
		}
		if out == "" {
			return first
		}
		out = ""
		for _, kind := range kinds {
			out += kind + "\n" + answers[kind]
		}
		return out
	})
	for line, tested := range untested {
		if !tested {
			t.Errorf("no test of %q", line)
		}
	}
}

// documented are the first cells of the table in docs/hudi.md that has a head.
func documented(t *testing.T, head string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", "hudi.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n"+head+"\n")
	out := map[string]bool{}
	for line := range strings.Lines(rest) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 2 {
			if len(out) > 0 {
				break
			}
			continue
		}
		out[strings.TrimPrefix(cells[0], "| ")] = false
	}
	if len(out) == 0 {
		t.Fatal("docs/hudi.md has no table ", head)
	}
	return out
}

// deviationAnswer is what the last statement of a script gives on a table of a kind, such as mor9.
func deviationAnswer(t *testing.T, s *Session, kind, script string) string {
	dir := filepath.Join(t.TempDir(), "t")
	fill := strings.NewReplacer("{t}", dir, "{of}", fmt.Sprintf("type = '%s', 'hoodie.write.table.version' = '%s'", kind[:3], kind[3:]))
	out := ""
	for sql := range strings.SplitSeq(script, ";\n") {
		if rest, ok := strings.CutPrefix(sql, "SAVE "); ok {
			out = saveAnswer(s, dir, kind, fill.Replace(rest))
		} else {
			out = statementAnswer(s, fill.Replace(sql))
		}
	}
	return strings.ReplaceAll(out, dir, "{t}")
}

// saveAnswer writes as "mode key=value … AS query" says, to a table of a kind where there is none.
func saveAnswer(s *Session, dir, kind, text string) string {
	head, query, _ := strings.Cut(text, " AS ")
	words := strings.Fields(head)
	w := s.Write(query).Format("hudi").Mode(SaveMode(words[0])).Option("hoodie.table.name", "t").Option("hoodie.datasource.write.recordkey.field", "id").
		Option("hoodie.datasource.write.precombine.field", "ts").Option("hoodie.datasource.write.partitionpath.field", "part").
		Option("hoodie.datasource.write.table.type", kind[:3]).Option("hoodie.write.table.version", kind[3:])
	for _, word := range words[1:] {
		k, v, _ := strings.Cut(word, "=")
		w = w.Option(k, v)
	}
	receipt, err := w.Save(context.Background(), dir)
	switch {
	case err != nil:
		return "[" + err.(*Error).Class + "] " + err.(*Error).Message + "\n"
	case receipt.Operation == "":
		return "nothing written\n"
	}
	return fmt.Sprintf("%d inserted, %d updated\n", receipt.Inserted, receipt.Updated)
}
