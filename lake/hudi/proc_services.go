package hudi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// serviceProcedures run table services.
func serviceProcedures() []procedure {
	opts := optional("options", types.String, nil, "settings of this call: key=value, key=value")
	instants := optional("instants", types.String, nil, "the pending ones to carry out, joined by commas")
	return []procedure{
		{"run_compaction", "Makes base files of log files: plans (op schedule), carries out plans (execute), or both (run).",
			[]lake.Param{required("op", "schedule, execute, scheduleAndExecute or run"), tableParam(), pathParam(),
				optional("timestamp", types.String, nil, "a pending compaction to carry out"), opts, instants,
				optional("limit", types.Int, nil, "how many plans to carry out at most")},
			columns("timestamp", "operation_size int", "state"), runCompaction},
		{"run_clustering", "Brings small file groups together, and sorts their rows.",
			[]lake.Param{tableParam(), pathParam(), optional("predicate", types.String, nil, "not supported: use selected_partitions"),
				optional("order", types.String, nil, "columns to sort by, joined by commas"),
				optional("show_involved_partition", types.Boolean, false, "name the partitions"),
				optional("op", types.String, nil, "schedule, execute or scheduleAndExecute, which is the default"),
				optional("order_strategy", types.String, nil, "linear"), opts, instants,
				optional("selected_partitions", types.String, nil, "partitions, joined by commas; all where not given"),
				optional("limit", types.Int, nil, "how many plans to carry out at most")},
			columns("timestamp", "input_group_size int", "state", "involved_partitions"), runClustering},
		{"run_clean", "Deletes files that no kept state of the table needs.",
			[]lake.Param{tableParam(), optional("schedule_in_line", types.Boolean, true, "plan a new clean, not only carry out pending ones"),
				optional("clean_policy", types.String, nil, "KEEP_LATEST_COMMITS, KEEP_LATEST_FILE_VERSIONS or KEEP_LATEST_BY_HOURS"),
				optional("retain_commits", types.Int, nil, "commits whose states stay readable"),
				optional("hours_retained", types.Int, nil, "hours whose states stay readable"),
				optional("file_versions_retained", types.Int, nil, "states of every file group that stay"), opts},
			columns("start_clean_time", "time_taken_in_millis bigint", "total_files_deleted int", "earliest_commit_to_retain", "bootstrap_part_metadata", "version int"),
			runClean},
		{"create_savepoint", "Keeps the files of a state of the table from being cleaned.",
			[]lake.Param{tableParam(), optional("commit_time", types.String, nil, "a commit; the last one where not given"),
				optional("user", types.String, "", "who"), optional("comments", types.String, "", "why"), pathParam()},
			columns("create_savepoint_result boolean"), createSavepoint},
		{"delete_savepoint", "Lets the files of a savepoint be cleaned.",
			[]lake.Param{tableParam(), optional("instant_time", types.String, nil, "savepoints, joined by commas; the newest where not given"), pathParam()},
			columns("delete_savepoint_result boolean"), deleteSavepoint},
		{"rollback_to_savepoint", "Brings the table back to a savepoint: undoes every later commit.",
			[]lake.Param{tableParam(), optional("instant_time", types.String, nil, "a savepoint; the newest where not given"), pathParam()},
			columns("rollback_savepoint_result boolean"), rollbackToSavepoint},
		{"rollback_to_instant", "Undoes the last commit.", []lake.Param{tableParam(), required("instant_time", "the last commit")},
			columns("rollback_result boolean"), rollbackToInstant},
		{"drop_partition", "Takes partitions out of the table.",
			[]lake.Param{tableParam(), required("partition", "paths of partitions, joined by commas; * is any text")}, columns("result"), dropPartition},
		{"delete_marker", "Removes the markers of an instant that is not pending.",
			[]lake.Param{tableParam(), required("instant_time", "instants, joined by commas")}, columns("delete_marker_result boolean"), deleteMarker},
		{"delete_metadata_table", "Removes the metadata table; queries list folders then.", []lake.Param{tableParam()}, columns("result"), deleteMetadata},
	}
}

// more are the settings of the call: of its argument options, and others that set the given keys where they are not NULL.
func (c *call) more(keys map[string]string) (options, error) {
	given, err := parseOptions(c.text("options"))
	if err != nil {
		return options{}, err
	}
	for arg, key := range keys {
		switch v := c.args[arg].(type) {
		case string:
			given[key] = v
		case int64:
			given[key] = strconv.FormatInt(v, 10)
		}
	}
	return c.settings(given), nil
}

// running is what a call of run_compaction or run_clustering asks for.
type running struct {
	schedule, execute bool
	instants          []string // pending ones to carry out; nil is all
	limit             int64    // -1 is none
}

