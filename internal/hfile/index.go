package hfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
)

// entry is one block of an index: where it is, and a row that is not after its first one and after the last of the block
// before it.
type entry struct {
	offset int64
	size   int32
	row    []byte
}

var errIndex = errors.New("index is damaged")

// rowOf is the row of a cell's key. Writers shorten the keys of an index, so what comes behind the row does not matter.
func rowOf(key []byte) ([]byte, bool) {
	if len(key) < 2 {
		return nil, false
	}
	n := int(binary.BigEndian.Uint16(key))
	if n > len(key)-2 {
		return nil, false
	}
	return key[2 : 2+n : 2+n], true
}

// parseRoot reads the root of the data index. Hudi's own writer spelled lengths of more than 127 in protobuf's way at
// first, which its later versions and HBase do not.
func parseRoot(b []byte, n int64) ([]entry, error) {
	hadoop := func(b []byte) (int64, int) { return vint(b) }
	protobuf := func(b []byte) (int64, int) { v, n := binary.Uvarint(b); return int64(v), max(n, 0) }
	entries, err := parseEntries(b, n, hadoop, rowOf)
	if err != nil {
		if again, err := parseEntries(b, n, protobuf, rowOf); err == nil {
			return again, nil
		}
	}
	return entries, err
}

// parseEntries reads n entries with the length of the key before it.
func parseEntries(b []byte, n int64, length func([]byte) (int64, int), row func([]byte) ([]byte, bool)) ([]entry, error) {
	if n > int64(len(b)/13) {
		return nil, errIndex
	}
	entries := make([]entry, 0, n)
	for range n {
		if len(b) < 13 {
			return nil, errIndex
		}
		e := entry{offset: int64(binary.BigEndian.Uint64(b)), size: int32(binary.BigEndian.Uint32(b[8:]))}
		size, w := length(b[12:])
		b = b[12+w:]
		if w == 0 || size < 0 || size > int64(len(b)) {
			return nil, errIndex
		}
		var ok bool
		if e.row, ok = row(b[:size]); !ok {
			return nil, errIndex
		}
		b = b[size:]
		entries = append(entries, e)
	}
	return entries, inOrder(entries)
}

// parseLeaf reads a block of the lower levels.
func parseLeaf(b []byte) ([]entry, error) {
	if len(b) < 8 {
		return nil, errIndex
	}
	n := int64(int32(binary.BigEndian.Uint32(b)))
	if n < 1 || 4+4*(n+1) > int64(len(b)) { // a leaf without entries would make walks that lead nowhere
		return nil, errIndex
	}
	offsets, b := b[4:4+4*(n+1)], b[4+4*(n+1):]
	entries := make([]entry, 0, n)
	for i := range n {
		from, to := int64(int32(binary.BigEndian.Uint32(offsets[4*i:]))), int64(int32(binary.BigEndian.Uint32(offsets[4*i+4:])))
		if from < 0 || from+12 > to || to > int64(len(b)) {
			return nil, errIndex
		}
		e := entry{offset: int64(binary.BigEndian.Uint64(b[from:])), size: int32(binary.BigEndian.Uint32(b[from+8:]))}
		var ok bool
		if e.row, ok = rowOf(b[from+12 : to]); !ok {
			return nil, errIndex
		}
		entries = append(entries, e)
	}
	return entries, inOrder(entries)
}

// inOrder checks that blocks follow each other in the file as their rows do, so that no walk over them reads one twice.
func inOrder(entries []entry) error {
	for i := 1; i < len(entries); i++ {
		before, e := entries[i-1], entries[i]
		if e.offset < before.offset+int64(before.size) || bytes.Compare(e.row, before.row) < 0 {
			return fmt.Errorf("index is not in order at entry %d", i)
		}
	}
	return nil
}

// search is the entry whose block would hold row: the last one that is not after it, or the first.
func search(entries []entry, row []byte) int {
	i := sort.Search(len(entries), func(i int) bool { return bytes.Compare(entries[i].row, row) > 0 })
	return max(i-1, 0)
}
