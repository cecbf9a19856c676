package delta

import (
	"context"
	"errors"

	"github.com/tarn-lake/tarn/rel"
)

// Scan reads the live files.
func (s *Snapshot) Scan(ctx context.Context, w rel.Want) (rel.Node, error) {
	return nil, errors.ErrUnsupported
}
