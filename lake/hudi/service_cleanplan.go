package hudi

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// The cleaning policies, as plans name them.
const (
	keepCommits  = "KEEP_LATEST_COMMITS"
	keepVersions = "KEEP_LATEST_FILE_VERSIONS"
	keepHours    = "KEEP_LATEST_BY_HOURS"
)

// retention says which superseded files a clean leaves: those that queries of the last commits, or of the last hours, need, or so
// many states of every file group.
type retention struct {
	policy                   string
	commits, versions, hours int64
}

// The defaults of Hudi.
const (
	cleanCommits  = 10
	cleanVersions = 3
	cleanHours    = 24
)

// retentionOf reads the settings hoodie.clean.… and, as older releases spell them, hoodie.cleaner.….
func retentionOf(o options) (retention, error) {
	number := func(name string, def int64) int64 {
		return o.number("hoodie.clean."+name, o.number("hoodie.cleaner."+name, def))
	}
	r := retention{strings.ToUpper(o.text(keepCommits, "hoodie.clean.policy", "hoodie.cleaner.policy")),
		number("commits.retained", cleanCommits), number("fileversions.retained", cleanVersions), number("hours.retained", cleanHours)}
	switch r.policy {
	case keepCommits, keepVersions, keepHours:
	default:
		return r, fmt.Errorf("the cleaning policy %s is not known: choose %s, %s or %s", r.policy, keepCommits, keepVersions, keepHours)
	}
	if r.commits < 1 || r.versions < 1 || r.hours < 1 {
		return r, fmt.Errorf("a clean keeps one commit, version or hour at least")
	}
	return r, o.err()
}

// cleaning is what a clean is planned by.
type cleaning struct {
	retention
	line     *timeline.Timeline
	groups   []*fileGroup
	replaced map[groupKey]string // the instant that replaced a group
	needed   map[string]bool     // files of savepoints and of plans that are not carried out yet
	saved    []string            // the savepoints
	byBase   bool                // logs are named after base files
	root     string              // path of the table
	now      time.Time
}

// cleaning collects what cleans of the table are planned by.
func (t *Table) cleaning(ctx context.Context, r retention) (*cleaning, error) {
	s := &Snapshot{table: t, config: t.config}
	files, err := s.load(ctx, t.entry.Options)
	if err != nil {
		return nil, err
	}
	c := &cleaning{retention: r, line: s.timeline, groups: files.sorted(), needed: map[string]bool{}, byBase: t.config.Version < 8, root: t.path, now: time.Now()}
	if c.replaced, err = replacedAt(ctx, s.timeline); err != nil {
		return nil, err
	}
	return c, c.takeNeeded(ctx)
}

// replacedAt is when file groups were replaced by others.
func replacedAt(ctx context.Context, line *timeline.Timeline) (map[groupKey]string, error) {
	out := map[groupKey]string{}
	for _, i := range line.Completed(timeline.ReplaceCommit) {
		m, err := line.ReadCommit(ctx, i)
		if err != nil {
			return nil, err
		}
		for partition, ids := range m.PartitionToReplaceFileIDs {
			for _, id := range ids {
				out[groupKey{partition, id}] = i.Time
			}
		}
	}
	return out, nil
}

