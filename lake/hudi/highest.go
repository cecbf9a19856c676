package hudi

import (
	"context"

	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/types"
)

// highest is the largest value of a column in a base file, or more, by the footer; false when the footer does not say.
func (s *Snapshot) highest(ctx context.Context, b *baseFile, column string) (high orderingValue, ok bool, err error) {
	f, err := s.table.bucket.Open(ctx, b.Path)
	if err != nil {
		return nil, false, s.table.fail("open", b.Path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false, s.table.fail("open", b.Path, err)
	}
	p, err := parquet.Open(f, info.Size, parquet.Limits{})
	if err != nil {
		return nil, false, s.table.fail("read", b.Path, err)
	}
	leaf, ok := p.Leaf(column)
	if !ok || s.history != nil {
		return nil, false, nil
	}
	for group := range p.Groups() {
		v, ok := p.Max(group, leaf)
		if !ok {
			return nil, false, nil
		}
		if o := asOrdering(v); compareOrdering(o, high) > 0 {
			high = o
		}
	}
	return high, leaf.SparkType() == s.columnType(column), nil
}

// asOrdering is a value of a column as an ordering value; nil for NULL.
func asOrdering(v types.Value) orderingValue {
	switch v := v.(type) {
	case int32:
		return int64(v)
	case float32:
		return float64(v)
	}
	return v
}
