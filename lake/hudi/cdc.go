package hudi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// A CDC query gives one row for each row that a commit of a range added, changed or removed:
//
//	op      i, u or d
//	ts_ms   the instant of the commit
//	before  the row before it, as JSON; NULL of i
//	after   the row after it, as JSON; NULL of d
//
// Writers of tables with supplemental logging leave change records beside the data, which hold both rows when
// hoodie.table.cdc.supplemental.logging.mode is DATA_BEFORE_AFTER. Elsewhere the changes are the difference of the file groups that
// a commit wrote to, as they were before and after it. Table services change no rows.

// changeSet is the changes that the commits of a range made. Its own Snapshot is the table at the end of the range.
type changeSet struct {
	*Snapshot
	steps []changeStep
	meta  *lake.Meta
}

// changeStep is the changes of one commit.
type changeStep struct {
	instant       string
	before, after []*fileSlice // of the file groups that it wrote to, with the numbers of the groups
	was, is       *seen
	logs          []string // change records, by path
}

var changeFields = []types.Field{
	{Name: "op", Type: types.String, Nullable: true}, {Name: "ts_ms", Type: types.String, Nullable: true},
	{Name: "before", Type: types.String, Nullable: true}, {Name: "after", Type: types.String, Nullable: true},
}

// Meta describes the rows of the changes.
func (c *changeSet) Meta() *lake.Meta { return c.meta }

// changes is the changes that commits of a range made.
func (t *Table) changes(ctx context.Context, options map[string]string) (*changeSet, error) {
	within, err := t.changesWithin(options)
	if err != nil {
		return nil, err
	}
	within.inclusive = false // not even for Hudi 1.0
	s := &Snapshot{table: t, config: t.config}
	files, err := s.load(ctx, options)
	if err != nil {
		return nil, err
	}
	var until, inside []timeline.Instant
	for _, i := range s.timeline.ByCompletion() {
		at := s.at(i)
		if within.end == "" || at <= within.end {
			until = append(until, i)
		}
		if within.holds(at) {
			inside = append(inside, i)
		}
	}
	if err := s.build(ctx, files, &seen{timeline: s.timeline, completed: within.end}, until); err != nil {
		return nil, err
	}
	c := &changeSet{Snapshot: s, meta: &lake.Meta{Name: t.config.Name + ".changes", Schema: types.Struct{Fields: changeFields}}}
	for _, i := range inside {
		if err := c.add(ctx, files, i, options[optPathGlob]); err != nil {
			return nil, t.fail("read the changes of", "", err)
		}
	}
	return c, nil
}

// changesWithin is the range that the options of an incremental query name.
func (t *Table) changesWithin(options map[string]string) (span, error) {
	if !t.config.MetaFields {
		return span{}, &lake.Error{Op: "read", Path: t.path, Err: fmt.Errorf("incremental queries need the meta columns, which the table does not store"),
			Hint: "hoodie.populate.meta.fields of the table is false."}
	}
	if options[optBegin] == "" {
		return span{}, &lake.Error{Op: "read", Path: t.path, Err: fmt.Errorf("an incremental query needs %s", optBegin)}
	}
	within, err := t.span(options[optBegin], options[optEnd])
	if err != nil {
		return within, t.fail("read", "", err)
	}
	return within, nil
}

// written is what a commit wrote to a file group.
type written struct {
	stats    []timeline.WriteStat
	replaced bool
}

// add adds the changes of a commit.
func (c *changeSet) add(ctx context.Context, files groups, i timeline.Instant, glob string) error {
	m, err := c.timeline.ReadCommit(ctx, i)
	if err != nil {
		return err
	}
	if m.Compacted || !changesSchema(m.OperationType) {
		return nil
	}
	groups := map[groupKey]*written{}
	at := func(partition, id string) *written {
		key := groupKey{partition, id}
		if groups[key] == nil {
			groups[key] = &written{}
		}
		return groups[key]
	}
	for partition, stats := range m.PartitionToWriteStats {
		for _, st := range stats {
			w := at(partition, st.FileID)
			w.stats = append(w.stats, st)
		}
	}
	for partition, ids := range m.PartitionToReplaceFileIDs {
		for _, id := range ids {
			at(partition, id).replaced = true
		}
	}
	step := changeStep{instant: i.Time, was: &seen{timeline: c.timeline, below: c.at(i)}, is: &seen{timeline: c.timeline, completed: c.at(i)}}
	match := globExpression(strings.Trim(strings.TrimSpace(glob), "/"))
	for _, key := range sortedKeys(groups) {
		if glob != "" && !match.MatchString(key.partition) {
			continue
		}
		if err := step.addGroup(files[key], key, groups[key], c.config.Version < 8, c.config.CDCMode); err != nil {
			return err
		}
	}
	c.steps = append(c.steps, step)
	return nil
}

