package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tarn-lake/tarn/cmd/tarn/render"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

func (a *app) hudiCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "hudi", Short: "Look into a Hudi table", Args: cobra.NoArgs,
		Long: "Look into a Hudi table: its timeline, and what an instant says. Nothing is changed."}
	var asJSON bool
	line := &cobra.Command{
		Use: "timeline PATH", Short: "List the instants of a Hudi table", Args: cobra.ExactArgs(1),
		Long: `List the instants on the active timeline of a Hudi table, oldest first: when each was requested, the action, its state, when
it was completed, and in short what it did.`,
		Example: "  tarn hudi timeline ./trips",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.hudiTimeline(cmd.Context(), args[0]) },
	}
	show := &cobra.Command{
		Use: "show PATH INSTANT", Short: "Tell what an instant of a Hudi table says", Args: cobra.ExactArgs(2),
		Long: `Tell what the files of an instant say, on the timeline or in the archive: plans while it is requested, and what was done when it
is completed. Fields that are empty or zero are left out, except with --json.`,
		Example: "  tarn hudi show ./trips 20260101120000000",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.hudiShow(cmd.Context(), args[0], args[1], asJSON)
		},
	}
	show.Flags().BoolVar(&asJSON, "json", false, "one JSON object, with all fields")
	cmd.AddCommand(line, show)
	return cmd
}

// openHudi opens the Hudi table in a folder.
func openHudi(ctx context.Context, path string) (*hudi.Table, error) {
	return openHudiBy(ctx, path, (&hudi.Format{}).Open)
}

func openHudiBy(ctx context.Context, path string, open func(context.Context, lake.Entry) (lake.Table, error)) (*hudi.Table, error) {
	location, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFailed, err)
	}
	bucket, err := storage.OpenLocal(location)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFailed, err)
	}
	t, err := open(ctx, lake.Entry{Format: "hudi", Location: path, Bucket: bucket})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noHudiTable(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFailed, err)
	}
	return t.(*hudi.Table), nil
}

func noHudiTable(path string) error {
	return fmt.Errorf("%w: there is no Hudi table at %s: it has no .hoodie/hoodie.properties", errFailed, path)
}

func (a *app) hudiTimeline(ctx context.Context, path string) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	t, err := openHudi(ctx, path)
	if err != nil {
		return err
	}
	line, err := t.Timeline(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", errFailed, err)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "INSTANT\tACTION\tSTATE\tCOMPLETED\tDID")
	for _, i := range line.Instants() {
		stages, err := t.Stages(ctx, i.Time)
		if err != nil {
			return fmt.Errorf("%w: %w", errFailed, err)
		}
		done := i.Completion
		if done == "" {
			done = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", i.Time, i.Action, i.State, done, render.Printable(summary(i, stages)))
	}
	return w.Flush()
}

// summary says in short what the last stage of an action tells.
func summary(i timeline.Instant, stages []hudi.Stage) string {
	for _, s := range slices.Backward(stages) {
		if s.Action.Completes() == i.Action.Completes() && s.Record != nil {
			return summaryOf(s.Record)
		}
	}
	return "-"
}

func summaryOf(m timeline.Record) string {
	switch m := m.(type) {
	case *timeline.CommitMetadata:
		return commitSummary(m)
	case *timeline.CompactionPlan:
		return count(len(m.Operations), "file slice") + " to compact"
	case *timeline.ReplacePlan:
		if m.ClusteringPlan != nil {
			return count(len(m.ClusteringPlan.InputGroups), "group") + " to cluster"
		}
		return m.OperationType
	case *timeline.CleanPlan:
		n := 0
		for _, files := range m.FilePathsToBeDeletedPartition {
			n += len(files)
		}
		return count(n, "file") + " to delete"
	case *timeline.CleanMetadata:
		return count(int(m.TotalFilesDeleted), "file") + " deleted, kept from " + m.EarliestCommitToRetain
	case *timeline.RollbackPlan:
		return "roll back " + m.InstantToRollback.CommitTime
	case *timeline.RollbackMetadata:
		return fmt.Sprintf("rolled back %s, %s deleted", strings.Join(m.CommitsRollback, ", "), count(int(m.TotalFilesDeleted), "file"))
	case *timeline.RestorePlan:
		return "restore " + m.SavepointToRestore
	case *timeline.RestoreMetadata:
		return "rolled back " + strings.Join(m.InstantsToRollback, ", ")
	case *timeline.SavepointMetadata:
		return strings.TrimSpace(m.SavepointedBy + " " + m.Comments)
	}
	return "-"
}

// commitSummary is the operation, the files and the rows of a commit.
func commitSummary(m *timeline.CommitMetadata) string {
	var files, inserted, updated, deleted, replaced int
	for _, stats := range m.PartitionToWriteStats {
		files += len(stats)
		for _, s := range stats {
			inserted += int(s.NumInserts)
			updated += int(s.NumUpdateWrites)
			deleted += int(s.NumDeletes)
		}
	}
	for _, ids := range m.PartitionToReplaceFileIDs {
		replaced += len(ids)
	}
	parts := []string{m.OperationType}
	if m.OperationType == "" {
		parts[0] = "UNKNOWN"
	}
	for _, p := range []struct {
		n    int
		what string
	}{{inserted, " inserted"}, {updated, " updated"}, {deleted, " deleted"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprint(p.n, p.what))
		}
	}
	parts = append(parts, count(files, "file"))
	if replaced > 0 {
		parts = append(parts, count(replaced, "group")+" replaced")
	}
	return strings.Join(parts, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprint(n, " ", what, "s")
}

func (a *app) hudiShow(ctx context.Context, path, instant string, asJSON bool) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	t, err := openHudi(ctx, path)
	if err != nil {
		return err
	}
	stages, err := t.Stages(ctx, instant)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: find instant %s in %s: it is neither on the timeline, which tarn hudi timeline lists, nor in the archive", errFailed, instant, path)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errFailed, err)
	}
	if asJSON {
		return showJSON(a.out, stages)
	}
	for i, s := range stages {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		showStage(a.out, s)
	}
	return nil
}

