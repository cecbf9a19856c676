package hudi

import (
	"context"
	"errors"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
)

// Create is not supported.
func (f *Format) Create(ctx context.Context, e lake.Entry, x engine.Engine) (lake.Tx, error) {
	return nil, &lake.Error{Op: "create", Path: f.table(e).path, Err: errors.ErrUnsupported}
}

// Begin is not supported.
func (t *Table) Begin(ctx context.Context, x engine.Engine) (lake.Tx, error) {
	return nil, &lake.Error{Op: "write to", Path: t.path, Err: errors.ErrUnsupported}
}
