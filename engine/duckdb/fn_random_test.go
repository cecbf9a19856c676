package duckdb

import "testing"

// TestXorShift compares with numbers that Spark's rand(0) and rand(5) show in its golden files.
func TestXorShift(t *testing.T) {
	g := newXorShift(0)
	for _, want := range []float64{0.7604953758285915, 0.5234194256885571} {
		if got := g.float(); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
