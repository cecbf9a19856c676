package bitmap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

const (
	portableMagic = 1681511377 // little-endian
	nativeMagic   = 1681511376 // big-endian
	maxKey        = 1<<31 - 1  // Java's positions are signed
	minBitmap     = 8          // bytes of the smallest serialized 32-bit bitmap
)

// Encode is the portable payload of s.
func (s *Set) Encode() []byte {
	s.bits.RunOptimize()
	var b bytes.Buffer
	b.Grow(4 + int(s.bits.GetSerializedSizeInBytes()))
	var magic [4]byte
	binary.LittleEndian.PutUint32(magic[:], portableMagic)
	b.Write(magic[:])
	if _, err := s.bits.WriteTo(&b); err != nil {
		panic("bitmap: writing to memory failed: " + err.Error())
	}
	return b.Bytes()
}

// Decode reads a payload of either layout. It is an error unless the payload is wholly used, in order, holds exactly
// cardinality positions, and all of them are below rows; a negative rows is unknown.
func Decode(payload []byte, cardinality, rows int64) (s *Set, err error) {
	defer func() {
		if r := recover(); r != nil { // the Roaring decoder is not made for hostile bytes
			s, err = nil, fmt.Errorf("deletion vector is corrupt: %v", r)
		}
	}()
	s = new(Set)
	switch {
	case len(payload) < 8:
		return nil, fmt.Errorf("deletion vector of %d bytes is too short", len(payload))
	case binary.LittleEndian.Uint32(payload) == portableMagic:
		err = s.decodePortable(payload[4:])
	case binary.BigEndian.Uint32(payload) == nativeMagic:
		err = s.decodeNative(payload[4:])
	default:
		err = fmt.Errorf("deletion vector starts with %x, which is no known magic number", payload[:4])
	}
	if err != nil {
		return nil, err
	}
	return s, s.check(cardinality, rows)
}

func (s *Set) check(cardinality, rows int64) error {
	if n := s.Len(); n != uint64(cardinality) {
		return fmt.Errorf("deletion vector holds %d positions, but %d are declared", n, cardinality)
	}
	if last, ok := s.Max(); ok && rows >= 0 && last >= uint64(rows) {
		return fmt.Errorf("deletion vector holds position %d of a file with %d rows", last, rows)
	}
	return nil
}

func (s *Set) decodePortable(b []byte) error {
	if len(b) < 8 {
		return errors.New("deletion vector ends early")
	}
	count := binary.LittleEndian.Uint64(b)
	b = b[8:]
	if count > uint64(len(b)/(4+minBitmap)) {
		return fmt.Errorf("deletion vector declares %d bitmaps in %d bytes", count, len(b))
	}
	last := int64(-1)
	for range count {
		if len(b) < 4 {
			return errors.New("deletion vector ends early")
		}
		key := int64(binary.LittleEndian.Uint32(b))
		if key <= last || key > maxKey {
			return fmt.Errorf("deletion vector has key %d after %d", key, last)
		}
		last = key
		n, err := s.addBitmap(uint64(key), b[4:])
		if err != nil {
			return err
		}
		b = b[4+n:]
	}
	return s.end(b)
}

func (s *Set) decodeNative(b []byte) error {
	count := binary.BigEndian.Uint32(b)
	b = b[4:]
	if uint64(count) > uint64(len(b)/(4+minBitmap)) {
		return fmt.Errorf("deletion vector declares %d bitmaps in %d bytes", count, len(b))
	}
	for key := range uint64(count) {
		if len(b) < 4 {
			return errors.New("deletion vector ends early")
		}
		size := uint64(binary.BigEndian.Uint32(b))
		b = b[4:]
		if size > uint64(len(b)) {
			return errors.New("deletion vector ends early")
		}
		n, err := s.addBitmap(key, b[:size])
		if err != nil {
			return err
		}
		if uint64(n) != size {
			return fmt.Errorf("bitmap %d of a deletion vector uses %d of %d bytes", key, n, size)
		}
		b = b[size:]
	}
	return s.end(b)
}

func (s *Set) end(rest []byte) error {
	if len(rest) > 0 {
		return fmt.Errorf("deletion vector has %d bytes after its end", len(rest))
	}
	return nil
}

// addBitmap reads one 32-bit bitmap from the start of b and adds it with key as the upper half. It says how many bytes it used.
func (s *Set) addBitmap(key uint64, b []byte) (int, error) {
	low := roaring.New()
	n, err := low.ReadFrom(bytes.NewReader(b))
	if err != nil {
		return 0, fmt.Errorf("bitmap %d of a deletion vector: %w", key, err)
	}
	if n < 0 || n > int64(len(b)) {
		return 0, fmt.Errorf("bitmap %d of a deletion vector ends early", key)
	}
	if !low.IsEmpty() {
		if err := low.Validate(); err != nil {
			return 0, fmt.Errorf("bitmap %d of a deletion vector: %w", key, err)
		}
		s.bits.Or(shifted(low, key))
	}
	return int(n), nil
}

// shifted is low with key as the upper half of each position.
func shifted(low *roaring.Bitmap, key uint64) *roaring64.Bitmap {
	if key == 0 {
		return roaring64.Roaring32AsRoaring64(low)
	}
	high := roaring64.New()
	buf := make([]uint64, 0, 1024)
	for it := low.Iterator(); it.HasNext(); {
		buf = append(buf, key<<32|uint64(it.Next()))
		if len(buf) == cap(buf) || !it.HasNext() {
			high.AddMany(buf)
			buf = buf[:0]
		}
	}
	return high
}
