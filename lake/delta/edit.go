package delta

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/internal/bitmap"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Codes of operations in the column that collect reads.
const (
	noOp int32 = iota
	insertOp
	updateOp
	deleteOp
)

// edit changes, removes and adds rows. They are evaluated once; their row ids alone come into Go, as batches of numbers.
func (x *tx) edit(ctx context.Context, c lake.Edit) (lake.Metrics, error) {
	x.tally.removes = true
	rows, err := rel.Bind(ctx, c.Rows)
	if err != nil {
		return lake.Metrics{}, err
	}
	if !x.reads.any() {
		x.note(c.Where, c.Target)
	}
	held, release, err := x.engine.Hold(ctx, rows)
	if err != nil {
		return lake.Metrics{}, err
	}
	defer release()
	e, err := x.collect(ctx, rowIDs(held, c.RowID, c.Op))
	if err != nil {
		return lake.Metrics{}, err
	}
	if err := e.check(c.Twice); err != nil {
		return lake.Metrics{}, err
	}
	if e.updated > 0 && changeFeed(x.view.meta.Properties) {
		return lake.Metrics{}, x.noChangeFeed()
	}
	changes, err := x.changesOf(ctx, e)
	if err != nil {
		return lake.Metrics{}, err
	}
	var fresh *freshRows
	if e.inserted+e.updated > 0 {
		fresh = newFresh(held, c)
	}
	m, err := x.carryOut(ctx, changes, fresh)
	m.Inserted, m.Updated, m.Deleted = e.inserted, e.updated, e.deleted
	return m, err
}

// rowIDs is a tree of three columns over rows: the file number and position of the row id, and the code of the operation.
func rowIDs(rows rel.Node, id, op rel.ID) rel.Node {
	file, pos := idParts(rows, id)
	opCol := columnOf(rows, op)
	var whens []rel.When
	for code, letter := range []string{insertOp: "I", updateOp: "U", deleteOp: "D"} {
		if letter != "" {
			whens = append(whens, rel.When{If: equals(opCol.Ref(), text(letter)), Then: &rel.Lit{T: types.Int, Value: int64(code)}})
		}
	}
	code := &rel.Case{Whens: whens, Else: &rel.Lit{T: types.Int, Value: int64(noOp)}, T: types.Int}
	return &rel.Project{In: rows, Cols: []rel.Computed{
		{Column: rel.NewColumn("file", types.Long), Expr: file},
		{Column: rel.NewColumn("pos", types.Long), Expr: pos},
		{Column: rel.NewColumn("op", types.Int), Expr: code},
	}}
}

func idParts(rows rel.Node, id rel.ID) (file, pos rel.Expr) {
	col := columnOf(rows, id)
	return &rel.Field{X: col.Ref(), Index: 0}, &rel.Field{X: col.Ref(), Index: 1}
}

// columnOf is the column of rows with that number. A change that names another is a fault of the planner.
func columnOf(rows rel.Node, id rel.ID) rel.Column {
	cols := rows.Columns()
	i := slices.IndexFunc(cols, func(c rel.Column) bool { return c.ID == id })
	if i < 0 {
		panic(fmt.Sprintf("delta: the rows of a change have no column %d", id))
	}
	return cols[i]
}

func text(s string) rel.Expr { return &rel.Lit{T: types.String, Value: s} }

func comparison(op string, a, b rel.Expr) rel.Expr {
	return &rel.Call{Name: op, Args: []rel.Expr{a, b}, T: types.Boolean, Null: a.Nullable() || b.Nullable()}
}

func equals(a, b rel.Expr) rel.Expr { return comparison("=", a, b) }

// edited is what an edit does with the rows of the table.
type edited struct {
	files                      map[int64]*editedFile
	inserted, updated, deleted int64
	lastID                     int64
	last                       *editedFile
}

// editedFile are the positions in one file.
type editedFile struct {
	changed, idle positions // to be changed or deleted; matched only
	count         uint64    // of row ids, repeated ones counted each time
}

