package hudi

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/types"
)

// actionProcedures tell what table services did and are about to do.
func actionProcedures() []procedure {
	limit, archived := limitParam(10), optional("showArchived", types.Boolean, false, "archived ones too")
	return []procedure{
		{"show_rollbacks", "Shows the rollbacks, newest first.", []lake.Param{tableParam(), limit},
			columns("instant", "rollback_instant", "total_files_deleted int", "time_taken_in_millis bigint", "total_partitions int"), showRollbacks},
		{"show_rollback_detail", "Shows the files that a rollback deleted.", []lake.Param{tableParam(), limit, required("instant_time", "a rollback")},
			columns("instant", "rollback_instant", "partition", "deleted_file", "succeeded boolean"), showRollbackDetail},
		{"show_savepoints", "Shows the savepoints, newest first.", []lake.Param{tableParam(), pathParam()}, columns("savepoint_time"), showSavepoints},
		{"show_compaction", "Shows the compactions, done and pending, newest first, by partition.",
			[]lake.Param{tableParam(), pathParam(), limitParam(20), optional("show_archived", types.Boolean, false, "archived ones too"), filterParam(),
				optional("start_time", types.String, nil, "first instant"), optional("end_time", types.String, nil, "last instant")},
			columns("compaction_time", "state_transition_time", "state", "action", "timeline_type", "operation_size int", "partition_path",
				"total_log_files_per_partition bigint", "total_updated_records_compacted_per_partition bigint",
				"total_log_size_compacted_per_partition bigint", "total_write_bytes_per_partition bigint"), showCompaction},
		{"show_clustering", "Shows the clusterings, done and pending, newest first.",
			[]lake.Param{tableParam(), pathParam(), limitParam(20), optional("show_involved_partition", types.Boolean, false, "name the partitions")},
			columns("timestamp", "input_group_size int", "state", "involved_partitions"), showClustering},
		{"show_cleans", "Shows the completed cleans, newest first.", []lake.Param{tableParam(), limit, archived, filterParam()},
			columns("clean_time", "state_transition_time", "action", "start_clean_time", "time_taken_in_millis bigint", "total_files_deleted int",
				"earliest_commit_to_retain", "last_completed_commit_timestamp", "version int"), showCleans},
		{"show_cleans_metadata", "Shows the completed cleans, newest first, by partition.", []lake.Param{tableParam(), limit, archived, filterParam()},
			columns("clean_time", "state_transition_time", "action", "start_clean_time", "partition_path", "policy", "delete_path_patterns int",
				"success_delete_files int", "failed_delete_files int", "is_partition_deleted boolean", "time_taken_in_millis bigint",
				"total_files_deleted int"), showCleansMetadata},
		{"show_clean_plans", "Shows what cleans were planned, newest first.", []lake.Param{tableParam(), limit, archived, filterParam()},
			columns("plan_time", "action", "earliest_instant_to_retain", "last_completed_commit_timestamp", "policy", "version int",
				"total_partitions_to_clean int", "total_partitions_to_delete int", "extra_metadata"), showCleanPlans},
	}
}

// recorded reads the completed actions of a kind from the active timeline and, where archived, from the archive: newest first.
func recorded[R any, P interface {
	*R
	timeline.Record
}](ctx context.Context, c *call, a timeline.Action, archived bool) ([]timeline.Instant, []R, error) {
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, nil, err
	}
	var instants []timeline.Instant
	var out []R
	for _, i := range slices.Backward(line.Completed(a)) {
		var m R
		if err := line.Read(ctx, i, P(&m)); err != nil {
			return nil, nil, err
		}
		instants, out = append(instants, i), append(out, m)
	}
	if !archived {
		return instants, out, nil
	}
	old, err := line.ReadArchive(ctx, "", "")
	if err != nil {
		return nil, nil, err
	}
	for _, e := range slices.Backward(old) {
		if e.Action != a {
			continue
		}
		var m R
		if err := timeline.Decode(e.Metadata, P(&m)); err != nil {
			return nil, nil, err
		}
		instants, out = append(instants, e.Instant), append(out, m)
	}
	return instants, out, nil
}

