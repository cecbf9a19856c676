package tarn

import (
	"context"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// padded is s with the text of char(n) columns padded with blanks to n characters, as Spark reads them. Delta stores
// them as they came; plain files hold them padded.
func padded(s lake.Snapshot, format string) rel.Relation {
	if format != "delta" {
		return s
	}
	for _, f := range s.Meta().Schema.Fields {
		if _, ok := f.Type.(types.Char); ok {
			return padding{s}
		}
	}
	return s
}

type padding struct{ lake.Snapshot }

func (p padding) Scan(ctx context.Context, w rel.Want) (rel.Node, error) {
	inner := rel.Want{RowID: w.RowID}
	out := &rel.Project{}
	fixed := map[rel.ID]bool{}
	for _, c := range w.Columns {
		i := p.Meta().Schema.Index(c.Name)
		char, ok := p.Meta().Schema.Fields[i].Type.(types.Char)
		if !ok {
			inner.Columns = append(inner.Columns, c)
			out.Cols = append(out.Cols, rel.Computed{Column: c, Expr: c.Ref()})
			continue
		}
		stored := c
		stored.ID = rel.NewID()
		fixed[c.ID] = true
		inner.Columns = append(inner.Columns, stored)
		pad, err := rel.FindFunction("rpad").Resolve([]rel.Expr{&rel.Cast{X: stored.Ref(), To: types.String},
			&rel.Lit{T: types.Int, Value: int64(char.N)}}, rel.Settings{})
		if err != nil {
			return nil, err
		}
		out.Cols = append(out.Cols, rel.Computed{Column: c, Expr: pad})
	}
	for _, cond := range rel.Conjuncts(w.Where) { // what is stored is not what a condition on padded text speaks of
		if !reads(cond, fixed) {
			inner.Where = rel.And(inner.Where, cond)
		}
	}
	if w.RowID != nil {
		out.Cols = append(out.Cols, rel.Computed{Column: *w.RowID, Expr: w.RowID.Ref()})
	}
	var err error
	out.In, err = p.Snapshot.Scan(ctx, inner)
	return out, err
}

func reads(e rel.Expr, ids map[rel.ID]bool) bool {
	found := false
	rel.WalkExpr(e, func(x rel.Expr) bool {
		if c, ok := x.(*rel.Col); ok && ids[c.ID] {
			found = true
		}
		return !found
	})
	return found
}
