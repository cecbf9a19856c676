package tarn

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/files"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// writing is one transaction of a statement.
type writing struct {
	*run
	entry   lake.Entry
	name    lake.Ident // full; nil for a path
	tx      lake.Tx
	created bool
	options map[string]string // of the statement or the writer, for the format
}

// begin starts a transaction on the table that a statement names. All reads of the table in this statement go through it.
func (r *run) begin(ctx context.Context, n *syntax.Name, statement string) (*writing, error) {
	name, err := r.identOf(ctx, n)
	if err != nil {
		return nil, err
	}
	if name, err = r.throughView(ctx, name, n, statement); err != nil {
		return nil, err
	}
	e, full, err := r.entryOf(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound(name, n)
	}
	if err != nil {
		return nil, err
	}
	return r.beginEntry(ctx, e, full)
}

// throughView is the table that a temporary view of the form SELECT * FROM t shows; other views cannot be changed.
func (r *run) throughView(ctx context.Context, name lake.Ident, at syntax.Node, statement string) (lake.Ident, error) {
	v, err := r.viewOf(ctx, name)
	if isMissing(err) {
		return name, nil
	}
	if err != nil {
		return nil, err
	}
	refused := fail("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", at, "viewName", quoted(v.name), "operation", statement)
	if v.query == nil || v.query.With != nil {
		return nil, refused
	}
	sel, ok := v.query.Body.(*syntax.Select)
	if !ok || len(sel.From) != 1 || len(sel.Items) != 1 || sel.Where != nil || sel.GroupBy != nil || sel.Quantifier == "DISTINCT" {
		return nil, refused
	}
	star, isStar := sel.Items[0].X.(*syntax.Star)
	t, isTable := sel.From[0].(*syntax.Table)
	if !isStar || !isTable || len(star.Qualifier) > 0 || len(star.Except) > 0 || t.Travel != nil || t.Sample != nil {
		return nil, refused
	}
	return r.inside(v).full(t.Name.Strings()), nil
}

func (r *run) beginEntry(ctx context.Context, e lake.Entry, full lake.Ident) (*writing, error) {
	r.stmt.format = e.Format
	if e.Format == viewFormat {
		return nil, fail("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", nil, "viewName", quoted(full), "operation", "writing")
	}
	t, err := r.open(ctx, e)
	if err != nil {
		return nil, r.missing(ctx, err, e, full)
	}
	tx, err := t.Begin(ctx, r.db.engine)
	if err != nil {
		return nil, r.missing(ctx, err, e, full)
	}
	r.stmt.snapshots[e.Format+"\x00"+e.Location] = tx
	return &writing{run: r, entry: e, name: full, tx: tx}, nil
}

// target is the table for the planner.
func (w *writing) target() plan.Target {
	t := plan.Target{Name: w.name, Path: w.entry.Location, Format: w.entry.Format, Of: w.tx, Meta: w.tx.Meta()}
	if w.created {
		t.Of = nil
	}
	return t
}

// written is what a transaction did.
type written struct {
	metrics lake.Metrics
	commit  lake.Commit
	receipt *Receipt
}

// carryOut applies a planned write and commits it. After an error nothing is left.
func (w *writing) carryOut(ctx context.Context, p plan.Write) (written, error) {
	out, err := w.apply(ctx, p)
	if err != nil {
		w.tx.Rollback()
		return out, w.overflow(p, err)
	}
	var read *int64
	if !w.created {
		v := w.tx.Version()
		read = &v
	}
	out.commit, err = w.tx.Commit(ctx, p.Operation)
	if err != nil {
		var unknown *lake.UnknownOutcomeError
		if !errors.As(err, &unknown) {
			w.tx.Rollback()
		}
		return out, err
	}
	out.receipt = w.receipt(out, read, p.Operation)
	return out, nil
}

func (w *writing) apply(ctx context.Context, p plan.Write) (written, error) {
	var out written
	c, err := bind(ctx, p.Change) // before the description changes: the rows read the table as it is
	if err != nil {
		return out, err
	}
	if p.Define != nil {
		if _, err := w.tx.Apply(ctx, lake.Define{Meta: p.Define, Options: w.formatSettings(w.entry.Format)}); err != nil {
			return out, err
		}
	}
	if c != nil {
		out.metrics, err = w.tx.Apply(ctx, w.withOptions(c))
	}
	return out, err
}

// withOptions gives a change the settings of the session and the options of the statement that speak to the table's format.
func (w *writing) withOptions(c lake.Change) lake.Change {
	options := w.formatSettings(w.entry.Format)
	if w.entry.Format == "hudi" {
		maps.Copy(options, w.options)
	}
	switch c := c.(type) {
	case lake.Append:
		c.Options = options
		return c
	case lake.Overwrite:
		c.Options = options
		return c
	case lake.Edit:
		c.Options = options
		return c
	}
	return c
}

