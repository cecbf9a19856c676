package hudi

import (
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

const allPartitions = "ALL_PARTITIONS"

// fileProcedures tell which files a table has.
func fileProcedures() []procedure {
	view := []lake.Param{tableParam(), optional("max_instant", types.String, nil, "files of instants up to this one"),
		optional("include_max", types.Boolean, false, "with that instant"), optional("include_in_flight", types.Boolean, false, "files of pending writes too"),
		optional("exclude_compaction", types.Boolean, false, "without files of pending compactions"), limitParam(10),
		optional("path_regex", types.String, allPartitions, "a pattern of partition paths")}
	return []procedure{
		{"show_fsview_all", "Shows all file slices, also superseded ones.", view,
			columns("partition", "file_id", "base_instant", "data_file", "data_file_size bigint", "num_delta_files bigint",
				"total_delta_file_size bigint", "delta_files"), showAllSlices},
		{"show_fsview_latest", "Shows the file slices that a snapshot query reads.",
			append(slices.Clone(view), optional("partition_path", types.String, allPartitions, "a pattern of partition paths"),
				optional("merge", types.Boolean, true, "slices of a pending compaction as one")),
			columns("partition", "file_id", "base_instant", "data_file", "data_file_size bigint", "num_delta_files bigint",
				"total_delta_file_size bigint", "delta_size_compaction_scheduled bigint", "delta_size_compaction_unscheduled bigint",
				"delta_to_base_radio_compaction_scheduled double", "delta_to_base_radio_compaction_unscheduled double",
				"delta_files_compaction_scheduled", "delta_files_compaction_unscheduled"), showLatestSlices},
		{"stats_file_sizes", "Shows by commit how large the base files are that it wrote.",
			[]lake.Param{tableParam(), optional("partition_path", types.String, nil, "a pattern of partition paths"), limitParam(10)},
			columns("commit_time", "min bigint", "10th double", "50th double", "avg double", "95th double", "max bigint", "num_files int", "std_dev double"),
			statsFileSizes},
	}
}

// wants reports whether a partition is one that the arguments ask for.
func (c *call) wants(partition string) bool {
	for _, name := range []string{"path_regex", "partition_path"} {
		pattern := c.text(name)
		if pattern == "" || pattern == allPartitions {
			continue
		}
		if ok, err := path.Match(strings.Trim(pattern, "/"), partition); err != nil || !ok {
			return false
		}
	}
	return true
}

// until is the bound of instants that the arguments ask for; true when it is one of the instants.
func (c *call) until() (string, bool) { return c.text("max_instant"), c.flag("include_max") }

// asked is a view of the instants that the arguments ask for.
type asked struct {
	seen
	call *call
}

func (a *asked) committed(instant string) bool {
	if max, with := a.call.until(); max != "" && (instant > max || instant == max && !with) {
		return false
	}
	if a.seen.committed(instant) {
		return true
	}
	i, ok := a.timeline.Find(instant)
	return ok && a.call.flag("include_in_flight") && (!a.call.flag("exclude_compaction") || !pendingService(i))
}

// view lists the files of the table, and the instants that the arguments ask for.
func (c *call) view(ctx context.Context) ([]*fileGroup, *asked, error) {
	s := &Snapshot{table: c.Table, config: c.config}
	files, err := s.load(ctx, c.entry.Options)
	if err != nil {
		return nil, nil, err
	}
	replaced, err := s.replaced(ctx, s.timeline.Commits())
	if err != nil {
		return nil, nil, err
	}
	groups := slices.DeleteFunc(files.sorted(), func(g *fileGroup) bool {
		return !c.wants(g.partition) || replaced[groupKey{g.partition, g.id}]
	})
	return groups, &asked{seen{timeline: s.timeline}, c}, nil
}

func showLatestSlices(ctx context.Context, c *call) ([][]types.Value, error) {
	groups, v, err := c.view(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, g := range groups {
		s := g.slice(v, c.config.Version < 8)
		if s == nil {
			continue
		}
		data, size, logs := c.describeSlice(s)
		ratio := -1.0
		if size > 0 {
			ratio = float64(logs.size) / float64(size)
		}
		unscheduled := 0.0
		if size <= 0 {
			unscheduled = -1
		}
		var same, other []string
		for i := range s.Logs {
			if s.Logs[i].Instant == s.Instant() {
				same = append(same, c.path+"/"+s.Logs[i].Path)
			} else {
				other = append(other, c.path+"/"+s.Logs[i].Path)
			}
		}
		rows = append(rows, []types.Value{s.Partition, s.FileID, s.Instant(), data, size, int64(len(s.Logs)), logs.size, logs.size, int64(0), ratio, unscheduled,
			"[" + strings.Join(same, ",") + "]", "[" + strings.Join(other, ",") + "]"})
	}
	return rows, nil
}

func showAllSlices(ctx context.Context, c *call) ([][]types.Value, error) {
	groups, v, err := c.view(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, g := range groups {
		for _, s := range g.all(v, c.config.Version < 8) {
			data, size, logs := c.describeSlice(s)
			rows = append(rows, []types.Value{s.Partition, s.FileID, s.Instant(), data, size, int64(len(s.Logs)), logs.size,
				"[" + strings.Join(logs.paths, ", ") + "]"})
		}
	}
	return rows, nil
}

// all is every slice of the group that v sees, newest first.
func (g *fileGroup) all(v view, byBase bool) []*fileSlice {
	var out []*fileSlice
	before := "" // the start of the slice found last
	for {
		s := g.slice(&earlier{v, before}, byBase)
		if s == nil {
			return out
		}
		if before != "" {
			s.Logs = slices.DeleteFunc(s.Logs, func(l logFile) bool { return logStart(l, byBase) >= before })
		}
		if s.Base == nil && len(s.Logs) == 0 {
			return out
		}
		out = append(out, s)
		if s.Base == nil {
			return out
		}
		before = s.Base.Instant
	}
}

// logStart is what tells to which slice a log belongs.
func logStart(l logFile, byBase bool) string {
	if byBase || l.Completion == "" {
		return l.Instant
	}
	return l.Completion
}

// earlier is a view of the instants before one; of all where it is "".
type earlier struct {
	view
	before string
}

func (e *earlier) committed(instant string) bool {
	return (e.before == "" || instant < e.before) && e.view.committed(instant)
}

type sliceLogs struct {
	paths []string
	size  int64
}

// describeSlice is the path and size of the base file, "" and 0 where there is none, and the logs.
func (c *call) describeSlice(s *fileSlice) (data string, size int64, logs sliceLogs) {
	if s.Base != nil {
		data, size = c.path+"/"+s.Base.Path, s.Base.Size
	}
	for _, l := range s.Logs {
		logs.paths = append(logs.paths, c.path+"/"+l.Path)
		logs.size += l.Size
	}
	return data, size, logs
}

// statsFileSizes is how the sizes of base files spread: by the instant that made them, and for all.
func statsFileSizes(ctx context.Context, c *call) ([][]types.Value, error) {
	groups, v, err := c.view(ctx)
	if err != nil {
		return nil, err
	}
	sizes := map[string][]int64{}
	var all []int64
	for _, g := range groups {
		for _, b := range g.bases {
			if v.committed(b.Instant) {
				sizes[b.Instant] = append(sizes[b.Instant], b.Size)
				all = append(all, b.Size)
			}
		}
	}
	var instants []string
	for i := range sizes {
		instants = append(instants, i)
	}
	slices.Sort(instants)
	var rows [][]types.Value
	for _, i := range slices.Backward(instants) {
		rows = append(rows, spread(i, sizes[i]))
	}
	if len(all) > 0 {
		rows = append(rows, spread("ALL", all))
	}
	return rows, nil
}

// spread are the quantiles, the mean and the deviation of values, of which there is one at least.
func spread(name string, values []int64) []types.Value {
	slices.Sort(values)
	n := float64(len(values))
	sum, squares := 0.0, 0.0
	for _, v := range values {
		sum += float64(v)
	}
	mean := sum / n
	for _, v := range values {
		squares += (float64(v) - mean) * (float64(v) - mean)
	}
	deviation := 0.0
	if n > 1 {
		deviation = math.Sqrt(squares / (n - 1))
	}
	return []types.Value{name, values[0], quantile(values, 0.1), quantile(values, 0.5), mean, quantile(values, 0.95), values[len(values)-1],
		int64(len(values)), deviation}
}

// quantile interpolates between the two values around position q·(n+1), as the histograms of Hudi do.
func quantile(sorted []int64, q float64) float64 {
	at := q * float64(len(sorted)+1)
	i := int(at)
	switch {
	case i < 1:
		return float64(sorted[0])
	case i >= len(sorted):
		return float64(sorted[len(sorted)-1])
	}
	low, high := float64(sorted[i-1]), float64(sorted[i])
	return low + (at-math.Floor(at))*(high-low)
}

// sliceFiles are the paths of the files of a slice.
func sliceFiles(s *fileSlice) []string {
	var out []string
	if s.Base != nil {
		out = append(out, s.Base.Path)
	}
	for _, l := range s.Logs {
		out = append(out, l.Path)
	}
	return out
}
