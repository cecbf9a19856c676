package hudi

import (
	"context"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Under some rules a row leaves values of an older one in place: where it has NULL, or a text that stands for them. Writes carry this out
// twice, rows that go to logs only in the first of them; readers do the rest:
//
//	rows of one key in the batch ─▶ one row ─┬─▶ log: as it is
//	                                         └─▶ with the stored row ─▶ base file

// keeps is true where a value of a column leaves the older one in place; nil when none does.
func (r *mergeRule) keeps(v rel.Expr, t types.Type) rel.Expr {
	switch {
	case r.keepsNulls != nullsReplace:
		return isNull(v)
	case r.unavailable == "":
	case t == types.Type(types.String):
		return sure(equals(v, text(r.unavailable)))
	case t == types.Type(types.Binary):
		return sure(equals(v, &rel.Lit{T: types.Binary, Value: []byte(r.unavailable)}))
	}
	return nil
}

// sure is a condition that is false where it would be NULL.
func sure(x rel.Expr) rel.Expr {
	return &rel.Call{Name: "coalesce", Args: []rel.Expr{x, &rel.Lit{T: types.Boolean, Value: false}}, T: types.Boolean}
}

// combine is what a column has when a row with the value in comes to one with the value old. lost is true where the incoming row is the
// older of the two, nil where it never is.
func (r *mergeRule) combine(in, old rel.Expr, t types.Type, lost rel.Expr) rel.Expr {
	newer := in
	if keeps := r.keeps(in, t); keeps != nil {
		newer = firstOf(t, in, rel.When{If: keeps, Then: old})
	}
	if lost == nil {
		return newer
	}
	older := old
	if keeps, both := r.keeps(old, t), r.keeps(in, t); keeps != nil && r.staleFills {
		older = firstOf(t, old, rel.When{If: both, Then: old}, rel.When{If: keeps, Then: in})
	}
	return firstOf(t, newer, rel.When{If: lost, Then: older})
}

// joined makes the rows of each key of a batch one row, where the rule says so: a column of the row of rank 1 that has no value of its own
// takes that of the next rank. What comes before a deletion counts no more. by tells keys apart.
func (x *tx) joined(f *freshRows, in rel.Node, rank rel.Column, by []rel.Expr) (*freshRows, rel.Node) {
	r := x.rule()
	if len(f.own) == 0 {
		return f, in
	}
	if f, in = x.folded(f, in, rank, by); !r.joinsBatch {
		return f, in
	}
	whole := &rel.Frame{Rows: true, From: rel.Bound{Kind: rel.UnboundedPreceding}, To: rel.Bound{Kind: rel.UnboundedFollowing}}
	over := func(fn *rel.Agg) *rel.Over {
		return &rel.Over{Fn: fn, IgnoreNulls: fn.Name == "first", Partition: by, Order: []rel.Order{{Expr: rank.Ref()}}, Frame: whole}
	}
	limited, cut := x.cut(f, in, rank, by)
	counts := sure(either(isNull(cut.Ref()), compare("<", rank.Ref(), cut.Ref())))

	w := &rel.Window{In: limited}
	p := &rel.Project{In: w}
	out := *f
	out.own = append([]rel.ID(nil), f.own...)
	for i, c := range x.namedColumns(f) {
		keeps := r.keeps(c.Ref(), c.Type)
		if keeps == nil {
			continue
		}
		// A value may be NULL itself: in a struct it is none.
		boxed := types.Struct{Fields: []types.Field{{Name: "v", Type: c.Type, Nullable: true}}}
		box := firstOf(boxed, &rel.Lit{T: boxed}, rel.When{If: rel.And(counts, not(keeps)), Then: &rel.Call{Name: "struct", T: boxed, Args: []rel.Expr{c.Ref()}}})
		found := rel.Column{ID: rel.NewID(), Name: c.Name, Type: boxed, Nullable: true}
		w.Funcs = append(w.Funcs, rel.Computed{Column: found, Expr: over(&rel.Agg{Name: "first", Args: []rel.Expr{box}, T: boxed, Null: true})})
		value := rel.Column{ID: rel.NewID(), Name: c.Name, Type: c.Type, Nullable: true}
		p.Cols = append(p.Cols, rel.Computed{Column: value, Expr: firstOf(c.Type, &rel.Field{X: found.Ref(), Index: 0}, rel.When{If: isNull(found.Ref()), Then: c.Ref()})})
		out.own[i] = value.ID
	}
	for _, c := range in.Columns() {
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	return &out, p
}

// cut adds to ranked rows of a batch the rank of the newest deletion of their key, before which rows do not count; NULL where there is none.
func (x *tx) cut(f *freshRows, in rel.Node, rank rel.Column, by []rel.Expr) (rel.Node, rel.Column) {
	cut := rel.Column{ID: rel.NewID(), Name: "cut", Type: types.Int, Nullable: true}
	deleted := firstOf(types.Int, &rel.Lit{T: types.Int}, rel.When{If: x.deletion(f, opUpsert), Then: rank.Ref()})
	return &rel.Window{In: in, Funcs: []rel.Computed{{Column: cut,
		Expr: &rel.Over{Fn: &rel.Agg{Name: "min", Args: []rel.Expr{deleted}, T: types.Int, Null: true}, Partition: by}}}}, cut
}

func not(x rel.Expr) rel.Expr {
	return &rel.Call{Name: "not", Args: []rel.Expr{x}, T: types.Boolean, Null: x.Nullable()}
}

// combined gives updates of a copy-on-write table the values of the stored rows that they leave in place. The rows are evaluated once.
func (x *tx) combined(ctx context.Context, f *freshRows, e *edits) (*freshRows, func() error, error) {
	r := x.rule()
	if f.folded != nil && e.updated+e.inserted > 0 {
		return x.fold(ctx, f, e)
	}
	if !r.partial() || x.merges() || e.updated == 0 || len(f.own) == 0 {
		return f, func() error { return nil }, nil
	}
	stored, columns, k := x.storedColumns(x.orderingColumns(), func(int) bool { return true })
	p, err := x.besideStored(ctx, f, e, k, columns)
	if err != nil {
		return nil, nil, err
	}
	updates, lost := equals(f.code.Ref(), code(updateOp)), x.loses(f, k)
	var values []rel.Expr
	for i, in := range x.namedColumns(f) {
		old := rel.Expr(&rel.Lit{T: in.Type})
		if stored[i].ID != 0 {
			old = stored[i].Ref()
		}
		values = append(values, firstOf(in.Type, in.Ref(), rel.When{If: updates, Then: r.combine(in.Ref(), old, in.Type, lost)}))
	}
	return x.holdWith(ctx, f, p, values)
}

// holdWith evaluates the rows p, those of f and more, with other values of the table's columns.
func (x *tx) holdWith(ctx context.Context, f *freshRows, p *rel.Project, values []rel.Expr) (*freshRows, func() error, error) {
	out := *f
	out.own = make([]rel.ID, len(f.own))
	for i, in := range x.namedColumns(f) {
		v := rel.Column{ID: rel.NewID(), Name: in.Name, Type: in.Type, Nullable: true}
		p.Cols = append(p.Cols, rel.Computed{Column: v, Expr: values[i]})
		out.own[i] = v.ID
	}
	out.rows = p
	release, err := x.hold(ctx, &out)
	return &out, release, err
}

// storedColumns are fresh columns for the wanted ones of stored rows: by the number of the column, without an ID for those that are not read, and in a list; and
// for their places and ordering values.
func (x *tx) storedColumns(ordering []string, want func(column int) bool) (stored, columns []rel.Column, k *knownRows) {
	own := ownColumns(x.view.schema).Fields
	stored = make([]rel.Column, len(own))
	for i, field := range own {
		if x.base.schema.Index(field.Name) >= 0 && want(i) {
			stored[i] = rel.Column{ID: rel.NewID(), Name: field.Name, Type: field.Type, Nullable: true}
			columns = append(columns, stored[i])
		}
	}
	k = newKnownRows()
	for _, name := range ordering {
		if c, ok := columnNamed(columns, name); ok {
			k.ordering = append(k.ordering, c)
		}
	}
	return stored, columns, k
}