// positions gathers numbers in chunks, so that memory stays small.
type positions struct {
	set   bitmap.Set
	chunk []uint64
}

const positionChunk = 1 << 14

func (p *positions) add(pos uint64) {
	p.chunk = append(p.chunk, pos)
	if len(p.chunk) == positionChunk {
		p.flush()
	}
}

func (p *positions) flush() {
	slices.Sort(p.chunk)
	p.set.AddMany(p.chunk)
	p.chunk = p.chunk[:0]
}

// collect runs ids and sorts its row ids into files.
func (x *tx) collect(ctx context.Context, ids rel.Node) (*edited, error) {
	r, err := x.engine.Query(ctx, ids)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	e := &edited{files: map[int64]*editedFile{}, lastID: -1}
	for r.Next() {
		if err := e.take(r.RecordBatch()); err != nil {
			return nil, err
		}
	}
	for _, f := range e.files {
		f.changed.flush()
		f.idle.flush()
	}
	return e, r.Err()
}

func (e *edited) take(b arrow.RecordBatch) error {
	file, ok1 := b.Column(0).(*array.Int64)
	pos, ok2 := b.Column(1).(*array.Int64)
	op, ok3 := b.Column(2).(*array.Int32)
	if !ok1 || !ok2 || !ok3 {
		return errors.New("the engine gave row ids of another type")
	}
	for i := range int(b.NumRows()) {
		code := op.Value(i)
		if file.IsNull(i) {
			if code == updateOp || code == deleteOp {
				return errors.New("a row to be changed has no row id")
			}
			if code == insertOp {
				e.inserted++
			}
			continue
		}
		f := e.file(file.Value(i))
		f.count++
		switch code {
		case updateOp:
			e.updated++
		case deleteOp:
			e.deleted++
		case insertOp:
			return errors.New("a row to be inserted has a row id")
		default:
			f.idle.add(uint64(pos.Value(i)))
			continue
		}
		f.changed.add(uint64(pos.Value(i)))
	}
	return nil
}

// file is the entry of file number id.
func (e *edited) file(id int64) *editedFile {
	if id == e.lastID {
		return e.last
	}
	f := e.files[id]
	if f == nil {
		f = &editedFile{}
		e.files[id] = f
	}
	e.lastID, e.last = id, f
	return f
}

// check is twice when a row id came more than once. Without it, only deletes come, and repeated ones count once.
func (e *edited) check(twice error) error {
	e.deleted = 0
	for _, f := range e.files {
		n := f.changed.set.Len() + f.idle.set.Len()
		if twice != nil && (n < f.count || f.changed.set.Intersects(&f.idle.set)) {
			return twice
		}
		e.deleted += int64(f.changed.set.Len())
	}
	e.deleted -= e.updated
	return nil
}

// change is what becomes of one file of the snapshot.
type change struct {
	number  int64 // in row ids
	add     *Add
	removed *bitmap.Set // rows removed now
	hidden  *bitmap.Set // rows removed now or before
	rows    int64       // physical rows, negative when unknown
}

// whole reports whether no row is left.
func (c *change) whole() bool { return c.rows >= 0 && c.hidden.Len() == uint64(c.rows) }

// changesOf looks up the files of e and their deletion vectors, in file order.
func (x *tx) changesOf(ctx context.Context, e *edited) ([]*change, error) {
	files, err := x.base.files()
	if err != nil {
		return nil, err
	}
	var out []*change
	for id, f := range e.files {
		if f.changed.set.Len() == 0 {
			continue
		}
		if id < 0 || id >= int64(len(files)) {
			return nil, fmt.Errorf("row id of the unknown file %d", id)
		}
		c := &change{number: id, add: files[id], removed: &f.changed.set, hidden: &f.changed.set, rows: x.base.rows(files[id])}
		old, err := x.base.vector(ctx, files[id])
		if err != nil {
			return nil, err
		}
		if old != nil {
			if old.Intersects(c.removed) {
				return nil, fmt.Errorf("%s: a row is deleted that was deleted before", files[id].Path)
			}
			c.hidden = old.Clone()
			c.hidden.Union(c.removed)
		}
		if last, _ := c.removed.Max(); c.rows >= 0 && last >= uint64(c.rows) {
			return nil, fmt.Errorf("%s: row id of position %d, but the file has %d rows", files[id].Path, last, c.rows)
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *change) int { return int(a.number - b.number) })
	return out, nil
}

