package hudi

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// clusterAction is the name of a pending clustering in tables of a layout.
func clusterAction(layout int) timeline.Action {
	if layout >= 2 {
		return timeline.Clustering
	}
	return timeline.ReplaceCommit
}

// scheduleClustering puts a clustering on the timeline. It is errNothing when no file groups are worth it.
func (t *Table) scheduleClustering(ctx context.Context, o options, c clustering) (timeline.Instant, error) {
	var i timeline.Instant
	err := t.locked(ctx, o, func(*timeline.Timeline) error {
		s, err := t.snapshot(ctx, "", reading{}, nil)
		if err != nil {
			return err
		}
		p, err := c.plan(ctx, s)
		if err != nil {
			return err
		}
		i, err = s.timeline.Request(ctx, clusterAction(s.timeline.Layout), time.Now(), p)
		return err
	})
	return i, err
}

// endClusterings carries out the clusterings whose writers are gone: their file groups could not be written to. Those that were planned for later wait.
// One that cannot be carried out is left as it is.
func (t *Table) endClusterings(ctx context.Context, x engine.Engine, line *timeline.Timeline) error {
	o := t.settings(nil)
	pending, err := pendingClusterings(ctx, line)
	if err != nil {
		return err
	}
	for _, i := range pending {
		gone, err := t.abandoned(ctx, line, i, pulseOf(o))
		if err != nil {
			return err
		}
		if gone && t.cluster(ctx, x, o, i) != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// abandoned reports whether who was carrying out a clustering, or was to do so at once, is gone.
func (t *Table) abandoned(ctx context.Context, line *timeline.Timeline, i timeline.Instant, pulse timeline.Pulse) (bool, error) {
	now := time.Now()
	given, alive, err := timeline.SignsOfLife(ctx, t.bucket, i.Time, now, pulse)
	if given || err != nil {
		return given && !alive, err
	}
	asked, ok := line.InState(i, timeline.Requested)
	if !ok {
		return false, nil
	}
	var plan timeline.ReplacePlan
	if err := line.Read(ctx, asked, &plan); err != nil || plan.ExtraMetadata[plannerKey] == "" {
		return false, err
	}
	return timeline.Left(ctx, t.bucket, line.Path(asked), plan.ExtraMetadata[plannerKey], now, pulse)
}

// cluster carries out a pending clustering: the rows of every planned group go to new file groups, which replace the old ones. Rows
// keep their meta columns.
func (t *Table) cluster(ctx context.Context, x engine.Engine, o options, i timeline.Instant) error {
	v, err := t.serve(ctx, x, o, i, opCluster)
	if err == nil {
		err = v.cluster(ctx)
	}
	if v == nil {
		return err
	}
	return v.end(ctx, err)
}

func (v *serving) cluster(ctx context.Context) error {
	p, err := clusteringPlan(ctx, v.line, v.act.instant)
	if err != nil {
		return err
	}
	if p == nil {
		return fmt.Errorf("the replacecommit %s is no clustering", v.act.instant.Time)
	}
	l, err := v.layoutOf()
	if err != nil {
		return err
	}
	c, err := clusteringOf(v.options)
	if err != nil {
		return err
	}
	var order []string
	if p.Strategy != nil {
		order = splitNames(p.Strategy.StrategyParams[clusterStrategy+"sort.columns"])
	}
	v.act.replaced = map[string][]string{}
	for _, g := range p.InputGroups {
		if err := v.clusterGroup(ctx, l, g, order, c.target); err != nil {
			return err
		}
	}
	m := v.says(l)
	m.PartitionToReplaceFileIDs = v.act.replaced
	_, err = v.complete(ctx, m, func() error { return v.unchanged(ctx, p) })
	return err
}

// clusterGroup writes the rows of one group of the plan.
func (v *serving) clusterGroup(ctx context.Context, l *layout, g timeline.ClusteringGroup, order []string, target int64) error {
	if len(g.Slices) == 0 {
		return nil
	}
	partition := g.Slices[0].PartitionPath
	var list []*fileSlice
	for k, s := range g.Slices {
		if s.PartitionPath != partition {
			return fmt.Errorf("the plan brings together files of the partitions %q and %q", partition, s.PartitionPath)
		}
		slice, err := v.slice(s.PartitionPath, s.FileID, s.DataFilePath, s.DeltaFilePaths)
		if err != nil {
			return err
		}
		slice.Number = int64(k)
		list = append(list, slice)
		v.act.replaced[partition] = append(v.act.replaced[partition], s.FileID)
	}
	rows, err := v.merged(ctx, l, list)
	if err != nil {
		return err
	}
	if rows, err = sorted(rows, l, order); err != nil {
		return err
	}
	d := l.dest(v.act, rows.columns)
	d.Key, d.FileSize = rows.group, target
	d.Name = func(key string, n int) string {
		return v.act.nameBase(ctx, partition, "", key, nil, newKeyIndex(l, v.act.instant.Time))
	}
	files, err := v.writeFiles(ctx, rows.rows, d)
	if err != nil {
		return err
	}
	for _, f := range files {
		stat := v.act.baseStat(f)
		stat.NumInserts = f.Rows
		v.act.add(stat, f)
	}
	return nil
}

// sorted is rows in the order of columns, all in one group.
func sorted(rows storedRows, l *layout, order []string) (storedRows, error) {
	in := rows.rows
	if len(order) > 0 {
		by := &rel.Sort{In: in}
		for _, name := range order {
			k := slices.IndexFunc(l.fields(), func(f types.Field) bool { return strings.EqualFold(f.Name, name) })
			if k < 0 {
				return rows, fmt.Errorf("the files have no column %s to sort by", name)
			}
			by.By = append(by.By, rel.Order{Expr: columnOf(in, rows.columns[k]).Ref()})
		}
		in = by
	}
	p := &rel.Project{In: in}
	one := rel.NewColumn("one", types.String)
	p.Cols = append(p.Cols, rel.Computed{Column: one, Expr: text("all")})
	for _, id := range rows.columns {
		c := columnOf(in, id)
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	return storedRows{rows: p, columns: rows.columns, group: one.ID}, nil
}

// unchanged is an error when a write has changed a slice of the plan meanwhile: its rows would be lost.
func (v *serving) unchanged(ctx context.Context, p *timeline.ClusteringPlan) error {
	s, err := v.table.snapshot(ctx, "", reading{}, nil)
	if err != nil {
		return err
	}
	now := map[groupKey][]string{}
	for _, slice := range s.slices {
		for _, f := range sliceFiles(slice) {
			k := groupKey{slice.Partition, slice.FileID}
			now[k] = append(now[k], path.Base(f))
		}
	}
	for _, g := range p.InputGroups {
		for _, info := range g.Slices {
			var planned []string
			for _, f := range append([]string{info.DataFilePath}, info.DeltaFilePaths...) {
				if f != "" {
					planned = append(planned, path.Base(f))
				}
			}
			found := now[groupKey{info.PartitionPath, info.FileID}]
			slices.Sort(planned)
			slices.Sort(found)
			if !slices.Equal(planned, found) {
				return fmt.Errorf("file group %s of partition %q was changed since the clustering %s was planned", info.FileID, info.PartitionPath, v.act.instant.Time)
			}
		}
	}
	return nil
}
