package metadata

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// recover takes out what a crash has left of writes to the metadata table that were not completed. Nobody reads them; but once the
// timeline begins after them, nobody could tell them from those that were archived.
func (w *Writer) recover(ctx context.Context) error {
	done := false
	for _, i := range w.timeline.Pending(timeline.DeltaCommit, timeline.Compaction, timeline.Commit) {
		if strings.HasPrefix(i.Time, initPrefix) && w.unfinished(i) {
			continue // of an index that another writer builds
		}
		alive, err := w.alive(ctx, i)
		if err != nil {
			return err
		}
		if alive {
			continue
		}
		if err := w.undo(ctx, i); err != nil {
			return err
		}
		done = true
	}
	for _, i := range w.timeline.Completed(timeline.DeltaCommit) {
		if _, ok := w.counts(i.Time); ok || w.data == nil {
			continue
		}
		// A write that gave up took itself off the timeline of the table, and was stopped before it came here.
		if _, pending := w.data.Find(i.Time); !pending {
			if err := w.undo(ctx, i); err != nil {
				return err
			}
			done = true
		}
	}
	if !done {
		return nil
	}
	return w.reload(ctx)
}

// alive reports whether the writer of a pending action gives signs of life. Releases from 1.1 on write to the metadata table while they
// write to the table, before they have the lock; their signs of life are in either. Those of layout 1 do not, and number their logs,
// so that none may be left.
func (w *Writer) alive(ctx context.Context, i timeline.Instant) (bool, error) {
	if w.config.Layout < 2 || w.data == nil {
		return false, nil
	}
	if alive, err := timeline.Alive(ctx, w.bucket, i.Time, time.Now(), timeline.Pulse{}); alive || err != nil {
		return alive, err
	}
	if write, ok := w.data.Find(i.Time); !ok || write.State == timeline.Completed {
		return false, nil
	}
	return timeline.Alive(ctx, w.table, i.Time, time.Now(), timeline.Pulse{})
}

// unfinished reports whether the properties of the table speak of partitions that are being made.
func (w *Writer) unfinished(timeline.Instant) bool { return len(w.conf.MetadataInflight) > 0 }

// undo removes the files of a write and takes it off the timeline, a completed one too.
func (w *Writer) undo(ctx context.Context, i timeline.Instant) error {
	files, err := w.filesOf(ctx, i.Time)
	if err != nil {
		return err
	}
	if err := w.timeline.Unpublish(ctx, i); err != nil {
		return err
	}
	if err := w.bucket.Remove(ctx, files...); err != nil {
		return err
	}
	line, err := timeline.Load(ctx, w.bucket, w.config)
	if err != nil {
		return err
	}
	w.timeline = line
	for _, p := range line.Pending() {
		if p.Time == i.Time {
			if err := line.Remove(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// filesOf are the files that a write made.
func (w *Writer) filesOf(ctx context.Context, instant string) ([]string, error) {
	var out []string
	for info, err := range w.bucket.List(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(info.Name, ".hoodie/") {
			continue
		}
		_, f, isLog, ok := parseFile(info)
		switch {
		case !ok:
		case isLog && w.config.Layout < 2:
			of, err := w.logOf(ctx, f, instant)
			if err != nil {
				return nil, err
			}
			if of {
				out = append(out, f.path)
			}
		case f.instant == instant && (!isLog || !strings.HasPrefix(instant, initPrefix)):
			out = append(out, f.path)
		}
	}
	return out, nil
}

// logOf reports whether a log of layout 1 is of one write. A log that also has blocks of others, which old writers append to, cannot
// be taken out.
func (w *Writer) logOf(ctx context.Context, f file, instant string) (bool, error) {
	in, err := w.bucket.Open(ctx, f.path)
	if err != nil {
		return false, gone(err)
	}
	defer in.Close()
	r, mine, others := logfile.NewReader(in, f.size), false, false
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false, &StaleError{Path: f.path, Reason: "a file cannot be read", Err: err}
		}
		if b.Type == logfile.Corrupt || b.Instant() == instant {
			mine = mine || b.Type != logfile.Corrupt
			continue
		}
		others = true
	}
	if mine && others {
		return false, &StaleError{Path: f.path, Reason: "a log has blocks of " + instant + ", which was rolled back, and of others"}
	}
	return mine, nil
}

// Undo takes a write out of the metadata table, as part of rolling it back in the table. It is a [*StaleError] when it is too late,
// because a compaction has merged the write: then the metadata table is to be dropped. rollback is the instant of the rollback; c
// what it removes from the table. From layout 2 on the write has left no trace and nothing is to be said of the rollback.
func (w *Writer) Undo(ctx context.Context, instant, rollback string, c Changes) error {
	if i, ok := w.timeline.At(instant, timeline.DeltaCommit); ok {
		for _, done := range w.timeline.Completed(timeline.Commit) {
			if merged(done, i, w.config.Layout) {
				return &StaleError{Reason: "the write " + instant + ", which is rolled back, was merged by the compaction " + done.Time}
			}
		}
		if err := w.undo(ctx, i); err != nil {
			return err
		}
		if err := w.reload(ctx); err != nil {
			return err
		}
	}
	if w.config.Layout >= 2 || len(c.Added)+len(c.Removed) == 0 {
		return nil
	}
	return w.Commit(ctx, rollback, c)
}

// merged reports whether a compaction may have merged a write.
func merged(compaction, write timeline.Instant, layout int) bool {
	if write.State != timeline.Completed {
		return false
	}
	if layout < 2 {
		return compaction.Time > write.Time
	}
	return compaction.Time > write.Completion
}
