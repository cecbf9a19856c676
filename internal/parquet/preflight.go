package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits bound what a file may demand of its reader. A zero is the default that its comment names.
type Limits struct {
	Footer       int64 // bytes of the footer: 64 MiB
	Columns      int   // leaves: 10,000
	RowGroups    int   // 30,000
	Depth        int   // of the schema: 64
	Uncompressed int64 // bytes that the columns to read may take unpacked: 4 GiB
	Ratio        int64 // by which a chunk may be larger unpacked, beyond its first 16 MiB: 1,000
}

func (l Limits) orDefault() Limits {
	set(&l.Footer, 64<<20)
	set(&l.Columns, 10_000)
	set(&l.RowGroups, 30_000)
	set(&l.Depth, 64)
	set(&l.Uncompressed, 4<<30)
	set(&l.Ratio, 1_000)
	return l
}

func set[T int | int64](to *T, value T) {
	if *to == 0 {
		*to = value
	}
}

// freeRatio is the size up to which a chunk may unpack to anything.
const freeRatio = 16 << 20

// footer is what the preflight learns of a file.
type footer struct {
	rows   int64
	leaves []leafNode
	groups []group
}

type leafNode struct {
	path           []string
	maxRep, maxDef int
	repDef         int // the definition level from which on the innermost list or map above has an element
}

type group struct {
	rows   int64
	chunks []chunk
}

// chunk is the place of one column's pages in the file.
type chunk struct {
	start, size  int64 // of all pages, the dictionary first
	uncompressed int64
	values       int64
}

var magic = [4]byte{'P', 'A', 'R', '1'}

// preflight reads and checks the footer of a file.
func preflight(r io.ReaderAt, size int64, lim Limits) (*footer, error) {
	text, err := footerText(r, size, lim)
	if err != nil {
		return nil, err
	}
	f, err := parseFooter(text, lim)
	if err != nil {
		return nil, err
	}
	return f, f.check(size-8-int64(len(text)), lim)
}

