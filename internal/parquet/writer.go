package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tarn-lake/tarn/types"
)

// WriterOptions are the rules of a file that is written. The zero value has decimals as INT32, INT64 or FIXED by precision,
// timestamps as INT64 microseconds, three-level lists, all fields optional, Snappy pages.
type WriterOptions struct {
	Codec         *Codec // nil: Snappy
	FixedDecimals bool   // decimals as FIXED_LEN_BYTE_ARRAY
	Int96         bool   // timestamps as INT96
	TwoLevelLists bool   // as parquet-avro wrote them; elements may not be NULL
	Required      bool   // fields that are not Nullable are REQUIRED
	Root          string // name of the schema's root; "": "spark_schema"
	FieldID       string // key of a field's metadata that holds its field id; "": none
	GroupRows     int64  // rows after which a row group ends: 1,000,000
	GroupBytes    int64  // bytes after which a row group ends, packed, about: 128 MiB
	PageBytes     int    // unpacked bytes of a page, about: 1 MiB
	Workers       int    // columns encoded at a time: one per processor
}

// createdBy names the writer in a form that parquet-mr can read, else it mistrusts the statistics of texts.
const createdBy = "tarn version 1.0.0 (build 0)"

// Writer makes a Parquet file of Arrow columns, with the encodings of Parquet 1. It serves one goroutine. After an error
// it must not be used any more.
type Writer struct {
	w       io.Writer
	o       WriterOptions
	columns []*node
	leaves  []*leafWriter
	walkers []walker // one per column
	written int64
	rows    int64 // in the row group under way
	groups  []groupMeta
	closed  bool
}

type groupMeta struct {
	rows   int64
	start  int64
	chunks []chunkMeta
}

// NewWriter begins a file of columns.
func NewWriter(w io.Writer, columns []types.Field, o WriterOptions) (*Writer, error) {
	if o.Codec == nil {
		o.Codec, _ = NewCodec("")
	}
	if o.Root == "" {
		o.Root = "spark_schema"
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.GroupRows == 0 {
		o.GroupRows = 1_000_000
	}
	if o.GroupBytes == 0 {
		o.GroupBytes = 128 << 20
	}
	if o.PageBytes == 0 {
		o.PageBytes = 1 << 20
	}
	s := &schema{o: &o}
	nodes, err := s.fields(columns, place{})
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return nil, errors.New("a Parquet file needs a column")
	}
	f := &Writer{w: w, o: o, columns: nodes, leaves: s.leaves, walkers: make([]walker, len(nodes))}
	for _, l := range f.leaves {
		l.rep.reset(bitWidth(l.maxRep))
		l.def.reset(bitWidth(l.maxDef))
	}
	return f, nil
}

// pieceRows is how many rows of a column are encoded before the size of its page is looked at, at most.
const pieceRows = 1 << 13

// Write appends rows: an array per column, all of one length.
func (f *Writer) Write(columns []arrow.Array) error {
	if len(columns) != len(f.columns) {
		return fmt.Errorf("%d columns are given where the file has %d", len(columns), len(f.columns))
	}
	n := columns[0].Len()
	err := f.each(n, len(columns), func(i int) error {
		if columns[i].Len() != n {
			return fmt.Errorf("column %s has %d rows where others have %d", f.columns[i].name, columns[i].Len(), n)
		}
		return f.WriteColumn(i, columns[i])
	})
	if err != nil {
		return err
	}
	return f.Advance(n)
}

// WriteColumn appends rows of one column. Different columns may be written at a time by different goroutines; when all have
// the same rows, [Writer.Advance] must follow.
func (f *Writer) WriteColumn(i int, a arrow.Array) error {
	piece := max(1, min(pieceRows, f.o.PageBytes/16))
	for from := 0; from < a.Len(); from += piece {
		if err := f.walkers[i].rows(f.columns[i], a, from, min(piece, a.Len()-from)); err != nil {
			return err
		}
	}
	return nil
}

// Advance tells that all columns have n rows more. It writes out the row group when it is large enough.
func (f *Writer) Advance(n int) error {
	f.rows += int64(n)
	if f.rows >= f.o.GroupRows || f.Buffered() >= f.o.GroupBytes {
		return f.Flush()
	}
	return nil
}

