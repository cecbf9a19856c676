package hudi

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// commitProcedures tell what commits wrote.
func commitProcedures() []procedure {
	limit := limitParam(10)
	instant := required("instant_time", "a commit")
	return []procedure{
		{"show_commits", "Shows the completed commits, newest first, with what each wrote in all.",
			[]lake.Param{tableParam(), limit, filterParam()}, commitColumns(true), showCommits},
		{"show_commits_metadata", "Shows the completed commits, newest first, with each file written.",
			[]lake.Param{tableParam(), limit, filterParam()}, statColumns(), showCommitsMetadata},
		{"show_archived_commits", "Shows archived commits, newest first.",
			archivedParams(), commitColumns(false), showArchivedCommits},
		{"show_archived_commits_metadata", "Shows archived commits, newest first, with each file written.",
			archivedParams(), statColumns(), showArchivedCommitsMetadata},
		{"show_commit_files", "Shows the files that a commit wrote.", []lake.Param{tableParam(), limit, instant},
			columns("action", "partition_path", "file_id", "previous_commit", "total_records_updated bigint", "total_records_written bigint",
				"total_bytes_written bigint", "total_errors bigint", "file_size bigint"), showCommitFiles},
		{"show_commit_partitions", "Shows what a commit wrote by partition.", []lake.Param{tableParam(), limit, instant},
			columns("action", "partition_path", "total_files_added bigint", "total_files_updated bigint", "total_records_inserted bigint",
				"total_records_updated bigint", "total_bytes_written bigint", "total_errors bigint"), showCommitPartitions},
		{"show_commit_write_stats", "Shows how much a commit wrote.", []lake.Param{tableParam(), limit, instant},
			columns("action", "total_bytes_written bigint", "total_records_written bigint", "avg_record_size bigint"), showCommitWriteStats},
		{"show_commit_extra_metadata", "Shows what a commit says beside its files, such as the schema and checkpoints.",
			[]lake.Param{tableParam(), optional("limit", types.Int, int64(100), "how many rows to give"),
				optional("instant_time", types.String, nil, "a commit; the last one where not given"),
				optional("metadata_key", types.String, nil, "one key; all where not given")},
			columns("instant_time", "action", "metadata_key", "metadata_value"), showCommitExtraMetadata},
		{"stats_wa", "Shows by commit how many rows were written for each row changed.", []lake.Param{tableParam(), limit},
			columns("commit_time", "total_upserted bigint", "total_written bigint", "write_amplification_factor"), statsWriteAmplification},
	}
}

func archivedParams() []lake.Param {
	return []lake.Param{tableParam(), limitParam(10), optional("start_ts", types.String, nil, "first instant; all where not given"),
		optional("end_ts", types.String, nil, "last instant; all where not given")}
}

func commitColumns(action bool) []rel.Column {
	specs := []string{"commit_time", "state_transition_time", "action", "total_bytes_written bigint", "total_files_added bigint", "total_files_updated bigint",
		"total_partitions_written bigint", "total_records_written bigint", "total_update_records_written bigint", "total_errors bigint"}
	if !action {
		specs = slices.Delete(specs, 2, 3)
	}
	return columns(specs...)
}

func statColumns() []rel.Column {
	return columns("commit_time", "state_transition_time", "action", "partition", "file_id", "previous_commit", "num_writes bigint", "num_inserts bigint",
		"num_deletes bigint", "num_update_writes bigint", "total_errors bigint", "total_log_blocks bigint", "total_corrupt_log_blocks bigint",
		"total_rollback_blocks bigint", "total_log_records bigint", "total_updated_records_compacted bigint", "total_bytes_written bigint")
}

// said is a commit together with what it says.
type said struct {
	timeline.Instant
	*timeline.CommitMetadata
}

// said reads the commits of the active timeline, newest first. At most limit are read where it is not negative.
func (c *call) said(ctx context.Context, limit int64) ([]said, error) {
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	var out []said
	for _, i := range slices.Backward(line.Commits()) {
		if limit >= 0 && int64(len(out)) >= limit {
			break
		}
		m, err := line.ReadCommit(ctx, i)
		if err != nil {
			return nil, err
		}
		out = append(out, said{i, m})
	}
	return out, nil
}

// stats are the files that m tells of, by partition.
func stats(m *timeline.CommitMetadata) []timeline.WriteStat {
	var out []timeline.WriteStat
	for _, p := range slices.Sorted(maps.Keys(m.PartitionToWriteStats)) {
		for _, s := range m.PartitionToWriteStats[p] {
			s.Partition = p
			out = append(out, s)
		}
	}
	return out
}

// totals are the sums of what a commit wrote.
type totals struct{ bytes, added, updated, partitions, records, updates, errors int64 }

func totalsOf(m *timeline.CommitMetadata) totals {
	t := totals{partitions: int64(len(m.PartitionToWriteStats))}
	for _, s := range stats(m) {
		t.bytes += s.TotalWriteBytes
		t.records += s.NumWrites
		t.updates += s.NumUpdateWrites
		t.errors += s.TotalWriteErrors
		if s.PrevCommit == timeline.NoCommit {
			t.added++
		} else {
			t.updated++
		}
	}
	return t
}

