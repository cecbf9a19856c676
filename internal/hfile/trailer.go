package hfile

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	trailerSize  = 4096
	trailerMagic = `TRABLK"$`
	comparator   = "org.apache.hudi.io.storage.HoodieHBaseKVComparator"
	maxLevels    = 16
)

// trailer is what the end of a file says of the rest, with the numbers that the fields have in protobuf.
type trailer struct {
	fileInfo   int64 // 1: offset
	loadOnOpen int64 // 2: offset
	indexBytes int64 // 3: of the data index, unpacked
	unpacked   int64 // 4: of all blocks; not written by Hudi's own writer
	roots      int64 // 5: entries of the root data index
	metas      int64 // 6: entries of the meta index
	entries    int64 // 7: cells
	levels     int64 // 8: of the data index
	first      int64 // 9: offset of the first data block, -1 when there is none
	last       int64 // 10
	codec      Codec // 12
}

// parseTrailer reads the last bytes of a file, which ends at size.
func parseTrailer(b []byte, size int64) (t trailer, err error) {
	if len(b) < trailerSize || string(b[:8]) != trailerMagic {
		return t, errors.New("file does not end with the trailer of an HFile")
	}
	if version := binary.BigEndian.Uint32(b[trailerSize-4:]) & 0xFFFFFF; version != 3 {
		return t, fmt.Errorf("HFile version %d; only 3 can be read", version)
	}
	n, w := binary.Uvarint(b[8:])
	if w <= 0 || n > trailerSize-12-uint64(w) {
		return t, errors.New("trailer is damaged")
	}
	codec := int64(None) // HBase's default
	ints := map[uint64]*int64{1: &t.fileInfo, 2: &t.loadOnOpen, 3: &t.indexBytes, 4: &t.unpacked, 5: &t.roots, 6: &t.metas,
		7: &t.entries, 8: &t.levels, 9: &t.first, 10: &t.last, 12: &codec}
	err = eachField(b[8+w:8+w+int(n)], func(field uint64, v uint64, data []byte) error {
		if p, ok := ints[field]; ok && data == nil {
			*p = int64(v)
		}
		return nil
	})
	t.codec = Codec(codec)
	end := size - trailerSize
	switch {
	case err != nil:
	case t.loadOnOpen < 0 || t.loadOnOpen > t.fileInfo || t.fileInfo >= end:
		err = fmt.Errorf("trailer points outside of the file: %d, %d", t.loadOnOpen, t.fileInfo)
	case t.roots < 0 || t.metas < 0 || t.entries < 0 || t.levels < 0 || t.levels > maxLevels || codec < 0 || codec > 255:
		err = errors.New("trailer has impossible numbers")
	}
	return t, err
}

// append writes the trailer.
func (t *trailer) append(dst []byte) []byte {
	var m []byte
	for i, v := range []int64{t.fileInfo, t.loadOnOpen, t.indexBytes, t.unpacked, t.roots, t.metas, t.entries, t.levels, t.first, t.last} {
		m = append(m, byte(i+1)<<3)
		m = binary.AppendUvarint(m, uint64(v))
	}
	m = appendField(m, 11, []byte(comparator))
	m = binary.AppendUvarint(append(m, 12<<3), uint64(t.codec))
	start := len(dst)
	dst = append(dst, trailerMagic...)
	dst = append(binary.AppendUvarint(dst, uint64(len(m))), m...)
	dst = append(dst, make([]byte, trailerSize-4-(len(dst)-start))...)
	return append(dst, 3, 0, 0, 3)
}

// eachField calls f for each field of a protobuf message: with its number, or with its bytes, which are not nil then.
func eachField(b []byte, f func(field uint64, v uint64, data []byte) error) error {
	damaged := errors.New("protobuf is damaged")
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return damaged
		}
		b = b[n:]
		v, data := uint64(0), []byte(nil)
		switch tag & 7 {
		case 0:
			if v, n = binary.Uvarint(b); n <= 0 {
				return damaged
			}
		case 1, 5:
			if n = 8; tag&7 == 5 {
				n = 4
			}
			if len(b) < n {
				return damaged
			}
		case 2:
			size, w := binary.Uvarint(b)
			if w <= 0 || size > uint64(len(b)-w) {
				return damaged
			}
			n = w + int(size)
			data = b[w:n:n]
		default:
			return damaged
		}
		b = b[n:]
		if err := f(tag>>3, v, data); err != nil {
			return err
		}
	}
	return nil
}

func appendField(dst []byte, field int, data []byte) []byte {
	dst = append(dst, byte(field<<3|2))
	return append(binary.AppendUvarint(dst, uint64(len(data))), data...)
}

const infoMagic = "PBUF"

// parseInfo reads the properties of a file.
func parseInfo(b []byte) (map[string][]byte, error) {
	if len(b) < len(infoMagic) || string(b[:len(infoMagic)]) != infoMagic {
		return nil, errors.New("file info does not begin with PBUF")
	}
	b = b[len(infoMagic):]
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w) {
		return nil, errors.New("file info is damaged")
	}
	info := map[string][]byte{}
	err := eachField(b[w:w+int(n)], func(_, _ uint64, pair []byte) error {
		var key string
		value := []byte{}
		err := eachField(pair, func(field, _ uint64, data []byte) error {
			switch {
			case field == 1 && data != nil:
				key = string(data)
			case field == 2 && data != nil:
				value = data
			}
			return nil
		})
		info[key] = value
		return err
	})
	return info, err
}
