package metadata

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// A Table is the metadata table of a table in the state that belongs to a state of the table. It does not change, and may be used
// from several goroutines.
type Table struct {
	bucket     storage.Bucket // the folder of the metadata table
	version    int
	config     timeline.Config
	timeline   *timeline.Timeline
	data       *timeline.Timeline
	partitions []string // that are ready
	indexes    Indexes

	own    map[string]bool // instants of its own services
	undone map[string]bool // instants of the table that were rolled back after they were written here
	// done are the instants of the table with a completed action.
	done map[string]bool

	mu     sync.Mutex
	slices map[string][]*slice
}

// Open opens the metadata table of the table in the folder table, for reading beside the timeline data of the table. It is
// [ErrNone] when the table has none, and a [*StaleError] when it lacks writes of data.
func Open(ctx context.Context, table storage.Bucket, c *config.Table, data *timeline.Timeline) (*Table, error) {
	if !slices.Contains(c.MetadataPartitions, FilesPartition) {
		return nil, ErrNone
	}
	bucket, err := storage.Sub(table, Dir)
	if err != nil {
		return nil, err
	}
	t := &Table{bucket: bucket, data: data, partitions: c.MetadataPartitions, slices: map[string][]*slice{}}
	if err := t.load(ctx); err != nil {
		return nil, err
	}
	if t.indexes, err = readIndexes(ctx, table, c.IndexDefs); err != nil {
		return nil, err
	}
	if err := t.mark(ctx); err != nil {
		return nil, err
	}
	return t, t.checkComplete(ctx)
}

// load reads the properties and the timeline of the metadata table.
func (t *Table) load(ctx context.Context) error {
	own, err := config.Load(ctx, t.bucket)
	var damaged *config.DamagedError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &StaleError{Reason: "it has no properties", Err: err}
	case errors.As(err, &damaged):
		return &StaleError{Path: config.File, Reason: "a file " + damaged.Reason}
	case err != nil && !storage.Failed(err):
		return &StaleError{Reason: "its properties cannot be used", Err: err}
	case err != nil:
		return fmt.Errorf("metadata table: %w", err)
	}
	t.version = own.Version
	t.config = timelineConfig(own)
	if t.data != nil {
		t.config.Zone = t.data.Zone
	}
	if t.timeline, err = timeline.Load(ctx, t.bucket, t.config); err != nil {
		return fmt.Errorf("metadata table: %w", err)
	}
	return nil
}

func timelineConfig(c *config.Table) timeline.Config {
	t := timeline.DefaultConfig(c.Version)
	t.Layout = c.Layout
	return t
}

// mark collects the instants that [Table.counts] asks for.
func (t *Table) mark(ctx context.Context) error {
	t.own, t.undone, t.done = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, i := range t.timeline.Completed() {
		// Compactions of the metadata table have instants of their own, and in layout 1 longer ones.
		if i.Action == timeline.Commit || len(i.Time) > 17 {
			t.own[i.Time] = true
		}
	}
	if t.data == nil {
		return nil
	}
	for _, i := range t.data.Completed() {
		t.done[i.Time] = true
		// Before layout 2 the writes that were rolled back stay here, and another takes their files out.
		if i.Action != timeline.Rollback || t.config.Layout >= 2 {
			continue
		}
		var m timeline.RollbackMetadata
		if err := t.data.Read(ctx, i, &m); err != nil {
			return err
		}
		told := i.Completion
		if here, ok := t.timeline.At(i.Time, timeline.DeltaCommit); ok && here.State == timeline.Completed {
			told = here.Completion
		}
		for _, c := range m.CommitsRollback {
			// A writer that stood still and was taken for dead may have written here behind its rollback, which then did not take that out.
			late, ok := t.timeline.At(c, timeline.DeltaCommit)
			t.undone[c] = !ok || late.Completion <= told
		}
	}
	return nil
}

// checkComplete finds writes of the table that the metadata table lacks. Those from before it was made are in it since.
func (t *Table) checkComplete(ctx context.Context) error {
	if t.data == nil {
		return nil
	}
	first := t.begin()
	for _, i := range t.data.Completed(timeline.Commit, timeline.DeltaCommit, timeline.ReplaceCommit, timeline.Clean, timeline.Rollback) {
		if i.Time < first || t.timeline.Archived(i.Time) {
			continue
		}
		if there, ok := t.timeline.Find(i.Time); ok && there.State == timeline.Completed {
			continue
		}
		changed, err := t.changesFiles(ctx, i)
		if err != nil {
			return err
		}
		if changed {
			return &StaleError{Reason: "it lacks the " + string(i.Action) + " " + i.Time + " of the table"}
		}
	}
	return nil
}

// begin is the first write of the table that the metadata table took part in; greater than all instants when there is none yet.
func (t *Table) begin() string {
	for _, i := range t.timeline.Completed() {
		if !strings.HasPrefix(i.Time, initPrefix) {
			return i.Time
		}
	}
	return "~"
}

// changesFiles reports whether an action of the table added or removed files.
func (t *Table) changesFiles(ctx context.Context, i timeline.Instant) (bool, error) {
	switch i.Action {
	case timeline.Clean:
		var m timeline.CleanMetadata
		err := t.data.Read(ctx, i, &m)
		return m.TotalFilesDeleted > 0, err
	case timeline.Rollback:
		if t.config.Layout >= 2 { // what it undid counts for nothing here either
			return false, nil
		}
		var m timeline.RollbackMetadata
		err := t.data.Read(ctx, i, &m)
		return m.TotalFilesDeleted > 0, err
	}
	return true, nil
}

// Version is the table version of the metadata table.
func (t *Table) Version() int { return t.version }

// BoundsVersion is the table version whose form the bounds of columns have. Hudi 1.1 does not merge bounds of two forms, and leaves a
// table that it upgrades its old ones: the definition of the index tells.
func (t *Table) BoundsVersion() int {
	if t.version >= 9 && t.indexes[ColumnStatsPartition].Version == "V1" {
		return 8
	}
	return t.version
}

// Has reports whether a partition of the metadata table is ready.
func (t *Table) Has(partition string) bool { return slices.Contains(t.partitions, partition) }

// groups are the file groups of a partition, by number.
func (t *Table) groups(ctx context.Context, partition string) ([]*slice, error) {
	if !t.Has(partition) {
		return nil, fmt.Errorf("%s: %w", partition, ErrNone)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s, ok := t.slices[partition]; ok {
		return s, nil
	}
	s, err := t.listSlices(ctx, partition)
	if err != nil {
		return nil, err
	}
	if len(s) == 0 {
		return nil, &StaleError{Path: partition, Reason: "there are no file groups"}
	}
	t.slices[partition] = s
	return s, nil
}
