package hudi

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// History is the completed actions of the active timeline that wrote data, newest first. Each is read when the consumer comes to it.
func (t *Table) History(ctx context.Context) iter.Seq2[lake.Commit, error] {
	return func(yield func(lake.Commit, error) bool) {
		line, err := t.timeline(ctx)
		if err != nil {
			yield(lake.Commit{}, err)
			return
		}
		for _, i := range slices.Backward(line.Commits()) {
			c, err := t.commit(ctx, line, i)
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// commit is what one commit says of itself.
func (t *Table) commit(ctx context.Context, line *timeline.Timeline, i timeline.Instant) (lake.Commit, error) {
	m, err := line.ReadCommit(ctx, i)
	if err != nil {
		return lake.Commit{}, t.fail("read a commit of", "", err)
	}
	version, _ := strconv.ParseInt(i.Time, 10, 64)
	c := lake.Commit{Version: version, Operation: lake.Operation{Name: m.OperationType}, TxnID: i.Time}
	if c.Operation.Name == "" {
		c.Operation.Name = string(i.Action)
	}
	c.Operation.Parameters = []lake.Parameter{{Key: "action", Value: string(i.Action)}}
	at := i.Time
	if t.config.Version >= 8 {
		at = i.Completion
	}
	if when, err := timeline.ParseTime(at, t.zone()); err == nil {
		c.Time = when
	}
	c.Metrics = metrics(&c, m)
	return c, nil
}

// metrics counts what a commit wrote.
func metrics(c *lake.Commit, m *timeline.CommitMetadata) map[string]string {
	var rows, inserts, updates, deletes, bytes int64
	for _, stats := range m.PartitionToWriteStats {
		for _, s := range stats {
			c.FilesAdded++
			rows += s.NumWrites
			inserts += s.NumInserts
			updates += s.NumUpdateWrites
			deletes += s.NumDeletes
			bytes += s.TotalWriteBytes
		}
	}
	for _, ids := range m.PartitionToReplaceFileIDs {
		c.FilesRemoved += len(ids)
	}
	out := map[string]string{}
	for k, n := range map[string]int64{"numFiles": int64(c.FilesAdded), "numOutputRows": rows, "numInserts": inserts, "numUpdates": updates,
		"numDeletes": deletes, "numOutputBytes": bytes, "numReplacedFileGroups": int64(c.FilesRemoved)} {
		out[k] = strconv.FormatInt(n, 10)
	}
	return out
}
