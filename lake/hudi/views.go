package hudi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Query types that describe the table, and their options.
const (
	queryTimeline  = "timeline"
	queryFiles     = "filesystem_view"
	optArchived    = "tarn.hudi.archived"
	optInPartition = "tarn.hudi.partition"
)

// listing is a snapshot of a few rows that describe a table.
type listing struct {
	meta    *lake.Meta
	version int64
	rows    [][]types.Value
}

func (l *listing) Meta() *lake.Meta    { return l.meta }
func (l *listing) Version() int64      { return l.version }
func (l *listing) Detail() lake.Detail { return lake.Detail{} }

// Scan gives the rows.
func (l *listing) Scan(ctx context.Context, w rel.Want) (rel.Node, error) {
	if w.RowID != nil {
		return nil, fmt.Errorf("rows of %s cannot be changed", l.meta.Name)
	}
	v := &rel.Values{Cols: w.Columns}
	for _, row := range l.rows {
		var out []rel.Expr
		for _, c := range w.Columns {
			i := l.meta.Schema.Index(c.Name)
			if i < 0 {
				return nil, fmt.Errorf("there is no column %s", c.Name)
			}
			out = append(out, &rel.Lit{T: c.Type, Value: row[i]})
		}
		v.Rows = append(v.Rows, out)
	}
	return v, nil
}

func newListing(name string, t *Table, fields ...types.Field) *listing {
	for i := range fields {
		fields[i].Nullable = true
	}
	return &listing{meta: &lake.Meta{Name: t.config.Name + "." + name, Schema: types.Struct{Fields: fields}}}
}

func textField(name string) types.Field { return types.Field{Name: name, Type: types.String} }
func longField(name string) types.Field { return types.Field{Name: name, Type: types.Long} }

// timelineView is the actions of the table, oldest first, with what the writes among them say of themselves; the columns are those of
// Hudi's hudi_query_timeline, where a number that is not known is -1. An option adds those in the archive.
func (t *Table) timelineView(ctx context.Context, options map[string]string) (*listing, error) {
	line, err := t.timeline(ctx)
	if err != nil {
		return nil, err
	}
	out := newListing(queryTimeline, t, textField("Timestamp"), textField("Action"), textField("State"), textField("Completion_Time"),
		textField("File_Name"), longField("Total_Bytes_Written"), longField("Total_Files_Updated"), longField("Total_Partitions_Written"),
		longField("Total_Records_Written"), longField("Total_Updated_Records_Written"), longField("Total_Write_Errors"))
	if options[optArchived] == "true" {
		if out.rows, err = t.archivedRows(ctx, line); err != nil {
			return nil, t.fail("read the archive of", "", err)
		}
	}
	for _, i := range line.Instants() {
		var m *timeline.CommitMetadata
		if i.State == timeline.Completed && i.Action.Writes() {
			if m, err = line.ReadCommit(ctx, i); err != nil {
				return nil, t.fail("read a commit of", "", err)
			}
		}
		out.rows = append(out.rows, timelineRow(i, i.Name(t.config.Layout), m))
	}
	return out, nil
}

// archivedRows are the rows of timelineView for actions that have left the timeline.
func (t *Table) archivedRows(ctx context.Context, line *timeline.Timeline) (rows [][]types.Value, err error) {
	archived, err := line.ReadArchive(ctx, "", "")
	if err != nil {
		return nil, err
	}
	for _, a := range archived {
		if _, active := line.At(a.Time, a.Action); active {
			continue
		}
		var m *timeline.CommitMetadata
		if a.Action.Writes() {
			if m, err = a.Commit(); err != nil {
				return nil, err
			}
		}
		rows = append(rows, timelineRow(a.Instant, a.Name(t.config.Layout), m))
	}
	return rows, nil
}

func timelineRow(i timeline.Instant, file string, m *timeline.CommitMetadata) []types.Value {
	row := []types.Value{i.Time, string(i.Action), i.State.String(), nil, file}
	if i.Completion != "" {
		row[3] = i.Completion
	}
	sums := [6]int64{-1, -1, -1, -1, -1, -1}
	if m != nil {
		sums = [6]int64{}
		for _, stats := range m.PartitionToWriteStats {
			sums[2]++
			for _, s := range stats {
				sums[0] += s.TotalWriteBytes
				if s.PrevCommit != timeline.NoCommit {
					sums[1]++
				}
				sums[3] += s.NumWrites
				sums[4] += s.NumUpdateWrites
				sums[5] += s.TotalWriteErrors
			}
		}
	}
	for _, n := range sums {
		row = append(row, n)
	}
	return row
}

// filesView is every slice of every file group that holds committed files; the columns are those of Hudi's hudi_filesystem_view.
func (t *Table) filesView(ctx context.Context, options map[string]string) (*listing, error) {
	s := &Snapshot{table: t, config: t.config}
	files, err := s.load(ctx, options)
	if err != nil {
		return nil, err
	}
	out := newListing(queryFiles, t, textField("File_ID"), textField("Partition_Path"), textField("Base_Instant_Time"), textField("Base_File_Path"),
		longField("Base_File_Size"), longField("Log_File_Count"), longField("Log_File_Size"), longField("Log_File_Scheduled"), longField("Log_File_Unscheduled"))
	below := strings.Trim(options[optInPartition], "/")
	for _, g := range files.sorted() {
		if below != "" && g.partition != below && !strings.HasPrefix(g.partition, below+"/") {
			continue
		}
		for _, slice := range slices.Backward(g.slices(&seen{timeline: s.timeline}, t.config.Version < 8)) {
			out.rows = append(out.rows, t.fileRow(slice))
		}
	}
	return out, nil
}

func (t *Table) fileRow(slice *fileSlice) []types.Value {
	row := []types.Value{slice.FileID, slice.Partition, slice.Instant(), "", int64(-1), int64(len(slice.Logs))}
	if b := slice.Base; b != nil {
		row[3], row[4] = t.path+"/"+b.Path, b.Size
	}
	var scheduled, unscheduled int64
	for _, l := range slice.Logs {
		if l.Instant == slice.Instant() {
			scheduled += l.Size
		} else {
			unscheduled += l.Size
		}
	}
	return append(row, scheduled+unscheduled, scheduled, unscheduled)
}
