package hudi

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// Snapshot is the state of a table after one of its instants. It never changes.
type Snapshot struct {
	table    *Table
	config   *config.Table
	timeline *timeline.Timeline
	instant  string // the last one that counts; "" when there is none
	slices   []*fileSlice
	schema   types.Struct // with the meta columns
	history  *schemaHistory
	metadata *metadata.Table // that named the files; nil when they were listed
	meta     *lake.Meta
	reading  reading
	view     *seen             // which writes count
	gone     map[groupKey]bool // file groups that were replaced

	read map[string]*timeline.CommitMetadata // by instant, while the snapshot is made
}

// reading says how the slices of a snapshot are read.
type reading struct {
	optimized bool            // base files only
	changed   map[string]bool // only rows of these writes; nil: all rows
	after     string          // with before: rows of writes between the two count as changed too
	before    string          // "": none
	noPruning bool            // read files also where statistics say that no row is wanted
	keep      *int64          // bytes of logs that are folded once and kept; nil: keptLogs
	byKey     bool            // logs are merged by keys even where their blocks have positions
}

// Snapshot is the table as at says. A version is an instant; a time means the last instant that was requested until then.
func (t *Table) Snapshot(ctx context.Context, at lake.At) (lake.Snapshot, error) {
	s, err := t.snapshot(ctx, asOf(t, at), reading{}, nil)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// asOf is at as an instant; "" is the latest.
func asOf(t *Table, at lake.At) string {
	switch {
	case at.Version != nil:
		return strconv.FormatInt(*at.Version, 10)
	case at.Time != nil:
		return timeline.FormatTime(*at.Time, t.zone())
	}
	return ""
}

// snapshot is the table as of an instant, "" for the latest. Options are those of the reader.
func (t *Table) snapshot(ctx context.Context, instant string, r reading, options map[string]string) (*Snapshot, error) {
	s := &Snapshot{table: t, config: t.config, reading: r}
	files, err := s.load(ctx, options)
	if err != nil {
		return nil, err
	}
	commits := s.timeline.Commits()
	if instant != "" {
		if commits, err = s.until(ctx, instant); err != nil {
			return nil, err
		}
	}
	v := &seen{timeline: s.timeline, until: instant}
	return s, s.build(ctx, files, v, commits)
}

// build finds the slices, the schema and the description of s: the files that v sees, after commits.
func (s *Snapshot) build(ctx context.Context, files groups, v *seen, commits []timeline.Instant) error {
	s.view = v
	if n := len(commits); n > 0 {
		s.instant = commits[n-1].Time
	}
	replaced, err := s.replaced(ctx, commits)
	if err != nil {
		return err
	}
	s.gone = replaced
	byBase := s.config.Version < 8
	if !byBase {
		if err := v.recall(ctx, files); err != nil {
			return s.table.fail("read the archived timeline of", "", err)
		}
	}
	for _, g := range files.sorted() {
		if replaced[groupKey{g.partition, g.id}] {
			continue
		}
		if slice := g.slice(v, byBase); slice != nil {
			slice.Number = int64(len(s.slices))
			s.slices = append(s.slices, slice)
		}
	}
	if err := s.describe(ctx, commits); err != nil {
		return err
	}
	s.read = nil
	return nil
}

// seen is a view of a timeline up to an instant, "" for all of it.
type seen struct {
	timeline  *timeline.Timeline
	until     string            // by the time of requests
	completed string            // by the time of completion; "": no bound
	below     string            // as completed, without the bound itself
	archived  map[string]string // when writes of log files were completed that have left the timeline
}

// recall looks up when writes of log files were completed that have left the timeline: they may lie on base files that were
// requested after them.
func (v *seen) recall(ctx context.Context, files groups) error {
	from, to := "", ""
	for _, g := range files {
		for _, l := range g.logs {
			if l.CDC || len(g.logs)+len(g.bases) == 1 || !v.timeline.Archived(l.Instant) {
				continue
			}
			if from == "" || l.Instant < from {
				from = l.Instant
			}
			to = max(to, l.Instant)
		}
	}
	if from == "" {
		return nil
	}
	list, err := v.timeline.ReadArchive(ctx, from, to)
	if err != nil {
		return err
	}
	v.archived = map[string]string{}
	for _, a := range list {
		v.archived[a.Time] = a.Completion
	}
	return nil
}

func (v *seen) committed(instant string) bool {
	if v.until != "" && instant > v.until {
		return false
	}
	done, ok := v.timeline.CompletionOf(instant)
	return ok && (v.completed == "" || done <= v.completed) && (v.below == "" || done < v.below)
}

func (v *seen) completion(instant string) string {
	if done := v.archived[instant]; done != "" && v.timeline.Archived(instant) {
		return done
	}
	done, _ := v.timeline.CompletionOf(instant)
	return done
}

// tries bounds how often files are listed while others remove some.
const tries = 10

// load reads the timeline, and lists the files so that none that the timeline needs was removed meanwhile.
func (s *Snapshot) load(ctx context.Context, options map[string]string) (groups, error) {
	line, err := s.table.timeline(ctx)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		s.timeline = line
		files, err := s.list(ctx, options)
		if err != nil {
			return nil, err
		}
		if line, err = s.table.timeline(ctx); err != nil {
			return nil, err
		}
		if sameRemovals(s.timeline, line) {
			return files, nil
		}
		if try == tries {
			return nil, &lake.Error{Op: "list the files of", Path: s.table.path, Hint: "Run the statement again when fewer cleans and rollbacks run.",
				Err: fmt.Errorf("files were removed during each of %d listings", tries)}
		}
	}
}

