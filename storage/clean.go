package storage

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"
)

// RemoveAll removes every file below dir, all of them if dir is "", and in a
// local bucket the directories as well, with all that lies there. It is not one
// step: readers may see part of it, and an error may leave part of it undone.
func RemoveAll(ctx context.Context, b Bucket, dir string) error {
	if dir != "" {
		if err := CheckName(dir); err != nil {
			return err
		}
	}
	if t, ok := As[treeRemover](b); ok {
		return t.removeTree(ctx, dir)
	}
	const batch = 1000
	var names []string
	for info, err := range b.List(ctx, dir, "") {
		if err != nil {
			return err
		}
		if names = append(names, info.Name); len(names) == batch {
			if err := b.Remove(ctx, names...); err != nil {
				return err
			}
			names = names[:0]
		}
	}
	return b.Remove(ctx, names...)
}

// treeRemover is a bucket with directories that would be left empty.
type treeRemover interface {
	removeTree(ctx context.Context, dir string) error
}

func (b *local) removeTree(ctx context.Context, dir string) error {
	d, err := b.enter(ctx, "remove", dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.close()
	top := strings.TrimSuffix(b.prefix+dir, "/")
	if top != "" {
		if err := d.(*rootDisk).removeAll(top); err != nil {
			return b.fail("remove", dir, err)
		}
		return nil
	}
	entries, err := d.readDir(top, func(string, bool) bool { return true })
	for _, e := range entries {
		if err == nil {
			err = d.(*rootDisk).removeAll(e.Name())
		}
	}
	if err != nil {
		return b.fail("remove", dir, err)
	}
	return nil
}

// Sweeper is the ability of a bucket whose writers may leave unlisted files
// behind when their process is killed.
type Sweeper interface {
	// Sweep removes the files below dir that unfinished writers left, if they
	// were last written before the given time, and returns how many. A writer
	// still at work on one of them will fail, and be told that it is not done.
	Sweep(ctx context.Context, dir string, before time.Time) (int, error)
}

// Sweep implements [Sweeper].
func (b *files) Sweep(ctx context.Context, dir string, before time.Time) (int, error) {
	if dir != "" {
		if err := CheckName(dir); err != nil {
			return 0, err
		}
	}
	d, err := b.enter(ctx, "remove", dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer d.close()
	n, err := sweep(ctx, d, strings.TrimSuffix(b.prefix+dir, "/"), before)
	if err != nil {
		return n, b.fail("remove", dir, err)
	}
	return n, nil
}

func sweep(ctx context.Context, d disk, dir string, before time.Time) (n int, err error) {
	if ctx.Err() != nil {
		return 0, ended(ctx)
	}
	entries, err := d.readDir(dir, func(base string, isDir bool) bool { return isDir || isTemp(base) })
	if err != nil {
		return 0, missingIsDone(err)
	}
	for _, e := range entries {
		name := e.Name()
		if dir != "" {
			name = dir + "/" + name
		}
		var swept int
		switch {
		case e.IsDir():
			swept, err = sweep(ctx, d, name, before)
		case e.ModTime().Before(before):
			swept, err = 1, d.remove(name)
		}
		if err = missingIsDone(err); err != nil {
			return n, err
		}
		n += swept
	}
	return n, nil
}

// missingIsDone passes over what another one removed first.
func missingIsDone(err error) error {
	if errors.Is(missing(err), fs.ErrNotExist) {
		return nil
	}
	return err
}