func showRollbacks(ctx context.Context, c *call) ([][]types.Value, error) {
	instants, list, err := recorded[timeline.RollbackMetadata](ctx, c, timeline.Rollback, false)
	var rows [][]types.Value
	for i, m := range list {
		for _, undone := range m.CommitsRollback {
			rows = append(rows, []types.Value{instants[i].Time, undone, int64(m.TotalFilesDeleted), m.TimeTakenInMillis, int64(len(m.PartitionMetadata))})
		}
	}
	return rows, err
}

func showRollbackDetail(ctx context.Context, c *call) ([][]types.Value, error) {
	instants, list, err := recorded[timeline.RollbackMetadata](ctx, c, timeline.Rollback, false)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(instants, func(i timeline.Instant) bool { return i.Time == c.text("instant_time") })
	if at < 0 {
		return nil, c.refuse("CALL show_rollbacks(…) lists them.", "there is no completed rollback %s on the timeline", c.text("instant_time"))
	}
	m := list[at]
	var rows [][]types.Value
	for _, partition := range slices.Sorted(maps.Keys(m.PartitionMetadata)) {
		p := m.PartitionMetadata[partition]
		for _, f := range p.SuccessDeleteFiles {
			rows = append(rows, []types.Value{m.StartRollbackTime, fmt.Sprint(m.CommitsRollback), partition, f, true})
		}
		for _, f := range p.FailedDeleteFiles {
			rows = append(rows, []types.Value{m.StartRollbackTime, fmt.Sprint(m.CommitsRollback), partition, f, false})
		}
	}
	return rows, nil
}

func showSavepoints(ctx context.Context, c *call) ([][]types.Value, error) {
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, i := range slices.Backward(line.Completed(timeline.Savepoint)) {
		rows = append(rows, []types.Value{i.Time})
	}
	return rows, nil
}

