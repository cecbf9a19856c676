package hudi

import (
	"context"
	"errors"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// The services that follow a commit by themselves, with the settings that turn them off and their thresholds.
const (
	optCompactInline = "hoodie.compact.inline"
	optCompactAfter  = "hoodie.compact.inline.max.delta.commits"
	optClusterInline = "hoodie.clustering.inline"
	optClusterAfter  = "hoodie.clustering.inline.max.commits"
	optCleanAlways   = "hoodie.clean.automatic"
	optArchiveAlways = "hoodie.archive.automatic"
	optKeepMin       = "hoodie.keep.min.commits"
	optKeepMax       = "hoodie.keep.max.commits"

	compactAfter = 5
	clusterAfter = 4
	keepMin      = 20
	keepMax      = 30
)

// maintain runs the services that are due after a commit: compaction of a merge-on-read table after some deltacommits, clustering where
// it is asked for, then cleaning and archiving. None changes the version of the table. The commit stands whatever they say.
func (t *Table) maintain(ctx context.Context, x engine.Engine, o options) error {
	if !o.flag("hoodie.table.services.enabled", true) {
		return o.err()
	}
	line, err := t.timeline(ctx)
	if err != nil {
		return err
	}
	if err := t.maintainFiles(ctx, x, o, line); err != nil {
		return err
	}
	if o.flag(optCleanAlways, true) {
		if err := t.cleanIfDue(ctx, o); err != nil {
			return err
		}
	}
	if o.flag(optArchiveAlways, true) && len(line.Commits()) > int(o.number(optKeepMax, keepMax)) {
		_, err = t.archive(ctx, o, o.number(optKeepMin, keepMin), o.number(optKeepMax, keepMax))
	}
	return errors.Join(err, o.err())
}

// maintained runs the services that are due after the commit of x.
func (x *tx) maintained(ctx context.Context) error {
	t := *x.table
	t.config = x.config()
	return errors.Join(t.maintain(ctx, x.engine, t.settings(x.options.all)), t.followWishes(ctx, x.engine, x.options))
}

// maintainFiles compacts and clusters where that is due: first what is planned already, be it that a service was interrupted.
func (t *Table) maintainFiles(ctx context.Context, x engine.Engine, o options, line *timeline.Timeline) error {
	if t.config.Type == config.MergeOnRead && o.flag(optCompactInline, true) &&
		commitsSince(line, timeline.DeltaCommit, timeline.Commit) >= o.number(optCompactAfter, compactAfter) {
		for _, i := range line.Pending(timeline.Compaction) {
			if err := t.compact(ctx, x, o, i); err != nil {
				return err
			}
		}
		i, err := t.scheduleCompaction(ctx, o)
		if err == nil {
			err = t.compact(ctx, x, o, i)
		}
		if err != nil && !errors.Is(err, errNothing) {
			return err
		}
	}
	if o.flag(optClusterInline, o.flag("hoodie.datasource.clustering.inline.enable", false)) && commitsSince(line, "", timeline.ReplaceCommit) >= o.number(optClusterAfter, clusterAfter) {
		how, err := clusteringOf(o)
		if err != nil {
			return err
		}
		pending, err := pendingClusterings(ctx, line)
		if err != nil {
			return err
		}
		for _, i := range pending {
			if err := t.cluster(ctx, x, o, i); err != nil {
				return err
			}
		}
		how.now = true
		i, err := t.scheduleClustering(ctx, o, how)
		if err == nil {
			err = t.cluster(ctx, x, o, i)
		}
		if err != nil && !errors.Is(err, errNothing) {
			return err
		}
	}
	return nil
}

// commitsSince counts the completed commits of a kind, any for "", since the last one of the kind end.
func commitsSince(line *timeline.Timeline, kind, end timeline.Action) int64 {
	var n int64
	for _, i := range line.Commits() {
		switch {
		case i.Action == end:
			n = 0
		case kind == "" || i.Action == kind:
			n++
		}
	}
	return n
}

// cleanIfDue cleans when there are more commits than are kept, or a clean is pending. Most commits need no look at the files.
func (t *Table) cleanIfDue(ctx context.Context, o options) error {
	r, err := retentionOf(o)
	if err != nil {
		return err
	}
	line, err := t.timeline(ctx)
	if err != nil {
		return err
	}
	if r.policy == keepCommits && int64(len(line.Commits())) <= r.commits && len(line.Pending(timeline.Clean)) == 0 {
		return nil
	}
	_, err = t.clean(ctx, o, r, true)
	return err
}

// archive moves actions of old off the active timeline, and tells how many.
func (t *Table) archive(ctx context.Context, o options, least, most int64) (n int, err error) {
	a := timeline.Archival{Min: int(least), Max: int(most)}
	if t.config.Type == config.MergeOnRead {
		a.DeltaCommits = int(o.number(optCompactAfter, compactAfter))
	}
	err = t.locked(ctx, o, func(line *timeline.Timeline) error {
		if a.Retain, err = t.coveredTo(ctx, line); err != nil {
			return err
		}
		n, err = line.ArchiveOld(ctx, a)
		return err
	})
	return n, err
}

// coveredTo is the first commit that the last compaction of the metadata table does not cover: the metadata table needs to find it on
// the timeline. It is "" for a table without one.
func (t *Table) coveredTo(ctx context.Context, line *timeline.Timeline) (string, error) {
	c, err := config.Load(ctx, t.bucket)
	if err != nil || len(c.MetadataPartitions) == 0 {
		return "", err
	}
	bucket, err := storage.Sub(t.bucket, metadata.Dir)
	if err != nil {
		return "", err
	}
	own, err := config.Load(ctx, bucket)
	if err != nil {
		return "", err
	}
	about, err := timeline.Load(ctx, bucket, timeline.DefaultConfig(own.Version))
	if err != nil {
		return "", err
	}
	compacted := ""
	for _, i := range about.Completed(timeline.Commit) {
		compacted = i.Time
	}
	for _, i := range line.Commits() {
		if i.Time > compacted {
			return i.Time, nil
		}
	}
	return "", nil
}
