package hudi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// versions are those that tables can be brought to, in order.
var versions = []int{5, 6, 8, 9}

// versionNames are the names of versions in Hudi's procedures.
var versionNames = map[string]int{"FIVE": 5, "SIX": 6, "EIGHT": 8, "NINE": 9}

// versionOf reads a version: a number, or a name such as SIX.
func versionOf(text string) (int, error) {
	v, ok := versionNames[strings.ToUpper(strings.TrimSpace(text))]
	if !ok {
		v, _ = strconv.Atoi(strings.TrimSpace(text))
	}
	if !slices.Contains(versions, v) {
		return 0, fmt.Errorf("the table version %q is not one of 5, 6, 8 and 9", text)
	}
	return v, nil
}

// toVersion brings the table to a version, up or down, as Hudi's own upgrade does:
//
//	log files compacted ──▶ [lock: metadata table dropped ──▶ instants in the other layout ──▶ hoodie.properties ──▶ former instants removed]
//
// Until the properties are written the table is what it was, and afterwards it is what it becomes: a crash leaves files of the other
// layout, which nobody reads and which the next attempt removes. Completed instants get completion times in the order of their
// requests, which is the order that layout 1 has.
func (t *Table) toVersion(ctx context.Context, x engine.Engine, o options, to int) error {
	if err := t.config.Writable(); err != nil {
		return err
	}
	if err := t.ready(ctx, x); err != nil {
		return err
	}
	if err := t.compactAll(ctx, x, o); err != nil {
		return err
	}
	return t.locked(ctx, o, func(line *timeline.Timeline) error {
		if pending := line.Pending(); len(pending) > 0 {
			return fmt.Errorf("%s is pending; complete it or roll it back first", pending[0])
		}
		if err := t.withoutLogs(ctx); err != nil {
			return err
		}
		if err := t.dropMetadata(ctx); err != nil {
			return err
		}
		if err := storage.RemoveAll(ctx, t.bucket, ".hoodie/.index_defs"); err != nil {
			return err
		}
		return t.convert(ctx, line, to)
	})
}

// compactAll carries out the pending compactions, and one of all logs.
func (t *Table) compactAll(ctx context.Context, x engine.Engine, o options) error {
	if t.config.Type != config.MergeOnRead {
		return nil
	}
	line, err := t.timeline(ctx)
	if err != nil {
		return err
	}
	for _, i := range line.Pending(timeline.Compaction) {
		if err := t.compact(ctx, x, o, i); err != nil {
			return err
		}
	}
	i, err := t.scheduleCompaction(ctx, o)
	if errors.Is(err, errNothing) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.compact(ctx, x, o, i)
}

// withoutLogs is an error when the table's last state has logs: names of logs mean other things in other versions.
func (t *Table) withoutLogs(ctx context.Context) error {
	s, err := t.snapshot(ctx, "", reading{}, nil)
	if err != nil {
		return err
	}
	for _, slice := range s.slices {
		if len(slice.Logs) > 0 {
			return fmt.Errorf("another writer has written the log file %s meanwhile", slice.Logs[0].Path)
		}
	}
	return nil
}

// convert rewrites the timeline and the properties.
func (t *Table) convert(ctx context.Context, line *timeline.Timeline, to int) error {
	from := t.config.Version
	other := timeline.DefaultConfig(to)
	other.Zone = line.Zone
	moves := other.Layout != line.Layout
	if moves {
		if err := t.moveTimeline(ctx, line, other); err != nil {
			return err
		}
	}
	_, err := config.Update(ctx, t.bucket, func(p config.Properties) { convertProperties(p, t.config, from, to) })
	if err != nil || !moves {
		return err
	}
	return t.removeTimeline(ctx, line.Config)
}

