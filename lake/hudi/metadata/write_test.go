package metadata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// A world is a table without data files, and what its metadata table has to say.
type world struct {
	bucket     storage.Bucket
	version    int
	partitions []string
	files      map[string]map[string]int64
	bounds     map[FileRef]Bounds
	keys       map[string]Location
	now        time.Time
	random     *rand.Rand
}

func newWorld(t *testing.T, b storage.Bucket, version int, partitions ...string) *world {
	t.Helper()
	p, err := config.New{Name: "t", Version: version, Type: config.MergeOnRead, RecordKey: []string{"id"}, UTC: true}.Properties()
	if err == nil {
		_, err = config.Create(context.Background(), b, p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &world{bucket: b, version: version, partitions: partitions, files: map[string]map[string]int64{}, bounds: map[FileRef]Bounds{},
		keys: map[string]Location{}, now: time.Now().UTC().Truncate(time.Minute), random: rand.New(rand.NewPCG(7, 9))}
}

func (w *world) load(ctx context.Context) (*config.Table, *timeline.Timeline, error) {
	c, err := config.Load(ctx, w.bucket)
	if err != nil {
		return nil, nil, err
	}
	tl, err := timeline.Load(ctx, w.bucket, timelineConfig(c))
	return c, tl, err
}

// change makes up a write at an instant.
func (w *world) change(instant string) Changes {
	partition := fmt.Sprintf("p=%d", w.random.IntN(3))
	var c Changes
	placed := map[string]*Location{}
	for range 1 + w.random.IntN(3) {
		id := uuid.NewString() + "-0"
		f := FileRef{partition, id + "_0-0-0_" + instant + ".parquet"}
		low := int64(w.random.IntN(100))
		c.Added = append(c.Added, NewFile{FileRef: f, Size: int64(100 + w.random.IntN(100)), Bounds: []Bounds{
			{Column: "id", Type: types.Long, Min: low, Max: low + int64(w.random.IntN(9)), Values: 10, Nulls: 1},
			{Column: "none", Type: types.String, Values: 10, Nulls: 10}}, Filter: &Bloom{Kind: "DYNAMIC_V0", Filter: []byte("x")}})
		for range 5 {
			placed[fmt.Sprintf("key-%d", w.random.IntN(60))] = &Location{Partition: partition, FileID: id, Instant: 5, Position: -1}
		}
	}
	if old := sortedKeys(w.files[partition]); len(old) > 3 {
		c.Removed = append(c.Removed, FileRef{partition, old[0]})
	}
	goneKey := fmt.Sprintf("key-%d", w.random.IntN(60))
	if placed[goneKey] == nil {
		placed[goneKey] = nil
	}
	c.Keys = func(yield func(PlacedKey, error) bool) {
		for _, k := range sortedKeys(placed) {
			if !yield(PlacedKey{k, placed[k]}, nil) {
				return
			}
		}
	}
	c.Live = func(p string) []string {
		live := map[string]bool{}
		for name := range w.files[p] {
			live[name] = true
		}
		for _, f := range c.Added {
			live[f.Name] = true
		}
		for _, f := range c.Removed {
			delete(live, f.Name)
		}
		return sortedKeys(live)
	}
	return c
}

// apply notes that a write was done.
func (w *world) apply(c Changes) {
	for p := range c.Keys {
		if delete(w.keys, p.Key); p.At != nil {
			w.keys[p.Key] = *p.At
		}
	}
	for _, f := range c.Added {
		if w.files[f.Partition] == nil {
			w.files[f.Partition] = map[string]int64{}
		}
		w.files[f.Partition][f.Name] = f.Size
		w.bounds[f.FileRef] = f.Bounds[0]
	}
	for _, f := range c.Removed {
		delete(w.files[f.Partition], f.Name)
		delete(w.bounds, f)
	}
}

// write does a write: its instant, what the metadata table keeps of it, its completion.
func (w *world) write(ctx context.Context) error {
	c, tl, err := w.load(ctx)
	if err != nil {
		return err
	}
	w.now = w.now.Add(time.Minute)
	if len(c.MetadataPartitions) == 0 {
		if c, err = Create(ctx, w.bucket, c, tl, New{Partitions: w.partitions, Columns: []string{"id", "none"}}); err != nil {
			return err
		}
	}
	i, err := tl.Request(ctx, timeline.DeltaCommit, w.now, nil)
	if err != nil {
		return err
	}
	if i, err = tl.Begin(ctx, i, nil); err != nil {
		return err
	}
	if tl, err = timeline.Load(ctx, w.bucket, timelineConfig(c)); err != nil {
		return err
	}
	m, err := Begin(ctx, w.bucket, c, tl)
	if err != nil {
		return err
	}
	m.clock = func() time.Time { return w.now }
	if err := m.Maintain(ctx, i.Time); err != nil {
		return err
	}
	change := w.change(i.Time)
	if err := m.Commit(ctx, i.Time, change); err != nil {
		return err
	}
	_, err = tl.Complete(ctx, i, w.now, &timeline.CommitMetadata{PartitionToWriteStats: map[string][]timeline.WriteStat{}, ExtraMetadata: map[string]string{}, OperationType: "UPSERT"})
	if err != nil {
		return err
	}
	w.apply(change)
	if tl, err = timeline.Load(ctx, w.bucket, timelineConfig(c)); err == nil {
		_, err = tl.ArchiveOld(ctx, timeline.Archival{Min: 12, Max: 16})
	}
	return err
}

// check compares the metadata table with what it has to say.
func (w *world) check(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	c, tl, err := w.load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Open(ctx, w.bucket, c, tl)
	if err != nil {
		t.Fatal(err)
	}
	partitions, err := m.Partitions(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if want := sortedKeys(w.files); !slices.Equal(partitions, want) {
		t.Fatalf("partitions %q, want %q", partitions, want)
	}
	files, err := m.Files(ctx, partitions...)
	if err != nil || !reflect.DeepEqual(files, w.files) {
		t.Fatalf("files %v (%v)\nwant %v", files, err, w.files)
	}
	w.checkBounds(t, m)
	if m.Has(RecordIndexPartition) {
		var asked []string
		for i := range 60 {
			asked = append(asked, fmt.Sprintf("key-%d", i))
		}
		if got, err := m.Locate(ctx, asked); err != nil || !reflect.DeepEqual(got, w.keys) {
			t.Fatalf("keys %v (%v)\nwant %v", got, err, w.keys)
		}
	}
}

func (w *world) checkBounds(t *testing.T, m *Table) {
	t.Helper()
	ctx := context.Background()
	for p, files := range w.files {
		var refs []FileRef
		low, high := int64(1<<60), int64(-1)
		for name := range files {
			f := FileRef{p, name}
			refs = append(refs, f)
			low, high = min(low, w.bounds[f].Min.(int64)), max(high, w.bounds[f].Max.(int64))
		}
		if m.Has(ColumnStatsPartition) {
			got, err := m.ColumnStats(ctx, []string{"id", "none"}, refs)
			if err != nil || len(got["id"]) != len(refs) || len(got["none"]) != len(refs) {
				t.Fatalf("bounds of %d and %d of %d files: %v", len(got["id"]), len(got["none"]), len(refs), err)
			}
			for f, s := range got["id"] {
				if v, ok := s.Min.As(types.Long, s.Type); !ok || v != w.bounds[f].Min {
					t.Fatalf("%v: least id %v, want %v", f, v, w.bounds[f].Min)
				}
			}
		}
		if m.Has(PartitionStatsPartition) {
			got, err := m.stats(ctx, PartitionStatsPartition, []string{"id"}, []FileRef{{Partition: p}})
			s := got["id"][FileRef{Partition: p}]
			if err != nil || s == nil || s.Min.Int != low || s.Max.Int != high || !s.Tight {
				t.Fatalf("bounds of %s: %+v, %v; want %d to %d", p, s, err, low, high)
			}
		}
	}
}

var everything = []string{FilesPartition, ColumnStatsPartition, BloomFiltersPartition, RecordIndexPartition, PartitionStatsPartition}

func forVersions(t *testing.T, test func(t *testing.T, version int, partitions []string)) {
	for _, version := range []int{5, 6, 8, 9} {
		partitions := everything
		switch version {
		case 5:
			partitions = everything[:3]
		case 6:
			partitions = everything[:4]
		}
		t.Run(fmt.Sprintf("version %d", version), func(t *testing.T) { test(t, version, partitions) })
	}
}

func TestWritesAreReadBack(t *testing.T) {
	forVersions(t, func(t *testing.T, version int, partitions []string) {
		w := newWorld(t, storage.NewMem(), version, partitions...)
		for range 45 { // four compactions, and a clean
			if err := w.write(context.Background()); err != nil {
				t.Fatal(err)
			}
			w.check(t)
		}
		n, cleans, archived := 0, 0, false
		for info, err := range w.bucket.List(context.Background(), Dir, "") {
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(info.Name, ".clean") {
				cleans++
			}
			archived = archived || strings.Contains(info.Name, "/archived/") || strings.Contains(info.Name, "/history/")
			n++
		}
		if cleans == 0 || !archived {
			t.Errorf("%d cleans, archived: %v", cleans, archived)
		}
		t.Logf("%d files", n)
	})
}

// TestCrash stops at every operation of the store, and goes on with the next write.
func TestCrash(t *testing.T) {
	forVersions(t, func(t *testing.T, version int, partitions []string) {
		if version != 6 && version != 9 {
			t.Skip("as the other version of its layout")
		}
		start := newWorld(t, storage.NewMem(), version, partitions...)
		for _, before := range []int{0, 1, 9} { // making the table, a plain write, a compaction
			for range before {
				if err := start.write(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			for after := 0; ; after++ {
				w := start.copy(t)
				mem := w.bucket
				stop := errors.New("stop")
				w.bucket = &stopping{Bucket: mem, left: after, err: stop}
				err := w.write(context.Background())
				w.bucket = mem
				if err == nil {
					t.Logf("%d operations", after)
					break
				}
				if !errors.Is(err, stop) {
					t.Fatalf("stopped at %d: %v", after, err)
				}
				w.rollBack(t)
				if err := w.write(context.Background()); err != nil {
					t.Fatalf("after a stop at %d: %v", after, err)
				}
				w.check(t)
			}
		}
	})
}

// copy is a world of its own in the same state.
func (w *world) copy(t *testing.T) *world {
	t.Helper()
	ctx := context.Background()
	out := *w
	out.bucket = storage.NewMem()
	for info, err := range w.bucket.List(ctx, "", "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := storage.ReadFile(ctx, w.bucket, info.Name, 1<<30)
		if err == nil {
			err = storage.WriteFile(ctx, out.bucket, info.Name, storage.Replace, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out.files = map[string]map[string]int64{}
	for p, files := range w.files {
		out.files[p] = maps.Clone(files)
	}
	out.bounds, out.keys = maps.Clone(w.bounds), maps.Clone(w.keys)
	out.random = rand.New(rand.NewPCG(11, 13))
	return &out
}

// rollBack takes out writes that were not completed, as the next writer does.
func (w *world) rollBack(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	c, tl, err := w.load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range tl.Pending() {
		if len(c.MetadataPartitions) > 0 {
			m, err := Begin(ctx, w.bucket, c, tl)
			if err == nil {
				err = m.Undo(ctx, i.Time, "", Changes{})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := tl.Remove(ctx, i); err != nil {
			t.Fatal(err)
		}
	}
}

// stopping is a bucket that changes nothing more after some operations.
type stopping struct {
	storage.Bucket
	left int
	err  error
}

func (b *stopping) use() error {
	if b.left--; b.left < 0 {
		return b.err
	}
	return nil
}

func (b *stopping) Create(ctx context.Context, name string, m storage.Mode) (io.WriteCloser, error) {
	if err := b.use(); err != nil {
		return nil, err
	}
	return b.Bucket.Create(ctx, name, m)
}

func (b *stopping) Remove(ctx context.Context, names ...string) error {
	for i := range names {
		if err := b.use(); err != nil {
			return errors.Join(err, b.Bucket.Remove(ctx, names[:i]...))
		}
	}
	return b.Bucket.Remove(ctx, names...)
}

// TestOldFormOfBounds writes to a table that Hudi has upgraded to version 9: the definition of its index says that bounds stay as they were.
func TestOldFormOfBounds(t *testing.T) {
	ctx := context.Background()
	for version, old := range map[string]bool{"V1": true, "V2": false, "": false} {
		w := newWorld(t, storage.NewMem(), 9, FilesPartition, ColumnStatsPartition, PartitionStatsPartition)
		if err := w.write(ctx); err != nil {
			t.Fatal(err)
		}
		defs, err := readIndexes(ctx, w.bucket, indexFile)
		if err != nil {
			t.Fatal(err)
		}
		def := defs[ColumnStatsPartition]
		def.Version = version
		defs[ColumnStatsPartition] = def
		before := maps.Clone(w.bounds)
		if err := errors.Join(writeIndexes(ctx, w.bucket, indexFile, defs), w.write(ctx)); err != nil {
			t.Fatal(err)
		}
		c, tl, err := w.load(ctx)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Open(ctx, w.bucket, c, tl)
		if err != nil {
			t.Fatal(err)
		}
		for f := range w.bounds {
			if _, ok := before[f]; ok {
				continue
			}
			got, err := m.ColumnStats(ctx, []string{"id"}, []FileRef{f})
			if s := got["id"][f]; err != nil || s == nil || (s.Type.Ordinal == 0) != old {
				t.Errorf("%q: %+v, %v", version, s, err)
			}
		}
	}
}