func (c *call) running() (running, error) {
	r := running{limit: -1}
	op := strings.ToLower(c.text("op"))
	r.instants = splitNames(c.text("instants"))
	if at := c.text("timestamp"); at != "" && len(r.instants) == 0 {
		r.instants, op = []string{at}, "execute"
	}
	switch {
	case op == "schedule":
		r.schedule = true
	case op == "execute", len(r.instants) > 0 && op == "":
		r.execute = true
	case op == "", op == "run", op == "scheduleandexecute":
		r.schedule, r.execute = true, true
	default:
		return r, c.refuse("", "the op %q is not one of schedule, execute, scheduleAndExecute and run", op)
	}
	if r.schedule && len(r.instants) > 0 {
		return r, c.refuse("", "instants are given to be carried out, and op %q plans a new one", op)
	}
	if n, ok := c.number("limit"); ok {
		r.limit = n
	}
	delete(c.args, "limit") // of plans, not of rows
	return r, nil
}

// chosen are those of the pending instants that r carries out.
func (r running) chosen(pending []timeline.Instant) ([]timeline.Instant, error) {
	out := pending
	if len(r.instants) > 0 {
		out = nil
		for _, at := range r.instants {
			i := slices.IndexFunc(pending, func(p timeline.Instant) bool { return p.Time == at })
			if i < 0 {
				return nil, fmt.Errorf("%s is not pending", at)
			}
			out = append(out, pending[i])
		}
	}
	if r.limit >= 0 && int64(len(out)) > r.limit {
		out = out[:r.limit]
	}
	return out, nil
}

func runCompaction(ctx context.Context, c *call) ([][]types.Value, error) {
	r, err := c.running()
	if err != nil {
		return nil, err
	}
	o, err := c.more(nil)
	if err != nil {
		return nil, err
	}
	if c.config.Type != config.MergeOnRead {
		return nil, c.refuse("CALL run_clustering joins small files of other tables.", "only MERGE_ON_READ tables are compacted")
	}
	pending := func(line *timeline.Timeline) ([]timeline.Instant, error) {
		return line.Pending(timeline.Compaction), nil
	}
	did, err := c.runPlans(ctx, r, pending, func() (timeline.Instant, error) { return c.scheduleCompaction(ctx, o) },
		func(i timeline.Instant) error { return c.compact(ctx, c.engine, o, i) })
	if err != nil {
		return nil, err
	}
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, i := range slices.Backward(did) {
		var p timeline.CompactionPlan
		requested, _ := line.InState(i, timeline.Requested)
		if err := line.Read(ctx, requested, &p); err != nil {
			return nil, err
		}
		rows = append(rows, []types.Value{i.Time, int64(len(p.Operations)), stateOf(line, i)})
	}
	return rows, nil
}

// stateOf is the state that an action has reached.
func stateOf(line *timeline.Timeline, i timeline.Instant) string {
	for _, s := range []timeline.State{timeline.Completed, timeline.Inflight} {
		if _, ok := line.InState(i, s); ok {
			return s.String()
		}
	}
	return timeline.Requested.String()
}

// runPlans plans and carries out what r asks for, and gives the instants.
func (c *call) runPlans(ctx context.Context, r running, pending func(*timeline.Timeline) ([]timeline.Instant, error),
	plan func() (timeline.Instant, error), carryOut func(timeline.Instant) error) ([]timeline.Instant, error) {
	var did []timeline.Instant
	planned := false
	if r.schedule {
		if err := c.ready(ctx, c.engine); err != nil {
			return nil, err
		}
		i, err := plan()
		if err != nil && !errors.Is(err, errNothing) {
			return nil, err
		}
		if planned = err == nil; planned {
			did = append(did, i)
		}
	}
	if r.execute && !planned { // where all is planned already, what is pending
		line, err := c.timeline(ctx)
		if err != nil {
			return nil, err
		}
		all, err := pending(line)
		if err != nil {
			return nil, err
		}
		if did, err = r.chosen(all); err != nil {
			return nil, err
		}
	}
	if r.execute {
		for _, i := range did {
			if err := carryOut(i); err != nil {
				return nil, err
			}
		}
	}
	return did, nil
}

func runClustering(ctx context.Context, c *call) ([][]types.Value, error) {
	if c.text("predicate") != "" {
		return nil, c.refuse("Name the partitions with selected_partitions.", "a predicate in run_clustering is not supported")
	}
	r, err := c.running()
	if err != nil {
		return nil, err
	}
	o, err := c.more(map[string]string{"order": clusterStrategy + "sort.columns", "order_strategy": "hoodie.layout.optimize.strategy",
		"selected_partitions": clusterStrategy + "partition.selected"})
	if err != nil {
		return nil, err
	}
	how, err := clusteringOf(o)
	if err != nil {
		return nil, err
	}
	how.now = r.execute
	pending := func(line *timeline.Timeline) ([]timeline.Instant, error) { return pendingClusterings(ctx, line) }
	did, err := c.runPlans(ctx, r, pending, func() (timeline.Instant, error) { return c.scheduleClustering(ctx, o, how) },
		func(i timeline.Instant) error { return c.cluster(ctx, c.engine, o, i) })
	if err != nil {
		return nil, err
	}
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, i := range slices.Backward(did) {
		p, err := clusteringPlan(ctx, line, i)
		if err != nil || p == nil {
			return nil, err
		}
		involved := "*"
		if c.flag("show_involved_partition") {
			involved = strings.Join(clusteredPartitions(p), ",")
		}
		rows = append(rows, []types.Value{i.Time, int64(len(p.InputGroups)), stateOf(line, i), involved})
	}
	return rows, nil
}