// sameRemovals reports whether no action began or ended that removes files.
func sameRemovals(a, b *timeline.Timeline) bool {
	of := []timeline.Action{timeline.Clean, timeline.Rollback, timeline.Restore}
	return fmt.Sprint(a.Completed(of...), a.Pending(of...)) == fmt.Sprint(b.Completed(of...), b.Pending(of...))
}

// list collects the data files of the table: from its metadata table, where it has one that can be relied upon and the options do not
// forbid it, else by listing the folder.
func (s *Snapshot) list(ctx context.Context, options map[string]string) (groups, error) {
	if !strings.EqualFold(options[optMetadata], "false") {
		files, err := s.listMetadata(ctx)
		if err == nil || ctx.Err() != nil {
			return files, err
		}
	}
	s.metadata = nil
	files, err := listFiles(ctx, s.table.bucket)
	if err != nil {
		return nil, s.table.fail("list the files of", "", err)
	}
	return files, nil
}

// listMetadata collects the data files that the metadata table names.
func (s *Snapshot) listMetadata(ctx context.Context) (groups, error) {
	m, err := metadata.Open(ctx, s.table.bucket, s.config, s.timeline)
	if err != nil {
		return nil, err
	}
	partitions, err := m.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	files, err := m.Files(ctx, partitions...)
	if err != nil {
		return nil, err
	}
	g := groups{}
	for partition, sizes := range files {
		for name, size := range sizes {
			path := name
			if partition != "" {
				path = partition + "/" + name
			}
			if err := storage.CheckName(path); err != nil {
				return nil, err
			}
			if !g.add(storage.Info{Name: path, Size: size}) {
				return nil, &metadata.StaleError{Reason: fmt.Sprintf("it has the file %q", path)}
			}
		}
	}
	if err := s.checkNewest(ctx, g); err != nil {
		return nil, err
	}
	s.metadata = m
	return g, nil
}

// checkNewest finds files that the newest commit wrote and that are not among files.
func (s *Snapshot) checkNewest(ctx context.Context, files groups) error {
	last, ok := s.timeline.Last()
	if !ok {
		return nil
	}
	m, err := s.commit(ctx, last)
	if err != nil {
		return err
	}
	for partition, stats := range m.PartitionToWriteStats {
		for _, st := range stats {
			if g := files[groupKey{partition, st.FileID}]; st.Path != "" && (g == nil || !g.has(st.Path)) {
				return &metadata.StaleError{Reason: "it lacks the file " + st.Path}
			}
		}
	}
	return nil
}