func showCommits(ctx context.Context, c *call) ([][]types.Value, error) {
	limit, _ := c.number("limit")
	list, err := c.said(ctx, limit)
	return commitRows(list, true), err
}

func showArchivedCommits(ctx context.Context, c *call) ([][]types.Value, error) {
	list, err := c.archived(ctx)
	return commitRows(list, false), err
}

func commitRows(list []said, action bool) [][]types.Value {
	var rows [][]types.Value
	for _, s := range list {
		t := totalsOf(s.CommitMetadata)
		row := []types.Value{s.Time, s.Completion}
		if action {
			row = append(row, string(s.Action))
		}
		rows = append(rows, append(row, t.bytes, t.added, t.updated, t.partitions, t.records, t.updates, t.errors))
	}
	return rows
}

func showCommitsMetadata(ctx context.Context, c *call) ([][]types.Value, error) {
	limit, _ := c.number("limit")
	list, err := c.said(ctx, limit)
	return statRows(list), err
}

func showArchivedCommitsMetadata(ctx context.Context, c *call) ([][]types.Value, error) {
	list, err := c.archived(ctx)
	return statRows(list), err
}

func statRows(list []said) [][]types.Value {
	var rows [][]types.Value
	for _, s := range list {
		for _, f := range stats(s.CommitMetadata) {
			rows = append(rows, []types.Value{s.Time, s.Completion, string(s.Action), f.Partition, f.FileID, f.PrevCommit, f.NumWrites, f.NumInserts,
				f.NumDeletes, f.NumUpdateWrites, f.TotalWriteErrors, f.TotalLogBlocks, f.TotalCorruptLogBlock, f.TotalRollbackBlocks,
				f.TotalLogRecords, f.TotalUpdatedRecordsCompacted, f.TotalWriteBytes})
		}
	}
	return rows
}

// commit reads the commit that the argument instant_time names; the last one where it names none.
func (c *call) commit(ctx context.Context) (said, error) {
	line, err := c.timeline(ctx)
	if err != nil {
		return said{}, err
	}
	at := c.text("instant_time")
	i, ok := line.Last()
	if at != "" {
		i, ok = line.Find(at)
	}
	if !ok || i.State != timeline.Completed || !i.Action.Writes() {
		return said{}, c.refuse("CALL show_commits(…) lists the commits.", "there is no completed commit %s on the timeline", at)
	}
	m, err := line.ReadCommit(ctx, i)
	return said{i, m}, err
}

func showCommitFiles(ctx context.Context, c *call) ([][]types.Value, error) {
	s, err := c.commit(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, f := range stats(s.CommitMetadata) {
		rows = append(rows, []types.Value{string(s.Action), f.Partition, f.FileID, f.PrevCommit, f.NumUpdateWrites, f.NumWrites, f.TotalWriteBytes,
			f.TotalWriteErrors, f.FileSizeInBytes})
	}
	return rows, nil
}

func showCommitPartitions(ctx context.Context, c *call) ([][]types.Value, error) {
	s, err := c.commit(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, p := range slices.Sorted(maps.Keys(s.PartitionToWriteStats)) {
		var added, updated, inserts, updates, bytes, errors int64
		for _, f := range s.PartitionToWriteStats[p] {
			if f.PrevCommit == timeline.NoCommit {
				added++
				inserts += f.NumWrites
			} else {
				updated++
				updates += f.NumUpdateWrites
			}
			bytes += f.TotalWriteBytes
			errors += f.TotalWriteErrors
		}
		rows = append(rows, []types.Value{string(s.Action), p, added, updated, inserts, updates, bytes, errors})
	}
	return rows, nil
}

func showCommitWriteStats(ctx context.Context, c *call) ([][]types.Value, error) {
	s, err := c.commit(ctx)
	if err != nil {
		return nil, err
	}
	t := totalsOf(s.CommitMetadata)
	var size types.Value
	if t.records > 0 {
		size = (t.bytes + t.records - 1) / t.records
	}
	return [][]types.Value{{string(s.Action), t.bytes, t.records, size}}, nil
}

func showCommitExtraMetadata(ctx context.Context, c *call) ([][]types.Value, error) {
	s, err := c.commit(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, k := range slices.Sorted(maps.Keys(s.ExtraMetadata)) {
		if only := c.text("metadata_key"); only == "" || only == k {
			rows = append(rows, []types.Value{s.Time, string(s.Action), k, s.ExtraMetadata[k]})
		}
	}
	return rows, nil
}

// statsWriteAmplification is the rows written by the rows that were changed, for every commit and for all.
func statsWriteAmplification(ctx context.Context, c *call) ([][]types.Value, error) {
	list, err := c.said(ctx, -1)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	var upserted, written int64
	for _, s := range list {
		t := totalsOf(s.CommitMetadata)
		upserted, written = upserted+t.updates, written+t.records
		rows = append(rows, []types.Value{s.Time, t.updates, t.records, amplification(t.records, t.updates)})
	}
	return append(rows, []types.Value{"Total", upserted, written, amplification(written, upserted)}), nil
}

func amplification(written, upserted int64) string {
	if upserted == 0 {
		return "0"
	}
	return strconv.FormatFloat(float64(written)/float64(upserted), 'f', 2, 64)
}
