package duckdb

import "sync"

// numbered keeps values for running statements, which know them by number. The zero value is empty.
type numbered[T any] struct {
	mu   sync.Mutex
	last int64
	of   map[int64]T
}

func (n *numbered[T]) add(v T) int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of == nil {
		n.of = map[int64]T{}
	}
	n.last++
	n.of[n.last] = v
	return n.last
}

func (n *numbered[T]) get(id int64) (T, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	v, ok := n.of[id]
	return v, ok
}

func (n *numbered[T]) drop(ids []int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range ids {
		delete(n.of, id)
	}
}
