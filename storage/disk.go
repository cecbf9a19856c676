package storage

import (
	"context"
	"io"
	"io/fs"
	"path"
)

// A volume is where a bucket of files lives. It is entered for each operation,
// so that a bucket holds nothing open and needs no Close.
type volume interface {
	// enter opens the volume for the files below prefix, which is "" or ends in
	// a slash. It fails with fs.ErrNotExist if the volume does not exist and
	// make is false.
	enter(prefix string, make bool) (disk, error)

	// where spells the name of a file for people.
	where(name string) string
}

// A disk is the part of a file system that the commit protocol is made of: the
// real one of a local bucket, or the simulated one of Mem. Names are relative to
// the volume, the volume itself being "". Nothing is durable before sync or
// syncDir has returned.
type disk interface {
	open(name string) (diskFile, error)
	create(name string) (diskFile, error) // fails if name exists
	stat(name string) (fs.FileInfo, error)
	lstat(name string) (fs.FileInfo, error)
	same(a, b string) bool // whether both names are links to one file

	// readDir describes the entries of a directory that keep accepts, in any
	// order, symbolic links as links.
	readDir(name string, keep func(base string, dir bool) bool) ([]fs.FileInfo, error)

	mkdir(name string) error // one level
	link(from, to string) error
	rename(from, to string) error
	remove(name string) error
	syncDir(name string) error // makes the entries of a directory durable

	// lock waits until no other caller holds the lock of a directory, in this
	// process or another, or until ctx is over.
	lock(ctx context.Context, name string) (unlock func(), err error)
	close()
}

type diskFile interface {
	io.ReaderAt
	io.Writer
	io.Closer
	Stat() (fs.FileInfo, error)
	Sync() error
}

// parent is the directory of a name, the volume being "".
func parent(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}

// makeDirs makes dir and the directories that lead to it. They are made durable
// by syncUp, together with the file they were made for.
func makeDirs(d disk, dir string) error {
	if dir == "" {
		return nil
	}
	if info, err := d.stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := makeDirs(d, parent(dir)); err != nil {
		return err
	}
	if err := d.mkdir(dir); err != nil && !isExist(err) {
		return err
	}
	return nil
}

// syncUp makes durable the entries of dir and of every directory above it, also
// of those that were there before: another process may have made them and not
// synced them yet.
func syncUp(d disk, dir string) error {
	for {
		if err := d.syncDir(dir); err != nil {
			return err
		}
		if dir == "" {
			return nil
		}
		dir = parent(dir)
	}
}
