package parquet

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Codec packs pages. It may serve several files and goroutines, and hands the memory of one file to the next.
type Codec struct {
	id     int // as footers have it; 0: pages stay as they are
	snappy bool
	zstd   *zstd.Encoder
	gzip   sync.Pool // of *gzip.Writer

	scratch sync.Pool // of *[]byte: memory of files that are done, of the size of a page
}

// NewCodec gives the codec of a name: "snappy" (also ""), "zstd", "gzip" or "uncompressed".
func NewCodec(name string) (*Codec, error) {
	switch name {
	case "", "snappy":
		return &Codec{id: 1, snappy: true}, nil
	case "zstd":
		z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
		return &Codec{id: 6, zstd: z}, err
	case "gzip":
		return &Codec{id: 2, gzip: sync.Pool{New: func() any { return gzip.NewWriter(nil) }}}, nil
	case "uncompressed":
		return &Codec{id: 0}, nil
	}
	return nil, fmt.Errorf("the codec %q is not known here", name)
}

// pack appends b packed to out.
func (c *Codec) pack(out, b []byte) ([]byte, error) {
	switch {
	case c.snappy:
		if most := s2.MaxEncodedLen(len(b)); most < 0 {
			return nil, fmt.Errorf("a page of %d bytes is too large for Snappy", len(b))
		} else if cap(out) < most {
			out = make([]byte, 0, most+most/8)
		}
		return s2.EncodeSnappy(out[:cap(out)], b), nil
	case c.zstd != nil:
		return c.zstd.EncodeAll(b, out), nil
	}
	to := bytes.NewBuffer(out)
	w, _ := c.gzip.Get().(*gzip.Writer)
	w.Reset(to)
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	err := w.Close()
	c.gzip.Put(w)
	return to.Bytes(), err
}

// take gives a buffer without content from p; nil when there is none.
func take(p *sync.Pool) []byte {
	if b, ok := p.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

// give puts a buffer into p if it is worth keeping.
func give(p *sync.Pool, b []byte) {
	if cap(b) >= 1<<16 {
		p.Put(&b)
	}
}
