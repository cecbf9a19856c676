package hudi

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/storage"
)

// TestCheckCorpus finds no damage in tables that Hudi made, and what failed writes have left in those that had one.
func TestCheckCorpus(t *testing.T) {
	corpusTables(t, "*", func(t *testing.T, name string, b storage.Bucket) {
		findings, err := Check(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		pending := false
		for _, f := range findings {
			if f.Severity == lake.Damage {
				t.Errorf("%v", f)
			}
			pending = pending || strings.Contains(f.What, "its writer is gone")
		}
		if strings.HasSuffix(name, "failed_write") && !pending {
			t.Error("the failed write is not found")
		}
	})
}

// TestCheckDamage damages a table in ways that the check must tell.
func TestCheckDamage(t *testing.T) {
	ctx := context.Background()
	read := func(b storage.Bucket, name string) []byte {
		data, err := storage.ReadFile(ctx, b, name, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	replace := func(b storage.Bucket, name string, data []byte) {
		if err := storage.WriteFile(ctx, b, name, storage.Replace, data); err != nil {
			t.Fatal(err)
		}
	}
	corpusTables(t, "v9_mor_compaction", func(t *testing.T, _ string, b storage.Bucket) {
		s, err := opened(t, b).snapshot(ctx, "", reading{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(s.slices, func(s *fileSlice) bool { return s.Base != nil && len(s.Logs) > 0 })
		base, log := s.slices[i].Base.Path, s.slices[i].Logs[0].Path
		for name, damage := range map[string]func(b storage.Bucket) string{
			"checksum": func(b storage.Bucket) string {
				replace(b, config.File, []byte(strings.Replace(string(read(b, config.File)), "checksum=", "checksum=9", 1)))
				return "has the checksum 9"
			},
			"missing base file": func(b storage.Bucket) string {
				if err := b.Remove(ctx, base); err != nil {
					t.Fatal(err)
				}
				return "is missing"
			},
			"short base file": func(b storage.Bucket) string { replace(b, base, read(b, base)[:100]); return "has 100 bytes" },
			"torn log": func(b storage.Bucket) string {
				replace(b, log, append(read(b, log), "#HUDI#\x00\x00"...))
				return "a write to it was interrupted"
			},
		} {
			m := b.(*storage.Mem).Clone()
			want := damage(m)
			findings, _ := Check(ctx, m)
			if !slices.ContainsFunc(findings, func(f lake.Finding) bool { return strings.Contains(f.What, want) }) {
				t.Errorf("%s: no finding says %q: %v", name, want, findings)
			}
		}
	})
}

// TestRolledBackLogs knows logs of failed writes as the metadata table has them after a rollback by Hudi 0.15.
func TestRolledBackLogs(t *testing.T) {
	const id = "d2775890-11a8-48ab-86b7-2493f66ede69-0"
	log, base := "."+id+"_20261201050311178.log.1_0-98-17", id+"_0-0-0_20261201050311178.parquet"
	for _, c := range []struct {
		d    fileDifference
		want bool
	}{
		{fileDifference{Name: log, InFolder: true, Known: true, Size: 914, KnownSize: 1}, true},
		{fileDifference{Name: log, InFolder: true, Known: true, Size: 914, KnownSize: 913}, false},
		{fileDifference{Name: log, InFolder: false, Known: true, KnownSize: 1}, false},
		{fileDifference{Name: base, InFolder: true, Known: true, Size: 914, KnownSize: 1}, false},
	} {
		if got := c.d.rolledBack(); got != c.want {
			t.Errorf("%+v: %v", c.d, got)
		}
	}
}
