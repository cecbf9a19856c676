package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestKeywordsGolden compares the keywords with those that Spark lists when
// it enforces the reserved ones.
func TestKeywordsGolden(t *testing.T) {
	want := map[string]string{}
	for _, q := range goldenQueries(t) {
		if q.file == "keywords-enforced.sql" && q.n == 1 {
			for _, line := range strings.Split(strings.TrimSpace(q.output), "\n") {
				word, reserved, _ := strings.Cut(line, "\t")
				want[word] = reserved
			}
		}
	}
	got := map[string]string{}
	for _, k := range Keywords() {
		got[k.Word] = fmt.Sprint(k.Reserved)
	}
	for w, reserved := range want {
		if got[w] != reserved {
			t.Errorf("%s: reserved %q, Spark %q", w, got[w], reserved)
		}
	}
	for w := range got {
		if _, ok := want[w]; !ok {
			t.Errorf("%s is no keyword of Spark", w)
		}
	}
}

// TestWordsAreKeywords checks that every word the parser looks for is in the
// keyword table: one that is not would never be found.
func TestWordsAreKeywords(t *testing.T) {
	files, err := filepath.Glob("parse*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no sources", err)
	}
	call := regexp.MustCompile(`\b(?:at|atAny|accept|acceptAny|expect|expectAny|is)\(("[A-Z_]+"(?:, "[A-Z_]+")*)\)`)
	word := regexp.MustCompile(`[A-Z_]+`)
	n := 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(src), -1) {
			for _, w := range word.FindAllString(m[1], -1) {
				if n++; keywords.lookup(w) == 0 {
					t.Errorf("%s: %s is not in the keyword table", f, w)
				}
			}
		}
	}
	for _, phrases := range [][][]string{nativeActions, nativeCommands, functionWords, {intervalUnits, intervalFields, dateUnits, namespaceWords}} {
		for _, words := range phrases {
			for _, w := range words {
				if n++; keywords.lookup(w) == 0 {
					t.Errorf("%s is not in the keyword table", w)
				}
			}
		}
	}
	if n < 400 {
		t.Errorf("found only %d words", n)
	}
}
