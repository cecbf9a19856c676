package hudi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// An index is a partition of the metadata table that is built from what the table has. Whoever builds one holds the table's lock to the
// end, so that no write comes in between:
//
//	lock ─▶ requested ─▶ inflight ─▶ metadata table: partition inflight, definition, file groups, partition ready ─▶ completed ─▶ unlock
//
// The plan says that tarn builds it. Whoever holds the lock and finds such a plan pending knows that its writer is dead: an index that is
// ready is completed, another is taken out.

// The mark of plans of tarn, in the extra metadata of the partition.
const (
	indexerKey  = "indexer"
	indexerTarn = "tarn"
)

// indexing is the building of indexes. It is a transaction that changes no rows.
type indexing struct{ *tx }

// index builds partitions of the metadata table, in their order; begin says what each begins with. Whatever was built before an error stays.
func (t *Table) index(ctx context.Context, x engine.Engine, o options, partitions []string, begin func(context.Context, *indexing, string) (metadata.Addition, error)) error {
	if err := t.config.Writable(); err != nil {
		return err
	}
	if err := t.ready(ctx, x); err != nil {
		return err
	}
	return t.locked(ctx, o, func(line *timeline.Timeline) error {
		if err := undisturbed(line); err != nil {
			return err
		}
		for _, p := range partitions {
			now, err := t.timeline(ctx)
			if err != nil {
				return err
			}
			now.Guard = line.Guard
			if err := t.indexOne(ctx, x, o, now, p, begin); err != nil {
				return err
			}
		}
		return nil
	})
}

// undisturbed fails while a write is under way: it would not know of the index.
func undisturbed(line *timeline.Timeline) error {
	for _, i := range line.Pending(timeline.Commit, timeline.DeltaCommit, timeline.ReplaceCommit) {
		if i.State == timeline.Inflight || i.Action != timeline.ReplaceCommit {
			return fmt.Errorf("%s is pending; complete it or roll it back first", i)
		}
	}
	return nil
}

func (t *Table) indexOne(ctx context.Context, x engine.Engine, o options, line *timeline.Timeline, partition string,
	begin func(context.Context, *indexing, string) (metadata.Addition, error)) error {
	plan := &timeline.IndexPlan{Version: 1, IndexPartitionInfos: []timeline.IndexPartitionInfo{{Version: 1, MetadataPartitionPath: partition,
		IndexUptoInstant: line.LastTime(), ExtraMetadata: map[string]string{indexerKey: indexerTarn}}}}
	i, err := line.Request(ctx, timeline.Indexing, time.Now(), plan)
	if err != nil {
		return err
	}
	if i, err = line.Begin(ctx, i, nil); err != nil {
		return err
	}
	err = t.buildIndex(ctx, x, o, line, partition, begin)
	if err != nil {
		undo := context.WithoutCancel(ctx)
		fresh, again := t.timeline(undo)
		if again == nil {
			again = t.endIndexing(undo, fresh, i, partition)
		}
		return errors.Join(err, again)
	}
	_, err = line.Complete(ctx, i, time.Now(), indexed(plan))
	return err
}

func indexed(p *timeline.IndexPlan) *timeline.IndexMetadata {
	return &timeline.IndexMetadata{Version: 1, IndexPartitionInfos: p.IndexPartitionInfos}
}

func (t *Table) buildIndex(ctx context.Context, x engine.Engine, o options, line *timeline.Timeline, partition string, begin func(context.Context, *indexing, string) (metadata.Addition, error)) error {
	w, err := t.metadataWriter(ctx)
	if errors.Is(err, metadata.ErrNone) {
		if _, err = t.makeMetadata(ctx, line); err == nil {
			w, err = t.metadataWriter(ctx)
		}
	}
	if err != nil {
		return err
	}
	s, err := t.snapshot(ctx, "", reading{}, nil)
	if err != nil {
		return err
	}
	v := &indexing{tx: &tx{table: t, engine: x, base: s, view: s, started: time.Now(), options: o}}
	a, err := begin(ctx, v, partition)
	if err != nil {
		return err
	}
	return w.Build(ctx, a)
}

// resumeIndexing ends what a writer has left that died while it built an index. Whoever calls it holds the lock.
func (t *Table) resumeIndexing(ctx context.Context, line *timeline.Timeline) error {
	for _, i := range line.Pending(timeline.Indexing) {
		var plan timeline.IndexPlan
		requested, ok := line.InState(i, timeline.Requested)
		if !ok {
			continue
		}
		if err := line.Read(ctx, requested, &plan); err != nil {
			return err
		}
		for _, p := range plan.IndexPartitionInfos {
			if p.ExtraMetadata[indexerKey] != indexerTarn {
				continue
			}
			if err := t.endIndexing(ctx, line, i, p.MetadataPartitionPath); err != nil {
				return err
			}
		}
	}
	return nil
}

// endIndexing completes the indexing of a partition that is ready, and takes back any other.
func (t *Table) endIndexing(ctx context.Context, line *timeline.Timeline, i timeline.Instant, partition string) error {
	c, err := config.Load(ctx, t.bucket)
	if err != nil {
		return err
	}
	if slices.Contains(c.MetadataPartitions, partition) {
		var plan timeline.IndexPlan
		requested, _ := line.InState(i, timeline.Requested)
		if err := line.Read(ctx, requested, &plan); err != nil {
			return err
		}
		if i.State == timeline.Requested {
			if i, err = line.Begin(ctx, i, nil); err != nil {
				return err
			}
		}
		_, err = line.Complete(ctx, i, time.Now(), indexed(&plan))
		return err
	}
	w, err := t.metadataWriter(ctx)
	switch {
	case errors.Is(err, metadata.ErrNone):
		err = t.dropMetadata(ctx)
	case err == nil:
		err = w.Discard(ctx, partition)
	}
	if err = t.orDrop(ctx, err); err != nil {
		return err
	}
	return line.Remove(ctx, i)
}
