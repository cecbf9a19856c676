package corpus

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/delta"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
)

// open opens a table of the corpus.
func open(t *testing.T, c table) lake.Table {
	t.Helper()
	bucket, err := storage.OpenLocal(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	f := &delta.Format{AllowedRoots: []string{filepath.Dir(filepath.Dir(c.dir))}}
	if c.String() == "golden/data-reader-partition-values" {
		zone, err := time.LoadLocation("America/Los_Angeles") // of the machine that wrote it, as its expected rows tell
		if err != nil {
			t.Fatal(err)
		}
		f.Zone = zone
	}
	table, err := f.Open(context.Background(), lake.Entry{Location: c.dir, Bucket: bucket})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// wantAll asks for all columns of a snapshot.
func wantAll(s lake.Snapshot) rel.Want {
	var w rel.Want
	for _, f := range s.Meta().Schema.Fields {
		w.Columns = append(w.Columns, rel.Column{ID: rel.NewID(), Name: f.Name, Type: f.Type, Nullable: f.Nullable})
	}
	return w
}

// unreadable are the tables that are refused on purpose, with the class of the refusal.
var unreadable = map[string]string{
	"golden/deltalog-invalid-protocol-version": "DELTA_INVALID_PROTOCOL_VERSION",
	"kernel/unshredded-variant":                "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
	"misc/catalog-owned-preview":               "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
	"generated/variant":                        "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
	"generated/variant_shredded":               "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
}

// firstVersion is the first version that can still be read, where it is not 0.
var firstVersion = map[string]int64{"dat/no_replay": 2}

// TestDeltaStates loads every version of every table, scans it without an engine, and compares the rows that the log counts
// with those of the table's origin.
func TestDeltaStates(t *testing.T) {
	versions, counted := 0, 0
	for _, c := range deltaTables(t) {
		t.Run(c.String(), func(t *testing.T) {
			n, m := loadVersions(t, c)
			versions += n
			counted += m
		})
	}
	t.Logf("%d versions loaded, the rows of %d counted", versions, counted)
}

func loadVersions(t *testing.T, c table) (loaded, counted int) {
	ctx, table := context.Background(), open(t, c)
	latest, err := table.Snapshot(ctx, lake.At{})
	if class := unreadable[c.String()]; class != "" {
		var e *lake.Error
		if !errors.As(err, &e) || e.Class != class {
			t.Errorf("got %v, want %s", err, class)
		}
		return 0, 0
	}
	if err != nil {
		t.Fatal(err)
	}
	for v := firstVersion[c.String()]; v <= latest.Version(); v++ {
		s, err := table.Snapshot(ctx, lake.At{Version: &v})
		if err != nil {
			t.Errorf("version %d: %v", v, err)
			continue
		}
		loaded++
		n, err := s.Scan(ctx, wantAll(s))
		if err != nil {
			t.Errorf("version %d: %v", v, err)
			continue
		}
		rows, ok := countRows(scanIn(n))
		if c.manifest == nil || !ok {
			continue
		}
		if want := c.manifest.Versions[strconv.FormatInt(v, 10)].Rows; want != nil {
			counted++
			if rows != *want {
				t.Errorf("version %d: %d rows, want %d", v, rows, *want)
			}
		}
	}
	return loaded, counted
}

// countRows adds the rows that the log claims for each file.
func countRows(s *rel.Scan) (rows int64, ok bool) {
	for _, f := range s.Files {
		if f.Rows < 0 {
			return 0, false
		}
		rows += f.Rows
		if f.Hidden != nil {
			rows -= int64(f.Hidden.Len())
		}
	}
	return rows, true
}

// scanIn is the scan that a snapshot answered with, below what it computes from stored values.
func scanIn(n rel.Node) *rel.Scan {
	if p, ok := n.(*rel.Project); ok {
		n = p.In
	}
	return n.(*rel.Scan)
}