// bind puts scans in the place of the tables that a change reads.
func bind(ctx context.Context, c lake.Change) (lake.Change, error) {
	var err error
	switch c := c.(type) {
	case lake.Append:
		c.Rows, err = rel.Bind(ctx, c.Rows)
		return c, err
	case lake.Overwrite:
		c.Rows, err = rel.Bind(ctx, c.Rows)
		return c, err
	case lake.Edit:
		if c.Rows, err = rel.Bind(ctx, c.Rows); err != nil || c.Merge == nil || c.Merge.Rivals == nil {
			return c, err
		}
		c.Merge.Rivals.Rows, err = rel.Bind(ctx, c.Merge.Rivals.Rows)
		return c, err
	}
	return c, nil
}

// overflow gives the overflow of a cast to a column's type the class that statements which write have for it, and names
// the column. Where the types fit several columns it names all of them; an overflow that fits none is of another cast.
func (w *writing) overflow(p plan.Write, err error) error {
	var e *engine.Error
	if !errors.As(err, &e) {
		return err
	}
	var columns []string
	var of plan.StoreCast
	for _, c := range p.Narrowing {
		if isOverflowOf(e, c) && !slices.Contains(columns, c.Column) {
			columns, of = append(columns, c.Column), c
		}
	}
	if columns == nil {
		return err
	}
	class := "CAST_OVERFLOW_IN_TABLE_INSERT"
	if _, edit := p.Change.(lake.Edit); edit && w.entry.Format == "delta" {
		class = "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE"
	}
	return &engine.Error{Class: class, Msg: e.Msg, Err: err, Params: map[string]string{
		"columnName": strings.Join(columns, " or "), "sourceType": quotedType(of.From), "targetType": quotedType(of.To)}}
}

// isOverflowOf reports whether e says that a value did not fit in a cast of c's types.
func isOverflowOf(e *engine.Error, c plan.StoreCast) bool {
	switch e.Class {
	case "CAST_OVERFLOW":
		return e.Params["sourceType"] == quotedType(c.From) && e.Params["targetType"] == quotedType(c.To)
	case "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION":
		d, ok := c.To.(types.Decimal)
		return ok && e.Params["precision"] == strconv.Itoa(d.P) && e.Params["scale"] == strconv.Itoa(d.S)
	}
	return false
}

func quotedType(t types.Type) string { return `"` + types.SQL(t) + `"` }

func (w *writing) receipt(out written, read *int64, op lake.Operation) *Receipt {
	name := w.entry.Location
	if w.name != nil {
		name = w.name.String()
	}
	r := &Receipt{Operation: op.Name, Table: name, Version: out.commit.Version, ReadVersion: read,
		FilesAdded: out.commit.FilesAdded, FilesRemoved: out.commit.FilesRemoved,
		Updated: out.metrics.Updated, Deleted: out.metrics.Deleted, Inserted: out.metrics.Inserted, Ignored: out.metrics.Ignored,
		Isolation: out.commit.Isolation, Retries: max(0, out.commit.Attempts-1), Warnings: out.commit.Warnings}
	if files.Is(w.entry.Format) {
		r.Version, r.ReadVersion, r.Isolation = -1, nil, ""
	}
	return r
}

// affected is the result of UPDATE and DELETE.
func affected(n int64, r *Receipt) (*Rows, error) {
	rows, err := table([]Column{{Name: "num_affected_rows", Type: types.Long, Nullable: true}}, [][]types.Value{{n}})
	if err == nil {
		rows.receipt = r
	}
	return rows, err
}

func (r *run) insert(ctx context.Context, st *syntax.Insert) (*Rows, error) {
	w, err := r.begin(ctx, st.Table, "INSERT")
	if err != nil {
		return nil, err
	}
	p, err := w.planInsert(ctx, st)
	if err != nil {
		w.tx.Rollback()
		return nil, err
	}
	return w.silent(ctx, p)
}

func (w *writing) planInsert(ctx context.Context, st *syntax.Insert) (plan.Write, error) {
	opts, err := plan.Properties(ctx, st.Options, w.run)
	if err != nil {
		return plan.Write{}, err
	}
	w.options = w.distinct(opts)
	return plan.Insert(ctx, st, plan.StoreOptions(opts), w.target(), w.run)
}

const combineInserts = "hoodie.combine.before.insert"

// distinct is options under which an INSERT of SQL takes one row of each key of its rows: as Hudi has it before 1.1 for tables with an ordering
// field, where nothing else is said.
func (w *writing) distinct(options map[string]string) map[string]string {
	p := w.tx.Meta().Properties
	if w.entry.Format != "hudi" || p["preCombineField"] == "" || p["hoodie.table.version"] >= "9" || p[combineInserts] != "" || w.formatSettings("hudi")[combineInserts] != "" ||
		options[combineInserts] != "" {
		return options
	}
	out := map[string]string{combineInserts: "true"}
	maps.Copy(out, options)
	return out
}

// silent carries out a write that gives no rows.
func (w *writing) silent(ctx context.Context, p plan.Write) (*Rows, error) {
	out, err := w.carryOut(ctx, p)
	if err != nil {
		return nil, err
	}
	return &Rows{receipt: out.receipt}, nil
}