// carryOut removes files whose rows are all gone, and gives the others a deletion vector or writes their live rows anew. The
// fresh rows are added; nil is none.
func (x *tx) carryOut(ctx context.Context, changes []*change, fresh *freshRows) (lake.Metrics, error) {
	var m lake.Metrics
	var part []*change
	for _, c := range changes {
		if !c.whole() {
			part = append(part, c)
			continue
		}
		one, err := x.remove(c.add)
		if err != nil {
			return m, err
		}
		m = sum(m, one)
	}
	if len(part) > 0 && changeFeed(x.view.meta.Properties) {
		return m, x.noChangeFeed()
	}
	byVector := vectorsOn(x.view.meta.Properties) && !slices.ContainsFunc(part, func(c *change) bool { return c.rows < 0 })
	var more lake.Metrics
	var err error
	if byVector {
		more, err = x.hide(ctx, part, fresh)
	} else {
		more, err = x.rewrite(ctx, part, fresh)
	}
	return sum(m, more), err
}

// noChangeFeed refuses a change of single rows in a table with a change data feed.
func (x *tx) noChangeFeed() error {
	return &lake.Error{Op: "write", Path: x.table.path, Class: "UNSUPPORTED_FEATURE.TABLE_OPERATION",
		Err: errors.New("the table records a change data feed, which tarn cannot write for changed rows yet"), Hint: "set delta.enableChangeDataFeed to false"}
}

func sum(a, b lake.Metrics) lake.Metrics {
	t := tally{Metrics: a}
	t.add(b)
	return t.Metrics
}

// hide gives each file a new deletion vector, all in one file, and writes the fresh rows.
func (x *tx) hide(ctx context.Context, changes []*change, fresh *freshRows) (lake.Metrics, error) {
	m := lake.Metrics{}
	if len(changes) > 0 {
		pack := newVectorPack()
		for _, c := range changes {
			if err := x.take(c.add); err != nil {
				return m, err
			}
			if c.add.DeletionVector != nil {
				m.VectorsRemoved++
				x.tally.updatedVectors++
			}
			m.VectorsAdded++
			x.removes = append(x.removes, removeOf(c.add))
			x.adds = append(x.adds, withVector(c.add, pack.add(c.hidden), c.rows))
		}
		x.own(pack.name())
		if err := pack.write(ctx, x.table.bucket); err != nil {
			return m, err
		}
	}
	if fresh == nil {
		return m, nil
	}
	adds, _, err := x.write(ctx, fresh.all(), fresh.ids(), 0)
	return sum(m, x.added(adds)), err
}

// withVector is a with another deletion vector. Its bounds are no longer those of the live rows.
func withVector(a *Add, v *DeletionVector, rows int64) *Add {
	out := *a
	out.DeletionVector, out.DataChange = v, true
	out.Stats = looseStats(a.Stats, rows)
	return &out
}

// looseStats is the text of statistics with the number of physical rows and tightBounds false, as a file with a deletion
// vector must have (P §Per-file Statistics).
func looseStats(stats string, rows int64) string {
	members := map[string]jsontext.Value{}
	if json.Unmarshal([]byte(stats), &members) != nil || members == nil {
		members = map[string]jsontext.Value{}
	}
	members["numRecords"] = jsontext.Value(strconv.FormatInt(rows, 10))
	members["tightBounds"] = jsontext.Value("false")
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return `{"numRecords":` + strconv.FormatInt(rows, 10) + `,"tightBounds":false}`
	}
	return string(text)
}

func changeFeed(properties map[string]string) bool {
	return strings.EqualFold(properties["delta.enableChangeDataFeed"], "true")
}
