package hudi

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// A write to a table with supplemental logging leaves change records beside each base file that takes the place of another:
//
//	.<file id>_<instant>.log.1_0-0-0.cdc   CDC blocks, one record per changed row:
//
//	OP_KEY_ONLY        op, record_key
//	DATA_BEFORE        op, record_key, before
//	DATA_BEFORE_AFTER  op, ts_ms, before, after
//
// New file groups, logs of rows, replaced groups and table services tell their changes themselves and have none.

// changeFile is a file of change records.
type changeFile struct {
	name string
	size int64
}

// needsKeys reports whether new rows must stay out of base files that are there: change records would need their keys, which are made
// as the rows are stored.
func (x *tx) needsKeys(l *layout) bool {
	return x.config().CDC && l.generated && x.config().CDCMode != config.DataBeforeAfter
}

// recordChanges writes the change records of slices that are written anew, by the numbers of the slices.
func (x *tx) recordChanges(ctx context.Context, l *layout, run []*sliceEdit, f *freshRows) (map[int64]changeFile, error) {
	if !x.config().CDC {
		return nil, nil
	}
	rows, err := x.changeRecords(ctx, l, run, f)
	if err != nil {
		return nil, err
	}
	w, err := x.newChangeLogger(l, run, rows)
	if err != nil {
		return nil, err
	}
	r, err := x.engine.Query(ctx, rows)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	for r.Next() {
		if err := w.take(ctx, r.RecordBatch()); err != nil {
			return nil, err
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return w.made, w.end()
}

// changeRecords is the changes of slices as records, after the number of the slice, by which they are sorted.
func (x *tx) changeRecords(ctx context.Context, l *layout, run []*sliceEdit, f *freshRows) (rel.Node, error) {
	var parts []rel.Node
	var updated, inserted bool
	for _, s := range run {
		updated, inserted = updated || s.updated+s.deleted > 0, inserted || s.inserted > 0
	}
	row := types.Struct{}
	for _, field := range l.own {
		field.Nullable = true
		row.Fields = append(row.Fields, field)
	}
	if updated {
		n, err := x.replacedRecords(ctx, row, run, f)
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
	}
	if inserted {
		in, number, _ := x.joining(f, run)
		parts = append(parts, x.changeRecord(in, number.Ref(), text("i"), f.key.Ref(), &rel.Lit{T: row}, f.asStruct(row)))
	}
	n := union(fresh(parts[0].Columns()), parts)
	return &rel.Sort{In: n, By: []rel.Order{{Expr: n.Columns()[0].Ref()}}}, nil
}

// replacedRecords is the records of rows that are changed or deleted.
func (x *tx) replacedRecords(ctx context.Context, row types.Struct, run []*sliceEdit, f *freshRows) (rel.Node, error) {
	number, in, _, err := x.changedRows(f, run, updateOp, deleteOp)
	if err != nil {
		return nil, err
	}
	for _, s := range run {
		if s.repeated() { // deletions of one row count once
			in = firstPerRow(in, f)
			break
		}
	}
	before := rel.Expr(&rel.Lit{T: row})
	if x.config().CDCMode != config.OpKeyOnly {
		if in, before, err = x.withFormer(ctx, in, row, run, f); err != nil {
			return nil, err
		}
	}
	isDelete := equals(f.code.Ref(), code(deleteOp))
	after := rel.Expr(&rel.Lit{T: row})
	if len(f.own) > 0 {
		after = choose(isDelete, after, f.asStruct(row), row)
	}
	return x.changeRecord(in, number, choose(isDelete, text("d"), text("u"), types.String), f.key.Ref(), before, after), nil
}

// firstPerRow keeps of rows that change the same row one.
func firstPerRow(in rel.Node, f *freshRows) rel.Node {
	rank := rel.Column{ID: rel.NewID(), Name: "rank", Type: types.Int}
	ranked := &rel.Window{In: in, Funcs: []rel.Computed{{Column: rank, Expr: &rel.Over{Fn: &rel.Call{Name: "row_number", T: types.Int},
		Partition: []rel.Expr{f.file.Ref(), f.pos.Ref()}}}}}
	return &rel.Filter{In: ranked, Cond: equals(rank.Ref(), code(1))}
}

// withFormer joins changed rows with what the base files of slices have in their places.
func (x *tx) withFormer(ctx context.Context, in rel.Node, row types.Struct, run []*sliceEdit, f *freshRows) (rel.Node, rel.Expr, error) {
	var list []*fileSlice
	for _, s := range run {
		list = append(list, s.slice)
	}
	var cols []rel.Column
	for _, field := range row.Fields {
		cols = append(cols, rel.NewColumn(field.Name, field.Type))
	}
	id := newRowID()
	former, err := x.view.rows(ctx, list, cols, &id)
	if err != nil {
		return nil, nil, err
	}
	join := &rel.Join{Kind: rel.Inner, Left: former, Right: in,
		On: rel.And(equals(&rel.Field{X: id.Ref(), Index: 0}, f.file.Ref()), equals(&rel.Field{X: id.Ref(), Index: 1}, f.pos.Ref()))}
	var values []rel.Expr
	for _, c := range cols {
		values = append(values, c.Ref())
	}
	return join, &rel.Call{Name: "struct", T: row, Args: values}, nil
}

// asStruct is the new values as a row.
func (f *freshRows) asStruct(row types.Struct) rel.Expr {
	return &rel.Call{Name: "struct", T: row, Args: f.values()}
}

// changeRecord lays changes out as the records of the table's mode.
func (x *tx) changeRecord(in rel.Node, number, op, key, before, after rel.Expr) rel.Node {
	p := &rel.Project{In: in}
	add := func(name string, t types.Type, e rel.Expr) {
		p.Cols = append(p.Cols, rel.Computed{Column: rel.NewColumn(name, t), Expr: e})
	}
	add("number", types.Long, number)
	add("op", types.String, op)
	if x.config().CDCMode == config.DataBeforeAfter {
		add("ts_ms", types.String, text(x.act.instant.Time))
		add("before", before.Type(), before)
		add("after", after.Type(), after)
		return p
	}
	add("record_key", types.String, key)
	if x.config().CDCMode == config.DataBefore {
		add("before", before.Type(), before)
	}
	return p
}

// changeSchema is the schema of the change records of a mode, as Hudi has it.
func changeSchema(mode config.CDCMode, table string, l *layout) string {
	text := func(name string) string {
		return `{"name":"` + name + `","type":["null","string"],"doc":"","default":null}`
	}
	before := `{"name":"before","type":["null",` + l.plain + `],"doc":"","default":null}`
	record, namespace := recordName(table)
	head := `{"type":"record","name":"CDC","namespace":"` + namespace + `","fields":[`
	switch mode {
	case config.OpKeyOnly:
		return `{"type":"record","name":"Record","fields":[{"name":"op","type":["string","null"]},{"name":"record_key","type":["string","null"]}]}`
	case config.DataBefore:
		return head + text("op") + "," + text("record_key") + "," + before + "]}"
	}
	return head + text("op") + "," + text("ts_ms") + "," + before + `,{"name":"after","type":["null","` + record + `"],"doc":"","default":null}]}`
}

// changeLogger writes files of change records, one after the other, as the changes of slices come.
type changeLogger struct {
	x       *tx
	schema  string
	encoder *avro.Encoder
	slices  map[int64]*fileSlice
	made    map[int64]changeFile

	now     int64 // the slice whose changes come; -1: none
	out     *counted
	close   func() error
	records int
	content []byte // of the block under way
}

func (x *tx) newChangeLogger(l *layout, run []*sliceEdit, rows rel.Node) (*changeLogger, error) {
	w := &changeLogger{x: x, schema: changeSchema(x.config().CDCMode, x.config().Name, l), slices: map[int64]*fileSlice{}, made: map[int64]changeFile{}, now: -1}
	for _, s := range run {
		w.slices[s.slice.Number] = s.slice
	}
	schema, err := avro.Parse(w.schema)
	if err != nil {
		return nil, err
	}
	var fields []types.Field
	for _, c := range rows.Columns()[1:] {
		fields = append(fields, types.Field{Name: c.Name, Type: c.Type, Nullable: true})
	}
	w.encoder, err = avro.NewEncoder(schema, fields)
	return w, err
}

func (w *changeLogger) take(ctx context.Context, b arrow.RecordBatch) error {
	numbers, ok := b.Column(0).(*array.Int64)
	if !ok {
		return errors.New("the engine gave changes of other types")
	}
	columns := b.Columns()[1:]
	for i := range int(b.NumRows()) {
		if n := numbers.Value(i); n != w.now {
			if err := w.end(); err != nil {
				return err
			}
			if err := w.begin(ctx, n); err != nil {
				return err
			}
		}
		at := len(w.content)
		w.content = append(w.content, 0, 0, 0, 0)
		var err error
		if w.content, err = w.encoder.Append(w.content, columns, i); err != nil {
			return err
		}
		binary.BigEndian.PutUint32(w.content[at:], uint32(len(w.content)-at-4))
		w.records++
		if len(w.content) >= blockSize {
			if err := w.block(); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin makes the file of a slice, with its marker: of all versions, undoing the write removes the file as a whole.
func (w *changeLogger) begin(ctx context.Context, number int64) error {
	s := w.slices[number]
	if s == nil {
		return fmt.Errorf("a change of slice %d, which is not written", number)
	}
	name := path.Join(s.Partition, logName{FileID: s.FileID, Instant: w.x.act.instant.Time, Version: 1, Token: "0-0-0", CDC: true}.String())
	w.x.act.claim(ctx, timeline.Marker{Path: name, Type: timeline.CreateMarker})
	if err := w.x.act.failure(); err != nil {
		return err
	}
	out, err := w.x.table.bucket.Create(ctx, name, storage.Exclusive)
	if err != nil {
		return err
	}
	w.now, w.out, w.close = number, &counted{w: out}, out.Close
	w.made[number] = changeFile{name: name}
	return nil
}

// block writes the records under way.
func (w *changeLogger) block() error {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, recordsVersion), uint32(w.records))
	header := logfile.Header{{Key: logfile.InstantTime, Value: w.x.act.instant.Time}, {Key: logfile.Schema, Value: w.schema}}
	err := logfile.Write(w.out, logfile.CDCData, header, append(head, w.content...))
	w.records, w.content = 0, w.content[:0]
	return err
}

// end finishes the file of the slice whose changes came last.
func (w *changeLogger) end() error {
	if w.now < 0 {
		return nil
	}
	if w.records > 0 {
		if err := w.block(); err != nil {
			return err
		}
	}
	if err := w.close(); err != nil {
		return err
	}
	w.made[w.now] = changeFile{name: w.made[w.now].name, size: w.out.n}
	w.now = -1
	return nil
}