func sortedKeys(groups map[groupKey]*written) (out []groupKey) {
	for key := range groups {
		out = append(out, key)
	}
	slices.SortFunc(out, func(a, b groupKey) int {
		return strings.Compare(a.partition+"\x00"+a.id, b.partition+"\x00"+b.id)
	})
	return out
}

// addGroup adds the changes of one file group. It is an error when files that tell them are gone.
func (s *changeStep) addGroup(g *fileGroup, key groupKey, w *written, byBase bool, mode config.CDCMode) error {
	if logs := w.changeLogs(mode); logs != nil {
		s.logs = append(s.logs, logs...)
		return nil
	}
	gone := &lake.Error{Op: "read the changes of", Path: key.partition + "/" + key.id, Hint: "Begin at a later instant, or retain more commits when cleaning.",
		Err: fmt.Errorf("files that the commit %s wrote or replaced are cleaned up", s.instant)}
	if g == nil {
		return gone
	}
	number := int64(len(s.before) + len(s.after))
	before, after := g.slice(s.was, byBase), g.slice(s.is, byBase)
	if before != nil {
		before.Number = number
		s.before = append(s.before, before)
	}
	if w.replaced {
		if before == nil {
			return gone
		}
		return nil
	}
	for _, st := range w.stats {
		if before == nil && st.PrevCommit != "" && st.PrevCommit != timeline.NoCommit && !st.IsLog() || st.Path != "" && !g.hasFile(st.Path) {
			return gone
		}
	}
	if after != nil {
		after.Number = number
		s.after = append(s.after, after)
	}
	return nil
}

// hasFile reports whether a base or log file is there.
func (g *fileGroup) hasFile(path string) bool {
	return g.has(path) || slices.ContainsFunc(g.logs, func(l logFile) bool { return l.Path == path })
}

