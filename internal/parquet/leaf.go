package parquet

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tarn-lake/tarn/types"
)

// leafWriter encodes the values of one leaf:
//
//	arrays --append--> page under way --flush--> pages of the chunk --finish--> file
//
// A chunk begins with a dictionary and goes on without when that does not pay.
type leafWriter struct {
	path           []string
	name           string // for errors
	typ            types.Type
	inList         bool
	maxRep, maxDef int
	phys, width    int // width: bytes of a value, 0 for texts
	add            adder
	codec          *Codec
	pageBytes      int

	// the page under way
	rep, def hybrid
	cells    int
	count    int    // values
	values   []byte // headroom, then values in PLAIN form, as far as they are not in indices
	indices  []uint32
	spans    []span // of the rows that are appended, scratch
	body     []byte // scratch
	packed   []byte // scratch

	// the chunk under way
	dict    *dictionary // nil: values are stored without one
	noDict  bool        // chunks start without a dictionary, because an earlier one did not pay
	coded   bool        // pages are there that need the dictionary
	plain   bool        // pages are there that do not
	pages   [][]byte
	paged   int64 // bytes in pages
	chunk   chunkMeta
	bounds  bounds // of the chunk
	overall bounds // of the file
	nulls   int64  // in the file
}

// chunkMeta is what the footer says of a column chunk.
type chunkMeta struct {
	cells, nulls     int64
	unpacked, packed int64
	dictPage, page   int64 // offsets in the file; dictPage 0: none
	coded, plain     bool
	bounds           bounds
}

// The encodings of Parquet 1.
const (
	encPlain      = 0
	encDictionary = 2
	encRLE        = 3
)

// headroom is kept free before the values of a page, so that few levels can be put there without a copy of the values.
const headroom = 64

// maxHeader is room for the header of a page.
const maxHeader = 48

const (
	pageValues = 1 << 16
	dictTrial  = 1 << 14 // values after which a dictionary must have shown its use
)

// append adds n values at l.spans of a, and cells cells, of which the levels were put already.
func (l *leafWriter) append(a arrow.Array, cells, n int) error {
	l.cells += cells
	if n > 0 {
		if err := l.fits(a); err != nil {
			return err
		}
		l.count += n
		if l.values == nil {
			l.values = grow(take(&l.codec.scratch), headroom)
		}
		l.values = l.add(l.values, a.Data(), l.spans, l.width)
		if l.dict == nil && !l.noDict && len(l.pages) == 0 && l.phys != physBoolean && l.phys != physInt96 && len(l.indices) == 0 {
			l.dict = newDictionary(l.width)
		}
		if l.dict != nil {
			l.code()
		}
	}
	if len(l.plainValues())+2*len(l.indices) >= l.pageBytes || l.cells >= pageValues || l.count >= pageValues {
		return l.flush()
	}
	return nil
}

// fits checks that a is an array of the layout that l.add reads.
func (l *leafWriter) fits(a arrow.Array) error {
	if want := types.Arrow(l.typ).ID(); a.DataType().ID() != want {
		return fmt.Errorf("column %s: %v does not hold %v", l.name, a.DataType(), l.typ)
	}
	return nil
}

// plainValues are the values of the page under way that have no indices.
func (l *leafWriter) plainValues() []byte { return l.values[min(headroom, len(l.values)):] }

// code moves the values to indices into the dictionary, as long as it pays.
func (l *leafWriter) code() {
	l.indices = l.dict.code(l.indices, l.plainValues())
	l.values = l.values[:headroom]
	if l.dict.full() || !l.coded && len(l.indices) >= dictTrial && 4*l.dict.len() > 3*len(l.indices) {
		l.uncode()
	}
}

// uncode ends the use of the dictionary: the page under way gets its values back.
func (l *leafWriter) uncode() {
	l.values = l.dict.decode(l.values, l.indices)
	l.indices = l.indices[:0]
	if !l.coded {
		l.dict, l.noDict = nil, true
		return
	}
	l.dict.closed = true
}

// coding reports whether the page under way holds indices.
func (l *leafWriter) coding() bool { return l.dict != nil && !l.dict.closed }

// flush ends the page under way.
func (l *leafWriter) flush() error {
	if l.cells == 0 {
		return nil
	}
	encoding, b := encPlain, l.levels()
	if l.coding() && l.count > 0 {
		encoding = encDictionary
		width := max(1, bitWidth(l.dict.len()-1))
		h := hybrid{width: width, out: append(b, byte(width))}
		h.all(l.indices)
		b = h.finish()
		l.body, l.coded = b, true
	} else {
		values := l.plainValues()
		l.bounds.add(l, values, l.count)
		b = l.plainBody(b, values)
		l.plain = true
	}
	if err := l.page(b, encoding); err != nil {
		return err
	}
	l.chunk.cells += int64(l.cells)
	l.chunk.nulls += int64(l.cells - l.count)
	l.cells, l.count, l.values, l.indices = 0, 0, l.values[:min(headroom, len(l.values))], l.indices[:0]
	return nil
}