// commit is what a completed commit says.
func (s *Snapshot) commit(ctx context.Context, i timeline.Instant) (*timeline.CommitMetadata, error) {
	if m, ok := s.read[i.Time]; ok {
		return m, nil
	}
	m, err := s.timeline.ReadCommit(ctx, i)
	if err != nil {
		return nil, s.table.fail("read a commit of", "", err)
	}
	if s.read == nil {
		s.read = map[string]*timeline.CommitMetadata{}
	}
	s.read[i.Time] = m
	return m, nil
}

// until is the commits of the table's state as of an instant. It is an error when files of that state may be gone.
func (s *Snapshot) until(ctx context.Context, instant string) ([]timeline.Instant, error) {
	refuse := func(hint, format string, args ...any) error {
		return &lake.Error{Op: "read", Path: s.table.path, Hint: hint, Err: fmt.Errorf(format, args...)}
	}
	commits := s.timeline.AsOf(instant)
	if len(commits) == 0 {
		first := s.timeline.Commits()
		if len(first) == 0 {
			return nil, refuse("", "the table has no commit as of %s", instant)
		}
		return nil, refuse("The first commit on the timeline is "+first[0].Time+".", "the table has no commit as of %s", instant)
	}
	kept, err := s.earliestKept(ctx)
	if err != nil {
		return nil, err
	}
	if kept != "" && instant < kept && !s.saved(commits[len(commits)-1].Time) {
		return nil, refuse("Read an instant from "+kept+" on, or retain more commits when cleaning.",
			"the files of the table as of %s are cleaned up", instant)
	}
	return commits, nil
}

func (s *Snapshot) saved(instant string) bool {
	i, ok := s.timeline.At(instant, timeline.Savepoint)
	return ok && i.State == timeline.Completed
}

// earliestKept is the first instant whose files the last clean has left alone; "" when there was none.
func (s *Snapshot) earliestKept(ctx context.Context) (string, error) {
	cleans := s.timeline.Completed(timeline.Clean)
	if len(cleans) == 0 {
		return "", nil
	}
	var m timeline.CleanMetadata
	if err := s.timeline.Read(ctx, cleans[len(cleans)-1], &m); err != nil {
		return "", s.table.fail("read a clean of", "", err)
	}
	return m.EarliestCommitToRetain, nil
}

// replaced is the file groups that commits have replaced by others.
func (s *Snapshot) replaced(ctx context.Context, commits []timeline.Instant) (map[groupKey]bool, error) {
	out := map[groupKey]bool{}
	for _, i := range commits {
		if i.Action != timeline.ReplaceCommit {
			continue
		}
		m, err := s.commit(ctx, i)
		if err != nil {
			return nil, err
		}
		for partition, ids := range m.PartitionToReplaceFileIDs {
			for _, id := range ids {
				out[groupKey{partition, id}] = true
			}
		}
	}
	return out, nil
}

// Meta describes the table at this instant.
func (s *Snapshot) Meta() *lake.Meta { return s.meta }

// Version is the last instant that counts, as a number; 0 for a table without commits.
func (s *Snapshot) Version() int64 {
	n, _ := strconv.ParseInt(s.instant, 10, 64)
	return n
}

// Detail counts base files and logs.
func (s *Snapshot) Detail() lake.Detail {
	var d lake.Detail
	for _, slice := range s.slices {
		if slice.Base != nil {
			d.Files++
			d.Bytes += slice.Base.Size
		}
		d.Files += int64(len(slice.Logs))
		for _, l := range slice.Logs {
			d.Bytes += l.Size
		}
	}
	d.LastModified = s.time()
	return d
}

// time is when the last instant was requested; zero for a table without commits.
func (s *Snapshot) time() time.Time {
	at, err := timeline.ParseTime(s.instant, s.table.zone())
	if err != nil {
		return time.Time{}
	}
	return at
}

var _ lake.Snapshot = (*Snapshot)(nil)
