package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path"
	"sync"
)

// Create follows a fixed order, so that a crash between any two steps leaves
// either nothing or the whole file under its name:
//
//	make the directories
//	temp file, write, fsync        the content is durable, under no name
//	Exclusive: link(temp, name)    fails if the name is taken, unlike rename
//	Replace:   rename(temp, name)  takes the name in one step
//	fsync the directories          the name is durable: done
//	Exclusive: remove temp
func (b *files) Create(ctx context.Context, name string, m Mode) (io.WriteCloser, error) {
	if m > Exclusive {
		return nil, b.fail("create", name, fmt.Errorf("unknown mode %d", m))
	}
	d, err := b.start(ctx, "create", name, true)
	if err != nil {
		return nil, err
	}
	w := &writer{b: b, ctx: ctx, d: d, name: name, full: b.prefix + name, mode: m}
	if err := w.begin(); err != nil {
		d.close()
		return nil, b.fail("create", name, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unwatch = context.AfterFunc(ctx, w.cancelled)
	return w, nil
}

type writer struct {
	b          *files
	ctx        context.Context
	d          disk
	name, full string // within the bucket, within the volume
	temp       string
	mode       Mode
	unwatch    func() bool

	mu     sync.Mutex // held by Write, Close and the context's end
	f      diskFile   // nil once abandoned or closed
	err    error      // why the file was abandoned
	closed bool
}

func (w *writer) begin() error {
	if w.mode == Exclusive {
		if _, err := w.d.lstat(w.full); err == nil {
			return fs.ErrExist
		}
	}
	dir := parent(w.full)
	w.temp = path.Join(dir, fmt.Sprintf("%s%016x%s", tempPrefix, rand.Uint64(), tempSuffix))
	f, err := w.d.create(w.temp)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeDirs(w.d, dir); err != nil {
			return err
		}
		f, err = w.d.create(w.temp)
	}
	w.f = f
	return err
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, w.b.fail("write", w.name, fs.ErrClosed)
	}
	if w.ctx.Err() != nil {
		w.abandon("write", ended(w.ctx))
	}
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.f.Write(p)
	if err != nil {
		w.abandon("write", err)
		return n, w.err
	}
	return n, nil
}

func (w *writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return w.b.fail("commit", w.name, fs.ErrClosed)
	}
	w.closed = true
	w.unwatch()
	if w.ctx.Err() != nil {
		w.abandon("commit", ended(w.ctx))
	}
	if w.err != nil {
		return w.err
	}
	defer w.d.close()
	if err := w.commit(); err != nil {
		return w.b.fail("commit", w.name, err)
	}
	return nil
}

// cancelled abandons the file when the context ends first, so that a writer that
// is never closed leaves nothing behind either.
func (w *writer) cancelled() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.abandon("write", ended(w.ctx))
	}
}

// abandon gives the file up for the first reason it is told.
func (w *writer) abandon(op string, reason error) {
	if w.err != nil {
		return
	}
	w.err = w.b.fail(op, w.name, reason)
	w.f.Close()
	w.f = nil
	w.d.remove(w.temp)
	w.d.close()
}

// commit gives the file its name. From here on the context is not asked any
// more: the outcome is to be known.
func (w *writer) commit() error {
	err := w.f.Sync()
	if e := w.f.Close(); err == nil {
		err = e
	}
	w.f = nil
	if err == nil {
		err = w.publish()
	}
	if err != nil && !errors.Is(err, ErrUnknown) {
		w.d.remove(w.temp)
		return err
	}
	if err != nil {
		return err
	}
	if err := syncUp(w.d, parent(w.full)); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, bare(err))
	}
	if w.mode == Exclusive {
		w.d.remove(w.temp) // the file stands; a leftover is never listed
	}
	return nil
}

// publish makes the temp file visible under its name.
func (w *writer) publish() error {
	if w.mode == Replace {
		err := w.d.rename(w.temp, w.full)
		if err != nil && !linkRefused(err) {
			return fmt.Errorf("%w: %w", ErrUnknown, bare(err))
		}
		return err
	}
	err := w.d.link(w.temp, w.full)
	switch {
	case err == nil, w.d.same(w.temp, w.full):
		return nil // a network file system may fail a link that it has made
	case isExist(err):
		return fs.ErrExist
	case noLinks(err):
		return fmt.Errorf("%w: the file system has no hard links, which make a commit exclusive", errors.ErrUnsupported)
	case !linkRefused(err):
		return fmt.Errorf("%w: %w", ErrUnknown, bare(err))
	}
	return err
}
