package syntax

import (
	"strings"
	"testing"
)

// benchText is a script of ordinary statements.
func benchText() string { return strings.Join(seeds[:16], ";\n") + ";\n" }

// BenchmarkScan measures the scanner alone.
func BenchmarkScan(b *testing.B) {
	text := strings.Repeat(benchText(), 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		scan(text)
	}
}

// BenchmarkParse measures scripts of ordinary statements.
func BenchmarkParse(b *testing.B) {
	text := strings.Repeat(benchText(), 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGolden measures the queries of Spark's golden files, one by one.
func BenchmarkGolden(b *testing.B) {
	queries := goldenQueries(b)
	size := 0
	for _, q := range queries {
		size += len(q.text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, q := range queries {
			_, _ = ParseStatement(q.text)
		}
	}
}

// TestScanAllocates checks that scanning allocates no more than its result.
func TestScanAllocates(t *testing.T) {
	text := benchText()
	if n := testing.AllocsPerRun(10, func() { scan(text) }); n > 2 {
		t.Errorf("scanning %d bytes takes %v allocations", len(text), n)
	}
}
