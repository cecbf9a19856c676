package logfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// Deletion is a key that a DeleteKeys block removes.
type Deletion struct {
	Key, Partition string
	Ordering       Ordering
}

// Ordering is the ordering value of a deletion: nil, bool, int32, int64, float32, float64, []byte, string, Date, Decimal, TimeMicros,
// TimestampMicros, LocalDate, or []Ordering for several fields. An int32 of 0 is a deletion that goes by the time of its commit.
type Ordering any

// Ordering values that are stored with their type.
type (
	Date            int32 // days since 1970
	LocalDate       int32 // days since 1970
	TimeMicros      int64 // microseconds of the day
	TimestampMicros int64 // microseconds since 1970
	Decimal         struct {
		Unscaled decimal128.Num
		Scale    int32
	}
)

// Decimals are stored with this precision and scale.
const (
	decimalPrecision = 30
	decimalScale     = 15
)

const deletesVersion = 3

// Deletions are the keys of a DeleteKeys block.
func (b *Block) Deletions() ([]Deletion, error) {
	if b.Type != DeleteKeys {
		return nil, b.fail(errors.New("the block holds no deletions"))
	}
	c, err := b.bytes()
	if err != nil {
		return nil, err
	}
	if len(c) < 8 {
		return nil, b.fail(errors.New("content ends early"))
	}
	version, size := binary.BigEndian.Uint32(c), binary.BigEndian.Uint32(c[4:])
	c = c[8:]
	if uint64(size) != uint64(len(c)) {
		return nil, b.fail(fmt.Errorf("deletions of %d bytes, of which %d are there", size, len(c)))
	}
	var out []Deletion
	switch version {
	case deletesVersion:
		out, err = readDeletions(c)
	case 1, 2:
		out, err = readKryo(c)
	default:
		err = fmt.Errorf("version %d of deletions is not known", version)
	}
	if err != nil {
		return nil, b.fail(err)
	}
	return out, nil
}

// Branches of the union of an ordering value.
const (
	orderNull = iota
	orderBoolean
	orderInt
	orderLong
	orderFloat
	orderDouble
	orderBytes
	orderString
	orderDate
	orderDecimal
	orderTimeMicros
	orderTimestampMicros
	orderArray // in an array: LocalDate
)

// readDeletions reads Avro: an array of records of key, partition and ordering value, each a union with null.
func readDeletions(c []byte) ([]Deletion, error) {
	r := avro{b: c}
	var out []Deletion
	r.blocks(func() {
		out = append(out, Deletion{Key: r.optional(), Partition: r.optional(), Ordering: r.ordering(false)})
	})
	if r.err == nil && len(r.b) > 0 {
		return nil, fmt.Errorf("%d bytes after the last deletion", len(r.b))
	}
	return out, r.err
}

// avro reads Avro's binary form.
type avro struct {
	b   []byte
	err error
}

var errEnds = errors.New("content ends early")

func (r *avro) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.b = nil
}

func (r *avro) long() int64 {
	u, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail(errEnds)
		return 0
	}
	r.b = r.b[n:]
	return int64(u>>1) ^ -int64(u&1)
}

func (r *avro) take(n int64) []byte {
	if n < 0 || n > int64(len(r.b)) {
		r.fail(errEnds)
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// blocks calls item for each item of an array. Every item takes at least one byte.
func (r *avro) blocks(item func()) {
	for r.err == nil {
		n := r.long()
		if n < 0 {
			r.long()
			n = -n
		}
		if n == 0 {
			return
		}
		if n < 0 || n > int64(len(r.b)) {
			r.fail(fmt.Errorf("%d items in %d bytes", n, len(r.b)))
		}
		for ; n > 0 && r.err == nil; n-- {
			item()
		}
	}
}

// optional is a text that may be null.
func (r *avro) optional() string {
	switch r.long() {
	case 0:
		return ""
	case 1:
		return string(r.take(r.long()))
	}
	r.fail(errors.New("a text of no known type"))
	return ""
}

func (r *avro) ordering(inArray bool) Ordering {
	switch branch := r.long(); branch {
	case orderNull:
		return nil
	case orderBoolean:
		b := r.take(1)
		return len(b) == 1 && b[0] != 0
	case orderInt:
		return int32(r.long())
	case orderLong:
		return r.long()
	case orderFloat:
		if b := r.take(4); b != nil {
			return math.Float32frombits(binary.LittleEndian.Uint32(b))
		}
	case orderDouble:
		if b := r.take(8); b != nil {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	case orderBytes:
		return append([]byte{}, r.take(r.long())...)
	case orderString:
		return string(r.take(r.long()))
	case orderDate:
		return Date(r.long())
	case orderDecimal:
		return Decimal{r.unscaled(r.take(r.long())), decimalScale}
	case orderTimeMicros:
		return TimeMicros(r.long())
	case orderTimestampMicros:
		return TimestampMicros(r.long())
	case orderArray:
		if inArray {
			return LocalDate(r.long())
		}
		return r.orderings()
	default:
		r.fail(fmt.Errorf("an ordering value of type %d, which is not known", branch))
	}
	return nil
}

// orderings are the values of several ordering fields.
func (r *avro) orderings() Ordering {
	out := []Ordering{}
	switch r.long() {
	case 0:
	case 1:
		r.blocks(func() { out = append(out, r.ordering(true)) })
	default:
		r.fail(errors.New("ordering values of no known type"))
	}
	return out
}

// unscaled is a big-endian number in two's complement.
func (r *avro) unscaled(b []byte) decimal128.Num {
	n, err := unscaled(b)
	if err != nil {
		r.fail(err)
	}
	return n
}

func unscaled(b []byte) (decimal128.Num, error) {
	if len(b) > 16 {
		return decimal128.Num{}, fmt.Errorf("an ordering value of %d bytes", len(b))
	}
	if len(b) == 0 {
		return decimal128.Num{}, nil
	}
	hi, lo := int64(int8(b[0])>>7), uint64(int64(int8(b[0])>>7))
	for _, c := range b {
		hi = hi<<8 | int64(lo>>56)
		lo = lo<<8 | uint64(c)
	}
	return decimal128.New(hi, lo), nil
}
