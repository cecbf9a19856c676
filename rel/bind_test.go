package rel

import (
	"context"
	"errors"
	"testing"

	"github.com/tarn-lake/tarn/types"
)

// asked is a Relation that remembers what it was asked.
type asked struct {
	want []Want
	err  error
}

func (a *asked) Scan(_ context.Context, w Want) (Node, error) {
	a.want = append(a.want, w)
	return &Scan{Format: "parquet", Cols: scanColumns(w)}, a.err
}

func scanColumns(w Want) []ScanColumn {
	var out []ScanColumn
	for _, c := range w.Columns {
		out = append(out, ScanColumn{Column: c})
	}
	if w.RowID != nil {
		out = append(out, ScanColumn{Column: *w.RowID, From: RowID})
	}
	return out
}

func table(names ...string) (*Table, *asked) {
	a := &asked{}
	t := &Table{Of: a, Name: "t"}
	for _, n := range names {
		t.Cols = append(t.Cols, NewColumn(n, types.Int))
	}
	return t, a
}

func eq(a, b Expr) Expr { return &Call{Name: "=", Args: []Expr{a, b}, T: types.Boolean} }

func one() Expr { return &Lit{types.Int, int64(1)} }

func pick(in Node, cols ...Column) *Project {
	p := &Project{In: in}
	for _, c := range cols {
		p.Cols = append(p.Cols, Computed{NewColumn(c.Name, c.Type), c.Ref()})
	}
	return p
}

func names(cols []Column) string {
	s := ""
	for _, c := range cols {
		s += c.Name
	}
	return s
}

func TestBindAsksOnlyForColumnsRead(t *testing.T) {
	tab, a := table("a", "b", "c")
	n, err := Bind(context.Background(), pick(&Filter{tab, eq(tab.Cols[2].Ref(), one())}, tab.Cols[0]))
	if err != nil {
		t.Fatal(err)
	}
	if got := names(a.want[0].Columns); got != "ac" {
		t.Errorf("asked for columns %q, want ac", got)
	}
	if a.want[0].Where == nil {
		t.Error("the filter did not reach the table")
	}
	if _, ok := n.(*Project).In.(*Filter); !ok {
		t.Error("the filter must stay in the tree")
	}
}

func TestBindCarriesConditionsThroughProjectAndJoin(t *testing.T) {
	left, la := table("a")
	right, ra := table("b")
	proj := pick(left, left.Cols[0])
	key := proj.Cols[0].Column
	tests := []struct {
		kind        JoinKind
		left, right bool // whether `left.a = 1` in WHERE and `right.b = 1` in ON reach their tables
	}{
		{Inner, true, true}, {LeftOuter, true, true}, {RightOuter, false, false}, {FullOuter, false, false}, {Semi, true, true}, {Anti, true, true},
	}
	for _, tc := range tests {
		j := &Join{Kind: tc.kind, Left: proj, Right: right, On: And(eq(key.Ref(), right.Cols[0].Ref()), eq(right.Cols[0].Ref(), one()))}
		la.want, ra.want = nil, nil
		if _, err := Bind(context.Background(), pick(&Filter{j, eq(key.Ref(), one())}, key)); err != nil {
			t.Fatal(err)
		}
		if got := la.want[0].Where != nil; got != tc.left {
			t.Errorf("kind %d: condition on the left side arrived: %t, want %t", tc.kind, got, tc.left)
		}
		if got := ra.want[0].Where != nil; got != tc.right {
			t.Errorf("kind %d: condition on the right side arrived: %t, want %t", tc.kind, got, tc.right)
		}
	}
}

func TestBindEntersSubqueries(t *testing.T) {
	outer, _ := table("a")
	inner, ia := table("x", "y")
	q := pick(&Filter{inner, eq(inner.Cols[0].Ref(), outer.Cols[0].Ref())}, inner.Cols[1])
	n, err := Bind(context.Background(), pick(&Filter{outer, &Exists{q}}, outer.Cols[0]))
	if err != nil {
		t.Fatal(err)
	}
	if len(ia.want) != 1 || names(ia.want[0].Columns) != "xy" {
		t.Fatalf("inner table asked %v", ia.want)
	}
	if ia.want[0].Where != nil {
		t.Error("a condition over outer columns must not reach a table")
	}
	sub := n.(*Project).In.(*Filter).Cond.(*Exists).Query
	if _, ok := sub.(*Project).In.(*Filter).In.(*Scan); !ok {
		t.Error("the table in the subquery was not bound")
	}
}

func TestBindKeepsSharedInputsShared(t *testing.T) {
	tab, a := table("a")
	sh := &Shared{Name: "w", In: tab}
	l, r := pick(sh, tab.Cols[0]), pick(sh, tab.Cols[0])
	n, err := Bind(context.Background(), &SetOp{Kind: Union, All: true, Left: l, Right: r, Cols: []Column{NewColumn("a", types.Int)}})
	if err != nil {
		t.Fatal(err)
	}
	u := n.(*SetOp)
	if u.Left.(*Project).In != u.Right.(*Project).In {
		t.Error("the shared input was doubled")
	}
	if len(a.want) != 1 {
		t.Errorf("the table was scanned %d times", len(a.want))
	}
}

func TestBindSaysWhichTableFailed(t *testing.T) {
	tab, a := table("a")
	a.err = errors.New("no log")
	if _, err := Bind(context.Background(), tab); err == nil || err.Error() != "scan t: no log" {
		t.Errorf("error %v", err)
	}
}
