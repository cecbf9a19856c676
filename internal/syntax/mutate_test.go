package syntax

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/internal/seed"
)

var mutations = flag.Int("mutations", 3000, "random statements to try")

// TestMutations drops, doubles, swaps and exchanges words of real statements
// and checks that what still parses prints and reads back as the same tree.
func TestMutations(t *testing.T) {
	r := seed.Rand(t)
	var texts [][]string
	for _, s := range mutationTexts(t) {
		toks, _ := scan(s)
		var words []string
		for _, k := range toks[:len(toks)-1] {
			words = append(words, s[k.start:k.end])
		}
		if len(words) > 0 {
			texts = append(texts, words)
		}
	}
	read := 0
	for range *mutations {
		words := texts[r.IntN(len(texts))]
		for range 1 + r.IntN(3) {
			words = mutate(r, words, texts[r.IntN(len(texts))])
		}
		src := strings.Join(words, " ")
		stmts, err := Parse(src)
		if err != nil {
			continue
		}
		for _, s := range stmts {
			read++
			if err := roundTrip(s); err != nil {
				t.Errorf("%q: %v", src, err)
			}
		}
	}
	t.Logf("%d statements printed and read back", read)
}

// mutationTexts returns the golden queries where they are, and the seeds.
func mutationTexts(t *testing.T) []string {
	texts := append([]string(nil), seeds...)
	if !hasCorpus() {
		return texts
	}
	for _, q := range goldenQueries(t) {
		if len(q.text) < 400 {
			texts = append(texts, q.text)
		}
	}
	return texts
}

// mutate changes one place of a list of words.
func mutate(r *rand.Rand, words, others []string) []string {
	out := append([]string(nil), words...)
	if len(out) == 0 {
		return out
	}
	i, j := r.IntN(len(out)), r.IntN(len(out))
	switch r.IntN(5) {
	case 0:
		return append(out[:i], out[i+1:]...)
	case 1:
		return append(out[:i:i], append([]string{out[i]}, out[i:]...)...)
	case 2:
		out[i], out[j] = out[j], out[i]
	case 3:
		out[i] = others[r.IntN(len(others))]
	case 4:
		k := r.IntN(len(others))
		n := min(len(others)-k, 1+r.IntN(5))
		return append(out[:i:i], append(append([]string(nil), others[k:k+n]...), out[i:]...)...)
	}
	return out
}
