package bloom

import (
	"math"
	"math/bits"
)

// The kinds of filters, as the footers of base files name them.
const (
	Dynamic = "DYNAMIC_V0"
	Simple  = "SIMPLE"
)

// The sizes that Hudi uses when nothing else is set: hoodie.index.bloom.num_entries, hoodie.index.bloom.fpp and
// hoodie.bloom.index.filter.dynamic.max.entries.
const (
	DefaultEntries    = 60_000
	DefaultRate       = 1e-9
	DefaultMaxEntries = 100_000
)

// A Filter says of a key that it is certainly not, or probably, among the keys that were added. Filters come from [New]
// and [Parse]. Any number of goroutines may test keys while none adds.
type Filter struct {
	kind   string
	size   uint32 // bits in a row
	magic  uint64 // ⌈2^64 / size⌉: the remainder by multiplication
	hashes int    // bits that a key sets
	perRow int    // keys that a row takes before the next is made
	max    int    // keys for which rows are made; beyond, the rows are filled in turn
	last   int    // keys in the last row, and all those added in turn
	turn   int    // next row in turn, when full
	full   bool   // whether max is reached
	rows   [][]uint64
}

// New returns an empty filter of kind [Dynamic]: for each started number of entries a row in which the rate of false
// positives is rate, until the rows hold max keys.
func New(entries int, rate float64, max int) *Filter {
	f := newSimple(entries, rate)
	f.kind, f.perRow, f.max = Dynamic, entries, max
	return f
}

// newSimple returns an empty filter of kind [Simple], of a size such that with this many entries the rate of false
// positives is rate. It takes any number of keys.
func newSimple(entries int, rate float64) *Filter {
	entries = max(entries, 1)
	size := math.Ceil(float64(entries) * (-math.Log(rate) * (1 / (math.Ln2 * math.Ln2))))
	size = min(max(size, 1), math.MaxInt32)
	f := &Filter{kind: Simple, perRow: math.MaxInt}
	f.shape(uint32(size), max(1, int(math.Ceil(math.Ln2*size/float64(entries)))))
	f.addRow()
	return f
}

func (f *Filter) shape(size uint32, hashes int) {
	f.size, f.hashes = size, hashes
	f.magic = math.MaxUint64/uint64(size) + 1
}

func (f *Filter) addRow() {
	f.rows = append(f.rows, make([]uint64, (uint64(f.size)+63)/64))
	f.last = 0
}

// Kind is [Dynamic] or [Simple].
func (f *Filter) Kind() string { return f.kind }

// Add adds keys.
func (f *Filter) Add(keys ...[]byte) {
	var q queue
	for _, k := range keys {
		q.put(f, f.next(), k)
	}
	q.flush(f)
}

// AddStrings adds the keys data[offsets[i]:offsets[i+1]], the form in which Arrow keeps a column of strings.
func (f *Filter) AddStrings(data []byte, offsets []int32) {
	var q queue
	for i := 1; i < len(offsets); i++ {
		q.put(f, f.next(), data[offsets[i-1]:offsets[i]])
	}
	q.flush(f)
}

// next gives the row of the next key, in the way of Hudi: the last one until it is full, then a new one; once the rows
// hold max keys, all of them in turn.
func (f *Filter) next() []uint64 {
	switch {
	case f.full:
		f.last++
		r := f.rows[f.turn]
		f.turn = (f.turn + 1) % len(f.rows)
		return r
	case f.last >= f.perRow && len(f.rows)*f.perRow >= f.max:
		f.full = true
		f.last++
		return f.rows[0]
	case f.last >= f.perRow:
		f.addRow()
	}
	f.last++
	return f.rows[len(f.rows)-1]
}

// Contains reports whether key was added. It may be true of a key that was not, never false of one that was.
func (f *Filter) Contains(key []byte) bool {
	for _, r := range f.rows {
		if f.rowContains(r, key) {
			return true
		}
	}
	return false
}

func (f *Filter) rowContains(row []uint64, key []byte) bool {
	var h uint32
	for range f.hashes {
		h = murmur2(key, h)
		if b := f.bit(h); row[b>>6]&(1<<(b&63)) == 0 {
			return false
		}
	}
	return true
}

// bit is the bit that a hash sets.
func (f *Filter) bit(h uint32) uint32 { return remainder(h, f.magic, f.size) }

// remainder is |h mod size| of the signed h, with magic = ⌈2^64 / size⌉.
func remainder(h uint32, magic uint64, size uint32) uint32 {
	sign := uint32(int32(h) >> 31)
	abs := uint64((h ^ sign) - sign)
	r, _ := bits.Mul64(magic*abs, uint64(size))
	return uint32(r)
}
