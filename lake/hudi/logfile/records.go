package logfile

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// recordsVersion is the version of Avro content that is written. 1 and 2 have the same bytes.
const recordsVersion = 3

// Records are the Avro records of an AvroData or CDCData block, of the schema in its header. They share memory.
func (b *Block) Records() ([][]byte, error) {
	if b.Type != AvroData && b.Type != CDCData {
		return nil, b.fail(errors.New("the block holds no Avro records"))
	}
	c, err := b.bytes()
	if err != nil {
		return nil, err
	}
	if len(c) < 8 {
		return nil, b.fail(errors.New("content ends early"))
	}
	if v := binary.BigEndian.Uint32(c); v < 1 || v > recordsVersion {
		return nil, b.fail(fmt.Errorf("version %d of Avro content is not known", v))
	}
	count := binary.BigEndian.Uint32(c[4:])
	c = c[8:]
	if uint64(count) > uint64(len(c)/4) {
		return nil, b.fail(fmt.Errorf("%d records in %d bytes", count, len(c)))
	}
	out := make([][]byte, count)
	for i := range out {
		if len(c) < 4 {
			return nil, b.fail(errors.New("content ends early"))
		}
		size := binary.BigEndian.Uint32(c)
		c = c[4:]
		if uint64(size) > uint64(len(c)) {
			return nil, b.fail(fmt.Errorf("record %d has %d bytes, of which %d are there", i, size, len(c)))
		}
		out[i], c = c[:size:size], c[size:]
	}
	if len(c) > 0 {
		return nil, b.fail(fmt.Errorf("%d bytes after the last record", len(c)))
	}
	return out, nil
}

// AppendRecords appends the content of an AvroData or CDCData block to dst.
func AppendRecords(dst []byte, records [][]byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, recordsVersion)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(records)))
	for _, r := range records {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(r)))
		dst = append(dst, r...)
	}
	return dst
}
