package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
)

var errTooLong = errors.New("longer than the limit")

// ReadFile reads a whole file of at most limit bytes. A longer one is an error
// that nothing was read for.
func ReadFile(ctx context.Context, b Bucket, name string, limit int64) ([]byte, error) {
	f, err := b.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size > limit {
		return nil, &Error{Op: "read", Path: name, Err: fmt.Errorf("%d bytes: %w of %d", info.Size, errTooLong, limit)}
	}
	data := make([]byte, info.Size)
	n, err := f.ReadAt(data, 0)
	if err != nil && !(errors.Is(err, io.EOF) && n == len(data)) {
		return nil, &Error{Op: "read", Path: name, Err: err}
	}
	return data, nil
}

// WriteFile creates a file with the given content. Its error has the outcomes of
// the writer's Close.
func WriteFile(ctx context.Context, b Bucket, name string, m Mode, data []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := b.Create(ctx, name, m)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		cancel()
		w.Close()
		return err
	}
	return w.Close()
}
