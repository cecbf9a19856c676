package hfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// An Iterator goes through cells in the order of their keys.
//
//	for it := f.Prefix(p); it.Next(); { it.Key(), it.Value() }
//	it.Err()
type Iterator struct {
	f      *Reader
	levels []level // of the index, the root first
	start  bool    // nothing was read yet
	seek   []byte  // cells before it are passed over
	prefix []byte
	end    int64  // of the last data block
	block  []byte // cells that are left
	key    []byte
	value  []byte
	err    error
	done   bool
}

// level is a block of the index of which entries from next on are still to come.
type level struct {
	entries []entry
	next    int
}

// All goes through all cells.
func (f *Reader) All() *Iterator { return f.From(nil) }

// From goes through the cells whose key is not before key.
func (f *Reader) From(key []byte) *Iterator { return &Iterator{f: f, seek: key, start: true} }

// Prefix goes through the cells whose key begins with prefix.
func (f *Reader) Prefix(prefix []byte) *Iterator {
	return &Iterator{f: f, seek: prefix, prefix: prefix, start: true}
}

// Key is the key of the cell. It may be kept and must not be changed.
func (it *Iterator) Key() []byte { return it.key }

// Value is the value of the cell. It may be kept and must not be changed.
func (it *Iterator) Value() []byte { return it.value }

// Err is the error that ended the iteration, nil at the end of the cells.
func (it *Iterator) Err() error { return it.err }

// Next goes to the next cell and reports whether there is one.
func (it *Iterator) Next() bool {
	for !it.done {
		if len(it.block) == 0 {
			it.step(it.nextBlock())
			continue
		}
		if err := it.cell(); err != nil {
			it.step(false, err)
			return false
		}
		if bytes.Compare(it.key, it.seek) < 0 {
			continue
		}
		if !bytes.HasPrefix(it.key, it.prefix) {
			it.done = true
			return false
		}
		return true
	}
	return false
}

func (it *Iterator) step(more bool, err error) {
	if err != nil {
		it.err = fmt.Errorf("hfile: %w", err)
	}
	it.done = !more || err != nil
}

// cell reads the next cell of the block.
func (it *Iterator) cell() error {
	b := it.block
	if len(b) < 8 {
		return errors.New("cell is cut short")
	}
	keySize, valueSize := int64(int32(binary.BigEndian.Uint32(b))), int64(int32(binary.BigEndian.Uint32(b[4:])))
	b = b[8:]
	if keySize < 0 || valueSize < 0 || keySize+valueSize > int64(len(b)) {
		return fmt.Errorf("cell of %d and %d bytes does not fit into its block", keySize, valueSize)
	}
	row, ok := rowOf(b[:keySize])
	if !ok {
		return errors.New("key is damaged")
	}
	if it.key != nil && bytes.Compare(row, it.key) < 0 {
		return fmt.Errorf("keys are not in order: %q after %q", row, it.key)
	}
	it.key, it.value = row, b[keySize:keySize+valueSize:keySize+valueSize]
	b = b[keySize+valueSize:]
	if it.f.mvcc {
		_, n := vint(b)
		if n == 0 {
			return errors.New("cell is cut short")
		}
		b = b[n:]
	}
	it.block = b
	return nil
}

// nextBlock goes to the next data block and reports whether there is one.
func (it *Iterator) nextBlock() (bool, error) {
	if it.start {
		it.start = false
		it.levels = []level{it.level(it.f.root, true)}
	}
	first := it.end == 0 // the first way down follows the key
	for len(it.levels) > 0 {
		top := &it.levels[len(it.levels)-1]
		if top.next == len(top.entries) {
			it.levels = it.levels[:len(it.levels)-1]
			continue
		}
		e := top.entries[top.next]
		top.next++
		if len(it.levels) < int(it.f.t.levels) {
			if err := it.descend(e, first); err != nil {
				return false, err
			}
			continue
		}
		if e.offset < it.end {
			return false, errors.New("index leads to a block twice")
		}
		it.end = e.offset + int64(e.size)
		var err error
		it.block, err = it.f.block(e, dataBlock)
		return err == nil, err
	}
	return false, nil
}

// level starts the walk over a block of the index.
func (it *Iterator) level(entries []entry, seek bool) level {
	if !seek {
		return level{entries, 0}
	}
	return level{entries, min(search(entries, it.seek), len(entries))}
}

func (it *Iterator) descend(e entry, seek bool) error {
	b, err := it.f.block(e, leafIndex, innerIndex)
	if err != nil {
		return err
	}
	entries, err := parseLeaf(b)
	if err != nil {
		return err
	}
	it.levels = append(it.levels, it.level(entries, seek))
	return nil
}