// pendingClusterings are the clusterings that are not completed; in layout 1 other replacecommits have no plan of one.
func pendingClusterings(ctx context.Context, line *timeline.Timeline) ([]timeline.Instant, error) {
	var out []timeline.Instant
	for _, i := range line.Pending(timeline.Clustering, timeline.ReplaceCommit) {
		p, err := clusteringPlan(ctx, line, i)
		if err != nil {
			return nil, err
		}
		if p != nil {
			out = append(out, i)
		}
	}
	return out, nil
}

func runClean(ctx context.Context, c *call) ([][]types.Value, error) {
	o, err := c.more(map[string]string{"clean_policy": "hoodie.clean.policy", "retain_commits": "hoodie.clean.commits.retained",
		"hours_retained": "hoodie.clean.hours.retained", "file_versions_retained": "hoodie.clean.fileversions.retained"})
	if err != nil {
		return nil, err
	}
	r, err := retentionOf(o)
	if err != nil {
		return nil, err
	}
	m, err := c.clean(ctx, o, r, c.flag("schedule_in_line"))
	if err != nil || m == nil {
		return nil, err
	}
	return [][]types.Value{{m.StartCleanTime, m.TimeTakenInMillis, int64(m.TotalFilesDeleted), m.EarliestCommitToRetain, "{}", int64(m.Version)}}, nil
}

// done is the answer of a procedure that did what it was asked for.
var done = [][]types.Value{{true}}

func createSavepoint(ctx context.Context, c *call) ([][]types.Value, error) {
	return done, c.savepoint(ctx, c.settings(nil), c.text("commit_time"), c.text("user"), c.text("comments"))
}

func deleteSavepoint(ctx context.Context, c *call) ([][]types.Value, error) {
	list := splitNames(c.text("instant_time"))
	if len(list) == 0 {
		list = []string{""}
	}
	for _, at := range list {
		if err := c.Table.deleteSavepoint(ctx, c.settings(nil), at); err != nil {
			return nil, err
		}
	}
	return done, nil
}

func rollbackToSavepoint(ctx context.Context, c *call) ([][]types.Value, error) {
	return done, c.restore(ctx, c.settings(nil), c.text("instant_time"))
}

func rollbackToInstant(ctx context.Context, c *call) ([][]types.Value, error) {
	return done, c.rollbackTo(ctx, c.settings(nil), c.text("instant_time"))
}

func dropPartition(ctx context.Context, c *call) ([][]types.Value, error) {
	return [][]types.Value{{"Success"}}, c.dropPartitions(ctx, c.text("partition"))
}

// dropPartitions takes partitions, whose paths list joins by commas, out of the table.
func (c *call) dropPartitions(ctx context.Context, list string) error {
	x, err := c.Begin(ctx, c.engine)
	if err != nil {
		return err
	}
	drop := lake.Append{Rows: &rel.Values{Rows: [][]rel.Expr{{}}}, Options: c.settings(map[string]string{optOperation: "delete_partition",
		"hoodie.datasource.write.partitions.to.delete": list}).all}
	if _, err := x.Apply(ctx, drop); err != nil {
		return errors.Join(err, x.Rollback())
	}
	_, err = x.Commit(ctx, lake.Operation{Name: "DROP PARTITION"})
	return err
}

// deleteMarker removes markers. Those of a pending instant are what its rollback needs.
func deleteMarker(ctx context.Context, c *call) ([][]types.Value, error) {
	return done, c.locked(ctx, c.settings(nil), func(line *timeline.Timeline) error {
		for _, at := range splitNames(c.text("instant_time")) {
			if i, ok := line.Find(at); ok && i.State != timeline.Completed {
				return fmt.Errorf("the instant %s is pending: its markers tell which files to remove when it is rolled back", i)
			}
			if err := timeline.RemoveMarkers(ctx, c.bucket, at); err != nil {
				return err
			}
		}
		return nil
	})
}

func deleteMetadata(ctx context.Context, c *call) ([][]types.Value, error) {
	had := len(c.config.MetadataPartitions) > 0
	err := c.locked(ctx, c.settings(nil), func(*timeline.Timeline) error { return c.dropMetadata(ctx) })
	if err != nil {
		return nil, err
	}
	if !had {
		return [][]types.Value{{"There was no metadata table"}}, nil
	}
	return [][]types.Value{{"Removed the metadata table"}}, nil
}