func showCompaction(ctx context.Context, c *call) ([][]types.Value, error) {
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, i := range slices.Backward(line.Instants()) {
		if from, to := c.text("start_time"), c.text("end_time"); i.Time < from || to != "" && i.Time > to {
			continue
		}
		more, err := compactionRows(ctx, line, i)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	if !c.flag("show_archived") {
		return rows, nil
	}
	c.args["start_ts"], c.args["end_ts"] = c.args["start_time"], c.args["end_time"]
	list, err := c.archived(ctx)
	for _, s := range list {
		if s.Compacted {
			rows = append(rows, compactedRows(s, nil, "ARCHIVED")...)
		}
	}
	return rows, err
}

// compactionRows tell of a compaction that is done or pending; there are none for any other action.
func compactionRows(ctx context.Context, line *timeline.Timeline, i timeline.Instant) ([][]types.Value, error) {
	var plan timeline.CompactionPlan
	requested, planned := line.InState(i, timeline.Requested)
	if planned = planned && requested.Action == timeline.Compaction; planned {
		if err := line.Read(ctx, requested, &plan); err != nil {
			return nil, err
		}
	}
	if i.State == timeline.Completed && i.Action == timeline.Commit {
		m, err := line.ReadCommit(ctx, i)
		if err != nil || !m.Compacted {
			return nil, err
		}
		var size types.Value
		if planned {
			size = int64(len(plan.Operations))
		}
		return compactedRows(said{i, m}, size, "ACTIVE"), nil
	}
	if !planned {
		return nil, nil
	}
	logs, operations := map[string]int64{}, map[string]int64{}
	for _, op := range plan.Operations {
		logs[op.PartitionPath] += int64(len(op.DeltaFilePaths))
		operations[op.PartitionPath]++
	}
	var rows [][]types.Value
	for _, p := range slices.Sorted(maps.Keys(operations)) {
		rows = append(rows, []types.Value{i.Time, nil, i.State.String(), string(timeline.Compaction), "ACTIVE", operations[p], p, logs[p],
			int64(0), int64(0), int64(0)})
	}
	return rows, nil
}

func compactedRows(s said, operations types.Value, where string) [][]types.Value {
	var rows [][]types.Value
	for _, f := range stats(s.CommitMetadata) {
		rows = append(rows, []types.Value{s.Time, s.Completion, s.State.String(), string(s.Action), where, operations, f.Partition,
			f.TotalLogFilesCompacted, f.TotalUpdatedRecordsCompacted, f.TotalLogSizeCompacted, f.TotalWriteBytes})
	}
	return rows
}

func showClustering(ctx context.Context, c *call) ([][]types.Value, error) {
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, i := range slices.Backward(line.Instants()) {
		plan, err := clusteringPlan(ctx, line, i)
		if err != nil {
			return nil, err
		}
		if plan == nil {
			continue
		}
		involved := "*"
		if c.flag("show_involved_partition") {
			involved = strings.Join(clusteredPartitions(plan), ",")
		}
		rows = append(rows, []types.Value{i.Time, int64(len(plan.InputGroups)), i.State.String(), involved})
	}
	return rows, nil
}

// clusteringPlan is the plan of a clustering, done or pending; nil for any other action.
func clusteringPlan(ctx context.Context, line *timeline.Timeline, i timeline.Instant) (*timeline.ClusteringPlan, error) {
	if i.Action != timeline.Clustering && i.Action != timeline.ReplaceCommit {
		return nil, nil
	}
	requested, ok := line.InState(i, timeline.Requested)
	if !ok {
		return nil, nil
	}
	var plan timeline.ReplacePlan
	err := line.Read(ctx, requested, &plan)
	return plan.ClusteringPlan, err
}

// clusteredPartitions are the partitions whose files a plan rewrites.
func clusteredPartitions(plan *timeline.ClusteringPlan) []string {
	seen := map[string]bool{}
	for _, g := range plan.InputGroups {
		for _, s := range g.Slices {
			seen[s.PartitionPath] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func showCleans(ctx context.Context, c *call) ([][]types.Value, error) {
	instants, list, err := recorded[timeline.CleanMetadata](ctx, c, timeline.Clean, c.flag("showArchived"))
	var rows [][]types.Value
	for i, m := range list {
		at := instants[i]
		rows = append(rows, []types.Value{at.Time, at.Completion, string(at.Action), m.StartCleanTime, m.TimeTakenInMillis, int64(m.TotalFilesDeleted),
			m.EarliestCommitToRetain, m.LastCompletedCommitTimestamp, int64(m.Version)})
	}
	return rows, err
}

func showCleansMetadata(ctx context.Context, c *call) ([][]types.Value, error) {
	instants, list, err := recorded[timeline.CleanMetadata](ctx, c, timeline.Clean, c.flag("showArchived"))
	var rows [][]types.Value
	for i, m := range list {
		at := instants[i]
		for _, name := range slices.Sorted(maps.Keys(m.PartitionMetadata)) {
			p := m.PartitionMetadata[name]
			rows = append(rows, []types.Value{at.Time, at.Completion, string(at.Action), m.StartCleanTime, name, p.Policy, int64(len(p.DeletePathPatterns)),
				int64(len(p.SuccessDeleteFiles)), int64(len(p.FailedDeleteFiles)), p.IsPartitionDeleted, m.TimeTakenInMillis, int64(m.TotalFilesDeleted)})
		}
	}
	return rows, err
}

func showCleanPlans(ctx context.Context, c *call) ([][]types.Value, error) {
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, i := range slices.Backward(line.Instants()) {
		requested, ok := line.InState(i, timeline.Requested)
		if i.Action != timeline.Clean || !ok {
			continue
		}
		var p timeline.CleanPlan
		if err := line.Read(ctx, requested, &p); err != nil {
			return nil, err
		}
		var earliest, extra types.Value
		if p.EarliestInstantToRetain != nil {
			earliest = p.EarliestInstantToRetain.Timestamp
		}
		if len(p.ExtraMetadata) > 0 {
			extra = joined(p.ExtraMetadata)
		}
		rows = append(rows, []types.Value{i.Time, string(i.Action), earliest, p.LastCompletedCommitTimestamp, p.Policy, int64(p.Version),
			int64(len(p.FilePathsToBeDeletedPartition)), int64(len(p.PartitionsToBeDeleted)), extra})
	}
	return rows, nil
}

// joined is m as key=value, key=value.
func joined(m map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+"="+m[k])
	}
	return strings.Join(out, ", ")
}

// pendingService reports whether i is a compaction or clustering that is not completed.
func pendingService(i timeline.Instant) bool {
	switch i.Action {
	case timeline.Compaction, timeline.LogCompaction, timeline.Clustering:
		return true
	}
	return false
}
