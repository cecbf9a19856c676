package storage

import (
	"context"
	"fmt"
	"io"
	"iter"
)

// Faulty wraps a bucket so that its operations can be counted, logged and made
// to fail through f: "open", "read" (of a file), "create", "write", "commit"
// (the Close of a writer), "list" and "remove". A commit that fails After being
// done wraps ErrUnknown. Abilities are those of b, and are not counted.
func Faulty(b Bucket, f *Faults) Bucket { return &faulty{b, f} }

type faulty struct {
	b Bucket
	f *Faults
}

func (b *faulty) Unwrap() Bucket { return b.b }

func (b *faulty) Narrow(dir string) Bucket {
	narrowed, _ := Sub(b.b, dir) // the caller has checked dir
	return &faulty{narrowed, b.f}
}

func (b *faulty) Open(ctx context.Context, name string) (file File, err error) {
	err = b.do("open", name, func() error {
		file, err = b.b.Open(ctx, name)
		return err
	})
	if err != nil {
		if file != nil {
			file.Close()
		}
		return nil, err
	}
	return &faultyFile{file, b, name}, nil
}

func (b *faulty) Create(ctx context.Context, name string, m Mode) (io.WriteCloser, error) {
	ctx, cancel := context.WithCancel(ctx)
	w := &faultyWriter{b: b, name: name, cancel: cancel}
	err := b.do("create", name, func() (err error) {
		w.w, err = b.b.Create(ctx, name, m)
		return err
	})
	if err != nil {
		cancel()
		if w.w != nil {
			w.w.Close()
		}
		return nil, err
	}
	return w, nil
}

func (b *faulty) List(ctx context.Context, dir, after string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		if err := b.do("list", dir, func() error { return nil }); err != nil {
			yield(Info{}, err)
			return
		}
		b.b.List(ctx, dir, after)(yield)
	}
}

func (b *faulty) Remove(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := CheckName(name); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := b.do("remove", name, func() error { return b.b.Remove(ctx, name) }); err != nil {
			return err
		}
	}
	return nil
}

// do runs an operation; a planned error gets the operation and name, as a real
// one has them.
func (b *faulty) do(op, name string, run func() error) error {
	var real error
	err := b.f.do(op+" "+name, func() error {
		real = run()
		return real
	})
	if err == nil || real != nil {
		return err
	}
	return failure(op, name, err)
}

type faultyFile struct {
	File
	b    *faulty
	name string
}

func (f *faultyFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.b.do("read", f.name, func() error {
		n, err = f.File.ReadAt(p, off)
		return err
	})
	return n, err
}

type faultyWriter struct {
	b      *faulty
	name   string
	w      io.WriteCloser
	cancel context.CancelFunc
	err    error // the fault that ended it
}

func (w *faultyWriter) Write(p []byte) (n int, err error) {
	if w.err != nil {
		return 0, w.err
	}
	err = w.b.do("write", w.name, func() error {
		n, err = w.w.Write(p)
		return err
	})
	if err != nil {
		w.err = err
		w.cancel()
	}
	return n, err
}

func (w *faultyWriter) Close() error {
	defer w.cancel()
	if w.err != nil {
		w.w.Close() // the context is cancelled, so this abandons the file
		return w.err
	}
	ran, real := false, error(nil)
	err := w.b.f.do("commit "+w.name, func() error {
		ran, real = true, w.w.Close()
		return real
	})
	switch {
	case err == nil || real != nil:
		return err
	case ran:
		return failure("commit", w.name, fmt.Errorf("%w: %w", ErrUnknown, err))
	}
	w.cancel()
	w.w.Close()
	return failure("commit", w.name, err)
}
