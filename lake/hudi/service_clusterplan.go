package hudi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/types"
)

// clustering says which file groups a clustering brings together, and how.
type clustering struct {
	order      []string        // columns to sort by; none: the rows stay in the order of the files
	partitions map[string]bool // nil: all
	small      int64           // base files from so many bytes on are left alone, unless rows are sorted
	target     int64           // bytes per new file
	group      int64           // bytes that are rewritten together
	groups     int64           // at most
	now        bool            // who plans it carries it out at once
}

// The defaults of Hudi.
const (
	clusterSmall  = 300 << 20
	clusterTarget = 1 << 30
	clusterGroup  = 2 << 30
	clusterGroups = 30
)

const (
	clusterStrategy = "hoodie.clustering.plan.strategy."
	plannerKey      = "tarn.planner" // in a plan that its maker carries out at once: the process, see [timeline.Self]
)

// clusteringOf reads the settings hoodie.clustering.….
func clusteringOf(o options) (clustering, error) {
	c := clustering{order: splitNames(o.text("", clusterStrategy+"sort.columns")), small: o.number(clusterStrategy+"small.file.limit", clusterSmall),
		target: o.number(clusterStrategy+"target.file.max.bytes", clusterTarget), group: o.number(clusterStrategy+"max.bytes.per.group", clusterGroup),
		groups: o.number(clusterStrategy+"max.num.groups", clusterGroups)}
	if layout := strings.ToLower(o.text("linear", "hoodie.layout.optimize.strategy")); layout != "linear" {
		return c, fmt.Errorf("the order strategy %s: %w; rows are sorted by the columns, strategy linear", layout, errors.ErrUnsupported)
	}
	if list := o.text("", clusterStrategy+"partition.selected"); list != "" {
		c.partitions = map[string]bool{}
		for _, p := range splitNames(list) {
			c.partitions[p] = true
		}
	}
	if c.target < 1 || c.group < 1 || c.groups < 1 {
		return c, errors.New("sizes and numbers of clustering are greater than 0")
	}
	return c, o.err()
}

// plan brings the slices of each partition into groups. It is errNothing when no group is worth it.
func (c clustering) plan(ctx context.Context, s *Snapshot) (*timeline.ReplacePlan, error) {
	for _, name := range c.order {
		if !slices.ContainsFunc(s.meta.Schema.Fields, func(f types.Field) bool { return strings.EqualFold(f.Name, name) }) {
			return nil, fmt.Errorf("the table has no column %s to sort by", name)
		}
	}
	if s.looksBucketed() {
		return nil, errors.New("the file groups of the table are buckets, which clustering would take apart")
	}
	busy, err := taken(ctx, s.timeline)
	if err != nil {
		return nil, err
	}
	one, extra := int32(1), map[string]string{}
	plan := &timeline.ClusteringPlan{ExtraMetadata: map[string]string{}, Version: 1, PreserveHoodieMetadata: true, MissingSchedulePartitions: []string{},
		Strategy: &timeline.ClusteringStrategy{StrategyClassName: "org.apache.hudi.client.clustering.run.strategy.SparkSortAndSizeExecutionStrategy",
			StrategyParams: map[string]string{}, Version: 1}}
	if c.now {
		extra[plannerKey] = timeline.Self()
	}
	if len(c.order) > 0 {
		plan.Strategy.StrategyParams[clusterStrategy+"sort.columns"] = strings.Join(c.order, ",")
	}
	for _, list := range c.together(s, busy) {
		if int64(len(plan.InputGroups)) < c.groups {
			plan.InputGroups = append(plan.InputGroups, c.inputGroup(s.table.path, list))
		}
	}
	if len(plan.InputGroups) == 0 {
		return nil, errNothing
	}
	return &timeline.ReplacePlan{OperationType: "CLUSTER", ClusteringPlan: plan, ExtraMetadata: extra, Version: &one}, nil
}

// together are the slices that are rewritten together: of one partition, up to c.group bytes.
func (c clustering) together(s *Snapshot, busy map[groupKey]bool) [][]*fileSlice {
	var out [][]*fileSlice
	var size int64
	for _, slice := range s.slices { // by partition
		if busy[groupKey{slice.Partition, slice.FileID}] || c.partitions != nil && !c.partitions[slice.Partition] {
			continue
		}
		n := sliceSize(slice)
		if len(c.order) == 0 && n >= c.small {
			continue
		}
		last := len(out) - 1
		if last < 0 || out[last][0].Partition != slice.Partition || size+n > c.group {
			out, size = append(out, nil), 0
			last++
		}
		out[last], size = append(out[last], slice), size+n
	}
	return slices.DeleteFunc(out, func(g []*fileSlice) bool { return len(g) == 1 && len(c.order) == 0 && len(g[0].Logs) == 0 })
}

// sliceSize is the bytes of the files of a slice.
func sliceSize(s *fileSlice) int64 {
	var n int64
	if s.Base != nil {
		n = s.Base.Size
	}
	for _, l := range s.Logs {
		n += l.Size
	}
	return n
}

// inputGroup is slices that are rewritten together as the plan says it. Paths are absolute.
func (c clustering) inputGroup(root string, list []*fileSlice) timeline.ClusteringGroup {
	var total int64
	g := timeline.ClusteringGroup{Metrics: sliceMetrics(list...), ExtraMetadata: map[string]string{}, Version: 1}
	for _, s := range list {
		total += sliceSize(s)
		info := timeline.SliceInfo{FileID: s.FileID, PartitionPath: s.Partition, DeltaFilePaths: []string{}, Version: 1}
		if s.Base != nil {
			info.DataFilePath = root + "/" + s.Base.Path
		}
		for _, l := range s.Logs {
			info.DeltaFilePaths = append(info.DeltaFilePaths, root+"/"+l.Path)
		}
		g.Slices = append(g.Slices, info)
	}
	g.NumOutputFileGroups = int32((total + c.target - 1) / c.target)
	return g
}
