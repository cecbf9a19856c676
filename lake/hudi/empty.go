package hudi

import (
	"context"
	"errors"

	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
)

// writeEmpty makes a base file without rows: the state of a file group whose rows are all deleted.
func (x *tx) writeEmpty(ctx context.Context, l *layout, name string) (f rel.File, err error) {
	w, err := x.table.bucket.Create(ctx, name, storage.Exclusive)
	if err != nil {
		return f, err
	}
	out := &counted{w: w}
	if err = x.fillEmpty(l, out); err != nil {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return f, errors.Join(err, w.Close(), x.table.bucket.Remove(context.WithoutCancel(ctx), name))
	}
	return rel.File{Bucket: x.table.bucket, Path: name, Size: out.n}, w.Close()
}

func (x *tx) fillEmpty(l *layout, out *counted) error {
	codec, err := parquet.NewCodec(l.codec)
	if err != nil {
		return err
	}
	w, err := parquet.NewWriter(out, l.fields(), parquet.WriterOptions{Codec: codec, FixedDecimals: true, Required: true})
	if err != nil {
		return err
	}
	entries, err := newKeyIndex(l, x.act.instant.Time).Footer()
	if err != nil {
		return err
	}
	return w.Close(entries)
}

// counted counts what is written.
type counted struct {
	w interface{ Write([]byte) (int, error) }
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
