package delta

import (
	"context"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// cache keeps the latest state that was seen of some tables, the one used last first.
type cache struct {
	mu      sync.Mutex
	entries []cached
}

type cached struct {
	key  string
	snap *Snapshot
}

// The bounds of a cache. Files count over all tables, because they take the memory.
const (
	maxCachedTables = 32
	maxCachedFiles  = 2_000_000
)

func (c *cache) get(key string) *Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.key == key {
			return e.snap
		}
	}
	return nil
}

// put makes s the state kept for key and forgets what is beyond the bounds.
func (c *cache) put(key string, s *Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = slices.DeleteFunc(c.entries, func(e cached) bool { return e.key == key })
	c.entries = slices.Insert(c.entries, 0, cached{key, s})
	files := 0
	for i, e := range c.entries {
		files += len(e.snap.state.Files) + len(e.snap.state.Tombstones)
		if i > 0 && (files > maxCachedFiles || i >= maxCachedTables) {
			clear(c.entries[i:])
			c.entries = c.entries[:i]
			return
		}
	}
}

// key names the table's folder for the cache. Two folders may share a key: see fingerprint.
func (t *Table) key() string {
	if local, ok := storage.As[storage.Local](t.bucket); ok {
		if path, err := local.Path(logDir); err == nil {
			return path
		}
	}
	return t.entry.Location
}

// fingerprint tells a commit from another one of the same version, as when a table was dropped and made again. The zero
// value is of no commit.
type fingerprint struct {
	size    int64
	modTime time.Time
	start   uint64 // hash of the first bytes, which hold the transaction id
}

// headSize is how many bytes of a commit are taken for its head.
const headSize = 64 << 10

// head reads the first bytes of a commit and its fingerprint.
func (t *Table) head(ctx context.Context, f *logFile) ([]byte, fingerprint, error) {
	text := make([]byte, min(f.Size, headSize))
	file, err := t.bucket.Open(ctx, f.Name)
	if err != nil {
		return nil, fingerprint{}, t.fail("read", f.Name, err)
	}
	defer file.Close()
	if n, err := file.ReadAt(text, 0); n < len(text) {
		return nil, fingerprint{}, t.fail("read", f.Name, err)
	}
	h := fnv.New64a()
	h.Write(text)
	return text, fingerprint{f.Size, f.ModTime, h.Sum64()}, nil
}
