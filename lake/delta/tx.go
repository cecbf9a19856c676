package delta

import (
	"context"
	"errors"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
)

// Begin starts a transaction.
func (t *Table) Begin(ctx context.Context, x engine.Engine) (lake.Tx, error) {
	return nil, errors.ErrUnsupported
}

// Create starts the transaction that makes a table.
func (f *Format) Create(ctx context.Context, e lake.Entry, x engine.Engine) (lake.Tx, error) {
	return nil, errors.ErrUnsupported
}
