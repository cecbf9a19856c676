package hfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// index is a file like one of a record index: n keys of 36 bytes with values of 60.
func index(b *testing.B, n int) []byte {
	var out bytes.Buffer
	w := NewWriter(&out, Options{})
	r := rand.New(rand.NewPCG(1, 1))
	value := make([]byte, 60)
	for i := range n {
		for j := 20; j < 36; j++ {
			value[j] = byte(r.Uint32())
		}
		if err := w.Append(fmt.Appendf(nil, "%08x-3fad-413a-a942-4cb36106d721", i*7), value); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

const benchRows = 200_000

func BenchmarkWrite(b *testing.B) {
	for b.Loop() {
		index(b, benchRows)
	}
	b.ReportMetric(float64(b.N)*benchRows/b.Elapsed().Seconds(), "cells/s")
}

func BenchmarkAll(b *testing.B) {
	data := index(b, benchRows)
	b.ReportAllocs()
	for b.Loop() {
		f, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		it := f.All()
		for it.Next() {
			n++
		}
		if n != benchRows || it.Err() != nil {
			b.Fatal(n, it.Err())
		}
	}
	b.ReportMetric(float64(b.N)*benchRows/b.Elapsed().Seconds(), "cells/s")
}

// BenchmarkGet looks up keys in random order.
func BenchmarkGet(b *testing.B) {
	data := index(b, benchRows)
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	b.ReportAllocs()
	for b.Loop() {
		key := fmt.Appendf(nil, "%08x-3fad-413a-a942-4cb36106d721", r.IntN(benchRows)*7)
		if _, ok, err := f.Get(key); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
