package hudi

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// The operations of table services, as commits name them.
const (
	opCompact operation = "COMPACT"
	opCluster operation = "CLUSTER"
)

// serving is a table service that carries out a plan of the timeline: a transaction whose instant was requested before.
//
//	[lock: plan ──▶ requested] ──▶ inflight, heartbeat ──▶ markers, base files ──▶ [lock: metadata table ──▶ completed] ──▶ markers removed
//
// A crash leaves the plan, the markers and a heartbeat that expires: whoever carries out the plan then rolls back first what was begun.
type serving struct {
	*tx
	line  *timeline.Timeline
	files map[groupKey]*fileGroup
	beat  *timeline.Heartbeat
}

// pulseOf is how often running writes and services give a sign of life, and how many signs may be missing.
func pulseOf(o options) timeline.Pulse {
	return timeline.Pulse{Interval: time.Duration(o.number("hoodie.client.heartbeat.interval_in_ms", 60_000)) * time.Millisecond,
		Misses: int(o.number("hoodie.client.heartbeat.tolerable.misses", 2))}
}

// serve begins to carry out the plan of a pending instant. One that somebody else carries out is an error.
func (t *Table) serve(ctx context.Context, x engine.Engine, o options, i timeline.Instant, op operation) (*serving, error) {
	s, err := t.snapshot(ctx, "", reading{}, nil)
	if err != nil {
		return nil, err
	}
	if s, err = s.asPlanned(ctx, i.Time); err != nil {
		return nil, err
	}
	groups, err := listFiles(ctx, t.bucket)
	if err != nil {
		return nil, err
	}
	v := &serving{tx: &tx{table: t, engine: x, base: s, view: s, started: time.Now(), options: o}, line: s.timeline, files: groups}
	v.act = &action{table: t, seen: s.timeline, instant: i, operation: op, names: map[string]madeName{}, parts: map[string]bool{},
		groups: map[timeline.FileGroup]bool{}}
	return v, v.begin(ctx)
}

// begin makes the plan inflight, and removes what one who failed at it has left.
func (v *serving) begin(ctx context.Context) error {
	b, at := v.table.bucket, v.act.instant.Time
	return v.table.locked(ctx, v.options, func(line *timeline.Timeline) error {
		if _, done := line.InState(v.act.instant, timeline.Completed); done {
			return &timeline.GoneError{Instant: v.act.instant, Reason: "is completed already"}
		}
		alive, err := timeline.Alive(ctx, b, at, time.Now(), pulseOf(v.options))
		if err != nil {
			return err
		}
		if alive {
			return fmt.Errorf("the %s %s is being carried out by another writer", v.act.instant.Action, at)
		}
		if _, begun := line.InState(v.act.instant, timeline.Inflight); begun {
			if line, err = v.undo(ctx, line); err != nil {
				return err
			}
		}
		if v.beat, err = timeline.StartHeartbeat(ctx, b, at, pulseOf(v.options)); err != nil {
			return err
		}
		if v.act.instant, err = line.Begin(ctx, v.act.instant, nil); err != nil {
			return err
		}
		v.line = line
		return nil
	})
}

// undo takes back what was begun of the plan, which waits again then. Whoever calls it holds the lock.
func (v *serving) undo(ctx context.Context, line *timeline.Timeline) (*timeline.Timeline, error) {
	u := v.table.undoing(line, v.options)
	inflight := v.act.instant
	inflight.State = timeline.Inflight
	_, err := u.rollback(ctx, inflight)
	return u.line, err
}

// undoing rolls back actions of the table. Whoever uses it holds the lock.
func (t *Table) undoing(line *timeline.Timeline, o options) *undo {
	return &undo{Table: t, line: line, pulse: pulseOf(o), publish: t.publisher()}
}

// stop ends the service. Where it failed, what it made goes and the plan waits again; cause is given back.
func (v *serving) stop(ctx context.Context, cause error) error {
	ctx = context.WithoutCancel(ctx)
	if v.beat != nil {
		_ = v.beat.Stop(ctx)
	}
	if cause == nil {
		_ = timeline.RemoveMarkers(ctx, v.table.bucket, v.act.instant.Time)
		return nil
	}
	if v.beat == nil || v.act.instant.State != timeline.Inflight { // another may be carrying it out
		return cause
	}
	err := v.table.locked(ctx, v.options, func(line *timeline.Timeline) error {
		if _, done := line.InState(v.act.instant, timeline.Completed); done {
			return nil
		}
		_, err := v.undo(ctx, line)
		return err
	})
	return errors.Join(cause, err)
}