// levels gives the levels of the page under way, as it begins with them.
func (l *leafWriter) levels() []byte {
	b := l.body[:0]
	if l.maxRep > 0 {
		b = appendLevels(b, &l.rep, bitWidth(l.maxRep))
	}
	if l.maxDef > 0 {
		b = appendLevels(b, &l.def, bitWidth(l.maxDef))
	}
	l.body = b
	return b
}

// plainBody is the body of a page of the levels and the PLAIN values.
func (l *leafWriter) plainBody(levels, values []byte) []byte {
	switch {
	case l.phys == physBoolean:
		l.body = packBools(levels, values)
	case len(levels) <= headroom && len(values) > 0:
		at := headroom - len(levels)
		copy(l.values[at:], levels)
		return l.values[at:]
	default:
		l.body = append(levels, values...)
	}
	return l.body
}

// appendLevels appends the levels of h, after their length.
func appendLevels(b []byte, h *hybrid, width int) []byte {
	levels := h.finish()
	b = binary.LittleEndian.AppendUint32(b, uint32(len(levels)))
	b = append(b, levels...)
	h.reset(width)
	return b
}

// page appends a data page with the body b.
func (l *leafWriter) page(b []byte, encoding int) error {
	packed, err := l.pack(b)
	if err != nil {
		return err
	}
	w := thriftWriter{b: make([]byte, 0, maxHeader+len(packed))}
	w.open()
	w.i32(1, 0)
	w.i32(2, len(b))
	w.i32(3, len(packed))
	w.structure(5)
	w.i32(1, l.cells)
	w.i32(2, encoding)
	w.i32(3, encRLE)
	w.i32(4, encRLE)
	w.close()
	w.close()
	l.chunk.unpacked += int64(len(w.b) + len(b))
	l.pages = append(l.pages, append(w.b, packed...))
	l.paged += int64(len(w.b) + len(packed))
	return nil
}

// pack gives b packed, until the next call.
func (l *leafWriter) pack(b []byte) ([]byte, error) {
	if l.codec.id == 0 {
		return b, nil
	}
	if l.packed == nil {
		l.packed = take(&l.codec.scratch)
	}
	var err error
	l.packed, err = l.codec.pack(l.packed[:0], b)
	return l.packed, err
}

// dictionaryPage gives the page with the values of the dictionary; nil when no page needs it.
func (l *leafWriter) dictionaryPage() ([]byte, error) {
	if !l.coded {
		return nil, nil
	}
	l.bounds.add(l, l.dict.values, l.dict.len())
	packed, err := l.pack(l.dict.values)
	if err != nil {
		return nil, err
	}
	w := thriftWriter{}
	w.open()
	w.i32(1, 2)
	w.i32(2, len(l.dict.values))
	w.i32(3, len(packed))
	w.structure(7)
	w.i32(1, l.dict.len())
	w.i32(2, encDictionary)
	w.close()
	w.close()
	l.chunk.unpacked += int64(len(w.b) + len(l.dict.values))
	return append(w.b, packed...), nil
}

// endChunk ends the chunk; its bytes are dict and then l.pages.
func (l *leafWriter) endChunk() (dict []byte, err error) {
	if err := l.flush(); err != nil {
		return nil, err
	}
	if dict, err = l.dictionaryPage(); err != nil {
		return nil, err
	}
	l.chunk.coded, l.chunk.plain = l.coded, l.plain
	l.chunk.packed = int64(len(dict)) + l.paged
	l.chunk.bounds = l.bounds
	return dict, nil
}

// next readies l for another chunk.
func (l *leafWriter) next() {
	l.overall.merge(l, &l.bounds)
	l.nulls += l.chunk.nulls
	if l.dict != nil {
		l.dict.reset()
	}
	clear(l.pages)
	l.coded, l.plain, l.pages, l.paged, l.chunk, l.bounds = false, false, l.pages[:0], 0, chunkMeta{}, bounds{}
}

// release gives up the memory of an empty chunk.
func (l *leafWriter) release() {
	give(&l.codec.scratch, l.values)
	give(&l.codec.scratch, l.packed)
	l.values, l.indices, l.spans, l.body, l.packed, l.pages, l.dict = nil, nil, nil, nil, nil, nil, nil
	l.rep.out, l.def.out = nil, nil
}

// size is about how many bytes l holds.
func (l *leafWriter) size() int64 {
	return l.paged + int64(len(l.plainValues())+4*len(l.indices))
}
