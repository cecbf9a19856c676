package hudi

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// blockSize is how many bytes of records a block of a log file holds, about.
const blockSize = 64 << 20

// log writes the changed rows of slices to log files, one per slice: new values as Avro records, deletions as keys.
func (x *tx) log(ctx context.Context, l *layout, changes []*sliceEdit, f *freshRows) (lake.Metrics, error) {
	var m lake.Metrics
	if len(changes) == 0 {
		return m, nil
	}
	for _, s := range changes {
		if err := x.touch(s.slice); err != nil {
			return m, err
		}
	}
	rows, columns, err := x.logRows(l, f, changes)
	if err != nil {
		return m, err
	}
	r, err := x.engine.Query(ctx, rows)
	if err != nil {
		return m, err
	}
	defer r.Release()
	w, err := x.newLogger(l, f, changes, columns)
	if err != nil {
		return m, err
	}
	for r.Next() {
		if err := w.take(ctx, r.RecordBatch()); err != nil {
			return m, err
		}
	}
	if err := r.Err(); err != nil {
		return m, err
	}
	if err := w.end(ctx); err != nil {
		return m, err
	}
	return w.metrics, nil
}

// Columns of logRows before those of the records.
const (
	changedNumber = iota
	changedCode
	changedKey
	changedPath
	changedPosition
	changedRecord
)

// logRows is the changed rows by slice and by their position there: the number of the slice, the code, key, path and position, and the
// columns of records.
func (x *tx) logRows(l *layout, f *freshRows, changes []*sliceEdit) (rel.Node, []types.Field, error) {
	number, in, where, err := x.changedRows(f, changes, insertOp, updateOp, deleteOp)
	if err != nil {
		return nil, nil, err
	}
	row := rel.Column{ID: rel.NewID(), Name: "row", Type: types.Int}
	windowed := &rel.Window{In: in, Funcs: []rel.Computed{{Column: row, Expr: &rel.Over{Fn: &rel.Call{Name: "row_number", T: types.Int},
		Partition: []rel.Expr{number}}}}}
	p := &rel.Project{In: windowed}
	add := func(name string, t types.Type, e rel.Expr) {
		p.Cols = append(p.Cols, rel.Computed{Column: rel.NewColumn(name, t), Expr: e})
	}
	add("number", types.Long, number)
	add("op", types.Int, f.code.Ref())
	add("key", types.String, f.key.Ref())
	add("path", types.String, where)
	add("pos", types.Long, f.pos.Ref())
	texts := func(e rel.Expr) rel.Expr { return cast(e, types.String) }
	fields := l.fields()
	if l.meta {
		add(commitTimeColumn, types.String, text(x.act.instant.Time))
		add(commitSeqnoColumn, types.String, concat(text(x.act.instant.Time+"_"), texts(number), text("_"), texts(row.Ref())))
		add(recordKeyColumn, types.String, f.key.Ref())
		add(partitionPathColumn, types.String, where)
		add(fileNameColumn, types.String, fileIDs(number, changes))
	} else {
		fields = fields[len(metaColumns):]
	}
	values := f.values()
	if len(values) == 0 { // an edit that only deletes has none
		for _, field := range l.own {
			values = append(values, &rel.Lit{T: field.Type})
		}
	}
	for i, field := range l.own {
		if l.kept[i] {
			add(field.Name, field.Type, values[i])
		}
	}
	by := []rel.Order{{Expr: p.Cols[changedNumber].Column.Ref()}, {Expr: p.Cols[changedCode].Column.Ref()}}
	if x.placesRecords() {
		by = append(by, rel.Order{Expr: p.Cols[changedPosition].Column.Ref()})
	}
	return &rel.Sort{In: p, By: by}, fields, nil
}

// fileIDs is the file id of a slice by its number.
func fileIDs(number rel.Expr, changes []*sliceEdit) rel.Expr {
	c := &rel.Case{T: types.String}
	for _, s := range changes {
		c.Whens = append(c.Whens, rel.When{If: equals(number, long(s.slice.Number)), Then: text(s.slice.FileID)})
	}
	return c
}

// logger writes log files, one after the other, as rows come.
type logger struct {
	x       *tx
	whole   *recordForm // of new rows
	changed *recordForm // of changed ones
	slices  map[int64]*sliceEdit
	metrics lake.Metrics
	ranges  *ranges // of the records of the file

	now     *sliceEdit // whose rows come
	file    *openLog
	op      int32 // of the records under way
	records int
	content []byte // of the block of records under way
	deletes []logfile.Deletion
	placed  basePlaces // of the records under way
	gone    basePlaces // of the deletions
}

