package tarn

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestHudiExpressionIndex asks tables of real Hudi, which have indexes of expressions, for rows as Hudi was asked (interop/fixtures/expression_index.py).
// Where an index rules files out they are not opened: the query is answered without them.
func TestHudiExpressionIndex(t *testing.T) {
	for _, name := range []string{"v8_cow", "v9_mor"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", "hudi", "expression_"+name)
			text, err := os.ReadFile(file + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var answers map[string][]int
			if err := json.Unmarshal(text, &answers); err != nil || len(answers) == 0 {
				t.Fatal(len(answers), err)
			}
			dir, s := hudiCorpus(t, file+".zip"), utcDB(t).Session()
			for cond, want := range answers {
				if got := idsWhere(s, dir, cond); got != idsText(want) {
					t.Errorf("%s: %q, want %q", cond, got, idsText(want))
				}
			}
			for _, p := range []string{"p=b", "p=d", "p=e"} {
				if err := os.RemoveAll(filepath.Join(dir, p)); err != nil {
					t.Fatal(err)
				}
			}
			for cond, ruledOut := range map[string]bool{
				"lower(name) = 'fay'": true, "lower(name) IN ('eve', 'fay')": true, "year(d) = 2025": true, "year(d) = 2021 AND lower(name) = 'fay'": true,
				"trim(city) = 'Paris'": true, "NOT year(d) < 2025": true,
				"lower(name) = 'gus'": false, "year(d) = 2021 OR lower(name) = 'dora'": false, "lower(name) IS NULL": false, "year(at) = 2021": false,
				"name = 'Fay'": false, "from_unixtime(ts, 'yyyy-MM-dd') = '2025-02-19'": false,
			} {
				got := idsWhere(s, dir, cond)
				if answered := !strings.HasPrefix(got, "["); answered != ruledOut {
					t.Errorf("%s without the other files: %q", cond, got)
				}
			}
		})
	}
}

// idsWhere are the ids of the rows for which a condition is true, or an error.
func idsWhere(s *Session, dir, cond string) string {
	got := statementText(s, "SELECT id FROM hudi.`"+dir+"` WHERE "+cond+" ORDER BY id", dir)
	if _, rows, ok := strings.Cut(got, "\n"); ok && !strings.HasPrefix(got, "[") {
		return strings.TrimSuffix(strings.ReplaceAll(rows, "\n", " "), " ")
	}
	return got
}

func idsText(ids []int) string {
	var parts []string
	for _, id := range ids {
		parts = append(parts, strconv.Itoa(id))
	}
	return strings.Join(parts, " ")
}
