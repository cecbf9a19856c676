package parquet

import (
	"errors"
	"fmt"
	"io"
)

// maxPageHeader bounds the header of a page, statistics included.
const maxPageHeader = 1 << 20

// walkPages checks the headers of all pages of a chunk before any of them is unpacked: their sizes add up to the chunk's, their
// values to the chunk's, and nothing unpacks to more than the chunk declares. It gives the bytes that they unpack to.
func walkPages(r io.ReaderAt, c chunk, lim Limits) (int64, error) {
	var unpacked, values int64
	buf := make([]byte, 0, 512)
	for pos := c.start; pos < c.start+c.size && values < c.values; {
		h, n, err := readPageHeader(r, pos, c.start+c.size, buf)
		if err != nil {
			return 0, err
		}
		pos += int64(n)
		if h.compressed < 0 || h.uncompressed < 0 || h.values < 0 || h.compressed > c.start+c.size-pos {
			return 0, errors.New("page lies outside of its column chunk")
		}
		if h.levels < 0 || h.levels > h.uncompressed || h.levels > h.compressed {
			return 0, errors.New("page has levels beyond its end")
		}
		pos += h.compressed
		unpacked += h.uncompressed
		if !h.dictionary {
			values += h.values
		}
		if values > c.values {
			return 0, fmt.Errorf("pages have more values than the %d that their column chunk declares", c.values)
		}
	}
	if values != c.values {
		return 0, fmt.Errorf("pages have %d values, their column chunk declares %d", values, c.values)
	}
	if unpacked > freeRatio && unpacked/lim.Ratio > c.size {
		return 0, fmt.Errorf("column chunk of %d bytes unpacks to %d", c.size, unpacked)
	}
	return unpacked, nil
}

type pageHeader struct {
	uncompressed, compressed int64
	values                   int64
	levels                   int64 // bytes of both kinds of levels, in data pages of version 2
	dictionary               bool
}

// readPageHeader reads the header at pos, which ends before end, and gives its length. buf is scratch space.
func readPageHeader(r io.ReaderAt, pos, end int64, buf []byte) (pageHeader, int, error) {
	for size := int64(cap(buf)); ; size *= 4 {
		size = min(size, end-pos, maxPageHeader)
		if int64(cap(buf)) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if n, err := r.ReadAt(buf, pos); n < len(buf) {
			return pageHeader{}, 0, err
		}
		t := &thrift{b: buf}
		h := parsePageHeader(t)
		if t.err == nil {
			return h, t.pos, nil
		}
		if size == end-pos || size == maxPageHeader {
			return h, 0, t.err
		}
	}
}

func parsePageHeader(r *thrift) (h pageHeader) {
	r.fields(func(id int16, kind byte) {
		switch id {
		case 2:
			h.uncompressed = r.number(kind)
		case 3:
			h.compressed = r.number(kind)
		case 5, 7, 8:
			h.dictionary = id == 7
			if r.want(kind, tStruct) {
				parseDataHeader(r, &h, id == 8)
			}
		default:
			r.skip(kind, 0)
		}
	})
	return h
}

// parseDataHeader reads the part of a page header that depends on the kind of page.
func parseDataHeader(r *thrift, h *pageHeader, v2 bool) {
	r.fields(func(id int16, kind byte) {
		switch {
		case id == 1:
			h.values = r.number(kind)
		case v2 && (id == 5 || id == 6):
			n := r.number(kind)
			if n < 0 {
				r.fail("page has levels of %d bytes", n)
			}
			h.levels += n
		default:
			r.skip(kind, 0)
		}
	})
}
