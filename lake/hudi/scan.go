package hudi

import (
	"context"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// rowIDType is the type of the row ids of Hudi tables: the number of the file slice, the position in its base file (negative: of a
// row that only logs have), and the record key, which logs and indexes need.
var rowIDType = types.Struct{Fields: []types.Field{
	{Name: "file", Type: types.Long}, {Name: "pos", Type: types.Long}, {Name: "key", Type: types.String, Nullable: true}}}

// newRowID is a fresh column of row ids.
func newRowID() rel.Column { return rel.Column{ID: rel.NewID(), Name: "row id", Type: rowIDType} }

// RowIDType is the type of the row ids of s.
func (s *Snapshot) RowIDType() types.Struct { return rowIDType }

// Scan reads the slices that may hold rows for which w.Where is true.
func (s *Snapshot) Scan(ctx context.Context, w rel.Want) (rel.Node, error) {
	n, err := s.scan(ctx, w)
	if err != nil {
		return nil, s.table.fail("read", "", err)
	}
	return n, nil
}

func (s *Snapshot) scan(ctx context.Context, w rel.Want) (rel.Node, error) {
	slices, err := s.wanted(ctx, w)
	if err != nil {
		return nil, err
	}
	if w.Where != nil {
		if w.Columns, err = s.markRetyped(ctx, slices, w); err != nil {
			return nil, err
		}
	}
	if s.reading.changed == nil {
		return s.rows(ctx, slices, w.Columns, w.RowID)
	}
	return s.changedRows(ctx, slices, w)
}

// rows is the rows of slices: columns, by their names, and the row id when wanted.
func (s *Snapshot) rows(ctx context.Context, slices []*fileSlice, columns []rel.Column, rowID *rel.Column) (rel.Node, error) {
	var plain, merged []*fileSlice
	for _, slice := range slices {
		switch {
		case len(slice.Logs) > 0 && !s.reading.optimized:
			merged = append(merged, slice)
		case slice.Base != nil:
			plain = append(plain, slice)
		}
	}
	var parts []rel.Node
	if len(plain) > 0 {
		n, err := s.baseRows(plain, columns, rowID, nil)
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
	}
	if len(merged) > 0 {
		n, err := s.mergedRows(ctx, merged, columns, rowID)
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
	}
	return union(withRowID(columns, rowID), parts), nil
}

func withRowID(columns []rel.Column, rowID *rel.Column) []rel.Column {
	out := append([]rel.Column(nil), columns...)
	if rowID != nil {
		out = append(out, *rowID)
	}
	return out
}

// union is the rows of all parts, whose columns match those of out by position.
func union(out []rel.Column, parts []rel.Node) rel.Node {
	if len(parts) == 0 {
		return &rel.Values{Cols: out}
	}
	n := parts[0]
	for i, p := range parts[1:] {
		cols := out
		if i+2 < len(parts) {
			cols = fresh(out)
		}
		n = &rel.SetOp{Kind: rel.Union, All: true, Left: n, Right: p, Cols: cols}
	}
	if len(parts) == 1 {
		return renamed(n, out)
	}
	return n
}

// fresh is columns with new numbers.
func fresh(columns []rel.Column) []rel.Column {
	out := append([]rel.Column(nil), columns...)
	for i := range out {
		out[i].ID = rel.NewID()
	}
	return out
}

// renamed is n with the columns of out, by position.
func renamed(n rel.Node, out []rel.Column) rel.Node {
	in := n.Columns()
	same := true
	p := &rel.Project{In: n}
	for i, c := range out {
		same = same && in[i].ID == c.ID
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: in[i].Ref()})
	}
	if same && len(in) == len(out) {
		return n
	}
	return p
}

// changedRows is the rows of slices that the writes of s.reading made.
func (s *Snapshot) changedRows(ctx context.Context, slices []*fileSlice, w rel.Want) (rel.Node, error) {
	columns, at := withColumn(w.Columns, commitTimeColumn, types.String)
	n, err := s.rows(ctx, slices, columns, w.RowID)
	if err != nil {
		return nil, err
	}
	return only(&rel.Filter{In: n, Cond: s.reading.condition(at.Ref())}, withRowID(w.Columns, w.RowID)), nil
}

// withColumn is columns and the one called name, which is added when they lack it.
func withColumn(columns []rel.Column, name string, t types.Type) ([]rel.Column, rel.Column) {
	for _, c := range columns {
		if c.Name == name {
			return columns, c
		}
	}
	c := rel.NewColumn(name, t)
	return append(columns[:len(columns):len(columns)], c), c
}

// only is n with the given ones of its columns.
func only(n rel.Node, columns []rel.Column) rel.Node {
	if len(n.Columns()) == len(columns) {
		return n
	}
	p := &rel.Project{In: n}
	for _, c := range columns {
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	return p
}
