package hudi

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/keygen"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// CheckRows reads the rows of the last state: that no key of a partition comes twice, and that the stored key of every row is the
// one that its key columns make. Rows of which the two differ were shifted by a partial update of Hudi 1.1.1 on a merge-on-read
// table, or their key columns were assigned to. That rows cannot be read is a finding; the error is that of ctx.
func (t *Table) CheckRows(ctx context.Context, x engine.Engine) ([]lake.Finding, error) {
	out, err := t.checkRows(ctx, x)
	if err != nil && ctx.Err() == nil {
		out, err = append(out, lake.Finding{Severity: lake.Damage, What: "rows cannot be read: " + err.Error(), Remedy: hintOf(err)}), nil
	}
	return out, err
}

// hintOf is what an error says that the user can do; "" when it says nothing.
func hintOf(err error) string {
	var e *lake.Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

func (t *Table) checkRows(ctx context.Context, x engine.Engine) (out []lake.Finding, err error) {
	if !t.config.MetaFields {
		return []lake.Finding{{Severity: lake.Note, What: "stores no keys: rows are not compared with them"}}, nil
	}
	s, err := t.snapshot(ctx, "", reading{}, nil)
	if err != nil {
		return nil, err
	}
	if len(s.slices) == 0 {
		return nil, nil
	}
	twice, err := t.countTwice(ctx, x, s)
	if err != nil {
		return nil, err
	}
	if twice > 0 {
		out = append(out, lake.Finding{Severity: lake.Damage, What: fmt.Sprintf("%d keys come more than once in a partition", twice),
			Remedy: "CALL repair_deduplicate, or find which row is right and delete the others"})
	}
	g, err := keygen.ForKeys((&tx{table: t, base: s, view: s, options: t.settings(nil)}).keyConfig())
	if err != nil {
		return append(out, lake.Finding{Severity: lake.Note, What: "the keys of rows are not compared with their columns: " + err.Error()}), nil
	}
	shifted, err := t.countShifted(ctx, x, s, g)
	if err != nil {
		return out, err
	}
	if shifted > 0 {
		out = append(out, lake.Finding{Severity: lake.Damage, What: fmt.Sprintf("%d rows have another _hoodie_record_key than their key columns make", shifted),
			Remedy: "a partial update of Hudi 1.1.1 shifts columns: restore a state from before it"})
	}
	return out, nil
}

// countTwice counts the keys that come more than once in a partition.
func (t *Table) countTwice(ctx context.Context, x engine.Engine, s *Snapshot) (int64, error) {
	key, path := rel.NewColumn(recordKeyColumn, types.String), rel.NewColumn(partitionPathColumn, types.String)
	n, err := s.rows(ctx, s.slices, []rel.Column{key, path}, nil)
	if err != nil {
		return 0, err
	}
	rank := rel.Column{ID: rel.NewID(), Name: "rank", Type: types.Int}
	ranked := &rel.Window{In: n, Funcs: []rel.Computed{{Column: rank, Expr: &rel.Over{Fn: &rel.Call{Name: "row_number", T: types.Int},
		Partition: []rel.Expr{key.Ref(), path.Ref()}, Order: []rel.Order{{Expr: key.Ref()}}}}}}
	return countRows(ctx, x, &rel.Filter{In: ranked, Cond: equals(rank.Ref(), code(2))})
}

// countShifted counts the rows whose stored key is not the one that g makes of their columns.
func (t *Table) countShifted(ctx context.Context, x engine.Engine, s *Snapshot, g *keygen.Generator) (int64, error) {
	if g.Automatic() {
		return 0, nil
	}
	var cols []rel.Column
	for _, f := range s.schema.Fields {
		c := rel.NewColumn(f.Name, f.Type)
		c.Nullable = true
		cols = append(cols, c)
	}
	n, err := s.rows(ctx, s.slices, cols, nil)
	if err != nil {
		return 0, err
	}
	made, err := g.Key(cols)
	if err != nil {
		return 0, err
	}
	stored := cols[s.schema.Index(recordKeyColumn)]
	return countRows(ctx, x, &rel.Filter{In: n, Cond: either(isNull(stored.Ref()), differs(made, stored.Ref()))})
}

// countRows counts the rows of n.
func countRows(ctx context.Context, x engine.Engine, n rel.Node) (int64, error) {
	one := rel.NewColumn("one", types.Int)
	r, err := x.Query(ctx, &rel.Project{In: n, Cols: []rel.Computed{{Column: one, Expr: code(1)}}})
	if err != nil {
		return 0, err
	}
	defer r.Release()
	var rows int64
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	return rows, r.Err()
}
