package storage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// OpenLocal returns the bucket of the files below dir, which is made at the
// first Create if it does not exist. Nothing outside dir is ever reached: names
// are checked, and symbolic links are followed only where they stay inside. The
// bucket has the ability [Local], and holds no file open by itself.
func OpenLocal(dir string) (Bucket, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, failure("open", dir, err)
	}
	return newLocal(localVolume(abs), ""), nil
}

type local struct {
	files
	vol localVolume
}

func newLocal(vol localVolume, prefix string) *local {
	return &local{files{vol, prefix}, vol}
}

func (b *local) Narrow(dir string) Bucket { return newLocal(b.vol, b.prefix+dir+"/") }

func (b *local) Path(name string) (string, error) {
	d, err := b.start(context.Background(), "open", name, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return b.vol.where(b.prefix + name), nil
	case err != nil:
		return "", err
	}
	defer d.close()
	// What does not exist yet is as safe as the directory it will be made in.
	for p := b.prefix + name; p != ""; p = parent(p) {
		_, err := d.stat(p)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", b.fail("open", name, err)
		}
	}
	return b.vol.where(b.prefix + name), nil
}

func (b *local) Sync(ctx context.Context, names ...string) error {
	dirs := map[string]bool{}
	for _, name := range names {
		if err := b.sync(ctx, name); err != nil {
			return err
		}
		for dir := parent(b.prefix + name); !dirs[dir]; dir = parent(dir) {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		if err := b.syncDir(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

func (b *local) sync(ctx context.Context, name string) error {
	d, err := b.start(ctx, "sync", name, false)
	if err != nil {
		return err
	}
	defer d.close()
	f, err := d.open(b.prefix + name)
	if err != nil {
		return b.fail("sync", name, err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return b.fail("sync", name, err)
	}
	return nil
}

func (b *local) syncDir(ctx context.Context, dir string) error {
	if ctx.Err() != nil {
		return failure("sync", b.vol.where(dir), ended(ctx))
	}
	d, err := b.vol.enter(b.prefix, false)
	if err == nil {
		defer d.close()
		err = d.syncDir(dir)
	}
	if err != nil {
		return failure("sync", b.vol.where(dir), err)
	}
	return nil
}

// A localVolume is the absolute path of a directory.
type localVolume string

func (v localVolume) where(name string) string {
	return filepath.Join(string(v), filepath.FromSlash(name))
}

func (v localVolume) enter(prefix string, make bool) (disk, error) {
	root, err := os.OpenRoot(string(v))
	if errors.Is(err, fs.ErrNotExist) && make {
		if err := makeDurableDir(string(v)); err != nil {
			return nil, err
		}
		root, err = os.OpenRoot(string(v))
	}
	if err != nil {
		return nil, err
	}
	return &rootDisk{root: root, prefix: prefix}, nil
}

// makeDurableDir makes a directory and its parents, each one durable in its own.
func makeDurableDir(dir string) error {
	up := filepath.Dir(dir)
	if _, err := os.Stat(up); errors.Is(err, fs.ErrNotExist) {
		if err := makeDurableDir(up); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !isExist(err) {
		return err
	}
	f, err := os.Open(up)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// rootDisk is the real file system below a directory. Files below prefix are
// reached through a root of their own, so that the symbolic links of a narrowed
// bucket cannot lead out of its part either.
type rootDisk struct {
	root   *os.Root
	prefix string   // "" or ends in a slash
	inner  *os.Root // of prefix, opened when first needed
}

func (d *rootDisk) at(name string) (*os.Root, string, error) {
	rest, below := strings.CutPrefix(name, d.prefix)
	switch {
	case name == "":
		return d.root, ".", nil
	case d.prefix == "" || !below:
		return d.root, name, nil
	}
	if d.inner == nil {
		inner, err := openDir(d.root, strings.TrimSuffix(d.prefix, "/"))
		if err != nil {
			return nil, "", err
		}
		d.inner = inner
	}
	return d.inner, rest, nil
}

// openDir is OpenRoot, whose error for a file is none that can be told apart.
func openDir(r *os.Root, name string) (*os.Root, error) {
	info, err := r.Stat(name)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, err
	}
	return r.OpenRoot(name)
}

func (d *rootDisk) close() {
	if d.inner != nil {
		d.inner.Close()
	}
	d.root.Close()
}

// open does not wait for the other end of a pipe that lies where a file should.
func (d *rootDisk) open(name string) (diskFile, error) {
	return d.openFile(name, os.O_RDONLY|syscall.O_NONBLOCK)
}

func (d *rootDisk) create(name string) (diskFile, error) {
	return d.openFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
}

func (d *rootDisk) openFile(name string, flag int) (diskFile, error) {
	r, name, err := d.at(name)
	if err != nil {
		return nil, err
	}
	f, err := r.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, err // not f, which would be a non-nil interface
	}
	return f, nil
}

func (d *rootDisk) stat(name string) (fs.FileInfo, error) {
	r, name, err := d.at(name)
	if err != nil {
		return nil, err
	}
	return r.Stat(name)
}

func (d *rootDisk) lstat(name string) (fs.FileInfo, error) {
	r, name, err := d.at(name)
	if err != nil {
		return nil, err
	}
	return r.Lstat(name)
}

func (d *rootDisk) same(a, b string) bool {
	x, err := d.lstat(a)
	if err != nil {
		return false
	}
	y, err := d.lstat(b)
	return err == nil && os.SameFile(x, y)
}

func (d *rootDisk) readDir(name string, keep func(base string, dir bool) bool) ([]fs.FileInfo, error) {
	r, name, err := d.at(name)
	if err != nil {
		return nil, err
	}
	dir, err := openDir(r, name) // entries are described without walking to each
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var infos []fs.FileInfo
	for _, e := range entries {
		if !keep(e.Name(), e.IsDir()) {
			continue
		}
		info, err := dir.Lstat(e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

func (d *rootDisk) mkdir(name string) error {
	r, name, err := d.at(name)
	if err != nil {
		return err
	}
	return r.Mkdir(name, 0o777)
}

func (d *rootDisk) link(from, to string) error   { return d.two(from, to, (*os.Root).Link) }
func (d *rootDisk) rename(from, to string) error { return d.two(from, to, (*os.Root).Rename) }

func (d *rootDisk) two(from, to string, do func(r *os.Root, from, to string) error) error {
	r, from, err := d.at(from)
	if err != nil {
		return err
	}
	_, to, err = d.at(to)
	if err != nil {
		return err
	}
	return do(r, from, to)
}

func (d *rootDisk) remove(name string) error {
	r, name, err := d.at(name)
	if err != nil {
		return err
	}
	return r.Remove(name)
}

// removeAll removes a directory and all below it; links are not followed.
func (d *rootDisk) removeAll(name string) error {
	r, name, err := d.at(name)
	if err != nil {
		return missingIsDone(err)
	}
	return r.RemoveAll(name)
}

func (d *rootDisk) syncDir(name string) error {
	r, name, err := d.at(name)
	if err != nil {
		return err
	}
	f, err := r.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
