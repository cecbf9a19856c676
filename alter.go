package tarn

import (
	"context"
	"errors"
	"io/fs"

	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/files"
	"github.com/tarn-lake/tarn/rel"
)

func (r *run) alter(ctx context.Context, st *syntax.AlterTable) (*Rows, error) {
	name, err := r.identOf(ctx, st.Name)
	if err != nil {
		return nil, err
	}
	if st.View {
		return r.alterView(ctx, st, name)
	}
	if v, err := r.viewOf(ctx, name); err == nil {
		if _, rename := st.Action.(*syntax.RenameTo); rename && len(v.name) < 3 {
			return r.alterView(ctx, st, name)
		}
		return nil, fail("EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW", st.Name, "viewName", quoted(v.name), "operation", "ALTER TABLE")
	}
	switch act := st.Action.(type) {
	case *syntax.RenameTo:
		return r.renameTable(ctx, st.Name, act)
	case *syntax.DropPartitions:
		return r.dropPartitions(ctx, st.Name, act)
	case *syntax.RecoverPartitions:
		return r.repair(ctx, st.Name, act)
	case *syntax.SetLocation:
		return r.setLocation(ctx, st.Name, act)
	case *syntax.SetSerde, *syntax.SetFileFormat, *syntax.NativeAction:
		return nil, unsupported("this form of ALTER TABLE", act)
	}
	return r.define(ctx, st.Name, st.Action)
}

// dropPartitions takes whole partitions out of a table.
func (r *run) dropPartitions(ctx context.Context, name *syntax.Name, act *syntax.DropPartitions) (*Rows, error) {
	w, err := r.begin(ctx, name, "ALTER TABLE")
	if err != nil {
		return nil, err
	}
	if w.entry.Format != "hudi" {
		w.tx.Rollback()
		return r.define(ctx, name, act)
	}
	p, err := plan.DropPartitions(ctx, act, w.target(), r)
	if err != nil {
		w.tx.Rollback()
		return nil, err
	}
	w.options = map[string]string{hudiOperation: "delete_partition"}
	return w.silent(ctx, p)
}

// setLocation makes the catalog's name stand for the Hudi table in another folder, which must be there.
func (r *run) setLocation(ctx context.Context, name *syntax.Name, act *syntax.SetLocation) (*Rows, error) {
	e, full, err := r.find(ctx, name)
	if err != nil {
		return nil, err
	}
	if e.Format != "hudi" || act.Partition != nil || full == nil {
		return nil, unsupported("this form of ALTER TABLE", act)
	}
	e.Location, e.External = absolute(act.Location.Value), true
	if e.Bucket, err = r.db.opts.Bucket(ctx, e.Location); err != nil {
		return nil, err
	}
	if _, err := r.open(ctx, e); err != nil {
		return nil, r.missing(ctx, err, e, full)
	}
	c, err := r.catalogOf(full)
	if err != nil {
		return nil, err
	}
	return nothing(), c.Update(ctx, catalog.PutTable{Entry: e, Replace: true})
}

// repair looks for partitions that the catalog does not know. It keeps none of Hudi tables.
func (r *run) repair(ctx context.Context, name *syntax.Name, at syntax.Node) (*Rows, error) {
	e, _, err := r.find(ctx, name)
	if err != nil {
		return nil, err
	}
	if e.Format != "hudi" {
		return nil, unsupported("looking for partitions of a table of the format "+e.Format, at)
	}
	return nothing(), nil
}

// define changes the description of a table.
func (r *run) define(ctx context.Context, name *syntax.Name, act syntax.AlterAction) (*Rows, error) {
	w, err := r.begin(ctx, name, "ALTER TABLE")
	if err != nil {
		return nil, err
	}
	t := w.target()
	if e, ok := w.tx.(lake.Evolver); ok {
		t.Meta = e.Evolving()
	}
	a, err := plan.Alter(ctx, act, r.text, t, r)
	if err != nil || a.Operation.Name == "" {
		w.tx.Rollback()
		return nothing(), err
	}
	if a.Violations != nil {
		rows, err := r.collect(ctx, &rel.Limit{In: a.Violations, Count: 1})
		if err == nil && len(rows) > 0 {
			err = a.Violated
		}
		if err != nil {
			w.tx.Rollback()
			return nil, err
		}
	}
	return r.redefine(ctx, w, a.Write)
}

// redefine commits a new description; of a table of plain files it is the catalog's.
func (r *run) redefine(ctx context.Context, w *writing, p plan.Write) (*Rows, error) {
	if !files.Is(w.entry.Format) {
		return w.silent(ctx, p)
	}
	w.tx.Rollback()
	if w.name == nil {
		return nil, unsupported("ALTER TABLE of files by path", nil)
	}
	c, err := r.catalogOf(w.name)
	if err != nil {
		return nil, err
	}
	e := w.entry
	e.Meta = p.Define
	return nothing(), c.Update(ctx, catalog.PutTable{Entry: e, Replace: true})
}

func (r *run) renameTable(ctx context.Context, name *syntax.Name, act *syntax.RenameTo) (*Rows, error) {
	e, full, err := r.find(ctx, name)
	if err != nil {
		return nil, err
	}
	if full == nil {
		return nil, unsupported("renaming a table by path", name)
	}
	to, err := r.identOf(ctx, act.Name)
	if err != nil {
		return nil, err
	}
	target := r.full(to)
	if err := checkStored(target[len(target)-1], act.Name); err != nil {
		return nil, err
	}
	c, err := r.catalogOf(full)
	if err != nil {
		return nil, err
	}
	err = c.Update(ctx, catalog.Rename{From: lake.Ident(e.Name), To: target[1:]})
	if errors.Is(err, fs.ErrExist) {
		return nil, fail("TABLE_OR_VIEW_ALREADY_EXISTS", act.Name, "relationName", quoted(target))
	}
	return nothing(), err
}

func (r *run) commentOn(ctx context.Context, st *syntax.CommentOn) (*Rows, error) {
	comment := ""
	if st.Comment != nil {
		comment = st.Comment.Value
	}
	if st.Kind != "TABLE" {
		c, s, err := r.findSchema(ctx, st.Name)
		if err != nil {
			return nil, err
		}
		s.Comment = comment
		return nothing(), c.Update(ctx, catalog.PutSchema{Schema: s, Replace: true})
	}
	w, err := r.begin(ctx, st.Name, "COMMENT ON TABLE")
	if err != nil {
		return nil, err
	}
	meta := *w.tx.Meta()
	meta.Description = comment
	return r.redefine(ctx, w, plan.Write{Define: &meta, Operation: lake.Operation{Name: "SET TBLPROPERTIES",
		Parameters: []lake.Parameter{{Key: "properties", Value: plan.JSON(map[string]string{"comment": comment})}}}})
}

// mustExist is the whole of a statement about a cache or statistics that tarn does not keep.
func (r *run) mustExist(ctx context.Context, n *syntax.Name) (*Rows, error) {
	name, err := r.identOf(ctx, n)
	if err != nil {
		return nil, err
	}
	if _, err := r.viewOf(ctx, name); err == nil {
		return nothing(), nil
	}
	_, _, err = r.find(ctx, n)
	return nothing(), err
}