// changeLogs are the change records that tell all changes of a file group; nil when it must be compared.
func (w *written) changeLogs(mode config.CDCMode) (out []string) {
	if mode != config.DataBeforeAfter || w.replaced {
		return nil
	}
	for _, st := range w.stats {
		if len(st.CDCStats) == 0 {
			return nil
		}
		for path := range st.CDCStats {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// Scan gives the changes, commit by commit.
func (c *changeSet) Scan(ctx context.Context, w rel.Want) (rel.Node, error) {
	if w.RowID != nil {
		return nil, c.table.fail("read", "", errors.New("changes cannot be changed"))
	}
	var parts []rel.Node
	for i := range c.steps {
		nodes, err := c.steps[i].nodes(ctx, c)
		if err != nil {
			return nil, c.table.fail("read the changes of", "", err)
		}
		parts = append(parts, nodes...)
	}
	var all []rel.Column
	for _, f := range changeFields {
		all = append(all, rel.NewColumn(f.Name, f.Type))
	}
	out := &rel.Project{In: union(all, parts)}
	for _, want := range w.Columns {
		at := slices.IndexFunc(changeFields, func(f types.Field) bool { return strings.EqualFold(f.Name, want.Name) })
		if at < 0 {
			return nil, fmt.Errorf("there is no column %s", want.Name)
		}
		out.Cols = append(out.Cols, rel.Computed{Column: want, Expr: all[at].Ref()})
	}
	return out, nil
}

func (s *changeStep) nodes(ctx context.Context, c *changeSet) (parts []rel.Node, err error) {
	if len(s.before)+len(s.after) > 0 {
		n, err := s.difference(ctx, c)
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
	}
	if len(s.logs) > 0 {
		parts = append(parts, c.logged(s.logs))
	}
	return parts, nil
}

// difference compares the rows of file groups before and after the commit. A row that is in both was changed if the commit wrote it.
func (s *changeStep) difference(ctx context.Context, c *changeSet) (rel.Node, error) {
	was, wasCols, wasID, err := s.side(ctx, c, s.was, s.before)
	if err != nil {
		return nil, err
	}
	is, isCols, isID, err := s.side(ctx, c, s.is, s.after)
	if err != nil {
		return nil, err
	}
	part := func(id rel.Column, i int) rel.Expr { return &rel.Field{X: id.Ref(), Index: i} }
	same := function("and", types.Boolean, function("=", types.Boolean, part(wasID, 0), part(isID, 0)), function("=", types.Boolean, part(wasID, 2), part(isID, 2)))
	join := &rel.Join{Kind: rel.FullOuter, Left: was, Right: is, On: same}
	text := func(s string) rel.Expr { return &rel.Lit{T: types.String, Value: s} }
	none := func(id rel.Column) rel.Expr { return function("isnull", types.Boolean, part(id, 0)) }
	op := &rel.Case{T: types.String, Whens: []rel.When{{If: none(wasID), Then: text("i")}, {If: none(isID), Then: text("d")}}, Else: text("u")}
	wrote := function("=", types.Boolean, isCols[c.schema.Index(commitTimeColumn)].Ref(), text(s.instant))
	changed := function("or", types.Boolean, function("or", types.Boolean, none(wasID), none(isID)), wrote)
	return changeRows(&rel.Filter{In: join, Cond: changed}, op, text(s.instant),
		choose(none(wasID), &rel.Lit{T: types.String}, asJSON(wasCols), types.String),
		choose(none(isID), &rel.Lit{T: types.String}, asJSON(isCols), types.String)), nil
}

func changeRows(in rel.Node, values ...rel.Expr) rel.Node {
	p := &rel.Project{In: in}
	for i, f := range changeFields {
		p.Cols = append(p.Cols, rel.Computed{Column: rel.NewColumn(f.Name, f.Type), Expr: values[i]})
	}
	return p
}

// side is the rows of slices as a view sees them, with all columns.
func (s *changeStep) side(ctx context.Context, c *changeSet, v *seen, slices []*fileSlice) (n rel.Node, cols []rel.Column, id rel.Column, err error) {
	at := *c.Snapshot
	at.view, at.reading = v, reading{}
	for _, f := range c.schema.Fields {
		cols = append(cols, rel.NewColumn(f.Name, f.Type))
	}
	id = rel.Column{ID: rel.NewID(), Name: "row id", Type: rowIDType, Nullable: true}
	n, err = at.rows(ctx, slices, cols, &id)
	return n, cols, id, err
}

// asJSON is columns as an object.
func asJSON(cols []rel.Column) rel.Expr {
	t := types.Struct{}
	row := &rel.Call{Name: "struct"}
	for _, c := range cols {
		t.Fields = append(t.Fields, types.Field{Name: c.Name, Type: c.Type, Nullable: true})
		row.Args = append(row.Args, c.Ref())
	}
	row.T = t
	return toJSON(row)
}

// toJSON is a struct as JSON, with its NULL fields.
func toJSON(x rel.Expr) rel.Expr {
	options := &rel.Lit{T: types.Map{Key: types.String, Value: types.String}, Value: []types.Pair{{Key: "ignoreNullFields", Value: "false"}}}
	return &rel.Call{Name: "to_json", T: types.String, Null: true, Zone: "UTC", Args: []rel.Expr{x, options}}
}

// logged is the change records of files.
func (c *changeSet) logged(paths []string) rel.Node {
	row := types.Struct{}
	for _, f := range c.schema.Fields {
		if !slices.Contains(metaColumns, f.Name) {
			f.Nullable = true
			row.Fields = append(row.Fields, f)
		}
	}
	fields := []types.Field{changeFields[0], changeFields[1], {Name: "before", Type: row, Nullable: true}, {Name: "after", Type: row, Nullable: true}}
	n := &rel.Stream{Rows: -1}
	for _, f := range fields {
		n.Cols = append(n.Cols, rel.NewColumn(f.Name, f.Type))
	}
	n.Open = func(ctx context.Context, columns []int) (array.RecordReader, error) {
		want := make([]types.Field, len(columns))
		for i, at := range columns {
			want[i] = fields[at]
		}
		var batches []arrow.RecordBatch
		for _, path := range paths {
			got, err := c.readChanges(ctx, path, want)
			if err != nil {
				return nil, c.table.fail("read", path, err)
			}
			batches = append(batches, got...)
		}
		return array.NewRecordReader(arrow.NewSchema(types.ArrowFields(types.Struct{Fields: want}), nil), batches)
	}
	return changeRows(n, n.Cols[0].Ref(), n.Cols[1].Ref(), toJSON(n.Cols[2].Ref()), toJSON(n.Cols[3].Ref()))
}

// readChanges decodes the change records of a file.
func (c *changeSet) readChanges(ctx context.Context, path string, want []types.Field) (out []arrow.RecordBatch, err error) {
	f, err := c.table.bucket.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r := logfile.NewReader(f, info.Size)
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if b.Type != logfile.CDCData {
			continue
		}
		batch, err := decodeChanges(b, want)
		if err != nil {
			return nil, err
		}
		out = append(out, batch)
	}
}

func decodeChanges(b *logfile.Block, want []types.Field) (arrow.RecordBatch, error) {
	schema, err := avro.Parse(b.Header.Get(logfile.Schema))
	if err != nil {
		return nil, err
	}
	records, err := b.Records()
	if err != nil {
		return nil, err
	}
	d, err := avro.NewDecoder(schema, want)
	if err != nil {
		return nil, err
	}
	for _, record := range records {
		if err := d.Append(record); err != nil {
			return nil, err
		}
	}
	return d.Batch(), nil
}
