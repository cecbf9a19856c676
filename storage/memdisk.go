package storage

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// memVolume is the simulated file system of a Mem.
type memVolume struct {
	mu    sync.Mutex // held by each call of memDisk, and by Clone and Crash
	root  *memNode
	steps Faults
	swaps sync.Mutex // the lock of all directories
}

// memNode is a file or a directory. What a crash would leave of it for certain
// is the first synced bytes and the durable entries.
type memNode struct {
	dir    bool
	time   time.Time
	data   []byte // only ever appended to
	synced int

	entries, durable map[string]*memNode
}

func newMemDir() *memNode {
	return &memNode{dir: true, time: time.Now(), entries: map[string]*memNode{}, durable: map[string]*memNode{}}
}

// clone copies a tree, in which a file may have two names.
func (n *memNode) clone(seen map[*memNode]*memNode) *memNode {
	if n == nil {
		return nil
	}
	if c := seen[n]; c != nil {
		return c
	}
	c := &memNode{dir: n.dir, time: n.time, data: slices.Clip(n.data), synced: n.synced}
	seen[n] = c
	if n.dir {
		c.entries, c.durable = map[string]*memNode{}, map[string]*memNode{}
		for name, e := range n.entries {
			c.entries[name] = e.clone(seen)
		}
		for name, e := range n.durable {
			c.durable[name] = e.clone(seen)
		}
	}
	return c
}

func (v *memVolume) where(name string) string { return "mem:" + name }

func (v *memVolume) enter(string, bool) (disk, error) {
	if err := v.steps.down(); err != nil {
		return nil, err
	}
	return memDisk{v}, nil
}

type memDisk struct{ v *memVolume }

func (memDisk) close() {}

// step runs one step of the file system that changes something.
func (d memDisk) step(op, name string, do func() error) error {
	d.v.mu.Lock()
	defer d.v.mu.Unlock()
	return d.v.steps.do(op+" "+shown(name), do)
}

// shown makes the random name of a temp file the same in each run.
func shown(name string) string {
	switch base := path.Base(name); {
	case name == "":
		return "/"
	case isTemp(base):
		return strings.TrimSuffix(name, base) + "(temp)"
	}
	return name
}

// find walks to a node. The caller holds the lock.
func (d memDisk) find(name string) (*memNode, error) {
	n := d.v.root
	if name == "" {
		return n, nil
	}
	for segment := range strings.SplitSeq(name, "/") {
		if !n.dir {
			return nil, syscall.ENOTDIR
		}
		if n = n.entries[segment]; n == nil {
			return nil, fs.ErrNotExist
		}
	}
	return n, nil
}

// place walks to the directory of a name.
func (d memDisk) place(name string) (*memNode, string, error) {
	n, err := d.find(parent(name))
	if err == nil && !n.dir {
		err = syscall.ENOTDIR
	}
	return n, path.Base(name), err
}

func (d memDisk) open(name string) (diskFile, error) {
	d.v.mu.Lock()
	defer d.v.mu.Unlock()
	n, err := d.find(name)
	if err != nil {
		return nil, err
	}
	return &memFile{d, name, n}, nil
}

func (d memDisk) create(name string) (diskFile, error) {
	n := &memNode{time: time.Now()}
	err := d.step("create", name, func() error { return d.add(name, n) })
	if err != nil {
		return nil, err
	}
	return &memFile{d, name, n}, nil
}

func (d memDisk) mkdir(name string) error {
	return d.step("mkdir", name, func() error { return d.add(name, newMemDir()) })
}

func (d memDisk) link(from, to string) error {
	return d.step("link", to, func() error {
		n, err := d.find(from)
		if err != nil {
			return err
		}
		return d.add(to, n)
	})
}

// add gives a node a name that must be free.
func (d memDisk) add(name string, n *memNode) error {
	dir, base, err := d.place(name)
	if err != nil {
		return err
	}
	if dir.entries[base] != nil {
		return fs.ErrExist
	}
	dir.entries[base] = n
	return nil
}

func (d memDisk) rename(from, to string) error {
	return d.step("rename", to, func() error {
		old, oldBase, err := d.place(from)
		if err != nil {
			return err
		}
		dir, base, err := d.place(to)
		if err != nil {
			return err
		}
		if e := dir.entries[base]; e != nil && e.dir {
			return syscall.EISDIR
		}
		dir.entries[base] = old.entries[oldBase]
		delete(old.entries, oldBase)
		return nil
	})
}

func (d memDisk) remove(name string) error {
	return d.step("remove", name, func() error {
		dir, base, err := d.place(name)
		if err != nil {
			return err
		}
		if dir.entries[base] == nil {
			return fs.ErrNotExist
		}
		delete(dir.entries, base)
		return nil
	})
}

func (d memDisk) syncDir(name string) error {
	return d.step("fsync dir", name, func() error {
		n, err := d.find(name)
		if err != nil {
			return err
		}
		n.durable = maps.Clone(n.entries)
		return nil
	})
}

func (d memDisk) lock(context.Context, string) (unlock func(), err error) {
	d.v.swaps.Lock()
	return d.v.swaps.Unlock, nil
}

func (d memDisk) stat(name string) (fs.FileInfo, error) {
	d.v.mu.Lock()
	defer d.v.mu.Unlock()
	n, err := d.find(name)
	if err != nil {
		return nil, err
	}
	return n.info(path.Base(name)), nil
}

func (d memDisk) lstat(name string) (fs.FileInfo, error) { return d.stat(name) }

func (d memDisk) same(a, b string) bool {
	d.v.mu.Lock()
	defer d.v.mu.Unlock()
	x, err := d.find(a)
	if err != nil {
		return false
	}
	y, err := d.find(b)
	return err == nil && x == y
}

func (d memDisk) readDir(name string, keep func(base string, dir bool) bool) ([]fs.FileInfo, error) {
	d.v.mu.Lock()
	defer d.v.mu.Unlock()
	n, err := d.find(name)
	if err == nil && !n.dir {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, err
	}
	var infos []fs.FileInfo
	for base, e := range n.entries {
		if keep(base, e.dir) {
			infos = append(infos, e.info(base))
		}
	}
	return infos, nil
}

// memFile is an open file. A file that has a name is never written any more, so
// that its readers need no lock.
type memFile struct {
	d    memDisk
	name string
	n    *memNode
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.d.v.steps.down(); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, fs.ErrInvalid
	}
	if off >= int64(len(f.n.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.n.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) Write(p []byte) (int, error) {
	err := f.d.step("write", f.name, func() error {
		f.n.data = append(f.n.data, p...)
		f.n.time = time.Now()
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f *memFile) Sync() error {
	return f.d.step("fsync", f.name, func() error {
		f.n.synced = len(f.n.data)
		return nil
	})
}

func (f *memFile) Close() error { return nil }

func (f *memFile) Stat() (fs.FileInfo, error) {
	f.d.v.mu.Lock()
	defer f.d.v.mu.Unlock()
	return f.n.info(path.Base(f.name)), nil
}

func (n *memNode) info(base string) fs.FileInfo {
	return memInfo{base, int64(len(n.data)), n.dir, n.time}
}

type memInfo struct {
	base string
	size int64
	dir  bool
	time time.Time
}

func (i memInfo) Name() string       { return i.base }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) ModTime() time.Time { return i.time }
func (i memInfo) IsDir() bool        { return i.dir }
func (i memInfo) Sys() any           { return nil }

func (i memInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