// footerText reads the footer of a file.
func footerText(r io.ReaderAt, size int64, lim Limits) ([]byte, error) {
	if size < 12 {
		return nil, fmt.Errorf("file of %d bytes is no Parquet file", size)
	}
	var head [4]byte
	var tail [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if n, err := r.ReadAt(tail[:], size-8); n < len(tail) {
		return nil, err
	}
	if head != magic || [4]byte(tail[4:]) != magic {
		return nil, errors.New("file is no Parquet file: it lacks the magic bytes PAR1")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-12 || length > lim.Footer {
		return nil, fmt.Errorf("file of %d bytes declares a footer of %d bytes", size, length)
	}
	text := make([]byte, length)
	if n, err := r.ReadAt(text, size-8-length); n < len(text) {
		return nil, err
	}
	return text, nil
}

// parseFooter reads a FileMetaData.
func parseFooter(text []byte, lim Limits) (*footer, error) {
	r := &thrift{b: text}
	f := new(footer)
	r.fields(func(id int16, kind byte) {
		switch {
		case id == 2 && r.want(kind, tList):
			f.schema(r, lim)
		case id == 3 && r.want(kind, tI64):
			f.rows = r.int()
		case id == 4 && r.want(kind, tList):
			n, elem := r.list()
			if n > lim.RowGroups {
				r.fail("file has %d row groups", n)
			}
			for i := 0; i < n && r.want(elem, tStruct); i++ {
				f.groups = append(f.groups, readGroup(r))
			}
		case id != 2 && id != 3 && id != 4:
			r.skip(kind, 0)
		}
	})
	return f, r.err
}

type element struct {
	name       string
	repetition int64
	children   int64
}

// schema reads the schema, a tree in prefix order, into leaves.
func (f *footer) schema(r *thrift, lim Limits) {
	n, elem := r.list()
	elements := make([]element, 0, min(n, 1024))
	for i := 0; i < n && r.want(elem, tStruct); i++ {
		elements = append(elements, readElement(r))
	}
	if r.err != nil {
		return
	}
	if len(elements) == 0 {
		r.fail("file has no schema")
		return
	}
	rest := f.grow(r, elements[1:], elements[0].children, leafNode{}, lim)
	if len(rest) > 0 {
		r.fail("schema has %d elements that belong to nothing", len(rest))
	}
}

// grow adds the leaves of the next count elements below up, and gives the elements that are left.
func (f *footer) grow(r *thrift, rest []element, count int64, up leafNode, lim Limits) []element {
	for ; count > 0 && r.err == nil; count-- {
		if len(rest) == 0 {
			r.fail("schema ends early")
			break
		}
		e := rest[0]
		rest = rest[1:]
		n := leafNode{path: append(append([]string(nil), up.path...), e.name), maxRep: up.maxRep, maxDef: up.maxDef, repDef: up.repDef}
		if e.repetition != 0 {
			n.maxDef++
		}
		if e.repetition == 2 {
			n.maxRep++
			n.repDef = n.maxDef
		}
		switch {
		case len(n.path) > lim.Depth:
			r.fail("schema is nested deeper than %d", lim.Depth)
		case e.children > 0:
			rest = f.grow(r, rest, e.children, n, lim)
		case len(f.leaves) >= lim.Columns:
			r.fail("file has more than %d columns", lim.Columns)
		default:
			f.leaves = append(f.leaves, n)
		}
	}
	return rest
}

func readElement(r *thrift) (e element) {
	r.fields(func(id int16, kind byte) {
		switch {
		case id == 3 && r.want(kind, tI32):
			e.repetition = r.int()
			if e.repetition < 0 || e.repetition > 2 {
				r.fail("schema has the unknown repetition %d", e.repetition)
			}
		case id == 4 && r.want(kind, tBinary):
			e.name = string(r.bytes())
		case id == 5 && r.want(kind, tI32):
			e.children = r.int()
			if e.children < 0 {
				r.fail("schema has an element with %d children", e.children)
			}
		case id < 3 || id > 5:
			r.skip(kind, 0)
		}
	})
	return e
}

func readGroup(r *thrift) (g group) {
	r.fields(func(id int16, kind byte) {
		switch {
		case id == 1 && r.want(kind, tList):
			n, elem := r.list()
			for i := 0; i < n && r.want(elem, tStruct); i++ {
				g.chunks = append(g.chunks, readChunk(r))
			}
		case id == 3 && r.want(kind, tI64):
			g.rows = r.int()
		case id != 1 && id != 3:
			r.skip(kind, 0)
		}
	})
	return g
}

func readChunk(r *thrift) (c chunk) {
	r.fields(func(id int16, kind byte) {
		switch id {
		case 1:
			r.fail("column chunk lies in another file")
		case 3:
			if r.want(kind, tStruct) {
				c = readChunkMeta(r)
			}
		default:
			r.skip(kind, 0)
		}
	})
	return c
}

func readChunkMeta(r *thrift) (c chunk) {
	var data, dict int64
	r.fields(func(id int16, kind byte) {
		number := func(to *int64) {
			if r.want(kind, tI64) {
				*to = r.int()
			}
		}
		switch id {
		case 2:
			checkEncodings(r, kind)
		case 4:
			if codec := r.number(kind); codec < 0 || codec > 7 || codec == 3 {
				r.fail("column chunk has the unknown codec %d", codec)
			}
		case 5:
			number(&c.values)
		case 6:
			number(&c.uncompressed)
		case 7:
			number(&c.size)
		case 9:
			number(&data)
		case 11:
			number(&dict)
		default:
			r.skip(kind, 0)
		}
	})
	c.start = data
	if dict > 0 && dict < data {
		c.start = dict
	}
	return c
}

// number is a value of type i32.
func (r *thrift) number(kind byte) int64 {
	if !r.want(kind, tI32) {
		return 0
	}
	return r.int()
}

func checkEncodings(r *thrift, kind byte) {
	if !r.want(kind, tList) {
		return
	}
	n, elem := r.list()
	for i := 0; i < n && r.want(elem, tI32); i++ {
		if e := r.int(); e < 0 || e > 9 || e == 1 {
			r.fail("column chunk has the unknown encoding %d", e)
		}
	}
}

// check compares what the footer says with the bytes before it.
func (f *footer) check(end int64, lim Limits) error {
	var rows int64
	for i, g := range f.groups {
		if len(g.chunks) != len(f.leaves) {
			return fmt.Errorf("row group %d has %d columns, the schema %d", i, len(g.chunks), len(f.leaves))
		}
		if g.rows < 0 || g.rows > f.rows-rows {
			return fmt.Errorf("row groups have more rows than the %d that are declared", f.rows)
		}
		rows += g.rows
		for j, c := range g.chunks {
			if c.start < 4 || c.size < 0 || c.start > end || c.size > end-c.start {
				return fmt.Errorf("column %d of row group %d lies outside of the file", j, i)
			}
			if c.values < 0 || c.values > 1<<31 || c.uncompressed < 0 {
				return fmt.Errorf("column %d of row group %d declares %d values of %d bytes", j, i, c.values, c.uncompressed)
			}
			if f.leaves[j].maxRep == 0 && c.values != g.rows {
				return fmt.Errorf("column %d of row group %d has %d values in %d rows", j, i, c.values, g.rows)
			}
		}
	}
	if rows != f.rows {
		return fmt.Errorf("row groups have %d rows, but %d are declared", rows, f.rows)
	}
	return nil
}
