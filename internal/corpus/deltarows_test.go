package corpus

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/engine/duckdb"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
)

func newEngine(t *testing.T) engine.Engine {
	t.Helper()
	x, err := duckdb.Open(duckdb.Options{Memory: 512 << 20, Threads: 2, Spill: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// otherRows are versions that are read otherwise than Spark does, and why.
var otherRows = map[string]string{
	"generated/char_varchar": "a char inside an array comes unpadded",
}

// TestDeltaRows reads every version with known rows and compares them.
func TestDeltaRows(t *testing.T) {
	ctx, x := context.Background(), newEngine(t)
	tables, versions := 0, 0
	for _, c := range deltaTables(t) {
		if unreadable[c.String()] != "" || otherRows[c.String()] != "" {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			table := open(t, c)
			cases := expectations(t, c)
			if len(cases) > 0 {
				tables++
			}
			for _, e := range cases {
				s, err := table.Snapshot(ctx, e.at)
				if err != nil {
					t.Errorf("%s: %v", e.name, err)
					continue
				}
				got, err := query(ctx, x, s, wantAll(s))
				if err != nil {
					t.Errorf("%s: %v", e.name, err)
					continue
				}
				want, err := e.rows(ctx, x, s)
				if err != nil {
					t.Errorf("%s: expected rows: %v", e.name, err)
					continue
				}
				versions++
				compareRows(t, e.name, got, want)
			}
		})
	}
	t.Logf("%d tables, %d versions read", tables, versions)
}

func compareRows(t *testing.T, name string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range max(len(got), len(want)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("%s: %d rows, want %d; row %d:\ngot  %.1000s\nwant %.1000s", name, len(got), len(want), i, g, w)
			return
		}
	}
}

func query(ctx context.Context, x engine.Engine, s rel.Relation, w rel.Want) ([]string, error) {
	n, err := s.Scan(ctx, w)
	if err != nil {
		return nil, err
	}
	r, err := x.Query(ctx, n)
	if err != nil {
		return nil, err
	}
	return rowTexts(r)
}

// expectation is the rows that a version must have.
type expectation struct {
	name string
	at   lake.At
	rows func(ctx context.Context, x engine.Engine, s lake.Snapshot) ([]string, error)
}

func expectations(t *testing.T, c table) []expectation {
	t.Helper()
	var out []expectation
	switch c.set {
	case "generated":
		for _, f := range entries(t, c.expected) {
			var v int64
			if n, _ := fmt.Sscanf(f, "v%d.jsonl", &v); n == 1 && f == fmt.Sprintf("v%d.jsonl", v) {
				want := expectedRows(t, filepath.Join(c.expected, f))
				out = append(out, expectation{f, lake.At{Version: &v}, func(context.Context, engine.Engine, lake.Snapshot) ([]string, error) { return want, nil }})
			}
		}
	case "dat":
		for _, f := range entries(t, c.expected) {
			e := expectation{name: f, rows: parquetRows(filepath.Join(c.expected, f, "table_content"))}
			var v int64
			if n, _ := fmt.Sscanf(f, "v%d", &v); n == 1 {
				e.at.Version = &v
			}
			out = append(out, e)
		}
	default:
		if _, err := os.Stat(c.expected); err == nil {
			out = append(out, expectation{name: "latest", rows: parquetRows(c.expected)})
		}
	}
	return out
}

// parquetRows reads the rows of a folder of Parquet files with the columns of a snapshot.
func parquetRows(dir string) func(context.Context, engine.Engine, lake.Snapshot) ([]string, error) {
	return func(ctx context.Context, x engine.Engine, s lake.Snapshot) ([]string, error) {
		bucket, err := storage.OpenLocal(dir)
		if err != nil {
			return nil, err
		}
		scan := &rel.Scan{Format: "parquet"}
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".parquet") {
				name, _ := filepath.Rel(dir, path)
				scan.Files = append(scan.Files, rel.File{Bucket: bucket, Path: name, ID: int64(len(scan.Files)), Rows: -1})
			}
			return err
		})
		for _, col := range wantAll(s).Columns {
			scan.Cols = append(scan.Cols, rel.ScanColumn{Column: col, From: rel.InFile, File: col.Field()})
		}
		if err != nil {
			return nil, err
		}
		r, err := x.Query(ctx, scan)
		if err != nil {
			return nil, err
		}
		return rowTexts(r)
	}
}
