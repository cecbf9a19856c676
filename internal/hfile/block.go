package hfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/gzip"
)

const (
	headerSize = 33
	maxBlock   = 1 << 27 // bytes of a block of data or of a named entry, unpacked
	maxIndex   = 1 << 25 // of other blocks: an index of so many bytes is of 20 GB of data
	maxRatio   = 1100    // what deflate can reach is 1032
)

// Kinds of blocks by their magic.
const (
	dataBlock  = "DATABLK*"
	leafIndex  = "IDXLEAF2"
	innerIndex = "IDXINTE2"
	rootIndex  = "IDXROOT2"
	metaBlock  = "METABLKc"
	infoBlock  = "FILEINF2"
)

// Codec is how blocks are compressed, with HBase's numbers.
type Codec uint8

// The codecs that Hudi uses.
const (
	Gzip Codec = 1
	None Codec = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksums are the tables of the checksum types.
var checksums = [...]*crc32.Table{1: crc32.IEEETable, 2: castagnoli}

// parseBlock takes the block at the start of b apart, checks its checksums and unpacks it. It gives the size that the
// block has on disk.
func parseBlock(b []byte, codec Codec, magics ...string) (data []byte, size int, err error) {
	if len(b) < headerSize {
		return nil, 0, io.ErrUnexpectedEOF
	}
	if !oneOf(b[:8], magics) {
		return nil, 0, fmt.Errorf("block is %q instead of %s", b[:8], magics[0])
	}
	onDisk := int64(int32(binary.BigEndian.Uint32(b[8:]))) + headerSize
	unpacked := int32(binary.BigEndian.Uint32(b[12:]))
	used := int64(int32(binary.BigEndian.Uint32(b[29:])))
	limit := int32(maxIndex)
	if oneOf(b[:8], []string{dataBlock, metaBlock}) {
		limit = maxBlock
	}
	if used < headerSize || used > onDisk || onDisk > int64(len(b)) || unpacked < 0 || unpacked > limit {
		return nil, 0, fmt.Errorf("%s has impossible sizes: %d bytes, %d of data, %d unpacked", b[:8], onDisk, used, unpacked)
	}
	per := int64(int32(binary.BigEndian.Uint32(b[25:])))
	if err := verify(b[:used], b[used:onDisk], b[24], per); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", b[:8], err)
	}
	data, err = unpack(b[headerSize:used], int(unpacked), codec)
	if err != nil {
		err = fmt.Errorf("%s: %w", b[:8], err)
	}
	return data, int(onDisk), err
}

func oneOf(magic []byte, magics []string) bool {
	for _, m := range magics {
		if string(magic) == m {
			return true
		}
	}
	return false
}

// verify checks the checksums of a block's header and data.
func verify(data, sums []byte, kind byte, per int64) error {
	if kind == 0 {
		return nil
	}
	if int(kind) >= len(checksums) || per <= 0 {
		return fmt.Errorf("checksum type %d over %d bytes is not known", kind, per)
	}
	if want := 4 * ((int64(len(data)) + per - 1) / per); want != int64(len(sums)) {
		return fmt.Errorf("%d bytes of checksums instead of %d", len(sums), want)
	}
	for ; len(data) > 0; sums = sums[4:] {
		n := min(int(per), len(data))
		if crc32.Checksum(data[:n], checksums[kind]) != binary.BigEndian.Uint32(sums) {
			return errors.New("checksum does not match")
		}
		data = data[n:]
	}
	return nil
}

// unpack gives the size bytes that data unpacks to. Memory grows with what really comes out.
func unpack(data []byte, size int, codec Codec) ([]byte, error) {
	switch codec {
	case None:
		if len(data) != size {
			return nil, fmt.Errorf("%d bytes instead of %d", len(data), size)
		}
		return bytes.Clone(data), nil
	case Gzip:
		if size == 0 && len(data) == 0 {
			return nil, nil
		}
		if size/maxRatio > len(data) {
			return nil, fmt.Errorf("%d bytes cannot unpack to %d", len(data), size)
		}
		return gunzip(data, size)
	}
	return nil, fmt.Errorf("codec %d is not known; Hudi uses 1 (gzip) and 2 (none)", codec)
}

func gunzip(data []byte, size int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out := make([]byte, size)
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, err
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		return nil, fmt.Errorf("block unpacks to more than %d bytes", size)
	}
	return out, nil
}

// vint reads a number as Hadoop writes it: one byte from -112 to 127, or a byte that says how many follow. n is the
// number of bytes read, 0 when there are too few.
func vint(b []byte) (v int64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	first := int8(b[0])
	if first >= -112 {
		return int64(first), 1
	}
	size, negative := int(-112-first), false
	if first < -120 {
		size, negative = int(-120-first), true
	}
	if len(b) <= size {
		return 0, 0
	}
	for _, x := range b[1 : size+1] {
		v = v<<8 | int64(x)
	}
	if negative {
		v = ^v
	}
	return v, size + 1
}

// appendVint is the inverse of vint for numbers that are not negative.
func appendVint(dst []byte, v int) []byte {
	if v <= 127 {
		return append(dst, byte(v))
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(v))
	digits := bytes.TrimLeft(b[:], "\x00")
	return append(append(dst, byte(-112-len(digits))), digits...)
}
