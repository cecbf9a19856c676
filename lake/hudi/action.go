package hudi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
)

// action is a write on the timeline that is not completed yet, with what it has written so far.
type action struct {
	table     *Table
	seen      *timeline.Timeline // when the write began; conflicts are with what came since
	instant   timeline.Instant
	token     string // of log files whose names do not have the instant: numbers that no other write has
	operation operation
	stats     []timeline.WriteStat
	replaced  map[string][]string // file ids by partition; nil unless the action replaces
	groups    map[timeline.FileGroup]bool
	made      []madeFile // what the metadata table must be told
	gone      []string   // keys of deleted rows, where a record index is kept
	forgot    bool       // gone lacks some: there was no record index when the write began
	heart     *timeline.Heartbeat

	mu     sync.Mutex
	names  map[string]madeName // by file name
	files  []string            // data files that may exist
	parts  map[string]bool     // partitions that have their metadata file
	failed error               // of a marker
}

// madeName is what is known of a base file before it is written.
type madeName struct {
	partition, fileID string
	number            int
	former            *baseFile // of the group; nil for a new one
	key               string
	observer          *keyIndex
}

// begin puts a write on the timeline.
func (x *tx) begin(ctx context.Context, kind timeline.Action, op operation) (*action, error) {
	if x.act != nil {
		return x.act, nil
	}
	if err := x.make(ctx); err != nil {
		return nil, err
	}
	lock, err := x.table.lock(ctx, x.options)
	if err != nil {
		return nil, err
	}
	defer lock.unlock(ctx)
	now, err := x.table.timeline(ctx)
	if err != nil {
		return nil, err
	}
	var plan timeline.Record
	if kind == timeline.ReplaceCommit {
		plan = &timeline.ReplacePlan{}
	}
	a := &action{table: x.table, seen: x.base.timeline, operation: op, names: map[string]madeName{}, parts: map[string]bool{},
		groups: map[timeline.FileGroup]bool{}}
	if a.seen == nil {
		a.seen = now
	}
	a.token = fmt.Sprintf("0-%d-%d", rand.Int32(), rand.Int32())
	if a.instant, err = now.Request(ctx, kind, time.Now(), plan); err != nil {
		return nil, err
	}
	x.act = a
	if kind == timeline.ReplaceCommit {
		a.replaced = map[string][]string{}
	}
	if a.heart, err = timeline.StartHeartbeat(ctx, x.table.bucket, a.instant.Time, pulseOf(x.options)); err != nil {
		return nil, err
	}
	a.instant, err = now.Begin(ctx, a.instant, a.expected())
	return a, err
}

// expected is what the inflight file says: a write of unknown size.
func (a *action) expected() *timeline.CommitMetadata {
	m := &timeline.CommitMetadata{PartitionToWriteStats: map[string][]timeline.WriteStat{}, ExtraMetadata: map[string]string{}, OperationType: string(a.operation)}
	if a.replaced != nil {
		m.PartitionToReplaceFileIDs = map[string][]string{}
	}
	return m
}

// sequence is what the numbers of new rows in a file start with.
func (a *action) sequence(name string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.instant.Time + "_" + strconv.Itoa(a.names[name].number) + "_"
}

// nameBase gives the next base file of a group its name, and marks it. An empty fileID is that of a new group.
func (a *action) nameBase(ctx context.Context, partition, fileID, key string, former *baseFile, observer *keyIndex) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	kind := timeline.MergeMarker
	if former == nil {
		fileID, kind = cmp.Or(fileID, uuid.NewString()+"-0"), timeline.CreateMarker
	}
	n := len(a.names)
	name := baseName{FileID: fileID, Token: strconv.Itoa(n) + "-0-0", Instant: a.instant.Time, Extension: "parquet"}
	full := path.Join(partition, name.String())
	a.names[full] = madeName{partition: partition, fileID: fileID, number: n, former: former, key: key, observer: observer}
	a.files = append(a.files, full)
	a.mark(ctx, timeline.Marker{Path: full, Type: kind})
	a.describePartition(ctx, partition)
	return full
}

// mark writes a marker before its file. The caller holds a.mu.
func (a *action) mark(ctx context.Context, m timeline.Marker) {
	if a.failed == nil {
		a.failed = timeline.Mark(ctx, a.table.bucket, a.instant.Time, m)
	}
}

// claim marks a file, and takes it for one of this write.
func (a *action) claim(ctx context.Context, m timeline.Marker) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.files = append(a.files, m.Path)
	a.mark(ctx, m)
	partition, _ := splitPath(m.Path)
	a.describePartition(ctx, partition)
}

// disclaim leaves alone a file that turned out to be another writer's.
func (a *action) disclaim(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.files = slices.DeleteFunc(a.files, func(f string) bool { return f == name })
}

// describePartition makes the partition's metadata file where there is none. The caller holds a.mu.
func (a *action) describePartition(ctx context.Context, partition string) {
	if a.failed != nil || a.parts[partition] {
		return
	}
	a.parts[partition] = true
	a.failed = a.table.describePartition(ctx, a.instant.Time, partition)
}

// name is what nameBase knows of a file.
func (a *action) name(full string) (madeName, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, ok := a.names[full]
	return n, ok
}

// failure is the error of a marker.
func (a *action) failure() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}

// touch takes a file group for this write; it can be changed once.
func (a *action) touch(partition, fileID string) error {
	g := timeline.FileGroup{Partition: partition, FileID: fileID}
	if a.groups[g] {
		return fmt.Errorf("file group %s is changed twice by one transaction", g)
	}
	a.groups[g] = true
	return nil
}

// abandon removes what the write has made: its files first, its instant next, the markers last, so that after a crash in between
// the next writer can go on.
func (a *action) abandon() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	defer a.rest(ctx)
	a.mu.Lock()
	files := a.files
	a.mu.Unlock()
	if len(files) > 0 {
		if err := a.table.bucket.Remove(ctx, files...); err != nil {
			return err
		}
		if err := a.table.settle(ctx, a.instant.Time, slices.Sorted(maps.Keys(a.parts))); err != nil {
			return err
		}
	}
	line, err := a.table.timeline(ctx)
	if err != nil {
		return err
	}
	return errors.Join(line.Remove(ctx, a.instant), timeline.RemoveMarkers(ctx, a.table.bucket, a.instant.Time))
}

// rest gives no more signs of life: what is left of the write is for others to roll back.
func (a *action) rest(ctx context.Context) {
	if a.heart != nil {
		_ = a.heart.Stop(ctx)
	}
}

// refuse makes the write fail once the engine is done; it gives a name that nobody will see.
func (a *action) refuse(err error) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed == nil {
		a.failed = err
	}
	name := ".hoodie/.temp/" + a.instant.Time + "/" + uuid.NewString()
	a.files = append(a.files, name)
	return name
}

// add takes a file into the commit.
func (a *action) add(s timeline.WriteStat, f rel.File) {
	a.stats = append(a.stats, s)
	a.made = append(a.made, madeFile{stat: s, file: f})
}

// madeFile is a data file of a write, and what is known of its columns.
type madeFile struct {
	stat timeline.WriteStat
	file rel.File
}
