package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// bounds are the least and the greatest of some values; NaN is neither. Which pair is used depends on the physical type.
type bounds struct {
	set   bool
	nan   bool
	ints  [2]int64
	reals [2]float64
	texts [2][]byte
}

// add takes in n values in PLAIN form, truth values a byte each.
func (b *bounds) add(l *leafWriter, values []byte, n int) {
	if n == 0 {
		return
	}
	switch l.phys {
	case physBoolean:
		addInts(b, cast[uint8](values))
	case physInt32:
		addInts(b, cast[int32](values))
	case physInt64:
		addInts(b, cast[int64](values))
	case physFloat:
		addReals(b, cast[float32](values))
	case physDouble:
		addReals(b, cast[float64](values))
	case physBytes:
		b.addTexts(values)
	case physFixed:
		for ; len(values) > 0; values = values[l.width:] {
			b.text(values[:l.width], compareSigned)
		}
	}
}

func cast[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

func addInts[T uint8 | int32 | int64](b *bounds, vs []T) {
	lo, hi := vs[0], vs[0]
	for _, v := range vs {
		lo, hi = min(lo, v), max(hi, v)
	}
	b.merge64(int64(lo), int64(hi))
}

func (b *bounds) merge64(lo, hi int64) {
	if b.set {
		lo, hi = min(lo, b.ints[0]), max(hi, b.ints[1])
	}
	b.set, b.ints = true, [2]int64{lo, hi}
}

func addReals[T float32 | float64](b *bounds, vs []T) {
	for _, v := range vs {
		switch {
		case v != v:
			b.nan = true
		case !b.set:
			b.set, b.reals = true, [2]float64{float64(v), float64(v)}
		case float64(v) < b.reals[0]:
			b.reals[0] = float64(v)
		case float64(v) > b.reals[1]:
			b.reals[1] = float64(v)
		}
	}
}

// addTexts takes in texts that stand after their lengths. Most texts are told to lie between the bounds by the eight bytes
// that follow what all texts so far begin with.
func (b *bounds) addTexts(values []byte) {
	r := textRange{page: values, any: b.set}
	if b.set {
		r.lo, r.hi = b.texts[0], b.texts[1]
		r.settle()
	}
	for at := 0; at < len(values); {
		from := at + 4
		at = from + int(binary.LittleEndian.Uint32(values[at:]))
		r.add(from, at)
	}
	b.set = true
	b.texts = [2][]byte{append(b.texts[0][:0], r.lo...), append(b.texts[1][:0], r.hi...)}
}

// textRange finds the least and the greatest of the texts in a page.
type textRange struct {
	page     []byte
	any      bool // lo and hi are set
	lo, hi   []byte
	same     int    // bytes that all texts begin with
	loX, hiX uint64 // the next eight bytes of lo and hi, with zeroes after their ends
}

func (r *textRange) add(from, to int) {
	v := r.page[from:to]
	if !r.any {
		r.any, r.lo, r.hi = true, v, v
		r.settle()
		return
	}
	at := from + r.same
	if at <= to && at+8 <= len(r.page) && string(v[:r.same]) == string(r.lo[:r.same]) {
		x := binary.BigEndian.Uint64(r.page[at:])
		if rest := to - at; rest < 8 {
			x &^= ^uint64(0) >> (8 * rest)
		}
		switch {
		case x > r.loX && x < r.hiX:
			return
		case x < r.loX:
			r.lo, r.loX = v, x
			return
		case x > r.hiX:
			r.hi, r.hiX = v, x
			return
		}
	}
	if bytes.Compare(v, r.lo) < 0 {
		r.lo = v
		r.settle()
	} else if bytes.Compare(v, r.hi) > 0 {
		r.hi = v
		r.settle()
	}
}

// settle finds what lo and hi have in common.
func (r *textRange) settle() {
	n := min(len(r.lo), len(r.hi))
	r.same = 0
	for r.same < n && r.lo[r.same] == r.hi[r.same] {
		r.same++
	}
	r.loX, r.hiX = next8(r.lo[r.same:]), next8(r.hi[r.same:])
}

func next8(v []byte) uint64 {
	var x [8]byte
	copy(x[:], v)
	return binary.BigEndian.Uint64(x[:])
}

func (b *bounds) text(v []byte, compare func(a, b []byte) int) {
	switch {
	case !b.set:
		b.set = true
		b.texts = [2][]byte{bytes.Clone(v), bytes.Clone(v)}
	case compare(v, b.texts[0]) < 0:
		b.texts[0] = append(b.texts[0][:0], v...)
	case compare(v, b.texts[1]) > 0:
		b.texts[1] = append(b.texts[1][:0], v...)
	}
}

// compareSigned compares big-endian two's complement numbers of one length.
func compareSigned(a, b []byte) int {
	if a[0] != b[0] {
		return int(int8(a[0])) - int(int8(b[0]))
	}
	return bytes.Compare(a, b)
}

// merge takes in other bounds of the same leaf.
func (b *bounds) merge(l *leafWriter, o *bounds) {
	b.nan = b.nan || o.nan
	if !o.set {
		return
	}
	switch l.phys {
	case physBytes:
		b.text(o.texts[0], bytes.Compare)
		b.text(o.texts[1], bytes.Compare)
	case physFixed:
		b.text(o.texts[0], compareSigned)
		b.text(o.texts[1], compareSigned)
	case physFloat, physDouble:
		addReals(b, o.reals[:])
	default:
		b.merge64(o.ints[0], o.ints[1])
	}
}

// cutBound is the length that bounds of texts are cut to.
const cutBound = 256

// plain gives the bounds in PLAIN form, texts without their length, and whether they are values of the column; ok is false when
// there are none that a reader may rely on.
func (b *bounds) plain(l *leafWriter) (lo, hi []byte, exactLo, exactHi, ok bool) {
	if !b.set || b.nan {
		return nil, nil, false, false, false
	}
	switch l.phys {
	case physBoolean:
		return []byte{byte(b.ints[0])}, []byte{byte(b.ints[1])}, true, true, true
	case physInt32:
		return le32(uint32(b.ints[0])), le32(uint32(b.ints[1])), true, true, true
	case physInt64:
		return le64(uint64(b.ints[0])), le64(uint64(b.ints[1])), true, true, true
	case physFloat:
		lo, hi := widenZero(b.reals)
		return le32(math.Float32bits(float32(lo))), le32(math.Float32bits(float32(hi))), true, true, true
	case physDouble:
		lo, hi := widenZero(b.reals)
		return le64(math.Float64bits(lo)), le64(math.Float64bits(hi)), true, true, true
	case physFixed:
		return b.texts[0], b.texts[1], true, true, true
	}
	text := types.Text(l.typ)
	lo, hi = cutLow(b.texts[0], text), cutHigh(b.texts[1], text)
	return lo, hi, len(lo) == len(b.texts[0]), len(b.texts[1]) <= cutBound, hi != nil
}

// widenZero makes the bounds hold for both zeroes, as Parquet asks.
func widenZero(r [2]float64) (lo, hi float64) {
	lo, hi = r[0], r[1]
	if lo == 0 {
		lo = math.Copysign(0, -1)
	}
	if hi == 0 {
		hi = 0
	}
	return lo, hi
}

func le32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
func le64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

// cutLow is a lower bound of v that is not too long.
func cutLow(v []byte, text bool) []byte {
	if len(v) <= cutBound {
		return v
	}
	end := cutBound
	for text && end > 0 && !utf8.RuneStart(v[end]) {
		end--
	}
	return v[:end]
}

// cutHigh is an upper bound of v that is not too long; nil when there is none.
func cutHigh(v []byte, text bool) []byte {
	if len(v) <= cutBound {
		if v == nil {
			return []byte{}
		}
		return v
	}
	v = bytes.Clone(cutLow(v, text))
	for len(v) > 0 {
		if !text {
			if last := len(v) - 1; v[last] < 0xff {
				v[last]++
				return v
			}
			v = v[:len(v)-1]
			continue
		}
		r, size := utf8.DecodeLastRune(v)
		v = v[:len(v)-size]
		if r++; r == 0xd800 { // no text holds surrogates
			r = 0xe000
		}
		if r <= utf8.MaxRune && size > 0 {
			return utf8.AppendRune(v, r)
		}
	}
	return nil
}

// Range is what a writer knows of the values of a leaf. Min and Max leave NaN out and are nil when they are not known.
type Range struct {
	Path     []string // names of the fields that lead to it, as stored
	InList   bool     // it lies in a list or a map
	Min, Max types.Value
	Nulls    int64
	NaN      bool
	Exact    bool // Min and Max are values of the column, not just bounds
}

// values gives b as values of the leaf's type.
func (b *bounds) values(l *leafWriter) (lo, hi types.Value, exact bool) {
	if !b.set {
		return nil, nil, false
	}
	switch t := l.typ.(type) {
	case types.Decimal:
		if l.phys == physFixed {
			return bigEndian(b.texts[0]), bigEndian(b.texts[1]), true
		}
		return decimal128.FromI64(b.ints[0]), decimal128.FromI64(b.ints[1]), true
	case types.Time:
		return nil, nil, false
	case types.YearMonth:
		return int32(b.ints[0]), int32(b.ints[1]), true
	case types.Basic:
		switch t {
		case types.Boolean:
			return b.ints[0] != 0, b.ints[1] != 0, true
		case types.Date:
			return int32(b.ints[0]), int32(b.ints[1]), true
		case types.Float:
			return float32(b.reals[0]), float32(b.reals[1]), true
		case types.Double:
			return b.reals[0], b.reals[1], true
		case types.Binary:
			return b.cut(false)
		}
	}
	if types.Text(l.typ) {
		return b.cut(true)
	}
	if l.phys == physInt96 {
		return nil, nil, false
	}
	return b.ints[0], b.ints[1], true
}

// cut gives bounds of texts, which are not exact when they had to be cut.
func (b *bounds) cut(text bool) (lo, hi types.Value, exact bool) {
	low, high := cutLow(b.texts[0], text), cutHigh(b.texts[1], text)
	exact = len(b.texts[0]) <= cutBound && len(b.texts[1]) <= cutBound
	if high == nil || text && (!utf8.Valid(low) || !utf8.Valid(high)) {
		return nil, nil, false
	}
	if text {
		return string(low), string(high), exact
	}
	return bytes.Clone(low), bytes.Clone(high), exact
}

func bigEndian(b []byte) decimal128.Num {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return decimal128.FromBigInt(n)
}
