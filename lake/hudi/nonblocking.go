package hudi

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/bucket"
	"github.com/tarn-lake/tarn/lake/hudi/keygen"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// Under non-blocking concurrency control several writers log to one file group at a time, and none is told of a conflict. Completion
// times, given under the lock, order their logs:
//
//	writer 1   request ──── log a ────────────────▶ complete 7 ─┐
//	writer 2      request ──── log b ──▶ complete 5 ────────────┼▶ base, b, a
//	compaction         plan at 6 (base, b) ──▶ base' ───────────┴▶ base', a
//
// A bucket without a group gets one of the same id by every writer, which begins with a log.

const optConcurrencyMode = "hoodie.write.concurrency.mode"

// isNonBlocking reports whether the options ask for non-blocking concurrency control. It is refused where Hudi refuses it.
func (x *tx) isNonBlocking() (bool, error) {
	switch mode := x.options.text("SINGLE_WRITER", optConcurrencyMode); strings.ToUpper(mode) {
	case "SINGLE_WRITER", "OPTIMISTIC_CONCURRENCY_CONTROL":
		return false, nil
	case "NON_BLOCKING_CONCURRENCY_CONTROL":
	default:
		return false, badOption("%s=%s is not one of SINGLE_WRITER, OPTIMISTIC_CONCURRENCY_CONTROL and NON_BLOCKING_CONCURRENCY_CONTROL", optConcurrencyMode, mode)
	}
	simple := x.indexType() == "BUCKET" && strings.EqualFold(x.options.text("SIMPLE", "hoodie.index.bucket.engine"), "SIMPLE")
	switch {
	case !x.merges() || !simple:
		return false, badOption("Non-blocking concurrency control requires the MOR table with simple bucket index")
	case x.config().Version < 8:
		return false, badOption("Non-blocking concurrency control is not supported for table versions < 8: the table has version %d", x.config().Version)
	}
	return true, nil
}

// noLogCompaction refuses settings by which Hudi would merge logs with logs.
func (x *tx) noLogCompaction() error {
	for _, option := range []string{"hoodie.log.compaction.enable", "hoodie.log.compaction.inline", "hoodie.metadata.log.compaction.enable"} {
		if x.options.flag(option, false) {
			return badOption("%s=true: log compactions are read, and not made; leave it out, and let compactions (hoodie.compact.inline) merge the logs", option)
		}
	}
	return x.options.err()
}

// noOverwrite refuses to replace file groups beside writers that log to them.
func (x *tx) noOverwrite() error {
	if x.nonBlocking {
		return badOption("Insert overwrite is not supported with non-blocking concurrency control")
	}
	return nil
}

// slices are those of the snapshot, and those that this write begins by a log.
func (x *tx) slices() []*fileSlice {
	if len(x.begun) == 0 {
		return x.base.slices
	}
	return append(slices.Clip(x.base.slices), x.begun...)
}

// intoBuckets gives new rows the number of the slice of their bucket. Under non-blocking concurrency control each bucket has one.
func (x *tx) intoBuckets(ctx context.Context, b *bucket.Index, f *freshRows) (*freshRows, error) {
	if x.nonBlocking {
		if err := x.beginGroups(ctx, b, f); err != nil {
			return nil, err
		}
	}
	return x.bucketed(b, f), nil
}

// beginGroups makes slices for the buckets of new rows that have no group.
func (x *tx) beginGroups(ctx context.Context, b *bucket.Index, f *freshRows) error {
	inserts := *f
	inserts.rows = f.inserts()
	places, err := x.placesOf(ctx, b, &inserts)
	if err != nil {
		return err
	}
	for _, s := range x.slices() {
		if n, ok := bucket.OfFileID(s.FileID); ok {
			delete(places, bucketPlace{s.Partition, int64(n)})
		}
	}
	order := slices.SortedFunc(maps.Keys(places), func(a, b bucketPlace) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.number, b.number))
	})
	for _, p := range order {
		if err := keygen.CheckPath(p.path); err != nil {
			return err
		}
		x.begun = append(x.begun, &fileSlice{Number: int64(len(x.slices())), Partition: p.path, FileID: x.sharedID(p)})
	}
	return nil
}

// sharedID is the id that every writer gives the first group of a bucket. One that was replaced stays so: its rows would not be seen.
func (x *tx) sharedID(p bucketPlace) string {
	for generation := 0; ; generation++ {
		if id := bucket.SharedFileID(int(p.number), generation); !x.base.gone[groupKey{p.path, id}] {
			return id
		}
	}
}

// rivals are the actions that the write must not meet at a file group. Beside logs of others, and under or above a compaction, its own
// logs find their place by the time at which they are completed.
func (x *tx) rivals(list []timeline.Rival) []timeline.Rival {
	list = x.claims(list)
	if !x.nonBlocking || x.act.operation == opBulkInsert {
		return list
	}
	return slices.DeleteFunc(list, func(r timeline.Rival) bool { return r.Logs || r.Compacts() })
}
