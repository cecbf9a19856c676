package avro

import (
	"bytes"
	"compress/flate"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// Bounds of container files, which are read whole.
const (
	maxMeta     = 64      // entries of the header
	maxUnpacked = 1 << 28 // bytes of all blocks of a file
)

const magic = "Obj\x01"

// ReadContainer calls into for each record of a container file, in order, with the schema that the file gives. The record
// must not be kept. It is an error for a file that is cut short, and for a codec other than null, deflate, snappy and
// zstandard; the error of into ends the reading.
func ReadContainer(data []byte, into func(schema *Schema, record []byte) error) error {
	h, err := readHeader(data)
	if err != nil {
		return fmt.Errorf("avro: container file: %w", err)
	}
	c := &cursor{b: data, pos: h.size}
	unpacked := 0
	for c.left() > 0 {
		count, block := c.long(), c.bytes()
		sync := c.take(len(h.sync))
		if c.err == nil && !bytes.Equal(sync, h.sync) {
			c.fail("block does not end with the sync marker")
		}
		if c.err != nil {
			return fmt.Errorf("avro: container file: %w", c.err)
		}
		block, err := unpack(h.codec, block, maxUnpacked-unpacked)
		if err != nil {
			return fmt.Errorf("avro: container file: %w", err)
		}
		unpacked += len(block)
		if err := readBlock(h.schema, count, block, into); err != nil {
			return err
		}
	}
	return nil
}

func readBlock(s *Schema, count int64, block []byte, into func(*Schema, []byte) error) error {
	c := &cursor{b: block, budget: freeCells}
	if count < 0 || count > int64(len(block)) {
		return fmt.Errorf("avro: container file: block of %d bytes has %d records", len(block), count)
	}
	for ; count > 0; count-- {
		start := c.pos
		c.skip(s.root)
		if c.err != nil {
			return fmt.Errorf("avro: container file: %w", c.err)
		}
		if err := into(s, block[start:c.pos:c.pos]); err != nil {
			return err
		}
	}
	if c.left() > 0 {
		return fmt.Errorf("avro: container file: %d bytes are left after the last record of a block", c.left())
	}
	return nil
}

type header struct {
	schema *Schema
	codec  string
	sync   []byte
	size   int // where the blocks begin
}

func readHeader(data []byte) (h header, err error) {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return h, errors.New("it does not begin with Obj 1")
	}
	c := &cursor{b: data, pos: len(magic)}
	meta := map[string]string{}
	for n := c.block(0); n > 0; n = c.block(0) {
		if len(meta)+n > maxMeta {
			return h, fmt.Errorf("header has more than %d entries", maxMeta)
		}
		for ; n > 0; n-- {
			key := string(c.bytes())
			meta[key] = string(c.bytes())
		}
	}
	h.sync = c.take(16)
	if c.err != nil {
		return h, c.err
	}
	h.size, h.codec = c.pos, meta["avro.codec"]
	h.schema, err = Parse(meta["avro.schema"])
	return h, err
}

// unpack undoes the codec of a block that unpacks to at most limit bytes.
func unpack(codec string, block []byte, limit int) ([]byte, error) {
	switch codec {
	case "", "null":
		if len(block) > limit {
			return nil, errTooLarge
		}
		return block, nil
	case "deflate":
		return inflate(flate.NewReader(bytes.NewReader(block)), limit)
	case "zstandard":
		r, err := zstd.NewReader(bytes.NewReader(block), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return inflate(r, limit)
	case "snappy":
		return unsnap(block, limit)
	}
	return nil, fmt.Errorf("codec %q is not known", codec)
}

var errTooLarge = fmt.Errorf("blocks unpack to more than %d bytes", maxUnpacked)

func inflate(r io.Reader, limit int) ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(out) > limit {
		err = errTooLarge
	}
	return out, err
}

// unsnap unpacks a block with the CRC-32 of its content behind it.
func unsnap(block []byte, limit int) ([]byte, error) {
	if len(block) < 4 {
		return nil, errors.New("block has no checksum")
	}
	packed, sum := block[:len(block)-4], binary.BigEndian.Uint32(block[len(block)-4:])
	if n, err := snappy.DecodedLen(packed); err != nil || n > limit || n > 64*len(packed)+64 {
		return nil, errTooLarge
	}
	out, err := snappy.Decode(nil, packed)
	if err == nil && crc32.ChecksumIEEE(out) != sum {
		err = errors.New("checksum of a block does not match")
	}
	return out, err
}

// WriteContainer is a container file of one block with the given records of the schema, not compressed, as Hudi
// writes its timeline.
func WriteContainer(schema *Schema, records ...[]byte) []byte {
	var sync [16]byte
	rand.Read(sync[:])
	dst := append([]byte(magic), 2) // one entry
	dst = appendString(appendString(dst, "avro.schema"), schema.text)
	dst = append(append(dst, 0), sync[:]...)
	size := 0
	for _, r := range records {
		size += len(r)
	}
	if len(records) == 0 {
		return dst
	}
	dst = binary.AppendVarint(binary.AppendVarint(dst, int64(len(records))), int64(size))
	for _, r := range records {
		dst = append(dst, r...)
	}
	return append(dst, sync[:]...)
}

func appendString[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendVarint(dst, int64(len(s))), s...)
}