// multiInsert runs FROM rel INSERT … INSERT …: one transaction after the other.
func (r *run) multiInsert(ctx context.Context, st *syntax.MultiInsert) (*Rows, error) {
	var last *Rows
	for _, ins := range st.Inserts {
		one, ok := ins.(*syntax.Insert)
		if !ok {
			return nil, unsupported("INSERT OVERWRITE DIRECTORY", ins)
		}
		sel, ok := one.Query.Body.(*syntax.Select)
		if !ok {
			return nil, unsupported("this form of FROM … INSERT", ins)
		}
		s, q, i := *sel, *one.Query, *one
		s.From, s.Views = st.From, append(st.Views[:len(st.Views):len(st.Views)], sel.Views...)
		q.Body, q.With = &s, st.With
		i.Query = &q
		rows, err := newRun(r.Session, r.text, &i, r.args).insert(ctx, &i)
		if err != nil {
			return nil, err
		}
		last = rows
	}
	return last, nil
}

func (r *run) update(ctx context.Context, st *syntax.Update) (*Rows, error) {
	w, err := r.begin(ctx, st.Table, "UPDATE")
	if err != nil {
		return nil, err
	}
	p, err := plan.Update(ctx, st, w.target(), r)
	if err != nil {
		w.tx.Rollback()
		return nil, err
	}
	out, err := w.carryOut(ctx, p)
	if err != nil {
		return nil, err
	}
	return affected(out.metrics.Updated, out.receipt)
}

func (r *run) delete(ctx context.Context, st *syntax.Delete) (*Rows, error) {
	w, err := r.begin(ctx, st.Table, "DELETE")
	if err != nil {
		return nil, err
	}
	if files.Formats()[w.entry.Format] != nil { // files can only be dropped as a whole, which counts no rows: TRUNCATE TABLE does it
		w.tx.Rollback()
		return nil, fail("UNSUPPORTED_FEATURE.TABLE_OPERATION", st.Table, "tableName", quoted(w.name), "operation", "DELETE")
	}
	p, err := plan.Delete(ctx, st.Where, st.Alias, w.target(), r)
	if err != nil {
		w.tx.Rollback()
		return nil, err
	}
	out, err := w.carryOut(ctx, p)
	if err != nil {
		return nil, err
	}
	return affected(out.metrics.Deleted, out.receipt)
}

func (r *run) truncate(ctx context.Context, st *syntax.Truncate) (*Rows, error) {
	if st.Partition != nil {
		return nil, unsupported("TRUNCATE TABLE … PARTITION", st)
	}
	w, err := r.begin(ctx, st.Table, "TRUNCATE TABLE")
	if err != nil {
		return nil, err
	}
	p, err := plan.Delete(ctx, nil, nil, w.target(), r)
	if err != nil {
		w.tx.Rollback()
		return nil, err
	}
	p.Operation = lake.Operation{Name: "TRUNCATE"}
	return w.silent(ctx, p)
}

func (r *run) merge(ctx context.Context, st *syntax.Merge) (*Rows, error) {
	w, err := r.begin(ctx, st.Table, "MERGE")
	if err != nil {
		return nil, err
	}
	if st.With != nil {
		st = withTables(st)
	}
	p, err := plan.Merge(ctx, st, w.target(), r)
	if err != nil {
		w.tx.Rollback()
		return nil, err
	}
	out, err := w.carryOut(ctx, p)
	if err != nil {
		return nil, err
	}
	m := out.metrics
	col := func(name string) Column { return Column{Name: name, Type: types.Long, Nullable: true} }
	rows, err := table([]Column{col("num_affected_rows"), col("num_updated_rows"), col("num_deleted_rows"), col("num_inserted_rows")},
		[][]types.Value{{m.Updated + m.Deleted + m.Inserted, m.Updated, m.Deleted, m.Inserted}})
	if err == nil {
		rows.receipt = out.receipt
	}
	return rows, err
}

// withTables moves the WITH clause of a MERGE to its source, which is the only part that can read it.
func withTables(st *syntax.Merge) *syntax.Merge {
	c := *st
	switch s := st.Source.(type) {
	case *syntax.Table:
		body := *s
		alias := s.Alias
		if alias == nil {
			alias = &syntax.TableAlias{Name: &syntax.Ident{Name: s.Name.Last()}}
		}
		body.Alias = nil
		star := &syntax.NamedExpr{X: &syntax.Star{}}
		q := &syntax.Query{Span: s.Span, With: st.With, Body: &syntax.Select{Items: []*syntax.NamedExpr{star}, From: []syntax.Relation{&body}}}
		c.Source = &syntax.Subquery{Span: s.Span, Query: q, Alias: alias}
	case *syntax.Subquery:
		q := *s.Query
		if q.With == nil {
			q.With = st.With
			sub := *s
			sub.Query = &q
			c.Source = &sub
		}
	}
	return &c
}