// each calls do for the numbers below n, from several goroutines when there are enough rows.
func (f *Writer) each(rows, n int, do func(i int) error) error {
	workers := min(f.o.Workers, n)
	if workers < 2 || rows < 4096 {
		for i := range n {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[w] == nil; i = int(next.Add(1)) - 1 {
				errs[w] = do(i)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Rows is the number of rows so far.
func (f *Writer) Rows() int64 {
	n := f.rows
	for _, g := range f.groups {
		n += g.rows
	}
	return n
}

// Buffered is about how many bytes are held in memory.
func (f *Writer) Buffered() int64 {
	n := int64(0)
	for _, l := range f.leaves {
		n += l.size()
	}
	return n
}

// Size is about how long the file would be if it ended now.
func (f *Writer) Size() int64 { return f.written + f.Buffered() }

// Release is Flush that gives the memory back too.
func (f *Writer) Release() error {
	if err := f.Flush(); err != nil {
		return err
	}
	for _, l := range f.leaves {
		l.release()
	}
	clear(f.walkers)
	return nil
}

// Flush ends the row group and writes it out.
func (f *Writer) Flush() error {
	if f.rows == 0 {
		return nil
	}
	dicts := make([][]byte, len(f.leaves))
	err := f.each(int(f.rows), len(f.leaves), func(i int) error {
		var err error
		dicts[i], err = f.leaves[i].endChunk()
		return err
	})
	if err != nil {
		return err
	}
	if err := f.begin(); err != nil {
		return err
	}
	g := groupMeta{rows: f.rows, start: f.written}
	for i, l := range f.leaves {
		if dicts[i] != nil {
			l.chunk.dictPage = f.written
		}
		l.chunk.page = f.written + int64(len(dicts[i]))
		if err := f.emit(dicts[i]); err != nil {
			return err
		}
		for _, p := range l.pages {
			if err := f.emit(p); err != nil {
				return err
			}
		}
		g.chunks = append(g.chunks, l.chunk)
		l.next()
	}
	f.groups = append(f.groups, g)
	f.rows = 0
	return nil
}

// begin writes the magic bytes before anything else.
func (f *Writer) begin() error {
	if f.written > 0 {
		return nil
	}
	return f.emit(magic[:])
}

func (f *Writer) emit(b []byte) error {
	n, err := f.w.Write(b)
	f.written += int64(n)
	return err
}

// Close writes the rest and the footer, with entries as its key-value metadata. It does not close the writer below.
func (f *Writer) Close(entries map[string]string) error {
	if f.closed {
		return errors.New("the Parquet file is closed already")
	}
	f.closed = true
	if err := f.Release(); err != nil {
		return err
	}
	if err := f.begin(); err != nil {
		return err
	}
	foot := f.footer(entries)
	foot = append(foot, le32(uint32(len(foot)))...)
	return f.emit(append(foot, magic[:]...))
}

// Ranges says what the values of the leaves are, in the order of the file, once it is closed.
func (f *Writer) Ranges() []Range {
	out := make([]Range, len(f.leaves))
	for i, l := range f.leaves {
		r := Range{Path: l.path, InList: l.inList, Nulls: l.nulls, NaN: l.overall.nan}
		r.Min, r.Max, r.Exact = l.overall.values(l)
		out[i] = r
	}
	return out
}

// footer is the file's FileMetaData.
func (f *Writer) footer(entries map[string]string) []byte {
	var elements thriftWriter
	elements.open()
	elements.text(4, f.o.Root)
	elements.i32(5, len(f.columns))
	elements.close()
	count := 1
	for _, n := range f.columns {
		count += n.put(&elements, false)
	}
	w := &thriftWriter{}
	w.open()
	w.i32(1, 1)
	w.list(2, tStruct, count)
	w.b = append(w.b, elements.b...)
	w.i64(3, f.Rows())
	w.list(4, tStruct, len(f.groups))
	for i, g := range f.groups {
		f.group(w, g, i)
	}
	if len(entries) > 0 {
		w.list(5, tStruct, len(entries))
		for _, k := range slices.Sorted(maps.Keys(entries)) {
			w.open()
			w.text(1, k)
			w.text(2, entries[k])
			w.close()
		}
	}
	w.text(6, createdBy)
	w.list(7, tStruct, len(f.leaves)) // the order that min_value and max_value go by
	for range f.leaves {
		w.open()
		w.empty(1)
		w.close()
	}
	w.close()
	return w.b
}

func (f *Writer) group(w *thriftWriter, g groupMeta, number int) {
	unpacked, packed := int64(0), int64(0)
	w.open()
	w.list(1, tStruct, len(g.chunks))
	for i, c := range g.chunks {
		f.leaves[i].meta(w, &c, f.o.Codec.id)
		unpacked += c.unpacked
		packed += c.packed
	}
	w.i64(2, unpacked)
	w.i64(3, g.rows)
	w.i64(5, g.start)
	w.i64(6, packed)
	w.field(7, tI16)
	w.b = binary.AppendVarint(w.b, int64(number))
	w.close()
}

// meta appends the ColumnChunk of a chunk.
func (l *leafWriter) meta(w *thriftWriter, c *chunkMeta, codec int) {
	start := c.page
	if c.dictPage > 0 {
		start = c.dictPage
	}
	w.open()
	w.i64(2, start)
	w.structure(3)
	w.i32(1, l.phys)
	var encodings []int
	if c.coded {
		encodings = append(encodings, encDictionary)
	}
	if c.plain || !c.coded {
		encodings = append(encodings, encPlain)
	}
	w.i32s(2, append(encodings, encRLE)...)
	w.texts(3, l.path)
	w.i32(4, codec)
	w.i64(5, c.cells)
	w.i64(6, c.unpacked)
	w.i64(7, c.packed)
	w.i64(9, c.page)
	if c.dictPage > 0 {
		w.i64(11, c.dictPage)
	}
	l.statistics(w, c)
	w.close()
	w.close()
}

func (l *leafWriter) statistics(w *thriftWriter, c *chunkMeta) {
	w.structure(12)
	w.i64(3, c.nulls)
	if lo, hi, exactLo, exactHi, ok := c.bounds.plain(l); ok {
		w.bytes(5, hi)
		w.bytes(6, lo)
		w.boolean(7, exactHi)
		w.boolean(8, exactLo)
	}
	w.close()
}