// moveTimeline writes the instants of line in another layout.
func (t *Table) moveTimeline(ctx context.Context, line *timeline.Timeline, other timeline.Config) error {
	if err := t.removeTimeline(ctx, other); err != nil {
		return err
	}
	archived, err := line.ReadArchive(ctx, "", "")
	if err != nil {
		return err
	}
	m := mover{Table: t, to: other}
	for _, a := range archived { // they become active again, until they are archived in their new layout
		requested, inflight := a.Instant, a.Instant
		requested.State, inflight.State = timeline.Requested, timeline.Inflight
		for _, part := range []struct {
			timeline.Instant
			data []byte
		}{{requested, a.Plan}, {inflight, nil}, {a.Instant, a.Metadata}} {
			if err := m.move(ctx, part.Instant, part.data); err != nil {
				return err
			}
		}
	}
	for _, i := range line.Instants() {
		for _, state := range []timeline.State{timeline.Requested, timeline.Inflight, timeline.Completed} {
			part, ok := line.InState(i, state)
			if !ok {
				continue
			}
			data, err := line.ReadRaw(ctx, part)
			if err == nil {
				err = m.move(ctx, part, data)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// mover writes instants in another layout.
type mover struct {
	*Table
	to   timeline.Config
	last string // completion time of the instant before
}

func (m *mover) move(ctx context.Context, i timeline.Instant, data []byte) error {
	data, err := translated(i, data, m.to.Version)
	if err != nil {
		return fmt.Errorf("%s: %w", i, err)
	}
	if i.Action = pendingName(i, data, m.to.Layout); i.State == timeline.Completed {
		m.last = max(i.Completion, timeline.NewTime(time.UnixMilli(0), m.to.Zone, max(i.Time, m.last)))
		i.Completion = m.last
	}
	err = storage.WriteFile(ctx, m.bucket, m.to.Path(i), storage.Exclusive, data)
	if errors.Is(err, fs.ErrExist) { // archived, and not removed from the timeline yet
		return nil
	}
	return err
}

// pendingName is the action of an instant in a layout: clusterings that are not completed have names of their own in layout 2.
func pendingName(i timeline.Instant, data []byte, layout int) timeline.Action {
	switch {
	case i.State != timeline.Requested:
	case i.Action == timeline.Clustering && layout < 2:
		return timeline.ReplaceCommit
	case i.Action == timeline.ReplaceCommit && layout >= 2:
		var p timeline.ReplacePlan
		if timeline.Decode(data, &p) == nil && p.ClusteringPlan != nil {
			return timeline.Clustering
		}
	}
	return i.Action
}

// translated is what an instant says in the words of a table version.
func translated(i timeline.Instant, data []byte, version int) ([]byte, error) {
	m := recordOf(i)
	if m == nil || len(data) == 0 {
		return data, nil
	}
	if err := timeline.Decode(data, m); err != nil {
		return nil, err
	}
	return timeline.Encode(m, version)
}

// removeTimeline removes the instants and the archive in the folders of a layout that the table does not have.
func (t *Table) removeTimeline(ctx context.Context, c timeline.Config) error {
	if c.Layout >= 2 {
		return storage.RemoveAll(ctx, t.bucket, c.Dir)
	}
	var names []string
	for info, err := range t.bucket.List(ctx, c.Dir, c.Dir+"//") {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(info.Name, c.Dir+"/")
		if name[0] > '9' {
			break
		}
		if path.Dir(info.Name) == c.Dir {
			names = append(names, info.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return t.bucket.Remove(ctx, names...)
}

// convertProperties makes the properties of a table of one version those of another.
func convertProperties(p config.Properties, c *config.Table, from, to int) {
	p["hoodie.table.version"] = strconv.Itoa(to)
	if (from >= 8) != (to >= 8) {
		convertLayout(p, c, from, to)
	}
	switch {
	case from < 9 && to >= 9:
		mergeModeOnly(p, c)
	case from >= 9 && to < 9:
		withPayload(p, c)
	}
	if to < 8 {
		for _, k := range []string{"hoodie.record.merge.mode", "hoodie.record.merge.strategy.id"} {
			delete(p, k)
		}
	}
}

// convertLayout says where the timeline is and how keys are made.
func convertLayout(p config.Properties, c *config.Table, from, to int) {
	if to < 8 {
		p["hoodie.timeline.layout.version"] = "1"
		p["hoodie.archivelog.folder"] = "archived"
		for _, k := range []string{"hoodie.timeline.path", "hoodie.timeline.history.path", "hoodie.table.initial.version", "hoodie.table.keygenerator.type",
			"hoodie.table.index.defs.path", "hoodie.table.multiple.base.file.formats.enable"} {
			delete(p, k)
		}
		if class := c.KeyGenerator.Class(); class != "" {
			p["hoodie.table.keygenerator.class"] = class
		}
		p["hoodie.table.partition.fields"] = strings.Join(partitionNames(c), ",")
		if c.Type == config.MergeOnRead && p["hoodie.compaction.payload.class"] == "" {
			p["hoodie.compaction.payload.class"] = payloadClass(c)
		}
		return
	}
	p["hoodie.timeline.layout.version"] = "2"
	p["hoodie.timeline.path"], p["hoodie.timeline.history.path"] = "timeline", "history"
	p["hoodie.archivelog.folder"] = "history"
	p["hoodie.table.initial.version"] = strconv.Itoa(from)
	p["hoodie.table.keygenerator.type"] = string(c.KeyGenerator)
	delete(p, "hoodie.table.keygenerator.class")
	delete(p, "hoodie.compaction.record.merger.strategy")
	p["hoodie.record.merge.mode"] = string(c.MergeMode)
	p["hoodie.record.merge.strategy.id"] = strategyOf(c.MergeMode)
	if p["hoodie.compaction.payload.class"] == "" {
		p["hoodie.compaction.payload.class"] = payloadClass(c)
	}
}

// strategyOf is the strategy of a merge mode; of CUSTOM that which calls the payload class.
func strategyOf(mode config.MergeMode) string {
	switch mode {
	case config.CommitTime:
		return config.StrategyCommitTime
	case config.EventTime:
		return config.StrategyEventTime
	}
	return config.StrategyPayload
}

// payloadClass is the payload class of a table, or the one that its merge mode stands for.
func payloadClass(c *config.Table) string {
	switch {
	case c.Payload != "":
		return c.Payload
	case c.MergeMode == config.EventTime:
		return config.DefaultPayload
	}
	return config.OverwriteWithLatest
}

func partitionNames(c *config.Table) []string {
	out := make([]string, len(c.Partition))
	for i, f := range c.Partition {
		out[i] = f.Name
	}
	return out
}

// withPayload says by a payload class what a table of version 9 says by its merge mode.
func withPayload(p config.Properties, c *config.Table) {
	p["hoodie.compaction.payload.class"] = payloadClass(c)
	p["hoodie.record.merge.strategy.id"] = strategyOf(c.MergeMode)
	if len(c.Ordering) > 0 {
		p["hoodie.table.precombine.field"] = strings.Join(c.Ordering, ",")
	}
	for _, k := range []string{"hoodie.table.ordering.fields", "hoodie.table.legacy.payload.class", "hoodie.table.partial.update.mode", "hoodie.table.format"} {
		delete(p, k)
	}
	for k := range p {
		if strings.HasPrefix(k, mergeProperty) {
			delete(p, k)
		}
	}
}

const (
	mergeProperty = "hoodie.record.merge.property."
	payloadModels = "org.apache.hudi.common.model."
)

// mapped reports whether tables of version 9 say by more than a merge mode what a payload class says.
func mapped(class string) bool {
	name, ok := strings.CutPrefix(class, payloadModels)
	return ok && slices.Contains([]string{"OverwriteNonDefaultsWithLatestAvroPayload", "PartialUpdateAvroPayload", "AWSDmsAvroPayload",
		"debezium.MySqlDebeziumAvroPayload", "debezium.PostgresDebeziumAvroPayload"}, name)
}

// mergeModeOnly says by a merge mode what a payload class says (§2.4).
func mergeModeOnly(p config.Properties, c *config.Table) {
	delete(p, "hoodie.compaction.payload.class")
	delete(p, "hoodie.table.precombine.field")
	delete(p, "hoodie.record.merge.strategy.id")
	p["hoodie.table.format"] = "native"
	ordering := c.Ordering
	mode, partial := c.MergeMode, ""
	deletes := func(field, marker string) {
		p[mergeProperty+"hoodie.payload.delete.field"], p[mergeProperty+"hoodie.payload.delete.marker"] = field, marker
	}
	switch c.Payload {
	case "":
	case config.OverwriteWithLatest:
		mode = config.CommitTime
	case config.DefaultPayload, config.EventTimePayload:
		mode = config.EventTime
	case payloadModels + "OverwriteNonDefaultsWithLatestAvroPayload":
		mode, partial = config.CommitTime, "IGNORE_DEFAULTS"
	case payloadModels + "PartialUpdateAvroPayload":
		mode, partial = config.EventTime, "IGNORE_DEFAULTS"
	case payloadModels + "AWSDmsAvroPayload":
		mode = config.CommitTime
		deletes("Op", "D")
	case payloadModels + "debezium.MySqlDebeziumAvroPayload":
		mode, ordering = config.EventTime, []string{"_event_bin_file", "_event_pos"}
		deletes("_change_operation_type", "d")
	case payloadModels + "debezium.PostgresDebeziumAvroPayload":
		mode, ordering, partial = config.EventTime, []string{"_event_lsn"}, "FILL_UNAVAILABLE"
		deletes("_change_operation_type", "d")
		p[mergeProperty+"hoodie.write.partial.update.unavailable.value"] = "__debezium_unavailable_value"
	default:
		mode = config.Custom
		p["hoodie.record.merge.strategy.id"] = config.StrategyPayload
	}
	if c.Payload != "" {
		p["hoodie.table.legacy.payload.class"] = c.Payload
	}
	if partial != "" {
		p["hoodie.table.partial.update.mode"] = partial
	}
	if len(ordering) > 0 {
		p["hoodie.table.ordering.fields"] = strings.Join(ordering, ",")
	}
	p["hoodie.record.merge.mode"] = string(mode)
}
