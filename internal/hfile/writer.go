package hfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/klauspost/compress/gzip"
)

const (
	defaultBlock     = 64 << 10
	bytesPerChecksum = 16 << 10
	maxRow           = math.MaxInt16
)

// Options say how a file is written. The zero value is what Hudi does.
type Options struct {
	BlockSize int   // bytes of cells after which a block ends; 64 KiB when 0
	Codec     Codec // Gzip when 0
}

// A Writer writes a file in the profile of HBase's writer, which all versions of Hudi read: CRC-32C checksums, one level of
// index, properties in order. Cells come in the order of their keys.
type Writer struct {
	w       io.Writer
	o       Options
	t       trailer
	offset  int64
	err     error
	info    map[string][]byte
	metas   map[string][]byte
	index   []entry
	cells   []byte // of the block
	first   []byte // key of the block's first cell
	last    []byte // key of the last cell
	before  map[string]int64
	keys    int64 // bytes of all keys, and of all values
	values  int64
	scratch bytes.Buffer
	zip     *gzip.Writer
}

// NewWriter starts a file.
func NewWriter(w io.Writer, o Options) *Writer {
	if o.BlockSize == 0 {
		o.BlockSize = defaultBlock
	}
	if o.Codec == 0 {
		o.Codec = Gzip
	}
	return &Writer{w: w, o: o, info: map[string][]byte{}, metas: map[string][]byte{}, before: map[string]int64{},
		t: trailer{levels: 1, first: -1, last: -1, codec: o.Codec}, zip: gzip.NewWriter(nil)}
}

// Info sets a property of the file, such as "schema".
func (w *Writer) Info(name string, value []byte) { w.info[name] = value }

// Meta sets a named entry of the file, such as "bloomFilter".
func (w *Writer) Meta(name string, data []byte) { w.metas[name] = data }

// Append writes a cell. Its key comes after those before it, and has at most 32767 bytes.
func (w *Writer) Append(key, value []byte) error {
	if w.err != nil {
		return w.err
	}
	if len(key) > maxRow || len(value) > maxBlock-maxRow-64 {
		w.err = fmt.Errorf("hfile: cell of %d and %d bytes is too large", len(key), len(value))
		return w.err
	}
	if last, ok := rowOf(w.last); ok && bytes.Compare(key, last) <= 0 {
		w.err = fmt.Errorf("hfile: key %q does not come after %q", key, last)
		return w.err
	}
	if len(w.cells) >= w.o.BlockSize {
		w.flush()
	}
	w.last = appendKey(w.last[:0], key)
	if len(w.cells) == 0 {
		w.first = bytes.Clone(w.last)
	}
	w.cells = binary.BigEndian.AppendUint32(w.cells, uint32(len(w.last)))
	w.cells = binary.BigEndian.AppendUint32(w.cells, uint32(len(value)))
	w.cells = append(append(w.cells, w.last...), value...)
	w.cells = append(w.cells, 0)
	w.t.entries++
	w.keys += int64(len(w.last))
	w.values += int64(len(value))
	return w.err
}

// appendKey is the whole key of a row: no family, the latest time, a put.
func appendKey(dst, row []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(row)))
	dst = append(append(dst, row...), 0)
	return append(binary.BigEndian.AppendUint64(dst, math.MaxInt64), 4)
}

// flush ends the data block.
func (w *Writer) flush() {
	if len(w.cells) == 0 {
		return
	}
	e := w.block(dataBlock, w.cells, true)
	e.row = w.first
	w.index = append(w.index, e)
	if w.t.first < 0 {
		w.t.first = e.offset
	}
	w.t.last = e.offset
	w.cells = w.cells[:0]
}

// Close writes the rest of the file. It does not close the writer below.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.flush()
	var metas []entry
	for _, name := range slices.Sorted(maps.Keys(w.metas)) {
		e := w.block(metaBlock, w.metas[name], true)
		e.row = []byte(name)
		metas = append(metas, e)
	}
	w.t.loadOnOpen = w.offset
	root := appendEntries(nil, w.index)
	w.t.indexBytes, w.t.roots, w.t.metas = int64(len(root)), int64(len(w.index)), int64(len(metas))
	w.block(rootIndex, root, false)
	w.block(rootIndex, appendEntries(nil, metas), true)
	w.t.fileInfo = w.offset
	w.block(infoBlock, w.properties(), true)
	w.t.unpacked += trailerSize
	w.write(w.t.append(nil))
	if w.err != nil {
		return w.err
	}
	w.err = errors.New("hfile: file is closed")
	return nil
}

func appendEntries(dst []byte, entries []entry) []byte {
	for _, e := range entries {
		dst = binary.BigEndian.AppendUint64(dst, uint64(e.offset))
		dst = binary.BigEndian.AppendUint32(dst, uint32(e.size))
		dst = append(appendVint(dst, len(e.row)), e.row...)
	}
	return dst
}

// properties is the content of the info block.
func (w *Writer) properties() []byte {
	average := func(sum int64) []byte { return binary.BigEndian.AppendUint32(nil, uint32(sum/max(w.t.entries, 1))) }
	info := maps.Clone(w.info)
	info["KEY_VALUE_VERSION"] = []byte{0, 0, 0, 1}
	info["MAX_MEMSTORE_TS_KEY"] = make([]byte, 8)
	info["hfile.AVG_KEY_LEN"] = average(w.keys)
	info["hfile.AVG_VALUE_LEN"] = average(w.values)
	info["hfile.CREATE_TIME_TS"] = make([]byte, 8)
	if w.t.entries > 0 {
		info["hfile.LASTKEY"] = w.last
	}
	var list []byte
	for _, name := range slices.Sorted(maps.Keys(info)) {
		list = appendField(list, 1, appendField(appendField(nil, 1, []byte(name)), 2, info[name]))
	}
	return append(binary.AppendUvarint([]byte(infoMagic), uint64(len(list))), list...)
}

// block writes one block and says where it is. The trailer counts the bytes of most.
func (w *Writer) block(magic string, data []byte, counted bool) entry {
	packed := data
	if w.o.Codec == Gzip {
		w.scratch.Reset()
		w.zip.Reset(&w.scratch)
		w.zip.Write(data)
		w.zip.Close()
		packed = w.scratch.Bytes()
	}
	used := headerSize + len(packed)
	sums := (used + bytesPerChecksum - 1) / bytesPerChecksum
	before, ok := w.before[magic]
	if !ok {
		before = -1
	}
	b := append(make([]byte, 0, used+4*sums), magic...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(packed)+4*sums))
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	b = binary.BigEndian.AppendUint64(b, uint64(before))
	b = binary.BigEndian.AppendUint32(append(b, 2), bytesPerChecksum)
	b = append(binary.BigEndian.AppendUint32(b, uint32(used)), packed...)
	for i := 0; i < used; i += bytesPerChecksum {
		b = binary.BigEndian.AppendUint32(b, crc32.Checksum(b[i:min(i+bytesPerChecksum, used)], castagnoli))
	}
	e := entry{offset: w.offset, size: int32(len(b))}
	w.before[magic] = w.offset
	if counted {
		w.t.unpacked += int64(headerSize + len(data))
	}
	w.write(b)
	return e
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
	w.offset += int64(len(b))
}
