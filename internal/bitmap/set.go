package bitmap

import (
	"iter"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// Set is a set of row positions. The zero value is empty. Reading it from several goroutines is safe, changing it is not.
type Set struct{ bits roaring64.Bitmap }

// New is a set of the given positions.
func New(positions ...uint64) *Set {
	s := new(Set)
	s.bits.AddMany(positions)
	return s
}

// Add puts a position into s.
func (s *Set) Add(pos uint64) { s.bits.Add(pos) }

// AddMany puts positions into s, fastest when they rise.
func (s *Set) AddMany(positions []uint64) { s.bits.AddMany(positions) }

// Union puts the positions of o into s.
func (s *Set) Union(o *Set) { s.bits.Or(&o.bits) }

// Clone is a copy of s that may be changed without changing s.
func (s *Set) Clone() *Set { return &Set{*s.bits.Clone()} }

// Contains reports whether pos is in s.
func (s *Set) Contains(pos uint64) bool { return s.bits.Contains(pos) }

// Intersects reports whether s and o have a position in common.
func (s *Set) Intersects(o *Set) bool { return s.bits.Intersects(&o.bits) }

// Minus is the positions of s that are not in o.
func (s *Set) Minus(o *Set) *Set { return &Set{*roaring64.AndNot(&s.bits, &o.bits)} }

// Len is the number of positions.
func (s *Set) Len() uint64 { return s.bits.GetCardinality() }

// Max is the highest position; false when s is empty.
func (s *Set) Max() (uint64, bool) {
	if s.bits.IsEmpty() {
		return 0, false
	}
	return s.bits.Maximum(), true
}

// All gives the positions in rising order.
func (s *Set) All() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		buf := make([]uint64, 1024)
		it := s.bits.ManyIterator()
		for n := it.NextMany(buf); n > 0; n = it.NextMany(buf) {
			for _, pos := range buf[:n] {
				if !yield(pos) {
					return
				}
			}
		}
	}
}
