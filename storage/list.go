package storage

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"syscall"
)

func (b *files) List(ctx context.Context, dir, after string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		if dir != "" {
			if err := CheckName(dir); err != nil {
				yield(Info{}, err)
				return
			}
		}
		d, err := b.enter(ctx, "list", dir, false)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Info{}, err)
			return
		}
		defer d.close()
		l := &listing{b: b, ctx: ctx, d: d, after: after, yield: yield}
		l.dir(dir)
	}
}

// A listing walks directories in the order of full names: since a directory's
// names start with its own and a slash, it is sorted as if its name ended so.
type listing struct {
	b     *files
	ctx   context.Context
	d     disk
	after string
	yield func(Info, error) bool
}

// dir lists a directory and reports whether the consumer wants more.
func (l *listing) dir(dir string) bool {
	prefix := dir
	if prefix != "" {
		prefix += "/"
	}
	entries, err := l.d.readDir(strings.TrimSuffix(l.b.prefix+dir, "/"), func(base string, isDir bool) bool {
		return !isTemp(base) && l.wanted(prefix+base, isDir)
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return true
	}
	if err != nil {
		return l.yield(Info{}, l.b.fail("list", dir, err))
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int { return cmp.Compare(sortKey(a), sortKey(b)) })
	for _, e := range entries {
		if l.ctx.Err() != nil {
			l.yield(Info{}, l.b.fail("list", dir, ended(l.ctx)))
			return false
		}
		if !l.entry(prefix+e.Name(), e) {
			return false
		}
	}
	return true
}

// wanted says whether a file comes after l.after, or some name below a directory
// may.
func (l *listing) wanted(name string, isDir bool) bool {
	if isDir {
		name += "/"
		return name > l.after || strings.HasPrefix(l.after, name)
	}
	return name > l.after
}

func (l *listing) entry(name string, e fs.FileInfo) bool {
	info := Info{name, e.Size(), e.ModTime()}
	err := CheckName(name)
	if err == nil && e.IsDir() {
		return l.dir(name)
	}
	if err == nil && e.Mode()&fs.ModeSymlink != 0 {
		info, err = l.follow(name)
	} else if err == nil {
		err = regular(e)
	}
	if err != nil {
		return l.yield(Info{Name: name}, l.b.fail("list", name, err))
	}
	return l.yield(info, nil)
}

// follow describes the file that a symbolic link inside the bucket leads to. A
// link to a directory is not followed, since it may lead back here.
func (l *listing) follow(name string) (Info, error) {
	target, err := l.d.stat(l.b.prefix + name)
	switch {
	case err != nil:
		return Info{}, err
	case target.IsDir():
		return Info{}, errors.New("is a symbolic link to a directory, which is not followed")
	}
	return Info{name, target.Size(), target.ModTime()}, regular(target)
}

func sortKey(e fs.FileInfo) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}