// takeNeeded notes the files that must stay whatever their age.
func (c *cleaning) takeNeeded(ctx context.Context) error {
	for _, i := range c.line.Completed(timeline.Savepoint) {
		var m timeline.SavepointMetadata
		if err := c.line.Read(ctx, i, &m); err != nil {
			return err
		}
		c.saved = append(c.saved, i.Time)
		for partition, p := range m.PartitionMetadata {
			for _, f := range p.SavepointDataFile {
				c.needed[path.Join(partition, path.Base(f))] = true
			}
		}
	}
	for _, i := range c.line.Pending() {
		if err := c.takePlan(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// takePlan notes the files that a pending compaction or clustering will read.
func (c *cleaning) takePlan(ctx context.Context, i timeline.Instant) error {
	requested, ok := c.line.InState(i, timeline.Requested)
	if !ok {
		return nil
	}
	switch i.Action {
	case timeline.Compaction, timeline.LogCompaction:
		var p timeline.CompactionPlan
		if err := c.line.Read(ctx, requested, &p); err != nil {
			return err
		}
		for _, op := range p.Operations {
			for _, f := range append(op.DeltaFilePaths, op.DataFilePath) {
				c.needed[path.Join(op.PartitionPath, path.Base(f))] = true
			}
		}
	case timeline.Clustering, timeline.ReplaceCommit:
		plan, err := clusteringPlan(ctx, c.line, i)
		if err != nil || plan == nil {
			return err
		}
		for _, g := range plan.InputGroups {
			for _, s := range g.Slices {
				for _, f := range append(s.DeltaFilePaths, s.DataFilePath) {
					c.needed[path.Join(s.PartitionPath, path.Base(f))] = true
				}
			}
		}
	}
	return nil
}

// plan says which files to delete. It is nil when there are none.
func (c *cleaning) plan() *timeline.CleanPlan {
	last, ok := c.line.Last()
	if !ok {
		return nil
	}
	earliest, ok := c.earliest()
	if !ok && c.policy != keepVersions {
		return nil
	}
	p := &timeline.CleanPlan{LastCompletedCommitTimestamp: last.Time, Policy: c.policy, Version: 2, ExtraMetadata: map[string]string{},
		FilesToBeDeletedPerPartition: map[string][]string{}, FilePathsToBeDeletedPartition: map[string][]timeline.CleanFileInfo{}, PartitionsToBeDeleted: []string{}}
	if ok {
		p.EarliestInstantToRetain = &timeline.ActionInstant{Timestamp: earliest.Time, Action: string(earliest.Action), State: earliest.State.String()}
	}
	if len(c.saved) > 0 {
		p.ExtraMetadata["savepointed_timestamps"] = strings.Join(c.saved, ",")
	}
	v := &seen{timeline: c.line}
	for _, g := range c.groups {
		for _, f := range c.garbage(g, g.all(v, c.byBase), earliest.Time) {
			p.FilePathsToBeDeletedPartition[g.partition] = append(p.FilePathsToBeDeletedPartition[g.partition],
				timeline.CleanFileInfo{FilePath: c.root + "/" + f})
		}
	}
	if len(p.FilePathsToBeDeletedPartition) == 0 {
		return nil
	}
	return p
}

// earliest is the first commit whose state stays readable; not ok when all do. It is never behind a write that is not completed, which
// may read any state before it.
func (c *cleaning) earliest() (timeline.Instant, bool) {
	commits := c.line.Commits()
	var at int
	switch c.policy {
	case keepCommits:
		at = len(commits) - int(c.commits)
	case keepHours:
		from := timeline.FormatTime(c.now.Add(-time.Duration(c.hours)*time.Hour), c.line.Zone)
		at = slices.IndexFunc(commits, func(i timeline.Instant) bool { return i.Time >= from })
		if at < 0 {
			at = len(commits) - 1
		}
	}
	if at <= 0 {
		return timeline.Instant{}, false
	}
	for _, i := range c.line.Pending() {
		for i.Action.Completes().Writes() && at > 0 && commits[at].Time > i.Time {
			at--
		}
	}
	return commits[at], at > 0
}

// garbage is the files of a group, whose slices come newest first, that no kept state needs.
func (c *cleaning) garbage(g *fileGroup, slices []*fileSlice, earliest string) []string {
	gone, replaced := c.replaced[groupKey{g.partition, g.id}]
	if replaced && (c.policy == keepVersions || gone < earliest) {
		return c.files(g, slices, "")
	}
	keep := 0 // so many slices stay
	if c.policy == keepVersions {
		keep = int(c.versions)
	} else {
		for keep < len(slices) && slices[keep].Instant() >= earliest {
			keep++
		}
		keep++ // the state as of the earliest commit
	}
	if keep >= len(slices) {
		return nil
	}
	return c.files(g, slices[keep:], slices[keep-1].Instant())
}

// files are the files of slices that nothing needs, and the change logs before an instant; all where it is "".
func (c *cleaning) files(g *fileGroup, old []*fileSlice, before string) []string {
	var out []string
	for _, s := range old {
		names := sliceFiles(s)
		if !slices.ContainsFunc(names, func(n string) bool { return c.needed[n] }) {
			out = append(out, names...)
		}
	}
	for _, l := range g.logs {
		if l.CDC && (before == "" || l.Instant < before) {
			out = append(out, l.Path)
		}
	}
	slices.Sort(out)
	return out
}

// cleanedFiles are the files that a plan deletes, by partition: paths relative to the table. Plans hold absolute paths, of the place
// where the table was when they were made.
func cleanedFiles(p *timeline.CleanPlan) map[string][]string {
	out := map[string][]string{}
	for partition, files := range p.FilePathsToBeDeletedPartition {
		for _, f := range files {
			out[partition] = append(out[partition], path.Join(partition, path.Base(f.FilePath)))
		}
	}
	for partition, files := range p.FilesToBeDeletedPerPartition {
		for _, f := range files {
			out[partition] = append(out[partition], path.Join(partition, path.Base(f)))
		}
	}
	for _, partition := range slices.Collect(maps.Keys(out)) {
		slices.Sort(out[partition])
		out[partition] = slices.Compact(out[partition])
	}
	return out
}
