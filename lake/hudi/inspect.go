package hudi

import (
	"context"
	"io/fs"
	"reflect"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// Timeline loads the active timeline of the table.
func (t *Table) Timeline(ctx context.Context) (*timeline.Timeline, error) { return t.timeline(ctx) }

// Stage is one state of an action on the timeline and what its file says.
type Stage struct {
	timeline.Instant
	File   string          // relative to the table; "" in the archive
	Record timeline.Record // nil when the file is empty or of a kind that is not known
	Raw    []byte          // the bytes of the file
}

// Stages are all that the timeline and the archive hold of the actions at an instant, from the request to the end. It is
// fs.ErrNotExist when there are none.
func (t *Table) Stages(ctx context.Context, instant string) ([]Stage, error) {
	line, err := t.timeline(ctx)
	if err != nil {
		return nil, err
	}
	var out []Stage
	for _, i := range line.Instants() {
		if i.Time != instant {
			continue
		}
		for _, state := range []timeline.State{timeline.Requested, timeline.Inflight, timeline.Completed} {
			part, ok := line.InState(i, state)
			if !ok {
				continue
			}
			s := Stage{Instant: part, File: line.Path(part)}
			if s.Raw, err = line.ReadRaw(ctx, part); err != nil {
				return nil, t.fail("read", s.File, err)
			}
			if err := s.decode(); err != nil {
				return nil, t.fail("read", s.File, err)
			}
			out = append(out, s)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	return t.archivedStages(ctx, line, instant)
}

// archivedStages is Stages for the archive.
func (t *Table) archivedStages(ctx context.Context, line *timeline.Timeline, instant string) ([]Stage, error) {
	actions, err := line.ReadArchive(ctx, instant, instant)
	if err != nil {
		return nil, t.fail("read the archive of", "", err)
	}
	var out []Stage
	for _, a := range actions {
		plan := a.Instant
		plan.State, plan.Completion = timeline.Requested, ""
		for _, s := range []Stage{{Instant: plan, Raw: a.Plan}, {Instant: a.Instant, Raw: a.Metadata}} {
			if s.State == timeline.Requested && len(s.Raw) == 0 {
				continue
			}
			if err := s.decode(); err != nil {
				return nil, t.fail("read the archive of", "", err)
			}
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, &lake.Error{Op: "find instant " + instant + " in", Path: t.path, Err: fs.ErrNotExist,
			Hint: "tarn hudi timeline lists the instants."}
	}
	return out, nil
}

// decode fills in the record.
func (s *Stage) decode() error {
	if len(s.Raw) == 0 {
		return nil
	}
	m := recordOf(s.Instant)
	if m == nil {
		return nil
	}
	if err := timeline.Decode(s.Raw, m); err != nil {
		return err
	}
	s.Record = m
	return nil
}

// recordOf is an empty record of the kind that the file of i holds; nil when it holds none.
func recordOf(i timeline.Instant) timeline.Record {
	plan := i.State == timeline.Requested
	switch i.Action {
	case timeline.Clustering, timeline.ReplaceCommit:
		if plan {
			return new(timeline.ReplacePlan)
		}
		return new(timeline.CommitMetadata)
	case timeline.Commit, timeline.DeltaCommit:
		return new(timeline.CommitMetadata)
	case timeline.Compaction, timeline.LogCompaction:
		return new(timeline.CompactionPlan)
	case timeline.Clean:
		if i.State != timeline.Completed {
			return new(timeline.CleanPlan)
		}
		return new(timeline.CleanMetadata)
	case timeline.Savepoint:
		return new(timeline.SavepointMetadata)
	}
	return serviceRecord(i.Action, plan)
}

// serviceRecord is recordOf for actions that undo others or build indexes.
func serviceRecord(a timeline.Action, plan bool) timeline.Record {
	switch {
	case a == timeline.Rollback && plan:
		return new(timeline.RollbackPlan)
	case a == timeline.Rollback:
		return new(timeline.RollbackMetadata)
	case a == timeline.Restore && plan:
		return new(timeline.RestorePlan)
	case a == timeline.Restore:
		return new(timeline.RestoreMetadata)
	case a == timeline.Indexing && plan:
		return new(timeline.IndexPlan)
	case a == timeline.Indexing:
		return new(timeline.IndexMetadata)
	}
	return nil
}

// Fields is a record as maps, lists, texts, numbers and booleans, with the names of fields in lower camel case, as Hudi spells them: what
// package encoding/json writes well.
func Fields(m timeline.Record) any { return fieldsOf(reflect.ValueOf(m)) }

func fieldsOf(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return fieldsOf(v.Elem())
	case reflect.Struct:
		out := map[string]any{}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("avro"), ",")
			if name == "" || name == "-" {
				name = strings.ToLower(f.Name[:1]) + f.Name[1:]
			}
			out[name] = fieldsOf(v.Field(i))
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, k := range v.MapKeys() {
			out[k.String()] = fieldsOf(v.MapIndex(k))
		}
		return out
	case reflect.Slice:
		if b, ok := v.Interface().([]byte); ok {
			return string(b)
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = fieldsOf(v.Index(i))
		}
		return out
	}
	return v.Interface()
}
