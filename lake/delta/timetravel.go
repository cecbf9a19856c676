package delta

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake"
)

var errNoICT = errors.New("the commit has no in-commit timestamp in its first action, though the table requires it")

// versionAt is the newest version that was committed at or before at. Times of files count as strictly rising: one that
// does not is taken as a millisecond after the one before.
func (t *Table) versionAt(ctx context.Context, at time.Time) (int64, error) {
	s, err := t.latest(ctx)
	if err != nil {
		return 0, err
	}
	l, err := t.list(ctx, 0)
	if err != nil {
		return 0, err
	}
	commits := l.readable()
	if len(commits) == 0 {
		return 0, t.notFound(l, 0)
	}
	times := t.commitTimes(s.state.Metadata, commits)
	var failed error
	n := sort.Search(len(commits), func(i int) bool {
		ms, err := times(ctx, i)
		if err != nil {
			failed = err
		}
		return ms > at.UnixMilli()
	})
	if failed != nil {
		return 0, failed
	}
	if n == 0 {
		return 0, t.tooEarly(ctx, at, times)
	}
	if n == len(commits) {
		last, err := times(ctx, n-1)
		if err != nil {
			return 0, err
		}
		if at.UnixMilli() > last {
			return 0, t.tooLate(at, last)
		}
	}
	return commits[n-1].version, nil
}

// readable is the commits of versions that can still be read, without a gap up to the newest.
func (l *listing) readable() []logFile {
	first := l.earliest()
	for i, c := range l.commits {
		if first >= 0 && c.version >= first {
			return l.commits[i:]
		}
	}
	return nil
}

// commitTimes gives the time of the i-th commit in milliseconds: of its file before in-commit timestamps were switched
// on, from its first line since then.
func (t *Table) commitTimes(m *Metadata, commits []logFile) func(ctx context.Context, i int) (int64, error) {
	files := make([]int64, len(commits))
	for i, c := range commits {
		files[i] = c.ModTime.UnixMilli()
		if i > 0 {
			files[i] = max(files[i], files[i-1]+1)
		}
	}
	since, _, ok := ictSince(m)
	return func(ctx context.Context, i int) (int64, error) {
		c := &commits[i]
		if !ok || c.version < since {
			return files[i], nil
		}
		head, _, err := t.head(ctx, c)
		if err != nil {
			return 0, err
		}
		at, err := t.commitTime(c, head)
		return at.UnixMilli(), err
	}
}

// timeText is a time as Java's Timestamp prints it, in UTC.
func timeText(millis int64) string {
	text := time.UnixMilli(millis).UTC().Format("2006-01-02 15:04:05.000")
	return strings.TrimSuffix(strings.TrimSuffix(text, "0"), "0")
}

func (t *Table) tooEarly(ctx context.Context, at time.Time, times func(context.Context, int) (int64, error)) error {
	ms, err := times(ctx, 0)
	if err != nil {
		return err
	}
	first := timeText(ms)
	return &lake.Error{Op: "read", Path: t.path, Class: "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
		Params: map[string]string{"userTimestamp": timeText(at.UnixMilli()), "commitTs": first, "timestampString": first},
		Err:    fmt.Errorf("the first version that can be read was committed at %s UTC, after %s", first, timeText(at.UnixMilli()))}
}

func (t *Table) tooLate(at time.Time, ms int64) error {
	last := timeText(ms)
	return &lake.Error{Op: "read", Path: t.path, Class: "DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
		Params: map[string]string{"providedTimestamp": timeText(at.UnixMilli()), "tableName": last, "maximumTimestamp": last},
		Err:    fmt.Errorf("the latest version was committed at %s UTC, before %s", last, timeText(at.UnixMilli()))}
}
