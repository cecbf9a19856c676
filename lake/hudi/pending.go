package hudi

import (
	"context"
	"fmt"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// readPending learns which file groups table services are about to rewrite: logs go on top of a pending compaction, and groups of a
// pending clustering must not change.
func (x *tx) readPending(ctx context.Context) error {
	x.compacting, x.clustering = map[timeline.FileGroup]string{}, map[timeline.FileGroup]string{}
	for _, i := range x.base.timeline.Pending(timeline.Compaction, timeline.LogCompaction, timeline.Clustering, timeline.ReplaceCommit) {
		asked, ok := x.base.timeline.InState(i, timeline.Requested)
		if !ok {
			continue
		}
		if i.Action == timeline.LogCompaction { // merges logs beside those that come
			continue
		}
		if i.Action == timeline.Compaction {
			var p timeline.CompactionPlan
			if err := x.base.timeline.Read(ctx, asked, &p); err != nil {
				return err
			}
			for _, g := range p.Groups() {
				x.compacting[g] = i.Time
			}
			continue
		}
		var p timeline.ReplacePlan
		if err := x.base.timeline.Read(ctx, asked, &p); err != nil {
			return err
		}
		for _, g := range p.Groups() {
			x.clustering[g] = i.Time
		}
	}
	return nil
}

// busy reports whether a table service is about to rewrite a slice.
func (x *tx) busy(s *fileSlice) bool {
	g := timeline.FileGroup{Partition: s.Partition, FileID: s.FileID}
	return x.compacting[g] != "" || x.clustering[g] != ""
}

// touch takes a slice for this write. A slice that is about to be clustered must not change: the clustering would lose the changes.
func (x *tx) touch(s *fileSlice) error {
	if at := x.clustering[timeline.FileGroup{Partition: s.Partition, FileID: s.FileID}]; at != "" {
		return &lake.Error{Op: "write to", Path: x.table.path, Class: "HUDI_CLUSTERING_PENDING",
			Params: map[string]string{"table": x.table.path, "group": s.FileID, "instant": at},
			Err:    fmt.Errorf("file group %s is part of the clustering %s, which is pending", s.FileID, at)}
	}
	return x.act.touch(s.Partition, s.FileID)
}
