package duckdb

import (
	"math/bits"
	"sync"
)

// pool recycles the buffers of one stream when their batch is released, as an Arrow allocator. Buffers of
// a batch that is never released are left to the garbage collector. Without recycling numeric columns
// come out three times slower.
type pool struct {
	mu   sync.Mutex
	free [48][][]byte // free[k] holds slices with capacity of at least 1<<k
}

const (
	poolMinBits = 6  // 64 bytes, Arrow's alignment unit
	poolKeep    = 64 // slices kept per size
)

// Allocate returns n bytes of any content.
func (p *pool) Allocate(n int) []byte {
	k := bits.Len(uint(max(n, 1<<poolMinBits) - 1))
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.free[k]; len(f) > 0 {
		b := f[len(f)-1]
		p.free[k] = f[:len(f)-1]
		return b[:n]
	}
	return make([]byte, n, 1<<k)
}

// Free takes b back.
func (p *pool) Free(b []byte) {
	k := bits.Len(uint(cap(b))) - 1
	p.mu.Lock()
	defer p.mu.Unlock()
	if k >= poolMinBits && k < len(p.free) && len(p.free[k]) < poolKeep {
		p.free[k] = append(p.free[k], b[:0])
	}
}

// Reallocate returns b with n bytes; bytes past the old length have any content.
func (p *pool) Reallocate(n int, b []byte) []byte {
	if n <= cap(b) {
		return b[:n]
	}
	c := p.Allocate(n)
	copy(c, b)
	p.Free(b)
	return c
}

// zero returns n zero bytes.
func (p *pool) zero(n int) []byte {
	b := p.Allocate(n)
	clear(b)
	return b
}

// extend lengthens b by zero bytes to n.
func (p *pool) extend(b []byte, n int) []byte {
	was := len(b)
	if n <= was {
		return b
	}
	b = p.Reallocate(n, b)
	clear(b[was:])
	return b
}