// openLog is a log file that is being written.
type openLog struct {
	name    string // in the table
	version int64
	out     *counted
	close   func() error
}

func (x *tx) newLogger(l *layout, f *freshRows, changes []*sliceEdit, columns []types.Field) (*logger, error) {
	w := &logger{x: x, slices: map[int64]*sliceEdit{}, ranges: newRanges(columns)}
	for _, s := range changes {
		w.slices[s.slice.Number] = s
	}
	var err error
	w.whole, w.changed, err = x.forms(l, f, columns)
	return w, err
}

func (w *logger) take(ctx context.Context, b arrow.RecordBatch) error {
	numbers, ok1 := b.Column(changedNumber).(*array.Int64)
	codes, ok2 := b.Column(changedCode).(*array.Int32)
	keys, ok3 := b.Column(changedKey).(*array.String)
	paths, ok4 := b.Column(changedPath).(*array.String)
	positions, ok5 := b.Column(changedPosition).(*array.Int64)
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 {
		return errors.New("the engine gave changed rows of other types")
	}
	w.whole.take(b.Columns()[changedRecord:])
	w.changed.take(b.Columns()[changedRecord:])
	for i := range int(b.NumRows()) {
		s := w.slices[numbers.Value(i)]
		if s != w.now {
			if err := w.end(ctx); err != nil {
				return err
			}
			if s == nil {
				return fmt.Errorf("a row of slice %d, which is not changed", numbers.Value(i))
			}
			w.now = s
		}
		if codes.Value(i) == deleteOp {
			w.deletes = append(w.deletes, logfile.Deletion{Key: keys.Value(i), Partition: paths.Value(i), Ordering: int32(0)})
			w.gone.add(positions, i)
			continue
		}
		if op := codes.Value(i); op != w.op { // new rows and changed ones do not share blocks: they differ in form and place
			if err := w.block(ctx); err != nil {
				return err
			}
			w.op = op
		}
		if err := w.record(b.Columns()[changedRecord:], i); err != nil {
			return err
		}
		w.placed.add(positions, i)
		if len(w.content) >= blockSize {
			if err := w.block(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// record appends the record of a row to the block under way.
func (w *logger) record(columns []arrow.Array, row int) error {
	at := len(w.content)
	w.content = append(w.content, 0, 0, 0, 0)
	form := w.form()
	var err error
	if w.content, err = form.encoder.Append(w.content, form.values, row); err != nil {
		return err
	}
	binary.BigEndian.PutUint32(w.content[at:], uint32(len(w.content)-at-4))
	w.records++
	return w.ranges.add(columns, row)
}

// form is that of the records under way.
func (w *logger) form() *recordForm {
	if w.op == updateOp {
		return w.changed
	}
	return w.whole
}

// block writes the records under way.
func (w *logger) block(ctx context.Context) error {
	if w.records == 0 {
		return nil
	}
	if err := w.open(ctx); err != nil {
		return err
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, recordsVersion), uint32(w.records))
	err := logfile.Write(w.file.out, logfile.AvroData, w.header(w.form(), &w.placed), append(head, w.content...))
	w.records, w.content, w.placed = 0, w.content[:0], basePlaces{}
	return err
}

// recordsVersion is the version of the content of Avro blocks.
const recordsVersion = 3

// end finishes the log file of the slice whose rows came last.
func (w *logger) end(ctx context.Context) error {
	if w.now == nil {
		return nil
	}
	if err := w.block(ctx); err != nil {
		return err
	}
	if len(w.deletes) > 0 {
		if err := w.deletions(ctx); err != nil {
			return err
		}
	}
	if w.file == nil {
		return nil
	}
	if err := w.file.close(); err != nil {
		if errors.Is(err, fs.ErrExist) { // another writer was faster: its file is not ours to remove
			w.x.act.disclaim(w.file.name)
		}
		return err
	}
	w.stat()
	w.now, w.file, w.deletes, w.gone = nil, nil, nil, basePlaces{}
	return nil
}

func (w *logger) deletions(ctx context.Context) error {
	if err := w.open(ctx); err != nil {
		return err
	}
	content, err := logfile.AppendDeletions(nil, w.deletes, w.x.config().Version)
	if err != nil {
		return err
	}
	return logfile.Write(w.file.out, logfile.DeleteKeys, w.header(w.whole, &w.gone), content)
}

// header is the header of a block of rows in a form, at these places.
func (w *logger) header(form *recordForm, at *basePlaces) logfile.Header {
	h := logfile.Header{{Key: logfile.InstantTime, Value: w.x.act.instant.Time}, {Key: logfile.Schema, Value: form.schema}}
	if form.partial {
		h = append(h, logfile.Entry{Key: logfile.IsPartial, Value: "true"})
	}
	if text := at.text(); w.x.placesRecords() && text != "" {
		h = append(h, logfile.Entry{Key: logfile.BaseInstantOfPositions, Value: w.now.slice.Base.Instant}, logfile.Entry{Key: logfile.RecordPositions, Value: text})
	}
	return h
}

// open begins the log file of the slice.
func (w *logger) open(ctx context.Context) error {
	if w.file != nil {
		return nil
	}
	n := w.x.logName(w.now.slice)
	name, out, err := w.create(ctx, n)
	// Up to version 6 another write, which is not completed, may have taken the number. Whether the two conflict is told when they commit.
	for ; w.x.config().Version < 8 && errors.Is(err, fs.ErrExist); n.Version++ {
		next := n
		next.Version++
		name, out, err = w.create(ctx, next)
	}
	if err != nil {
		return err
	}
	w.file = &openLog{name: name, version: n.Version, out: &counted{w: out}, close: out.Close}
	return nil
}

// create makes a log file of the slice under way, with its marker. A file that is there is none of this write.
func (w *logger) create(ctx context.Context, n logName) (string, io.WriteCloser, error) {
	name := path.Join(w.now.slice.Partition, n.String())
	kind := timeline.AppendMarker
	if w.x.config().Version >= 8 {
		kind = timeline.CreateMarker
	}
	w.x.act.claim(ctx, timeline.Marker{Path: name, Type: kind})
	if err := w.x.act.failure(); err != nil {
		return "", nil, err
	}
	out, err := w.x.table.bucket.Create(ctx, name, storage.Exclusive)
	if errors.Is(err, fs.ErrExist) {
		w.x.act.disclaim(name)
	}
	return name, out, err
}

// logName is the name of the next log file of a slice. Up to version 6 it has the instant of the base file that it belongs to, or of
// a compaction that is pending; from 8 on that of the write. Where the instant is not the write's own, the token tells the files of
// writers that meet at one slice.
func (x *tx) logName(s *fileSlice) logName {
	n := logName{FileID: s.FileID, Instant: x.act.instant.Time, Version: 1, Token: "0-0-0"}
	if x.config().Version >= 8 {
		return n
	}
	n.Instant, n.Token = s.Instant(), x.act.token
	if c := x.compacting[timeline.FileGroup{Partition: s.Partition, FileID: s.FileID}]; c != "" {
		n.Instant = c
	}
	for _, l := range s.Logs {
		if l.Instant == n.Instant {
			n.Version = max(n.Version, l.Version+1)
		}
	}
	return n
}

// logFiles are the names that a commit says of the log files of the slice. Up to version 6 they are all; from 8 on Hudi names the new
// one only, and its CDC queries, which take the others for the rows before the commit, go wrong where there are several.
func (w *logger) logFiles() []string {
	var out []string
	if c := w.x.config(); c.Version < 8 || c.CDC {
		for _, l := range w.now.slice.Logs {
			out = append(out, path.Base(l.Path))
		}
	}
	return append(out, path.Base(w.file.name))
}

// stat tells of the log file that was finished.
func (w *logger) stat() {
	s, size := w.now, w.file.out.n
	stat := timeline.WriteStat{FileID: s.slice.FileID, Path: w.file.name, PrevCommit: s.slice.Instant(), Partition: s.slice.Partition,
		NumWrites: s.inserted + s.updated, NumInserts: s.inserted, NumUpdateWrites: s.updated, NumDeletes: s.deleted, TotalWriteBytes: size, FileSizeInBytes: size,
		LogVersion: int32(w.file.version), LogFiles: w.logFiles(), RuntimeStats: &timeline.RuntimeStats{}}
	if stat.PrevCommit == "" { // a group that begins with this log
		stat.PrevCommit = w.x.act.instant.Time
	}
	if s.slice.Base != nil {
		stat.BaseFile = s.slice.Base.String()
	}
	w.x.act.add(stat, rel.File{Path: w.file.name, Size: size, Rows: w.ranges.rows, Stats: w.ranges.stats()})
	w.ranges.reset()
	w.metrics.FilesAdded++
	w.metrics.BytesAdded += size
}
