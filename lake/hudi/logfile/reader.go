package logfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	magic         = "#HUDI#"
	formatVersion = 1
	maxEntries    = 64       // of a header
	maxHeader     = 64 << 20 // bytes of a header; it holds a schema and a bitmap
)

// Reader gives the blocks of a log file.
type Reader struct {
	r    io.ReaderAt
	size int64
	at   int64
}

// NewReader reads the blocks of the first size bytes of r.
func NewReader(r io.ReaderAt, size int64) *Reader { return &Reader{r: r, size: size} }

// Next is the next block; io.EOF after the last. A block that does not reach its end, or whose ends do not fit together, comes as one
// of type Corrupt that extends to the next magic.
func (r *Reader) Next() (*Block, error) {
	if r.at >= r.size {
		return nil, io.EOF
	}
	start := r.at
	length, ok, err := r.frame(start)
	if err != nil {
		return nil, err
	}
	if !ok {
		return r.corrupt(start)
	}
	b := &Block{Offset: start, Size: length + prefix, Type: Corrupt}
	r.at = start + b.Size
	return b, r.parse(b)
}

// prefix is the size of magic and length.
const prefix = int64(len(magic) + 8)

// frame reads the length of the block at start and says whether a whole block is there: its total fits, and after it comes another
// block or the end.
func (r *Reader) frame(start int64) (length int64, ok bool, err error) {
	var head [prefix]byte
	if start+prefix > r.size {
		return 0, false, nil
	}
	if err := r.read(head[:], start); err != nil {
		return 0, false, err
	}
	length = int64(binary.BigEndian.Uint64(head[len(magic):]))
	end := start + prefix + length
	if string(head[:len(magic)]) != magic || length < minLength || length > r.size-start-prefix {
		return 0, false, nil
	}
	var tail [8 + len(magic)]byte
	n := min(int64(len(tail)), 8+r.size-end)
	if err := r.read(tail[:n], end-8); err != nil {
		return 0, false, err
	}
	next := string(tail[8:n])
	if int64(binary.BigEndian.Uint64(tail[:])) != length+int64(len(magic)) || next != "" && next != magic {
		return 0, false, nil
	}
	return length, true, nil
}

// minLength is the length of a block without header entries and content.
const minLength = 4 + 4 + 4 + 8 + 4 + 8

func (r *Reader) read(b []byte, at int64) error {
	if n, err := r.r.ReadAt(b, at); err != nil && !(errors.Is(err, io.EOF) && n == len(b)) {
		return fmt.Errorf("read log file at byte %d: %w", at, err)
	}
	return nil
}

// corrupt is the block from start to the next magic.
func (r *Reader) corrupt(start int64) (*Block, error) {
	buf := make([]byte, min(r.size-start, 1<<20))
	for at := start + 1; at < r.size; at += int64(len(buf)) - int64(len(magic)) + 1 {
		part := buf[:min(int64(len(buf)), r.size-at)]
		if err := r.read(part, at); err != nil {
			return nil, err
		}
		if i := bytes.Index(part, []byte(magic)); i >= 0 {
			return r.skip(start, at+int64(i)), nil
		}
		if len(part) < len(buf) || len(buf) < len(magic) {
			break
		}
	}
	return r.skip(start, r.size), nil
}

func (r *Reader) skip(start, end int64) *Block {
	r.at = end
	return &Block{Type: Corrupt, Offset: start, Size: end - start, Content: io.NewSectionReader(r.r, start, end-start)}
}

// parse reads what stands between the length and the total of b.
func (r *Reader) parse(b *Block) error {
	at, end := b.Offset+prefix, b.Offset+b.Size-8
	var fixed [8]byte
	if err := r.read(fixed[:], at); err != nil {
		return err
	}
	if v := binary.BigEndian.Uint32(fixed[:]); v != formatVersion {
		return b.fail(fmt.Errorf("log format version %d is not known; files of Hudi before 0.5 must be compacted by Hudi first", v))
	}
	b.Type = Type(binary.BigEndian.Uint32(fixed[4:]))
	if b.Type < 0 || int(b.Type) >= len(typeNames) || b.Type == Corrupt {
		return b.fail(errors.New("blocks of this type are not known"))
	}
	at, err := r.header(b, at+8, end)
	if err != nil {
		return err
	}
	if end-at < 8+4 {
		return b.fail(errors.New("header leaves no room for content"))
	}
	if err := r.read(fixed[:], at); err != nil {
		return err
	}
	size := int64(binary.BigEndian.Uint64(fixed[:]))
	at += 8
	if size < 0 || size > end-at-4 {
		return b.fail(fmt.Errorf("content of %d bytes in a block that has %d left", size, end-at))
	}
	b.Content = io.NewSectionReader(r.r, at, size)
	return nil
}

// header reads the entries of b from at and gives where they end.
func (r *Reader) header(b *Block, at, end int64) (int64, error) {
	var fixed [8]byte
	if err := r.read(fixed[:4], at); err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint32(fixed[:])
	if n > maxEntries {
		return 0, b.fail(fmt.Errorf("%d header entries", n))
	}
	at += 4
	for range n {
		if end-at < 8 {
			return 0, b.fail(errors.New("header does not end"))
		}
		if err := r.read(fixed[:], at); err != nil {
			return 0, err
		}
		at += 8
		size := int64(binary.BigEndian.Uint32(fixed[4:]))
		if size > end-at || size > maxHeader {
			return 0, b.fail(fmt.Errorf("header entry of %d bytes", size))
		}
		text := make([]byte, size)
		if err := r.read(text, at); err != nil {
			return 0, err
		}
		b.Header = append(b.Header, Entry{Key(binary.BigEndian.Uint32(fixed[:])), string(text)})
		at += size
	}
	return at, nil
}
