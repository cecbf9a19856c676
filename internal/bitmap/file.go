package bitmap

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// FileVersion is the first byte of a file of vectors.
const FileVersion = 1

// frame is the size before and the checksum after a payload.
const frame = 8

// AppendFile adds payload to the bytes of a file of vectors, starting the file when it is empty. It gives the file
// and the offset that a descriptor must name.
func AppendFile(file, payload []byte) ([]byte, int32) {
	if len(file) == 0 {
		file = append(file, FileVersion)
	}
	offset := int32(len(file))
	file = binary.BigEndian.AppendUint32(file, uint32(len(payload)))
	file = append(file, payload...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(payload)), offset
}

// ReadFile reads the payload of size bytes at offset of a file of vectors with length bytes, and checks version, size and
// checksum.
func ReadFile(file io.ReaderAt, length int64, offset, size int32) ([]byte, error) {
	if offset < 0 || size < 0 || int64(offset)+int64(size)+frame > length {
		return nil, fmt.Errorf("deletion vector at %d of %d bytes is beyond the end of a file of %d bytes", offset, size, length)
	}
	var version [1]byte
	if _, err := file.ReadAt(version[:], 0); err != nil {
		return nil, err
	}
	if version[0] != FileVersion {
		return nil, fmt.Errorf("file of deletion vectors has the unknown version %d", version[0])
	}
	b := make([]byte, int64(size)+frame)
	if n, err := file.ReadAt(b, int64(offset)); n < len(b) {
		return nil, err
	}
	if got := binary.BigEndian.Uint32(b); got != uint32(size) {
		return nil, fmt.Errorf("deletion vector at %d has %d bytes, but %d are declared", offset, got, size)
	}
	payload := b[4 : 4+size]
	if want, got := binary.BigEndian.Uint32(b[4+size:]), crc32.ChecksumIEEE(payload); got != want {
		return nil, fmt.Errorf("deletion vector at %d has the checksum %08x, but its bytes give %08x", offset, want, got)
	}
	return payload, nil
}
