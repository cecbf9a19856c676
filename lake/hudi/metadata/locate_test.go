package metadata

import (
	"context"
	"fmt"
	"testing"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/storage"
)

// manyKeys is a metadata table with a record index of n keys.
func manyKeys(tb testing.TB, b storage.Bucket, n int) *Table {
	tb.Helper()
	ctx := context.Background()
	p, err := config.New{Name: "t", Version: 9, Type: config.MergeOnRead, RecordKey: []string{"id"}, UTC: true}.Properties()
	if err != nil {
		tb.Fatal(err)
	}
	c, err := config.Create(ctx, b, p)
	if err != nil {
		tb.Fatal(err)
	}
	at := &Location{FileID: "3ecbbdad-de0a-4a3a-9f25-e41e44fe96ff-0", Instant: 1796061511347, Position: -1}
	placed := func(yield func(PlacedKey, error) bool) {
		for i := range n {
			if !yield(PlacedKey{fmt.Sprintf("trip-%015d", i), at}, nil) {
				return
			}
		}
	}
	c, err = Create(ctx, b, c, nil, New{Partitions: []string{FilesPartition, RecordIndexPartition}, Present: Changes{Keys: placed}})
	if err != nil {
		tb.Fatal(err)
	}
	m, err := Open(ctx, b, c, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestLocateManyKeys(t *testing.T) {
	m := manyKeys(t, storage.NewMem(), 30_000)
	var keys []string
	for i := 0; i < 30_000; i += 30 {
		keys = append(keys, fmt.Sprintf("trip-%015d", i), fmt.Sprintf("trap-%015d", i))
	}
	found, err := m.Locate(context.Background(), keys)
	if err != nil || len(found) != 1000 {
		t.Errorf("%d keys are found, want 1000: %v", len(found), err)
	}
}

func BenchmarkLocate(b *testing.B) {
	m := manyKeys(b, storage.NewMem(), 1_000_000)
	var keys []string
	for i := range 1000 {
		keys = append(keys, fmt.Sprintf("trip-%015d", i*997))
	}
	for b.Loop() {
		if found, err := m.Locate(context.Background(), keys); err != nil || len(found) != len(keys) {
			b.Fatal(len(found), err)
		}
	}
}
