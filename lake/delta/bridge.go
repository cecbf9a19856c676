package delta

import (
	"context"
	"errors"

	"github.com/tarn-lake/tarn/internal/bitmap"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

func (s *Snapshot) rows(a *Add) int64                                       { return -1 }
func (s *Snapshot) vector(ctx context.Context, a *Add) (*bitmap.Set, error) { return nil, nil }
func (s *Snapshot) partitionValues(a *Add) ([]types.Value, error)           { return nil, errors.New("todo") }
func (s *Snapshot) matcher(where rel.Expr, cols []rel.Column) func(*Add) bool {
	return func(*Add) bool { return true }
}
func (s *Snapshot) scanFiles(ctx context.Context, w rel.Want, of map[int64]*change) (rel.Node, error) {
	return nil, errors.New("todo")
}