// showStage writes a stage as indented text.
func showStage(w io.Writer, s hudi.Stage) {
	where := s.File
	if where == "" {
		where = "archive"
	}
	fmt.Fprintf(w, "%s %s %s (%s)\n", s.Time, s.Action, s.State, render.Printable(where))
	switch {
	case s.Record != nil:
		showTree(w, hudi.Fields(s.Record), "  ")
	case len(s.Raw) == 0:
		fmt.Fprintln(w, "  empty")
	default:
		fmt.Fprintln(w, "  "+render.Printable(string(s.Raw)))
	}
}

// showTree writes fields: a line for every leaf that is neither empty nor zero.
func showTree(w io.Writer, v any, indent string) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			name := render.Printable(k)
			if k == "" {
				name = `""`
			}
			showEntry(w, name+":", v[k], indent)
		}
	case []any:
		for _, e := range v {
			showEntry(w, "-", e, indent)
		}
	}
}

func showEntry(w io.Writer, key string, v any, indent string) {
	switch x := v.(type) {
	case map[string]any:
		if len(x) > 0 {
			fmt.Fprintln(w, indent+key)
		}
		showTree(w, x, indent+"  ")
	case []any:
		if len(x) > 0 {
			fmt.Fprintln(w, indent+key)
		}
		showTree(w, x, indent+"  ")
	default:
		if v != nil && !reflect.ValueOf(v).IsZero() {
			fmt.Fprintf(w, "%s%s %s\n", indent, key, render.Printable(fmt.Sprint(v)))
		}
	}
}

// showJSON writes the stages as one JSON object.
func showJSON(w io.Writer, stages []hudi.Stage) error {
	type stage struct {
		Instant   string `json:"instant"`
		Action    string `json:"action"`
		State     string `json:"state"`
		Completed string `json:"completed,omitempty"`
		File      string `json:"file,omitempty"`
		Says      any    `json:"says,omitempty"`
	}
	var out []stage
	for _, s := range stages {
		next := stage{Instant: s.Time, Action: string(s.Action), State: s.State.String(), Completed: s.Completion, File: s.File}
		if s.Record != nil {
			next.Says = hudi.Fields(s.Record)
		}
		out = append(out, next)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{"stages": out})
}
