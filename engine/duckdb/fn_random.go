package duckdb

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"sync"
)

// randomFunctions draw numbers; for one seed they are the numbers that Spark draws in its first partition.
var randomFunctions = map[string]udf{
	"rand":    randomFloat(0, func(g *xorShift, _ *row) float64 { return g.float() }),
	"randn":   randomFloat(0, func(g *xorShift, _ *row) float64 { return g.gaussian() }),
	"uniform": randomFloat(2, func(g *xorShift, r *row) float64 { return r.float(0) + (r.float(1)-r.float(0))*g.float() }),
	"randstr": {volatile: true, perUse: true, nulls: true, make: randomText},
}

// xorShift is the generator behind Spark's rand.
type xorShift struct {
	seed int64
	next float64 // the second of a pair of normal numbers
	have bool
}

// newXorShift mixes the bits of a seed first, as Spark does.
func newXorShift(seed int64) *xorShift {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(seed))
	lo := murmurStandard(b[:], 0x3c074a61)
	hi := murmurStandard(b[:], lo)
	return &xorShift{seed: int64(uint64(hi)<<32 | uint64(lo))}
}

// murmurStandard is Murmur3 of whole words: b must be a multiple of 4 long.
func murmurStandard(b []byte, h uint32) uint32 {
	n := uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		h = murmurMix(h, binary.LittleEndian.Uint32(b))
	}
	return murmurEnd(h, n)
}

// bits draws n bits, at most 32.
func (g *xorShift) bits(n int) int32 {
	s := g.seed ^ g.seed<<21
	s ^= int64(uint64(s) >> 35)
	s ^= s << 4
	g.seed = s
	return int32(s & (1<<n - 1))
}

// float draws a number from 0 to 1.
func (g *xorShift) float() float64 {
	return float64(int64(g.bits(26))<<27+int64(g.bits(27))) * 0x1p-53
}

// gaussian draws a number of the normal distribution, two at a time.
func (g *xorShift) gaussian() float64 {
	if g.have {
		g.have = false
		return g.next
	}
	for {
		a, b := 2*g.float()-1, 2*g.float()-1
		if s := a*a + b*b; s < 1 && s != 0 {
			m := math.Sqrt(-2 * math.Log(s) / s)
			g.next, g.have = b*m, true
			return a * m
		}
	}
}

// generator is shared by the threads of one use.
type generator struct {
	mu sync.Mutex
	g  *xorShift
}

// draw calls f with the generator, made from the seed at argument k or at random.
func (s *generator) draw(r *row, k int, f func(g *xorShift)) {
	if s.g == nil {
		seed := int64(rand.Uint64())
		if k < len(r.cols) {
			if seed = 0; !r.null(k) {
				seed = r.int(k)
			}
		}
		s.g = newXorShift(seed)
	}
	f(s.g)
}

func randomFloat(seedAt int, f func(g *xorShift, r *row) float64) udf {
	return udf{volatile: true, perUse: true, nulls: true, make: func(u use) (Eval, error) {
		s := &generator{}
		return func(n int, in []Vec, out *Out) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			to := Results[float64](out)
			return each(u, in, n, out, true, func(r *row) error {
				for k := range min(seedAt, len(r.cols)) {
					if r.null(k) {
						return errNull
					}
				}
				s.draw(r, seedAt, func(g *xorShift) { to[r.i] = f(g, r) })
				return nil
			})
		}, nil
	}}
}

// randomText draws letters and digits.
func randomText(u use) (Eval, error) {
	s := &generator{}
	return func(n int, in []Vec, out *Out) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		return each(u, in, n, out, true, func(r *row) error {
			if r.null(0) {
				return errNull
			}
			b := make([]byte, min(max(r.int(0), 0), 1<<20))
			s.draw(r, 1, func(g *xorShift) {
				for i := range b {
					v := g.bits(32) % 62
					if v < 0 {
						v = -v
					}
					b[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[v]
				}
			})
			out.SetText(r.i, b)
			return nil
		})
	}, nil
}
