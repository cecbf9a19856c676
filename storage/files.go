package storage

import (
	"context"
	"errors"
	"io/fs"
)

// files is a bucket of plain files on a volume: those whose names there start
// with prefix, which is "" or ends in a slash.
type files struct {
	vol    volume
	prefix string
}

func (b *files) Open(ctx context.Context, name string) (File, error) {
	d, err := b.start(ctx, "open", name, false)
	if err != nil {
		return nil, err
	}
	defer d.close()
	f, err := d.open(b.prefix + name)
	if err != nil {
		return nil, b.fail("open", name, missing(err))
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		f.Close()
		return nil, b.fail("open", name, err)
	}
	return &openFile{f, Info{name, info.Size(), info.ModTime()}}, nil
}

func (b *files) Remove(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := CheckName(name); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := b.remove(ctx, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (b *files) remove(ctx context.Context, name string) error {
	d, err := b.start(ctx, "remove", name, false)
	if err != nil {
		return err
	}
	defer d.close()
	info, err := d.lstat(b.prefix + name)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		err = d.remove(b.prefix + name)
	}
	if err != nil {
		return b.fail("remove", name, missing(err))
	}
	return nil
}

// start begins an operation: it checks the name and the context and enters the
// volume.
func (b *files) start(ctx context.Context, op, name string, make bool) (disk, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	return b.enter(ctx, op, name, make)
}

func (b *files) enter(ctx context.Context, op, name string, make bool) (disk, error) {
	if err := ctx.Err(); err != nil {
		return nil, b.fail(op, name, ended(ctx))
	}
	d, err := b.vol.enter(b.prefix, make)
	if err != nil {
		return nil, b.fail(op, name, missing(err))
	}
	return d, nil
}

func (b *files) fail(op, name string, err error) error {
	return failure(op, b.vol.where(b.prefix+name), err)
}

// regular refuses what is not a file. A directory has no name of its own in a
// bucket, so that it does not exist.
func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errDirectory
	case !info.Mode().IsRegular():
		return errors.New("is not a regular file")
	}
	return nil
}

var errDirectory error = isDirectory{}

type isDirectory struct{}

func (isDirectory) Error() string { return "is a directory" }
func (isDirectory) Unwrap() error { return fs.ErrNotExist }

// openFile is a File over what a disk opened.
type openFile struct {
	f    diskFile
	info Info
}

func (f *openFile) ReadAt(p []byte, off int64) (int, error) { return f.f.ReadAt(p, off) }
func (f *openFile) Close() error                            { return f.f.Close() }
func (f *openFile) Stat() (Info, error)                     { return f.info, nil }
