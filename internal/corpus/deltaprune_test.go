package corpus

import (
	"context"
	"testing"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// TestDeltaPruning asks each table for rows by conditions on each column, with constants that are in it, and proves that the
// files that a condition leaves out have no row for which it is true.
func TestDeltaPruning(t *testing.T) {
	if testing.Short() {
		t.Skip("some thousand queries")
	}
	ctx, x := context.Background(), newEngine(t)
	conditions, pruned := 0, 0
	for _, c := range deltaTables(t) {
		if unreadable[c.String()] != "" || missingData[c.String()] {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			s, err := open(t, c).Snapshot(ctx, lake.At{})
			if err != nil {
				t.Fatal(err)
			}
			w := wantAll(s)
			whole, err := s.Scan(ctx, w)
			if err != nil {
				t.Fatal(err)
			}
			values, err := sample(ctx, x, whole)
			if err != nil {
				t.Fatal(err)
			}
			for i, col := range w.Columns {
				for _, cond := range conditionsOn(col, values[i]) {
					conditions++
					out, err := leftOut(ctx, s, w, whole, cond)
					if err != nil {
						t.Fatal(err)
					}
					if len(scanIn(out).Files) == 0 {
						continue
					}
					pruned++
					r, err := x.Query(ctx, &rel.Filter{In: out, Cond: cond})
					if err != nil {
						t.Fatalf("%s: %v", rel.Key(cond), err)
					}
					if rows, err := rowTexts(r); err != nil || len(rows) > 0 {
						t.Errorf("%s leaves out rows: %v %v", rel.Key(cond), rows, err)
					}
				}
			}
		})
	}
	t.Logf("%d conditions, of which %d left files out", conditions, pruned)
}

// missingData are tables whose data files are not there: only their logs are.
var missingData = map[string]bool{"kernel/crc-full": true}

// leftOut is whole with only the files that the condition leaves out.
func leftOut(ctx context.Context, s lake.Snapshot, w rel.Want, whole rel.Node, cond rel.Expr) (rel.Node, error) {
	w.Where = cond
	n, err := s.Scan(ctx, w)
	if err != nil {
		return nil, err
	}
	kept := map[int64]bool{}
	for _, f := range scanIn(n).Files {
		kept[f.ID] = true
	}
	all := scanIn(whole)
	out := &rel.Scan{Format: all.Format, Cols: all.Cols}
	for _, f := range all.Files {
		if !kept[f.ID] {
			out.Files = append(out.Files, f)
		}
	}
	if rel.Node(all) == whole {
		return out, nil
	}
	return rel.WithInputs(whole, []rel.Node{out}), nil
}

// sample gives some values of each column.
func sample(ctx context.Context, x engine.Engine, n rel.Node) ([][]types.Value, error) {
	r, err := x.Query(ctx, n)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	out := make([][]types.Value, len(n.Columns()))
	for r.Next() {
		b := r.RecordBatch()
		for c := range out {
			for i := 0; i < int(b.NumRows()) && len(out[c]) < 3; i += 1 + int(b.NumRows())/3 {
				v, err := types.ValueAt(b.Column(c), i, n.Columns()[c].Type)
				if err != nil {
					return nil, err
				}
				if v != nil {
					out[c] = append(out[c], v)
				}
			}
		}
	}
	return out, r.Err()
}

// conditionsOn are conditions on a column with some of its values.
func conditionsOn(c rel.Column, values []types.Value) []rel.Expr {
	ref := c.Ref()
	call := func(name string, args ...rel.Expr) rel.Expr {
		return &rel.Call{Name: name, Args: args, T: types.Boolean, Null: name != "<=>" && name != "isnull" && name != "isnotnull"}
	}
	out := []rel.Expr{call("isnull", ref), call("isnotnull", ref)}
	if !types.Atomic(c.Type) {
		return out
	}
	var items []rel.Expr
	for _, v := range values {
		lit := &rel.Lit{T: c.Type, Value: v}
		for _, op := range []string{"=", "<", "<=", ">", ">=", "<=>"} {
			out = append(out, call(op, ref, lit), call(op, lit, ref), call("not", call(op, ref, lit)))
		}
		if c.Type == types.String {
			out = append(out, call("like", ref, &rel.Lit{T: types.String, Value: firstRunes(v.(string), 2) + "%"}))
		}
		items = append(items, lit)
	}
	if len(items) > 1 {
		out = append(out, call("in", append([]rel.Expr{ref}, items[1:]...)...), call("and", call(">", ref, items[0]), call("isnotnull", ref)),
			call("or", call("=", ref, items[0]), call("isnull", ref)), call("not", call("or", call("<", ref, items[0]), call(">", ref, items[1]))))
	}
	return out
}

func firstRunes(s string, n int) string {
	r := []rune(s)
	return string(r[:min(n, len(r))])
}
