package storage

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Mem is a bucket in memory that behaves like a local one on a disk that may
// crash: it runs the same commit protocol on a simulated file system, on which
// nothing is durable before it is synced. It serves tests, and tables that need
// no file.
type Mem struct {
	files
	vol *memVolume
}

// NewMem returns an empty bucket.
func NewMem() *Mem { return newMem(&memVolume{root: newMemDir()}, "") }

func newMem(vol *memVolume, prefix string) *Mem { return &Mem{files{vol, prefix}, vol} }

// Steps are the file system's steps that change something, of which each
// operation takes several: "create", "write", "fsync", "link", "fsync dir", and
// so on. A fault planned there hits between the steps of one operation. An
// error that was not planned to stop hits once.
func (m *Mem) Steps() *Faults { return &m.vol.steps }

// Narrow implements [Narrower]. The narrowed bucket lies on the same disk: it
// shares the steps, and is cloned and crashed as a whole.
func (m *Mem) Narrow(dir string) Bucket { return newMem(m.vol, m.prefix+dir+"/") }

// Clone returns a bucket with the same files, as durable as they are here, and
// no faults planned.
func (m *Mem) Clone() *Mem {
	m.vol.mu.Lock()
	defer m.vol.mu.Unlock()
	return newMem(&memVolume{root: m.vol.root.clone(map[*memNode]*memNode{})}, m.prefix)
}

// Crash returns the bucket as it would be found if the machine lost power now.
// What was synced is there; each thing that was not, a directory entry or the
// end of a file, is kept with probability keep, else lost: an entry as if it had
// never been made or removed, the end of a file cut anywhere or turned to zeros.
// The same seed gives the same losses. m itself goes on unharmed.
func (m *Mem) Crash(keep float64, seed uint64) *Mem {
	m.vol.mu.Lock()
	defer m.vol.mu.Unlock()
	c := &crash{keep: keep, rand: rand.New(rand.NewPCG(seed, 0)), seen: map[*memNode]*memNode{}}
	return newMem(&memVolume{root: c.node(m.vol.root)}, m.prefix)
}

type crash struct {
	keep float64
	rand *rand.Rand
	seen map[*memNode]*memNode // a file may have two names
}

func (c *crash) kept() bool { return c.rand.Float64() < c.keep }

func (c *crash) node(n *memNode) *memNode {
	if found := c.seen[n]; found != nil {
		return found
	}
	found := &memNode{dir: n.dir, time: n.time}
	c.seen[n] = found
	if n.dir {
		found.entries = c.entries(n)
		found.durable = maps.Clone(found.entries)
		return found
	}
	found.data = c.data(n)
	found.synced = len(found.data)
	return found
}

func (c *crash) entries(n *memNode) map[string]*memNode {
	names := map[string]bool{}
	for name := range n.entries {
		names[name] = true
	}
	for name := range n.durable {
		names[name] = true
	}
	found := map[string]*memNode{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		now, before := n.entries[name], n.durable[name]
		if now != before && !c.kept() {
			now = before
		}
		if now != nil {
			found[name] = c.node(now)
		}
	}
	return found
}

// data returns the content found: a file system may have written its new length
// but not its end, or any part of the end.
func (c *crash) data(n *memNode) []byte {
	tail := len(n.data) - n.synced
	if tail == 0 || c.kept() {
		return slices.Clone(n.data)
	}
	found := slices.Clone(n.data[:n.synced])
	if c.keep == 0 {
		return found
	}
	part := c.rand.IntN(tail)
	found = append(found, n.data[n.synced:n.synced+part]...)
	if c.rand.IntN(2) == 0 {
		found = append(found, make([]byte, tail-part)...)
	}
	return found
}
