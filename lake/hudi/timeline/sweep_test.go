package timeline

import (
	"slices"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// TestSweep removes what killed writers left, and nothing of a pending instant or of the table.
func TestSweep(t *testing.T) {
	ctx, m := t.Context(), storage.NewMem()
	kept := []string{
		".hoodie/.heartbeat/20240101000000002", ".hoodie/.temp/20240101000000002/p/MARKERS0",
		".hoodie/20240101000000001.commit", ".hoodie/20240101000000001.commit.requested", ".hoodie/20240101000000001.inflight",
		".hoodie/20240101000000002.commit.requested", ".hoodie/hoodie.properties", ".hoodie/lock", "p/a.parquet",
	}
	for _, name := range append([]string{
		".hoodie/.heartbeat/20240101000000000", ".hoodie/.heartbeat/20240101000000001", ".hoodie/.temp/20240101000000001/p/MARKERS0",
		".hoodie/.temp/20240101000000000/a.parquet.marker.CREATE", ".hoodie/lock.release", ".hoodie/lock.release-0123456789abcdef",
	}, kept...) {
		if err := storage.WriteFile(ctx, m, name, storage.Exclusive, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	line, err := Load(ctx, m, DefaultConfig(6))
	if err != nil {
		t.Fatal(err)
	}
	all, _ := list(ctx, m, "")
	for _, c := range []struct {
		before time.Time
		want   []string
	}{{time.Now().Add(-time.Hour), all}, {time.Now().Add(time.Hour), kept}} {
		if err := Sweep(ctx, m, line, c.before); err != nil {
			t.Fatal(err)
		}
		if got, _ := list(ctx, m, ""); !slices.Equal(got, c.want) {
			t.Errorf("left\n%q, want\n%q", got, c.want)
		}
	}
}
