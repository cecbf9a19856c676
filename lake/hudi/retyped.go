package hudi

import (
	"context"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Columns may become wider: int, bigint, float, double, string. Files keep what they hold, and say so in their footers. Since types
// only become wider, and a write gives all its files its own types, the oldest base file tells whether some are narrower.

// markRetyped marks the columns of w that its condition speaks of and that files of slices may hold as a narrower type, so that the engine
// compares what they were read as.
func (s *Snapshot) markRetyped(ctx context.Context, slices []*fileSlice, w rel.Want) ([]rel.Column, error) {
	asked := map[rel.ID]bool{}
	rel.WalkExpr(w.Where, func(e rel.Expr) bool {
		if c, ok := e.(*rel.Col); ok {
			asked[c.ID] = true
		}
		return true
	})
	var stored *parquet.File
	out := append([]rel.Column(nil), w.Columns...)
	for i, c := range out {
		if !asked[c.ID] || !widens(c.Type) || s.history == nil && c.Name[0] == '_' {
			continue
		}
		if stored == nil {
			f, err := s.oldestFooter(ctx, slices)
			if f == nil || err != nil {
				return out, err
			}
			stored = f
		}
		leaf, ok := stored.Leaf(c.Name)
		if s.history != nil || ok && !holds(leaf.Type, c.Type) {
			out[i].Metadata = c.Metadata.With(rel.RetypedKey, true)
		}
	}
	return out, nil
}

// widens reports whether a column of type t may have had a narrower one.
func widens(t types.Type) bool {
	switch t {
	case types.Long, types.Float, types.Double, types.String, types.Binary:
		return true
	}
	return types.IsDecimal(t)
}

// holds reports whether values of a stored type are read as t without becoming wider.
func holds(stored pq.Type, t types.Type) bool {
	switch t {
	case types.Long:
		return stored.Kind() == pq.Int64
	case types.Float:
		return stored.Kind() == pq.Float
	case types.Double:
		return stored.Kind() == pq.Double
	case types.String, types.Binary:
		return stored.Kind() == pq.ByteArray
	}
	d, decimal := t.(types.Decimal)
	l := stored.LogicalType()
	if !decimal || l == nil {
		return false
	}
	as, ok := l.Value.(*format.DecimalType)
	return ok && int(as.Precision) == d.P && int(as.Scale) == d.S
}

// oldestFooter is the footer of the base file of slices that was written first; nil when there is none.
func (s *Snapshot) oldestFooter(ctx context.Context, slices []*fileSlice) (*parquet.File, error) {
	var oldest *baseFile
	for _, slice := range slices {
		if b := slice.Base; b != nil && (oldest == nil || b.Instant < oldest.Instant) {
			oldest = b
		}
	}
	if oldest == nil {
		return nil, nil
	}
	return s.footer(ctx, oldest)
}

// footer is the checked footer of a base file.
func (s *Snapshot) footer(ctx context.Context, b *baseFile) (*parquet.File, error) {
	f, err := s.table.bucket.Open(ctx, b.Path)
	if err != nil {
		return nil, s.table.fail("open", b.Path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, s.table.fail("open", b.Path, err)
	}
	p, err := parquet.Open(f, info.Size, parquet.Limits{})
	if err != nil {
		return nil, s.table.fail("read", b.Path, err)
	}
	return p, nil
}
