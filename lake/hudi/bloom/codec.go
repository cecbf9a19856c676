package bloom

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
)

const (
	version    = -1 // of Hadoop's filters: the number of hashes, kind of hash and size follow
	murmurHash = 1
	maxHashes  = 4096 // a rate of 1e-300 needs 1000

	rowHeader     = 4 + 4 + 1 + 4
	dynamicHeader = rowHeader + 4 + 4 + 4
)

// Parse reads the text of a filter of a kind: "" is taken for [Simple], as in files from before kinds were named.
func Parse(kind, text string) (*Filter, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("bloom filter: %w", err)
	}
	return decode(kind, b)
}

// decode reads the bytes of a filter.
func decode(kind string, b []byte) (*Filter, error) {
	switch kind {
	case Dynamic:
		return decodeDynamic(b)
	case Simple, "":
		f := &Filter{kind: Simple, perRow: math.MaxInt}
		rest, err := f.decodeRow(b)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("bloom filter: %d bytes after its end", len(rest))
		}
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	return nil, fmt.Errorf("bloom filter: unknown kind %q", kind)
}

func decodeDynamic(b []byte) (*Filter, error) {
	if len(b) < dynamicHeader {
		return nil, fmt.Errorf("bloom filter: %d bytes are no header", len(b))
	}
	f := &Filter{kind: Dynamic, max: DefaultMaxEntries}
	if err := f.decodeHeader(b); err != nil {
		return nil, err
	}
	f.perRow, f.last = int(be(b[13:])), int(be(b[17:]))
	n, b := int(be(b[21:])), b[dynamicHeader:]
	if f.perRow < 1 || f.last < 0 || n < 1 {
		return nil, fmt.Errorf("bloom filter: %d rows of %d keys, %d in the last", n, f.perRow, f.last)
	}
	if each := rowHeader + (uint64(f.size)+7)/8; uint64(n) != uint64(len(b))/each || uint64(len(b))%each != 0 {
		return nil, fmt.Errorf("bloom filter: %d rows of %d bytes in %d bytes", n, each, len(b))
	}
	for range n {
		var err error
		if b, err = f.decodeRow(b); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// decodeHeader takes the shape of the filter, which is the same in all rows.
func (f *Filter) decodeHeader(b []byte) error {
	v, hashes, hash, size := be(b), be(b[4:]), b[8], be(b[9:])
	if v != version || hash != murmurHash {
		return fmt.Errorf("bloom filter: version %d with hash %d is not supported", v, hash)
	}
	if hashes < 1 || hashes > maxHashes || size < 1 {
		return fmt.Errorf("bloom filter: %d hashes over %d bits", hashes, size)
	}
	if f.size != 0 && (f.size != uint32(size) || f.hashes != int(hashes)) {
		return fmt.Errorf("bloom filter: rows of %d and %d bits", f.size, size)
	}
	f.shape(uint32(size), int(hashes))
	return nil
}

func (f *Filter) decodeRow(b []byte) (rest []byte, err error) {
	if len(b) < rowHeader {
		return nil, fmt.Errorf("bloom filter: %d bytes are no row", len(b))
	}
	if err := f.decodeHeader(b); err != nil {
		return nil, err
	}
	b = b[rowHeader:]
	n := (uint64(f.size) + 7) / 8
	if uint64(len(b)) < n {
		return nil, fmt.Errorf("bloom filter: %d of %d bytes of a row", len(b), n)
	}
	row := make([]uint64, (n+7)/8)
	for i := range row {
		var w [8]byte
		copy(w[:], b[8*i:n])
		row[i] = binary.LittleEndian.Uint64(w[:])
	}
	if over := f.size % 64; over != 0 {
		row[len(row)-1] &= 1<<over - 1
	}
	f.rows = append(f.rows, row)
	return b[n:], nil
}

// appendTo appends the bytes of the filter to b.
func (f *Filter) appendTo(b []byte) []byte {
	if f.kind == Simple {
		return f.appendRow(b, f.rows[0])
	}
	b = f.appendHeader(b)
	for _, n := range []int{f.perRow, f.last, len(f.rows)} {
		b = binary.BigEndian.AppendUint32(b, uint32(min(n, math.MaxInt32)))
	}
	for _, r := range f.rows {
		b = f.appendRow(b, r)
	}
	return b
}

func (f *Filter) appendHeader(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, math.MaxUint32)
	b = binary.BigEndian.AppendUint32(b, uint32(f.hashes))
	b = append(b, murmurHash)
	return binary.BigEndian.AppendUint32(b, f.size)
}

func (f *Filter) appendRow(b []byte, row []uint64) []byte {
	b = f.appendHeader(b)
	end := len(b) + int((uint64(f.size)+7)/8)
	for _, w := range row {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b[:end]
}

// Text is the filter as the footer of a base file holds it.
func (f *Filter) Text() string {
	return base64.StdEncoding.EncodeToString(f.appendTo(nil))
}

func be(b []byte) int32 { return int32(binary.BigEndian.Uint32(b)) }
