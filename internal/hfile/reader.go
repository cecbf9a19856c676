package hfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	maxOpen  = 1 << 27 // bytes of the section that is loaded on open
	maxCache = 1 << 25 // bytes of blocks that are kept
)

// A Reader reads one file. It is safe for concurrent use.
type Reader struct {
	r     io.ReaderAt
	size  int64
	t     trailer
	root  []entry
	metas []entry
	info  map[string][]byte
	mvcc  bool // cells end with a number

	mu     sync.Mutex
	blocks map[int64][]byte // by offset
	cached int
}

// Open reads what a file of size bytes has at its end. Nothing else is read before it is asked for.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	f := &Reader{r: r, size: size, blocks: map[int64][]byte{}}
	if err := f.open(); err != nil {
		return nil, fmt.Errorf("hfile: %w", err)
	}
	return f, nil
}

func (f *Reader) open() error {
	tail, err := f.read(max(f.size-trailerSize, 0), f.size)
	if err != nil {
		return err
	}
	if f.t, err = parseTrailer(tail, f.size); err != nil {
		return err
	}
	end := f.size - trailerSize
	if end-f.t.loadOnOpen > maxOpen {
		return fmt.Errorf("index of %d bytes", end-f.t.loadOnOpen)
	}
	b, err := f.read(f.t.loadOnOpen, end)
	if err != nil {
		return err
	}
	infoAt := f.t.fileInfo - f.t.loadOnOpen
	root, n, err := parseBlock(b, f.t.codec, rootIndex)
	if err != nil {
		return err
	}
	metas, _, err := parseBlock(b[n:], f.t.codec, rootIndex)
	if err != nil {
		return err
	}
	info, _, err := parseBlock(b[infoAt:], f.t.codec, infoBlock)
	if err != nil {
		return err
	}
	return f.parse(root, metas, info)
}

func (f *Reader) parse(root, metas, info []byte) (err error) {
	if f.root, err = parseRoot(root, f.t.roots); err != nil {
		return err
	}
	whole := func(b []byte) ([]byte, bool) { return b, true }
	if f.metas, err = parseEntries(metas, f.t.metas, vint, whole); err != nil {
		return err
	}
	if f.info, err = parseInfo(info); err != nil {
		return err
	}
	version := f.info["KEY_VALUE_VERSION"]
	f.mvcc = len(version) == 4 && version[3] == 1
	if f.info["hfile.MAX_TAGS_LEN"] != nil {
		return errors.New("cells with tags cannot be read")
	}
	if encoding, ok := f.info["DATA_BLOCK_ENCODING"]; ok && string(encoding) != "NONE" {
		return fmt.Errorf("the encoding %s of data blocks cannot be read", encoding)
	}
	return nil
}

// read is the bytes of the file from one offset to another.
func (f *Reader) read(from, to int64) ([]byte, error) {
	b := make([]byte, to-from)
	if n, err := f.r.ReadAt(b, from); n < len(b) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// Len is the number of cells that the file says it has.
func (f *Reader) Len() int64 { return f.t.entries }

// Info is a property of the file, such as "schema", and whether there is one. It must not be changed.
func (f *Reader) Info(name string) ([]byte, bool) {
	v, ok := f.info[name]
	return v, ok
}

// Meta is the named entry of the file, such as "bloomFilter", and whether there is one.
func (f *Reader) Meta(name string) ([]byte, bool, error) {
	for _, e := range f.metas {
		if string(e.row) == name {
			b, err := f.load(e, metaBlock)
			if err != nil {
				return nil, false, fmt.Errorf("hfile: %s: %w", name, err)
			}
			return b, true, nil
		}
	}
	return nil, false, nil
}

// Get is the value of a key, and whether the file has it. The value may be kept and must not be changed.
func (f *Reader) Get(key []byte) ([]byte, bool, error) {
	it := f.From(key)
	if it.Next() && bytes.Equal(it.Key(), key) {
		return it.Value(), true, nil
	}
	return nil, false, it.Err()
}

// block is a block that may be kept for later.
func (f *Reader) block(e entry, magics ...string) ([]byte, error) {
	f.mu.Lock()
	b, ok := f.blocks[e.offset]
	f.mu.Unlock()
	if ok {
		return b, nil
	}
	b, err := f.load(e, magics...)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cached += len(b); f.cached > maxCache {
		clear(f.blocks)
		f.cached = len(b)
	}
	f.blocks[e.offset] = b
	return b, nil
}

func (f *Reader) load(e entry, magics ...string) ([]byte, error) {
	if e.offset < 0 || e.size < headerSize || e.offset+int64(e.size) < 0 || e.offset+int64(e.size) > f.size-trailerSize {
		return nil, fmt.Errorf("block of %d bytes at %d lies outside of the file", e.size, e.offset)
	}
	b, err := f.read(e.offset, e.offset+int64(e.size))
	if err != nil {
		return nil, err
	}
	data, n, err := parseBlock(b, f.t.codec, magics...)
	if err == nil && n != len(b) {
		err = fmt.Errorf("block has %d bytes, its index says %d", n, e.size)
	}
	if err != nil {
		return nil, fmt.Errorf("at %d: %w", e.offset, err)
	}
	return data, nil
}