// end is stop for a service of which another writer may have completed the plan meanwhile: then there is nothing to take back.
func (v *serving) end(ctx context.Context, err error) error {
	var gone *timeline.GoneError
	if errors.As(err, &gone) && gone.Instant.State == timeline.Completed {
		return nil
	}
	return v.stop(ctx, err)
}

// slice is a planned state of a file group: files by the last part of their names.
func (v *serving) slice(partition, id, base string, logs []string) (*fileSlice, error) {
	g := v.files[groupKey{partition, id}]
	s := &fileSlice{Partition: partition, FileID: id}
	if g == nil {
		return nil, fmt.Errorf("file group %s of partition %q is gone", id, partition)
	}
	for i := range g.bases {
		if base != "" && path.Base(g.bases[i].Path) == path.Base(base) {
			s.Base = &g.bases[i]
		}
	}
	for _, name := range logs {
		k := slices.IndexFunc(g.logs, func(l logFile) bool { return path.Base(l.Path) == path.Base(name) })
		if k < 0 {
			return nil, fmt.Errorf("the log file %s of the plan is gone", name)
		}
		l := g.logs[k]
		if v.table.config.Version >= 8 {
			l.Completion, _ = v.line.CompletionOf(l.Instant)
		}
		s.Logs = append(s.Logs, l)
	}
	if base != "" && s.Base == nil {
		return nil, fmt.Errorf("the base file %s of the plan is gone", base)
	}
	slices.SortFunc(s.Logs, compareLogs)
	return s, nil
}

// merged is the rows of slices, with their logs, as base files store them. Their group is the number of the slice.
func (v *serving) merged(ctx context.Context, l *layout, list []*fileSlice) (storedRows, error) {
	var cols, read []rel.Column
	for _, f := range l.fields() {
		c := rel.Column{ID: rel.NewID(), Name: f.Name, Type: f.Type, Nullable: true}
		cols = append(cols, c)
		if l.meta || !isMeta(f.Name) {
			read = append(read, c)
		}
	}
	id := rel.Column{ID: rel.NewID(), Name: "place", Type: v.base.RowIDType()}
	rows, err := v.base.rows(ctx, list, read, &id)
	if err != nil {
		return storedRows{}, err
	}
	p := &rel.Project{In: rows}
	group := rel.NewColumn("group", types.String)
	p.Cols = append(p.Cols, rel.Computed{Column: group, Expr: cast(&rel.Field{X: id.Ref(), Index: 0}, types.String)})
	for _, c := range cols {
		x := rel.Expr(&rel.Lit{T: c.Type})
		if l.meta || !isMeta(c.Name) {
			x = c.Ref()
		}
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: x})
	}
	return storedRows{rows: p, group: group.ID, columns: idsOf(cols)}, nil
}

// complete makes what the service wrote part of the table. check runs under the lock, before anything is changed.
func (v *serving) complete(ctx context.Context, m *timeline.CommitMetadata, check func() error) (timeline.Instant, error) {
	var done timeline.Instant
	err := v.table.locked(ctx, v.options, func(line *timeline.Timeline) error {
		if err := v.beat.Check(); err != nil {
			return err
		}
		if err := check(); err != nil {
			return err
		}
		if err := v.keepMetadata(ctx, line, m); err != nil {
			return err
		}
		var err error
		done, err = line.Complete(ctx, v.act.instant, time.Now(), m)
		return err
	})
	return done, err
}

// says is what the completed service says.
func (v *serving) says(l *layout) *timeline.CommitMetadata {
	m := &timeline.CommitMetadata{PartitionToWriteStats: map[string][]timeline.WriteStat{}, OperationType: string(v.act.operation),
		ExtraMetadata: map[string]string{timeline.SchemaKey: l.plain}, Compacted: v.act.operation == opCompact}
	if h := v.base.history; h != nil {
		m.ExtraMetadata[internalSchemaKey] = h.text
	}
	for _, s := range v.act.stats {
		m.PartitionToWriteStats[s.Partition] = append(m.PartitionToWriteStats[s.Partition], s)
	}
	return m
}
