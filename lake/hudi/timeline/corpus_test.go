package timeline

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/storage"
	"github.com/twmb/avro/ocf"
)

// corpus is the folder of the Hudi corpus.
func corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TARN_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "corpus", "hudi")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no corpus: %v", err)
		}
		t.Skip("no corpus")
	}
	return dir
}

// corpusTables calls f with every table of the corpus that has a name like one
// of the patterns: its files below .hoodie by their names.
func corpusTables(t *testing.T, pattern string, f func(t *testing.T, name string, files map[string][]byte)) {
	for _, set := range []string{"tables", "generated"} {
		zips, err := filepath.Glob(filepath.Join(corpus(t), set, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, z := range zips {
			name := strings.TrimSuffix(filepath.Base(z), ".zip")
			t.Run(name, func(t *testing.T) { f(t, name, metaFiles(t, z)) })
		}
	}
}

// metaFiles are the files of the table in a zip that are below .hoodie.
func metaFiles(t *testing.T, zipped string) map[string][]byte {
	t.Helper()
	r, err := zip.OpenReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := make(map[string][]byte)
	for _, f := range r.File {
		_, name, ok := strings.Cut(f.Name, "/")
		if !ok || !strings.HasPrefix(name, ".hoodie/") || strings.HasSuffix(name, "/") || strings.HasPrefix(f.Name, "__MACOSX") || strings.HasPrefix(path.Base(name), "._") {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			t.Fatal(err)
		}
		out[name] = data
	}
	return out
}

var tableVersion = regexp.MustCompile(`(?m)^hoodie.table.version=(\d+)`)

// configOf reads what a test needs from hoodie.properties.
func configOf(t *testing.T, files map[string][]byte, base string) Config {
	t.Helper()
	m := tableVersion.FindSubmatch(files[base+".hoodie/hoodie.properties"])
	if m == nil {
		t.Fatalf("no version in %s", base)
	}
	return DefaultConfig(int(m[1][0] - '0'))
}

// bucketOf holds the files below base.
func bucketOf(t *testing.T, files map[string][]byte, base string) storage.Bucket {
	t.Helper()
	m := storage.NewMem()
	for name, data := range files {
		if rest, ok := strings.CutPrefix(name, base); ok && !strings.Contains(rest, ".hfile") && !strings.Contains(rest, ".log.") {
			if err := storage.WriteFile(t.Context(), m, rest, storage.Exclusive, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	return m
}

// bases are the table and, if it has one, its metadata table.
func bases(files map[string][]byte) []string {
	if _, ok := files[".hoodie/metadata/.hoodie/hoodie.properties"]; ok {
		return []string{"", ".hoodie/metadata/"}
	}
	return []string{""}
}

// TestCorpusTimelines loads the timeline of every table, and compares the
// completed and pending instants with the manifest that the generator wrote.
func TestCorpusTimelines(t *testing.T) {
	var manifest struct {
		Tables map[string]struct{ Instants, Pending []string }
	}
	text, err := os.ReadFile(filepath.Join(corpus(t), "generated", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	corpusTables(t, "*.zip", func(t *testing.T, name string, files map[string][]byte) {
		for _, base := range bases(files) {
			tl, err := Load(t.Context(), bucketOf(t, files, base), configOf(t, files, base))
			if err != nil {
				t.Fatal(err)
			}
			if want, ok := manifest.Tables[name]; ok && base == "" {
				var completed, pending []string
				for _, i := range tl.Instants() {
					if i.State == Completed {
						completed = append(completed, i.Name(tl.Layout))
					} else {
						for _, p := range tl.states[i.key()] {
							pending = append(pending, p.Name(tl.Layout))
						}
					}
				}
				slices.Sort(want.Instants)
				slices.Sort(pending)
				slices.Sort(want.Pending)
				if !slices.Equal(completed, want.Instants) {
					t.Errorf("completed\n%q, want\n%q", completed, want.Instants)
				}
				if !slices.Equal(pending, want.Pending) {
					t.Errorf("pending %q, want %q", pending, want.Pending)
				}
			}
			for _, i := range tl.Commits() {
				m, err := tl.ReadCommit(t.Context(), i)
				if err != nil {
					t.Fatal(err)
				}
				checkStats(t, i, m)
			}
		}
	})
}

func checkStats(t *testing.T, i Instant, m *CommitMetadata) {
	t.Helper()
	if m.OperationType == "" {
		t.Errorf("%s has no operation", i)
	}
	for p, stats := range m.PartitionToWriteStats {
		for _, s := range stats {
			if s.Partition != p || !strings.Contains(s.Path, s.FileID) || s.FileSizeInBytes == 0 || s.IsLog() != strings.Contains(s.Path, ".log.") {
				t.Errorf("%s: partition %q: %+v", i, p, s)
			}
		}
	}
}

// TestCorpusRecords decodes what every instant of every table says and encodes
// it again: the same fields of the same values, and of Avro the same schema.
func TestCorpusRecords(t *testing.T) {
	kinds := make(map[string]int)
	corpusTables(t, "*.zip", func(t *testing.T, name string, files map[string][]byte) {
		for _, base := range bases(files) {
			c := configOf(t, files, base)
			for file, data := range files {
				rest, ok := strings.CutPrefix(file, base+c.Dir+"/")
				if !ok || len(data) == 0 || strings.Contains(rest, "/") {
					continue
				}
				i, ok, err := parseName(c.Layout, rest)
				if err != nil || !ok {
					if rest != "hoodie.properties" {
						t.Errorf("%s: ok %v, %v", file, ok, err)
					}
					continue
				}
				kinds[string(i.Action)+" "+i.State.String()]++
				rec := recordOf(i)
				if err := Decode(data, rec); err != nil {
					t.Errorf("%s: %v", file, err)
					continue
				}
				again, err := Encode(rec, c.Version)
				if err != nil {
					t.Errorf("%s: %v", file, err)
					continue
				}
				if a, b := plain(t, data), plain(t, again); !reflect.DeepEqual(a, b) {
					t.Errorf("%s\n%v, encoded again\n%v", file, a, b)
				}
				if commit, ok := rec.(*CommitMetadata); ok && data[0] == '{' && unordered(commit) {
					kinds["JSON files of the same bytes"]++
					if !bytes.Equal(again, data) {
						t.Errorf("%s\n%s, encoded again\n%s", file, data, again)
					}
				}
				second := recordOf(i)
				if err := Decode(again, second); err != nil || !reflect.DeepEqual(rec, second) {
					t.Errorf("%s: decoded again %v\n%v, want\n%v", file, err, second, rec)
				}
			}
		}
	})
	t.Log(kinds)
}

// unordered says that no map of a commit has two entries, which Hudi orders by
// their hashes.
func unordered(m *CommitMetadata) bool {
	return len(m.PartitionToWriteStats) < 2 && len(m.ExtraMetadata) < 2 && len(m.PartitionToReplaceFileIDs) < 2
}

// recordOf is an empty record of the kind that an instant has.
func recordOf(i Instant) Record {
	switch {
	case i.Action == Compaction || i.Action == LogCompaction:
		return new(CompactionPlan)
	case i.State == Requested && (i.Action == ReplaceCommit || i.Action == Clustering), i.Action == Clustering:
		return new(ReplacePlan)
	case i.Action == Clean && i.State == Completed:
		return new(CleanMetadata)
	case i.Action == Clean:
		return new(CleanPlan)
	case i.Action == Rollback && i.State == Completed:
		return new(RollbackMetadata)
	case i.Action == Rollback:
		return new(RollbackPlan)
	case i.Action == Restore && i.State == Completed:
		return new(RestoreMetadata)
	case i.Action == Restore:
		return new(RestorePlan)
	case i.Action == Savepoint:
		return new(SavepointMetadata)
	case i.Action == Indexing && i.State == Completed:
		return new(IndexMetadata)
	case i.Action == Indexing:
		return new(IndexPlan)
	}
	return new(CommitMetadata)
}

// plain is what a file holds, without regard to its bytes, and its schema.
func plain(t *testing.T, data []byte) (out []any) {
	t.Helper()
	if data[0] == '{' {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		return []any{v}
	}
	r, err := ocf.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		var v any
		if err := r.Decode(&v); err == io.EOF {
			return append(out, string(r.Schema().Canonical()))
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
}
