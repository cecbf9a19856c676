package bitmap

import (
	"bytes"
	"fmt"
)

// EncodeBare is s as a 64-bit Roaring bitmap in portable form, without a magic number and without runs: Hudi's record positions.
func (s *Set) EncodeBare() []byte {
	var b bytes.Buffer
	b.Grow(int(s.bits.GetSerializedSizeInBytes()))
	if _, err := s.bits.WriteTo(&b); err != nil {
		panic("bitmap: writing to memory failed: " + err.Error())
	}
	return b.Bytes()
}

// DecodeBare reads what EncodeBare writes. It is an error unless b is wholly used, in order.
func DecodeBare(b []byte) (s *Set, err error) {
	defer func() {
		if r := recover(); r != nil { // the Roaring decoder is not made for hostile bytes
			s, err = nil, fmt.Errorf("bitmap is corrupt: %v", r)
		}
	}()
	s = new(Set)
	return s, s.decodePortable(b)
}
